"""Kernel herding: items chosen so that their mean embedding follows that of the pool (Welling 2009)."""

import numpy as np
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from lowshot.core.magnitude import divided, exponent_of
from lowshot.core.types import Flags, Floats, Integers

LANDMARKS = 256  # the mean embedding of the pool is taken over this many evenly spaced items
BLOCK = 16_384  # rows of the kernel held at a time


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
    """The Gaussian kernel exp(-|x-y|^2/d) between all rows and some of them; the norms are computed once."""

    def __init__(self, rows: Floats) -> None:
        self.rows = rows
        self.norms = np.einsum("ij,ij->i", rows, rows)[:, None]

    def to(self, item: int) -> Floats:
        """Of every row with one."""
        square = euclidean_distances(self.rows, self.rows[[item]], squared=True, X_norm_squared=self.norms)
        return np.asarray(np.exp(square[:, 0] / -self.rows.shape[1]), dtype=np.float64)

    def mean(self, items: Integers) -> Floats:
        """Of every row, the mean over these."""
        starts = range(0, len(self.rows), BLOCK)
        return np.concatenate([rbf_kernel(self.rows[i : i + BLOCK], self.rows[items]).mean(axis=1) for i in starts])


def _standardise(features: Floats) -> Floats:
    exponents = [exponent_of(column) for column in features.T]
    if any(exponents):
        pairs = zip(features.T, exponents, strict=True)
        features = np.stack([divided(column, exponent) for column, exponent in pairs], axis=1)
    spread = features.std(axis=0)
    return np.asarray((features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dtype=np.float64)


def _evenly(rows: int) -> Integers:
    return np.unique(np.linspace(0, rows - 1, min(rows, LANDMARKS)).astype(np.int64))
