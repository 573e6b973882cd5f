"""Two models, or all of them, from the same labels: which is better, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, get_args

import numpy as np

from lowshot.core.counts import count
from lowshot.core.curve.summary import Summary, best_shares, interval_of, quantiles
from lowshot.core.interval import Interval
from lowshot.core.types import Floats
from lowshot.errors import InputError
from lowshot.estimation import estimate
from lowshot.history import Assumption, History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import BasePool, View
from lowshot.pools.slices import Split
from lowshot.result import Comparison, Table
from lowshot.sampler.base import Sampler, Several
from lowshot.sampler.reach import unanswered
from lowshot.words import NO_LABELS

# A difference is multiplied by exp(SCALE * a standard normal number): its size depends on the number of positives, of
# which curves are a little too sure, but its sign hardly does (docs/research.md).
SCALE = 0.08
IN_TABLE = ("value", "low", "high", "labels", "reason", "warning")  # of an estimate
# Two models hardly agree if they both predict less than this share of what the more cautious one predicts. An eighth of
# the real pairs of docs/research.md are so.
HARDLY = 0.25
IDENTICAL = "both models predict the same items positive, so that every metric is the same"


class Answer(NamedTuple):
    """A comparison of two models that are in the order of the pool."""

    comparison: Comparison
    not_worse: float | None  # the probability that the candidate is not worse by more than the margin


def compare(
    sampler: Sampler,
    pool: BasePool,
    history: History,
    pair: tuple[str, str],
    metric: Metric,
    margin: float,
    confidence: float,
    part: Split | None = None,
) -> Comparison:
    """The difference of the second model to the first, from the labels so far; of a part of the pool if it is given.

    It is computed in the order of the models in the pool: `compare(a, b)` is exactly minus `compare(b, a)`.
    """
    if not isinstance(metric, FBeta):
        raise InputError(f"models are compared by a metric of the F family, such as f1 or recall: got {metric.name}")
    one, two = sorted(pair, key=pool.models.index)
    found, not_worse = _in_order(sampler, pool, history, (one, two), metric, margin, confidence, part)
    return found if (one, two) == pair else _mirrored(found, not_worse)


def _mirrored(found: Comparison, not_worse: float | None) -> Comparison:
    """The same from the other side, to the last bit: no sum or quantile is computed again, in another order."""
    interval = found.interval
    return replace(
        found,
        baseline=found.candidate,
        candidate=found.baseline,
        value=0.0 - found.value,  # and not -0.0
        interval=interval and Interval(0.0 - interval.high, 0.0 - interval.low, interval.confidence),
        probability=None if not_worse is None else 1 - not_worse,
    )


def _in_order(
    sampler: Sampler,
    pool: BasePool,
    history: History,
    pair: tuple[str, str],
    metric: FBeta,
    margin: float,
    confidence: float,
    part: Split | None,
) -> Answer:
    """Of two models that are in the order of the pool."""
    labels, skipped = _labels(history, part)
    blank = Comparison(
        *pair, metric.name, math.nan, None, None, margin, labels, skipped, agreement=agreement(pool, pair)
    )
    if identical(pool, pair, part):
        zero = Interval(0.0, 0.0, confidence)
        return Answer(replace(blank, value=0.0, interval=zero, probability=0.0, certain=True, reason=IDENTICAL), 1.0)
    if (reason := _undefined(pool, history, pair, metric, part)) is not None:
        return Answer(replace(blank, reason=reason), None)
    answer = _compare(sampler, pool, history, blank, metric, confidence, pair[0], part)
    return answer if not history.skipped else _with_skips(sampler, pool, history, answer, metric, confidence, part)


def _labels(history: History, part: Split | None) -> tuple[int, int]:
    """How many answers there are, and how many of them are "cannot tell"; of a part of the pool, those in it."""
    if part is None:
        return len(history.labels), history.skipped
    answers = [history.labels[item] for item in part.inside(history.labelled).tolist()]
    return len(answers), answers.count(None)


def _with_skips(
    sampler: Sampler,
    pool: BasePool,
    history: History,
    answer: Answer,
    metric: FBeta,
    confidence: float,
    part: Split | None,
) -> Answer:
    """The interval covers whatever the skipped labels would have been; a probability is the mean over assumptions.

    A label that agrees with one of two models raises its F. Where the models disagree, it favours one of them, and
    where they agree, it is as both predict or not: these are the extremes, together with all 0 and all 1.
    """
    first, second = answer.comparison.baseline, answer.comparison.candidate
    blank = replace(answer.comparison, interval=None, probability=None)
    ways: list[tuple[Assumption, str]] = [("zero", first), ("one", first)]
    ways += [(assume, by) for assume in ("agree", "disagree") for by in (first, second)]
    found = [
        _compare(sampler, pool, history.assuming(assume), blank, metric, confidence, by, part) for assume, by in ways
    ]
    every = [answer, *found]
    intervals = [one.comparison.interval for one in every if one.comparison.interval is not None]
    better = [one.comparison.probability for one in every if one.comparison.probability is not None]
    not_worse = [one.not_worse for one in every if one.not_worse is not None]
    if not intervals:
        return answer
    hull = Interval(min(one.low for one in intervals), max(one.high for one in intervals), confidence)
    share = sum(better) / len(better)
    told = replace(answer.comparison, interval=hull, probability=share, certain=False)
    return Answer(told, sum(not_worse) / len(not_worse))


def agreement(pool: BasePool, pair: tuple[str, str]) -> str:
    """What it means for intervals that two models hardly agree; empty if they do agree.

    >>> from lowshot import Pool
    >>> pool = Pool({"v1": range(8), "v2": [0, 9, 8, 7, 3, 2, 1, 0]}, threshold={"v1": 5, "v2": 7})
    >>> agreement(pool, ("v1", "v2"))[:68]
    'the models v1 and v2 hardly agree, both predict 0 items, of 3 and 3:'
    """
    one, two = (pool.view(name).predicted_positives for name in pair)
    both = pool.both_predict(*pair)
    if both >= HARDLY * min(one, two):
        return ""
    return (
        f"the models {pair[0]} and {pair[1]} hardly agree, both predict {both:,} items, of {one:,} and {two:,}: the"
        " interval of their difference is usually two to three times as wide as for models that agree"
    )


def identical(pool: BasePool, pair: tuple[str, str], part: Split | None = None) -> bool:
    """Whether both models predict the same items positive."""
    if part is None:
        return {pool.view(name).predicted_positives for name in pair} == {pool.both_predict(*pair)}
    one, two = (pool.view(name).predicted(part.inside()) for name in pair)
    return bool(np.array_equal(one, two))


def _undefined(
    pool: BasePool, history: History, pair: tuple[str, str], metric: FBeta, part: Split | None
) -> str | None:
    empty = [name for name in pair if not _predicted(pool.view(name), part)]
    if empty and metric.alpha == 1:
        return f"{empty[0]} predicts no item positive, so that its {metric.name} does not exist"
    if len(history.labels) == history.skipped:
        return NO_LABELS if not history.skipped else "all answers so far are 'cannot tell': label more items"
    return None


def _predicted(view: View, part: Split | None) -> int:
    return view.predicted_positives if part is None else int(view.predicted(part.inside()).sum())


def _compare(
    sampler: Sampler,
    pool: BasePool,
    history: History,
    blank: Comparison,
    metric: FBeta,
    confidence: float,
    by: str,
    part: Split | None = None,
) -> Answer:
    """`by` is the model that assumed labels agree or disagree with."""
    pair, margin = (blank.baseline, blank.candidate), blank.margin
    if (exact := _exact(pool, history, pair, metric, by, part)) is not None:
        value = exact[1] - exact[0]
        if math.isnan(value):
            reason = f"every item that matters is labelled and none is positive: {metric.name} does not exist"
            return Answer(replace(blank, reason=reason), None)
        interval, better = Interval(value, value, confidence), float(value > margin)
        known = replace(blank, value=value, interval=interval, probability=better, certain=True)
        return Answer(known, float(value >= -margin))
    found = sampler.several(pool.view(by), history, metric, pair, part)
    summary, spread = _summary(found, confidence), _spread(found)
    if found.before is not None:
        summary = summary.anytime(_summary(found.before, confidence), 1.0, -1.0)
    told = replace(
        blank,
        value=summary.value,
        interval=summary.interval,
        probability=_above(spread, found.weight, margin),
        labels=found.labels if part is None else blank.labels,
        warning=found.warning,
    )
    return Answer(told, _above(spread, found.weight, -margin))


def _summary(found: Several, confidence: float) -> Summary:
    """Value (midway between mean and median), variance and interval of the difference.

    The interval contains the value, and is not narrower than the effect of one item.
    """
    difference, weight = _spread(found), found.weight
    middle, mean = float(quantiles(difference, weight, (0.5,))[0]), float(weight @ difference)
    value, usual = (mean + middle) / 2, interval_of(difference, weight, confidence)
    half = max(0.0, found.grain - usual.width) / 2
    low, high = max(min(usual.low, value) - half, -1.0), min(max(usual.high, value) + half, 1.0)
    return Summary(value, float(weight @ (difference - mean) ** 2), Interval(low, high, confidence), middle)


def _spread(found: Several) -> Floats:
    """Draws of the difference, spread as intervals must be."""
    difference = found.values[:, 1] - found.values[:, 0]
    scaled: Floats = difference * np.exp(SCALE * np.random.default_rng(5).standard_normal(len(difference)))
    if found.times == 1:
        return scaled
    middle = quantiles(scaled, found.weight, (0.5,))[0]
    wider: Floats = middle + found.times * (scaled - middle)
    return wider


def _above(difference: Floats, weight: Floats, margin: float) -> float:
    """The probability that the difference is above the margin; half of that of exactly the margin.

    So many draws cannot say that something is certain: one more, which says neither, is added to them.
    """
    found = float(weight @ ((difference > margin) + 0.5 * (difference == margin)))
    return (len(weight) * found + 0.5) / (len(weight) + 1)


def _exact(
    pool: BasePool, history: History, models: Sequence[str], metric: FBeta, by: str, part: Split | None = None
) -> list[float] | None:
    """The metric of each model if every item that can change it is answered."""
    if any(_unanswered(pool.view(name), history, metric, part) for name in models):
        return None
    labelled, found = history.labelled if part is None else part.inside(history.labelled), []
    labels = history.values(labelled, pool.view(by).predicted(labelled))
    for name in models:
        view = pool.view(name)
        found.append(metric.of_counts(*count(labels, view.predicted(labelled), view.p(labelled) * view.total)))
    return found


def _unanswered(view: View, history: History, metric: FBeta, part: Split | None) -> int:
    if part is None:
        return unanswered(view, history, metric)
    items, answered = part.inside(), part.inside(history.labelled)
    if metric.ignores_negatives:
        return int(view.predicted(items).sum() - view.predicted(answered).sum())
    return len(items) - len(answered)


def table(sampler: Sampler, pool: BasePool, history: History, metric: FBeta, confidence: float) -> Table:
    """The estimate of each model, with the probability that it is the best one."""
    rows, shares = [], best(sampler, pool, history, metric) if len(pool.models) > 1 else [1.0]
    for name, share in zip(pool.models, shares, strict=True):
        one = estimate(sampler, pool.view(name), history, metric, confidence, "pool").to_dict()
        rows.append({"model": name, **{key: one[key] for key in IN_TABLE}, "best": share})
    told = tuple(filter(None, (agreement(pool, pair) for pair in combinations(pool.models, 2))))
    return Table(metric.name, confidence, len(history.labels), tuple(rows), agreement=told)


def best(sampler: Sampler, pool: BasePool, history: History, metric: FBeta) -> list[float]:
    """The probability that each model of the pool is the best one; with skipped labels, the mean over assumptions."""
    ways = get_args(Assumption) if history.skipped else ("expected",)
    found = [_best(sampler, pool, history.assuming(assume), metric) for assume in ways]
    shares: list[float] = np.mean(found, axis=0).tolist()
    return shares


def _best(sampler: Sampler, pool: BasePool, history: History, metric: FBeta) -> Floats:
    if (exact := _exact(pool, history, pool.models, metric, pool.models[0])) is not None:
        return best_shares(np.nan_to_num(np.array([exact]), nan=-1.0), np.ones(1))
    found = sampler.several(pool.view(), history, metric, pool.models)
    one_more = np.ones((1, len(pool.models)))  # draws cannot say that something is certain
    values, weight = np.concatenate([found.values, one_more]), np.append(found.weight, 1 / len(found.weight))
    return best_shares(values, weight / weight.sum())
