"""A pool with several scores whose rows stay where they are: counts, the best items and drawn items are fetched."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.cells import ONE_MODEL
from lowshot.core.drawing import RANGE
from lowshot.core.types import Flags, Integers
from lowshot.errors import InputError
from lowshot.pools import layout as layouts
from lowshot.pools.arrangement import Arrangement, Names, alone
from lowshot.pools.base import BasePool, Joint, digest_of, number_or_text, plain_id
from lowshot.pools.catalogue import Catalogue, FetchedCells, RankedItems
from lowshot.pools.grouped import HEAD, LEVELS, CountedView, level_cells
from lowshot.pools.layout import Layout
from lowshot.pools.models import described, known_model
from lowshot.pools.numbers import Order
from lowshot.pools.scale import Scale, check_scale, known_scale
from lowshot.pools.scores_engine import ScoredRows, ScoresEngine, Wanted

MANY = 8  # rankings: if there are more, the reserve of each is smaller
LEAST_RESERVE = 256  # random items of each region of a ranking that are fetched with the first pass, at least


class GroupedScores(BasePool):
    """Several scores, and items that are counted on levels of each ranking.

    The best `head` items, shared among the rankings, have levels as fine as the bins of the scores; all others are
    counted in `levels` groups per ranking. A position is the place of an item among those that were fetched.

    >>> from lowshot.pools.scores_engine import ArrayScores
    >>> scores = {"v1": np.linspace(0, 1, 1000), "v2": np.linspace(0, 1, 1000) ** 2 % 0.9}
    >>> engine = ArrayScores(np.arange(1000), scores, 2 * (scores["v1"] > 0.95) + (scores["v2"] > 0.85))
    >>> GroupedScores(engine, Names({"v1": "v1", "v2": "v2"}, ()), head=10, levels=5)
    Pool(1,000 items; predicted positive: v1 50, v2 26)
    """

    grouped: ClassVar[bool] = True

    def __init__(
        self,
        engine: ScoresEngine,
        names: Names,
        *,
        head: int = HEAD,
        levels: int | None = LEVELS,
        scale: Scale | None = None,
        seed: int = 0,
        arrangement: Arrangement | None = None,
    ) -> None:
        self.engine, self._names, self.seed = engine, names, seed
        self.head = checks.whole_number("head", head, 0, 10**7)
        self.levels = None if levels is None else checks.whole_number("levels", levels, 1, 10**6)
        self.scale = known_scale(scale)
        self._arrangement = arrangement
        self._views: dict[str, ScoresView] = {}

    @property
    def arrangement(self) -> Arrangement:
        """What the first passes over the rows found."""
        if self._arrangement is None:
            found = Arrangement.of(self.engine, self._names, self.head, self.levels)
            if self.scale is not None:
                check_scale(np.array(found.facts.limits[found.scheme.judged[0]]), self.scale)
            self._arrangement = found
        return self._arrangement

    def bind(self, seed: int) -> "GroupedScores":
        """The same rows, ordered by another seed inside groups."""
        if seed == self.seed:
            return self
        return GroupedScores(
            self.engine,
            self._names,
            head=self.head,
            levels=self.levels,
            scale=self.scale,
            seed=seed,
            arrangement=self.arrangement,
        )

    def __len__(self) -> int:
        return self.arrangement.facts.total

    def __repr__(self) -> str:
        found = self.arrangement
        return described(len(self), found.predicted, self.helpers, found.facts.missing, self.left_out)

    @property
    def names_of_scores(self) -> Names:
        """Which scores belong to models, and which help."""
        return self._names

    @property
    def models(self) -> tuple[str, ...]:
        return self._names.models

    @property
    def helpers(self) -> tuple[str, ...]:
        return self._names.helpers

    @property
    def left_out(self) -> tuple[str, ...]:
        return self.arrangement.left_out

    @property
    def missing(self) -> dict[str, int]:
        return dict(self.arrangement.facts.missing)

    @property
    def predicted_positives(self) -> int:
        return self.arrangement.predicted[self.models[0]]

    @cached_property
    def _together(self) -> "GroupedTogether":
        return GroupedTogether(self.engine, self.arrangement, self.scale, self.seed)

    @property
    def catalogue(self) -> Catalogue:
        """The items that were fetched."""
        return self._together.catalogue

    def view(self, model: str | None = None) -> "ScoresView":
        place = 0 if model is None else known_model(model, self.models, self.helpers)
        name = self.models[place]
        if name not in self._views:
            self._views[name] = self._together.of_model(place)
        return self._views[name]

    def both_predict(self, one: str, two: str) -> int:
        found = self.arrangement
        first, second = (found.patterns.flags[:, known_model(name, self.models, self.helpers)] for name in (one, two))
        return int(found.count[first & second].sum())

    def with_predictions(self, predictions: Any) -> "GroupedScores":
        self.refuse_other_predictions()

    def refuse_other_predictions(self) -> NoReturn:
        raise InputError(
            "predictions of another model cannot be given for a pool that is not in memory: open it with its column"
            " in score= and prediction=, as an evaluation of its own with the same question; it begins with the labels"
            " of this one"
        )

    def with_model(
        self, name: str, scores: Any = None, *, threshold: float | None = None, predictions: Any = None
    ) -> "GroupedScores":
        raise InputError(
            "a model cannot be added to a pool that is not in memory: open the pool again with all models in score=,"
            " as an evaluation of its own with the same question; it begins with the labels of this one"
        )

    def shown(self, items: Sequence[Id]) -> list[dict[str, str]]:
        """The columns of `show` for these items."""
        self.positions(items)
        return self.catalogue.shown(items)

    def id_of(self, text: str) -> Id:
        return number_or_text(text, self.arrangement.facts.numbered)

    def find(self, items: Sequence[Any]) -> list[int | None]:
        plain = [plain_id(item) for item in items]
        found = iter(self.catalogue.find([item for item in plain if item is not None]))
        return [None if item is None else next(found) for item in plain]

    def names(self, positions: Sequence[int] | Integers) -> list[Id]:
        return self.catalogue.names(np.asarray(positions, dtype=np.int64).tolist())

    @cached_property
    def fingerprint(self) -> str:
        """From what the first passes found: counts and limits of all levels, and the best items of every ranking."""
        found, together = self.arrangement, self._together
        rows = together.best_items()
        parts = [
            repr((found.facts, dict(self._names.judged), self.helpers, found.left_out, found.predicted)).encode(),
            repr(rows.ids.tolist()).encode("utf-8", "surrogatepass"),
            rows.patterns.tobytes(),
            (self.scale or "").encode(),
        ]
        parts += [(rows.scores[name] + 0.0).tobytes() for name in self._names.scores]
        for layout in (*found.layouts, *found.own.values()):
            parts += [(layout.low + 0.0).tobytes(), layout.count.tobytes()]
        return digest_of(parts)


class GroupedTogether:
    """The rankings by all scores of a grouped pool, for one seed."""

    def __init__(self, engine: ScoresEngine, arrangement: Arrangement, scale: Scale | None, seed: int) -> None:
        self._found, self._scale = arrangement, scale
        first = [each for number in range(len(arrangement.orders)) for each in self._wanted(number)]
        numbered = arrangement.facts.numbered
        self.catalogue = Catalogue(engine, arrangement.scheme, arrangement.patterns, first, seed, numbered)

    def _limits(self, layout: Layout) -> Integers:
        """[predicted by some model or by none, level]: the limits of the reserve."""
        found = self._found
        none = ~np.any(found.shares > 0, axis=1)
        many = max(len(found.orders), MANY)
        mixes, reserve = RANGE[found.facts.numbered], max(LEAST_RESERVE, layouts.RESERVE * MANY // many)
        sizes = (layout.count[~none].sum(axis=0), layout.count[none].sum(axis=0))
        return np.stack([layout.reserved(mixes, size, reserve) for size in sizes])

    def _wanted(self, number: int) -> list[Wanted]:
        order, layout = self._found.orders[number], self._found.layouts[number]
        mixes = RANGE[self._found.facts.numbered]
        spans = [layout.spans(mixes, limits) for limits in self._limits(layout)]
        return [Wanted(order, number, flag, each) for flag, each in zip((True, False), spans, strict=True)]

    def best_items(self) -> ScoredRows:
        """The items that are fetched with every seed, by id."""
        rows = self.catalogue.rows
        best = np.zeros(len(rows), dtype=np.bool_)
        for order, layout in zip(self._found.orders, self._found.layouts, strict=True):
            if layout.whole:
                best |= layout.above[self.catalogue.levels(order, layout)] < layout.whole
        found = rows.take(best)
        return found.take(np.argsort(found.ids, kind="stable"))

    @cached_property
    def rankings(self) -> "tuple[ScoresView, ...]":
        kinds, flags, found = self._found.kinds, self._found.shares > 0, []
        for number, (order, layout) in enumerate(zip(self._found.orders, self._found.layouts, strict=True)):
            ranked = RankedItems(self.catalogue, order, number, layout, kinds, self._limits(layout))
            found.append(ScoresView(ranked, flags, self._scale if order.own else None))
        return tuple(found)

    def of_model(self, place: int) -> "ScoresView":
        """The ranking by this model's own score, with its own predictions."""
        found = self._found
        name = found.names.models[place]
        score, layout = found.names.judged[name], found.own[name]
        numbers = [number for number, order in enumerate(found.orders) if order.own and order.score == score]
        order, number = Order({score: 1}, own=True), numbers[0] if numbers else len(found.orders)
        nothing = np.zeros((2, len(layout)), dtype=np.int64)
        below = self._limits(found.layouts[number]) if numbers else nothing  # the levels are the same
        ranked = RankedItems(self.catalogue, order, number, layout, alone(found.patterns.flags[:, place]), below)
        return ScoresView(ranked, ONE_MODEL, self._scale, self, place)

    def joint(self, judged: int) -> Joint:
        """The rankings, if this model is judged."""
        found = self._found
        weight = tuple(float(found.predicted[name]) for name in found.names.models)
        scored = np.array([found.names.judged[name] not in found.flags for name in found.names.models])
        return Joint(self.rankings, found.names.models, weight, judged, found.shares, scored, found.start)


class ScoresView(CountedView):
    """A ranking of a grouped pool with several scores; or the view of one of its models."""

    def __init__(
        self,
        ranked: RankedItems,
        patterns: Flags,
        scale: Scale | None,
        together: GroupedTogether | None = None,
        judged: int = 0,
    ) -> None:
        super().__init__(ranked.layout, scale)
        self._ranked, self._patterns, self._together, self._judged = ranked, patterns, together, judged

    @property
    def joint(self) -> Joint:
        return super().joint if self._together is None else self._together.joint(self._judged)

    @cached_property
    def predicted_positives(self) -> int:
        return int(self._whole.count[self._whole.predicted].sum())

    @cached_property
    def _whole(self) -> FetchedCells:
        columns = level_cells(self._layout)
        return FetchedCells.whole(**columns, total=self.total, patterns=self._patterns, ranked=self._ranked)

    def rank(self, positions: Integers) -> Integers:
        return self._ranked.rank(positions)

    def examples(self) -> Integers:
        return self._ranked.examples()
