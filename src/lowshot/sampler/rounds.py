"""Rounds of a history into an estimate: shared by every sampler that draws with known probabilities."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from lowshot.core.combine import Combination, combine
from lowshot.core.interval import finite
from lowshot.core.ratio import RoundEstimate, estimate_round
from lowshot.core.types import Floats, Integers
from lowshot.history import History, Round
from lowshot.metric import COUNTS, FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.reach import Limits, beyond_reach, reach_of, refuse_uncovered
from lowshot.words import NO_LABELS

Reuse = Literal["stratum", "paper", "none"]
WAITING = "the labels so far wait for items that were drawn before them: answer the pending ones"


def of_round(pool: View, history: History, round_: Round, metric: Metric, literal: bool = False) -> RoundEstimate:
    """Eq. 2 and its variance for one round, from the draws before its first unanswered item."""
    drawn = round_.draws.items[: history.prefix(round_)]
    known = round_.design.known
    probability = round_.draws.probability[: len(drawn)]
    distinct = len(np.unique(drawn)) if len(drawn) else 0
    available = round_.design.available
    total_known = metric.denominator is None
    estimate = estimate_round(
        metric.terms(*_labels(pool, history, drawn), pool.p(drawn) / probability),
        metric.terms(*_labels(pool, history, known), pool.p(known)),
        # Weights that do not add up to 1 divide out of a ratio such as F, which is all that the paper estimates.
        factor=factor_of(history, round_, literal and not total_known),
        total_known=total_known,
        fraction=0.0 if round_.design.replace else len(drawn) / available,
    )
    if distinct == available and round_.design.replace and len(drawn):
        return _census(pool, history, np.concatenate([known, np.unique(drawn)]), metric, estimate)
    return estimate


def factor_of(history: History, round_: Round, literal: bool) -> Floats:
    """By how much each known item counts more than its share of the pool.

    literal  the labels of earlier rounds count as the paper prints it: |L| p in a sum over m draws, which is m p only
             if |L| = m. Labels that were there before the first round, which the paper does not have, never do: with
             2,000 of them and 150 draws the estimate would be theirs alone.
    """
    known, m = round_.design.known, history.prefix(round_)
    earlier = ~np.isin(known, list(history.known))
    return np.where(earlier & literal, np.count_nonzero(earlier) / max(m, 1), 1.0)


def _census(pool: View, history: History, items: Integers, metric: Metric, estimate: RoundEstimate) -> RoundEstimate:
    """The exact metric of the domain, with variance 0: every item that could be drawn is labelled."""
    terms = metric.terms(*_labels(pool, history, items), pool.p(items) * len(items))
    whole = estimate_round(terms, metric.terms(*(np.empty(0),) * 3), total_known=metric.denominator is None)
    return replace(whole, variance=0.0, weight=estimate.weight, draws=estimate.draws)


def _labels(pool: View, history: History, items: Integers) -> tuple[np.ndarray, np.ndarray]:
    predictions = pool.predicted(items)
    return history.values(items, predictions), predictions


def from_rounds(
    pool: View,
    history: History,
    metric: Metric,
    confidence: float,
    rounds: Sequence[Round] | None = None,
    how: Combination = "independent",
    literal: bool = False,
) -> Estimate:
    """The estimate from these rounds, with its interval and its reach; None: from all rounds."""
    chosen = history.rounds if rounds is None else rounds

    def together(wanted: Metric) -> tuple[RoundEstimate, ...]:
        return tuple(of_round(pool, history, r, wanted, literal) for r in chosen)

    each = together(metric)
    result = combine(each, how)
    drawn = [(r, one.weight) for r, one in zip(chosen, each, strict=True) if history.prefix(r)]
    reach, missing = reach_of(pool, history, [r for r, _ in drawn], np.array([weight for _, weight in drawn]))
    refuse_uncovered(history, metric, reach.unreachable_predictions)
    limits = Limits.of(pool, metric, missing)
    interval = limits.interval(result, confidence)
    reason = "" if result.weight > 0 else undefined(history, metric)
    if missing and result.weight > 0:
        tp = combine(together(COUNTS["tp"])).value * Limits.of(pool, COUNTS["tp"], missing).scale
        interval = beyond_reach(interval, metric, tp, missing, pool.total)
        count = f"{reach.unreachable_predictions:,} predicted positives"
        reason = f"{count} could not be drawn: only the interval allows for them"
    return Estimate(
        metric=metric.name,
        value=min(result.value * limits.scale, limits.highest),
        variance=finite(result.variance * limits.scale**2),
        interval=interval,
        labels=history.used(chosen),
        reach=reach,
        reason=reason,
        skipped=history.skipped,
        rounds=each,
    )


def undefined(history: History, metric: Metric) -> str:
    """The reason why there is no value, as text."""
    if not history.labels:
        return NO_LABELS
    if history.rounds and not history.used(history.rounds):
        return WAITING
    if isinstance(metric, FBeta) and metric.alpha == 0:
        return "no positive among the labels that can be used so far: label more"
    return "no label that can be used so far says anything about this metric: label more"
