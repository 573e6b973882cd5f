"""From a Parquet or CSV file, or a matrix of NumPy, to a pool with many categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.cli.cells import read
from lowshot.cli.classes import CLASS_NAMES, CLASSES, FileClasses, is_matrix
from lowshot.cli.columns import SLICE, Column, FileColumns
from lowshot.cli.table_file import count_rows
from lowshot.core.types import Flags
from lowshot.errors import InputError
from lowshot.pools.class_columns import SideBySide
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.columns import reaching

IDS, CLASS, SCORE = "id", "class", "score"  # the columns of rows as ClassPool reads them


def class_pool_of(
    pool: str, columns: FileColumns, classes: FileClasses, threshold: float | None, matrix: str | None
) -> ClassPool:
    """The pool in a file.

    matrix  the file of the scores, if they are not in a table; it may be the pool itself
    """
    if classes.form == "rows":
        return _of_rows(pool, columns, classes)
    if matrix is not None:
        return _of_matrix(pool, columns, classes, threshold, matrix)
    predicted = _predicted(columns) if classes.kind == "single" else None
    flags = [Column("--prediction", name, "flag") for name in classes.flags]
    found = read(
        pool, _present([*classes.scores, columns.ids, columns.weights, predicted, *flags, *columns.parts]), "--pool"
    )
    scores = [found[column] for column in classes.scores]
    given: Any = None if predicted is None else named("--prediction", found[predicted], classes.names or ())
    if classes.kind == "multilabel":
        predictions = [found[column] for column in flags] or [_reaching(column, threshold) for column in scores]
        given = np.column_stack(predictions)
    return ClassPool(
        SideBySide(scores),
        classes=classes.names,
        predictions=given,
        kind=classes.kind,
        ids=None if columns.ids is None else found[columns.ids],
        weights=None if columns.weights is None else found[columns.weights],
        slices={column.column: found[column] for column in columns.parts} or None,
    )


def _reaching(scores: Any, threshold: float | None) -> Flags:
    assert threshold is not None, "--kind multilabel has a threshold or predictions"
    return reaching(scores, threshold)


def _predicted(columns: FileColumns) -> Column | None:
    return None if columns.prediction is None else Column("--prediction", columns.prediction, "id")


def _present(columns: Sequence[Column | None]) -> list[Column]:
    return [column for column in columns if column is not None]


def named(option: str, values: Sequence[Any], names: Sequence[Id]) -> list[Id]:
    """Classes of a column by their names, which may be numbers in one place and texts in the other.

    >>> named("--prediction", [7, 8], ["7", "8"]), named("--prediction", ["heron"], ["heron", "crow"])
    (['7', '8'], ['heron'])
    """
    by_text = {str(name): name for name in names}
    wrong = [value for value in dict.fromkeys(values) if str(value) not in by_text]
    if wrong:
        near = checks.nearest(wrong[0], list(by_text))
        raise InputError(f"{option} must have the names of categories: got {wrong[0]!r}; {near}")
    return [by_text[str(value)] for value in values]


def _of_rows(pool: str, columns: FileColumns, classes: FileClasses) -> ClassPool:
    """One row per item and class; weight and prediction are the same in all rows of an item."""
    if columns.ids is None:
        raise InputError(
            f"{CLASSES} rows must come with --id: got none; name the column that says which item a row is of"
        )
    if classes.kind == "multilabel":
        raise InputError(f"--kind multilabel needs a column per category: got {CLASSES} rows; give --kind single")
    kind, (score,) = Column("--class", classes.class_column, "id"), classes.scores
    found = read(
        pool, _present([columns.ids, kind, score, columns.weights, _predicted(columns), *columns.parts]), "--pool"
    )
    items, labels = found[columns.ids], found[kind]
    known = list(dict.fromkeys(labels)) if classes.names is None else list(classes.names)
    table = {IDS: items, CLASS: named("--class", labels, known), SCORE: found[score]}
    predicted = _predicted(columns)
    return ClassPool(
        table,
        classes=None if classes.names is None else known,
        ids=IDS,
        weights=None if columns.weights is None else _per_item(columns.weights, items, found[columns.weights].tolist()),
        predictions=None
        if predicted is None
        else _per_item(predicted, items, named("--prediction", found[predicted], known)),
        slices={column.column: _per_item(column, items, found[column]) for column in columns.parts} or None,
    )


def _per_item(column: Column, items: Sequence[Id], values: Sequence[Any]) -> list[Any]:
    """One value per item, in the order of their first rows."""
    found: dict[Id, Any] = {}
    for item, value in zip(items, values, strict=True):
        if found.setdefault(item, value) != value:
            raise InputError(
                f"{column.option} must be the same in all rows of an item: {item!r} has {found[item]!r} and {value!r}"
                f" in {column.column!r}"
            )
    return list(found.values())


def first_rows(pool: str, columns: FileColumns) -> dict[Id, int]:
    """Of a file of rows, the first row of each item."""
    assert columns.ids is not None, "a pool of rows has ids"
    found: dict[Id, int] = {}
    for row, item in enumerate(read(pool, [columns.ids], "--pool")[columns.ids]):
        found.setdefault(item, row)
    return found


def _of_matrix(
    pool: str, columns: FileColumns, classes: FileClasses, threshold: float | None, matrix: str
) -> ClassPool:
    """A matrix with a row per item: of an .npy file it is mapped and never read as a whole."""
    beside = None if is_matrix(pool) else _beside(pool, columns, classes)
    arrays = _arrays(matrix)
    scores = _scores(arrays, classes.score, matrix)
    if beside is not None and (rows := count_rows(pool, "--pool")) != len(scores):
        raise InputError(f"{CLASSES} must have a row per row of --pool: {matrix} has {len(scores)}, {pool} has {rows}")
    if classes.names is not None and scores.ndim == 2 and len(classes.names) != scores.shape[1]:
        raise InputError(
            f"{CLASS_NAMES} must have a line for each column of {matrix}: got {len(classes.names)} lines for"
            f" {scores.shape[1]} columns"
        )
    cells = _cells(arrays, columns, matrix) if beside is None else beside
    given = cells.get("prediction")
    if given is not None and classes.kind == "single":
        names = list(range(scores.shape[1])) if classes.names is None else classes.names
        given = named("--prediction", _listed(given), names)
    if classes.kind == "multilabel" and given is None:
        given = _reaching(np.asarray(scores), threshold)
    ids = cells.get("id")
    return ClassPool(
        scores,
        classes=classes.names,
        predictions=given,
        kind=classes.kind,
        ids=None if ids is None else _listed(ids),
        weights=cells.get("weight"),
        slices=cells.get(SLICE),
    )


def _beside(pool: str, columns: FileColumns, classes: FileClasses) -> dict[str, Any]:
    """Ids, weights and predictions from the table that belongs to a matrix."""
    if classes.kind == "multilabel" and columns.prediction is not None:
        raise InputError("--prediction must be left out with --kind multilabel and a matrix: give --threshold")
    wanted = {"id": columns.ids, "weight": columns.weights, "prediction": _predicted(columns)}
    there = {name: column for name, column in wanted.items() if column is not None}
    wanted_columns = [*there.values(), *columns.parts]
    found = read(pool, wanted_columns, "--pool") if wanted_columns else {}
    parts = {column.column: found[column] for column in columns.parts}
    return {**{name: found[column] for name, column in there.items()}, **({SLICE: parts} if parts else {})}


def _arrays(path: str) -> Any:
    """A matrix, or the arrays of an .npz file by name; arrays of Python objects are left out."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(found, np.ndarray):
            return found
        with found as stored:
            return {name: array for name in stored.files if (array := _plain(stored, name)) is not None}
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{CLASSES} must be a NumPy file, .npy or .npz: {path} cannot be read ({error})") from None


