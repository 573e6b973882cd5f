"""True and false positives and false negatives of labelled items."""

import math
from typing import NamedTuple

from lowshot.core.types import Floats


class Counts(NamedTuple):
    """tp, fp, fn and the total, in units of an item; expected counts where labels are probabilities."""

    tp: float
    fp: float
    fn: float
    total: float


def count(labels: Floats, predictions: Floats, weight: Floats) -> Counts:
    """Weighted counts, the same whatever the order of the items.

    >>> import numpy as np
    >>> count(np.array([1.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0]), np.ones(3))
    Counts(tp=1.0, fp=1.0, fn=1.0, total=3.0)
    """
    parts = (labels * predictions, (1 - labels) * predictions, labels * (1 - predictions))
    tp, fp, fn = (math.fsum(weight * part) for part in parts)
    return Counts(tp, fp, fn, math.fsum(weight))
