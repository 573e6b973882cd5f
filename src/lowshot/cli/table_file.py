"""Tables in files: Parquet, CSV, JSON Lines and Arrow, as Arrow tables. Errors name the option and the file."""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, Literal

from lowshot.errors import InputError, required_by
from lowshot.pools.places import shown_texts
from lowshot.pools.slices import is_missing

Form = Literal["parquet", "csv", "json", "arrow"]
FORMS: dict[Form, tuple[str, ...]] = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv", ".tsv", ".txt"),
    "json": (".jsonl", ".ndjson"),
    "arrow": (".feather", ".arrow"),
}
WORDS: dict[Form, str] = {
    "parquet": "Parquet",
    "csv": "CSV in UTF-8",
    "json": "JSON Lines in UTF-8, with one object per line",
    "arrow": "Arrow or Feather",
}
COMPRESSED = ".gz"  # after the ending of a text file: CSV and JSON Lines
ENDINGS = ".parquet, .feather, .arrow, .csv, .tsv or .jsonl (or .csv.gz, .tsv.gz, .jsonl.gz)"
DELIMITERS = ",;\t"
FIRST = 2**24  # bytes of a JSON file, at its beginning, in which all its columns must occur
BLOCK = 2**24  # bytes of a JSON file that are parsed at once: a line must not be longer


def form_of(path: str | Path) -> Form | None:
    """What a file is, by its ending; None if it cannot be read.

    >>> form_of("scores.csv.gz"), form_of("scores.Feather"), form_of("scores.xlsx"), form_of("scores.parquet.gz")
    ('csv', 'arrow', None, None)
    """
    name = str(path).lower()
    plain = name.removesuffix(COMPRESSED)
    for form, endings in FORMS.items():
        if name.endswith(endings) or (form in ("csv", "json") and plain.endswith(endings)):
            return form
    return None


def is_parquet(path: str | Path) -> bool:
    return form_of(path) == "parquet"


def has_texts(path: str | Path) -> bool:
    """Whether all cells are texts, as in CSV; the other formats say what their columns are."""
    return form_of(path) == "csv"


def refuse_unknown(path: str | Path, columns: Iterable[tuple[str, str]], option: str = "--pool") -> None:
    """`columns` are pairs of option and column; every column must occur in the file, and only once."""
    there = column_names(path, option)
    for name, column in columns:
        if there.count(column) != 1:
            known = ", ".join(there)
            came = "which does not occur" if column not in there else "which occurs more than once"
            raise InputError(f"{name} must be a column of {path}, one of {known}: got {column!r}, {came}")


def column_names(path: str | Path, option: str) -> list[str]:
    """The columns of a file."""
    return list(_schema(path, option).names)


def numeric_columns(path: str | Path, option: str) -> list[str]:
    """The columns of a file that have numbers; of a text file, as its first rows look."""
    schema = _schema(path, option)
    from pyarrow import types

    numeric = (types.is_floating, types.is_integer, types.is_decimal)
    return [field.name for field in schema if any(is_(field.type) for is_ in numeric)]


def has_unsigned(path: str | Path, column: str, option: str) -> bool:
    """Whether a column of a Parquet file has integers that may exceed the signed ones of 64 bits, as hashes do."""
    if not is_parquet(path):
        return False
    schema = _schema(path, option)
    from pyarrow import types

    return any(types.is_uint64(field.type) for field in schema if field.name == column)


def _schema(path: str | Path, option: str) -> Any:
    with _reading(path, option) as arrow:
        found = _schema_in(arrow, path)
        found.names  # noqa: B018  # here, because the names in a damaged file may have no UTF-8
        return found


def _schema_in(arrow: Any, path: str | Path) -> Any:
    match form_of(path):
        case "parquet":
            with arrow.parquet.ParquetFile(path) as file:
                return file.schema_arrow
        case "arrow":
            return _arrow_table(arrow, path, None).schema
        case "json":
            return _json_schema(arrow, path)
        case _:
            with arrow.csv.open_csv(path, parse_options=_parse(arrow, path)) as file:
                return file.schema


def count_rows(path: str | Path, option: str) -> int:
    """How many rows a file has."""
    if is_parquet(path):
        with _reading(path, option) as arrow, arrow.parquet.ParquetFile(path) as file:
            return int(file.metadata.num_rows)
    return len(load(path, column_names(path, option)[:1], option))


def about_how_many_rows(path: str | Path, option: str) -> int:
    """How many rows a file has: those of a CSV file are estimated from its size and its first rows."""
    if is_parquet(path):
        return count_rows(path, option)
    if form_of(path) != "csv" or not Path(path).is_file():
        return 0
    size = Path(path).stat().st_size
    with _reading(path, option), open(path, "rb") as raw:
        sample = (gzip.GzipFile(fileobj=raw) if str(path).lower().endswith(COMPRESSED) else raw).read(FIRST)
        used = raw.tell()  # of a compressed file, the bytes that the sample took
    return round(sample.count(b"\n") * max(size / max(used, 1), 1))


def load(path: str | Path, columns: Sequence[str], option: str = "--pool") -> Any:
    """These columns as an Arrow table; cells of a CSV file are texts, or null if they are empty."""
    with _reading(path, option) as arrow:
        return _valid(_table_in(arrow, path, list(dict.fromkeys(columns))))


