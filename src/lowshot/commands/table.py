"""Columns of a Parquet or CSV file, with pyarrow, which is imported only here and when a file is read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lowshot.errors import InputError, MissingExtra

PARQUET, CSV = (".parquet", ".pq"), (".csv", ".tsv", ".txt")
DELIMITERS = ",;\t"


def column_names(path: str | Path, option: str) -> list[str]:
    """What the file has that was given with this option."""
    with _reading(path, option) as arrow:
        if is_parquet(path):
            with arrow.parquet.ParquetFile(path) as file:
                return list(file.schema_arrow.names)
        return list(arrow.csv.open_csv(path, parse_options=_parse(arrow, path)).schema.names)


def load(path: str | Path, columns: Sequence[str], option: str = "--pool") -> Any:
    """These columns as an Arrow table; those of a CSV file are texts, as they are written, or missing."""
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
    """What these rows of a table say, as text; nothing where nothing is there."""
    rows = table.take(list(positions)).to_pylist()
    return [{column: "" if value is None else str(value) for column, value in row.items()} for row in rows]


def delimiter(header: str) -> str:
    """What divides the names of a header: European spreadsheets write semicolons.

    >>> delimiter("id;title;label"), delimiter("id")
    (';', ',')
    """
    return max(DELIMITERS, key=header.count)


def _parse(arrow: Any, path: str | Path) -> Any:
    with open(path, encoding="utf-8-sig", newline="") as file:
        header = file.readline()
    return arrow.csv.ParseOptions(delimiter=delimiter(header), newlines_in_values=True)


def is_parquet(path: str | Path) -> bool:
    """By its name; all else is CSV."""
    return Path(path).suffix.lower() in PARQUET


@contextmanager
def _reading(path: str | Path, option: str) -> Iterator[Any]:
    """Pyarrow, for a file that is there; what it cannot read is told in words."""
    if not Path(path).is_file():
        raise InputError(f"{option} must be a file that is there: {path} is not; give the path where it is now")
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
