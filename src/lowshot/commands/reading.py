"""A Parquet or CSV file into a pool; errors name the option, and say what the file has instead."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from lowshot.commands.table import column_names, load
from lowshot.errors import InputError
from lowshot.pool import Pool
from lowshot.scale import Scale

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # as Python writes it: "007" stays a text
NUMBERS = ("--score", "--prediction", "--weight")


@dataclass(frozen=True)
class Columns:
    """Which column of a file is what."""

    score: str | None = None
    id: str | None = None
    prediction: str | None = None
    weight: str | None = None

    def options(self) -> dict[str, str]:
        """By the option that named it.

        >>> Columns(score="p", id="path").options()
        {'--score': 'p', '--id': 'path'}
        """
        return {f"--{name}": column for name, column in vars(self).items() if column is not None}


def pool_of(path: str | Path, columns: Columns, threshold: float | None = None, scale: str | None = None) -> Pool:
    """The pool in a file. Without a score column all scores are 0: for predictions alone."""
    found = read(path, columns.options())
    predictions = found.get("--prediction")
    scores = found.get("--score")
    return Pool(
        np.zeros(len(predictions)) if scores is None and predictions is not None else scores,
        predictions,
        threshold=threshold,
        ids=found.get("--id"),
        weights=found.get("--weight"),
        scale=cast("Scale | None", scale),
    )


def read(path: str | Path, options: Mapping[str, str]) -> dict[str, Any]:
    """Columns by the option that named them: numbers as arrays, ids as a list."""
    refuse_unknown(path, options.items())
    texts = [column for option, column in options.items() if option not in NUMBERS]
    table = load(path, list(options.values()), texts)
    return {option: _values(option, column, table[column]) for option, column in options.items()}


def refuse_unknown(path: str | Path, columns: Any) -> None:
    """Pairs of option and column; every column must be in the file, once."""
    there = column_names(path)
    for option, column in columns:
        if there.count(column) != 1:
            known = ", ".join(there)
            came = "which is not there" if column not in there else "which is there more than once"
            raise InputError(f"{option} must be a column of {path}, one of {known}: got {column!r}, {came}")


def _values(option: str, column: str, values: Any) -> Any:
    if values.null_count:
        first = values.is_null().index(True).as_py()
        raise InputError(
            f"{option} must have a value in every row: column {column!r} has none in {values.null_count} of"
            f" {len(values)} (first at position {first}); drop or impute them"
        )
    return _ids(option, column, values) if option == "--id" else _numbers(option, column, values)


def _numbers(option: str, column: str, values: Any) -> Any:
    import pyarrow

    kinds = pyarrow.types
    if not any(is_(values.type) for is_ in (kinds.is_floating, kinds.is_integer, kinds.is_boolean, kinds.is_decimal)):
        raise _wrong(option, column, values, "numbers")
    return values.cast(pyarrow.float64()).to_numpy() if kinds.is_decimal(values.type) else values.to_numpy()


def _ids(option: str, column: str, values: Any) -> list[Any]:
    import pyarrow

    found = values.to_pylist()
    if not all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in found[:1]):
        raise _wrong(option, column, values, "texts or whole numbers")
    csv_numbers = pyarrow.types.is_string(values.type) and all(map(WHOLE.fullmatch, found))
    return list(map(int, found)) if csv_numbers else found


def _wrong(option: str, column: str, values: Any, needed: str) -> InputError:
    example = repr(values[0].as_py()) if len(values) else "nothing"
    return InputError(f"{option} must be a column of {needed}: {column!r} holds {values.type}, for example {example}")
