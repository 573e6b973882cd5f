"""What a column of predictions says: the class of each row by its name or its place, or 0/1 for one class."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.types import Flags
from lowshot.errors import InputError
from lowshot.integrations.hugging_face.scores import Entries, Grid, holds_classes, place_of, read
from lowshot.integrations.hugging_face.source import Source
from lowshot.pools.columns import AnyArray

# Names of two ClassLabels of which the second one is the positive one
NEGATIVE_POSITIVE = (("0", "1"), ("no", "yes"), ("false", "true"), ("negative", "positive"), ("neg", "pos"))


def all_classes(source: Source, prediction: Any, found: Grid | Entries, names: list[Id]) -> Any:
    """The predicted class per row by name; for lists, 0/1 per class."""
    if prediction is None:
        return None
    column = source.words(source.require("prediction", prediction))
    what = _called(prediction)
    if holds_classes(column.type):
        listed = read(what, column, None)
        if isinstance(listed, Entries):
            raise InputError(f"{what} must be a class per row, or a list of 0/1 per class: got outputs of a pipeline")
        _refuse_unordered(what, found)
        return listed.scores
    values = checks.listed(what, column)
    if isinstance(names[0], str) and all(isinstance(value, int) for value in values):
        _refuse_unordered(what, found)
        return _at_places(what, values, names)
    return values


def _refuse_unordered(what: str, found: Grid | Entries) -> None:
    """Numbers are for classes in their order, which the labels of a pipeline do not have."""
    if not found.named:
        raise InputError(
            f"classes must be given where {what} has numbers: got none, and the labels of a pipeline are in no order;"
            " give the names in the order of the model, or predictions by name"
        )


def _at_places(what: str, places: list[int], names: list[Id]) -> list[Id]:
    if any(isinstance(place, bool) for place in places):
        raise InputError(
            f"{what} must be a class or its place per row: got booleans, which name no class; give names, or category="
            " for a pool that is about one class"
        )
    wrong = next((place for place in places if not 0 <= place < len(names)), None)
    if wrong is not None:
        raise InputError(f"{what} must be a class or its place, 0 to {len(names) - 1}: got {wrong}")
    return [names[place] for place in places]


def orders(
    source: Source, found: Iterable[Grid | Entries | None], classes: list[Id] | None, category: Any
) -> list[list[Id]] | None:
    """The lists of classes in which a number may be the place of one; None if there is none in a known order.

    Places are those of the classes that are given, or of the scores, or else of any ClassLabels of the dataset.
    """
    if category is None:
        return []
    if classes is not None:
        place_of(category, classes)
        return [classes]
    scores = [one for one in found if one is not None]
    lists: Sequence[Sequence[Id] | None] = [one.names for one in scores] or [*map(source.class_names, source.names)]
    fitting = [[*names] for names in lists if names and category in names]
    if isinstance(category, str) and not (fitting and all(one.named for one in scores)):
        return None
    return fitting


def is_category(source: Source, name: Any, category: Any, known: list[list[Id]] | None) -> Any:
    """Predictions as 0/1: as they are, or whether they are the category, by its name or its place in a known list."""
    from pyarrow import types

    names = source.class_names(source.require("prediction", name))
    column = source.column(name)
    texts = types.is_string(column.type) or types.is_large_string(column.type)
    if category is None:
        if texts or (names is not None and tuple(map(str.lower, names)) not in NEGATIVE_POSITIVE):
            kind = "texts" if names is None else f"{len(names)} ClassLabels, {checks.shortened(names)}"
            raise InputError(
                f"category must be given where predictions are names of classes: column {name!r} has {kind}; name the"
                " class that the scores are for"
            )
        return column
    if names is not None or texts:
        words = _complete(name, source.words(name))
        place_of(category, names or words.unique().to_pylist(), f" of {_called(name)}")
        return np.asarray(words.to_numpy() == category)
    if types.is_integer(column.type) or types.is_floating(column.type):
        return _of_numbers(name, _complete(name, column).to_numpy(), category, known)
    return column


def _called(name: Any) -> str:
    return f"prediction (column {name!r})"


def _complete(name: str, column: Any) -> Any:
    if column.null_count:
        raise InputError(
            f"{_called(name)} must have a class in each row: {column.null_count:,} of {len(column):,} have none; drop"
            " these rows, or predict them"
        )
    return column


def _of_numbers(name: str, values: AnyArray, category: Any, known: list[list[Id]] | None) -> Flags:
    """Where numbers mean the category: they may be 0/1, or classes. Where that makes a difference, nobody can tell."""
    distinct = np.unique(values).tolist()
    readings = _readings(values, distinct, category, known or [])
    if known is not None and readings and all((one == readings[0]).all() for one in readings):
        return readings[0]
    may = "may be 0/1 or classes" if known is None or readings else "are neither 0/1 nor known classes"
    order = " in an order that is not known" if known is None else ""
    raise InputError(
        f"{_called(name)} must say which rows are predicted to be {category!r}: got {checks.shortened(distinct)}, which"
        f" {may}{order}; give booleans, names of classes, or, if these are places,"
        f" dataset.cast_column({name!r}, datasets.ClassLabel(names=...))"
    )


def _readings(values: AnyArray, distinct: list[Any], category: Any, known: list[list[Id]]) -> list[Flags]:
    """Where the category is predicted, by all that the numbers may mean."""
    found = [_as_classes(values, distinct, category, names) for names in known]
    flags = [values == 1] if {*distinct} <= {0, 1} else []
    if not isinstance(category, str) and (flags or (category in distinct and not known)):
        found.append(values == category)  # a category that is a number may be meant itself, also where all are 0/1
    return flags + [one for one in found if one is not None]


def _as_classes(values: AnyArray, distinct: list[Any], category: Any, names: list[Id]) -> Flags | None:
    """Where numbers are the category: names of classes if it is a number itself, or else places; None if not all are.

    >>> _as_classes(np.array([0, 2, 1]), [0, 1, 2], "spam", ["ham", "phish", "spam"]).tolist()
    [False, True, False]
    """
    numbers, mine = (range(len(names)), names.index(category)) if isinstance(category, str) else (names, category)
    return np.asarray(values == mine) if {*distinct} <= {*numbers} else None
