"""Rounds into one estimate (Eq. 5), and three ways to combine their variances."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from lowshot.core.interval import NEGLIGIBLE
from lowshot.core.ratio import UNDEFINED, RoundEstimate

Combination = Literal["independent", "worst_case", "literal"]


def combine(rounds: Sequence[RoundEstimate], how: Combination = "independent") -> RoundEstimate:
    """The average of the defined rounds with weights a_i ~ sum of p/q over the draws of round i.

    The limits printed in Eq. 5 differ between numerator and denominator: a misprint; both run over
    the same rounds here. The variance of the average, with a_i summing to 1:

    independent  sum a_i^2 var_i      rounds do not covary (what the paper means and its figure shows)
    worst_case   (sum a_i sd_i)^2     covariance 1
    literal      sum a_i var_i        "a weighted average of the variances", larger than the worst case

    >>> a, b = RoundEstimate(0.4, 0.04, 1, 8, 8, 10), RoundEstimate(0.6, 0.01, 3, 9, 9, 20)
    >>> round(combine([a, b]).value, 2), round(combine([a, b]).variance, 6)
    (0.55, 0.008125)
    """
    defined = [r for r in rounds if r.weight > 0 and np.isfinite(r.value)]
    if not defined:
        return UNDEFINED
    weight = np.array([r.weight for r in defined])
    share = weight / weight.sum()
    variance = _filled(np.array([r.variance for r in defined]), np.array([r.draws for r in defined]))
    return RoundEstimate(
        value=_average(share, np.array([r.value for r in defined])),
        variance=_variance(share, variance, how),
        weight=float(weight.sum()),
        effective=_effective(share, np.array([r.effective for r in defined])),
        informative=sum(r.informative for r in defined),
        draws=sum(r.draws for r in defined),
    )


def _effective(share: np.ndarray, effective: np.ndarray) -> float:
    """The effective sample size of the average over rounds; rounds without informative draws are left out."""
    informative = effective > 0
    if not informative.any():
        return 0.0
    return float(share[informative].sum() ** 2 / (share[informative] ** 2 @ (1 / effective[informative])))


def _filled(variance: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """A round without a usable variance gets the variance per draw of the other rounds.

    Such a round has one draw, or its labels all agree: then its variance is estimated as 0, which is wrong.
    """
    known = variance > NEGLIGIBLE
    if known.all() or not known.any():
        return variance
    per_draw = np.average(variance[known] * draws[known], weights=draws[known])
    return np.where(known, variance, per_draw / draws)


def _average(share: np.ndarray, values: np.ndarray) -> float:
    """The weighted mean; rounding must not lead beyond the smallest or the largest value."""
    return float(np.clip(share @ values, values.min(), values.max()))


def _variance(share: np.ndarray, variance: np.ndarray, how: Combination) -> float:
    if how == "independent":
        return float(share**2 @ variance)
    if how == "worst_case":
        return float((share @ np.sqrt(variance)) ** 2)
    return float(share @ variance)
