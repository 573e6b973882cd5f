"""Rankings of a pool in memory: the view of each model, and those by all scores together."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lowshot.core.cells import ListedCells, merge_rare, patterns_of
from lowshot.core.ranking import Patterned, rank
from lowshot.core.types import Flags, Floats, Integers, Scores
from lowshot.pools.base import CanDraw, Joint, View
from lowshot.pools.columns import AnyArray
from lowshot.pools.consensus import Consensus, consensus
from lowshot.pools.models import ONLY, Models
from lowshot.pools.scale import Scale

MOST_PATTERNS = 200  # of predictions; rare ones beyond it are merged
FEW = 32  # items whose midrank is counted one by one; for more of them the whole pool is ranked


class Rows(NamedTuple):
    """What all rankings of a pool have in common.

    Views hold it instead of the pool, which holds the views: large arrays must not wait for the garbage collector.
    """

    ids: AnyArray | None
    mass: Floats | None  # p(x) by position; None: every item 1/N
    features: Floats | None
    scale: Scale | None
    places: Integers | None = None  # of each id among all ids; None: found when ties have to be ordered

    def weigh(self, items: Integers, total: int) -> float:
        """The weight of these items in units of an average one."""
        return float(len(items)) if self.mass is None else float(self.mass[items].sum() * total)


class Together:
    """The rankings by all scores of a pool, made when they are asked for."""

    def __init__(self, models: Models, rows: Rows) -> None:
        self._models, self._rows = models, rows

    @cached_property
    def consensus(self) -> Consensus:
        return consensus(self._models)

    @cached_property
    def _patterned(self) -> tuple[Floats, Integers]:
        predictions = np.column_stack([model.predictions for model in self._models.judged])
        return merge_rare(*patterns_of(predictions if predictions.shape[1] > 1 else predictions[:, 0]), MOST_PATTERNS)

    @cached_property
    def rankings(self) -> "tuple[MemoryView, ...]":
        shares, pattern = self._patterned
        patterned = Patterned(shares > 0, pattern)
        ids, found = self._rows.ids, []
        places = None if ids is None else np.unique(ids, return_inverse=True)[1]  # once: sums have many ties
        for ranking in self.consensus.rankings:
            rows = self._rows._replace(places=places, scale=self._rows.scale if ranking.own else None)
            found.append(MemoryView(ranking.level, patterned, rows))
        return tuple(found)

    @cached_property
    def _weight(self) -> tuple[float, ...]:
        """Of the items that each model predicts positive."""
        every = (model.predictions for model in self._models.judged)
        return tuple(self._rows.weigh(np.flatnonzero(flags), len(flags)) for flags in every)

    def joint(self, judged: int) -> Joint:
        """The rankings, if this model is judged."""
        flags = (None, *self.consensus.flags)
        scored = np.array([model.score not in flags for model in self._models.judged])
        names, patterns = self._models.names, self._patterned[0]
        return Joint(self.rankings, names, self._weight, judged, patterns, scored, self.consensus.start)


class MemoryView(View):
    """The ranking of a pool in memory. It is sorted only as deep as it is asked for."""

    def __init__(
        self,
        scores: Scores,
        predictions: Flags | Patterned,
        rows: Rows,
        together: Together | None = None,
        judged: int = 0,
        name: str = ONLY,
    ) -> None:
        super().__init__()
        self._scores, self._predictions, self._rows = scores, predictions, rows
        self._together, self._judged, self._name = together, judged, name
        self.total, self.scale = len(scores), rows.scale
        self.features, self.weighted = rows.features, rows.mass is not None
        self._cells: dict[int, ListedCells] = {}

    @property
    def joint(self) -> Joint:  # not kept: a view that holds itself would wait for the garbage collector
        alone = super().joint._replace(models=(self._name,))
        return alone if self._together is None else self._together.joint(self._judged)

    @cached_property
    def _flags(self) -> Flags:
        """Whether the model predicts each item positive; in a ranking of several models: whether one of them does."""
        if isinstance(self._predictions, Patterned):
            some: Flags = np.any(self._predictions.patterns, axis=1)
            return some[self._predictions.pattern]
        return self._predictions

    @cached_property
    def predicted_positives(self) -> int:
        return len(self._predicted_items)

    @cached_property
    def _predicted_items(self) -> Integers:
        return np.flatnonzero(self._flags)

    @property
    def predicted_weight(self) -> float:
        return self._rows.weigh(self._predicted_items, self.total)

    def unreachable(self, can_draw: CanDraw, labelled: Integers) -> tuple[int, float]:
        wanted = self._predicted_items[~np.isin(self._predicted_items, labelled)]
        missing = wanted[~can_draw(wanted)]
        return len(missing), self._rows.weigh(missing, self.total)

    def cells(self, depth: int | None = None) -> ListedCells:
        """Cells are made once per depth.

        A deeper ranking that was made before is never used instead: it has other cells, so sums over them would differ
        in their last bits, and estimates would depend on what was asked for before.
        """
        wanted = self.total if depth is None else min(max(depth, 1), self.total)
        if wanted not in self._cells:
            self._cells[wanted] = rank(self._scores, self._predictions, self._rows.mass, wanted, self._tie_key)
        return self._cells[wanted]

    def _tie_key(self, positions: Integers) -> Integers:
        if self._rows.places is not None:
            return self._rows.places[positions]
        return positions if self._rows.ids is None else np.unique(self._rows.ids[positions], return_inverse=True)[1]

    @property
    def limits(self) -> tuple[float, float]:
        return float(self._scores.min()), float(self._scores.max())

    def p(self, positions: Integers) -> Floats:
        return np.full(len(positions), 1 / self.total) if self._rows.mass is None else self._rows.mass[positions]

    def level(self, positions: Integers) -> Floats:
        return self._scores[positions].astype(np.float64)

    def predicted(self, positions: Integers) -> Floats:
        return self._flags[positions].astype(np.float64)

    def midrank(self, positions: Integers) -> Floats:
        result = np.full(len(positions), np.nan)
        for cells in self._cells.values():
            found = cells.find(positions)
            result[found >= 0] = cells.midrank[found[found >= 0]]
        missing = np.flatnonzero(np.isnan(result))
        if len(missing) <= FEW:
            result[missing] = [self._counted_midrank(score) for score in self._scores[positions[missing]]]
            return result
        whole = self.cells()
        return whole.midrank[whole.find(positions)]

    def _counted_midrank(self, score: np.floating[Any]) -> float:
        return float(np.count_nonzero(self._scores < score) + np.count_nonzero(self._scores == score) / 2)

    def rank(self, positions: Integers) -> Integers:
        def make() -> Integers:
            found = np.empty(self.total, dtype=np.int64)
            found[self.cells().items] = np.arange(1, self.total + 1)
            return found

        return self.cached("rank", make)[positions]

    def examples(self) -> Integers:
        return self.cells().items
