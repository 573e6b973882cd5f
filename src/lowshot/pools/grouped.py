"""A pool whose rows stay where they are: only counts, the best items and drawn items are fetched."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.cells import NO_ITEMS
from lowshot.core.grouped_cells import GroupedCells
from lowshot.core.ranking import Ranked, listed_cells
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.pools.base import BasePool, CanDraw, View, digest_of, number_or_text, plain_id
from lowshot.pools.engine import Engine
from lowshot.pools.fetched import Fetched
from lowshot.pools.grid import Grid
from lowshot.pools.layout import Layout
from lowshot.pools.places import Places
from lowshot.pools.scale import Scale, check_scale, known_scale

HEAD = 200_000  # items that are listed one by one
LEVELS = 256  # groups below the head; docs/pools.md says what fewer cost


class GroupedPool(BasePool):
    """The best `head` items are listed; all others are counted in `levels` groups of about the same score.

    A position is a place in the ranking. Items of a group are ordered by a mix of seed and id, so a pool belongs to one
    seed; an evaluation binds it to its own.

    >>> from lowshot.pools.engine import ArrayEngine
    >>> scores = np.linspace(0, 1, 1000)
    >>> pool = GroupedPool(ArrayEngine(np.arange(1000), scores, scores > 0.9), head=10, levels=5)
    >>> pool, len(pool.view().cells()), pool.names([0, 1, 2])
    (Pool(1,000 items, 100 predicted positive), 16, [999, 998, 997])
    """

    grouped: ClassVar[bool] = True

    def __init__(
        self,
        engine: Engine,
        *,
        head: int = HEAD,
        levels: int | None = LEVELS,
        scale: Scale | None = None,
        seed: int = 0,
        layout: Layout | None = None,
        fetched: Fetched | None = None,
        further: Mapping[Id, int] | None = None,
    ) -> None:
        self.engine, self.seed = engine, seed
        self.head = checks.whole_number("head", head, 0, 10**7)
        self.levels = None if levels is None else checks.whole_number("levels", levels, 1, 10**6)
        self.scale = known_scale(scale)
        self._layout, self._fetched, self._further = layout, fetched, further

    @property
    def layout(self) -> Layout:
        """What the first pass over the rows found."""
        if self._layout is None:
            facts = self.engine.facts()
            if self.scale is not None:
                check_scale(np.array([facts.low, facts.high]), self.scale)
            grid = Grid("distinct") if self.levels is None else Grid.of(facts.low, facts.high)
            self._layout = Layout.of(facts, self.engine.histogram(grid), grid, self.head, self.levels)
        return self._layout

    @cached_property
    def places(self) -> Places:
        return Places(self.engine, self.layout, self.seed, self._fetched, self._further)

    def bind(self, seed: int) -> "GroupedPool":
        """The same rows, ordered by another seed inside groups."""
        if seed == self.seed:
            return self
        return GroupedPool(
            self.engine, head=self.head, levels=self.levels, scale=self.scale, seed=seed, layout=self.layout
        )

    def __len__(self) -> int:
        return self.layout.facts.total

    @property
    def predicted_positives(self) -> int:
        return self.layout.predicted

    def view(self, model: str | None = None) -> "GroupedView":
        if model not in (None, *self.models):
            raise InputError(f"model must be {self.models[0]!r}, the only one of this pool: got {model!r}")
        return self._view

    @cached_property
    def _view(self) -> "GroupedView":
        return GroupedView(self.layout, self.places, self.scale)

    def with_predictions(self, predictions: Any) -> "GroupedPool":
        self.refuse_other_predictions()

    def with_model(
        self, name: str, scores: Any = None, *, threshold: float | None = None, predictions: Any = None
    ) -> "GroupedPool":
        raise InputError("a model cannot be added to a pool that is not in memory: make a Pool with both scores")

    def refuse_other_predictions(self) -> NoReturn:
        raise InputError(
            "predictions of another model cannot be given for a pool that is not in memory: open it with them as"
            " prediction=, as an evaluation of its own with the same question; it begins with the labels of this one"
        )

    def shown(self, items: Sequence[Id]) -> list[dict[str, str]]:
        """The columns of `show` for these items."""
        return self.places.shown(items)

    def id_of(self, text: str) -> Id:
        return number_or_text(text, self.layout.facts.numbered)

    def find(self, items: Sequence[Any]) -> list[int | None]:
        plain = [plain_id(item) for item in items]
        found = iter(self.places.find([item for item in plain if item is not None]))
        return [None if item is None else next(found) for item in plain]

    def names(self, positions: Sequence[int] | Integers) -> list[Id]:
        return self.places.names(np.asarray(positions, dtype=np.int64).tolist())

    @cached_property
    def fingerprint(self) -> str:
        """From what the first pass found: ids, scores and predictions of the head, counts and limits of the levels."""
        head, layout = self.places.fetched, self.layout
        ids = head.head_ids
        order = np.lexsort((ids, ~head.predictions, -head.scores))  # the same for every seed
        parts = (
            repr((*layout.facts, layout.predicted)).encode(),
            repr(ids[order].tolist()).encode("utf-8", "surrogatepass"),
            (head.scores[order] + 0.0).tobytes(),
            np.packbits(head.predictions[order]).tobytes(),
            (layout.low + 0.0).tobytes(),
            layout.count.tobytes(),
            (self.scale or "").encode(),
        )
        return digest_of(parts)


class CountedView(View):
    """A ranking of items of which most are only counted."""

    def __init__(self, layout: Layout, scale: Scale | None) -> None:
        super().__init__()
        self._layout = layout
        self.total, self.scale = layout.facts.total, scale

    @property
    def predicted_positives(self) -> int:
        return self._layout.predicted

    @property
    def predicted_weight(self) -> float:
        return float(self.predicted_positives)

    @property
    def limits(self) -> tuple[float, float]:
        return self._layout.facts.low, self._layout.facts.high

    @property
    @abstractmethod
    def _whole(self) -> GroupedCells: ...

    def cells(self, depth: int | None = None) -> GroupedCells:
        """The same cells for every depth."""
        return self._whole

    @cached_property
    def _predicted_cells(self) -> GroupedCells:
        return self._whole.open(self._whole.predicted, NO_ITEMS, NO_ITEMS)

    def unreachable(self, can_draw: CanDraw, labelled: Integers) -> tuple[int, float]:
        """Cell by cell: one item stands for all items of its cell that have no label."""
        cells = self._predicted_cells.open(np.arange(len(self._predicted_cells)), labelled, labelled)
        open_ = np.flatnonzero(cells.count)
        missing = int(cells.count[open_][~can_draw(cells.unseen_of(open_))].sum())
        return missing, float(missing)

    def p(self, positions: Integers) -> Floats:
        return np.full(len(positions), 1 / self.total)

    def lowest(self) -> Floats:
        layout, cells = self._layout, self._whole
        if not len(layout):
            return cells.level
        place = np.searchsorted(layout.above, cells.above, side="right") - 1  # -1 in the head
        return np.where(place < 0, cells.level, layout.low[place])

    def level(self, positions: Integers) -> Floats:
        return self._whole.level[self._whole.find(positions)]

    def predicted(self, positions: Integers) -> Floats:
        some: Flags = np.any(self._whole.patterns, axis=1)
        return some[self._whole.pattern[self._whole.find(positions)]].astype(np.float64)

    def midrank(self, positions: Integers) -> Floats:
        return self._whole.midrank[self._whole.find(positions)]


class GroupedView(CountedView):
    """The ranking of a grouped pool."""

    def __init__(self, layout: Layout, places: Places, scale: Scale | None) -> None:
        super().__init__(layout, scale)
        self._places = places

    @cached_property
    def _whole(self) -> GroupedCells:
        return cells_of(self._places.fetched, self._layout)

    def rank(self, positions: Integers) -> Integers:
        return positions + 1

    def examples(self) -> Integers:
        return self._whole.first + self._whole.size - 1


def cells_of(head: Fetched, layout: Layout) -> GroupedCells:
    """The cells of the head, one per score and prediction, then those of the levels, one per level and prediction."""
    best = listed_cells(np.arange(head.head), Ranked.of(head.scores, head.predictions), layout.facts.total)
    listed = {name: getattr(best, name) for name in ("level", "pattern", "count", "above", "midrank")}
    both = {name: np.concatenate([listed[name], values]) for name, values in level_cells(layout).items()}
    return GroupedCells.whole(**both, total=layout.facts.total)


def level_cells(layout: Layout) -> dict[str, Any]:
    """The columns of the cells of the levels, one per level and pattern."""
    patterns, size = len(layout.count), layout.count.sum(axis=0)
    count = layout.count.T.ravel()
    there = count > 0
    return {
        "level": np.repeat(layout.level, patterns)[there],
        "pattern": np.tile(np.arange(patterns), len(size))[there],
        "count": count[there],
        "above": np.repeat(layout.above, patterns)[there],
        "midrank": np.repeat(layout.facts.total - layout.above - size / 2, patterns)[there],
    }
