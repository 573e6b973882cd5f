"""How far a fully labelled pool's own metric is from the population's (paper, section 4.3.2)."""

import math


def variance_of_counts(tp: float, fp: float, fn: float, alpha: float = 0.5) -> float:
    """Eq. 6 with uniform weights over a fully labelled pool; its true negatives have v = 0.

    Even 50,000 labelled items hold few positives of a rare category:

    >>> round(variance_of_counts(tp=25, fp=25, fn=25), 4)
    0.0038
    """
    weights = tp + alpha * fp + (1 - alpha) * fn
    squares = tp + alpha**2 * fp + (1 - alpha) ** 2 * fn
    if weights <= 0:
        return math.nan
    value = tp / weights
    bessel = 1 - squares / weights**2
    residuals = tp * (1 - value) ** 2 + (alpha**2 * fp + (1 - alpha) ** 2 * fn) * value**2
    return residuals / (bessel * weights**2) if bessel > 1e-12 else math.nan
