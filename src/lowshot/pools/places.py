"""Which item has which position in the ranking of a large pool. Only items that somebody asked for are known."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lowshot.checks import Id
from lowshot.core.drawing import RANGE
from lowshot.errors import InputError, PoolError
from lowshot.pools.engine import Engine, Span
from lowshot.pools.fetched import Fetched, in_order
from lowshot.pools.layout import Layout
from lowshot.pools.slices import is_missing

MORE = 256  # items that are fetched when the reserve of a level is used up, at least: fewer queries
CHANGED = "the rows of the pool changed since it was opened: {}; open it again, as an evaluation of its own"


class Places:
    """Ids and positions of the head, of the reserve of each level, and of whatever else was looked up; for one seed.

    Position n is item n of the head. Below the head positions run level after level, and inside a level first over its
    predicted positives, then over its other items, both in the order of (mix, id). The cells of the tail are numbered
    likewise: level j has cell 2 j (predicted positive) and cell 2 j + 1.
    """

    def __init__(
        self,
        engine: Engine,
        layout: Layout,
        seed: int,
        fetched: Fetched | None = None,
        further: Mapping[Id, int] | None = None,
    ) -> None:
        self._engine, self._layout, self._seed = engine, layout, seed
        self._mixes = RANGE[layout.facts.numbered]
        # of each level: its items with a mix below this one were fetched
        self._below = layout.reserved(self._mixes) if len(layout) else np.empty(0, dtype=np.int64)
        size = layout.count.T.ravel()  # level after level, predicted positives first
        self._first = layout.head + np.cumsum(size) - size  # the position of the first item of each cell
        self._size = size
        self._fetched = fetched
        self._names: dict[int, Id] = {}  # ids by position, of items that were fetched after the first pass
        self._positions: dict[Id, int] = {}  # positions by id, of items that were named or looked up
        self._known: dict[int, int] = {}  # how many items of a cell are known without a gap, if more than the reserve
        self._further = dict(further or {})  # positions by id, of items that are not in `fetched`
        self._names.update((position, item) for item, position in self._further.items())
        self._positions.update(self._further)
        self._absent: set[Id] = set()  # ids that were looked up and are not in the pool

    @property
    def fetched(self) -> Fetched:
        """What the first pass fetched: the head and the reserve, with the columns that people are shown."""
        if self._fetched is None:
            self._fetched = self._fetch()
        return self._fetched

    def _fetch(self) -> Fetched:
        """One query."""
        rows = self._engine.rows(self._layout.spans(self._mixes), self._seed)
        refuse_repeated(rows.ids.tolist())
        level = self._layout.find(rows.scores)
        found = in_order(rows, np.where(level < 0, -1, 2 * level + ~rows.predictions), self._first)
        if found.head != self._layout.head:
            raise PoolError(CHANGED.format(f"{self._layout.head:,} items were in its head, and now {found.head:,}"))
        return found

    @property
    def further(self) -> Mapping[Id, int]:
        """Positions of items that were fetched or looked up after the first pass."""
        return self._further

    def names(self, positions: Sequence[int]) -> list[Id]:
        """The ids at these positions; the engine is asked where the reserve does not reach."""
        if not positions:
            return []
        places = {position: self.fetched.place(position) for position in positions}
        for position, place in places.items():
            if place is None and position not in self._names:
                self._reach(position)
        there = {position: place for position, place in places.items() if place is not None}
        listed = dict(zip(there, self.fetched.ids.at(list(there.values())), strict=True))
        found = [listed[position] if position in listed else self._names[position] for position in positions]
        self._positions.update(zip(found, positions, strict=True))
        return found

    def find(self, items: Sequence[Id]) -> list[int | None]:
        """Where these items are; None for one that is not in the pool."""
        self._look_among_fetched([item for item in dict.fromkeys(items) if not self._is_known(item)])
        missing = [item for item in dict.fromkeys(items) if not self._is_known(item)]
        if missing:
            self._look_up(missing)
        return [self._positions.get(item) for item in items]

    def _is_known(self, item: Id) -> bool:
        return item in self._positions or item in self._absent

    def _look_among_fetched(self, items: list[Id]) -> None:
        """Find these items among those of the first pass."""
        for item, place in zip(items, self.fetched.ids.find(items) if items else [], strict=True):
            if place is not None:
                self._positions[item] = self.fetched.position(place)

    @cached_property
    def _shown(self) -> dict[Id, dict[str, str]]:
        return {}

    def shown(self, items: Sequence[Id]) -> list[dict[str, str]]:
        """What people are shown of these items; the engine is asked for those that came later than the first pass."""
        wanted = [item for item in dict.fromkeys(items) if item not in self._shown]
        for item, place in zip(wanted, self.fetched.ids.find(wanted) if wanted else [], strict=True):
            if place is not None:
                self._shown[item] = shown_texts(self.fetched.columns, place)
        missing = [item for item in wanted if item not in self._shown]
        if missing:
            rows = self._engine.find(missing, self._seed)
            places = {name: place for place, name in enumerate(rows.ids.tolist())}
            self._shown.update((item, shown_texts(rows.columns, places[item])) for item in missing if item in places)
        return [self._shown[item] for item in items]

    def _cell_of(self, position: int) -> int:
        return int(np.searchsorted(self._first, position, side="right")) - 1

    def _reach(self, position: int) -> None:
        """Fetch items of a level, in the order of the mix, until the item at this position is among them."""
        cell = self._cell_of(position)
        wanted = position - int(self._first[cell]) + 1  # so many items of the cell
        while (known := self._known_of(cell)) < wanted:
            if self._below[cell // 2] >= self._mixes:
                raise PoolError(CHANGED.format(f"{self._size[cell]:,} items were on a level, and now {known:,}"))
            self._fetch_more(cell, max(MORE, 4 * wanted))

    def _known_of(self, cell: int) -> int:
        """How many items of the cell are known: its first ones, without a gap."""
        first = int(self._first[cell])
        return self._known.get(cell, self.fetched.between(first, first + int(self._size[cell])))

    def _fetch_more(self, cell: int, count: int) -> None:
        """About so many further items of this cell: those of its level with the next mixes.

        Mixes are uniform, so a share of the possible mixes brings about the same share of the items.
        """
        level = cell // 2
        start = int(self._below[level])
        share = count / int(self._size[cell])
        below = min(self._mixes, start + max(1, int(np.ceil(share * self._mixes))))
        # No upper bound at the end: 16**15 has 16 hex digits, so as a text it sorts before most mixes of 15 digits.
        span = Span(float(self._layout.low[level]), float(self._layout.high[level]), start)
        rows = self._engine.rows([span if below == self._mixes else span._replace(below=below)], self._seed)
        rows = rows.take(np.lexsort((rows.ids, rows.mixes)))
        known = {each: self._known_of(each) for each in (2 * level, 2 * level + 1)}
        added = {each: rows.ids[rows.predictions == (each % 2 == 0)].tolist() for each in known}
        self._remember(
            {
                int(self._first[each]) + known[each] + offset: name
                for each, names in added.items()
                for offset, name in enumerate(names)
            }
        )
        self._known.update((each, known[each] + len(names)) for each, names in added.items())
        self._below[level] = below

    def _remember(self, names: dict[int, Id]) -> None:
        """Add items with their positions; an id that is already known at another position is repeated in the rows."""
        self._look_among_fetched([name for name in names.values() if name not in self._positions])
        elsewhere = [name for place, name in names.items() if self._positions.get(name, place) != place]
        refuse_repeated([*names.values(), *elsewhere])
        self._names.update(names)
        self._further.update((name, position) for position, name in names.items())
        self._positions.update((name, position) for position, name in names.items())

    def _look_up(self, items: list[Id]) -> None:
        """Find items that were not drawn by this process: known labels, or draws from before a restart."""
        numbered = self._layout.facts.numbered
        rows = self._engine.find([item for item in items if possible_id(item, numbered)], self._seed)
        refuse_repeated(rows.ids.tolist())  # before a query that counts items before them
        level = self._layout.find(rows.scores)
        if (level < 0).any():
            raise PoolError(CHANGED.format(f"{rows.ids[level < 0][0]!r} is in its head now, and was not"))
        spans = [Span(float(self._layout.low[place]), float(self._layout.high[place])) for place in level.tolist()]
        before = self._engine.before(rows, spans, self._seed)
        cells = (2 * level + ~rows.predictions).tolist()
        found = zip(cells, before, rows.ids.tolist(), strict=True)
        self._remember({int(self._first[cell]) + offset: name for cell, offset, name in found})
        self._absent.update(item for item in items if item not in self._positions)


def possible_id(item: Id, numbered: bool) -> bool:
    """Whether the id is of the pool's type: an integer of 64 bits, or a text. Engines fail on others."""
    if numbered:
        return isinstance(item, int) and -(2**63) <= item < 2**63
    return isinstance(item, str)


def shown_texts(columns: Mapping[str, Sequence[Any]], place: int) -> dict[str, str]:
    """The columns that people are shown of the row at this place, as text; empty where a value is missing."""
    values = ((name, column[place]) for name, column in columns.items())
    return {name: "" if is_missing(value) else str(value) for name, value in values}


def refuse_repeated(ids: list[Any]) -> None:
    """Refuse ids that occur twice among those that were fetched; `lowshot check` looks at all of them."""
    if len(set(ids)) == len(ids):
        return
    repeated = next(name for name, times in Counter(ids).items() if times > 1)
    raise InputError(
        f"ids must be distinct: {len(ids) - len(set(ids))} of the {len(ids):,} that were fetched repeat another"
        f" (for example {repeated!r}); give every item an id of its own"
    )
