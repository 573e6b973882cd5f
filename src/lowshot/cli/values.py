"""An Arrow column into numbers or ids. Columns of CSV files are texts: only what they are for says what they mean."""

import re
from typing import Any

from lowshot.errors import InputError

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # as Python writes it: "007" stays a text
FLAGS = {"true": "1", "false": "0"}


def numbers(option: str, column: str, values: Any, texts: bool) -> Any:
    """An array; texts are parsed."""
    import pyarrow

    _refuse_missing(option, column, values)
    kinds = pyarrow.types
    if texts:
        return _parsed(option, column, values)
    if not any(is_(values.type) for is_ in (kinds.is_floating, kinds.is_integer, kinds.is_boolean, kinds.is_decimal)):
        raise _wrong(option, column, values, "numbers")
    return values.cast(pyarrow.float64()).to_numpy() if kinds.is_decimal(values.type) else values.to_numpy()


def ids(option: str, column: str, values: Any, texts: bool) -> list[Any]:
    """A list; texts that are all whole numbers become numbers, as they would in any other reader."""
    _refuse_missing(option, column, values)
    found = values.to_pylist()
    if not all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in found):
        raise _wrong(option, column, values, "texts or whole numbers")
    return list(map(int, found)) if texts and all(map(WHOLE.fullmatch, found)) else found


def _parsed(option: str, column: str, values: Any) -> Any:
    import pyarrow
    import pyarrow.compute

    trimmed = pyarrow.compute.utf8_trim_whitespace(values)
    if option == "--prediction":
        words = pyarrow.compute.utf8_lower(trimmed)
        for word, digit in FLAGS.items():
            trimmed = pyarrow.compute.if_else(pyarrow.compute.equal(words, word), digit, trimmed)
    try:
        return trimmed.cast(pyarrow.float64()).to_numpy()
    except pyarrow.ArrowInvalid:
        wrong = [i for i, text in enumerate(trimmed.to_pylist()) if not _is_number(text)] or [0]
    raise InputError(
        f"{option} must be a column of numbers: {len(wrong)} of {len(values)} in {column!r} are not"
        f" (first in row {wrong[0] + 1}: {values[wrong[0]].as_py()!r}); correct them, or name another column"
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
            f" (first in row {first + 1}); drop such rows, or fill in what is missing"
        )


def _wrong(option: str, column: str, values: Any, needed: str) -> InputError:
    example = values[0].as_py()
    return InputError(f"{option} must be a column of {needed}: {column!r} holds {values.type}, for example {example!r}")
