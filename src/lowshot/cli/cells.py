"""Columns of a file as ids, numbers, flags and slices. Errors name the option and the column."""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lowshot.cli.columns import Column, Kind
from lowshot.cli.table_file import has_texts, load, refuse_unknown
from lowshot.errors import InputError
from lowshot.pools.columns import ONE_WHERE_POSITIVE, ZERO_ONE


def read(path: str | Path, columns: Sequence[Column], option: str) -> dict[Column, Any]:
    """The values of these columns: ids and slices as lists, the others as arrays of numbers."""
    refuse_unknown(path, [(one.option, one.column) for one in columns], option)
    table, texts = load(path, [one.column for one in columns], option), has_texts(path)
    if not len(table):
        raise InputError(f"{option} must hold at least one item: {path} has none")
    return {one: READERS[one.kind](one.option, one.column, table[one.column], texts) for one in columns}


class Needed(NamedTuple):
    """What a column has to hold, and what to do if it does not."""

    words: str
    advice: str


NUMBERS = Needed("numbers", "correct them, or name another column")
PREDICTIONS = Needed(ZERO_ONE, f"{ONE_WHERE_POSITIVE}, or give a threshold instead")


# Cells of CSV files are texts. What they mean depends on the option that names their column.
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # up to 18 digits, which fit int64; "007" stays a text
FLAGS = {"true": "1", "false": "0"}


def numbers(option: str, column: str, values: Any, texts: bool) -> Any:
    """A column as an array of numbers; texts are parsed."""
    _refuse_missing(option, column, values)
    return _numbers(option, column, values, texts)


def flags(option: str, column: str, values: Any, texts: bool) -> Any:
    """A column of 0 and 1. Texts may be true and false."""
    _refuse_missing(option, column, values)
    return _numbers(option, column, _words_as_digits(values) if texts else values, texts, PREDICTIONS)


def numbers_or_nothing(option: str, column: str, values: Any, texts: bool) -> Any:
    """A column as an array of numbers, with NaN or None where it has no value. Texts may be true and false."""
    import pyarrow.compute

    if values.null_count == len(values):  # without any value, the type of the column says nothing
        return np.full(len(values), np.nan)
    words = pyarrow.compute.fill_null(_words_as_digits(values), "nan") if texts else values
    return _numbers(option, column, words, texts)


def _numbers(option: str, column: str, values: Any, texts: bool, needed: Needed = NUMBERS) -> Any:
    import pyarrow

    kinds = pyarrow.types
    if texts:
        return _parsed(option, column, values, needed)
    if not any(is_(values.type) for is_ in (kinds.is_floating, kinds.is_integer, kinds.is_boolean, kinds.is_decimal)):
        raise _wrong(option, column, values, needed.words, needed.advice)
    return values.cast(pyarrow.float64()).to_numpy() if kinds.is_decimal(values.type) else values.to_numpy()


def ids(option: str, column: str, values: Any, texts: bool) -> list[Any]:
    """A column as a list of ids. If all texts are whole numbers, they become numbers, as in other readers of CSV."""
    _refuse_missing(option, column, values)
    found = values.to_pylist()
    if not all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in found):
        raise _wrong(option, column, values, "texts or whole numbers", "name another column")
    return list(map(int, found)) if texts and all(map(WHOLE.fullmatch, found)) else found


def slice_values(option: str, column: str, values: Any, texts: bool) -> list[Any]:
    """A column as a list of texts, whole numbers or None. Texts of a CSV file become numbers as ids do."""
    import pyarrow

    kinds = pyarrow.types
    if kinds.is_temporal(values.type):
        values = values.cast(pyarrow.string())
    found = values.to_pylist()
    wrong = [value for value in set(found) if not _is_slice(value)] if not kinds.is_nested(values.type) else found
    if wrong:
        raise InputError(
            f"{option} must be a column of texts or whole numbers: {column!r} holds {values.type}, for example"
            f" {wrong[0]!r}; put the values into groups first"
        )
    there = [value for value in found if value is not None] if texts else []
    numbered = bool(there) and all(map(WHOLE.fullmatch, there))
    return [value if value is None else int(value) for value in found] if numbered else found


def _is_slice(value: Any) -> bool:
    """Whole numbers may be floats where some are missing."""
    whole = isinstance(value, float) and (value.is_integer() or math.isnan(value))
    return value is None or isinstance(value, (str, int)) or whole


def _words_as_digits(values: Any) -> Any:
    """Texts, with 1 and 0 for true and false."""
    import pyarrow.compute

    words = pyarrow.compute.utf8_lower(pyarrow.compute.utf8_trim_whitespace(values))
    for word, digit in FLAGS.items():
        values = pyarrow.compute.if_else(pyarrow.compute.equal(words, word), digit, values)
    return values


def _parsed(option: str, column: str, values: Any, needed: Needed) -> Any:
    import pyarrow
    import pyarrow.compute

    trimmed = pyarrow.compute.utf8_trim_whitespace(values)
    try:
        return trimmed.cast(pyarrow.float64()).to_numpy()
    except pyarrow.ArrowInvalid:
        wrong = [i for i, text in enumerate(trimmed.to_pylist()) if not _is_number(text)] or [0]
    raise InputError(
        f"{option} must be a column of {needed.words}: {len(wrong)} of {len(values)} in {column!r} are not"
        f" (first in row {wrong[0] + 1}: {values[wrong[0]].as_py()!r}); {needed.advice}"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_missing(option: str, column: str, values: Any) -> None:
    if values.null_count:
        first = values.is_null().index(True).as_py()
        raise InputError(
            f"{option} must have a value in every row: {values.null_count} of {len(values)} in {column!r} have none"
            f" (first in row {first + 1}); drop such rows, or fill in the values"
        )


def _wrong(option: str, column: str, values: Any, needed: str, advice: str) -> InputError:
    holds = f"{column!r} holds {values.type}, for example {values[0].as_py()!r}"
    return InputError(f"{option} must be a column of {needed}: {holds}; {advice}")


Reader = Callable[[str, str, Any, bool], Any]  # (option, column, values, whether they are texts)
READERS: dict[Kind, Reader] = {
    "id": ids,
    "number": numbers,
    "flag": flags,
    "helper": numbers_or_nothing,
    "slice": slice_values,
}
