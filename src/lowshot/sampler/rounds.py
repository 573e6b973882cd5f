"""Rounds of a history into an estimate: shared by every sampler that draws with known probabilities."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from lowshot.core.combine import Combination, combine
from lowshot.core.interval import Interval, amount_interval, share_interval
from lowshot.core.ratio import RoundEstimate, estimate_round
from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot.history import History, Round
from lowshot.metric import Metric
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
    reach = reach_of(pool, history, metric)
    each = tuple(of_round(pool, history, r, metric, literal) for r in chosen)
    together = combine(each, how)
    scale = predicted_total(pool) if metric.per_prediction else 1.0
    used = history.used(chosen)
    return Estimate(
        metric=metric.name,
        value=min(together.value * scale, highest(pool, metric)),
        variance=together.variance * scale**2,
        interval=interval_of(pool, metric, together, confidence),
        labels=used,
        reach=reach,
        reason="" if together.weight > 0 else undefined(history, metric),
        skipped=history.skipped,
        rounds=each,
    )


def interval_of(pool: Pool, metric: Metric, estimate: RoundEstimate, confidence: float) -> Interval:
    """The interval rule, for shares and for amounts."""
    scale = predicted_total(pool) if metric.per_prediction else 1.0
    value, variance = estimate.value, estimate.variance
    if metric.is_share:
        share = share_interval(value, variance, estimate.effective, estimate.informative, confidence)
        return Interval(scale * share.low, scale * share.high, confidence)
    most = highest(pool, metric)
    return amount_interval(min(value * scale, most), variance * scale**2, estimate.informative, most, confidence)


def highest(pool: Pool, metric: Metric) -> float:
    """What the metric can be at most: few labels with large weights can point beyond it."""
    if metric.is_share:
        return predicted_total(pool) if metric.per_prediction else 1.0
    return 1.0 if metric.denominator is None else len(pool) - predicted_total(pool)


def predicted_total(pool: Pool) -> float:
    """The number of predicted positives; with weights, what they weigh in units of an average item."""
    if pool.mass is None:
        return float(pool.predicted_positives)
    return float(pool.mass[pool.predictions].sum() * len(pool))


def reach_of(pool: Pool, history: History, metric: Metric) -> Reach:
    """What the last round could draw, together with what is labelled."""
    labelled = history.labelled
    if not history.rounds:
        return Reach(len(labelled), len(pool))
    design = history.rounds[-1].design
    items = len(design.items) + int(np.count_nonzero(~design.can_draw(labelled)))
    wanted = pool.predicted_items
    missing = int(np.count_nonzero(~design.can_draw(wanted) & ~np.isin(wanted, labelled)))
    _refuse_uncovered(history, metric, missing)
    return Reach(items, len(pool), missing)


def _refuse_uncovered(history: History, metric: Metric, missing: int) -> None:
    """A design for precision never draws a predicted negative: it cannot speak for anything that needs one."""
    if any(r.design.negatives for r in history.rounds) or (metric.ignores_negatives and not missing):
        return
    wanted = f"metric {metric.name!r}" if not metric.ignores_negatives else "predictions of another model"
    raise InputError(
        f"{wanted} cannot be estimated from draws made for precision: predicted negatives had probability 0;"
        " start the evaluation with sampler settings {'defensive': 0.1}, or with metric='f1'"
    )


def undefined(history: History, metric: Metric) -> str:
    """Why there is no value, in words."""
    if not history.labels:
        return "no label yet: ask(), label the items, tell()"
    if metric.name == "recall":
        return "no positive among the labels that can be used so far: label more"
    return "no label that can be used so far says anything about this metric: label more"