def _table_in(arrow: Any, path: str | Path, columns: list[str]) -> Any:
    match form_of(path):
        case "parquet":
            with arrow.parquet.ParquetFile(path) as file:
                return file.read(columns=columns)
        case "arrow":
            return _arrow_table(arrow, path, columns)
        case "json":
            return _json_table(arrow, path, columns)
    options = arrow.csv.ConvertOptions(
        include_columns=columns,
        column_types=dict.fromkeys(columns, arrow.string()),
        strings_can_be_null=True,
        null_values=[""],
    )
    return arrow.csv.read_csv(path, parse_options=_parse(arrow, path), convert_options=options)


def _valid(table: Any) -> Any:
    """The same table, if its texts have UTF-8 and lie inside the file, which the readers of Arrow do not check."""
    table.validate(full=True)
    return table


def _arrow_table(arrow: Any, path: str | Path, columns: list[str] | None) -> Any:
    """A Feather file, which is an Arrow IPC file, or an Arrow stream."""
    with arrow.memory_map(str(path)) as file:
        try:
            whole = arrow.ipc.open_file(file).read_all()
        except arrow.ArrowInvalid:
            file.seek(0)
            whole = arrow.ipc.open_stream(file).read_all()
    return whole if columns is None else whole.select(columns)


def _json_schema(arrow: Any, path: str | Path) -> Any:
    """Texts that look like times are texts: ids such as 2026-11-16 must stay as they are."""
    with _opened(path) as file:
        sample = file.read(FIRST)
        complete = not file.read(1)
    whole = sample if complete else sample[: sample.rfind(b"\n") + 1]
    found = arrow.json.read_json(BytesIO(whole), read_options=arrow.json.ReadOptions(block_size=BLOCK)).schema
    return arrow.schema([f.with_type(arrow.string()) if arrow.types.is_temporal(f.type) else f for f in found])


def _json_table(arrow: Any, path: str | Path, columns: list[str]) -> Any:
    """Columns whose first rows are whole numbers may have others further down: those are left to the reader."""
    schema = _json_schema(arrow, path)
    texts = [field for field in schema if field.name in columns and arrow.types.is_string(field.type)]
    parse = arrow.json.ParseOptions(explicit_schema=arrow.schema(texts)) if texts else None
    read = arrow.json.ReadOptions(block_size=BLOCK)
    return arrow.json.read_json(path, read_options=read, parse_options=parse).select(columns)


class ShownRows:
    """Columns of a file that people are shown. Of a Parquet file, only the row groups are read that are needed."""

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        self._path, self._columns = path, columns
        self._groups: dict[int, Any] = {}  # row groups that were read

    def at(self, rows: Sequence[int]) -> list[dict[str, str]]:
        """These rows as texts; empty for null."""
        if not is_parquet(self._path):
            return [_texts(self._whole, row) for row in rows]
        found = []
        for row in rows:
            group = next(n for n, end in enumerate(self._ends) if row < end)
            start = self._ends[group - 1] if group else 0
            found.append(_texts(self._group(group), row - start))
        return found

    @cached_property
    def _whole(self) -> Any:
        return load(self._path, self._columns)

    @cached_property
    def _ends(self) -> list[int]:
        """Of each row group, the row after its last one."""
        with _reading(self._path, "--pool") as arrow, arrow.parquet.ParquetFile(self._path) as file:
            sizes = [file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)]
        return [sum(sizes[: n + 1]) for n in range(len(sizes))]

    def _group(self, number: int) -> Any:
        if number not in self._groups:
            with _reading(self._path, "--pool") as arrow, arrow.parquet.ParquetFile(self._path) as file:
                self._groups[number] = _valid(file.read_row_group(number, columns=list(dict.fromkeys(self._columns))))
        return self._groups[number]


def _texts(table: Any, row: int) -> dict[str, str]:
    return shown_texts({name: [table[name][row].as_py()] for name in table.column_names}, 0)


def text_columns(table: Any) -> dict[str, list[str | None]]:
    """Columns of a table as texts; None where a value is missing, as in `shown_texts`."""
    return {
        name: [None if is_missing(value) else str(value) for value in table[name].to_pylist()]
        for name in table.column_names
    }


def delimiter(header: str) -> str:
    """The separator in a header: European spreadsheets write semicolons.

    >>> delimiter("id;title;label"), delimiter("id")
    (';', ',')
    """
    return max(DELIMITERS, key=header.count)


def _opened(path: str | Path) -> gzip.GzipFile | BufferedReader:
    return gzip.GzipFile(path) if str(path).lower().endswith(COMPRESSED) else open(path, "rb")


def _parse(arrow: Any, path: str | Path) -> Any:
    with _opened(path) as file:
        header = file.readline().decode("utf-8-sig")
    return arrow.csv.ParseOptions(delimiter=delimiter(header), newlines_in_values=True)


@contextmanager
def _reading(path: str | Path, option: str) -> Iterator[Any]:
    """Pyarrow, for a file that must exist; its exceptions become an InputError."""
    if not Path(path).is_file():
        raise InputError(f"{option} must be an existing file: {path} does not exist; give its current path")
    form = form_of(path)
    if form is None:
        raise InputError(f"{option} must end in {ENDINGS}: got {path}")
    with required_by("reading a file", extra="store"):
        import pyarrow.csv
        import pyarrow.ipc
        import pyarrow.json
        import pyarrow.parquet
    try:
        yield pyarrow
    except (pyarrow.ArrowException, OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(
            f"{option} must be {WORDS[form]}, as its ending says: {path} cannot be read ({_first(error)})"
        ) from None


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
