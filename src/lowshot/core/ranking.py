"""Scores into cells. Only the head of the ranking is sorted; the tail below the cut is counted in one pass."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lowshot.core.cells import ListedCells, patterns_of
from lowshot.core.types import Flags, Floats, Integers, Scores

TieKey = Callable[[Integers], Integers]


def by_position(positions: Integers) -> Integers:
    """Ties are in the order of the rows: for pools whose ids are the positions. Numbers are not negative."""
    return positions


def rank(
    scores: Scores,
    predictions: "Flags | Patterned",
    weights: Floats | None = None,
    depth: int | None = None,
    tie_key: TieKey = by_position,
) -> ListedCells:
    """Cells that list the `depth` best items (with ties of the last) and all predicted positives; the rest is counted.

    >>> import numpy as np
    >>> scores = np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    >>> cells = rank(scores, np.array([True, False, False, True, False]), depth=2)
    >>> cells.items.tolist(), cells.count.tolist(), cells.above.tolist()
    ([0, 1, 3], [1, 1, 1, 1, 1], [0, 1, 2, 3, 4])

    predictions  [item], or [item, model] for several models, or their patterns
    weights      p(x) by position; None: every item 1/N
    tie_key      gives positions a number that orders those with equal scores and patterns
    """
    pool = Ranked.of(scores, predictions, weights)
    total = len(scores)
    depth = total if depth is None else max(depth, 1)
    if depth >= total:
        return listed_cells(pool.order(np.arange(total), tie_key), pool, total)
    cut = np.partition(scores, total - depth)[total - depth]
    head = listed_cells(pool.order(np.flatnonzero(scores >= cut), tie_key), pool, total)
    strays = np.flatnonzero(pool.predicted & (scores < cut))
    return _join(head, _tail(pool.order(strays, tie_key), pool, cut))


class Patterned(NamedTuple):
    """Which models predict each item positive."""

    patterns: Flags  # [pattern, model]
    pattern: Integers  # by position


class Ranked(NamedTuple):
    """The columns of a pool that decide its ranking."""

    scores: Scores
    patterns: Flags  # [pattern, model]
    pattern: Integers  # by position
    weights: Floats | None

    @classmethod
    def of(cls, scores: Scores, predictions: Flags | Patterned, weights: Floats | None = None) -> "Ranked":
        patterned = predictions if isinstance(predictions, Patterned) else patterns_of(predictions)
        return cls(scores, *patterned, weights)

    @property
    def predicted(self) -> Flags:
        """Whether some model predicts each item positive."""
        found: Flags = self.pattern < np.count_nonzero(self.patterns.any(axis=1))  # the pattern without any is the last
        return found

    def p(self, items: Integers) -> Floats:
        """p(x) of these items."""
        return np.full(len(items), 1 / len(self.scores)) if self.weights is None else self.weights[items]

    def order(self, items: Integers, tie_key: TieKey) -> Integers:
        """Items by score, best first; ties by pattern, then by id. Only tied items need their ids."""
        ranked = items[np.argsort(-self.scores[items])]
        values = self.scores[ranked]
        same = values[1:] == values[:-1]
        tied = np.concatenate([same, [False]]) | np.concatenate([[False], same])
        if tied.any():
            group = ranked[tied]
            level = np.cumsum(_changes(values[tied])) * len(self.patterns) + self.pattern[group]
            key = tie_key(group)
            ranked[tied] = group[np.argsort(level * (int(key.max()) + 1) + key)]  # one sort: faster than three
        return ranked


def listed_cells(items: Integers, pool: Ranked, total: int) -> ListedCells:
    """Cells of items that are ranked without a gap from the top; `total` is how many items there are in all."""
    weights = pool.weights
    level, pattern = pool.scores[items].astype(np.float64), pool.pattern[items]
    new_level = _changes(level)
    start = np.flatnonzero(new_level | _changes(pattern))  # the first item of each cell
    edges = np.concatenate([start, [len(items)]])
    first = np.flatnonzero(new_level)  # the first item of each level: so many items are above it
    size = np.diff(np.concatenate([first, [len(items)]]))  # items of each level
    level_of_cell = np.cumsum(new_level)[start] - 1
    above, tied = first[level_of_cell], size[level_of_cell]
    count = np.diff(edges)
    return ListedCells(
        level=level[start],
        pattern=pattern[start].astype(np.int64),
        patterns=pool.patterns,
        count=count,
        mass=count / total if weights is None else np.add.reduceat(weights[items], start),
        above=above,
        midrank=total - above - tied / 2,
        listed=items,
        start=edges,
        total=total,
        weights=weights,
    )


def _changes(values: Floats | Integers) -> Flags:
    """Whether each value differs from the one before it; the first does.

    >>> _changes(np.array([3, 3, 1])).tolist()
    [True, False, True]
    """
    found = np.ones(len(values), dtype=np.bool_)
    found[1:] = values[1:] != values[:-1]
    return found


@dataclass(frozen=True, eq=False)
class TailCells:
    """Cells below the cut. Each belongs to a slot.

    The levels a_0 < a_1 < ... of the strays (items below the cut that some model predicts positive) divide the tail
    into slots: slot 0 is below a_0, slot 1 is on a_0, slot 2 is between a_0 and a_1, slot 3 is on a_1, and so on.
    So strays are in the odd slots, and a higher slot holds higher scores.
    """

    slot: Integers
    pattern: Integers
    count: Integers
    listed: Integers  # how many of its items are listed: all of them, or none
    mass: Floats

    def then(self, others: "TailCells") -> "TailCells":
        return TailCells(
            np.concatenate([self.slot, others.slot]),
            np.concatenate([self.pattern, others.pattern]),
            np.concatenate([self.count, others.count]),
            np.concatenate([self.listed, others.listed]),
            np.concatenate([self.mass, others.mass]),
        )

    def ranked(self) -> "TailCells":
        """Best slot first, then in the order of patterns."""
        order = np.lexsort((self.pattern, -self.slot))
        return TailCells(self.slot[order], self.pattern[order], self.count[order], self.listed[order], self.mass[order])


def _tail(strays: Integers, pool: Ranked, cut: float) -> ListedCells:
    """The cells below the cut: strays are listed, all other items are only counted. `strays` are ranked."""
    levels, place = np.unique(pool.scores[strays], return_inverse=True)
    cells = _cells_of_strays(strays, 2 * place + 1, pool).then(_cells_of_others(levels, pool, cut)).ranked()
    level = np.full(2 * len(levels) + 1, np.nan)  # of each slot
    level[1::2] = levels
    size = np.bincount(cells.slot, cells.count, len(level)).astype(np.int64)  # items in each slot
    total = len(pool.scores)
    above = total - np.cumsum(size)  # the slots and those below them hold cumsum(size) items
    return ListedCells(
        level=level[cells.slot],
        pattern=cells.pattern,
        patterns=pool.patterns,
        count=cells.count,
        mass=cells.mass,
        above=above[cells.slot],
        midrank=total - above[cells.slot] - size[cells.slot] / 2,
        listed=strays,
        start=np.concatenate([[0], np.cumsum(cells.listed)]),
        total=total,
        weights=pool.weights,
    )


def _cells_of_strays(strays: Integers, slot: Integers, pool: Ranked) -> TailCells:
    """A cell for each slot and pattern that a stray has."""
    patterns = len(pool.patterns)
    key, cell = np.unique(slot * patterns + pool.pattern[strays], return_inverse=True)
    count = np.bincount(cell, minlength=len(key))
    mass = np.bincount(cell, pool.p(strays), len(key)).astype(np.float64)
    return TailCells(key // patterns, key % patterns, count, count, mass)


def _cells_of_others(levels: Scores, pool: Ranked, cut: float) -> TailCells:
    """A cell for each slot that holds items which no model predicts positive: the last pattern."""
    count, mass = _count_others(levels, pool, cut)
    slot = np.flatnonzero(count)
    pattern = np.full(len(slot), len(pool.patterns) - 1)
    return TailCells(slot, pattern, count[slot], np.zeros(len(slot), dtype=np.int64), mass[slot])


def _count_others(levels: Scores, pool: Ranked, cut: float) -> tuple[Integers, Floats]:
    """Of each slot: how many items below the cut that no model predicts fall into it, and their mass."""
    scores, mass = pool.scores, pool.weights
    tail = (scores < cut) & ~pool.predicted
    if not len(levels):
        count = np.array([np.count_nonzero(tail)])
        return count, count / len(scores) if mass is None else np.array([mass[tail].sum()])
    values = scores[tail]
    weights = None if mass is None else mass[tail][np.argsort(values)]
    values.sort()  # in place, and several times faster than an argsort or a search for each value
    # Slot j holds values[edges[j]:edges[j + 1]]: below the first level, on it, between it and the second, ...
    edges = np.empty(2 * len(levels) + 2, dtype=np.int64)
    edges[0], edges[-1] = 0, len(values)
    edges[1:-1:2] = np.searchsorted(values, levels, side="left")
    edges[2:-1:2] = np.searchsorted(values, levels, side="right")
    count = np.diff(edges)
    if weights is None:
        return count, count / len(scores)
    return count, np.diff(np.concatenate([[0.0], np.cumsum(weights)])[edges])


def _join(head: ListedCells, tail: ListedCells) -> ListedCells:
    """The cells of the head, then those of the tail."""
    return replace(
        head,
        level=np.concatenate([head.level, tail.level]),
        pattern=np.concatenate([head.pattern, tail.pattern]),
        count=np.concatenate([head.count, tail.count]),
        mass=np.concatenate([head.mass, tail.mass]),
        above=np.concatenate([head.above, tail.above]),
        midrank=np.concatenate([head.midrank, tail.midrank]),
        listed=np.concatenate([head.listed, tail.listed]),
        start=np.concatenate([head.start, head.start[-1] + tail.start[1:]]),
    )
