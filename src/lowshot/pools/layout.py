"""From counts to levels: which items are listed one by one, how the others are grouped, which are kept in reserve.

Three numberings meet here, all from the best down:

    bin     of the grid (`grid.py`): an interval of scores that every engine computes alike; thousands of them
    rank    how many items are above: `above` of a bin or of a level
    level   a run of neighbouring bins below the head, so that ranks grow by about a fixed factor from level to level

The histogram counts items by bin. Ranks are its running sums; they say which bins are in the head and where levels
begin. Levels are then described by scores (low <= score < high), since that is what an engine can be asked for.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lowshot.core.types import Floats, Integers
from lowshot.pools.engine import Facts, Histogram, Span
from lowshot.pools.grid import Grid

RESERVE = 4096  # random items of each region that are fetched with the first pass; further ones cost a query each
REGION = 8  # a region ends at so many times the rank at which it begins


@dataclass(frozen=True, eq=False)
class Layout:
    """The best items are the head, listed one by one; below it, levels hold ranks that grow by about a fixed factor.

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
    cut: float  # the lowest score of the head's bins; infinite if no item is listed
    low: Floats  # of each level, from the best down: its scores are low <= score < high
    high: Floats
    level: Floats  # the score that stands for it
    above: Integers  # items above it
    count: Integers  # [pattern, level]; of one model, pattern 0 is predicted positive
    whole: int = 0  # levels with fewer items above them are fetched as a whole

    @classmethod
    def of(
        cls,
        facts: Facts,
        histogram: Histogram,
        grid: Grid,
        head: int,
        levels: int | None,
        patterns: int = 2,
        listing: bool = True,
    ) -> "Layout":
        """With at most `head` items listed, and so many levels below them; None: every bin is a level.

        Without `listing`, the bins of the head are levels as well.
        """
        bins = Bins.of(histogram, patterns)
        if not listing:
            return cls._without_list(facts, bins, grid, head, levels)
        listed = int(np.searchsorted(bins.above + bins.size, head, side="right"))  # bins that the head has room for
        tail = bins.since(listed)
        first = np.arange(len(tail)) if levels is None else first_bins(tail.above, facts.total, levels)
        last = np.append(first, len(tail))[1:] - 1  # the last bin of each level
        cut = float(grid.lowest(bins.number[[listed - 1]])[0]) if listed else np.inf
        low = grid.lowest(tail.number[last])
        return cls(
            facts=facts,
            predicted=int(bins.count[0].sum()),
            head=int(bins.size[:listed].sum()),
            cut=cut,
            low=low,
            high=np.append(cut, low)[: len(low)],
            level=_mean_scores(tail, first, grid, facts),
            above=tail.above[first],
            count=_sums(tail.count, first),
        )

    @classmethod
    def _without_list(cls, facts: Facts, bins: "Bins", grid: Grid, head: int, levels: int | None) -> "Layout":
        best = int(np.searchsorted(bins.above + bins.size, head, side="right"))
        tail = bins.since(best).above
        first = np.arange(len(tail)) if levels is None else first_bins(tail, facts.total, levels)
        first = np.concatenate([np.arange(best), best + first])
        low = grid.lowest(bins.number[np.append(first, len(bins))[1:] - 1])
        return cls(
            facts=facts,
            predicted=0,
            head=0,
            cut=np.inf,
            low=low,
            high=np.append(np.inf, low)[: len(low)],
            level=_mean_scores(bins, first, grid, facts),
            above=bins.above[first],
            count=_sums(bins.count, first),
            whole=int(bins.size[:best].sum()),
        )

    def __len__(self) -> int:
        """Levels below the head."""
        return len(self.low)

    @cached_property
    def region(self) -> Integers:
        """Of each level the region that shares one reserve: 0 if all of it is fetched, then 1, 2, ... further down."""
        if not len(self):
            return np.empty(0, dtype=np.int64)
        edges = max(self.head, self.whole, 1) * REGION ** np.arange(1, 64, dtype=np.float64)
        return np.where(self.above < self.whole, 0, 1 + np.searchsorted(edges, self.above, side="right"))

    def find(self, scores: Floats) -> Integers:
        """The level of each score; -1 in the head."""
        place = len(self) - np.searchsorted(self.low[::-1], scores, side="right")
        return np.where(scores >= self.cut, -1, place)

    def reserved(self, mixes: int, size: Integers | None = None, reserve: int | None = None) -> Integers:
        """Of each level the limit of the reserve: items with a mix below it are fetched with the first pass.

        mixes    how many values a mix can have; it is uniform, so a limit of share * mixes fetches that share
        size     how many items of each level the reserve is for; None: all of them
        reserve  how many items of a region; None: RESERVE
        """
        wanted = self.count.sum(axis=0) if size is None else size
        of_region = np.bincount(self.region, wanted)[self.region]
        share = (RESERVE if reserve is None else reserve) / np.maximum(of_region, 1)
        share[self.region == 0] = 1
        return np.array([mixes if part >= 1 else int(np.ceil(part * mixes)) for part in share.tolist()], dtype=np.int64)

    def spans(self, mixes: int, limits: Integers | None = None) -> list[Span]:
        """What the first pass fetches: the head, and of each region its reserve."""
        if limits is None:
            limits = self.reserved(mixes)
        found = [Span(self.cut, np.inf)] if self.head else []
        for region in np.unique(self.region).tolist():
            inside = np.flatnonzero(self.region == region)
            limit = int(limits[inside[0]])  # the same for all levels of a region
            low, high = float(self.low[inside[-1]]), float(self.high[inside[0]])
            found.append(Span(low, high, 0, None if limit == mixes else limit))
        return found


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of the grid that hold items, best first."""

    number: Floats
    count: Integers  # [pattern, bin]
    above: Integers  # items in better bins

    @classmethod
    def of(cls, histogram: Histogram, patterns: int = 2) -> "Bins":
        negated, place = np.unique(-histogram.bins, return_inverse=True)
        count = np.zeros((patterns, len(negated)), dtype=np.int64)
        np.add.at(count, (histogram.patterns, place), histogram.counts)
        size = count.sum(axis=0)
        return cls(-negated, count, np.cumsum(size) - size)

    def __len__(self) -> int:
        return len(self.number)

    @property
    def size(self) -> Integers:
        """Items in each bin."""
        found: Integers = self.count.sum(axis=0)
        return found

    def since(self, place: int) -> "Bins":
        """The bins from this place on; `above` still counts all items of the pool."""
        return Bins(self.number[place:], self.count[:, place:], self.above[place:])


def first_bins(above: Integers, total: int, levels: int) -> Integers:
    """The first bin of each level: levels begin at ranks that grow by a fixed factor."""
    if not len(above):
        return np.empty(0, dtype=np.int64)
    start = max(int(above[0]), 1)
    wanted = np.round(start * (total / start) ** (np.arange(levels) / levels)).astype(np.int64)
    wanted[0] = above[0]
    return np.unique(np.searchsorted(above, wanted, side="left").clip(max=len(above) - 1))


def _sums(count: Integers, first: Integers) -> Integers:
    """Counts [pattern, bin] summed over the bins of each level."""
    return np.add.reduceat(count, first, axis=1) if len(first) else count[:, :0]


def _mean_scores(bins: Bins, first: Integers, grid: Grid, facts: Facts) -> Floats:
    """The score that stands for each level: the mean over its items of the middles of their bins."""
    if not len(first):
        return np.empty(0)
    size = bins.size
    of_level = np.repeat(_sums(bins.count, first).sum(axis=0), np.diff(np.append(first, len(bins))))
    middle = np.clip(grid.middle(bins.number), facts.low, facts.high)
    share = size / of_level  # divided first: a sum of large scores might overflow
    mean = np.add.reduceat(share * middle, first)
    return np.clip(mean, facts.low, facts.high)  # rounding may put the mean of equal numbers beside them
