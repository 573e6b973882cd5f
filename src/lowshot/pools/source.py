"""A path, URL or data frame as an Ibis table."""

import glob
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import ibis
from ibis.expr.types import Table

from lowshot.errors import InputError, MissingExtra
from lowshot.pools.failures import close_with, failing
from lowshot.pools.ibis_columns import NOTHING, Used

FILES: dict[str, tuple[str, ...]] = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz"),
    "json": (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"),
}
WHOLE = "^(0|-?[1-9][0-9]*)$"  # as DuckDB writes whole numbers, which fit int64 where it found such; "007" is a text
DATABASES: dict[str, tuple[str, ...]] = {
    "duckdb": (".duckdb", ".ddb"),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
}
KINDS = (
    "a .parquet, .csv, .csv.gz or .jsonl file, a glob or a folder of them, a .duckdb or .sqlite file or a"
    " postgresql:// URL with table="
)


def table_of(source: Any, table: str | None = None, used: Used = NOTHING) -> Table:
    """An Ibis table of a path, a URL, or anything that holds rows.

    >>> import pandas
    >>> table_of(pandas.DataFrame({"id": [1, 2], "score": [0.9, 0.1]})).columns
    ('id', 'score')
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, (str, Path)):
        return _at(str(source), table, used)
    library = type(source).__module__.partition(".")[0]
    if library in MAKERS:
        with failing("reading the rows"):
            return MAKERS[library](source)
    raise InputError(
        f"source must be {KINDS}, or a table of Ibis, Spark, pandas, polars or Arrow: got {type(source).__name__}"
    )


def _at(where: str, table: str | None, used: Used) -> Table:
    if "://" in where:
        return _named(_connected(where), table, where)
    for backend, endings in DATABASES.items():
        if where.lower().endswith(endings):
            _there(where)
            return _named(_connected(where, backend), table, where)
    if table is not None:
        raise InputError(f"table must be given with a database only: got {table!r} for {where}")
    return _file(where, used)


def _file(where: str, used: Used) -> Table:
    """One or many files, read by DuckDB where they are."""
    plain = f"{where.rstrip('/')}/**/*.parquet" if Path(where).is_dir() else where
    for kind, endings in FILES.items():
        if plain.lower().endswith(endings):
            if not glob.glob(plain, recursive=True):
                raise InputError(f"source must be there: {where} is not; give the path where it is now")
            with failing(f"reading {where}"):
                return READERS[kind](_duckdb(), plain, used)
    raise InputError(f"source must be {KINDS}: got {where}")


def _parquet(connection: Any, plain: str, _used: Used) -> Table:
    found: Table = connection.read_parquet(plain)
    return found


def _json(connection: Any, plain: str, _used: Used) -> Table:
    """DuckDB decides on types after a look at all rows: see `_csv`."""
    found: Table = connection.read_json(plain, sample_size=-1)
    return found


def _csv(connection: Any, plain: str, used: Used) -> Table:
    """A CSV file whose columns mean the same as in memory.

    DuckDB decides on types and quotes after a look at some rows. Further down it would read a score of 0.7 as 1, if the
    rows before have whole numbers, and refuse quoted texts; and people would see 20:00:00 where the file has 20:00.
    """
    quotes = {"quote": '"', "escape": '"'}
    seen = connection.read_csv(plain, **quotes)
    whole = [name for name in used.numbers if name in seen.columns and seen[name].type().is_integer()]
    texts = [name for name in used.texts if name in seen.columns and name not in (used.id, *used.numbers)]
    types = {**dict.fromkeys(whole, "double"), **dict.fromkeys(texts, "string")}
    found: Table = connection.read_csv(plain, types=types, **quotes) if types else seen
    if used.id is None or used.id not in found.columns or found[used.id].type().is_string():
        return found
    named: Table = connection.read_csv(plain, types={**types, used.id: "string"}, **quotes)
    others = named.filter(~named[used.id].re_search(WHOLE)).limit(1)  # ids are texts unless all are whole numbers
    return named if others.count().to_pyarrow().as_py() else found


def _there(where: str) -> None:
    if not Path(where).is_file():
        raise InputError(f"source must be there: {where} is not; give the path where it is now")


def _connected(where: str, backend: str | None = None) -> Any:
    """A connection; a file is only read."""
    try:
        with failing("connecting to the database"):
            if backend == "duckdb":
                return _duckdb(where, read_only=True)
            return _sqlite(where) if backend == "sqlite" else _server(where)
    except (ImportError, AttributeError) as error:
        name = where.partition(":")[0]
        raise MissingExtra(
            f"a pool in {name} needs a part that is not there ({error}): pip install 'ibis-framework[{name}]'"
        ) from None


def _duckdb(where: str = ":memory:", **options: Any) -> Any:
    """A connection without DuckDB's progress bar, which is printed to standard output among the results."""
    connection = ibis.duckdb.connect(where, **options)
    connection.raw_sql("SET enable_progress_bar = false")
    return connection


def _server(where: str) -> Any:
    found = ibis.connect(where)
    close_with(found)
    return found


def _sqlite(where: str) -> Any:
    """A connection with an MD5 function, which SQLite lacks."""
    connection = ibis.sqlite.connect(where)
    connection.con.create_function("md5", 1, _md5, deterministic=True)
    return connection


def _md5(text: str | None) -> str | None:
    return None if text is None else hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _named(connection: Any, table: str | None, where: str) -> Table:
    with failing("looking for the table"):
        names = _names(connection)
    if table is None or table not in names:
        shown = ", ".join(map(repr, names[:10])) or "none"
        raise InputError(f"table must be one of the database's: got {table!r}; it has {shown}")
    with failing("looking for the table"):
        found: Table = connection.table(table)
        return found


def _names(connection: Any) -> list[str]:
    """The tables of a database. Ibis 12 lists those of DuckDB with a method that DuckDB 2 no longer has."""
    if connection.name != "duckdb":
        return list(connection.list_tables())
    found = connection.raw_sql("SELECT table_name FROM information_schema.tables ORDER BY table_name").fetchall()
    return [name for (name,) in found]


def _spark(frame: Any) -> Table:
    """A view of a Spark DataFrame; no rows are copied."""
    name = f"lowshot_{uuid4().hex}"  # of its own: a view that is replaced would change the rows of an earlier pool
    frame.createOrReplaceTempView(name)
    found: Table = ibis.pyspark.connect(frame.sparkSession).table(name)
    return found


def _arrow(frame: Any) -> Table:
    found: Table = ibis.memtable(frame)
    return found


def _pandas(frame: Any) -> Table:
    """Through Arrow, so that Ibis need not guess the types of columns."""
    import pyarrow

    return _arrow(pyarrow.Table.from_pandas(frame, preserve_index=False))


READERS: dict[str, Callable[[Any, str, Used], Table]] = {"parquet": _parquet, "csv": _csv, "json": _json}
MAKERS: dict[str, Callable[[Any], Table]] = {
    "pyspark": _spark,
    "pandas": _pandas,
    "polars": lambda frame: _arrow(frame.to_arrow()),
    "pyarrow": _arrow,
}
