"""Scores into cells. Only the head of the ranking is sorted; the tail is counted."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lowshot.core.cells import Cells
from lowshot.core.types import Flags, Floats, Integers, Scores

TieKey = Callable[[Integers], Integers]
Number = TypeVar("Number", bound=np.generic)


def by_position(positions: Integers) -> Integers:
    """Ties keep the order of the rows: right when the position is the id."""
    return positions


def rank(
    scores: Scores,
    predictions: Flags,
    mass: Floats | None = None,
    depth: int | None = None,
    tie_key: TieKey = by_position,
) -> Cells:
    """Cells of the `depth` best items (ties included) and of all predicted positives; the rest is counted.

    >>> import numpy as np
    >>> scores = np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    >>> cells = rank(scores, np.array([True, False, False, True, False]), depth=2)
    >>> cells.items.tolist(), cells.count.tolist(), cells.above.tolist()
    ([0, 1, 3], [1, 1, 1, 1, 1], [0, 1, 2, 3, 4])
    """
    total = len(scores)
    depth = total if depth is None else max(depth, 1)
    if depth >= total:
        listed, strays, cut = np.arange(total), np.empty(0, dtype=np.int64), None
    else:
        cut = np.partition(scores, total - depth)[total - depth]
        listed = np.flatnonzero(scores >= cut)
        strays = np.flatnonzero(predictions & (scores < cut))
    head = listed_cells(order(listed, scores, predictions, tie_key), scores, predictions, mass, total)
    if cut is None:
        return head
    tail = _counted(order(strays, scores, predictions, tie_key), scores, predictions, mass, cut)
    return _join(head, tail)


def order(items: Integers, scores: Scores, predictions: Flags, tie_key: TieKey) -> Integers:
    """Items by score, best first; ties by prediction, then by id. Only tied items need their ids."""
    ranked = items[np.argsort(-scores[items])]
    values = scores[ranked]
    same = values[1:] == values[:-1]
    tied = np.concatenate([same, [False]]) | np.concatenate([[False], same])
    if tied.any():
        group = ranked[tied]
        ranked[tied] = group[np.lexsort((tie_key(group), ~predictions[group], -scores[group]))]
    return ranked


def listed_cells(items: Integers, scores: Scores, predictions: Flags, mass: Floats | None, total: int) -> Cells:
    """Cells of items that are ranked without a gap from the top."""
    level, prediction = scores[items].astype(np.float64), predictions[items]
    new_level = np.concatenate([[True], level[1:] != level[:-1]])[: len(items)]
    start = np.flatnonzero(new_level | np.concatenate([[True], prediction[1:] != prediction[:-1]])[: len(items)])
    edges = np.concatenate([start, [len(items)]])
    first = np.flatnonzero(new_level)
    tied = np.diff(np.concatenate([first, [len(items)]]))
    of_level = np.cumsum(new_level)[start] - 1
    count = np.diff(edges)
    return Cells(
        level=level[start],
        prediction=prediction[start],
        count=count,
        mass=count / total if mass is None else np.add.reduceat(mass[items], start),
        above=first[of_level],
        midrank=total - first[of_level] - tied[of_level] / 2,
        items=items,
        start=edges,
        total=total,
    )


def _counted(strays: Integers, scores: Scores, predictions: Flags, mass: Floats | None, cut: float) -> Cells:
    """The items below the cut: predicted positives (the strays) listed, everything else counted.

    The levels a_0 < a_1 < ... of the strays divide the tail into slots: below a_0, on a_0, between
    a_0 and a_1, on a_1, ... One pass over the tail counts the negatives of each.
    """
    levels, of_stray = np.unique(scores[strays], return_inverse=True)
    negatives, negative_mass = _count_negatives(levels, scores, predictions, mass, cut)
    positives, positive_mass = np.zeros_like(negatives), np.zeros_like(negative_mass)
    positives[1::2] = np.bincount(of_stray, minlength=len(levels))
    weights = np.full(len(strays), 1 / len(scores)) if mass is None else mass[strays]
    positive_mass[1::2] = np.bincount(of_stray, weights=weights, minlength=len(levels))
    level = np.full(len(negatives), np.nan)
    level[1::2] = levels
    size = (negatives + positives)[::-1]
    above = len(scores) - size.sum() + np.cumsum(size) - size
    count = _interleave(positives, negatives)
    keep = count > 0
    listed = _interleave(positives, np.zeros_like(negatives))[keep]
    return Cells(
        level=_interleave(level, level)[keep],
        prediction=np.tile([True, False], len(size))[keep],
        count=count[keep],
        mass=_interleave(positive_mass, negative_mass)[keep],
        above=np.repeat(above, 2)[keep],
        midrank=np.repeat(len(scores) - above - size / 2, 2)[keep],
        items=strays,
        start=np.concatenate([[0], np.cumsum(listed)]),
        total=len(scores),
    )


def _count_negatives(
    levels: Scores, scores: Scores, predictions: Flags, mass: Floats | None, cut: float
) -> tuple[Integers, Floats]:
    """How many predicted negatives below the cut fall into each slot, and their mass."""
    tail = (scores < cut) & ~predictions
    if not len(levels):
        count = np.array([np.count_nonzero(tail)])
        return count, count / len(scores) if mass is None else np.array([mass[tail].sum()])
    values = scores[tail]
    weights = None if mass is None else mass[tail][np.argsort(values)]
    values.sort()  # in place, and several times faster than an argsort or a search for each value
    edges = np.empty(2 * len(levels) + 2, dtype=np.int64)
    edges[0], edges[-1] = 0, len(values)
    edges[1:-1:2] = np.searchsorted(values, levels, side="left")
    edges[2:-1:2] = np.searchsorted(values, levels, side="right")
    count = np.diff(edges)
    if weights is None:
        return count, count / len(scores)
    return count, np.diff(np.concatenate([[0.0], np.cumsum(weights)])[edges])


def _interleave(positives: NDArray[Number], negatives: NDArray[Number]) -> NDArray[Number]:
    """Slots from the best down, the predicted positives of each before its negatives."""
    return np.stack([positives[::-1], negatives[::-1]], axis=1).ravel()


def _join(head: Cells, tail: Cells) -> Cells:
    return Cells(
        level=np.concatenate([head.level, tail.level]),
        prediction=np.concatenate([head.prediction, tail.prediction]),
        count=np.concatenate([head.count, tail.count]),
        mass=np.concatenate([head.mass, tail.mass]),
        above=np.concatenate([head.above, tail.above]),
        midrank=np.concatenate([head.midrank, tail.midrank]),
        items=np.concatenate([head.items, tail.items]),
        start=np.concatenate([head.start, head.start[-1] + tail.start[1:]]),
        total=head.total,
    )
