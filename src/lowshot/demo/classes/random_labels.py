"""What labels of items that are drawn at random say about macro F1, and how many of them it takes.

Two usual estimates are tried, and the better one counts: the macro F1 of the labelled items, as scikit-learn computes
it, over the classes that occur among them; and the same after the labelled items are weighted so that each predicted
class counts as much as in the whole pool.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Floats, Integers
from lowshot.demo.classes.data import ClassTask, confusion, f1_of

RUNS = 200  # draws: a typical error from so many is known to about 5 %
SIZES = (25, 50, 100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2400, 3200)


class Point(NamedTuple):
    """The typical error (root mean square) of so many random labels, with the better of the two estimates."""

    labels: int
    error: float


def path(task: ClassTask, seed: int = 0, runs: int = RUNS) -> list[Point]:
    """The typical error for several numbers of labels."""
    random = np.random.default_rng(seed)
    sizes = [size for size in SIZES if size < len(task.pool)]
    wrong = np.empty((runs, len(sizes), 2))
    for number in range(runs):
        items = random.permutation(len(task.pool))
        for place, size in enumerate(sizes):
            wrong[number, place] = np.array(estimates(task, items[:size])) - task.truth
    best = np.sqrt(np.mean(wrong**2, axis=0)).min(axis=1)
    return [Point(size, float(error)) for size, error in zip(sizes, best, strict=True)]


def estimates(task: ClassTask, items: Integers) -> tuple[float, float]:
    """Both estimates of macro F1 from the labels of these items."""
    table = confusion(task.predicted[items], task.places[items], task.categories)
    whole = np.bincount(task.predicted, minlength=task.categories)
    return float(np.nanmean(f1_of(table))), float(np.nanmean(f1_of(weighted(table, whole))))


def weighted(table: Floats, whole: Integers) -> Floats:
    """The table with as many items per predicted class as the whole pool has. A predicted class without a label is
    right as often as the others are.

    >>> weighted(np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([8, 4])).tolist()
    [[6.0, 2.0], [0.0, 3.0]]
    """
    seen = table.sum(axis=1)
    found: Floats = table * np.divide(whole, seen, out=np.zeros(len(table)), where=seen > 0)[:, None]
    right = np.diag(table).sum() / max(seen.sum(), 1.0)
    found[np.diag_indices(len(table))] += np.where(seen > 0, 0.0, right * whole)
    return found


def needed(points: list[Point], error: float) -> int | None:
    """How many random labels have this typical error, between the two sizes around it; None: more than the last size.

    >>> points = [Point(100, 0.1), Point(400, 0.05)]
    >>> needed(points, 0.1), needed(points, 0.0707), needed(points, 0.01)
    (100, 200, None)
    """
    if error >= points[0].error:
        return points[0].labels
    for before, after in pairwise(points):
        if after.error <= error < before.error:
            share = math.log(before.error / error) / math.log(before.error / after.error)
            return round(before.labels * math.exp(share * math.log(after.labels / before.labels)))
    return None
