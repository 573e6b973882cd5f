"""Value and variance of one round: a ratio of two weighted sums (Eq. 2 and 6)."""

import math
from dataclasses import dataclass

import numpy as np

from lowshot.core.types import Floats


@dataclass(frozen=True, eq=False)
class Terms:
    """What each item adds to the numerator and to the denominator of a metric, and its weight.

    For F_alpha: numerator v l, which is 1 on a true positive and 0 elsewhere; denominator v.
    """

    numerator: Floats
    denominator: Floats
    weight: Floats  # p/q for a draw, p for an item that is known

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True)
class RoundEstimate:
    """The estimate of one round.

    weight     of the round in the average over rounds (Eq. 5)
    effective  how many draws of equal weight would have the same variance
    """

    value: float
    variance: float
    weight: float
    effective: float
    informative: int  # draws with v > 0
    draws: int


UNDEFINED = RoundEstimate(math.nan, math.nan, 0.0, 0.0, 0, 0)


def estimate_round(
    drawn: Terms,
    known: Terms,
    *,
    factor: Floats | float = 1.0,
    total_known: bool = False,
    fraction: float = 0.0,
) -> RoundEstimate:
    """Eq. 2 with the known items as a stratum of their own, and its variance.

    factor       of the weights of the known items: 1 counts them as the part of the pool that they are
    total_known  the denominator is a known constant, 1, and is not estimated
    fraction     the share of the domain that was drawn, for draws without replacement

    >>> import numpy as np
    >>> drawn = Terms(np.array([1.0, 0.0, 1.0]), np.array([1.0, 0.5, 1.0]), np.ones(3))
    >>> nothing = Terms(np.empty(0), np.empty(0), np.empty(0))
    >>> round(estimate_round(drawn, nothing).value, 2)
    0.8
    """
    m = len(drawn)
    if m == 0:
        return UNDEFINED
    scale = m * factor  # in a sum over m draws, an item that is known has the weight m p
    # fsum: the sum must not depend on the order of the items, not even in the last bit.
    weights = np.concatenate([scale * known.weight * known.denominator, drawn.weight * drawn.denominator])
    denominator = float(m) if total_known else math.fsum(weights)
    if denominator <= 0:
        return UNDEFINED
    gains = np.concatenate([scale * known.weight * known.numerator, drawn.weight * drawn.numerator])
    value = math.fsum(gains) / denominator
    residual = drawn.weight * (drawn.numerator - (0 if total_known else value * drawn.denominator))
    plain = len(known) == 0 and not total_known
    square = _eq6(residual, weights) if plain else _centred(residual, denominator)
    return RoundEstimate(
        value=value,
        variance=square * (1 - fraction),
        weight=float(drawn.weight.sum()),
        effective=_effective(drawn.weight * drawn.denominator),
        informative=int(np.count_nonzero(drawn.denominator > 0)),
        draws=m,
    )


def _effective(weights: Floats) -> float:
    """Kish's effective sample size, (sum w)^2 / sum w^2, of the draws. Known items say nothing about other items."""
    return float(weights.sum() ** 2 / (weights @ weights)) if weights.any() else 0.0


def _eq6(residual: Floats, weights: Floats) -> float:
    """S^2/n of Eq. 6: the variance of the estimate itself, with the Bessel-like factor C.

    plain form: C = 1 - sum(w^2)/sum(w)^2;  sum(w^2 (l-G)^2) / (C sum(w)^2)
    """
    total = weights.sum()
    bessel = 1 - weights @ weights / total**2
    return float(residual @ residual / (bessel * total**2)) if bessel > 1e-12 else math.nan


def _centred(residual: Floats, denominator: float) -> float:
    """Eq. 6 as printed is right only if no item is known beforehand; otherwise the residuals have to be centred.

    plain form: sum((u - mean u)^2) / (m (m-1) D^2) with D = denominator/m
    """
    m = len(residual)
    if m < 2:
        return math.nan
    centred = residual - residual.mean()
    return float(centred @ centred * m / ((m - 1) * denominator**2))
