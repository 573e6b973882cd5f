"""From counts to cells: which items are listed one by one, how the others are grouped, which are kept in reserve."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lowshot.core.types import Floats, Integers
from lowshot.pools.engine import Facts, Histogram, Span
from lowshot.pools.grid import Grid

RESERVE = 4096  # random items of each region that are fetched with the first pass
REGION = 8  # a region ends at so many times the rank at which it begins


@dataclass(frozen=True, eq=False)
class Layout:
    """The head are the best items, listed; below it each level holds the ranks up to about a fixed factor further down.

    >>> from lowshot.pools.engine import ArrayEngine
    >>> scores = np.linspace(0, 1, 1000)
    >>> engine = ArrayEngine(np.arange(1000), scores, scores > 0.9)
    >>> layout = Layout.of(engine.facts(), engine.histogram(Grid.of(0, 1)), Grid.of(0, 1), head=100, levels=4)
    >>> layout.head, layout.above.tolist(), layout.count.sum(axis=0).tolist()
    (100, [100, 178, 316, 562], [78, 138, 246, 438])
    """

    facts: Facts
    predicted: int  # items that are predicted positive
    head: int  # items that are listed
    cut: float  # their lowest score; infinite if none is
    low: Floats  # of each level, from the best down: its scores are low <= score < high
    high: Floats
    level: Floats  # the score that stands for it
    above: Integers  # items above it
    count: Integers  # [predicted positive, predicted negative] x levels

    @classmethod
    def of(cls, facts: Facts, histogram: Histogram, grid: Grid, head: int, levels: int | None) -> "Layout":
        """`levels` None: every bin is a level."""
        bins, count = _by_bin(histogram)
        size = count.sum(axis=0)
        above = np.cumsum(size) - size
        listed = int(np.searchsorted(above + size, head, side="right"))  # bins that are in the head as a whole
        lowest, deep = grid.lowest(bins), slice(listed, None)
        cut = float(lowest[listed - 1]) if listed else np.inf
        first = np.arange(len(bins) - listed) if levels is None else _first(above[deep], facts.total, levels)
        last = np.append(first, len(bins) - listed)[1:] - 1
        low = lowest[deep][last]
        summed, mean = count[:, :0], np.empty(0)
        if len(first):
            summed = np.add.reduceat(count[:, deep], first, axis=1)
            middle = np.clip(grid.middle(bins[deep]), facts.low, facts.high)
            share = size[deep] / np.repeat(summed.sum(axis=0), last - first + 1)  # first, or a sum might overflow
            mean = np.add.reduceat(share * middle, first)
        high = np.append(cut, low)[: len(low)]
        mean = np.clip(mean, facts.low, facts.high)  # a mean of equal numbers may be rounded
        predicted, head = int(count[0].sum()), int(size[:listed].sum())
        return cls(facts, predicted, head, cut, low, high, mean, above[deep][first], summed)

    def __len__(self) -> int:
        """Levels below the head."""
        return len(self.low)

    @cached_property
    def region(self) -> Integers:
        """Of each level: 0 near the head, then further down."""
        if not len(self):
            return np.empty(0, dtype=np.int64)
        edges = max(self.head, 1) * REGION ** np.arange(1, 64, dtype=np.float64)
        return np.searchsorted(edges, self.above, side="right")

    def find(self, scores: Floats) -> Integers:
        """The level of each score; -1 in the head."""
        place = len(self) - np.searchsorted(self.low[::-1], scores, side="right")
        return np.where(scores >= self.cut, -1, place)

    def reserved(self, mixes: int) -> Integers:
        """Of each level the mix below which its items are fetched; `mixes` is how many there are."""
        size = self.count.sum(axis=0)
        share = RESERVE / np.bincount(self.region, size)[self.region]
        return np.array([mixes if part >= 1 else int(np.ceil(part * mixes)) for part in share.tolist()], dtype=np.int64)

    def spans(self, mixes: int) -> list[Span]:
        """What the first pass fetches: the head, and of each region its reserve."""
        below = self.reserved(mixes)
        found = [Span(self.cut, np.inf)] if self.head else []
        for region in np.unique(self.region).tolist():
            inside = np.flatnonzero(self.region == region)
            limit = int(below[inside[0]])
            low, high = float(self.low[inside[-1]]), float(self.high[inside[0]])
            found.append(Span(low, high, 0, None if limit == mixes else limit))
        return found


def _by_bin(histogram: Histogram) -> tuple[Floats, Integers]:
    """The bins, best first, and the counts [predicted positive, predicted negative] of each."""
    negated, place = np.unique(-histogram.bins, return_inverse=True)
    parts = [
        np.bincount(place, np.where(histogram.predictions == kind, histogram.counts, 0), len(negated))
        for kind in (True, False)
    ]
    return -negated, np.stack(parts).astype(np.int64)


def _first(above: Integers, total: int, levels: int) -> Integers:
    """The first bin of each level: levels begin at ranks that grow by a fixed factor."""
    if not len(above):
        return np.empty(0, dtype=np.int64)
    start = max(int(above[0]), 1)
    wanted = np.round(start * (total / start) ** (np.arange(levels) / levels)).astype(np.int64)
    wanted[0] = above[0]
    return np.unique(np.searchsorted(above, wanted, side="left").clip(max=len(above) - 1))
