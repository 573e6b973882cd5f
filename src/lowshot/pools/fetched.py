"""The items that the first pass over a large pool fetched, in the order of their positions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from lowshot.checks import Id
from lowshot.core.types import Flags, Floats, Integers
from lowshot.pools.engine import AnyArray, Rows


class Ids(Protocol):
    """Many ids by their places. They may lie in a file, and become Python objects when they are asked for."""

    def __len__(self) -> int: ...

    def at(self, places: Sequence[int]) -> list[Id]:
        """The ids at these places."""

    def find(self, items: Sequence[Id]) -> list[int | None]:
        """The place of each of these ids; None for an id that is not among them."""

    def array(self) -> AnyArray:
        """All of them."""


class ArrayIds:
    """Ids in a NumPy array.

    >>> ids = ArrayIds(np.array(["a", "b", "c"], dtype=object))
    >>> ids.at([2, 0]), ids.find(["b", "x"])
    (['c', 'a'], [1, None])
    """

    def __init__(self, ids: AnyArray) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def at(self, places: Sequence[int]) -> list[Id]:
        found: list[Id] = self._ids[np.asarray(places, dtype=np.int64)].tolist()
        return found

    def find(self, items: Sequence[Id]) -> list[int | None]:
        return [self._place.get(item) for item in items]

    @cached_property
    def _place(self) -> dict[Id, int]:
        return {item: place for place, item in enumerate(self._ids.tolist())}

    def array(self) -> AnyArray:
        return self._ids


@dataclass(frozen=True, eq=False)
class Fetched:
    """The head, best item first, and then the reserve by position."""

    ids: Ids  # of the head, then of the reserve
    scores: Floats  # of the head
    predictions: Flags  # of the head
    reserve: Integers  # the positions of the reserve, ascending
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # that people are shown, in the order of `ids`

    @property
    def head(self) -> int:
        """How many items are in the head. The position of each is its place there."""
        return len(self.scores)

    @property
    def head_ids(self) -> AnyArray:
        return self.ids.array()[: self.head]

    def place(self, position: int) -> int | None:
        """Where the item with this position is among `ids`; None if it was not fetched."""
        if position < self.head:
            return position
        found = int(np.searchsorted(self.reserve, position))
        return self.head + found if found < len(self.reserve) and self.reserve[found] == position else None

    def position(self, place: int) -> int:
        """The position of the item at this place of `ids`."""
        return place if place < self.head else int(self.reserve[place - self.head])

    def between(self, first: int, last: int) -> int:
        """How many items of the reserve have first <= position < last."""
        low, high = np.searchsorted(self.reserve, [first, last]).tolist()
        return int(high - low)


def in_order(rows: Rows, cells: Integers, first: Integers) -> Fetched:
    """Rows in the order of their positions.

    cells  of each row: its cell of the tail, or a negative number in the head
    first  of each cell of the tail: the position of its first item
    """
    inside = np.flatnonzero(cells < 0)
    best = inside[rows.take(inside).ranks()]
    below = np.flatnonzero(cells >= 0)
    below = below[np.lexsort((rows.ids[below], rows.mixes[below], cells[below]))]
    cell = cells[below]
    offset = np.arange(len(cell)) - np.searchsorted(cell, cell)  # among the items of its cell
    order = np.concatenate([best, below])
    places = order.tolist()
    return Fetched(
        ArrayIds(rows.ids[order]),
        rows.scores[best],
        rows.predictions[best],
        first[cell] + offset if len(cell) else np.empty(0, dtype=np.int64),
        {name: [values[place] for place in places] for name, values in rows.columns.items()},
    )
