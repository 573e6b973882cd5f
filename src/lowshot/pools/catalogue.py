"""The items of a large pool with several scores that were fetched, and their places in each of its rankings.

A position is the place of an item in the catalogue, so it is the same in every ranking. All scores of an item are
fetched with it: where it is in any ranking is then computed here, without a query.

Each ranking has a mix of its own, and draws the items of a cell in the order of this mix. So the items that one ranking
drew first are not missing among the first of another one, and draws from it are uniform whatever was drawn before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lowshot.checks import Id
from lowshot.core.cells import NO_ITEMS, Urn
from lowshot.core.drawing import RANGE, further_mix
from lowshot.core.grouped_cells import CellItems, GroupedCells
from lowshot.core.types import Flags, Integers
from lowshot.errors import PoolError
from lowshot.pools.engine import Span
from lowshot.pools.layout import Layout
from lowshot.pools.numbers import Order, Scheme
from lowshot.pools.places import CHANGED, MORE, possible_id, refuse_repeated, shown_texts
from lowshot.pools.scores_engine import ScoredRows, ScoresEngine, Wanted


class Patterns(NamedTuple):
    """Which models predict items positive, for the patterns that occur."""

    bits: Integers  # of each pattern, as `ScoredRows.patterns`; descending, so that the pattern of none is the last
    flags: Flags  # [pattern, model]

    def places(self, bits: Integers) -> Integers:
        """The pattern of each item."""
        place = np.searchsorted(-self.bits, -bits)
        if len(bits) and (place.max() == len(self.bits) or not np.array_equal(self.bits[place], bits)):
            raise PoolError(CHANGED.format("the predictions of an item are new"))
        return place


class Catalogue:
    """Ids, scores and patterns of all items that were fetched, for one seed."""

    def __init__(
        self, engine: ScoresEngine, scheme: Scheme, patterns: Patterns, first: list[Wanted], seed: int, numbered: bool
    ) -> None:
        self._engine, self._scheme, self.patterns, self.first = engine, scheme, patterns, first
        self.seed, self.numbered = seed, numbered
        self.mixes = RANGE[numbered]
        self._rows: ScoredRows | None = None
        self._position: dict[Id, int] = {}
        self._absent: set[Id] = set()  # ids that were looked up and are not in the pool

    @property
    def rows(self) -> ScoredRows:
        """All items that were fetched. The first query fetches the best items and a reserve of each ranking."""
        if self._rows is None:
            self._keep(self._engine.rows(self.first, self._scheme, self.seed))
        assert self._rows is not None
        return self._rows

    def __len__(self) -> int:
        return len(self.rows)

    def fetch(self, wanted: Sequence[Wanted]) -> None:
        """Add further items."""
        self._add(self._engine.rows(wanted, self._scheme, self.seed))

    def _add(self, rows: ScoredRows) -> None:
        refuse_repeated(rows.ids.tolist())
        new = [item not in self._position for item in rows.ids.tolist()]
        self._keep(rows.take(np.array(new, dtype=np.bool_)))

    def _keep(self, rows: ScoredRows) -> None:
        """Append rows that are new, by id: positions do not depend on the order in which an engine gives rows."""
        refuse_repeated(rows.ids.tolist())
        rows = rows.take(np.argsort(rows.ids, kind="stable"))
        start = 0 if self._rows is None else len(self._rows)
        self._rows = rows if self._rows is None else self._rows.then(rows)
        self._position.update((item, start + place) for place, item in enumerate(rows.ids.tolist()))

    def names(self, positions: Sequence[int]) -> list[Id]:
        if len(positions) and max(positions) >= len(self):
            everything = Span(-np.inf, np.inf)
            self.fetch([self.first[0]._replace(predicted=flag, spans=[everything]) for flag in (True, False)])
        found: list[Id] = self.rows.ids[np.asarray(positions, dtype=np.int64)].tolist()
        return found

    def find(self, items: Sequence[Id]) -> list[int | None]:
        """Where these items are; None for one that is not in the pool. Items that are not known cost one query."""
        if not items:
            return []
        self.rows  # noqa: B018  # fetches the first items
        missing = [item for item in dict.fromkeys(items) if item not in self._position and item not in self._absent]
        wanted = [item for item in missing if possible_id(item, self.numbered)]
        if wanted:
            self._add(self._engine.find(wanted))
        self._absent.update(item for item in missing if item not in self._position)
        return [self._position.get(item) for item in items]

    def shown(self, items: Sequence[Id]) -> list[dict[str, str]]:
        """What people are shown of these items."""
        return [shown_texts(self.rows.columns, self._position[item]) for item in items]

    def levels(self, order: Order, layout: Layout) -> Integers:
        """The level of each item in a ranking."""
        rows = self.rows
        numbers = {} if order.own else self._scheme.numbers(rows.scores)
        return layout.find(self._scheme.level(order, rows.scores, numbers))


class Sorted(NamedTuple):
    """The items of the catalogue as one ranking has them."""

    cell: Integers  # of each item: level * kinds + kind
    mix: Integers  # of each item
    listed: Integers  # items of which no earlier one of the same cell is missing, by cell, then by (mix, id)
    start: Integers  # cell c lists listed[start[c]:start[c+1]]
    joined: dict[tuple[int, int, int], Integers]  # lists of several cells, made when they are asked for


class RankedItems:
    """The items of the catalogue in the cells of one ranking.

    Items of a cell are ordered by (mix, id). All of them up to a limit of the mix were fetched; the limit is moved when
    more are drawn.
    """

    def __init__(
        self, catalogue: Catalogue, order: Order, number: int, layout: Layout, kind: Integers, below: Integers
    ) -> None:
        self.catalogue, self.order, self.number, self.layout = catalogue, order, number, layout
        self._kind, self._kinds = kind, len(layout.count)  # of each pattern; several patterns may be of one kind
        self._below = below  # [predicted by some model or by none, level]: items with a smaller mix were fetched
        self._sorted: tuple[int, Sorted] | None = None
        size = layout.count.T.ravel()
        self.size = size
        self.first = np.cumsum(size) - size  # of each cell: how many items are in those before it

    @property
    def sorted(self) -> Sorted:
        """Made again when items were added."""
        known = len(self.catalogue)
        if self._sorted is None or self._sorted[0] != known:
            self._sorted = known, self._sort()
        return self._sorted[1]

    def _sort(self) -> Sorted:
        catalogue, rows = self.catalogue, self.catalogue.rows
        level = catalogue.levels(self.order, self.layout)
        cell = level * self._kinds + self._kind[catalogue.patterns.places(rows.patterns)]
        mix = further_mix(rows.ids, catalogue.seed, self.number)
        reached = np.flatnonzero(mix < self._limit(cell))
        ties = rows.ids[reached] if catalogue.numbered else reached  # mixes of texts have 60 bits: they are distinct
        listed = reached[np.lexsort((ties, mix[reached], cell[reached]))]
        start = np.searchsorted(cell[listed], np.arange(len(self.size) + 1))
        return Sorted(cell, mix, listed, start, {})

    def _limit(self, cell: Integers) -> Integers:
        """Of each of these cells: items with a smaller mix were fetched."""
        level, kind = np.divmod(cell, self._kinds)
        some, none = (
            np.where(has[kind], below[level], self.catalogue.mixes)
            for has, below in zip(self._has, self._below, strict=True)
        )
        limit: Integers = np.minimum(some, none)
        return limit

    @cached_property
    def _has(self) -> list[Flags]:
        """Whether each kind has patterns that some model predicts positive; and patterns that none does."""
        none = self.catalogue.patterns.bits == 0
        parts = [np.unique(self._kind[~none]), np.unique(self._kind[none])]
        return [np.isin(np.arange(self._kinds), part) for part in parts]

    def first_of(self, positions: Integers) -> Integers:
        """What identifies the cell of each item: how many items are in the cells before it; -1 if it is not known."""
        cell = self.sorted.cell
        inside = (positions >= 0) & (positions < len(cell))
        found: Integers = np.where(inside, self.first[cell[np.where(inside, positions, 0)]], -1)
        return found

    def cell_at(self, first: int) -> int:
        """The cell that this number identifies; empty cells have the number of the next one."""
        return int(np.searchsorted(self.first, first, side="right")) - 1

    def first_listed(self, first: Integers) -> Integers:
        """The first item of cells that these numbers identify; -1 if it was not fetched."""
        found = self.sorted
        cell = np.searchsorted(self.first, first, side="right") - 1
        there = found.start[cell] < found.start[cell + 1]
        if not there.any():
            return np.full(len(first), -1)
        return np.where(there, found.listed[np.where(there, found.start[cell], 0)], -1)

    def by_mix(self, positions: Integers) -> list[int]:
        """These items in the order of the ranking's mix."""
        found: list[int] = positions[np.argsort(self.sorted.mix[positions], kind="stable")].tolist()
        return found

    def item(self, cells: Integers, place: int) -> int:
        """The item at this place of cells of one kind, by mix; the engine is asked where the reserve does not reach."""
        while True:
            found = self.listed(cells)
            if place < len(found):
                return int(found[place])
            self._fetch_more(cells, max(MORE, 4 * (place + 1)), len(found))

    def listed(self, cells: Integers) -> Integers:
        """The items of cells of one kind, by mix, up to the first that may be missing in one of the cells."""
        found = self.sorted
        key = (int(cells[0]), int(cells[-1]), len(cells))
        if key not in found.joined:
            parts = [found.listed[found.start[cell] : found.start[cell + 1]] for cell in cells.tolist()]
            items = np.concatenate(parts)
            items = items[found.mix[items] < self._limit(cells).min()]
            found.joined[key] = items[np.argsort(found.mix[items], kind="stable")] if len(cells) > 1 else items
        return found.joined[key]

    def _fetch_more(self, cells: Integers, count: int, came: int) -> None:
        """About so many further items of these cells. Mixes are uniform: a share of them brings that share of items."""
        level, kind = np.divmod(cells, self._kinds)
        mixes, start, size = self.catalogue.mixes, int(self._limit(cells).min()), int(self.size[cells].sum())
        if start >= mixes:
            raise PoolError(CHANGED.format(f"{size:,} items were on a level, and now {came:,}"))
        below = min(mixes, start + max(1, int(np.ceil(count / size * mixes))))
        span = Span(float(self.layout.low[level].min()), float(self.layout.high[level].max()), start)
        span = span if below == mixes else span._replace(below=below)  # no bound at the end: as in `Places`
        flags = [flag for flag in (0, 1) if self._has[flag][kind].any()]
        self.catalogue.fetch([Wanted(self.order, self.number, flag == 0, [span]) for flag in flags])
        for flag in flags:
            self._below[flag][level] = np.maximum(self._below[flag][level], below)
        self._sorted = None

    def rank(self, positions: Integers) -> Integers:
        """Places in the ranking, 1 is the best; where items before it were not fetched, about where its mix puts it."""
        found = self.sorted
        cell = found.cell[positions]
        place = np.full(len(found.cell), -1)
        place[found.listed] = np.arange(len(found.listed)) - found.start[found.cell[found.listed]]
        share = found.mix[positions] / self.catalogue.mixes
        about = np.minimum((share * self.size[cell]).astype(np.int64), self.size[cell] - 1)
        return self.first[cell] + np.where(place[positions] >= 0, place[positions], about) + 1

    def examples(self) -> Integers:
        """The last known item of each cell, best cell first."""
        found = self.sorted
        last = found.start[1:][np.diff(found.start) > 0] - 1
        return found.listed[last]


