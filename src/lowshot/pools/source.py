"""A path, URL or data frame as an Ibis table.

A file may come from somebody else, and a view in a database may name any other file. So what opens a file is closed
behind it: DuckDB reads the files that were named and nothing else, SQLite attaches no other database.
"""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from glob import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

import ibis
from ibis.common.exceptions import TableNotFound
from ibis.expr.types import Table

from lowshot import checks
from lowshot.errors import InputError, MissingExtra, without_password
from lowshot.pools.failures import close_with, failing
from lowshot.pools.ibis_columns import NOTHING, Used
from lowshot.pools.paths import files_at, is_duckdb

FILES: dict[str, tuple[str, ...]] = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz"),
    "json": (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz"),
}
WHOLE = "^(0|-?[1-9][0-9]*)$"  # as DuckDB writes whole numbers, which fit int64 where it found such; "007" is a text
SQLITE = (".sqlite", ".sqlite3", ".db")
LOCAL = ("duckdb:", "sqlite:", "file:")  # addresses of files, which are opened by their paths
CLOSED = "enable_external_access = false"  # but for what an earlier setting allows
ATTACHED = "SELECT database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'"
KINDS = (
    "a .parquet, .csv, .csv.gz or .jsonl file, a glob or a folder of them, a .duckdb or .sqlite file or a"
    " postgresql:// URL with table="
)


def table_of(source: Any, table: str | None = None, used: Used = NOTHING, allow_external: bool = False) -> Table:
    """An Ibis table of a path, a URL, or anything that holds rows.

    allow_external  whether views in a DuckDB file may read other files

    >>> import pandas
    >>> table_of(pandas.DataFrame({"id": [1, 2], "score": [0.9, 0.1]})).columns
    ('id', 'score')
    """
    checks.flag("allow_external", allow_external)
    if allow_external and not is_duckdb(source):
        raise InputError(
            f"allow_external must be left out unless source is a .duckdb file, whose views it is about: got {source!r}"
        )
    if isinstance(source, Table):
        return source
    if isinstance(source, (str, Path)):
        return _at(str(source), table, used, allow_external)
    library = type(source).__module__.partition(".")[0]
    if library in MAKERS:
        with failing("reading the rows"):
            return MAKERS[library](source)
    raise InputError(
        f"source must be {KINDS}, or a table of Ibis, Spark, pandas, polars or Arrow: got {type(source).__name__}"
    )


def _at(where: str, table: str | None, used: Used, allow_external: bool) -> Table:
    if "://" in where:
        return _named(_connected(where, _server), table, where)
    if is_duckdb(where):
        _there(where)
        return _named(_connected(where, _open_duckdb if allow_external else _closed_duckdb), table, where)
    if where.lower().endswith(SQLITE):
        _there(where)
        return _named(_connected(where, _sqlite), table, where)
    if table is not None:
        raise InputError(f"table must be given with a database only: got {table!r} for {where}")
    return _file(where, used)


def _file(where: str, used: Used) -> Table:
    """One or many files, read by DuckDB where they are."""
    found = [os.path.abspath(file) for file in files_at(where)]
    ending = ".parquet" if Path(where).is_dir() else where.lower()
    for kind, endings in FILES.items():
        if ending.endswith(endings):
            if not found:
                raise InputError(f"source must be there: {where} is not; give the path where it is now")
            with failing(f"reading {where}"):
                return READERS[kind](_of_files(found, kind), [escape(file) for file in found], used)
    raise InputError(f"source must be {KINDS}: got {where}")


def _parquet(connection: Any, files: Sequence[str], _used: Used) -> Table:
    found: Table = connection.read_parquet(files)
    return found


def _json(connection: Any, files: Sequence[str], _used: Used) -> Table:
    """DuckDB decides on types after a look at all rows: see `_csv`."""
    found: Table = connection.read_json(files, sample_size=-1)
    return found


def _csv(connection: Any, files: Sequence[str], used: Used) -> Table:
    """A CSV file whose columns mean the same as in memory.

    DuckDB decides on types and quotes after a look at some rows. Further down it would read a score of 0.7 as 1, if the
    rows before have whole numbers, and refuse quoted texts; and people would see 20:00:00 where the file has 20:00.
    """
    quotes = {"quote": '"', "escape": '"'}
    seen = connection.read_csv(files, **quotes)
    whole = [name for name in used.numbers if name in seen.columns and seen[name].type().is_integer()]
    texts = [name for name in used.texts if name in seen.columns and name not in (used.id, *used.numbers)]
    types = {**dict.fromkeys(whole, "double"), **dict.fromkeys(texts, "string")}
    found: Table = connection.read_csv(files, types=types, **quotes) if types else seen
    if used.id is None or used.id not in found.columns or found[used.id].type().is_string():
        return found
    named: Table = connection.read_csv(files, types={**types, used.id: "string"}, **quotes)
    others = named.filter(~named[used.id].re_search(WHOLE)).limit(1)  # ids are texts unless all are whole numbers
    return named if others.count().to_pyarrow().as_py() else found


