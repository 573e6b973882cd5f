"""Kernel herding: items chosen so that their mean embedding follows that of the pool (Welling 2009)."""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from lowshot.core.types import Flags, Floats, Integers

LANDMARKS = 256  # the mean embedding of the pool is taken over this many evenly spaced items
BLOCK = 16_384  # rows of the kernel held at a time


def herd(features: Floats, chosen: Integers, free: Flags, count: int) -> Integers:
    """The next `count` rows: each maximises (t+1) mean_y k(x, y) - sum of k(x, x_s) over those chosen before.

    >>> import numpy as np
    >>> herd(np.array([[0.0], [0.1], [5.0]]), np.array([], dtype=int), np.ones(3, dtype=bool), 2).tolist()
    [1, 2]
    """
    scaled = _standardise(features)
    embedding = _mean_kernel(scaled, scaled[_evenly(len(scaled))])
    taken = _mean_kernel(scaled, scaled[chosen]) * len(chosen) if len(chosen) else np.zeros(len(scaled))
    barrier = np.where(free, 0.0, -np.inf)
    picks: list[int] = []
    for step in range(len(chosen) + 1, len(chosen) + count + 1):
        pick = int(np.argmax(step * embedding - taken + barrier))
        picks.append(pick)
        taken += _kernel(scaled, pick)
        barrier[pick] = -np.inf
    return np.array(picks, dtype=np.int64)


def _standardise(features: Floats) -> Floats:
    spread = features.std(axis=0)
    return np.asarray((features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dtype=np.float64)


def _evenly(rows: int) -> Integers:
    return np.unique(np.linspace(0, rows - 1, min(rows, LANDMARKS)).astype(np.int64))


def _mean_kernel(features: Floats, landmarks: Floats) -> Floats:
    blocks = [rbf_kernel(features[i : i + BLOCK], landmarks).mean(axis=1) for i in range(0, len(features), BLOCK)]
    return np.concatenate(blocks)


def _kernel(features: Floats, item: int) -> Floats:
    return np.asarray(rbf_kernel(features, features[item : item + 1])[:, 0], dtype=np.float64)
