"""The rankings of a large pool by several scores, from counts that an engine gives."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lowshot.core.cells import ONE_MODEL
from lowshot.core.types import Integers
from lowshot.pools.catalogue import Patterns
from lowshot.pools.consensus import LEAST_LIFT, Line, grid, lift
from lowshot.pools.engine import Facts, Histogram
from lowshot.pools.grid import Grid
from lowshot.pools.layout import Layout
from lowshot.pools.numbers import NumberTable, Order, Scheme
from lowshot.pools.scores_engine import ScoresEngine, ScoresFacts


class Names(NamedTuple):
    """The models that are judged, each with the name of its score, and the scores that help."""

    judged: Mapping[str, str]
    helpers: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.judged)

    @property
    def scores(self) -> tuple[str, ...]:
        """Of models, each once; then those that help."""
        return tuple(dict.fromkeys([*self.judged.values(), *self.helpers]))


@dataclass(frozen=True, eq=False)
class Arrangement:
    """All rankings of a pool: what they are made of, and how many items of which pattern are on which level."""

    facts: ScoresFacts
    names: Names
    scheme: Scheme
    patterns: Patterns
    orders: tuple[Order, ...]
    layouts: tuple[Layout, ...]  # of each order
    own: dict[str, Layout]  # of the score of each model
    start: int  # the order that is used before any label is seen
    left_out: tuple[str, ...]  # helpers that do not help
    predicted: dict[str, int]  # items that each model predicts positive

    @classmethod
    def of(cls, engine: ScoresEngine, names: Names, head: int, levels: int | None) -> "Arrangement":
        return _Arranging(engine, names, head, levels).arrangement()


@dataclass(frozen=True, eq=False)
class _Arranging:
    """The steps from an engine to an arrangement. Each one is made once."""

    engine: ScoresEngine
    names: Names
    head: int
    levels: int | None

    @cached_property
    def facts(self) -> ScoresFacts:
        return self.engine.facts()

    @cached_property
    def grids(self) -> dict[str, Grid]:
        """Of each score that has values."""
        limits = {name: pair for name, pair in self.facts.limits.items() if not np.isnan(pair[0])}
        return {name: Grid("distinct") if self.levels is None else Grid.of(*pair) for name, pair in limits.items()}

    @cached_property
    def histograms(self) -> dict[str, Histogram]:
        return {name: self.engine.histogram(name, grid) for name, grid in self.grids.items()}

    @cached_property
    def tables(self) -> dict[str, NumberTable]:
        return {name: NumberTable.of(found, self.grids[name]) for name, found in self.histograms.items()}

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        return tuple(name for name in self.names.helpers if name not in self.tables or self._lift(name) < LEAST_LIFT)

    def _lift(self, helper: str) -> float:
        pairs = []
        for place, own in enumerate(self.names.judged.values()):
            bit = len(self.names.judged) - 1 - place
            pairs.append(tuple(self.tables[name].total(self.histograms[name], bit) for name in (helper, own)))
        return lift([(one, own) for one, own in pairs])

    @cached_property
    def scheme(self) -> Scheme:
        judged = tuple(dict.fromkeys(self.names.judged.values()))
        tables = {name: table for name, table in self.tables.items() if name not in self.left_out}
        plain = Scheme(tables, {}, judged)
        missing = [name for name in tables if name in self.facts.missing]
        return Scheme(tables, {name: Line.of(self.engine.sums(name, plain)) for name in missing}, judged)

    @cached_property
    def distinct(self) -> list[str]:
        """The scores that are combined; one that gives every item the same number as an earlier one counts once."""
        found: list[str] = []
        for name in (name for name in self.names.scores if name not in self.left_out):
            if not any(self._same(name, other) for other in found):
                found.append(name)
        return found

    def _same(self, one: str, two: str) -> bool:
        if {one, two} & self.scheme.lines.keys() or not np.array_equal(self._spread(one), self._spread(two)):
            return False
        return self.engine.same(one, two, self.scheme)

    def _spread(self, name: str) -> Integers:
        """How many items have each number: scores that spread differently need not be compared item by item."""
        histogram = self.histograms[name]
        number, place = np.unique(self.tables[name].at_bins(histogram.bins), return_inverse=True)
        return np.stack([number, np.bincount(place, histogram.counts, len(number)).astype(np.int64)])

    @cached_property
    def patterns(self) -> Patterns:
        models = len(self.names.judged)
        if models == 1:
            return Patterns(np.array([1, 0]), ONE_MODEL)
        bits = np.unique(self.histograms[self.scheme.judged[0]].patterns)[::-1]
        return Patterns(bits, (bits[:, None] >> np.arange(models)[::-1]) % 2 == 1)

    def _layout(self, histogram: Histogram, grid: Grid, rankings: int, limits: tuple[float, float]) -> Layout:
        """The head is shared among the rankings."""
        facts = Facts(self.facts.total, *limits, self.facts.numbered)
        placed = histogram._replace(patterns=self.patterns.places(histogram.patterns))
        head = self.head // rankings
        return Layout.of(facts, placed, grid, head, self.levels, len(self.patterns.bits), listing=False)

    def arrangement(self) -> Arrangement:
        every, start = grid(self.distinct)
        orders = tuple(Order(each, len(each) == 1 and next(iter(each)) in self.scheme.judged) for each in every)
        mixed = [order for order in orders if not order.own]
        sums = dict(zip(map(id, mixed), self.engine.histograms(mixed, self.scheme) if mixed else [], strict=True))
        own = {
            name: self._layout(self.histograms[name], self.grids[name], len(orders), self.facts.limits[name])
            for name in self.scheme.judged
        }
        layouts = tuple(
            own[order.score] if order.own else self._of_sums(sums[id(order)], len(orders)) for order in orders
        )
        return Arrangement(
            self.facts, self.names, self.scheme, self.patterns, orders, layouts, own, start, self.left_out, self._counts
        )

    def _of_sums(self, histogram: Histogram, rankings: int) -> Layout:
        limits = float(histogram.bins.min()), float(histogram.bins.max())
        return self._layout(histogram, Grid("distinct"), rankings, limits)

    @property
    def _counts(self) -> dict[str, int]:
        histogram = self.histograms[self.scheme.judged[0]]
        bits = {name: len(self.names.judged) - 1 - place for place, name in enumerate(self.names.judged)}
        flags = {name: (histogram.patterns >> bit) % 2 == 1 for name, bit in bits.items()}
        return {name: int(histogram.counts[flag].sum()) for name, flag in flags.items()}


def folded(layout: Layout, kind: Integers) -> Layout:
    """The layout with patterns of one kind counted together."""
    count = np.zeros((int(kind.max()) + 1, len(layout)), dtype=np.int64)
    np.add.at(count, kind, layout.count)
    return replace(layout, count=count)
