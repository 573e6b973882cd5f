"""The pool: all items with score and prediction. It never changes during an evaluation."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from lowshot import checks, columns
from lowshot.checks import Id
from lowshot.core.cells import Cells
from lowshot.core.ranking import rank
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.scale import Scale, known_scale, logits, probabilities
from lowshot.scale import check as scale_check

Made = TypeVar("Made")
ADVICE = "use threshold= to make them from scores"
HEAD = 200_000  # items that are listed one by one where the others are grouped
FEW = 32  # items far down whose rank is found by counting instead of by ranking everything


class Pool:
    """Items with a score of any scale and a prediction; optionally ids, features and weights.

    >>> pool = Pool([0.9, 0.7, 0.2, 0.1], threshold=0.5, ids=["a", "b", "c", "d"])
    >>> pool
    Pool(4 items, 2 predicted positive)
    >>> pool.cells().level.tolist()
    [0.9, 0.7, 0.2, 0.1]

    scores       numbers of any scale: probability, logit, margin; higher means more likely positive
    predictions  0/1, one an item; or threshold=, then items with score >= threshold are predicted positive
    ids          strings or integers; the positions 0, 1, ... if none are given
    features     one row an item, for HERDING
    weights      p(x), if the items do not all count the same
    scale        what the scores are, for SAWADE and GMM: "probability", "log" (of a probability) or "logit"
    levels       group items below the `head` best ones into so many levels of about the same score, as `open_pool`
                 does with pools that are too large for memory; None: every score is a level of its own

    Columns may be NumPy arrays, lists, pandas or polars Series, or Arrow arrays.
    """

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
            scale_check(self.scores, self.scale)  # an error now, not after labels were bought
        self.levels = None if levels is None else self._grouped(levels)
        self.head = checks.whole_number("head", head, 0, 10**7)
        self._cells: dict[int, Cells] = {}
        self._made: dict[str, Any] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and not name.startswith("_"):
            raise AttributeError(f"a pool is read-only: {name} cannot be changed; make a new Pool")
        super().__setattr__(name, value)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"Pool({len(self):,} items, {self.predicted_positives:,} predicted positive)"

    def _predictions(self, predictions: Any, threshold: float | None) -> Flags:
        if (predictions is None) == (threshold is None):
            came = "both" if threshold is not None else "neither"
            raise InputError(f"give either predictions or threshold: got {came}")
        if threshold is None:
            return columns.binary("predictions", predictions, len(self), ADVICE)
        limit = checks.finite("threshold", threshold)
        with np.errstate(over="ignore"):  # beyond float32 is infinite, and right
            return columns.frozen(self.scores >= self.scores.dtype.type(limit))

    def _grouped(self, levels: int) -> int:
        if self.mass is not None or self.features is not None:
            raise InputError("levels cannot be given with weights or features: items of a level count the same")
        return checks.whole_number("levels", levels, 1, 10**6)

    @cached_property
    def predicted_positives(self) -> int:
        """n_pred, known exactly."""
        return len(self.predicted_items)

    @cached_property
    def predicted_items(self) -> Integers:
        """The positions of the predicted positives."""
        return np.flatnonzero(self.predictions)

    @property
    def weight_of_predicted(self) -> float:
        """What the predicted positives weigh, in units of an average item: their number, without weights."""
        return self._weigh(self.predicted_items)

    def _weigh(self, items: Integers) -> float:
        return float(len(items)) if self.mass is None else float(self.mass[items].sum() * len(self))

    def beyond(self, can_draw: Callable[[Integers], Flags], labelled: Integers) -> tuple[int, float]:
        """How many predicted positives without a label cannot be drawn, and what they weigh."""
        wanted = self.predicted_items[~np.isin(self.predicted_items, labelled)]
        missing = wanted[~can_draw(wanted)]
        return len(missing), self._weigh(missing)

    def cells(self, depth: int | None = None) -> Cells:
        """The ranking as cells, with the `depth` best items and all predicted positives listed; made once a depth.

        Never a deeper one that happens to be there: sums over other cells would differ in their last bits.
        """
        wanted = len(self) if depth is None else min(max(depth, 1), len(self))
        if wanted not in self._cells:
            self._cells[wanted] = rank(self.scores, self.predictions, self.mass, wanted, self._tie_key)
        return self._cells[wanted]

    def once(self, name: str, make: Callable[[], Made], key: object = None) -> Made:
        """What a sampler derives from the pool: made once, kept under a name until it is wanted for another key."""
        kept = self._made.get(name)
        if kept is None or kept[0] != key:
            kept = self._made[name] = (key, make())
        found: Made = kept[1]  # not read again: another thread may want it for another key meanwhile
        return found

    def comparable(self, levels: Floats) -> Floats:
        """Scores on a scale where distances mean something: log-odds if the scale is known or can be told, else raw."""
        low, high = self.limits
        scale = self.scale or ("probability" if low >= 0 and high <= 1 else None)
        return levels if scale is None else logits(levels, scale)

    @property
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        return float(self.scores.min()), float(self.scores.max())

    def _tie_key(self, positions: Integers) -> Integers:
        if self.ids is None:
            return positions
        return np.unique(self.ids[positions], return_inverse=True)[1]

    def p(self, positions: Integers) -> Floats:
        """p(x) of these items."""
        return np.full(len(positions), 1 / len(self)) if self.mass is None else self.mass[positions]

    def level(self, positions: Integers) -> Floats:
        """The scores of these items; of items that are grouped, the level of their group."""
        return self.scores[positions].astype(np.float64)

    def predicted(self, positions: Integers) -> Floats:
        """The predictions of these items, as numbers."""
        return self.predictions[positions].astype(np.float64)

    def midrank(self, positions: Integers) -> Floats:
        """Items below plus half of the items level with each of these."""
        result = np.full(len(positions), np.nan)
        for cells in self._cells.values():
            found = cells.find(positions)
            result[found >= 0] = cells.midrank[found[found >= 0]]
        missing = np.flatnonzero(np.isnan(result))
        if len(missing) <= FEW:
            result[missing] = [self._midrank(score) for score in self.scores[positions[missing]]]
            return result
        whole = self.cells()
        return whole.midrank[whole.find(positions)]

    def _midrank(self, score: np.floating[Any]) -> float:
        return float(np.count_nonzero(self.scores < score) + np.count_nonzero(self.scores == score) / 2)

    def rank(self, positions: Integers) -> Integers:
        """Their places in the ranking: 1 is the best; ties are in the order of their ids."""

        def make() -> Integers:
            found = np.empty(len(self), dtype=np.int64)
            found[self.cells().items] = np.arange(1, len(self) + 1)
            return found

        return self.once("rank", make)[positions]

    def listed(self) -> Integers:
        """The items, best first; where they are grouped, one of each group."""
        return self.cells().items

    def with_predictions(self, predictions: Any) -> "Pool":
        """The same pool as another model or threshold sees it: N values in pool order, or {id: prediction}."""
        if isinstance(predictions, Mapping):
            predictions = self._in_pool_order(predictions)
        flags = columns.binary("predictions", predictions, len(self), "give scores >= threshold")
        if np.array_equal(flags, self.predictions):
            return self
        other = object.__new__(Pool)
        other.__dict__.update({**self._columns(), "predictions": flags, "_cells": {}, "_made": {}})
        return other

    def _columns(self) -> dict[str, Any]:
        names = ("scores", "ids", "features", "mass", "scale", "levels", "head")
        return {name: getattr(self, name) for name in names}

    def _in_pool_order(self, predictions: Mapping[Id, Any]) -> list[Any]:
        ids = range(len(self)) if self.ids is None else self.ids.tolist()
        missing = [i for i in ids if i not in predictions]
        if missing or len(predictions) != len(self):
            raise InputError(
                f"predictions must hold every item of the pool: {len(missing)} of {len(self)} are missing"
                f" and {len(predictions) - len(self) + len(missing)} are not in the pool"
            )
        return [predictions[i] for i in ids]

    @property
    def numbered(self) -> bool:
        """Whether ids are integers."""
        return self.ids is None or isinstance(self.ids[0], (int, np.integer))  # beyond 64 bits they are objects

    @cached_property
    def _position_of(self) -> dict[Id, int]:
        return {} if self.ids is None else {value: i for i, value in enumerate(self.ids.tolist())}

    def look_up(self, items: Sequence[Id]) -> None:
        """Find these now, as far as they are there: one by one each would be a query where rows are elsewhere."""

    def positions(self, items: Sequence[Any]) -> list[int]:
        """Where these ids are in the pool."""
        return [self.position(item) for item in items]

    def position(self, item: Any) -> int:
        """Where this id is in the pool."""
        place = self._find(item)
        if place is None:
            raise InputError(f"items must be ids of the pool: got {item!r}, which is not in it")
        return place

    def __contains__(self, item: Any) -> bool:
        return self._find(item) is not None

    def _find(self, item: Any) -> int | None:
        plain = item.item() if isinstance(item, np.generic) else item
        if not isinstance(plain, (str, int)) or isinstance(plain, bool):
            return None
        place = self._position_of.get(plain) if self.ids is not None else plain
        return place if isinstance(place, int) and 0 <= place < len(self) else None

    def names(self, positions: Sequence[int] | Integers) -> list[Id]:
        """The ids at these positions."""
        plain = np.asarray(positions, dtype=np.int64)
        found: list[Id] = (plain if self.ids is None else self.ids[plain]).tolist()
        return found

    def probabilities(self, levels: Floats) -> Floats:
        """These scores as probabilities, by the scale of the pool."""
        return probabilities(levels, self.scale)

    def logits(self, levels: Floats) -> Floats:
        """These scores as finite log-odds, by the scale of the pool."""
        return logits(levels, self.scale)

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
