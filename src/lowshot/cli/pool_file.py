"""From a Parquet or CSV file, a folder or a database to a pool. Errors name the option and the columns of the file."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from lowshot.cli.columns import SLICE, Column, FileColumns, Kind
from lowshot.cli.console import working
from lowshot.errors import InputError, MissingExtra, without_password
from lowshot.pools.base import BasePool
from lowshot.pools.memory import Pool
from lowshot.pools.scale import Scale


def pool_of(
    path: str | Path,
    columns: FileColumns,
    threshold: float | None = None,
    scale: str | None = None,
    option: str = "--pool",
) -> Pool:
    """The pool in a file. `option` names the file in messages. Without a score column all scores are 0."""
    found = read(path, columns.all, option)
    scores, predictions, cut = _judged(columns, threshold, found)
    return Pool(
        scores,
        predictions,
        threshold=cut,
        helpers={helper.name: found[helper.scores] for helper in columns.helpers},
        ids=None if columns.ids is None else found[columns.ids],
        weights=None if columns.weights is None else found[columns.weights],
        slices={column.column: found[column] for column in columns.parts} or None,
        scale=cast("Scale | None", scale),
    )


def _judged(columns: FileColumns, threshold: float | None, found: Mapping[Column, Any]) -> tuple[Any, Any, Any]:
    """Scores, predictions and thresholds for a Pool: one of each, or by the name of the model."""
    if columns.models:
        predictions = {model.name: found[column] for model in columns.models if (column := model.predictions)}
        cut = {model.name: model.threshold for model in columns.models if model.threshold is not None}
        return {model.name: found[model.scores] for model in columns.models}, predictions, cut
    given = None if columns.predictions is None else found[columns.predictions]
    if columns.scores is None and given is not None:
        return np.zeros(len(given)), given, threshold
    return None if columns.scores is None else found[columns.scores], given, threshold


def read(path: str | Path, columns: Sequence[Column], option: str) -> dict[Column, Any]:
    """The values of these columns: ids and slices as lists, the others as arrays of numbers."""
    refuse_unknown(path, [(one.option, one.column) for one in columns], option)
    table, texts = load(path, [one.column for one in columns], option), not is_parquet(path)
    if not len(table):
        raise InputError(f"{option} must hold at least one item: {path} has none")
    return {one: READERS[one.kind](one.option, one.column, table[one.column], texts) for one in columns}


def refuse_unknown(path: str | Path, columns: Iterable[tuple[str, str]], option: str = "--pool") -> None:
    """`columns` are pairs of option and column; every column must occur in the file, and only once."""
    there = column_names(path, option)
    for name, column in columns:
        if there.count(column) != 1:
            known = ", ".join(there)
            came = "which does not occur" if column not in there else "which occurs more than once"
            raise InputError(f"{name} must be a column of {path}, one of {known}: got {column!r}, {came}")


PARQUET, CSV = (".parquet", ".pq"), (".csv", ".tsv", ".txt")
DELIMITERS = ",;\t"


def column_names(path: str | Path, option: str) -> list[str]:
    """The columns of a file."""
    with _reading(path, option) as arrow:
        if is_parquet(path):
            with arrow.parquet.ParquetFile(path) as file:
                return list(file.schema_arrow.names)
        return list(arrow.csv.open_csv(path, parse_options=_parse(arrow, path)).schema.names)


def numeric_columns(path: str | Path, option: str) -> list[str]:
    """The columns of a file that have numbers; of a CSV file, as its first rows look."""
    with _reading(path, option) as arrow:
        kinds = arrow.types
        if is_parquet(path):
            with arrow.parquet.ParquetFile(path) as file:
                schema = file.schema_arrow
        else:
            schema = arrow.csv.open_csv(path, parse_options=_parse(arrow, path)).schema
        numeric = (kinds.is_floating, kinds.is_integer, kinds.is_decimal)
        return [field.name for field in schema if any(is_(field.type) for is_ in numeric)]


def count_rows(path: str | Path, option: str) -> int:
    """How many rows a file has."""
    if is_parquet(path):
        with _reading(path, option) as arrow, arrow.parquet.ParquetFile(path) as file:
            return int(file.metadata.num_rows)
    return len(load(path, column_names(path, option)[:1], option))


def load(path: str | Path, columns: Sequence[str], option: str = "--pool") -> Any:
    """These columns as an Arrow table; cells of a CSV file are texts, or null if they are empty."""
    distinct = list(dict.fromkeys(columns))
    with _reading(path, option) as arrow:
        if is_parquet(path):
            with arrow.parquet.ParquetFile(path) as file:
                return file.read(columns=distinct)
        options = arrow.csv.ConvertOptions(
            include_columns=distinct,
            column_types=dict.fromkeys(distinct, arrow.string()),
            strings_can_be_null=True,
            null_values=[""],
        )
        return arrow.csv.read_csv(path, parse_options=_parse(arrow, path), convert_options=options)


def texts_at(table: Any, positions: Sequence[int]) -> list[dict[str, str]]:
    """These rows of a table as texts; empty for null."""
    rows = table.take(list(positions)).to_pylist()
    return [{column: "" if value is None else str(value) for column, value in row.items()} for row in rows]


def delimiter(header: str) -> str:
    """The separator in a header: European spreadsheets write semicolons.

    >>> delimiter("id;title;label"), delimiter("id")
    (';', ',')
    """
    return max(DELIMITERS, key=header.count)


def _parse(arrow: Any, path: str | Path) -> Any:
    with open(path, encoding="utf-8-sig", newline="") as file:
        header = file.readline()
    return arrow.csv.ParseOptions(delimiter=delimiter(header), newlines_in_values=True)


def is_parquet(path: str | Path) -> bool:
    """By its ending; every other file is CSV."""
    return Path(path).suffix.lower() in PARQUET


@contextmanager
def _reading(path: str | Path, option: str) -> Iterator[Any]:
    """Pyarrow, for a file that must exist; its exceptions become an InputError."""
    if not Path(path).is_file():
        raise InputError(f"{option} must be an existing file: {path} does not exist; give its current path")
    if Path(path).suffix.lower() not in PARQUET + CSV:
        raise InputError(f"{option} must end in .parquet or .csv: got {path}")
    try:
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra(f"reading a file needs {error.name}: pip install 'lowshot[store]'") from None
    try:
        yield pyarrow
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option} must be Parquet or CSV in UTF-8: {path} cannot be read ({_first(error)})") from None


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


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
    return _numbers(option, column, _words_as_digits(values) if texts else values, texts)


def numbers_or_nothing(option: str, column: str, values: Any, texts: bool) -> Any:
    """A column as an array of numbers, with NaN or None where it has no value. Texts may be true and false."""
    import pyarrow.compute

    if values.null_count == len(values):  # without any value, the type of the column says nothing
        return np.full(len(values), np.nan)
    words = pyarrow.compute.fill_null(_words_as_digits(values), "nan") if texts else values
    return _numbers(option, column, words, texts)


def _numbers(option: str, column: str, values: Any, texts: bool) -> Any:
    import pyarrow

    kinds = pyarrow.types
    if texts:
        return _parsed(option, column, values)
    if not any(is_(values.type) for is_ in (kinds.is_floating, kinds.is_integer, kinds.is_boolean, kinds.is_decimal)):
        raise _wrong(option, column, values, "numbers")
    return values.cast(pyarrow.float64()).to_numpy() if kinds.is_decimal(values.type) else values.to_numpy()


def ids(option: str, column: str, values: Any, texts: bool) -> list[Any]:
    """A column as a list of ids. If all texts are whole numbers, they become numbers, as in other readers of CSV."""
    _refuse_missing(option, column, values)
    found = values.to_pylist()
    if not all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in found):
        raise _wrong(option, column, values, "texts or whole numbers")
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


def _parsed(option: str, column: str, values: Any) -> Any:
    import pyarrow
    import pyarrow.compute

    trimmed = pyarrow.compute.utf8_trim_whitespace(values)
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
            f" (first in row {first + 1}); drop such rows, or fill in the values"
        )


def _wrong(option: str, column: str, values: Any, needed: str) -> InputError:
    example = values[0].as_py()
    return InputError(f"{option} must be a column of {needed}: {column!r} holds {values.type}, for example {example!r}")


Reader = Callable[[str, str, Any, bool], Any]  # (option, column, values, whether they are texts)
READERS: dict[Kind, Reader] = {
    "id": ids,
    "number": numbers,
    "flag": flags,
    "helper": numbers_or_nothing,
    "slice": slice_values,
}
LARGE = (
    2 * 10**9
)  # bytes; a larger Parquet file stays on disk by default, because in memory it takes several times as much
DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db")


def whereabouts(pool: str) -> str:
    """The absolute path, because later commands may run in another folder; a URL is returned as it is.

    >>> whereabouts("postgresql://me@host/db")
    'postgresql://me@host/db'
    """
    return pool if "://" in pool else str(Path(pool).absolute())


def is_one_file(pool: str) -> bool:
    """Whether it is neither a glob, nor a folder, nor a database.

    >>> is_one_file("scores.csv"), is_one_file("scores/*.parquet"), is_one_file("birds.duckdb")
    (True, False, False)
    """
    several = any(sign in pool for sign in "*?[") or Path(pool).is_dir()
    return "://" not in pool and not several and not pool.endswith(DATABASES)


def stays(pool: str, wanted: bool | None, columns: FileColumns) -> bool:
    """Whether rows stay where they are: always unless the pool is a single file, and by default if that is large.

    >>> stays("scores/*.parquet", None, FileColumns(id="path")), stays("scores.csv", None, FileColumns())
    (True, False)
    """
    must = not is_one_file(pool)
    if must and wanted is False:
        raise InputError(f"--in-memory needs one file, .parquet or .csv: got {pool}")
    large = is_parquet(pool) and Path(pool).is_file() and Path(pool).stat().st_size > LARGE
    if not (must or wanted or (wanted is None and large)):
        return False
    if without_password(pool) != pool:
        raise InputError(
            "--pool must come without a password, which the store would contain: put it into PGPASSWORD or ~/.pgpass"
        )
    if columns.slices:
        raise InputError(
            f"{SLICE} needs the pool in memory: the rows of {pool} stay where they are; add --in-memory if it is one"
            f" file, or leave {SLICE} out"
        )
    if columns.id is None or columns.weight is not None:
        came = "--weight" if columns.weight is not None else "none"
        raise InputError(
            f"--pool whose rows stay where they are must come with --id, without --weight: got {came}; see --in-memory"
        )
    return True


def large_pool(
    where: str, table: str | None, columns: FileColumns, threshold: float | None, scale: str | None, show: Sequence[str]
) -> BasePool:
    """A pool whose rows stay where they are; `show` are the columns that annotators see."""
    from lowshot.pools import open_pool

    models = columns.models
    thresholds = {model.name: model.threshold for model in models if model.threshold is not None}
    predictions = {model.name: model.prediction for model in models if model.prediction is not None}
    with working("Counting the rows of the pool ..."):
        return open_pool(
            where,
            id=str(columns.id),
            score={model.name: model.score for model in models} if models else str(columns.score),
            prediction=(predictions or None) if models else columns.prediction,
            threshold=(thresholds or None) if models else threshold,
            helpers={helper.name: helper.column for helper in columns.helpers},
            table=table,
            show=show,
            scale=cast("Scale | None", scale),
        )
