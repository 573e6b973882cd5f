"""Which part of the pool the draws can speak for, and what that means for counts and intervals."""

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
    """What a ratio is multiplied by to give the metric, and what the metric can be at most."""

    scale: float
    highest: float
    is_share: bool
    per_prediction: bool

    @classmethod
    def of(cls, pool: View, metric: Metric, missing: float) -> "Limits":
        predicted = predicted_total(pool)
        scale = predicted - missing if metric.per_prediction else 1.0
        if metric.is_share:
            return cls(scale, scale, True, metric.per_prediction)
        highest = 1.0 if metric.denominator is None else max(0.0, pool.total - predicted)  # weights sum with rounding
        return cls(scale, highest, False, metric.per_prediction)

    def interval(self, estimate: RoundEstimate, confidence: float) -> Interval:
        """The interval rule, for shares and for amounts. Few labels with large weights can point past the highest."""
        value, variance, draws = estimate.value, estimate.variance, estimate.informative
        if self.is_share:
            share = share_interval(value, variance, estimate.effective, draws, confidence)
            return Interval(self.scale * share.low, self.scale * share.high, confidence)
        amount = min(value * self.scale, self.highest)
        # The draws that tell about fn are not counted by `effective`: without a variance anything is possible.
        effective = 0.0 if self.per_prediction else estimate.effective
        return amount_interval(amount, variance * self.scale**2, effective, draws, self.highest, confidence)


def beyond_reach(interval: Interval, metric: Metric, tp: float, missing: float, total: int) -> Interval:
    """Wider, for predicted positives that could not be drawn: all of them false, or all of them true.

    F = tp/D; `missing` more predicted positives add alpha to D each if false, and 1 to tp and to D if true.
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
    """How many items can change the metric at all."""
    return pool.predicted_positives if metric.ignores_negatives else pool.total


def unanswered(pool: View, history: History, metric: Metric) -> int:
    """How many items can change the metric and have no answer; "cannot tell" is one."""
    answered = history.labelled
    have = int(pool.predicted(answered).sum()) if metric.ignores_negatives else len(answered)
    return matters(pool, metric) - have


def predicted_total(pool: View) -> float:
    """The number of predicted positives; with weights, what they weigh in units of an average item."""
    return pool.predicted_weight


def reach_of(pool: View, history: History, rounds: Sequence[Round], weight: Floats) -> tuple[Reach, float]:
    """What these rounds could draw, with what is labelled; and what the predictions out of their reach weigh.

    Rounds differ in their domains: items are those of the last, missing predictions the average as in Eq. 5.
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
    """A design for precision never draws a predicted negative: it cannot speak for anything that needs one."""
    drawn = [r.design.negatives for r in history.rounds]
    if not drawn or any(drawn) or (metric.ignores_negatives and not missing):
        return
    wanted = f"metric {metric.name!r}" if not metric.ignores_negatives else "predictions of another model"
    raise InputError(
        f"{wanted} cannot be estimated from draws made for precision: predicted negatives had probability 0;"
        " start the evaluation with metric='f1', or with 'acis' and a share for them: settings={'defensive': 0.2}"
    )
