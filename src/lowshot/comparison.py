"""Two models, or all of them, from the same labels: which is better, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from lowshot.core.counts import count
from lowshot.core.curve.summary import Summary, best_shares, interval_of, quantiles
from lowshot.core.interval import Interval
from lowshot.core.types import Floats
from lowshot.errors import InputError
from lowshot.history import Assumption, History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import BasePool
from lowshot.result import Comparison
from lowshot.sampler.base import Sampler, Several

# A difference is multiplied by exp(SCALE * a standard normal number): its size depends on the number of positives, of
# which curves are a little too sure, but its sign hardly does (docs/research.md).
SCALE = 0.08
IDENTICAL = "both models predict the same items positive, so that every metric is the same"


def compare(
    sampler: Sampler,
    pool: BasePool,
    history: History,
    pair: tuple[str, str],
    metric: Metric,
    margin: float,
    confidence: float,
) -> Comparison:
    """The difference of the second model to the first, from the labels so far."""
    if not isinstance(metric, FBeta):
        raise InputError(f"models are compared by a metric of the F family, such as f1 or recall: got {metric.name}")
    blank = Comparison(*pair, metric.name, math.nan, None, None, margin, len(history.labels), history.skipped)
    if identical(pool, pair):
        zero = Interval(0.0, 0.0, confidence)
        return replace(blank, value=0.0, interval=zero, probability=0.0, reason=IDENTICAL)
    if (reason := _undefined(pool, history, pair, metric)) is not None:
        return replace(blank, reason=reason)
    answer = _compare(sampler, pool, history, blank, metric, confidence)
    # As for a single model, the interval covers whatever the skipped labels would have been.
    for assume in get_args(Assumption)[1:] if history.skipped else ():
        other = _compare(sampler, pool, history.assuming(assume), blank, metric, confidence)
        if answer.interval is not None and other.interval is not None:
            answer = replace(answer, interval=answer.interval.hull(other.interval))
    return answer


def identical(pool: BasePool, pair: tuple[str, str]) -> bool:
    """Whether both models predict the same items positive."""
    return pool.same_predictions(*pair)


def _undefined(pool: BasePool, history: History, pair: tuple[str, str], metric: FBeta) -> str | None:
    empty = [name for name in pair if pool.view(name).predicted_positives == 0]
    if empty and metric.alpha == 1:
        return f"{empty[0]} predicts no item positive, so that its {metric.name} does not exist"
    if len(history.labels) == history.skipped:
        return "no labels yet" if not history.skipped else "all answers so far are 'cannot tell': label more items"
    return None


def _compare(
    sampler: Sampler, pool: BasePool, history: History, blank: Comparison, metric: FBeta, confidence: float
) -> Comparison:
    pair = (blank.baseline, blank.candidate)
    if (exact := _exact(pool, history, pair, metric)) is not None:
        value = exact[1] - exact[0]
        interval = Interval(value, value, confidence)
        return replace(blank, value=value, interval=interval, probability=float(value > blank.margin))
    found = sampler.several(pool.view(pair[0]), history, metric, pair)
    summary = _summary(found, confidence)
    if found.before is not None:
        summary = summary.anytime(_summary(found.before, confidence), 1.0, -1.0)
    return replace(
        blank,
        value=summary.value,
        interval=summary.interval,
        probability=_above(_spread(found), found.weight, blank.margin),
        labels=found.labels,
        warning=found.warning,
    )


def _summary(found: Several, confidence: float) -> Summary:
    """Value (midway between mean and median), variance and interval of the difference."""
    difference, weight = _spread(found), found.weight
    middle, mean = float(quantiles(difference, weight, (0.5,))[0]), float(weight @ difference)
    usual = interval_of(difference, weight, confidence)
    interval = Interval(max(usual.low, -1.0), min(usual.high, 1.0), confidence)
    return Summary((mean + middle) / 2, float(weight @ (difference - mean) ** 2), interval, middle)


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


def _exact(pool: BasePool, history: History, models: Sequence[str], metric: FBeta) -> list[float] | None:
    """The metric of each model if every item is labelled."""
    if len(history.labels) < len(pool):
        return None
    labelled, found = history.labelled, []
    for name in models:
        view = pool.view(name)
        predicted = view.predicted(labelled)
        parts = count(history.values(labelled, predicted), predicted, view.p(labelled) * view.total)
        found.append(metric.of_counts(*parts))
    return found


def best(sampler: Sampler, pool: BasePool, history: History, metric: FBeta) -> list[float]:
    """The probability that each model of the pool is the best one."""
    if (exact := _exact(pool, history, pool.models, metric)) is not None:
        values, weight = np.nan_to_num(np.array([exact]), nan=-1.0), np.ones(1)
    else:
        found = sampler.several(pool.view(), history, metric, pool.models)
        one_more = np.ones((1, len(pool.models)))  # draws cannot say that something is certain
        values, weight = np.concatenate([found.values, one_more]), np.append(found.weight, 1 / len(found.weight))
    shares: list[float] = (best_shares(values, weight) / weight.sum()).tolist()
    return shares