def _there(where: str) -> None:
    if not Path(where).is_file():
        raise InputError(f"source must be there: {where} is not; give the path where it is now")


def _connected(where: str, connect: Callable[[str], Any]) -> Any:
    """A connection; a file is only read."""
    try:
        with failing("connecting to the database"):
            return connect(where)
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


def _open_duckdb(where: str) -> Any:
    """A database whose views may read other files."""
    return _duckdb(where, read_only=True)


def _closed_duckdb(where: str) -> Any:
    """A database that reads nothing but itself.

    It is attached to a DuckDB in memory, because settings of one that opens the file itself would hold for every
    connection to it in this process. No file system is left: DuckDB 2.0 reads /dev/fd/3, and links whose names begin
    like that of the database, in spite of `enable_external_access`. So a query that does not fit into memory fails.
    """
    connection = _duckdb(allow_persistent_secrets=False)
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):  # of what its tables would ask for
        connection.raw_sql(f"SET {setting} = false")
    name = " AS memory_db" if Path(where).name.lower().startswith("memory.") else ""  # that in memory is called memory
    connection.raw_sql(f"ATTACH {_text(os.path.abspath(where))}{name} (READ_ONLY, TYPE duckdb)")
    ((found,),) = connection.raw_sql(ATTACHED).fetchall()
    quoted = found.replace('"', '""')
    connection.raw_sql(f'USE "{quoted}"')
    return _locked(connection, "temp_directory = ''", CLOSED, "disabled_filesystems = 'LocalFileSystem'")


def _of_files(files: Sequence[str], kind: str) -> Any:
    """A connection that reads these files and nothing else.

    DuckDB takes names for globs, and a file that is away for a folder.
    """
    escaped = [escape(file) for file in files]
    allowed = {*files, *escaped, *(f"{file}/**/*.{kind}" for file in escaped)}
    return _locked(_duckdb(), f"allowed_paths = [{', '.join(map(_text, sorted(allowed)))}]", CLOSED)


def _locked(connection: Any, *settings: str) -> Any:
    """The connection with these settings, none of which can be changed again."""
    for setting in (*settings, "lock_configuration = true"):
        connection.raw_sql(f"SET {setting}")
    return connection


def _text(value: str) -> str:
    """A literal of SQL."""
    quoted = value.replace("'", "''")
    return f"'{quoted}'"


def _server(where: str) -> Any:
    if where.lower().startswith(LOCAL):
        raise InputError(
            f"source must be the path of a file, or the address of a server: got"
            f" {without_password(where)}; give the path"
        )
    found = ibis.connect(where)
    close_with(found)
    return found


def _sqlite(where: str) -> Any:
    """A connection with an MD5 function, which SQLite lacks. Nothing can be attached to it; nothing is written."""
    connection = sqlite3.connect(f"{Path(where).absolute().as_uri()}?mode=ro", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")  # views and virtual tables call harmless functions only
    connection.set_authorizer(_allowed)
    found = ibis.sqlite.from_connection(connection)
    found.con.create_function("md5", 1, _md5, deterministic=True)
    return found


def _allowed(action: int, _first: str | None, second: str | None, *_where: str | None) -> int:
    """Whether SQLite may do this for a query: neither open another database nor run code from a file."""
    loads = action == sqlite3.SQLITE_FUNCTION and second == "load_extension"
    return sqlite3.SQLITE_DENY if loads or action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


def _md5(text: str | None) -> str | None:
    return None if text is None else hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _named(connection: Any, table: str | None, where: str) -> Table:
    with failing("looking for the table"):
        names = _names(connection)
    if table is None or table not in names:
        shown = ", ".join(map(repr, names[:10])) or "none"
        raise InputError(f"table must be one of the database's: got {table!r}; it has {shown}")
    with failing("looking for the table"):
        try:
            found: Table = connection.table(table)
        except TableNotFound as error:  # its name was found: it is a view
            why = str(error.__context__ or error).partition("\n")[0]
            raise InputError(
                f"table must be one that can be read: {table!r} cannot be ({why}); if it is a view of your own that"
                " needs an extension of DuckDB, add allow_external=True"
            ) from None
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


READERS: dict[str, Callable[[Any, Sequence[str], Used], Table]] = {"parquet": _parquet, "csv": _csv, "json": _json}
MAKERS: dict[str, Callable[[Any], Table]] = {
    "pyspark": _spark,
    "pandas": _pandas,
    "polars": lambda frame: _arrow(frame.to_arrow()),
    "pyarrow": _arrow,
}
