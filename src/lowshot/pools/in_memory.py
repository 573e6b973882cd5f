"""Items in memory and their ids: what all pools in memory have in common."""

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from lowshot.checks import Id
from lowshot.core.types import Integers
from lowshot.pools.base import BasePool, number_or_text, plain_id
from lowshot.pools.columns import AnyArray
from lowshot.pools.frame import texts_at


class InMemory(BasePool):
    """A pool whose positions are the places of its rows. It never changes."""

    grouped: ClassVar[bool] = False
    ids: AnyArray | None  # None: the positions 0, 1, ...
    _show: Mapping[str, Any] = {}  # columns that people are shown, by name

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and not name.startswith("_"):
            raise AttributeError(f"a pool is read-only: {name} cannot be changed; make a new {type(self).__name__}")
        super().__setattr__(name, value)

    def id_of(self, text: str) -> Id:
        numbered = self.ids is None or isinstance(self.ids[0], (int, np.integer))  # integers beyond 64 bits are objects
        return number_or_text(text, numbered)

    @cached_property
    def _position_of(self) -> dict[Id, int]:
        return {} if self.ids is None else {value: i for i, value in enumerate(self.ids.tolist())}

    def find(self, items: Sequence[Any]) -> list[int | None]:
        return [self._find(plain_id(item)) for item in items]

    def _find(self, item: Id | None) -> int | None:
        if item is None:
            return None
        place = self._position_of.get(item) if self.ids is not None else item
        return place if isinstance(place, int) and 0 <= place < len(self) else None

    def names(self, positions: Sequence[int] | Integers) -> list[Id]:
        plain = np.asarray(positions, dtype=np.int64)
        found: list[Id] = (plain if self.ids is None else self.ids[plain]).tolist()
        return found

    def shown(self, items: Sequence[Id]) -> list[dict[str, str]] | None:
        return texts_at(self._show, self.positions(items)) if self._show else None

    def with_shown(self, show: Mapping[str, Any]) -> Self:
        """The same pool, of whose items people are shown these columns.

        show  columns by name, in the order of the rows: of pandas, polars or Arrow, or whatever takes a list of places
              in [] and gives a list of values, so that only what is shown has to be read
        """
        other = copy(self)
        other._show = dict(show)
        return other

    def _by_id(self) -> tuple[Any, bytes]:
        """The order of the rows by id, and the ids in this order as bytes: parts of a fingerprint."""
        order = slice(None) if self.ids is None else np.argsort(self.ids, kind="stable")
        names = np.arange(len(self)) if self.ids is None else self.ids[order]
        if names.dtype == object:
            return order, repr(names.tolist()).encode("utf-8", "surrogatepass")
        return order, names.tobytes()
