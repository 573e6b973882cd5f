"""Kernel herding: items are chosen so that their mean embedding approaches that of the pool (Welling 2009)."""

import numpy as np
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from lowshot.core.magnitude import divided, exponent_of
from lowshot.core.types import Flags, Floats, Integers

LANDMARKS = 256  # items, evenly spaced, over which the mean embedding of the pool is computed
BLOCK = 16_384  # rows of the kernel matrix in memory at a time: 32 MB with 256 landmarks


def herd(features: Floats, chosen: Integers, free: Flags, count: int) -> Integers:
    """The next `count` rows: each maximises (t+1) mean_y k(x, y) - sum of k(x, x_s) over those chosen before.

    >>> import numpy as np
    >>> herd(np.array([[0.0], [0.1], [5.0]]), np.array([], dtype=int), np.ones(3, dtype=bool), 2).tolist()
    [1, 2]
    """
    kernel = Kernel(_standardise(features))
    embedding = kernel.mean(_evenly(len(features)))
    taken = kernel.mean(chosen) * len(chosen) if len(chosen) else np.zeros(len(features))
    barrier = np.where(free, 0.0, -np.inf)
    picks: list[int] = []
    with config_context(assume_finite=True):  # checked once, not at every step
        for step in range(len(chosen) + 1, len(chosen) + count + 1):
            pick = int(np.argmax(step * embedding - taken + barrier))
            picks.append(pick)
            taken += kernel.to(pick)
            barrier[pick] = -np.inf
    return np.array(picks, dtype=np.int64)


class Kernel:
    """The Gaussian kernel exp(-|x-y|^2/d) between all rows and some of them, with d features."""

    def __init__(self, rows: Floats) -> None:
        self.rows = rows
        self.norms = np.einsum("ij,ij->i", rows, rows)[:, None]

    def to(self, item: int) -> Floats:
        """The kernel of every row with one item."""
        square = euclidean_distances(self.rows, self.rows[[item]], squared=True, X_norm_squared=self.norms)
        return np.asarray(np.exp(square[:, 0] / -self.rows.shape[1]), dtype=np.float64)

    def mean(self, items: Integers) -> Floats:
        """The mean kernel of every row with these items."""
        starts = range(0, len(self.rows), BLOCK)
        return np.concatenate([rbf_kernel(self.rows[i : i + BLOCK], self.rows[items]).mean(axis=1) for i in starts])


def _standardise(features: Floats) -> Floats:
    """Mean 0 and deviation 1 in each column; a constant column becomes 0."""
    exponents = [exponent_of(column) for column in features.T]
    if any(exponents):
        pairs = zip(features.T, exponents, strict=True)
        features = np.stack([divided(column, exponent) for column, exponent in pairs], axis=1)
    spread = features.std(axis=0)
    return np.asarray((features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dtype=np.float64)


def _evenly(rows: int) -> Integers:
    """At most LANDMARKS rows, evenly spaced."""
    return np.unique(np.linspace(0, rows - 1, min(rows, LANDMARKS)).astype(np.int64))