def _plain(stored: Any, name: str) -> Any:
    try:
        return stored[name]
    except ValueError:  # it would have to be unpickled, which can run any program
        return None


def _scores(arrays: Any, name: str | None, path: str) -> Any:
    if isinstance(arrays, np.ndarray):
        if name is not None:
            raise InputError(
                f"--score must be left out if {CLASSES} is an .npy file, which has one array: got {name!r}"
            )
        return arrays
    wide = [one for one in arrays if arrays[one].ndim == 2]
    chosen = name or ("scores" if "scores" in wide else wide[0] if len(wide) == 1 else None)
    if chosen is None or chosen not in arrays:
        raise InputError(
            f"--score must be the name of a matrix in {path}, one of {', '.join(wide) or 'none'}: got {chosen!r}"
        )
    return arrays[chosen]


def _cells(arrays: Any, columns: FileColumns, path: str) -> dict[str, Any]:
    """Ids, weights and predictions as further arrays of an .npz file."""
    if columns.slices:
        raise InputError(
            f"{SLICE} must be a column of a table: --pool {path} is a matrix; give --pool items.csv and"
            f" {CLASSES} {path}"
        )
    wanted = {"id": columns.id, "weight": columns.weight, "prediction": columns.prediction}
    there = {name: array for name, array in wanted.items() if array is not None}
    have = [] if isinstance(arrays, np.ndarray) else list(arrays)
    for name, array in there.items():
        if array not in have:
            raise InputError(
                f"--{name} must be an array of {path}, one of {', '.join(have) or 'none'}: got {array!r}; or give"
                f" --pool items.csv with that column, and {CLASSES} {path}"
            )
    return {name: arrays[array] for name, array in there.items()}


def _listed(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)