@dataclass(frozen=True, eq=False)
class FetchedCells(GroupedCells):
    """Cells whose items are those of a catalogue: positions are not numbered from the best to the last."""

    ranked: RankedItems = field(kw_only=True)

    def _listing(self) -> Integers:
        """Every item: only for small pools."""
        parts = [self._members(cell) for cell in range(len(self))]
        found = np.concatenate([NO_ITEMS, *parts])
        return found[~np.isin(found, self.gone)]

    def _members(self, cell: int) -> Integers:
        number, size = np.array([self.ranked.cell_at(int(self.first[cell]))]), int(self.size[cell])
        self.ranked.item(number, size - 1)
        return self.ranked.listed(number)[:size]

    def find(self, positions: Integers) -> Integers:
        if not len(self):
            return np.full(len(positions), -1)
        first = self.ranked.first_of(positions)
        place = np.minimum(np.searchsorted(self.first, first), len(self) - 1)
        return np.where((self.first[place] == first) & ~np.isin(positions, self.gone), place, -1)

    def best(self, depth: int) -> Integers:
        return self.items[:depth]

    def _alone(self, cell: Integers) -> Integers:
        found = np.full(len(cell), -1)
        for place in np.flatnonzero(self.size[cell] == 1).tolist():
            found[place] = self.ranked.item(np.array([self.ranked.cell_at(int(self.first[cell[place]]))]), 0)
        return found

    def unseen_of(self, cell: Integers) -> Integers:
        """The first item of a cell if it can be; else any known item, as the next one of the mix may cost a query."""
        listed = self.ranked.first_listed(self.first[cell])
        found = np.where(np.isin(listed, self.seen) | np.isin(listed, self.gone), -1, listed)
        rest = np.flatnonzero(found < 0)
        if len(rest):
            known = np.ones(len(self.ranked.catalogue), dtype=np.bool_)
            known[self.seen] = False
            place = self.find(np.flatnonzero(known))
            any_known = np.full(len(self), -1)
            any_known[place[place >= 0]] = np.flatnonzero(known)[place >= 0]
            found[rest] = any_known[cell[rest]]
        for one in np.flatnonzero(found < 0).tolist():
            found[one] = self.items_of(int(cell[one])).next_unseen()
        return found

    def items_of(self, cell: int) -> "CatalogueItems":
        return self._items(np.array([cell]), self.seen, self.gone)

    def _items(self, chosen: Integers, seen: Integers, gone: Integers) -> "CatalogueItems":
        """The items of cells of one pattern as one urn."""
        first = self.first[chosen]
        inside = [part[np.isin(self.ranked.first_of(part), first)] for part in (seen, gone)]
        cells = np.array([self.ranked.cell_at(number) for number in first.tolist()])
        size = int(self.size[chosen].sum()) - len(np.unique(inside[1]))
        return CatalogueItems(self.ranked, cells, self.ranked.by_mix(inside[0]), set(inside[1].tolist()), size)

    def urn(self, low: int, high: int, pattern: int, seen: Integers, gone: Integers = NO_ITEMS) -> "Urn":
        """All cells together: their items in the order of the mix, so that small cells need no query of their own."""
        inside = np.arange(*np.searchsorted(self.first, [low, high]))
        chosen = inside[self.pattern[inside] == pattern]
        return self._items(chosen, np.unique(seen), np.unique(gone)) if len(chosen) else NO_ITEMS


class CatalogueItems(CellItems):
    """The items of cells of one kind as an urn: first those that were seen, then new ones in the order of the mix."""

    def __init__(self, ranked: RankedItems, cells: Integers, seen: list[int], gone: set[int], size: int) -> None:
        super().__init__(0, seen, gone)
        self._ranked, self._cells, self._size = ranked, cells, size

    def __len__(self) -> int:
        return self._size

    def _item(self, number: int) -> int:
        return self._ranked.item(self._cells, number)
