"""Rounds of a history into an estimate: shared by every sampler that draws with known probabilities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from lowshot.core.combine import Combination, combine
from lowshot.core.interval import Interval, amount_interval, share_interval
from lowshot.core.ratio import RoundEstimate, estimate_round
from lowshot.core.types import Floats, Integers
from lowshot.errors import InputError
from lowshot.history import History, Round
from lowshot.metric import COUNTS, FBeta, Metric
from lowshot.pool import Pool
from lowshot.result import Estimate, Reach

Reuse = Literal["stratum", "paper", "none"]


def of_round(pool: Pool, history: History, round_: Round, metric: Metric, literal: bool = False) -> RoundEstimate:
    """Eq. 2 and its variance for one round, from its longest labelled prefix."""
    drawn = round_.draws.items[: history.prefix(round_)]
    known = round_.design.known
    probability = round_.draws.probability[: len(drawn)]
    distinct = len(np.unique(drawn)) if len(drawn) else 0
    available = len(round_.design.items)
    estimate = estimate_round(
        metric.terms(*_labels(pool, history, drawn), pool.p(drawn) / probability),
        metric.terms(*_labels(pool, history, known), pool.p(known)),
        literal=literal,
        total_known=metric.denominator is None,
        fraction=0.0 if round_.design.replace else len(drawn) / available,
    )
    if distinct == available and round_.design.replace and len(drawn):
        return _census(pool, history, np.concatenate([known, np.unique(drawn)]), metric, estimate)
    return estimate


def _census(pool: Pool, history: History, items: Integers, metric: Metric, estimate: RoundEstimate) -> RoundEstimate:
    """Every item of the domain is labelled: their own metric, without variance."""
    terms = metric.terms(*_labels(pool, history, items), pool.p(items) * len(items))
    whole = estimate_round(terms, metric.terms(*(np.empty(0),) * 3), total_known=metric.denominator is None)
    return replace(whole, variance=0.0, weight=estimate.weight, draws=estimate.draws)


def _labels(pool: Pool, history: History, items: Integers) -> tuple[np.ndarray, np.ndarray]:
    predictions = pool.predicted(items)
    return history.values(items, predictions), predictions


def from_rounds(
    pool: Pool,
    history: History,
    metric: Metric,
    confidence: float,
    rounds: Sequence[Round] | None = None,
    how: Combination = "independent",
    literal: bool = False,
) -> Estimate:
    """The estimate from these rounds (all, if none are named), with its interval and its reach."""
    chosen = history.rounds if rounds is None else rounds

    def together(wanted: Metric) -> tuple[RoundEstimate, ...]:
        return tuple(of_round(pool, history, r, wanted, literal) for r in chosen)

    each = together(metric)
    result = combine(each, how)
    drawn = [(r, one.weight) for r, one in zip(chosen, each, strict=True) if history.prefix(r)]
    reach, missing = reach_of(pool, history, [r for r, _ in drawn], np.array([weight for _, weight in drawn]))
    _refuse_uncovered(history, metric, reach.unreachable_predictions)
    limits = Limits.of(pool, metric, missing)
    interval = limits.interval(result, confidence)
    reason = "" if result.weight > 0 else undefined(history, metric)
    if missing and result.weight > 0:
        tp = combine(together(COUNTS["tp"])).value * Limits.of(pool, COUNTS["tp"], missing).scale
        interval = beyond_reach(interval, metric, tp, missing, len(pool))
        count = f"{reach.unreachable_predictions:,} predicted positives"
        reason = f"{count} could not be drawn: only the interval allows for them"
    return Estimate(
        metric=metric.name,
        value=min(result.value * limits.scale, limits.highest),
        variance=result.variance * limits.scale**2,
        interval=interval,
        labels=history.used(chosen),
        reach=reach,
        reason=reason,
        skipped=history.skipped,
        rounds=each,
    )


@dataclass(frozen=True)
class Limits:
    """What a ratio is multiplied by to give the metric, and what the metric can be at most."""

    scale: float
    highest: float
    is_share: bool
    per_prediction: bool

    @classmethod
    def of(cls, pool: Pool, metric: Metric, missing: float) -> "Limits":
        predicted = predicted_total(pool)
        scale = predicted - missing if metric.per_prediction else 1.0
        if metric.is_share:
            return cls(scale, scale, True, metric.per_prediction)
        return cls(scale, 1.0 if metric.denominator is None else len(pool) - predicted, False, metric.per_prediction)

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


def predicted_total(pool: Pool) -> float:
    """The number of predicted positives; with weights, what they weigh in units of an average item."""
    return _weigh(pool, pool.predicted_items)


def _weigh(pool: Pool, items: Integers) -> float:
    return float(len(items)) if pool.mass is None else float(pool.mass[items].sum() * len(pool))


def reach_of(pool: Pool, history: History, rounds: Sequence[Round], weight: Floats) -> tuple[Reach, float]:
    """What these rounds could draw, with what is labelled; and what the predictions out of their reach weigh.

    Rounds differ in their domains: items are those of the last, missing predictions the average as in Eq. 5.
    """
    labelled = history.labelled
    if not rounds:
        return Reach(len(labelled), len(pool)), 0.0
    share = weight / weight.sum() if weight.any() else np.full(len(weight), 1 / len(weight))
    design = rounds[-1].design
    items = len(design.items) + int(np.count_nonzero(~design.can_draw(labelled)))
    wanted = pool.predicted_items[~np.isin(pool.predicted_items, labelled)]
    missing = [wanted[~r.design.can_draw(wanted)] for r in rounds]
    number = math.ceil(share @ np.array([len(m) for m in missing]) - 1e-9)
    return Reach(items, len(pool), number), float(share @ np.array([_weigh(pool, m) for m in missing]))


def _refuse_uncovered(history: History, metric: Metric, missing: int) -> None:
    """A design for precision never draws a predicted negative: it cannot speak for anything that needs one."""
    drawn = [r.design.negatives for r in history.rounds]
    if not drawn or any(drawn) or (metric.ignores_negatives and not missing):
        return
    wanted = f"metric {metric.name!r}" if not metric.ignores_negatives else "predictions of another model"
    raise InputError(
        f"{wanted} cannot be estimated from draws made for precision: predicted negatives had probability 0;"
        " start the evaluation with metric='f1', or with 'acis' and a share for them: settings={'defensive': 0.2}"
    )


def undefined(history: History, metric: Metric) -> str:
    """Why there is no value, in words."""
    if not history.labels:
        return "no label yet: ask(), label the items, tell()"
    if history.rounds and not history.used(history.rounds):
        return "the labels so far wait for items that were drawn before them: answer the pending ones"
    if isinstance(metric, FBeta) and metric.alpha == 0:
        return "no positive among the labels that can be used so far: label more"
    return "no label that can be used so far says anything about this metric: label more"
