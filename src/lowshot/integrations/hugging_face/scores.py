"""Scores of several classes in one column: lists of numbers, or what a classification pipeline of transformers gives.

[0.1, 0.9]                                                         a number per class
[{"label": "no", "score": 0.9}, {"label": "yes", "score": 0.1}]    top_k=None
{"label": "no", "score": 0.9}                                      the best class alone
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lowshot.checks import Id, nearest
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError
from lowshot.pools.columns import AnyArray

ALL = "run the pipeline with top_k=None, which gives the scores of all classes"


class Grid(NamedTuple):
    """A row of scores per item, with a column per class."""

    scores: AnyArray
    names: list[Id] | None
    named: bool = True  # whether the names are in the order of the model; the labels of a pipeline are sorted


class Entries(NamedTuple):
    """Scores of some of the classes of each item: one entry per item and class."""

    rows: int
    item: Integers  # [entry]
    place: Integers  # [entry]: in `names`
    score: Floats  # [entry]
    names: list[Id]
    named: bool  # whether the user gave the names, so that there are no other classes


def holds_classes(kind: Any) -> bool:
    """Whether a column of this Arrow type has the scores of several classes."""
    from pyarrow import types

    return bool(
        types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) or types.is_struct(kind)
    )


def read(what: str, column: Any, classes: list[Id] | None) -> Grid | Entries:
    """The scores of a column for which `holds_classes` is true.

    >>> import pyarrow
    >>> read("score", pyarrow.chunked_array([[[0.1, 0.9], [0.8, 0.2]]]), ["no", "yes"]).scores.tolist()
    [[0.1, 0.9], [0.8, 0.2]]

    what     what errors call it
    classes  the names of the classes; None: the labels of a pipeline, sorted, or not known for plain numbers
    """
    import pyarrow as arrow
    from pyarrow import types

    array = column.combine_chunks()
    array = arrow.concat_arrays(array.chunks) if isinstance(array, arrow.ChunkedArray) else array
    if array.null_count:
        raise InputError(f"{what} must have scores for each row: {array.null_count:,} of {len(array):,} have none")
    if types.is_struct(array.type):
        return _entries(what, array, np.ones(len(array), dtype=np.int64), classes)
    lengths = np.asarray(arrow.compute.list_value_length(array), dtype=np.int64)
    inner = array.flatten()
    if types.is_struct(inner.type):
        return _entries(what, inner, lengths, classes)
    return Grid(_numbers(what, inner, lengths), classes)


def _numbers(what: str, values: Any, lengths: Integers) -> AnyArray:
    from pyarrow import types

    if not (types.is_floating(values.type) or types.is_integer(values.type)):
        raise InputError(f"{what} must be lists of numbers, one per class: got lists of {values.type}")
    if values.null_count:
        raise InputError(f"{what} must have a number for each class: {values.null_count:,} numbers are missing")
    if len(lengths) and (lengths != lengths[0]).any():
        row = int(np.argmax(lengths != lengths[0]))
        raise InputError(
            f"{what} must be lists of one length, a number per class: got {lengths[0]} numbers in row 0, and"
            f" {lengths[row]} in row {row}"
        )
    return np.asarray(values).reshape(len(lengths), -1 if len(lengths) else 0)


def _entries(what: str, pairs: Any, lengths: Integers, classes: list[Id] | None) -> Grid | Entries:
    from pyarrow import types

    fields = {pairs.type.field(place).name for place in range(pairs.type.num_fields)}
    if not {"label", "score"} <= fields:
        raise InputError(
            f"{what} must be numbers, lists of numbers, or what a pipeline of transformers gives, with label and score:"
            f" got fields {', '.join(map(repr, sorted(fields)))}"
        )
    kind = pairs.type.field("score").type
    if not (types.is_floating(kind) or types.is_integer(kind) or types.is_null(kind)):
        raise InputError(f"{what} must have numbers as the scores of labels: got {kind}")
    if not lengths.all():
        raise InputError(f"{what} must have scores for each row: the list of row {int(np.argmin(lengths))} is empty")
    coded = pairs.field("label").dictionary_encode()
    found, score = coded.dictionary.to_pylist(), np.asarray(pairs.field("score"), dtype=np.float64)
    if pairs.null_count or coded.null_count or not np.isfinite(score).all():
        raise InputError(f"{what} must have a label and a finite score in each entry: some are missing")
    names = sorted(found) if classes is None else classes
    for name in found:
        _refuse_unknown(what, name, names)
    places = np.array([names.index(name) for name in found], dtype=np.int64)[np.asarray(coded.indices)]
    entries = Entries(
        len(lengths), np.repeat(np.arange(len(lengths)), lengths), places, score, names, classes is not None
    )
    _refuse_twice(what, entries)
    return _as_grid(entries) if len(score) == entries.rows * len(names) else entries


def _refuse_unknown(what: str, name: Any, names: list[Id]) -> None:
    if name not in names:
        raise InputError(
            f"classes must have every label of {what}: {name!r} is missing; {nearest(name, _texts(names))}"
        )


def _texts(names: Sequence[Id]) -> list[str]:
    return [str(name) for name in names]


def _refuse_twice(what: str, entries: Entries) -> None:
    pairs, count = np.unique(entries.item * len(entries.names) + entries.place, return_counts=True)
    if len(pairs) < len(entries.item):
        row, place = divmod(int(pairs[np.argmax(count > 1)]), len(entries.names))
        raise InputError(f"{what} must have each label once per row: row {row} has {entries.names[place]!r} twice")


def _as_grid(entries: Entries) -> Grid:
    scores = np.empty((entries.rows, len(entries.names)))
    scores[entries.item, entries.place] = entries.score
    return Grid(scores, entries.names, entries.named)


def place_of(category: Any, names: Sequence[Id], where: str = "") -> int:
    """The place of a class among the names; an error with the nearest name if it is not there.

    where  whose classes they are, in the error
    """
    if category not in names:
        near = nearest(category, _texts(names))
        raise InputError(f"category must be one of the classes{where}: got {category!r}; {near}")
    return names.index(category)


def of_category(what: str, found: Grid | Entries, category: Any) -> tuple[AnyArray, Flags]:
    """The scores of one class, and whether it is the best one, per row.

    >>> of_category("score", Grid(np.array([[0.1, 0.9], [0.8, 0.2]]), ["no", "yes"]), "yes")[0].tolist()
    [0.9, 0.2]
    """
    if isinstance(found, Grid) and found.names is None:
        raise InputError(
            f"classes must be given with category, as {what} has {found.scores.shape[1]} numbers without names: got"
            " none; give a list of names, or a column of ClassLabels"
        )
    place = place_of(category, found.names or [])
    if isinstance(found, Grid):
        _refuse_bad_scores(what, found.scores)
        return found.scores[:, place], found.scores.argmax(axis=1) == place
    return _of_some(what, found, place)


def _refuse_bad_scores(what: str, scores: AnyArray) -> None:
    """Of any class: the best one is not known beside NaN or inf; -inf, the logarithm of 0, is never the best."""
    wrong = np.isnan(scores) | (scores == np.inf)
    rows = int(np.count_nonzero(wrong.any(axis=1)))
    if rows:
        row, place = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"{what} must have a score of each class below inf: {rows:,} of {len(scores):,} rows have others (for"
            f" example row {row}: {scores[row, place]:g} at place {place}); drop these rows, or score them again"
        )


def _of_some(what: str, found: Entries, place: int) -> tuple[AnyArray, Flags]:
    """Where not every class has a score. Of two classes, the probability of the best one gives that of the other."""
    mine = found.place == place
    order = np.lexsort((-found.score, found.item))  # by item, the highest score first
    first = np.unique(found.item[order], return_index=True)[1]
    best = found.place[order[first]] == place
    if np.count_nonzero(mine) == found.rows:
        return found.score[mine][np.argsort(found.item[mine])], best
    alone = found.named and len(found.names) == 2 and len(found.item) == found.rows
    # The best of two probabilities with the sum 1 is at least a half; scores of a sigmoid each have no such sum.
    if not alone or found.score.min() < 0.5 or found.score.max() > 1:
        row = int(np.setdiff1d(np.arange(found.rows), found.item[mine])[0])
        open_pair = len(found.names) <= 2 and not found.named
        pair = "; or, if there are two classes only, give their names as classes=" if open_pair else ""
        raise InputError(
            f"{what} must have a score of {found.names[place]!r} in each row: row {row} has none; {ALL}{pair}"
        )
    return np.where(mine, found.score, 1 - found.score), best
