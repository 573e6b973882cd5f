"""Scores into cells. Only the head of the ranking is sorted; the tail is counted."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lowshot.core.cells import ListedCells, patterns_of
from lowshot.core.types import Flags, Floats, Integers, Scores

TieKey = Callable[[Integers], Integers]


def by_position(positions: Integers) -> Integers:
    """Ties keep the order of the rows: right when the position is the id."""
    return positions


def rank(
    scores: Scores,
    predictions: Flags,
    weights: Floats | None = None,
    depth: int | None = None,
    tie_key: TieKey = by_position,
) -> ListedCells:
    """Cells of the `depth` best items (ties included) and of all predicted positives; the rest is counted.

    >>> import numpy as np
    >>> scores = np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    >>> cells = rank(scores, np.array([True, False, False, True, False]), depth=2)
    >>> cells.items.tolist(), cells.count.tolist(), cells.above.tolist()
    ([0, 1, 3], [1, 1, 1, 1, 1], [0, 1, 2, 3, 4])

    predictions  [item], or [item, model] for several models
    weights      p(x) by position; None: every item 1/N
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


class Ranked(NamedTuple):
    """The columns of a pool that decide its ranking."""

    scores: Scores
    patterns: Flags  # [pattern, model]
    pattern: Integers  # by position
    weights: Floats | None

    @classmethod
    def of(cls, scores: Scores, predictions: Flags, weights: Floats | None = None) -> "Ranked":
        return cls(scores, *patterns_of(predictions), weights)

    @property
    def predicted(self) -> Flags:
        """Whether some model predicts each item positive."""
        found: Flags = np.any(self.patterns, axis=1).take(self.pattern)
        return found

    def p(self, items: Integers) -> Floats:
        return np.full(len(items), 1 / len(self.scores)) if self.weights is None else self.weights[items]

    def order(self, items: Integers, tie_key: TieKey) -> Integers:
        """Items by score, best first; ties by pattern, then by id. Only tied items need their ids."""
        ranked = items[np.argsort(-self.scores[items])]
        values = self.scores[ranked]
        same = values[1:] == values[:-1]
        tied = np.concatenate([same, [False]]) | np.concatenate([[False], same])
        if tied.any():
            group = ranked[tied]
            ranked[tied] = group[np.lexsort((tie_key(group), self.pattern[group], -self.scores[group]))]
        return ranked


def listed_cells(items: Integers, pool: Ranked, total: int) -> ListedCells:
    """Cells of items that are ranked without a gap from the top; `total` is how many items there are in all."""
    weights = pool.weights
    level, pattern = pool.scores[items].astype(np.float64), pool.pattern[items].astype(np.int64)
    new_level = np.concatenate([[True], level[1:] != level[:-1]])[: len(items)]
    start = np.flatnonzero(new_level | np.concatenate([[True], pattern[1:] != pattern[:-1]])[: len(items)])
    edges = np.concatenate([start, [len(items)]])
    first = np.flatnonzero(new_level)
    tied = np.diff(np.concatenate([first, [len(items)]]))
    of_level = np.cumsum(new_level)[start] - 1
    count = np.diff(edges)
    return ListedCells(
        level=level[start],
        pattern=pattern[start],
        patterns=pool.patterns,
        count=count,
        mass=count / total if weights is None else np.add.reduceat(weights[items], start),
        above=first[of_level],
        midrank=total - first[of_level] - tied[of_level] / 2,
        listed=items,
        start=edges,
        total=total,
        weights=weights,
    )


def _tail(strays: Integers, pool: Ranked, cut: float) -> ListedCells:
    """The cells below the cut: items that some model predicts (the strays) are listed, all others are counted.

    The levels a_0 < a_1 < ... of the strays divide the tail into slots: 0 is below a_0, 1 is on a_0, 2 is between a_0
    and a_1, and so on. One pass over the tail counts the other items of each slot.
    """
    levels, of_stray = np.unique(pool.scores[strays], return_inverse=True)
    others, mass_of_others = _count_others(levels, pool, cut)
    patterns = len(pool.patterns)
    kind, of_kind = np.unique(-of_stray * patterns + pool.pattern[strays], return_inverse=True)
    slot_of_kind, pattern_of_kind = 2 * -(kind // patterns) + 1, kind % patterns
    listed = np.bincount(of_kind, minlength=len(kind))
    there = np.flatnonzero(others)
    slot = np.concatenate([slot_of_kind, there])
    pattern = np.concatenate([pattern_of_kind, np.full(len(there), patterns - 1)])
    order = np.lexsort((pattern, -slot))
    count = np.concatenate([listed, others[there]])
    mass = np.concatenate([np.bincount(of_kind, pool.p(strays), len(kind)), mass_of_others[there]])
    size = np.bincount(slot, count, 2 * len(levels) + 1).astype(np.int64)
    above = len(pool.scores) - np.cumsum(size)
    level = np.full(len(size), np.nan)
    level[1::2] = levels
    listing = np.concatenate([listed, np.zeros(len(there), dtype=np.int64)])[order]
    slot = slot[order]
    return ListedCells(
        level=level[slot],
        pattern=pattern[order].astype(np.int64),
        patterns=pool.patterns,
        count=count[order],
        mass=mass[order],
        above=above[slot],
        midrank=len(pool.scores) - above[slot] - size[slot] / 2,
        listed=strays,
        start=np.concatenate([[0], np.cumsum(listing)]),
        total=len(pool.scores),
        weights=pool.weights,
    )


def _count_others(levels: Scores, pool: Ranked, cut: float) -> tuple[Integers, Floats]:
    """How many items below the cut that no model predicts fall into each slot, and their mass."""
    scores, mass = pool.scores, pool.weights
    tail = (scores < cut) & ~pool.predicted
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


def _join(head: ListedCells, tail: ListedCells) -> ListedCells:
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
