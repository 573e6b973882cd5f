"""A ranking held as cells: items that share one score level and one prediction."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from lowshot.core.types import Flags, Floats, Integers


@dataclass(frozen=True, eq=False)
class Cells:
    """Items grouped by (score level, prediction), best score first, ties ordered by id.

    A cell can be listed (its items are known one by one) or only counted: the tail of a large
    pool is counted. Everything that is calibrated, distributed or summed runs over cells.

    >>> import numpy as np
    >>> from lowshot.core.ranking import rank
    >>> cells = rank(np.array([0.1, 0.9, 0.9, 0.5]), np.array([False, True, True, False]))
    >>> cells.level.tolist(), cells.count.tolist(), cells.items.tolist()
    ([0.9, 0.5, 0.1], [2, 1, 1], [1, 2, 3, 0])
    """

    level: Floats  # the score; NaN for a counted cell that spans several levels
    prediction: Flags
    count: Integers
    mass: Floats  # p(x) summed over the cell
    above: Integers  # items of the pool with a higher score
    midrank: Floats  # items of the pool with a lower score plus half of those on the level
    items: Integers  # positions in the pool of the listed items, cell after cell
    start: Integers  # cell j lists items[start[j]:start[j+1]]
    total: int  # items in the whole pool

    sequential: ClassVar[bool] = False  # whether an item that is picked depends on those picked before it

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def cell_of_item(self) -> Integers:
        """The cell of each entry of `items`."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def _by_position(self) -> tuple[Integers, Integers]:
        order = np.argsort(self.items)
        return self.items[order], self.cell_of_item[order]

    @cached_property
    def predicted(self) -> Integers:
        """The cells that are predicted positive."""
        return np.flatnonzero(self.prediction)

    def find(self, positions: Integers) -> Integers:
        """The cell of each position; -1 where the item is not listed."""
        items, cells = self._by_position
        if not len(items):
            return np.full(len(positions), -1)
        place = np.minimum(np.searchsorted(items, positions), len(items) - 1)
        return np.where(items[place] == positions, cells[place], -1)

    def top(self, depth: int) -> Integers:
        """The cells of the `depth` best items (ties of the last included) and of every predicted positive."""
        end = int(np.searchsorted(self.above, depth, side="left"))
        return np.concatenate([np.arange(end), self.predicted[self.predicted >= end]])

    def without(self, known: Integers, mass: Floats | None) -> "Cells":
        """The same cells with the known items taken off `count` and `mass`; `items` still lists them."""
        cell = self.find(known)
        count = self.count - np.bincount(cell, minlength=len(self))
        if mass is None:
            return replace(self, count=count, mass=count / self.total)
        rest = self.mass - np.bincount(cell, mass[known], len(self))
        return replace(self, count=count, mass=np.where(count > 0, np.maximum(rest, 0), 0.0))

    def best(self, depth: int) -> Integers:
        """The `depth` best items, ties of the last included."""
        return self.items[: self.start[np.searchsorted(self.above, depth, side="left")]]

    def pick(self, cell: Integers, numbers: Floats, mass: Floats | None) -> Integers:
        """An item of each of these cells by a uniform number, in proportion to p(x) (by position, None if uniform)."""
        if mass is None:
            return self.items[self.start[cell] + (numbers * self.count[cell]).astype(np.int64)]
        weights = np.concatenate([[0.0], np.cumsum(mass[self.items])])
        low, high = weights[self.start[cell]], weights[self.start[cell + 1]]
        place = np.searchsorted(weights, low + numbers * (high - low), side="right") - 1
        inside: Integers = np.clip(place, self.start[cell], self.start[cell + 1] - 1)
        return self.items[inside]

    def open(self, chosen: Integers, known: Integers, seen: Integers, mass: Floats | None) -> "Cells":
        """The chosen cells without the known items; `mass` is p(x) by position, None if uniform.

        `seen`: what was drawn or labelled before. It matters only where items have no order until they are drawn.
        """
        lengths = np.diff(self.start)[chosen]
        offsets = np.repeat(self.start[chosen] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        items = self.items[offsets + np.arange(lengths.sum())]
        cell = np.repeat(np.arange(len(chosen)), lengths)
        if len(known):
            keep = ~np.isin(items, known)
            items, cell = items[keep], cell[keep]
        count = np.bincount(cell, minlength=len(chosen))
        summed = None if mass is None else np.bincount(cell, mass[items], len(chosen)).astype(np.float64)
        open_mass = count / self.total if summed is None else summed
        return Cells(
            level=self.level[chosen],
            prediction=self.prediction[chosen],
            count=count,
            mass=open_mass,
            above=self.above[chosen],
            midrank=self.midrank[chosen],
            items=items,
            start=np.concatenate([[0], np.cumsum(count)]),
            total=self.total,
        )
