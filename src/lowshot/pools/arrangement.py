"""The rankings of a large pool by several scores, from counts that an engine gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lowshot.core.cells import ONE_MODEL, merged_kinds
from lowshot.core.types import Flags, Floats, Integers
from lowshot.pools.catalogue import Patterns
from lowshot.pools.consensus import Line, flags_of, grid, helps
from lowshot.pools.engine import Facts, Histogram
from lowshot.pools.grid import Grid
from lowshot.pools.layout import Layout
from lowshot.pools.memory_view import MOST_PATTERNS
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
    shares: Floats  # [kind, model]: of items of merged patterns, the share that the model predicts positive
    kinds: Integers  # what each pattern is merged into
    orders: tuple[Order, ...]
    layouts: tuple[Layout, ...]  # of each order, with counts by kind
    own: dict[str, Layout]  # of each model, by its own score: predicted positive or not
    start: int  # the order that is used before any label is seen
    left_out: tuple[str, ...]  # helpers that do not help
    flags: tuple[str, ...]  # scores of models that rank nothing
    count: Integers  # items of each pattern

    @cached_property
    def predicted(self) -> dict[str, int]:
        """How many items each model predicts positive."""
        return {
            model: int(self.count[self.patterns.flags[:, place]].sum()) for place, model in enumerate(self.names.models)
        }

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
        return tuple(name for name in self.names.helpers if name not in self.tables or not self._helps(name))

    def _helps(self, helper: str) -> bool:
        pairs = []
        for place, own in enumerate(self.names.judged.values()):
            bit = len(self.names.judged) - 1 - place
            pairs.append(tuple(self.tables[name].total(self.histograms[name], bit) for name in (helper, own)))
        return helps([(one, own) for one, own in pairs])

    @cached_property
    def scheme(self) -> Scheme:
        judged = tuple(dict.fromkeys(self.names.judged.values()))
        tables = {name: table for name, table in self.tables.items() if name not in self.left_out}
        plain = Scheme(tables, {}, judged)
        missing = [name for name in tables if name in self.facts.missing]
        return Scheme(tables, {name: Line.of(self.engine.sums(name, plain)) for name in missing}, judged)

    @cached_property
    def flags(self) -> tuple[str, ...]:
        judged = dict.fromkeys(self.names.judged.values())
        return flags_of({name: len(np.unique(self.histograms[name].bins)) for name in judged})

    @cached_property
    def distinct(self) -> list[str]:
        """The scores that are combined; one that gives every item the same number as an earlier one counts once."""
        found: list[str] = []
        for name in (name for name in self.names.scores if name not in (*self.left_out, *self.flags)):
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

    @cached_property
    def count(self) -> Integers:
        """How many items have each pattern."""
        found = self.histograms[self.scheme.judged[0]]
        place = self.patterns.places(found.patterns)
        return np.bincount(place, found.counts, len(self.patterns.bits)).astype(np.int64)

    @cached_property
    def merged(self) -> tuple[Floats, Integers]:
        return merged_kinds(self.patterns.flags, self.count, MOST_PATTERNS)

    @cached_property
    def grid(self) -> tuple[tuple[Order, ...], int]:
        """All orders, and which of them comes first."""
        every, start = grid(self.distinct, self.names.helpers)
        return tuple(Order(each, len(each) == 1 and next(iter(each)) in self.scheme.judged) for each in every), start

    def _layout(self, histogram: Histogram, grid: Grid, limits: tuple[float, float], kinds: Integers) -> Layout:
        """Counts by kind; the head is shared among the rankings."""
        facts = Facts(self.facts.total, *limits, self.facts.numbered)
        placed = histogram._replace(patterns=kinds[self.patterns.places(histogram.patterns)])
        head = self.head // len(self.grid[0])
        return Layout.of(facts, placed, grid, head, self.levels, int(kinds.max()) + 1, listing=False)

    def _of_score(self, name: str, kinds: Integers) -> Layout:
        return self._layout(self.histograms[name], self.grids[name], self.facts.limits[name], kinds)

    def _of_sums(self, histogram: Histogram, kinds: Integers) -> Layout:
        limits = float(histogram.bins.min()), float(histogram.bins.max())
        return self._layout(histogram, Grid("distinct"), limits, kinds)

    def arrangement(self) -> Arrangement:
        (orders, start), (shares, kinds) = self.grid, self.merged
        mixed = [order for order in orders if not order.own]
        sums = iter(self.engine.histograms(mixed, self.scheme) if mixed else [])
        layouts = [
            self._of_score(order.score, kinds) if order.own else self._of_sums(next(sums), kinds) for order in orders
        ]
        flags = self.patterns.flags
        judged = list(enumerate(self.names.judged.items()))
        return Arrangement(
            facts=self.facts,
            names=self.names,
            scheme=self.scheme,
            patterns=self.patterns,
            shares=shares,
            kinds=kinds,
            orders=orders,
            layouts=tuple(layouts),
            own={model: self._of_score(score, alone(flags[:, place])) for place, (model, score) in judged},
            start=start,
            left_out=self.left_out,
            flags=self.flags,
            count=self.count,
        )


def alone(flags: Flags) -> Integers:
    """The patterns of one model among several: 0 if it predicts an item positive, else 1."""
    return (~flags).astype(np.int64)
