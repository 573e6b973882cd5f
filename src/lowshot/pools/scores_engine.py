"""What a grouped pool with several scores asks of the engine that holds its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from lowshot.checks import Id
from lowshot.core.drawing import further_mix
from lowshot.core.types import Flags, Floats, Integers, Scores
from lowshot.pools.consensus import Sums, mean_number
from lowshot.pools.engine import AnyArray, Histogram, Span, counted, inside
from lowshot.pools.grid import Grid
from lowshot.pools.numbers import Order, Scheme


class ScoresFacts(NamedTuple):
    """Facts about the whole pool."""

    total: int
    numbered: bool  # whether ids are integers; else they are texts
    limits: dict[str, tuple[float, float]]  # the lowest and the highest value of each score; NaN if it has none
    missing: dict[str, int]  # how many values each helper lacks; without those that lack none


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Items with all their scores and the columns that people are shown.

    The pattern of an item is a whole number with a bit for each model, the last model having the lowest: it is set if
    the model predicts the item positive.
    """

    ids: AnyArray
    scores: Mapping[str, Floats]  # by name; NaN where a helper is unknown
    patterns: Integers
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, which: Integers | Flags) -> "ScoredRows":
        """Some of the rows, in this order."""
        scores = {name: values[which] for name, values in self.scores.items()}
        places = np.arange(len(self))[which].tolist()
        shown = {name: [values[place] for place in places] for name, values in self.columns.items()}
        return ScoredRows(self.ids[which], scores, self.patterns[which], shown)

    def then(self, others: "ScoredRows") -> "ScoredRows":
        """These rows and then others."""
        scores = {name: np.concatenate([values, others.scores[name]]) for name, values in self.scores.items()}
        shown = {name: [*values, *others.columns[name]] for name, values in self.columns.items()}
        ids, patterns = (np.concatenate(pair) for pair in ((self.ids, others.ids), (self.patterns, others.patterns)))
        return ScoredRows(ids, scores, patterns, shown)


class Wanted(NamedTuple):
    """Items in any of these spans of one ranking; spans do not overlap."""

    order: Order
    number: int  # of the mix that orders the items of this ranking: `core.drawing.further_mix`
    predicted: bool  # items that some model predicts positive; else those that none does
    spans: list[Span]


class ScoresEngine(Protocol):
    """Rows in arrays, a file, a warehouse. `ArrayScores` is the definition: all others must answer the same."""

    def facts(self) -> ScoresFacts:
        """Refuses scores of models that are missing or not finite, and predictions that are not 0 or 1."""

    def histogram(self, score: str, grid: Grid) -> Histogram:
        """Exact counts per bin and pattern of the items that have this score."""

    def sums(self, helper: str, scheme: Scheme) -> Sums:
        """What a line for the missing values of a helper is fitted to."""

    def same(self, one: str, two: str, scheme: Scheme) -> bool:
        """Whether two scores have the same number for every item."""

    def histograms(self, orders: Sequence[Order], scheme: Scheme) -> list[Histogram]:
        """For each order, exact counts per weighted sum and pattern."""

    def rows(self, wanted: Sequence[Wanted], scheme: Scheme, seed: int) -> ScoredRows:
        """The items that any of these rankings wants."""

    def find(self, ids: Sequence[Id]) -> ScoredRows:
        """The items with these ids; ids that are not in the pool are left out."""


class ArrayScores:
    """Columns in memory that were checked before: the engine that defines what all others must answer.

    >>> scores = {"v1": np.array([0.9, 0.8, 0.1]), "clip": np.array([3.0, np.nan, 1.0])}
    >>> engine = ArrayScores(np.array(["a", "b", "c"], dtype=object), scores, np.array([1, 1, 0]))
    >>> engine.facts()
    ScoresFacts(total=3, numbered=False, limits={'v1': (0.1, 0.9), 'clip': (1.0, 3.0)}, missing={'clip': 1})
    """

    def __init__(
        self,
        ids: AnyArray,
        scores: Mapping[str, Scores],
        patterns: Integers,
        show: Mapping[str, AnyArray] | None = None,
    ) -> None:
        whole = {name: values.astype(np.float64) + 0.0 for name, values in scores.items()}  # -0.0 is 0.0
        columns = {name: cast("Sequence[Any]", column) for name, column in (show or {}).items()}
        self._rows = ScoredRows(ids, whole, patterns, columns)

    def facts(self) -> ScoresFacts:
        rows = self._rows
        limits, missing = {}, {}
        for name, values in rows.scores.items():
            known = values[~np.isnan(values)]
            limits[name] = (float(known.min()) + 0.0, float(known.max()) + 0.0) if len(known) else (np.nan, np.nan)
            if len(known) < len(rows):
                missing[name] = len(rows) - len(known)
        return ScoresFacts(len(rows), rows.ids.dtype != object, limits, missing)

    def histogram(self, score: str, grid: Grid) -> Histogram:
        values = self._rows.scores[score]
        known = ~np.isnan(values)
        return counted(grid.bin(values[known]), self._rows.patterns[known])

    def sums(self, helper: str, scheme: Scheme) -> Sums:
        known = ~np.isnan(self._rows.scores[helper])
        scores = {name: values[known] for name, values in self._rows.scores.items()}
        found = scheme.tables[helper].at(scores[helper])
        mean = mean_number([scheme.tables[name].at(scores[name]) for name in scheme.judged])
        return Sums.of(found, mean)

    def same(self, one: str, two: str, scheme: Scheme) -> bool:
        numbers = self._numbers(scheme)
        return bool(np.array_equal(numbers[one], numbers[two]))

    def histograms(self, orders: Sequence[Order], scheme: Scheme) -> list[Histogram]:
        numbers = self._numbers(scheme)
        return [counted(scheme.level(order, self._rows.scores, numbers), self._rows.patterns) for order in orders]

    def rows(self, wanted: Sequence[Wanted], scheme: Scheme, seed: int) -> ScoredRows:
        numbers, found = self._numbers(scheme), np.zeros(len(self._rows), dtype=np.bool_)
        for each in wanted:
            level = scheme.level(each.order, self._rows.scores, numbers)
            mine = (self._rows.patterns > 0) == each.predicted
            mixes = further_mix(self._rows.ids, seed, each.number)
            for span in each.spans:
                found |= mine & inside(span, level, mixes)
        return self._rows.take(found)

    def find(self, ids: Sequence[Id]) -> ScoredRows:
        return self._rows.take(np.isin(self._rows.ids, np.array(ids, dtype=self._rows.ids.dtype)))

    def _numbers(self, scheme: Scheme) -> dict[str, Integers]:
        return scheme.numbers(self._rows.scores)
