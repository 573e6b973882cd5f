"""A pool whose rows stay where they are: its ranking as cells, and the few items that somebody needs."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.ranked import NONE, RankedCells
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.pool import HEAD, Pool
from lowshot.ranked.arrays import Arrays
from lowshot.ranked.book import Book
from lowshot.ranked.cells import cells_of
from lowshot.ranked.engine import Engine
from lowshot.ranked.grid import Grid
from lowshot.ranked.layout import Layout
from lowshot.scale import Scale, known_scale
from lowshot.scale import check as scale_check

LEVELS = 256


class RankedPool(Pool):
    """The best `head` items one by one, all others in `levels` groups of about the same score, exactly counted.

    A position is a place in the ranking. Inside a group items are in the order of a mix of seed and id, so a pool
    belongs to one seed; an evaluation takes it with its own.

    >>> scores = np.linspace(0, 1, 1000)
    >>> pool = RankedPool(Arrays(np.arange(1000), scores, scores > 0.9), head=10, levels=5)
    >>> pool, len(pool.cells()), pool.names([0, 1, 2])
    (Pool(1,000 items, 100 predicted positive), 16, [999, 998, 997])
    """

    def __init__(
        self,
        engine: Engine,
        *,
        head: int = HEAD,
        levels: int | None = LEVELS,
        scale: Scale | None = None,
        seed: int = 0,
        layout: Layout | None = None,
    ) -> None:
        self.engine, self.seed = engine, seed
        self.head = checks.whole_number("head", head, 0, 10**7)
        self.levels = None if levels is None else checks.whole_number("levels", levels, 1, 10**6)
        self.scale = known_scale(scale)
        self.mass = self.features = None
        self._made: dict[str, Any] = {}
        self._layout = layout

    @property
    def layout(self) -> Layout:
        """What the pass over the rows found; made once."""
        if self._layout is None:
            facts = self.engine.facts()
            if self.scale is not None:
                scale_check(np.array([facts.low, facts.high]), self.scale)
            grid = Grid("distinct") if self.levels is None else Grid.of(facts.low, facts.high)
            self._layout = Layout.of(facts, self.engine.histogram(grid), grid, self.head, self.levels)
        return self._layout

    @cached_property
    def book(self) -> Book:
        return Book(self.engine, self.layout, self.seed)

    def with_seed(self, seed: int) -> "RankedPool":
        """The same rows, in the order of another seed."""
        if seed == self.seed:
            return self
        return RankedPool(
            self.engine, head=self.head, levels=self.levels, scale=self.scale, seed=seed, layout=self.layout
        )

    def __len__(self) -> int:
        return self.layout.facts.total

    @cached_property
    def predicted_positives(self) -> int:
        return self.layout.predicted

    @property
    def weight_of_predicted(self) -> float:
        return float(self.predicted_positives)

    @property
    def numbered(self) -> bool:
        return self.layout.facts.numbered

    @cached_property
    def _whole(self) -> RankedCells:
        return cells_of(self.book.head, self.layout)

    def cells(self, depth: int | None = None) -> RankedCells:
        """The ranking; always the same, however deep it is wanted."""
        return self._whole

    @cached_property
    def _predicted_cells(self) -> RankedCells:
        return self._whole.open(np.flatnonzero(self._whole.prediction), NONE, NONE, None)

    def beyond(self, can_draw: Callable[[Integers], Flags], labelled: Integers) -> tuple[int, float]:
        """By cells: whether an item can be drawn is the same for all that have no label."""
        cells = self._predicted_cells
        if not len(cells):
            return 0, 0.0
        left = cells.without(labelled, None).count
        open_ = np.flatnonzero(left)
        new = np.full(len(open_), 1 - 2.0**-53)
        one = cells.open(open_, labelled, labelled, None).pick(np.arange(len(open_)), new, None)
        missing = int(left[open_][~can_draw(one)].sum())
        return missing, float(missing)

    @property
    def limits(self) -> tuple[float, float]:
        return self.layout.facts.low, self.layout.facts.high

    def p(self, positions: Integers) -> Floats:
        return np.full(len(positions), 1 / len(self))

    def level(self, positions: Integers) -> Floats:
        return self._whole.level[self._whole.find(positions)]

    def predicted(self, positions: Integers) -> Floats:
        return self._whole.prediction[self._whole.find(positions)].astype(np.float64)

    def midrank(self, positions: Integers) -> Floats:
        return self._whole.midrank[self._whole.find(positions)]

    def rank(self, positions: Integers) -> Integers:
        return positions + 1

    def listed(self) -> Integers:
        return self._whole.first + self._whole.size - 1

    def shown(self, items: Sequence[Id]) -> list[dict[str, str]]:
        """What the columns of `show` say of these items: known for all that were fetched to be drawn."""
        return self.book.shown(items)

    def with_predictions(self, predictions: Any) -> NoReturn:
        raise InputError(
            "predictions of another model cannot be given for a pool that is not in memory: open it with them as"
            " prediction=, as an evaluation of its own with the same question; it begins with the labels of this one"
        )

    def look_up(self, items: Sequence[Id]) -> None:
        self.book.positions(items)

    def positions(self, items: Sequence[Any]) -> list[int]:
        plain = [item.item() if isinstance(item, np.generic) else item for item in items]
        found = self.book.positions([item for item in plain if _is_id(item)])
        places = iter(found)
        result = [next(places) if _is_id(item) else None for item in plain]
        for item, place in zip(items, result, strict=True):
            if place is None:
                raise InputError(f"items must be ids of the pool: got {item!r}, which is not in it")
        return [place for place in result if place is not None]

    def position(self, item: Any) -> int:
        return self.positions([item])[0]

    def __contains__(self, item: Any) -> bool:
        return _is_id(item) and self.book.positions([item])[0] is not None

    def names(self, positions: Sequence[int] | Integers) -> list[Id]:
        return self.book.names(np.asarray(positions, dtype=np.int64).tolist())

    @cached_property
    def fingerprint(self) -> str:
        """From what the first pass found: every count and level, and ids, scores and predictions of the head."""
        head, layout = self.book.head, self.layout
        order = np.lexsort((head.ids, ~head.predictions, -head.scores))  # the same for every seed
        digest = hashlib.sha256()
        for part in (
            repr((*layout.facts, layout.predicted)).encode(),
            repr(head.ids[order].tolist()).encode("utf-8", "surrogatepass"),
            (head.scores[order] + 0.0).tobytes(),
            np.packbits(head.predictions[order]).tobytes(),
            (layout.low + 0.0).tobytes(),
            layout.count.tobytes(),
            (self.scale or "").encode(),
        ):
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()[:32]


def _is_id(item: Any) -> bool:
    return isinstance(item, (str, int)) and not isinstance(item, bool)


def bound(pool: Pool, seed: int) -> Pool:
    """The pool as an evaluation with this seed sees it: one that is grouped, in the order of the seed."""
    if isinstance(pool, RankedPool):
        return pool.with_seed(seed)
    if pool.levels is None:
        return pool
    ids = np.arange(len(pool)) if pool.ids is None else pool.ids
    engine = Arrays(ids, pool.scores.astype(np.float64), pool.predictions)
    return RankedPool(engine, levels=pool.levels, head=pool.head, scale=pool.scale, seed=seed)
