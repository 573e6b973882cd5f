"""A pool with many categories: every item has a score per class, and the classifier predicts one of them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.class_answer import ClassAnswers, Kind, class_answers
from lowshot.core.classes.scores import SMALLEST, ClassScores, MultiScores, from_rows
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.integrations.sklearn import class_outputs
from lowshot.pools import columns
from lowshot.pools.base import BasePool, digest_of
from lowshot.pools.class_columns import Grid, Hashes, Long, read
from lowshot.pools.class_view import ClassView
from lowshot.pools.estimator import ids_of, named_columns, slices_of
from lowshot.pools.frame import Frame
from lowshot.pools.in_memory import InMemory
from lowshot.pools.memory_view import MemoryView, Rows
from lowshot.pools.slices import Slices


class ClassPool(InMemory):
    """Items with a score per class, and the predicted class.

    >>> import lowshot
    >>> scores = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.5, 0.3]]
    >>> lowshot.ClassPool(scores, classes=["heron", "crow", "wren"])
    ClassPool(3 items, 3 classes)

    scores       a row per item and a column per class: probabilities, their logarithms, or any scores such as the
                 logits of a softmax. A NumPy array or memory map, a data frame, {class: column}, or the path of a
                 Parquet file with a column per class or with rows (id, class, score)
    classes      names of the classes, strings or whole numbers; the columns' names if None
    predictions  the name of the predicted class per item; if None, the class with the best score, the first of equal
                 ones. With kind="multilabel": N rows of K booleans
    kind         "single": every item has one class, or none of them; "multilabel": any number of classes apply
    ids          strings or integers; the positions 0, 1, ... if none are given; or the name of the id column
    weights      p(x), if the items do not all count the same
    slices       {column: one value per item}: parts of the pool that estimates can be about, as for a Pool

    Per item the 32 best scores are kept, and the others as one number: what a pool needs does not grow with the number
    of classes.
    """

    def __init__(
        self,
        scores: Any,
        *,
        classes: Any = None,
        predictions: Any = None,
        kind: Kind = "single",
        ids: Any = None,
        weights: Any = None,
        slices: Any = None,
    ) -> None:
        source, found = read(scores, ids, classes)
        given = {"predictions": predictions, "weights": weights, "slices": slices}
        if isinstance(source, Long):  # its rows are no items, and they are in no order
            self._index = columns.aligned(**given)
            _refuse_another_order(self._index, source.ids)
        else:
            self._index = columns.aligned(scores=scores, ids=ids, **given)
        names = source.names if source.names is not None else classes
        count = len(source.names or ()) if isinstance(source, Long) else source.scores.shape[1]
        self.answers: ClassAnswers = class_answers(names, count, kind)
        if count < 2:
            raise InputError(
                "classes must be at least two: got one; use lowshot.Pool(scores, threshold=) for one class"
            )
        length = len(source.ids) if isinstance(source, Long) else len(source.scores)
        known = source.ids if isinstance(source, Long) else found
        self.ids = None if known is None else columns.ids(known, length)
        self.mass = None if weights is None else columns.weights(weights, length)
        self.slices = Slices.of(slices, length)
        weight = None if self.mass is None else self.mass * length
        make = _several if self.answers.several else _single
        self.table: ClassScores | MultiScores
        self.table, self._hashes = make(source, self.answers, predictions, weight)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        id: str | None = None,
        classes: Sequence[str] | Mapping[Id, str],
        prediction: str | Mapping[Id, str] | None = None,
        kind: Kind = "single",
        show: Sequence[str] = (),
        slices: Sequence[str] = (),
        weight: str | None = None,
    ) -> "ClassPool":
        """A pool from the columns of a data frame of pandas or polars, or of a table of Arrow.

        >>> import lowshot, pandas
        >>> frame = pandas.DataFrame({"path": ["a.jpg", "b.jpg"], "heron": [0.7, 0.2], "crow": [0.3, 0.8]})
        >>> lowshot.ClassPool.from_frame(frame, id="path", classes=["heron", "crow"])
        ClassPool(2 items, 2 classes)

        id          the column with ids, or the name of the index; the positions 0, 1, ... if not given
        classes     the columns with the scores of the classes: a list of names, or {class: column}
        prediction  the column with the name of the predicted class; the class with the best score if None. With
                    kind="multilabel": {class: column}, 0/1
        show        columns that people are shown when they label
        slices      columns that say which part of the pool an item is in
        weight      the column with p(x), if the items do not all count the same
        """
        source = Frame.of(frame)
        named = classes if isinstance(classes, Mapping) else {name: name for name in checks.listed("classes", classes)}
        scores = {name: source.column("classes", column) for name, column in named.items()}
        pool = cls(
            scores,
            predictions=_predictions_in(source, prediction, list(named)),
            kind=kind,
            ids=source.ids(id),
            weights=None if weight is None else source.column("weight", weight),
            slices=source.several("slices", slices) or None,
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
        classes: Any = None,
        response_method: str = "auto",
        ids: Any = None,
        show: Sequence[str] = (),
        slices: Any = None,
        weights: Any = None,
    ) -> "ClassPool":
        """A pool from a fitted classifier of scikit-learn and the data that it is evaluated on.

        >>> import lowshot
        >>> from sklearn.linear_model import LogisticRegression
        >>> fitted = LogisticRegression().fit([[0], [1], [2], [3]], ["heron", "heron", "crow", "wren"])
        >>> lowshot.ClassPool.from_estimator(fitted, [[0.5], [2.2]])
        ClassPool(2 items, 3 classes)

        X                one row per item, as for `fitted.predict`. An index of pandas that has a name gives the ids
        classes          names of the classes, in the order of `fitted.classes_`, if people shall read others
        response_method  where scores come from: "predict_proba", "decision_function", or "auto" for the first of
                         them that the classifier has
        show, slices     names of columns of X, if it is a data frame, or for slices {column: one value per item}

        Where the classifier predicts any number of classes per item, the pool has kind "multilabel".
        """
        # Before the classifier makes plain arrays of X
        index = columns.aligned(X=X, ids=ids, weights=weights, slices=slices)
        found, shown = class_outputs(fitted, X, response_method), named_columns(X, "show", show)
        names = found.classes if classes is None else checks.listed("classes", classes)
        predictions = found.predictions
        if classes is not None and not found.several:
            if len(names) != len(found.classes):
                raise InputError(
                    f"classes must be one name per class of fitted: got {len(names)} names for {len(found.classes)}"
                    " classes"
                )
            place = {name: number for number, name in enumerate(found.classes)}
            predictions = [names[place[name]] for name in predictions.tolist()]
        pool = cls(
            found.scores,
            classes=names,
            predictions=predictions,
            kind="multilabel" if found.several else "single",
            ids=ids_of(X, ids),
            weights=weights,
            slices=slices_of(X, slices),
        )
        pool._show, pool._index = shown, index
        return pool

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        several = ", any number per item" if self.answers.several else ""
        return f"ClassPool({len(self):,} items, {len(self.categories):,} classes{several})"

    _predicted_header: ClassVar[tuple[str, ...]] = ("class", "predicted", "share")

    def _predicted_rows(self) -> list[list[str]]:
        """A row per class, as texts, those that are predicted most often first."""
        counts = self.predicted_counts
        order = np.argsort(-counts, kind="stable").tolist()
        return [
            [str(self.categories[place]), f"{counts[place]:,}", f"{100 * counts[place] / len(self):.3g} %"]
            for place in order
        ]

    @property
    def categories(self) -> tuple[Id, ...]:
        """The names of the classes, in the order of the columns."""
        return self.answers.names

    @property
    def predicted_counts(self) -> Integers:
        """How many items are predicted to be of each class."""
        return self._view.predicted_counts

    def predicted_names(self, positions: Integers) -> list[list[Id]]:
        """The predicted classes of these items: one each, or any number with kind "multilabel".

        >>> import lowshot, numpy as np
        >>> pool = lowshot.ClassPool([[0.7, 0.3], [0.1, 0.9]], classes=["heron", "crow"])
        >>> pool.predicted_names(np.array([1, 0]))
        [['crow'], ['heron']]
        """
        table, names = self.table, self.categories
        if isinstance(table, ClassScores):
            return [[names[place]] for place in table.predicted[positions].tolist()]
        mine = table.predicted & np.isin(table.item, positions)
        found: dict[int, list[Id]] = {position: [] for position in positions.tolist()}
        for item, place in zip(table.item[mine].tolist(), table.place[mine].tolist(), strict=True):
            found[item].append(names[place])
        return [found[position] for position in positions.tolist()]

    @property
    def predicted_positives(self) -> int:
        """Items with a prediction."""
        return int(self.predicted_counts.sum()) if self.answers.several else len(self)

    def bind(self, seed: int) -> BasePool:
        """The pool itself."""
        return self

    @cached_property
    def _view(self) -> ClassView:
        return ClassView(self.table, self.answers, self._rows)

    def view(self, model: str | None = None) -> ClassView:
        return self._view

    def of_category(self, category: Any) -> MemoryView:
        """The items as one category ranks them, predicted positive where it is predicted."""
        return self._view.of_category(self.answers.place(category))

    def part(self, where: Any) -> Flags | None:
        """The items of some slices; None: all of them."""
        if where is None:
            return None
        split = self.slices.where(where)
        inside: Flags = split.part[split.code] == 0
        return inside

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.ids, self.mass, None, None)

    def with_predictions(self, predictions: Any) -> Self:
        _refuse("predictions of another model are")

    def refuse_other_predictions(self) -> None:
        _refuse("predictions of another model are")

    def with_model(
        self, name: str, scores: Any = None, *, threshold: float | None = None, predictions: Any = None
    ) -> Self:
        _refuse("a further model is")

    @cached_property
    def fingerprint(self) -> str:
        """Identifies the pool: scores in single precision, predictions and names, whatever the order of the rows."""
        order, joined = self._by_id()
        mass = b"" if self.mass is None else self.mass[order].tobytes()
        names = repr((self.answers.kind, self.categories)).encode("utf-8", "surrogatepass")
        return digest_of((joined, names, mass, self._hashes[order].tobytes(), *self.table.predictions(order)))


def _refuse_another_order(index: Any, ids: list[Any]) -> None:
    """Refuse columns with this index of pandas, if it has the same items in another order."""
    if index is not None:
        order = f"the items, {', '.join(map(repr, ids[:3]))}, ..."
        columns.in_order("predictions, weights and slices", index, [ids], order, "reorder them with .loc")


def _predictions_in(source: Frame, prediction: str | Mapping[Id, str] | None, classes: list[Id]) -> Any:
    """The column of predicted classes; or one column per class, in the order of the classes."""
    if not isinstance(prediction, Mapping):
        return None if prediction is None else source.column("prediction", prediction)
    if missing := [name for name in classes if name not in prediction]:
        raise InputError(f"prediction must have a column per class: that of {missing[0]!r} is missing")
    return np.column_stack([np.asarray(source.column("prediction", prediction[name])) for name in classes])


def _refuse(what: str) -> NoReturn:
    raise InputError(
        f"{what} not supported with many classes: make a ClassPool of its own, with an evaluation of its own"
    )


def _single(
    source: Grid | Long, answers: ClassAnswers, predictions: Any, weight: Floats | None
) -> tuple[ClassScores, Hashes]:
    length = len(source.ids) if isinstance(source, Long) else len(source.scores)
    given = None if predictions is None else _predicted(predictions, answers, length)
    if isinstance(source, Long):
        return _from_long(source, len(answers.names), given, weight), source.hashes()
    found = source.survey()
    logs = source.logarithms(as_probabilities=found.low >= 0 and found.high <= 1)
    return ClassScores.of(logs, found.best if given is None else given, weight), found.hashes


def _predicted(predictions: Any, answers: ClassAnswers, length: int) -> Integers:
    names = checks.listed("predictions", predictions)
    columns.same_length("predictions", len(names), length)
    return np.array([answers.place(name, "predictions") for name in names], dtype=np.int64)


def _from_long(source: Long, categories: int, given: Integers | None, weight: Floats | None) -> ClassScores:
    """Rows of some classes per item. Probabilities that sum to less than 1 leave something for the other classes."""
    items, score = len(source.ids), source.score.astype(np.float64)
    if score.min() >= 0 and score.max() <= 1:
        total = np.bincount(source.item, weights=score, minlength=items)
        log = np.log(np.maximum(score / np.maximum(total, 1.0)[source.item], SMALLEST))
        left = np.maximum(1 - total, 0.0)
    else:
        top = np.full(items, -np.inf)
        np.maximum.at(top, source.item, score)
        with np.errstate(over="ignore"):  # what is infinitely far below has a probability of 0
            below = score - top[source.item]
        total = np.bincount(source.item, weights=np.exp(below), minlength=items)
        log, left = below - np.log(total)[source.item], np.zeros(items)
    candidate, logs, dropped = from_rows(source.item, source.place, source.score, log, items, categories)
    rest = np.maximum(left + dropped, 0.0)
    there = np.bincount(candidate[np.isfinite(logs)], minlength=categories)
    tail = rest.mean() * (items - there) / max(float((items - there).sum()), 1.0)
    best = candidate[:, 0].astype(np.int64) if given is None else given
    table = ClassScores(
        categories, candidate, logs, rest.astype(np.float32), tail, best.astype(np.int32), logs[:, 0],
        np.ones(items) if weight is None else weight,
    )  # fmt: skip
    return table if given is None else table.with_predicted_scores()


def _several(
    source: Grid | Long, answers: ClassAnswers, predictions: Any, weight: Floats | None
) -> tuple[MultiScores, Hashes]:
    if isinstance(source, Long):
        raise InputError("scores must have a column per class with kind 'multilabel': got rows (id, class, score)")
    flags = _flags(predictions, source.scores.shape)
    found = source.survey()
    odds = (_log_odds(part, found.low, found.high) for part in source.in_single_precision())
    return MultiScores.of(odds, flags, weight), found.hashes


def _flags(predictions: Any, shape: tuple[int, ...]) -> Flags:
    if predictions is None:
        raise InputError("predictions must be given with kind 'multilabel', for example scores >= 0.5: got none")
    array = np.asarray(predictions)
    if array.shape != shape:
        raise InputError(f"predictions must have the shape of scores, {shape}: got {array.shape}")
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise InputError("predictions must be 0 or 1: some are not; give scores >= threshold")
    return array.astype(np.bool_)


def _log_odds(scores: Any, low: float, high: float) -> Any:
    """Probabilities as log-odds; any other scores as they are."""
    if low < 0 or high > 1:
        return scores
    share = np.clip(scores.astype(np.float64), 1e-7, 1 - 1e-7)
    return np.log(share / (1 - share))
