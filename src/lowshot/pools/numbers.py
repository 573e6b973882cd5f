"""Scores into whole numbers by their bins, so that every engine finds the same sums of several scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Floats, Integers
from lowshot.errors import PoolError
from lowshot.pools.consensus import Line, Total, Weights, mean_number, number_at
from lowshot.pools.engine import Histogram
from lowshot.pools.grid import Grid
from lowshot.pools.layout import Bins, first_bins

CLASSES = 256  # different numbers of a score, at most; ranks grow by about the same factor from one to the next


@dataclass(frozen=True, eq=False)
class NumberTable:
    """The number of each bin of a score, by its rank as in memory, for classes of bins.

    >>> histogram = Histogram(np.array([1.0, 4.0, 9.0]), np.array([1, 1, 0]), np.array([1, 1, 1]))
    >>> table = NumberTable.of(histogram, Grid("distinct"))
    >>> table.at(np.array([9.0, 1.0, 4.0])).tolist()
    [713, -727, -218]
    """

    grid: Grid
    bins: Floats  # that hold items, in ascending order
    number: Integers

    @classmethod
    def of(cls, histogram: Histogram, grid: Grid) -> "NumberTable":
        """From the counts of a score; items without a value are not counted."""
        bins = Bins.of(Histogram(histogram.bins, np.zeros_like(histogram.patterns), histogram.counts), 1)
        total = int(bins.size.sum())
        few = len(bins) <= CLASSES
        first = np.arange(len(bins)) if few else first_bins(bins.above, total, CLASSES)
        edge = np.append(bins.above[first], total)
        number = number_at(total - (edge[:-1] + edge[1:]) / 2, total)
        of_bin = np.repeat(number, np.diff(np.append(first, len(bins))))
        return cls(grid, bins.number[::-1], of_bin[::-1])

    def at(self, scores: Floats) -> Integers:
        return self.at_bins(self.grid.bin(scores))

    def at_bins(self, bins: Floats) -> Integers:
        place = np.minimum(np.searchsorted(self.bins, bins), len(self.bins) - 1)
        if not np.array_equal(self.bins[place], bins):
            raise PoolError("the rows of the pool changed since it was opened: a score is new; open it again")
        return self.number[place]

    def lowest(self, number: float) -> float:
        """The lowest score with at least this number; infinite if there is none."""
        place = int(np.searchsorted(self.number, number))
        return float(self.grid.lowest(self.bins[[place]])[0]) if place < len(self.bins) else np.inf

    def total(self, histogram: Histogram, model: int) -> Total:
        """The sum over the items that a model predicts positive: those with this bit in their pattern."""
        of_model = (histogram.patterns >> model) % 2 == 1
        counts = histogram.counts[of_model]
        return Total(int(counts.sum()), int((counts * self.at_bins(histogram.bins[of_model])).sum()))


class Order(NamedTuple):
    """How items are ranked: by one model's own score, or by a weighted sum of numbers."""

    weights: Weights
    own: bool

    @property
    def score(self) -> str:
        """The name of the model's own score."""
        return next(iter(self.weights))


@dataclass(frozen=True, eq=False)
class Scheme:
    """How the scores of an item become numbers."""

    tables: dict[str, NumberTable]  # by the name of the score
    lines: dict[str, Line]  # for helpers that miss values
    judged: tuple[str, ...]  # scores of models: lines go along their mean

    def numbers(self, scores: Mapping[str, Floats]) -> dict[str, Integers]:
        """The numbers of items with these scores; NaN where a helper is unknown."""
        found: dict[str, Integers] = {}
        for name, table in self.tables.items():
            if name not in self.lines:
                found[name] = table.at(scores[name])
        for name, line in self.lines.items():
            known = ~np.isnan(scores[name])
            found[name] = line.at(mean_number([found[judged] for judged in self.judged]))
            found[name][known] = self.tables[name].at(scores[name][known])
        return found

    def level(self, order: Order, scores: Mapping[str, Floats], numbers: Mapping[str, Integers]) -> Floats:
        """What ranks the items."""
        if order.own:
            return scores[order.score] + 0.0  # -0.0 is 0.0
        return weighed(order, numbers)


def weighed(order: Order, numbers: Mapping[str, Integers]) -> Floats:
    """The weighted sum of numbers."""
    return np.asarray(sum(weight * numbers[name] for name, weight in order.weights.items()), dtype=np.float64)
