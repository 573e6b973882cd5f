"""A ranking held as cells: items that share one score level and are predicted alike."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from lowshot.core.types import Flags, Floats, Integers

ONE_MODEL = np.array([[True], [False]])  # the patterns of one model: predicted positive, predicted negative
ONE_PATTERN = np.array([[True]])
NO_ITEMS = np.empty(0, dtype=np.int64)
MERGED = 4  # merged patterns: of those that few, some, many or nearly all models share


def patterns_of(predictions: Flags) -> tuple[Flags, Integers]:
    """The patterns that occur [pattern, model], from predicted by all to predicted by none; the pattern of each item.

    >>> patterns, pattern = patterns_of(np.array([[True, False], [False, False], [True, True]]))
    >>> patterns.tolist(), pattern.tolist()
    ([[True, True], [True, False], [False, False]], [1, 2, 0])

    `predictions` is [item, model], or [item] for one model, which always has both patterns.
    """
    if predictions.ndim == 1:
        return ONE_MODEL, (~predictions).view(np.uint8)
    models = predictions.shape[1]
    number = predictions @ (1 << np.arange(models, dtype=np.int64)[::-1])  # larger: predicted by earlier models
    negated, pattern = np.unique(-number, return_inverse=True)
    found: Flags = (-negated[:, None] >> np.arange(models)[::-1]) % 2 == 1
    return found, pattern.astype(np.uint8 if len(found) <= 256 else np.int64)


def merge_rare(patterns: Flags, pattern: Integers, most: int) -> tuple[Floats, Integers]:
    """At most `most` patterns: rare ones that about as many models share are merged into one.

    The share of each pattern's items that each model predicts positive [pattern, model], and the pattern of each item.
    It is 0 or 1 for a pattern that was not merged. The pattern without any model stays the last.

    >>> patterns, pattern = patterns_of(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    >>> [found.tolist() for found in merge_rare(patterns, pattern, 2)]
    [[[0.333..., 0.333..., 0.333...], [0.0, 0.0, 0.0]], [0, 0, 0, 1, 1]]
    """
    if len(patterns) <= most:
        return patterns.astype(np.float64), pattern
    shares, kind = merged_kinds(patterns, np.bincount(pattern, minlength=len(patterns)), most)
    return shares, kind[pattern]


def merged_kinds(patterns: Flags, count: Integers, most: int) -> tuple[Floats, Integers]:
    """The same from the number of items of each pattern: shares, and what each pattern is merged into."""
    shares = patterns.astype(np.float64)
    if len(patterns) <= most:
        return shares, np.arange(len(patterns))
    votes = patterns.mean(axis=1)
    some = np.flatnonzero(votes)
    common = some[np.argsort(-count[some], kind="stable")][: max(most - 1 - MERGED, 0)]
    rare = np.setdiff1d(some, common)
    kind = np.empty(len(patterns), dtype=np.int64)  # of each pattern; first the common ones, then the merged ones
    kind[common] = np.arange(len(common))
    merged = np.minimum((votes[rare] * MERGED).astype(np.int64), MERGED - 1) if most > MERGED else np.zeros_like(rare)
    kind[rare] = len(common) + merged
    kind[votes == 0] = len(common) + MERGED
    used, kind = np.unique(kind, return_inverse=True)
    size = np.bincount(kind, count, len(used))
    share = np.stack([np.bincount(kind, count * flags, len(used)) for flags in shares.T], axis=1) / size[:, None]
    return share, kind


class Urn(Protocol):
    """Items to draw from: place 0, 1, ... An array is an urn."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Any: ...


class Cells(ABC):
    """The cells of a ranking, best score first, ties in the order of patterns.

    A pattern says which models predict an item positive. With one model there are two: pattern 0 is predicted positive,
    pattern 1 is predicted negative.

    A cell is listed (its items are known one by one) or only counted, like the tail of a large pool. `ListedCells` are
    arrays in memory; in `GroupedCells` (`core/grouped_cells.py`) items are numbers, and their ids are somewhere else.
    `lowshot.testing.check_cells` checks a new kind.
    """

    level: Floats  # the score; NaN for a counted cell that spans several levels
    pattern: Integers  # a row of `patterns`
    patterns: Flags  # [pattern, model]: whether the model predicts positive
    count: Integers
    mass: Floats  # p(x) summed over the cell
    above: Integers  # items of the pool with a higher score
    midrank: Floats  # items of the pool with a lower score, plus half of those with the same score
    start: Integers  # cell j lists items[start[j]:start[j+1]]
    total: int  # items in the whole pool

    sequential: ClassVar[bool]  # whether `pick` depends on what was picked before in the same call

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def prediction(self) -> Flags:
        """What the model predicts for each cell; for the ranking of one model."""
        found: Flags = self.patterns[self.pattern, 0]
        return found

    @cached_property
    def predicted(self) -> Integers:
        """The cells that some model predicts positive."""
        return np.flatnonzero(self.patterns[self.pattern].any(axis=1))

    @cached_property
    def items(self) -> Integers:
        """Positions of the listed items, cell after cell."""
        return self._listing()

    @abstractmethod
    def _listing(self) -> Integers: ...

    @cached_property
    def cell_of_item(self) -> Integers:
        """The cell of each entry of `items`."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @abstractmethod
    def find(self, positions: Integers) -> Integers:
        """The cell of each position; -1 where the item is not listed."""

    def top(self, depth: int) -> Integers:
        """The cells of the `depth` best items (with all ties of the last) and of every predicted positive."""
        end = int(np.searchsorted(self.above, depth, side="left"))
        return np.concatenate([np.arange(end), self.predicted[self.predicted >= end]])

    @abstractmethod
    def of_one_pattern(self) -> Self:
        """The same cells as if all items were predicted alike."""

    @abstractmethod
    def best(self, depth: int) -> Integers:
        """The best items: `depth` of them, or more where all ties of the last are included."""

    @abstractmethod
    def without(self, known: Integers) -> Self:
        """The same cells with the known items subtracted from `count` and `mass`; `items` still lists them."""

    @abstractmethod
    def open(self, chosen: Integers, known: Integers, seen: Integers) -> Self:
        """The chosen cells without the known items.

        seen  items that were drawn or labelled before; only `GroupedCells` need them, as the items of their cells have
              no order until they are drawn
        """

    @abstractmethod
    def pick(self, cell: Integers, numbers: Floats, even: bool = False) -> Integers:
        """An item of each of these cells, chosen by a uniform number: in proportion to p(x), or evenly if `even`."""

    @abstractmethod
    def share(self, cell: Integers, items: Integers, even: bool = False) -> Floats:
        """The probability of each of these items inside its cell, as `pick` chooses."""

    @abstractmethod
    def urn(self, low: int, high: int, pattern: int, seen: Integers, gone: Integers = NO_ITEMS) -> "Urn":
        """The items with this pattern between two places of the listing, without those that are gone.

        low, high  places in `items`: the beginnings of two cells, or the end
        """


@dataclass(frozen=True, eq=False)
class ListedCells(Cells):
    """Cells over arrays in memory, with weights where items do not all count the same.

    >>> import numpy as np
    >>> from lowshot.core.ranking import rank
    >>> cells = rank(np.array([0.1, 0.9, 0.9, 0.5]), np.array([False, True, True, False]))
    >>> cells.level.tolist(), cells.count.tolist(), cells.items.tolist(), cells.prediction.tolist()
    ([0.9, 0.5, 0.1], [2, 1, 1], [1, 2, 3, 0], [True, False, False])
    """

    level: Floats
    pattern: Integers
    patterns: Flags
    count: Integers
    mass: Floats
    above: Integers
    midrank: Floats
    listed: Integers  # the same as `items`
    start: Integers
    total: int
    weights: Floats | None  # p(x) by position; None: every item 1/N
    _urns: dict[tuple[int, int, int], Integers] = field(default_factory=dict, repr=False)

    sequential: ClassVar[bool] = False

    def _listing(self) -> Integers:
        return self.listed

    @cached_property
    def _cell_of_position(self) -> Integers:
        """If every item is listed: the cell of each position."""
        found = np.empty(self.total, dtype=np.int64)
        found[self.items] = self.cell_of_item
        return found

    @cached_property
    def _by_position(self) -> tuple[Integers, Integers]:
        order = np.argsort(self.items)
        return self.items[order], self.cell_of_item[order]

    def find(self, positions: Integers) -> Integers:
        if 0 < len(self.items) == self.total:
            inside = (positions >= 0) & (positions < self.total)
            return np.where(inside, self._cell_of_position[np.where(inside, positions, 0)], -1)
        items, cells = self._by_position
        if not len(items):
            return np.full(len(positions), -1)
        place = np.minimum(np.searchsorted(items, positions), len(items) - 1)
        return np.where(items[place] == positions, cells[place], -1)

    def of_one_pattern(self) -> "ListedCells":
        return replace(self, pattern=np.zeros_like(self.pattern), patterns=ONE_PATTERN, _urns={})

    def best(self, depth: int) -> Integers:
        return self.items[: self.start[np.searchsorted(self.above, depth, side="left")]]

    def without(self, known: Integers) -> "ListedCells":
        cell = self.find(known)
        count = self.count - np.bincount(cell, minlength=len(self))
        if self.weights is None:
            return replace(self, count=count, mass=count / self.total)
        rest = self.mass - np.bincount(cell, self.weights[known], len(self))
        return replace(self, count=count, mass=np.where(count > 0, np.maximum(rest, 0), 0.0))

    def open(self, chosen: Integers, known: Integers, seen: Integers) -> "ListedCells":
        lengths = np.diff(self.start)[chosen]
        offsets = np.repeat(self.start[chosen] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        items = self.items[offsets + np.arange(lengths.sum())]
        cell = np.repeat(np.arange(len(chosen)), lengths)
        if len(known):
            keep = ~np.isin(items, known)
            items, cell = items[keep], cell[keep]
        count = np.bincount(cell, minlength=len(chosen))
        weights = self.weights
        summed = None if weights is None else np.bincount(cell, weights[items], len(chosen)).astype(np.float64)
        return replace(
            self,
            level=self.level[chosen],
            pattern=self.pattern[chosen],
            count=count,
            mass=count / self.total if summed is None else summed,
            above=self.above[chosen],
            midrank=self.midrank[chosen],
            listed=items,
            start=np.concatenate([[0], np.cumsum(count)]),
            _urns={},
        )

    def pick(self, cell: Integers, numbers: Floats, even: bool = False) -> Integers:
        if even or self.weights is None:
            return self.items[self.start[cell] + (numbers * self.count[cell]).astype(np.int64)]
        summed = np.concatenate([[0.0], np.cumsum(self.weights[self.items])])
        low, high = summed[self.start[cell]], summed[self.start[cell + 1]]
        place = np.searchsorted(summed, low + numbers * (high - low), side="right") - 1
        inside: Integers = np.clip(place, self.start[cell], self.start[cell + 1] - 1)
        return self.items[inside]

    def share(self, cell: Integers, items: Integers, even: bool = False) -> Floats:
        if even or self.weights is None:
            return 1 / self.count[cell]
        found: Floats = self.weights[items] / self.mass[cell]
        return found

    def urn(self, low: int, high: int, pattern: int, seen: Integers, gone: Integers = NO_ITEMS) -> Integers:
        key = int(low), int(high), pattern
        if key not in self._urns:  # once per ranking: the time of a round must not grow with the pool
            items, patterns = self.items[low:high], self.pattern[self.cell_of_item[low:high]]
            self._urns[key] = items[patterns == pattern]
        items = self._urns[key]
        return items[~np.isin(items, gone)] if len(gone) else items
