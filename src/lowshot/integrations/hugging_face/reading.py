"""A pool from a Dataset of Hugging Face: its rows are the items, and the outputs of a model are in its columns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lowshot import checks
from lowshot.checks import Id
from lowshot.class_answer import Kind
from lowshot.errors import InputError
from lowshot.integrations.hugging_face.predictions import all_classes, is_category, orders
from lowshot.integrations.hugging_face.scores import ALL, Entries, Grid, holds_classes, of_category, read
from lowshot.integrations.hugging_face.showing import texts
from lowshot.integrations.hugging_face.source import Source
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.memory import Pool
from lowshot.pools.models import named_helpers, with_threshold


def pool(
    dataset: Any,
    *,
    id: str | None = None,
    score: str | Mapping[str, str],
    threshold: float | Mapping[str, float] | None = None,
    prediction: str | Mapping[str, str] | None = None,
    category: Id | None = None,
    classes: str | Sequence[Id] | None = None,
    kind: Kind = "single",
    helpers: Sequence[str] | Mapping[str, str] = (),
    slices: Sequence[str] = (),
    show: Sequence[str] = (),
    weight: str | None = None,
) -> Pool | ClassPool:
    """A pool from the columns of a `datasets.Dataset`.

    >>> from datasets import Dataset
    >>> from lowshot.integrations import hugging_face
    >>> rows = Dataset.from_dict({"text": ["Buy now!", "See you", "Win a car"], "spam": [0.9, 0.1, 0.8]})
    >>> hugging_face.pool(rows, score="spam", threshold=0.5, show=["text"])
    Pool(3 items, 2 predicted positive)

    The scores of several classes, as lists or as a pipeline of transformers gives them, make a `ClassPool`; with
    category=, a pool that is about one of them:

    >>> outputs = [[{"label": "spam", "score": p}, {"label": "ham", "score": 1 - p}] for p in rows["spam"]]
    >>> rows = rows.add_column("output", outputs)
    >>> hugging_face.pool(rows, score="output")
    ClassPool(3 items, 2 classes)
    >>> hugging_face.pool(rows, score="output", category="spam")
    Pool(3 items, 2 predicted positive)

    id          the column with ids, integers or texts, each once; the places 0, 1, ... of the rows if not given
    score       the column with the scores: numbers, lists with a number per class, or outputs of a pipeline; or
                {model: column} for several models
    threshold   scores of at least this are predicted positive
    prediction  the column with the predictions: 0/1, or with category= or several classes the name of a class or its
                place in classes. With category=, numbers that mean other rows as 0/1 than as places are refused: give
                booleans, names or ClassLabels. Without it and a threshold, the class with the best score is predicted
    category    one of several classes: items of this class are the positive ones
    classes     the names of several classes: a list, or a column of ClassLabels. If not given: the labels of a
                pipeline, or the ClassLabels of the dataset if one column has as many as there are scores
    kind        of several classes: "single", or "multilabel" if any number of them apply; then give a threshold

    The other keywords mean the same as those of `Pool.from_frame`. Columns are read as Arrow has them; what people are
    shown is read when it is shown.
    """
    source = Source.of(dataset)
    if not len(dataset):
        raise InputError("dataset must hold at least one row: got none; an empty pool cannot be evaluated")
    shown = texts(source, show)
    columns = _scores(source, score, helpers, category, classes)
    named = {"id": id, "slices": slices, "weight": weight}
    if category is None and any(columns.values()):
        _refuse_one_class(score, helpers)
        (found,) = (one for one in columns.values() if one is not None)
        return _classes(source, found, prediction, threshold, kind, named).with_shown(shown)
    if kind != "single":
        raise InputError(f"kind must be left out for a pool that is about one class: got {kind!r}")
    computed, predicted = _about(source, columns, score, threshold, prediction, category, classes)
    found_pool = Pool.from_frame(
        source.frame({**computed, **_worded(source, slices)}),
        id=id, score=score, threshold=threshold, prediction=predicted, helpers=helpers, slices=slices, weight=weight,
    )  # fmt: skip
    return found_pool.with_shown(shown)


def _scores(
    source: Source, score: Any, helpers: Any, category: Id | None, classes: Any
) -> dict[str, Grid | Entries | None]:
    """Scores of several classes by the name of their column; None for a column of numbers."""
    own = dict(score) if isinstance(score, Mapping) else {"": score}
    columns = [("score", name) for name in own.values()]
    columns += [("helpers", name) for name in named_helpers(helpers).values()]
    found: dict[str, Grid | Entries | None] = {}
    for keyword, name in columns:
        column = source.column(source.require(keyword, name))
        if not holds_classes(column.type):
            found[name] = None
            continue
        what = f"{keyword} (column {name!r})"
        named = _names(source, classes)
        read_ = read(what, column, named)
        found[name] = _with_names(source, read_, what, classes)
    return found


def _names(source: Source, classes: Any) -> list[Id] | None:
    if classes is None:
        return None
    if not isinstance(classes, str):
        names: list[Id] = checks.listed("classes", classes)
        _refuse_repeated(names)
        return names
    found = source.class_names(source.require("classes", classes))
    if found is None:
        raise InputError(
            f"classes must be a column of ClassLabels, or a list of names: column {classes!r} is"
            f" {source.feature(classes)}"
        )
    return [*found]


def _refuse_repeated(names: list[Id]) -> None:
    count = Counter(map(repr, names))  # what is no name is refused later, and may have no hash
    if twice := [name for name, times in count.items() if times > 1]:
        raise InputError(f"classes must be distinct: got {twice[0]} twice; give every class a name of its own")


def _with_names(source: Source, found: Grid | Entries, what: str, classes: Any) -> Grid | Entries:
    """With the names of a column of ClassLabels, if numbers have none and exactly one such column fits."""
    if isinstance(found, Entries) or (found.names is not None and classes is None):
        return found
    count = found.scores.shape[1]
    if found.names is not None:
        if len(found.names) != count:
            raise InputError(
                f"classes must be one name per number of {what}: got {len(found.names)} names for {count} numbers"
            )
        return found
    fitting = [names for name in source.names if (names := source.class_names(name)) and len(names) == count]
    distinct = list(dict.fromkeys(map(tuple, fitting)))
    return Grid(found.scores, [*distinct[0]]) if len(distinct) == 1 else found


def _refuse_one_class(score: Any, helpers: Any) -> None:
    """What only a pool about one class can have."""
    for keyword, given in (("score", score if isinstance(score, Mapping) else None), ("helpers", helpers)):
        if given:
            raise InputError(
                f"{keyword} must be one column of numbers per model where there is no category: got scores of several"
                " classes; give category= for a pool that is about one of them"
            )


def _classes(
    source: Source, found: Grid | Entries, prediction: Any, threshold: Any, kind: Kind, named: Mapping[str, Any]
) -> ClassPool:
    frame = source.frame(worded=True)
    ids, weight = frame.ids(named["id"]), named["weight"]
    several = kind == "multilabel"
    if isinstance(threshold, Mapping) or (threshold is not None and not several):
        raise InputError(
            f"threshold must be left out for several classes of which one is predicted: got {threshold!r}; give"
            " category= for a pool that is about one of them"
        )
    if isinstance(found, Entries) and several:
        raise InputError(f"score must have all classes in each row with kind 'multilabel': some are missing; {ALL}")
    names = _class_names(found)
    mass = None if weight is None else frame.column("weight", weight)
    parts = frame.several("slices", named["slices"]) or None
    predictions = all_classes(source, prediction, found, names)
    if isinstance(found, Grid) and several and predictions is None:
        predictions = found.scores >= checks.finite("threshold", threshold)
    scores, who = (found.scores, ids) if isinstance(found, Grid) else (_long(found, ids), "id")
    return ClassPool(scores, classes=names, predictions=predictions, kind=kind, ids=who, weights=mass, slices=parts)


def _class_names(found: Grid | Entries) -> list[Id]:
    if found.names is None:
        raise InputError(
            f"classes must be given for lists of {found.scores.shape[1]} scores: no column of ClassLabels, or more than"
            " one kind of them, has as many names; give a list of names, or a column of ClassLabels"
        )
    return found.names


def _long(found: Entries, ids: Any) -> dict[str, Any]:
    """A row per item and class, as `ClassPool` reads it. Arrow keeps the order in which items occur."""
    import pyarrow as arrow

    items = arrow.array(range(found.rows) if ids is None else ids.tolist()).take(arrow.array(found.item))
    names = arrow.array(found.names).take(arrow.array(found.place))
    return {"id": arrow.chunked_array([items]), "class": arrow.chunked_array([names]), "score": found.score}


def _about(
    source: Source,
    columns: Mapping[str, Grid | Entries | None],
    score: Any,
    threshold: Any,
    prediction: Any,
    category: Any,
    classes: Any,
) -> tuple[dict[str, Any], Any]:
    """Columns of a pool about one class that are computed, and the names of those with predictions."""
    computed: dict[str, Any] = {}
    best: dict[str, Any] = {}
    for name, found in columns.items():
        if found is not None:
            computed[name], best[name] = of_category(f"column {name!r}", found, category)
    if prediction is not None:
        given = prediction.values() if isinstance(prediction, Mapping) else [prediction]
        known = orders(source, columns.values(), _names(source, classes), category)
        return {**computed, **{name: is_category(source, name, category, known) for name in given}}, prediction
    if not isinstance(score, Mapping):
        if threshold is not None or score not in best:
            return computed, None
        key = _unused(source, f"{score}: best")
        return {**computed, key: best[score]}, key
    ruled = with_threshold(score, threshold)
    free = {model: column for model, column in score.items() if model not in ruled and column in best}
    keys = {model: _unused(source, f"{column}: best") for model, column in free.items()}
    return {**computed, **{keys[model]: best[column] for model, column in free.items()}}, keys or None


def _unused(source: Source, name: str) -> str:
    while name in source.names:
        name += "*"
    return name


def _worded(source: Source, slices: Any) -> dict[str, Any]:
    """Slices that are ClassLabels, by name: "north" is easier to ask for than 0."""
    listed = checks.listed("slices", slices)
    return {name: source.words(name) for name in listed if name in source.names and source.class_names(name)}
