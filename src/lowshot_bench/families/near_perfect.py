"""Near-perfect pools, made from good ones: random mistakes are deleted until F1 is high enough.

Real pools with an F1 above 0.95 are rare, but intervals must hold there too. Only items with a wrong prediction are
deleted, so scores, ranking and predictions of all other items stay those of the real model.
"""

import math
import zlib

import numpy as np

from lowshot.core.types import Flags, Integers

LEVELS = {"near": 0.97, "nearer": 0.99, "perfect": 1.0}  # the F1 to reach
GOOD = (0.7, 0.95)  # near-perfect pools are made from pools whose F1 is at least the first and below the second
SEED = 2021  # chooses the mistakes that are deleted; part of the data, independent of a run's seed


def mistakes_left(hits: int, f1: float) -> int:
    """The largest number of mistakes with which a pool of so many true positives has this F1.

    F1 = 2 TP / (2 TP + mistakes), whether a mistake is a false positive or a missed positive.

    >>> mistakes_left(97, 0.97), mistakes_left(97, 1.0)
    (6, 0)
    """
    return math.floor(2 * hits * (1 - f1) / f1 + 1e-9)  # 1e-9: 2 * 97 * 0.03 / 0.97 is a little below 6


def levels_for(hits: int, mistakes: int) -> list[str]:
    """The levels that can be made from a pool. Of levels that would give the same small pool only the last is made.

    >>> levels_for(hits=400, mistakes=100), levels_for(hits=20, mistakes=5), levels_for(hits=10, mistakes=100)
    (['near', 'nearer', 'perfect'], ['near', 'perfect'], [])
    """
    if not hits or not GOOD[0] <= 2 * hits / (2 * hits + mistakes) < GOOD[1]:
        return []
    last = {mistakes_left(hits, f1): level for level, f1 in LEVELS.items()}
    return list(last.values())


def kept_items(labels: Flags, predictions: Flags, level: str, name: str) -> Integers:
    """The items that stay: all that are predicted correctly, and some of the mistakes. `name` is that of the pool.

    The mistakes that stay at one level are among those that stay at the level before.
    """
    wrong = np.flatnonzero(labels != predictions)
    order = np.random.default_rng([SEED, zlib.crc32(name.encode())]).permutation(wrong)
    kept = np.ones(len(labels), dtype=np.bool_)
    kept[order[mistakes_left(int(np.count_nonzero(labels & predictions)), LEVELS[level]) :]] = False
    return np.flatnonzero(kept)
