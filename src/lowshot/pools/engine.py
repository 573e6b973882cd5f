"""What a grouped pool asks of the engine that holds its rows: five questions, each answered by one query or a few."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from lowshot.checks import Id
from lowshot.core.drawing import mix_integers, mix_texts
from lowshot.core.types import Flags, Floats, Integers
from lowshot.pools.grid import Grid

AnyArray = np.ndarray[Any, Any]


class Facts(NamedTuple):
    """Facts about the whole pool."""

    total: int
    low: float  # the lowest score
    high: float
    numbered: bool  # whether ids are integers; else they are texts


class Histogram(NamedTuple):
    """How many items are in each bin of a grid, by pattern. Only bins that hold items, in any order.

    A pattern says which models predict an item positive. Of one model: 0 is predicted positive, 1 is not.
    """

    bins: Floats
    patterns: Integers
    counts: Integers


class Span(NamedTuple):
    """Items with low <= score < high and start <= mix < below; `below` None: no upper bound."""

    low: float
    high: float
    start: int = 0
    below: int | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """Items with their mix (a pseudo-random number from seed and id) and the columns that people are shown."""

    ids: AnyArray
    scores: Floats
    predictions: Flags
    mixes: Integers
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, which: Integers | Flags) -> "Rows":
        """Some of the rows, in this order, without the columns that people are shown."""
        return Rows(self.ids[which], self.scores[which], self.predictions[which], self.mixes[which])

    def ranks(self) -> Integers:
        """The order by score, best first; then predicted positives, then by mix, then by id."""
        return np.lexsort((self.ids, self.mixes, ~self.predictions, -self.scores))


class Engine(Protocol):
    """Rows in arrays, a file, a warehouse. `ArrayEngine` is the definition: all others must answer the same."""

    def facts(self) -> Facts:
        """How many items there are, and the limits of their scores; refuses scores that are missing or not finite."""

    def histogram(self, grid: Grid) -> Histogram:
        """Exact counts per bin and prediction; refuses predictions that are not 0 or 1."""

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        """The items in any of these spans. Spans do not overlap."""

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        """The items with these ids; ids that are not in the pool are left out."""

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        """For each row, how many items of its span and prediction come earlier by (mix, id)."""


class ArrayEngine:
    """Columns in memory that were checked before: the engine that defines what all others must answer.

    >>> ids, scores = np.array(["a", "b", "c"], dtype=object), np.array([0.9, 0.8, 0.1])
    >>> engine = ArrayEngine(ids, scores, scores > 0.85)
    >>> engine.facts()
    Facts(total=3, low=0.1, high=0.9, numbered=False)
    >>> engine.rows([Span(0.5, np.inf)], seed=0).ids.tolist()
    ['a', 'b']
    """

    def __init__(
        self, ids: AnyArray, scores: Floats, predictions: Flags, show: Mapping[str, AnyArray] | None = None
    ) -> None:
        self._ids, self._scores, self._predictions = ids, scores.astype(np.float64), predictions
        self._show = show or {}  # columns that people are shown
        self._mixes: tuple[int, Integers] | None = None

    def facts(self) -> Facts:
        low, high = float(self._scores.min()) + 0.0, float(self._scores.max()) + 0.0  # -0.0 is 0.0
        return Facts(len(self._ids), low, high, self._ids.dtype != object)

    def histogram(self, grid: Grid) -> Histogram:
        return counted(grid.bin(self._scores), (~self._predictions).astype(np.int64))

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        mixes = self._mix(seed)
        found = np.zeros(len(self._ids), dtype=np.bool_)
        for span in spans:
            found |= inside(span, self._scores, mixes)
        return self._take(np.flatnonzero(found), seed)

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        return self._take(np.flatnonzero(np.isin(self._ids, np.array(ids, dtype=self._ids.dtype))), seed)

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        mixes, found = self._mix(seed), []
        for place, span in enumerate(spans):
            mix, name = rows.mixes[place], rows.ids[place]
            mine = inside(span, self._scores, mixes) & (self._predictions == rows.predictions[place])
            earlier = (mixes < mix) | ((mixes == mix) & (self._ids < name))
            found.append(int(np.count_nonzero(mine & earlier)))
        return found

    def _take(self, which: Integers, seed: int) -> Rows:
        shown = {name: column[which].tolist() for name, column in self._show.items()}
        return Rows(self._ids[which], self._scores[which], self._predictions[which], self._mix(seed)[which], shown)

    def _mix(self, seed: int) -> Integers:
        if self._mixes is None or self._mixes[0] != seed:
            texts = self._ids.dtype == object
            self._mixes = seed, mix_texts(self._ids.tolist(), seed) if texts else mix_integers(self._ids, seed)
        return self._mixes[1]


def counted(bins: Floats, patterns: Integers, counts: Integers | None = None) -> Histogram:
    """The histogram of items with these bins and patterns, or of so many items with each of them.

    >>> counted(np.array([3.0, 1.0, 3.0]), np.array([0, 1, 0]))
    Histogram(bins=array([1., 3.]), patterns=array([1, 0]), counts=array([1, 2]))
    """
    found, place = np.unique(bins, return_inverse=True)
    kinds, kind = np.unique(patterns, return_inverse=True)
    number = len(kinds) * place + kind
    count = np.bincount(number, counts, len(kinds) * len(found)).astype(np.int64)  # sums below 2**53 are exact
    there = np.flatnonzero(count)
    return Histogram(found[there // len(kinds)], kinds[there % len(kinds)], count[there])


def inside(span: Span, scores: Floats, mixes: Integers) -> Flags:
    """Whether each item is in the span."""
    found: Flags = (scores >= span.low) & (scores < span.high) & (mixes >= span.start)
    return found if span.below is None else found & (mixes < span.below)
