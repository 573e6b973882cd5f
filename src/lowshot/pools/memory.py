"""The pool in memory: all items with score and prediction, as arrays. It never changes during an evaluation."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.cells import ListedCells
from lowshot.core.ranking import rank
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.pools import columns
from lowshot.pools.base import BasePool, CanDraw, View, number_or_text, plain_id
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.grouped import HEAD, GroupedPool
from lowshot.pools.scale import Scale, check_scale, known_scale

ADVICE = "use threshold= to make them from scores"
FEW = 32  # items whose midrank is counted one by one; for more of them the whole pool is ranked


class Pool(BasePool):
    """Items with a score of any scale and a prediction; optionally ids, features and weights.

    >>> pool = Pool([0.9, 0.7, 0.2, 0.1], threshold=0.5, ids=["a", "b", "c", "d"])
    >>> pool
    Pool(4 items, 2 predicted positive)
    >>> pool.scores.tolist(), pool.predictions.tolist()
    ([0.9, 0.7, 0.2, 0.1], [True, True, False, False])

    scores       numbers of any scale: probability, logit, margin; higher means more likely positive
    predictions  0/1, one per item; or threshold=, then items with score >= threshold are predicted positive
    ids          strings or integers; the positions 0, 1, ... if none are given
    features     one row per item, for HERDING
    weights      p(x), if the items do not all count the same
    scale        what the scores are, for SAWADE and GMM: "probability", "log" (of a probability) or "logit"
    levels       group the items below the `head` best ones into so many levels of about the same score, as `open_pool`
                 does with pools that are too large for memory; None: do not group

    Columns may be NumPy arrays, lists, pandas or polars Series, or Arrow arrays.
    """

    grouped: ClassVar[bool] = False

    def __init__(
        self,
        scores: Any,
        predictions: Any = None,
        *,
        threshold: float | None = None,
        ids: Any = None,
        features: Any = None,
        weights: Any = None,
        scale: Scale | None = None,
        levels: int | None = None,
        head: int = HEAD,
    ) -> None:
        columns.aligned(scores=scores, predictions=predictions, ids=ids, features=features, weights=weights)
        self.scores = columns.scores(scores)
        self.predictions = self._predictions(predictions, threshold)
        self.ids = None if ids is None else columns.ids(ids, len(self))
        self.features = None if features is None else columns.features(features, len(self))
        self.mass = None if weights is None else columns.weights(weights, len(self))
        self.scale: Scale | None = known_scale(scale)
        if self.scale is not None:
            check_scale(self.scores, self.scale)  # an error now, not after labels were bought
        self.levels = None if levels is None else self._checked_levels(levels)
        self.head = checks.whole_number("head", head, 0, 10**7)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and not name.startswith("_"):
            raise AttributeError(f"a pool is read-only: {name} cannot be changed; make a new Pool")
        super().__setattr__(name, value)

    def __len__(self) -> int:
        return len(self.scores)

    def _predictions(self, predictions: Any, threshold: float | None) -> Flags:
        if (predictions is None) == (threshold is None):
            came = "both" if threshold is not None else "neither"
            raise InputError(f"give either predictions or threshold: got {came}")
        if threshold is None:
            return columns.binary("predictions", predictions, len(self), ADVICE)
        limit = checks.finite("threshold", threshold)
        with np.errstate(over="ignore"):  # a threshold beyond float32 becomes infinite, which compares correctly
            return columns.frozen(self.scores >= self.scores.dtype.type(limit))

    def _checked_levels(self, levels: int) -> int:
        if self.mass is not None or self.features is not None:
            raise InputError("levels cannot be given with weights or features: items of a level count the same")
        return checks.whole_number("levels", levels, 1, 10**6)

    @property
    def predicted_positives(self) -> int:
        return self.view().predicted_positives

    def view(self) -> "MemoryView":
        return self._view

    @cached_property
    def _view(self) -> "MemoryView":
        return MemoryView(self)

    def bind(self, seed: int) -> BasePool:
        """The pool itself; with `levels`, a grouped pool of the same items."""
        if self.levels is None:
            return self
        ids = np.arange(len(self)) if self.ids is None else self.ids
        engine = ArrayEngine(ids, self.scores.astype(np.float64), self.predictions)
        return GroupedPool(engine, levels=self.levels, head=self.head, scale=self.scale, seed=seed)

    def with_predictions(self, predictions: Any) -> "Pool":
        """The same pool as another model or threshold sees it: N values in pool order, or {id: prediction}."""
        if isinstance(predictions, Mapping):
            predictions = self._in_pool_order(predictions)
        flags = columns.binary("predictions", predictions, len(self), "give scores >= threshold")
        if np.array_equal(flags, self.predictions):
            return self
        other = object.__new__(Pool)  # the columns were checked when this pool was made
        for name in ("scores", "ids", "features", "mass", "scale", "levels", "head"):
            setattr(other, name, getattr(self, name))
        other.predictions = flags
        return other

    def refuse_other_predictions(self) -> None:
        """Does nothing: predictions of another model can be given."""

    def _in_pool_order(self, predictions: Mapping[Id, Any]) -> list[Any]:
        ids = range(len(self)) if self.ids is None else self.ids.tolist()
        missing = [i for i in ids if i not in predictions]
        if missing or len(predictions) != len(self):
            raise InputError(
                f"predictions must hold every item of the pool: {len(missing)} of {len(self)} are missing"
                f" and {len(predictions) - len(self) + len(missing)} are not in the pool"
            )
        return [predictions[i] for i in ids]

    def id_of(self, text: str) -> Id:
        numbered = self.ids is None or isinstance(self.ids[0], (int, np.integer))  # integers beyond 64 bits are objects
        return number_or_text(text, numbered)

    @cached_property
    def _position_of(self) -> dict[Id, int]:
        return {} if self.ids is None else {value: i for i, value in enumerate(self.ids.tolist())}

    def find(self, items: Sequence[Any]) -> list[int | None]:
        return [self._find(plain_id(item)) for item in items]

    def _find(self, item: Id | None) -> int | None:
        if item is None:
            return None
        place = self._position_of.get(item) if self.ids is not None else item
        return place if isinstance(place, int) and 0 <= place < len(self) else None

    def names(self, positions: Sequence[int] | Integers) -> list[Id]:
        plain = np.asarray(positions, dtype=np.int64)
        found: list[Id] = (plain if self.ids is None else self.ids[plain]).tolist()
        return found

    @cached_property
    def fingerprint(self) -> str:
        """Identifies the pool: all its columns and its scale, whatever the order of the rows."""
        order = slice(None) if self.ids is None else np.argsort(self.ids, kind="stable")
        names = np.arange(len(self)) if self.ids is None else self.ids[order]
        digest = hashlib.sha256()
        joined = repr(names.tolist()).encode("utf-8", "surrogatepass") if names.dtype == object else names.tobytes()
        for part in (
            joined,
            (self.scores[order].astype(np.float64) + 0.0).tobytes(),  # -0.0 is 0.0
            np.packbits(self.predictions[order]).tobytes(),
            b"" if self.mass is None else self.mass[order].tobytes(),
            b"" if self.features is None else self.features[order].tobytes(),
            (self.scale or "").encode(),
        ):
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()[:32]


class MemoryView(View):
    """The ranking of a pool in memory. It is sorted only as deep as it is asked for."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        # The columns and not the pool, which holds this view: large arrays must not wait for the garbage collector.
        self._scores, self._predictions, self._ids, self._mass = pool.scores, pool.predictions, pool.ids, pool.mass
        self.total, self.scale = len(pool), pool.scale
        self.features, self.weighted = pool.features, pool.mass is not None
        self._cells: dict[int, ListedCells] = {}

    @cached_property
    def predicted_positives(self) -> int:
        return len(self._predicted_items)

    @cached_property
    def _predicted_items(self) -> Integers:
        return np.flatnonzero(self._predictions)

    @property
    def predicted_weight(self) -> float:
        return self._weigh(self._predicted_items)

    def _weigh(self, items: Integers) -> float:
        return float(len(items)) if self._mass is None else float(self._mass[items].sum() * self.total)

    def unreachable(self, can_draw: CanDraw, labelled: Integers) -> tuple[int, float]:
        wanted = self._predicted_items[~np.isin(self._predicted_items, labelled)]
        missing = wanted[~can_draw(wanted)]
        return len(missing), self._weigh(missing)

    def cells(self, depth: int | None = None) -> ListedCells:
        """Cells are made once per depth.

        A deeper ranking that was made before is never used instead: it has other cells, so sums over them would differ
        in their last bits, and estimates would depend on what was asked for before.
        """
        wanted = self.total if depth is None else min(max(depth, 1), self.total)
        if wanted not in self._cells:
            self._cells[wanted] = rank(self._scores, self._predictions, self._mass, wanted, self._tie_key)
        return self._cells[wanted]

    def _tie_key(self, positions: Integers) -> Integers:
        return positions if self._ids is None else np.unique(self._ids[positions], return_inverse=True)[1]

    @property
    def limits(self) -> tuple[float, float]:
        return float(self._scores.min()), float(self._scores.max())

    def p(self, positions: Integers) -> Floats:
        return np.full(len(positions), 1 / self.total) if self._mass is None else self._mass[positions]

    def level(self, positions: Integers) -> Floats:
        return self._scores[positions].astype(np.float64)

    def predicted(self, positions: Integers) -> Floats:
        return self._predictions[positions].astype(np.float64)

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
