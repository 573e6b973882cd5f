"""What a pool asks of the engine that holds its rows: four questions, each answered by one query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from lowshot.checks import Id
from lowshot.core.types import Flags, Floats, Integers
from lowshot.ranked.grid import Grid

AnyArray = np.ndarray[Any, Any]


class Facts(NamedTuple):
    """Of the whole pool."""

    total: int
    low: float  # the lowest score
    high: float
    numbered: bool  # whether ids are integers; else they are texts


class Histogram(NamedTuple):
    """How many items are in each bin of a grid, by prediction; every bin that has one, in any order."""

    bins: Floats
    predictions: Flags
    counts: Integers


class Span(NamedTuple):
    """Items with low <= score < high and start <= mix < below; `below` None: whatever their mix."""

    low: float
    high: float
    start: int = 0
    below: int | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """Items one by one, in any order, with their mix and the columns that people are shown."""

    ids: AnyArray
    scores: Floats
    predictions: Flags
    mixes: Integers
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, which: Integers | Flags) -> "Rows":
        """Some of them, in this order; without the columns."""
        return Rows(self.ids[which], self.scores[which], self.predictions[which], self.mixes[which])

    def ranked(self) -> "Rows":
        """By score, best first; then predicted positives, then by mix, then by id."""
        return self.take(np.lexsort((self.ids, self.mixes, ~self.predictions, -self.scores)))


class Engine(Protocol):
    """Rows somewhere: arrays, a file, a warehouse. NumPy's is the definition; all others must answer the same."""

    def facts(self) -> Facts:
        """How many there are, and their limits; refuses scores that cannot be evaluated."""

    def histogram(self, grid: Grid) -> Histogram:
        """Exact counts; refuses predictions that cannot be evaluated."""

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        """The items in any of these spans, which do not overlap."""

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        """The items with these ids, as far as they are there."""

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        """For each row, how many items of its span and prediction come earlier by (mix, id)."""
