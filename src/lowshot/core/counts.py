"""True and false positives and false negatives of labelled items."""

import math
from typing import NamedTuple

from lowshot.core.types import Floats


class Counts(NamedTuple):
    """tp, fp, fn and the number of items; expected counts where labels are probabilities."""

    tp: float
    fp: float
    fn: float
    total: float


def count(labels: Floats, predictions: Floats, weight: Floats) -> Counts:
    """Weighted counts; `fsum` makes them independent of the order of the items.

    >>> import numpy as np
    >>> count(np.array([1.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0]), np.ones(3))
    Counts(tp=1.0, fp=1.0, fn=1.0, total=3.0)
    """
    parts = (labels * predictions, (1 - labels) * predictions, labels * (1 - predictions))
    tp, fp, fn = (math.fsum(weight * part) for part in parts)
    return Counts(tp, fp, fn, math.fsum(weight))


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
