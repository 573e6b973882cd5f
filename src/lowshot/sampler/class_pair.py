"""Two categories: what is known about the rare one, as a question of yes and no, says everything about the other."""

import itertools
import math
from dataclasses import replace
from typing import NamedTuple, get_args

from lowshot.class_metric import AveragedMetric
from lowshot.core.interval import Interval
from lowshot.history import Assumption, History
from lowshot.metric import COUNTS, FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.curve import Curve


class Errors(NamedTuple):
    """Items that are wrongly predicted to be of the rare category (fp), or wrongly not (fn)."""

    fp: float
    fn: float


class PairAverage(NamedTuple):
    """An average over both categories."""

    value: float
    low: float
    high: float


UNKNOWN = PairAverage(math.nan, math.nan, math.nan)  # no label that counts says anything about the rare category


def average(view: View, history: History, metric: AveragedMetric, confidence: float) -> PairAverage:
    """The average over both categories, from what is known about the rare one.

    view, history  as the rare category sees them

    The ends of the interval are those for the most and the fewest errors. Where the metric of the rare category is a
    part of the average, its own interval is used, which is narrower.
    """
    fp, fn = (_estimate(view, history, COUNTS[name], confidence) for name in ("fp", "fn"))
    likely = Errors(fp.value, fn.value)
    if any(map(math.isnan, likely)):
        return UNKNOWN
    most, fewest = (_errors(fp, fn, upper) for upper in (True, False))
    if metric.average != "macro":
        corners = [Errors(*pair) for pair in itertools.product(*zip(most, fewest, strict=True))]
        # More errors of one kind alone can raise a weighted mean: they change how large the categories are.
        means = [_mean(view, metric, errors) for errors in (likely, *corners)]
        return PairAverage(means[0], min(means), max(means))
    rare = _estimate(view, history, metric.each, confidence)
    own = rare.interval or Interval(0.0, 1.0, confidence)
    low, value, high = (
        (one + _common(view, metric.each, errors)) / 2
        for one, errors in ((own.low, most), (rare.value, likely), (own.high, fewest))
    )
    return PairAverage(value, low, high)


def of_common(view: View, history: History, metric: FBeta, confidence: float) -> PairAverage:
    """The metric of the other category."""
    fp, fn = (_estimate(view, history, COUNTS[name], confidence) for name in ("fp", "fn"))
    if math.isnan(fp.value) or math.isnan(fn.value):
        return UNKNOWN
    ends = (_errors(fp, fn, True), _errors(fp, fn, False))
    low, high = (_common(view, metric, errors) for errors in ends)
    return PairAverage(_common(view, metric, Errors(fp.value, fn.value)), low, high)


def _estimate(view: View, history: History, metric: Metric, confidence: float) -> Estimate:
    """Of the rare category. The interval covers whatever the items are that nobody could tell."""
    found = Curve().estimate(view, history, metric, confidence)
    for assume in get_args(Assumption)[1:] if history.skipped else ():
        other = Curve().estimate(view, history.assuming(assume), metric, confidence).interval
        if found.interval is not None and other is not None:
            found = replace(found, interval=found.interval.hull(other))
    return found


def _errors(fp: Estimate, fn: Estimate, most: bool) -> Errors:
    """The most or the fewest errors; without an interval, any number."""
    ends = [Interval(0.0, math.inf) if one.interval is None else one.interval for one in (fp, fn)]
    return Errors(*(end.high if most else end.low for end in ends))


def _common(view: View, metric: FBeta, errors: Errors) -> float:
    """F of the other category, whose true positives are the true negatives of the rare one."""
    right = max(view.total - view.predicted_weight - errors.fn, 0.0)
    below = right + metric.alpha * errors.fn + (1 - metric.alpha) * errors.fp
    return right / below if below > 0 else 0.0


def _rare(view: View, metric: FBeta, errors: Errors) -> float:
    right = max(view.predicted_weight - errors.fp, 0.0)
    below = right + metric.alpha * errors.fp + (1 - metric.alpha) * errors.fn
    return right / below if below > 0 else 0.0


def _mean(view: View, metric: AveragedMetric, errors: Errors) -> float:
    if metric.average == "items":
        return max(1 - (errors.fp + errors.fn) / view.total, 0.0)
    positives = min(max(view.predicted_weight - errors.fp, 0.0) + errors.fn, view.total)
    share = positives / view.total
    return share * _rare(view, metric.each, errors) + (1 - share) * _common(view, metric.each, errors)
