"""The pool in memory: all items with score and prediction, as arrays. It never changes during an evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.types import Flags
from lowshot.errors import InputError
from lowshot.pools import columns
from lowshot.pools.arrangement import Names
from lowshot.pools.base import BasePool, digest_of
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.estimator import helping, ids_of, named_columns, scored, slices_of
from lowshot.pools.frame import Frame, objects, scores_of
from lowshot.pools.grouped import HEAD, GroupedPool
from lowshot.pools.grouped_scores import GroupedScores
from lowshot.pools.in_memory import InMemory
from lowshot.pools.memory_view import MemoryView, Rows, Together
from lowshot.pools.models import ONLY, Judged, Models, described, model_name
from lowshot.pools.scale import Scale, check_scale, known_scale
from lowshot.pools.scores_engine import ArrayScores
from lowshot.pools.slices import Slices

OTHER = "other predictions"  # the name of the model whose predictions `with_predictions` gives


class Pool(InMemory):
    """Items with a score of any scale and a prediction; optionally ids, features and weights.

    >>> pool = Pool([0.9, 0.7, 0.2, 0.1], threshold=0.5, ids=["a", "b", "c", "d"])
    >>> pool
    Pool(4 items, 2 predicted positive)
    >>> pool.scores.tolist(), pool.predictions.tolist()
    ([0.9, 0.7, 0.2, 0.1], [True, True, False, False])

    Several scores of the same items: those with a threshold or predictions are models that are judged, the others help.

    >>> v1 = np.linspace(0, 1, 1000)
    >>> Pool({"v1": v1, "v2": v1**2, "clip": 30 + v1}, threshold={"v1": 0.9, "v2": 0.9})
    Pool(1,000 items; predicted positive: v1 100, v2 52; helpers: clip)

    scores       numbers of any scale: probability, logit, margin; higher means more likely positive
    predictions  0/1, one per item; or threshold=, then items with score >= threshold are predicted positive
    helpers      {name: scores}: further scores, of any scale, that help to judge the model; NaN where one is unknown
    ids          strings or integers; the positions 0, 1, ... if none are given
    features     one row per item, for HERDING
    weights      p(x), if the items do not all count the same
    slices       {column: one value per item}, such as {"camera": [...]}, or a data frame: parts of the pool that
                 estimates can be about; texts or whole numbers, None or NaN is a value of its own
    scale        what the scores are: "probability", "log" (of a probability) or "logit"; SAWADE and GMM need it
    levels       group the items below the `head` best ones into so many levels of about the same score, as `open_pool`
                 does with pools that are too large for memory; None: do not group

    scores, threshold and predictions are one value, or a mapping from the name of each model. One score with
    threshold={"strict": 0.7, "lax": 0.4} is two models. `scores` and `predictions` of a pool are those of its first
    model. Columns may be NumPy arrays, lists, pandas or polars Series, or Arrow arrays.
    """

    _default: int = 0  # the place of the model that is judged if none is named

    def __init__(
        self,
        scores: Any,
        predictions: Any = None,
        *,
        threshold: float | Mapping[str, float] | None = None,
        helpers: Mapping[str, Any] | None = None,
        ids: Any = None,
        features: Any = None,
        weights: Any = None,
        slices: Any = None,
        scale: Scale | None = None,
        levels: int | None = None,
        head: int = HEAD,
    ) -> None:
        self._index = columns.aligned(
            scores=scores, predictions=predictions, helpers=helpers, ids=ids, features=features, weights=weights,
            slices=slices,
        )  # fmt: skip
        self.columns = Models.of(scores, predictions, threshold, helpers)
        first = self.columns.judged[0]
        self.scores, self.predictions = self.columns.scores[first.score or ""], first.predictions
        self.ids = None if ids is None else columns.ids(ids, len(self))
        self.features = None if features is None else columns.features(features, len(self))
        self.mass = None if weights is None else columns.weights(weights, len(self))
        self.scale: Scale | None = known_scale(scale)
        if self.scale is not None:
            for model in self.columns.judged:  # an error now, not after labels were bought
                self._check_scale(model, self.columns)
        self.slices = Slices.of(slices, len(self))
        self.levels = None if levels is None else self._checked_levels(levels)
        self.head = checks.whole_number("head", head, 0, 10**7)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        id: str | None = None,
        score: str | Mapping[str, str],
        prediction: str | Mapping[str, str] | None = None,
        threshold: float | Mapping[str, float] | None = None,
        helpers: Sequence[str] | Mapping[str, str] = (),
        show: Sequence[str] = (),
        slices: Sequence[str] = (),
        weight: str | None = None,
        scale: Scale | None = None,
        levels: int | None = None,
        head: int = HEAD,
    ) -> "Pool":
        """A pool from the columns of a data frame of pandas or polars, or of a table of Arrow.

        >>> import lowshot, pandas
        >>> frame = pandas.DataFrame({"path": ["a.jpg", "b.jpg", "c.jpg"], "p": [0.9, 0.7, 0.1]})
        >>> lowshot.Pool.from_frame(frame, id="path", score="p", threshold=0.5)
        Pool(3 items, 2 predicted positive)

        id       the column with ids, integers or texts, each once; of pandas also the name of the index. If it is not
                 given, the ids are the positions 0, 1, ..., whatever the index is
        show     columns that people are shown when they label: see `Evaluation.widget`
        slices   columns that say which part of the pool an item is in
        weight   the column with p(x), if the items do not all count the same

        The other keywords mean the same as those of `open_pool`, which leaves rows where they are; here they are read
        into memory. Rows that do not count must be left out of the frame before.
        """
        source = Frame.of(frame)
        found = scores_of(source, score, prediction, threshold, helpers)
        mass = None if weight is None else source.column("weight", weight)
        ids = source.ids(id)
        if mass is not None:  # refuses bad ones by the name of this keyword
            columns.weights(mass, len(mass), f"weight (column {weight!r})")
        pool = cls(
            found.scores,
            found.predictions,
            threshold=found.threshold,
            helpers=found.helpers,
            ids=ids,
            weights=mass,
            slices=source.several("slices", slices) or None,
            scale=scale,
            levels=levels,
            head=head,
        )
        pool._show = source.several("show", show)
        pool._index = columns.aligned(frame=frame)
        return pool

    @classmethod
    def from_estimator(
        cls,
        fitted: Any,
        X: Any,
        *,
        threshold: float | Mapping[str, float] | None = None,
        pos_label: Any = None,
        response_method: str = "auto",
        helpers: Mapping[str, Any] | None = None,
        ids: Any = None,
        show: Sequence[str] = (),
        slices: Any = None,
        weights: Any = None,
        features: Any = None,
        levels: int | None = None,
        head: int = HEAD,
    ) -> "Pool":
        """A pool from a fitted classifier of scikit-learn and the data that it is evaluated on.

        >>> import lowshot
        >>> from sklearn.linear_model import LogisticRegression
        >>> fitted = LogisticRegression().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
        >>> lowshot.Pool.from_estimator(fitted, [[0.5], [1.2], [2.8], [1.9]])
        Pool(4 items, 2 predicted positive)

        fitted           a classifier, or {name: classifier} for several models; none of them may know X from training
        X                one row per item, as for `fitted.predict`. An index of pandas that has a name gives the ids
        threshold        items with a score of at least this are predicted positive; if not given, those that the
                         classifier itself predicts (`FixedThresholdClassifier` has a threshold of its own)
        pos_label        the class that is looked for; not needed if the classes are 0 and 1. Of a classifier with
                         many classes: this one against all others
        response_method  where scores come from: "predict_proba", "decision_function", or "auto" for the first of
                         them that the classifier has
        helpers          {name: scores}, or {name: classifier}
        show, slices     names of columns of X, if it is a data frame, or for slices {column: one value per item}

        The other keywords mean the same as those of `Pool`.
        """
        # Before the classifier makes plain arrays of X
        index = columns.aligned(X=X, helpers=helpers, ids=ids, features=features, weights=weights, slices=slices)
        found = scored(fitted, X, threshold, pos_label, response_method)
        shown = named_columns(X, "show", show)
        pool = cls(
            found.scores,
            found.predictions,
            threshold=found.threshold,
            helpers=helping(helpers, X, pos_label, response_method),
            ids=ids_of(X, ids),
            features=features,
            weights=weights,
            slices=slices_of(X, slices),
            scale=found.scale,
            levels=levels,
            head=head,
        )
        pool._show, pool._index = shown, index
        return pool

    def _check_scale(self, model: Judged, columns: Models) -> None:
        if self.scale is not None and model.score is not None:
            what = "scores" if model.name == ONLY else f"scores[{model.score!r}]"
            check_scale(columns.scores[model.score], self.scale, what)

    def __len__(self) -> int:
        return len(self.scores)

    def _checked_levels(self, levels: int) -> int:
        if self.mass is not None or self.features is not None:
            raise InputError("levels cannot be given with weights or features: items of a level count the same")
        if self.slices:
            raise InputError("levels cannot be given with slices: where items are grouped, their slices are not known")
        return checks.whole_number("levels", levels, 1, 10**6)

    def __repr__(self) -> str:
        if self._named.plain:
            return super().__repr__()
        counts = {model.name: int(np.count_nonzero(model.predictions)) for model in self.columns.judged}
        return described(len(self), counts, self.helpers, self.columns.missing, self.left_out)

    @property
    def models(self) -> tuple[str, ...]:
        return self.columns.names

    @property
    def helpers(self) -> tuple[str, ...]:
        return self.columns.helpers

    @property
    def left_out(self) -> tuple[str, ...]:
        return self._together.consensus.left_out

    @property
    def missing(self) -> dict[str, int]:
        return self.columns.missing

    def both_predict(self, one: str, two: str) -> int:
        first, second = (self.columns.judged[self.columns.find(name)].predictions for name in (one, two))
        return int(np.count_nonzero(first & second))

    @property
    def predicted_positives(self) -> int:
        return self.view().predicted_positives

    def view(self, model: str | None = None) -> MemoryView:
        place = self._default if model is None else self.columns.find(model)
        if place not in self._views:
            judged, together = self.columns.judged[place], None if self.columns.plain else self._together
            scores = self.scores if judged.score is None else self.columns.scores[judged.score]
            self._views[place] = MemoryView(scores, judged.predictions, self._rows, together, place, judged.name)
        return self._views[place]

    @cached_property
    def _views(self) -> dict[int, MemoryView]:
        """By the place of the model; made when they are asked for."""
        return {}

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.ids, self.mass, self.features, self.scale)

    @cached_property
    def _together(self) -> Together:
        return Together(self.columns, self._rows)

    def bind(self, seed: int) -> BasePool:
        """The pool itself; with `levels`, a grouped pool of the same items."""
        if self.levels is None:
            return self
        ids = np.arange(len(self)) if self.ids is None else self.ids
        if self._named.names != (ONLY,) or not self._named.plain:
            return self._grouped_scores(ids, self.levels).bind(seed)
        engine = ArrayEngine(ids, self.scores.astype(np.float64), self.predictions, objects(self._show))
        return GroupedPool(engine, levels=self.levels, head=self.head, scale=self.scale, seed=seed)

    def _grouped_scores(self, ids: columns.AnyArray, levels: int) -> GroupedScores:
        found = self._named
        bits = 1 << np.arange(len(found.judged), dtype=np.int64)[::-1]
        patterns = np.column_stack([model.predictions for model in found.judged]) @ bits
        names = Names({model.name: model.score or "" for model in found.judged}, found.helpers)
        engine = ArrayScores(ids, found.scores, patterns, objects(self._show))
        return GroupedScores(engine, names, levels=levels, head=self.head, scale=self.scale)

    def with_predictions(self, predictions: Any) -> "Pool":
        """The same pool as another model or threshold sees it: N values in pool order, or {id: prediction}."""
        if isinstance(predictions, Mapping):
            predictions = self._in_pool_order(predictions)
        self._refuse_another_order("predictions", predictions)
        flags = columns.binary("predictions", predictions, len(self), "give scores >= threshold")
        if np.array_equal(flags, self.predictions):
            return self
        other = self._with(self.columns.with_other(Judged(OTHER, None, flags)), flags)
        other._default = len(self.models)
        return other

    def _refuse_another_order(self, name: str, values: Any) -> None:
        """Refuse a column of pandas that is about the items of the pool in another order."""
        if hasattr(values, "iloc") and not values.index.equals(self._index):
            columns.in_order(name, values.index, self._orders(), "the pool", "reorder them with .loc")

    def _orders(self) -> list[Any]:
        """What the rows of the pool are called: by their ids, and by the index of pandas."""
        ids = np.arange(len(self)) if self.ids is None else self.ids
        if self._index is None:
            return [ids]
        if self.ids is None and columns.same_rows(self._index, ids):  # a shuffled table: its index says more
            return [self._index]
        return [self._index, ids]

    def _with(self, models: Models, predictions: Flags) -> "Pool":
        """The same items with other models; their columns were checked."""
        other = object.__new__(Pool)
        for name in ("scores", "ids", "features", "mass", "slices", "scale", "levels", "head", "_show", "_index"):
            setattr(other, name, getattr(self, name))
        other.predictions, other.columns = predictions, models
        return other

    def with_model(
        self, name: str, scores: Any = None, *, threshold: float | None = None, predictions: Any = None
    ) -> "Pool":
        """The same items with another model: a score with a threshold or predictions, or predictions alone.

        >>> pool = Pool([0.9, 0.7, 0.2, 0.1], threshold=0.5)
        >>> pool.with_model("v2", [0.6, 0.3, 0.8, 0.1], threshold=0.5)
        Pool(4 items; predicted positive: model 2, v2 2)
        """
        if self.levels is not None:
            raise InputError("a model cannot be added to a pool with levels: make a Pool with all scores and levels=")
        name = model_name(name)
        if scores is None:
            if predictions is None or threshold is not None:
                came = "neither" if predictions is None else "predictions and threshold"
                raise InputError(
                    f"give scores with threshold or predictions, or predictions alone, of {name!r}: got {came}"
                )
            plain = self._in_pool_order(predictions) if isinstance(predictions, Mapping) else predictions
            self._refuse_another_order(f"predictions[{name!r}]", plain)
            flags = columns.binary(f"predictions[{name!r}]", plain, len(self), "give scores >= threshold")
            return self._with(self.columns.with_model(Judged(name, None, flags), None), self.predictions)
        if isinstance(predictions, Mapping):
            predictions = self._in_pool_order(predictions)
        columns.aligned(**{f"scores[{name!r}]": scores, f"predictions[{name!r}]": predictions})
        self._refuse_another_order(f"scores[{name!r}]", scores)
        self._refuse_another_order(f"predictions[{name!r}]", predictions)
        found = Models.of({name: scores}, predictions, threshold)
        columns.same_length(f"scores[{name!r}]", len(found.scores[name]), len(self))
        self._check_scale(found.judged[0], found)
        return self._with(self.columns.with_model(found.judged[0], found.scores[name]), self.predictions)

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

    @property
    def _named(self) -> Models:
        """Without the predictions of `with_predictions`."""
        return replace(self.columns, judged=self.columns.judged[:-1]) if self._default else self.columns

    @cached_property
    def fingerprint(self) -> str:
        """Identifies the pool: all its columns and its scale, whatever the order of the rows."""
        order, joined = self._by_id()
        parts = (
            joined,
            (self.scores[order].astype(np.float64) + 0.0).tobytes(),  # -0.0 is 0.0
            np.packbits(self.predictions[order]).tobytes(),
            b"" if self.mass is None else self.mass[order].tobytes(),
            b"" if self.features is None else self.features[order].tobytes(),
            (self.scale or "").encode(),
            *self._named.take(order).parts(),
        )
        return digest_of(parts)
