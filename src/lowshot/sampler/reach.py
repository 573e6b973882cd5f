"""Which part of the pool the draws represent, and what that means for counts and intervals.

A predicted positive is out of reach if a round could not draw it, for example because only another model predicts it,
not the one that items were drawn for. Estimates leave such items out; intervals allow for them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lowshot.core.interval import Interval, amount_interval, share_interval
from lowshot.core.ratio import RoundEstimate
from lowshot.core.types import Floats
from lowshot.errors import InputError
from lowshot.history import History, Round
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Reach


@dataclass(frozen=True)
class Limits:
    """How the estimated ratio becomes the metric, and the largest value that the metric can have.

    F, precision and recall are the ratio itself. Counts (tp, fp, fn) are estimated per predicted positive, and the
    number of predicted positives within reach is known exactly: count = ratio * scale.
    """

    scale: float  # the metric is the ratio times this
    highest: float  # the largest possible value of the metric
    is_share: bool  # the ratio is between 0 and 1
    per_prediction: bool  # a count

    @classmethod
    def of(cls, pool: View, metric: Metric, missing: float) -> "Limits":
        """`missing` is the weight of the predicted positives that are out of reach."""
        predicted = predicted_total(pool)
        scale = predicted - missing if metric.per_prediction else 1.0
        if metric.is_share:
            return cls(scale, scale, True, metric.per_prediction)
        highest = 1.0 if metric.denominator is None else max(0.0, pool.total - predicted)  # sums are rounded
        return cls(scale, highest, False, metric.per_prediction)

    def interval(self, estimate: RoundEstimate, confidence: float) -> Interval:
        """The interval of the metric. A few labels with large weights can give more than `highest`: it is cut there."""
        value, variance, draws = estimate.value, estimate.variance, estimate.informative
        if self.is_share:
            share = share_interval(value, variance, estimate.effective, draws, confidence)
            return Interval(self.scale * share.low, self.scale * share.high, confidence)
        amount = min(value * self.scale, self.highest)
        # `effective` counts predicted positives, which say nothing about fn: without a variance fn can be anything.
        effective = 0.0 if self.per_prediction else estimate.effective
        return amount_interval(amount, variance * self.scale**2, effective, draws, self.highest, confidence)


def beyond_reach(interval: Interval, metric: Metric, tp: float, missing: float, total: int) -> Interval:
    """The interval, extended for predicted positives out of reach: all of them may be false, or all of them true.

    F = tp/D. Each of `missing` further predicted positives adds alpha to D if false, and 1 to both tp and D if true.
    """
    low, high, confidence = interval.low, interval.high, interval.confidence
    if isinstance(metric, FBeta):
        lowest = low * tp / (tp + metric.alpha * missing * low) if tp > 0 else 0.0
        highest = (tp + missing) / (tp / high + missing) if tp > 0 else 1.0
        return Interval(lowest, highest, confidence)
    if metric.per_prediction:
        return interval if metric.name == "fn" else Interval(low, high + missing, confidence)
    return Interval(low, min(1.0, high + missing / total), confidence)


def matters(pool: View, metric: Metric) -> int:
    """How many items can change the metric: for precision only the predicted positives."""
    return pool.predicted_positives if metric.ignores_negatives else pool.total


def unanswered(pool: View, history: History, metric: Metric) -> int:
    """How many items that can change the metric have no answer; "cannot tell" is an answer."""
    answered = history.labelled
    have = int(pool.predicted(answered).sum()) if metric.ignores_negatives else len(answered)
    return matters(pool, metric) - have


def predicted_total(pool: View) -> float:
    """The number of predicted positives; with weights, their weight in units of an average item."""
    return pool.predicted_weight


def reach_of(pool: View, history: History, rounds: Sequence[Round], weight: Floats) -> tuple[Reach, float]:
    """The items that these rounds could draw or that are labelled; the weight of predicted positives out of reach.

    Rounds can draw from different parts of the pool. The items are those of the last round; the predicted positives out
    of reach are averaged over rounds with the weights of Eq. 5.
    """
    labelled = history.labelled
    if not rounds:
        return Reach(len(labelled), pool.total), 0.0
    share = weight / weight.sum() if weight.any() else np.full(len(weight), 1 / len(weight))
    design = rounds[-1].design
    items = design.available + int(np.count_nonzero(~design.can_draw(labelled)))
    missing = np.array([pool.unreachable(r.design.can_draw, labelled) for r in rounds])
    number, weight_missing = share @ missing
    return Reach(items, pool.total, math.ceil(number - 1e-9)), float(weight_missing)


def out_of_reach(pool: View, history: History) -> int:
    """Predicted positives without a label that the last round could not draw."""
    if not history.rounds:
        return 0
    return pool.unreachable(history.rounds[-1].design.can_draw, history.labelled)[0]


def refuse_uncovered(history: History, metric: Metric, missing: int) -> None:
    """Refuse a metric that needs predicted negatives if items were drawn for precision: it draws none of them."""
    drawn = [r.design.negatives for r in history.rounds]
    if not drawn or any(drawn) or (metric.ignores_negatives and not missing):
        return
    wanted = f"metric {metric.name!r}" if not metric.ignores_negatives else "predictions of another model"
    raise InputError(
        f"{wanted} cannot be estimated from draws made for precision: predicted negatives had probability 0;"
        " start the evaluation with metric='f1', or with 'acis' and a share for them: settings={'defensive': 0.2}"
    )
