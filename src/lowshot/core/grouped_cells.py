"""Cells of a ranking of which only the counts are known: items get their places inside a cell when they are drawn."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from lowshot.core.cells import NO_ITEMS, ONE_MODEL, ONE_PATTERN, Cells, Urn
from lowshot.core.types import Flags, Floats, Integers


@dataclass(frozen=True, eq=False)
class GroupedCells(Cells):
    """Cells whose items are numbered from the best to the last: cell j holds the numbers first[j], first[j] + 1, ...

    The pool orders the items inside a cell pseudo-randomly (by a mix of seed and id). So an item that was not drawn
    before is simply the next number of its cell, which is as good as a random choice among all items of the cell that
    were not drawn, although only their count is known. An item that was drawn before is drawn again with its
    probability 1/count.

    >>> cells = GroupedCells.whole(
    ...     level=np.array([0.9, 0.1]), pattern=np.array([0, 1]), count=np.array([1, 999]),
    ...     above=np.array([0, 1]), midrank=np.array([999.5, 499.5]), total=1000)
    >>> cells.pick(np.array([1, 0, 1, 1]), np.array([0.7, 0.2, 0.9, 0.0001])).tolist()
    [1, 0, 2, 1]
    """

    level: Floats
    pattern: Integers
    patterns: Flags
    count: Integers  # items of each cell, without those that are gone
    mass: Floats
    above: Integers
    midrank: Floats
    start: Integers
    total: int
    first: Integers  # the number of each cell's first item
    size: Integers  # items of each cell, with those that are gone
    gone: Integers  # items that cannot be drawn any more, sorted
    seen: Integers  # items that were drawn before, sorted

    sequential: ClassVar[bool] = True

    @classmethod
    def whole(
        cls,
        level: Floats,
        pattern: Integers,
        count: Integers,
        above: Integers,
        midrank: Floats,
        total: int,
        patterns: Flags = ONE_MODEL,
        **further: Any,
    ) -> Self:
        """A whole ranking, before anything was drawn."""
        start, nothing = np.concatenate([[0], np.cumsum(count)]), NO_ITEMS
        mass, first = count / total, start[:-1]
        known = (level, pattern, patterns, count, mass, above, midrank, start, total, first, count, nothing, nothing)
        return cls(*known, **further)

    def _listing(self) -> Integers:
        """Every item: only for small pools, as the list is as long as the pool."""
        parts = [np.arange(low, low + size) for low, size in zip(self.first.tolist(), self.size.tolist(), strict=True)]
        return np.setdiff1d(np.concatenate([NO_ITEMS, *parts]), self.gone)

    def find(self, positions: Integers) -> Integers:
        if not len(self):
            return np.full(len(positions), -1)
        place = np.searchsorted(self.first, positions, side="right") - 1
        inside = (place >= 0) & (positions < self.first[place] + self.size[place])
        return np.where(inside & ~np.isin(positions, self.gone), place, -1)

    def best(self, depth: int) -> Integers:
        return np.arange(min(depth, self.total))

    def without(self, known: Integers) -> Self:
        return self._of(np.arange(len(self)), known, self.gone, self.seen)

    def open(self, chosen: Integers, known: Integers, seen: Integers) -> Self:
        return self._of(chosen, known, known, seen)

    def _of(self, chosen: Integers, known: Integers, gone: Integers, seen: Integers) -> Self:
        """The chosen cells, without the known items in their counts."""
        place = self.find(known)
        count = (self.count - np.bincount(place[place >= 0], minlength=len(self)))[chosen]
        return replace(
            self,
            level=self.level[chosen],
            pattern=self.pattern[chosen],
            count=count,
            mass=count / self.total,
            above=self.above[chosen],
            midrank=self.midrank[chosen],
            start=np.concatenate([[0], np.cumsum(count)]),
            first=self.first[chosen],
            size=self.size[chosen],
            gone=np.unique(gone),
            seen=np.unique(seen),
        )

    def of_one_pattern(self) -> Self:
        return replace(self, pattern=np.zeros_like(self.pattern), patterns=ONE_PATTERN)

    def pick(self, cell: Integers, numbers: Floats, even: bool = False) -> Integers:
        inside = (numbers * self.count[cell]).astype(np.int64).tolist()
        found = self._alone(cell)  # cells with more than one item are corrected below
        members: dict[int, CellItems] = {}
        for place in np.flatnonzero(self.size[cell] > 1).tolist():
            which = int(cell[place])
            if which not in members:
                members[which] = self.items_of(which)
            found[place] = members[which][inside[place]]
        return found

    def _alone(self, cell: Integers) -> Integers:
        """The only item of cells that hold one; of others, their first."""
        return self.first[cell]

    def share(self, cell: Integers, items: Integers, even: bool = False) -> Floats:
        return 1 / self.count[cell]

    def unseen_of(self, cell: Integers) -> Integers:
        """An item of each of these cells that was neither seen nor is gone; there must be one."""
        found = self._alone(cell)  # cells with more than one item are corrected below
        for place in np.flatnonzero(self.size[cell] > 1).tolist():
            found[place] = self.items_of(int(cell[place])).next_unseen()
        return found

    def items_of(self, cell: int) -> "CellItems":
        """The items of a cell, to be drawn by their place."""
        low, high = int(self.first[cell]), int(self.first[cell] + self.size[cell])
        seen, gone = (part[slice(*np.searchsorted(part, [low, high]))].tolist() for part in (self.seen, self.gone))
        return CellItems(low, seen, set(gone))

    def urn(self, low: int, high: int, pattern: int, seen: Integers, gone: Integers = NO_ITEMS) -> Urn:
        inside = np.arange(*np.searchsorted(self.first, [low, high]))
        return GroupedUrn(self.open(inside[self.pattern[inside] == pattern], gone, seen))


class CellItems:
    """The items of one cell as an urn: first those that were seen, then new ones, numbered as they are asked for.

    >>> members = CellItems(10, seen=[12], gone={10})
    >>> [members[0], members[5], members[9], members[1]]
    [12, 11, 13, 11]
    """

    def __init__(self, first: int, seen: list[int], gone: set[int]) -> None:
        self._known = [item for item in seen if item not in gone]
        self._taken = gone.union(seen)
        self._next = first

    def __getitem__(self, place: int) -> int:
        if place < len(self._known):
            return self._known[place]
        self._known.append(self.next_unseen())
        self._next += 1
        return self._known[-1]

    def next_unseen(self) -> int:
        """The next number that was neither seen nor is gone."""
        while (found := self._item(self._next)) in self._taken:
            self._next += 1
        return found

    def _item(self, number: int) -> int:
        """The item with this number: the number itself."""
        return number


class GroupedUrn:
    """The items of several cells as one urn, cell after cell."""

    def __init__(self, cells: GroupedCells) -> None:
        self._cells, self._members = cells, dict[int, CellItems]()

    def __len__(self) -> int:
        return int(self._cells.start[-1])

    def __getitem__(self, place: int) -> int:
        cell = int(np.searchsorted(self._cells.start, place, side="right")) - 1
        if cell not in self._members:
            self._members[cell] = self._cells.items_of(cell)
        return self._members[cell][place - int(self._cells.start[cell])]
