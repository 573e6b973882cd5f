"""A ranking of which only the counts are known: the order of items inside a cell shows as they are drawn."""

from functools import cached_property
from typing import ClassVar

import numpy as np

from lowshot.core.cells import Cells
from lowshot.core.types import Flags, Floats, Integers

NONE = np.empty(0, dtype=np.int64)


class RankedCells(Cells):
    """Cells whose items are numbered through from the best to the last: cell j holds first[j], first[j] + 1, ...

    Inside a cell items are in an order that is as good as random, and that nobody looks at before an item is drawn.
    So the next new item of a cell is simply the next number: drawn evenly from all that were not seen, although
    nothing but their count is known. An item that was seen comes again with the probability that it has.

    >>> cells = RankedCells(
    ...     level=np.array([0.9, 0.1]), prediction=np.array([True, False]), count=np.array([1, 999]),
    ...     above=np.array([0, 1]), midrank=np.array([999.5, 499.5]), total=1000)
    >>> cells.pick(np.array([1, 0, 1, 1]), np.array([0.7, 0.2, 0.9, 0.0001]), None).tolist()
    [1, 0, 2, 1]
    """

    sequential: ClassVar[bool] = True

    def __init__(
        self,
        level: Floats,
        prediction: Flags,
        count: Integers,
        above: Integers,
        midrank: Floats,
        total: int,
        *,
        first: Integers | None = None,
        size: Integers | None = None,
        gone: Integers = NONE,
        seen: Integers = NONE,
    ) -> None:
        whole = np.concatenate([[0], np.cumsum(count)])
        columns = {
            "level": level,
            "prediction": prediction,
            "count": count,  # without those that are gone
            "mass": count / total,
            "above": above,
            "midrank": midrank,
            "total": total,
            "start": whole,
            "first": whole[:-1] if first is None else first,
            "size": count if size is None else size,
            "gone": gone,  # these cannot be drawn any more
            "seen": seen,  # these were drawn before
        }
        self.__dict__.update(columns)

    first: Integers
    size: Integers
    gone: Integers
    seen: Integers

    @cached_property
    def items(self) -> Integers:
        """All of them, one by one: for pools that are small."""
        parts = [np.arange(low, low + size) for low, size in zip(self.first.tolist(), self.size.tolist(), strict=True)]
        return np.setdiff1d(np.concatenate([NONE, *parts]), self.gone)

    def find(self, positions: Integers) -> Integers:
        place = np.searchsorted(self.first, positions, side="right") - 1
        inside = (place >= 0) & (positions < self.first[place] + self.size[place])
        return np.where(inside & ~np.isin(positions, self.gone), place, -1)

    def best(self, depth: int) -> Integers:
        return np.arange(min(depth, self.total))

    def without(self, known: Integers, mass: Floats | None) -> "RankedCells":
        return self._of(np.arange(len(self)), known, self.gone, self.seen)

    def open(self, chosen: Integers, known: Integers, seen: Integers, mass: Floats | None) -> "RankedCells":
        return self._of(chosen, known, known, seen)

    def _of(self, chosen: Integers, known: Integers, gone: Integers, seen: Integers) -> "RankedCells":
        """The chosen cells, without the known items in their counts."""
        place = self.find(known)
        count = self.count - np.bincount(place[place >= 0], minlength=len(self))
        return RankedCells(
            self.level[chosen],
            self.prediction[chosen],
            count[chosen],
            self.above[chosen],
            self.midrank[chosen],
            self.total,
            first=self.first[chosen],
            size=self.size[chosen],
            gone=np.unique(gone),
            seen=np.unique(seen),
        )

    def pick(self, cell: Integers, numbers: Floats, mass: Floats | None) -> Integers:
        inside = (numbers * self.count[cell]).astype(np.int64).tolist()
        found = self.first[cell]  # right where a cell has but one item
        lots: dict[int, Lots] = {}
        for place in np.flatnonzero(self.size[cell] > 1).tolist():
            which = int(cell[place])
            mine = lots.setdefault(which, lots.get(which) or self.lots(which))
            found[place] = mine[inside[place]]
        return found

    def lots(self, cell: int) -> "Lots":
        low, high = int(self.first[cell]), int(self.first[cell] + self.size[cell])
        seen, gone = (part[slice(*np.searchsorted(part, [low, high]))].tolist() for part in (self.seen, self.gone))
        return Lots(low, seen, set(gone))

    def urn(self, low: int, high: int, predicted: bool, seen: Integers, gone: Integers = NONE) -> "Urn":
        """The items from number `low` up to `high` that are predicted so, without those that are gone."""
        inside = np.arange(*np.searchsorted(self.first, [low, high]))
        whole = self.open(inside[self.prediction[inside] == predicted], gone, seen, None)
        return Urn(whole)


class Lots:
    """The items of a cell in the order in which they come: those that were seen, then one new number after the other.

    >>> lots = Lots(10, seen=[12], gone={10})
    >>> [lots[0], lots[5], lots[9], lots[1]]
    [12, 11, 13, 11]
    """

    def __init__(self, first: int, seen: list[int], gone: set[int]) -> None:
        self._known = [item for item in seen if item not in gone]
        self._taken = gone.union(seen)
        self._next = first

    def __getitem__(self, place: int) -> int:
        if place < len(self._known):
            return self._known[place]
        while self._next in self._taken:
            self._next += 1
        self._known.append(self._next)
        self._next += 1
        return self._known[-1]


class Urn:
    """Several cells as one: their items behind each other."""

    def __init__(self, cells: RankedCells) -> None:
        self._cells, self._lots = cells, dict[int, Lots]()

    def __len__(self) -> int:
        return int(self._cells.start[-1])

    def __getitem__(self, place: int) -> int:
        cell = int(np.searchsorted(self._cells.start, place, side="right")) - 1
        if cell not in self._lots:
            self._lots[cell] = self._cells.lots(cell)
        return self._lots[cell][place - int(self._cells.start[cell])]
