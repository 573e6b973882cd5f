"""A database or a file that somebody sent reads nothing but itself: DuckDB through views, SQLite, and plain files."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

import lowshot
from lowshot.errors import InputError
from lowshot.pools.source import table_of

SECRET = "the diary of somebody else"
COLUMNS = {"id": "id", "score": "p", "threshold": 0.5}
# What the views of a database that was sent ask for. {elsewhere} is a folder of the receiver's.
VIEWS = {
    "read_text": "SELECT id, p, (SELECT content FROM read_text('{elsewhere}/secret.csv')) AS title FROM items",
    "read_blob": "SELECT id, p, (SELECT content::VARCHAR FROM read_blob('{elsewhere}/secret.csv')) AS title FROM items",
    "read_csv": "SELECT id, p, title FROM read_csv('{elsewhere}/secret.csv')",
    "read_parquet": "SELECT id, p, title FROM read_parquet('{elsewhere}/secret.parquet')",
    "read_json": "SELECT id, p, title FROM read_json('{elsewhere}/secret.jsonl')",
    "by name": "SELECT id, p, title FROM '{elsewhere}/secret.parquet'",
    "query": "SELECT * FROM query('SELECT id, p, title FROM read_csv(''{elsewhere}/secret.csv'')')",
    "glob": "SELECT id, p, (SELECT string_agg(file) FROM glob('{elsewhere}/*')) AS title FROM items",
    "metadata": "SELECT id, p, (SELECT any_value(name) FROM parquet_schema('{elsewhere}/secret.parquet')) AS title"
    " FROM items",
    "an open file": "SELECT id, p, (SELECT content FROM read_text('/dev/fd/{descriptor}')) AS title FROM items",
    "a link beside it": "SELECT id, p, (SELECT content FROM read_text('{folder}/sent.duckdb.wal.recovery')) AS title"
    " FROM items",
    "a link in its folder": "SELECT id, p, (SELECT content FROM read_text('{folder}/sent.duckdb.tmp/secret.csv'))"
    " AS title FROM items",
    "extensions": "SELECT id, p, (SELECT string_agg(install_path) FROM duckdb_extensions()) AS title FROM items",
    "nested": 'SELECT * FROM "read_text"',
    "a macro": "SELECT id, p, whole('{elsewhere}/secret.csv') AS title FROM items",
    "a macro with a table": "SELECT id, p, (SELECT content FROM whole_table('{elsewhere}/secret.csv')) AS title"
    " FROM items",
    # The names below are macros of the sender's when the views are made, and DuckDB's own when they are read.
    "an address": "SELECT * FROM read_csv('https://127.0.0.1:9/secret.csv')",
    "a spreadsheet": "SELECT * FROM read_xlsx('{elsewhere}/secret.xlsx')",
    "SQLite": "SELECT * FROM sqlite_scan('{elsewhere}/secret.sqlite', 'items')",
    "PostgreSQL": "SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 'items')",
}
SHADOWED = {"read_csv": "x", "read_xlsx": "x", "sqlite_scan": "x, y", "postgres_scan": "x, y, z"}
LATE = ("an address", "a spreadsheet", "SQLite", "PostgreSQL")


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A database whose views ask for what is not in it, and links beside it."""
    folder, elsewhere = tmp_path_factory.mktemp("sent"), tmp_path_factory.mktemp("elsewhere")
    rows = pa.table({"id": [1, 2], "p": [0.9, 0.1], "title": [SECRET, SECRET]})
    pyarrow.parquet.write_table(rows, elsewhere / "secret.parquet")
    (elsewhere / "secret.csv").write_text(f"id,p,title\n1,0.9,{SECRET}\n2,0.1,{SECRET}\n")
    (elsewhere / "secret.jsonl").write_text(f'{{"id": 1, "p": 0.9, "title": "{SECRET}"}}\n')
    path = folder / "sent.duckdb"
    with open(elsewhere / "secret.csv") as file, duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE items AS SELECT range AS id, range / 100.0 AS p FROM range(100)")
        connection.execute("CREATE MACRO whole(path) AS (SELECT content FROM read_text(path))")
        connection.execute("CREATE MACRO whole_table(path) AS TABLE SELECT content FROM read_text(path)")
        values = {"elsewhere": elsewhere, "folder": folder, "descriptor": file.fileno()}
        (folder / "sent.duckdb.wal.recovery").symlink_to(elsewhere / "secret.csv")
        (folder / "sent.duckdb.tmp").symlink_to(elsewhere)
        for name in (name for name in VIEWS if name not in LATE):
            connection.execute(f'CREATE VIEW "{name}" AS {VIEWS[name].format(**values)}')
        for name, arguments in SHADOWED.items():
            made = "SELECT 1 AS id, 0.5 AS p, 'harmless' AS title"
            connection.execute(f"CREATE MACRO {name}({arguments}) AS TABLE {made}")
        for name in LATE:
            connection.execute(f'CREATE VIEW "{name}" AS {VIEWS[name].format(**values)}')
        for name in SHADOWED:
            connection.execute(f"DROP MACRO TABLE {name}")
        connection.close()
        yield path


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_reads_nothing_else(sent: Path, view: str) -> None:
    with pytest.raises(InputError, match=r"add allow_external=True$") as caught:
        lowshot.open_pool(sent, table=view, show=["title"], **COLUMNS)
    assert SECRET not in str(caught.value)


def test_tables_and_views_of_the_database_itself_are_read(sent: Path) -> None:
    pool = lowshot.open_pool(sent, table="items", show=["p"], **COLUMNS)
    with duckdb.connect(
        str(sent), read_only=True
    ) as own:  # a connection of the user's own is neither closed nor locked
        assert own.execute("SET threads = 1").execute("SELECT count(*) FROM items").fetchall() == [(100,)]
        assert own.execute('SELECT count(*) FROM "read_csv"').fetchall() == [(2,)]
        again = lowshot.open_pool(sent, table="items", **COLUMNS)
    assert len(pool) == len(again) == 100
    assert pool.shown([90]) == [{"p": "0.9"}]


def test_own_views_read_other_files_if_that_is_allowed(sent: Path) -> None:
    pool = lowshot.open_pool(sent, table="read_csv", show=["title"], allow_external=True, **COLUMNS)
    assert pool.shown([1]) == [{"title": SECRET}]
    pools = lowshot.open_pools(sent, table="read_csv", scores=["p"], id="id", threshold=0.5, allow_external=True)
    assert len(pools["p"]) == 2
    assert lowshot.pools.check(sent, table="read_csv", allow_external=True, **COLUMNS).good
    with pytest.raises(InputError, match="source must read nothing but itself"):
        lowshot.pools.check(sent, table="read_csv", **COLUMNS)
    with pytest.raises(InputError, match=r"allow_external must be left out unless source is a \.duckdb file"):
        lowshot.open_pool("rows.csv", allow_external=True, **COLUMNS)
    with pytest.raises(InputError, match="allow_external must be True or False"):
        lowshot.open_pool(sent, table="items", allow_external="yes", **COLUMNS)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["memory", "temp", "a 'quoted\" name", "select"])
def test_databases_of_any_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE "x""; DROP TABLE y; --" AS SELECT 1 AS id, 0.5 AS "p""; --"')
        connection.execute("CREATE VIEW qualified AS SELECT id FROM duckdb_tables() CROSS JOIN (SELECT 2 AS id)")
    pool = lowshot.open_pool(path, table='x"; DROP TABLE y; --', id="id", score='p"; --', threshold=0.5)
    assert len(pool) == 1


STATEMENTS = [
    "ATTACH '{elsewhere}/other.duckdb'",
    "COPY (SELECT 1) TO '{elsewhere}/written.csv'",
    "SET enable_external_access = true",
    "SET disabled_filesystems = ''",
    "SET lock_configuration = false",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SELECT * FROM read_csv('{elsewhere}/rows.csv')",
]


@pytest.mark.parametrize("statement", [*STATEMENTS, "CREATE TABLE more AS SELECT 1"])
def test_a_database_stays_closed(sent: Path, tmp_path: Path, statement: str) -> None:
    """Also for SQL that no view can have."""
    stays_closed(sent, "items", tmp_path, statement)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_reads_files_stays_closed(tmp_path: Path, statement: str) -> None:
    (tmp_path / "pool.csv").write_text("id,p\n1,0.5\n")
    stays_closed(tmp_path / "pool.csv", None, tmp_path, statement)


def stays_closed(source: Path, table: str | None, elsewhere: Path, statement: str) -> None:
    (elsewhere / "rows.csv").write_text("id,p\n1,0.5\n")
    before = sorted(elsewhere.iterdir())
    backend: Any = table_of(source, table).get_backend()
    with pytest.raises(duckdb.Error, match=r"disabled|locked|read-only"):
        backend.raw_sql(statement.format(elsewhere=elsewhere))
    assert sorted(elsewhere.iterdir()) == before


def sqlite_pool(folder: Path) -> Path:
    """With views that ask for what SQLite must not do."""
    path = folder / "sent.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE items AS SELECT 1 AS id, 0.9 AS p UNION SELECT 2, 0.1")
        connection.execute("CREATE VIEW loads AS SELECT id, p, load_extension('/tmp/code') AS title FROM items")
        connection.execute("CREATE VIEW reads AS SELECT id, p, readfile('/etc/passwd') AS title FROM items")
        connection.execute("CREATE VIEW digests AS SELECT id, p, md5('a') AS title FROM items")
    connection.close()
    return path


@pytest.mark.parametrize("view", ["loads", "reads", "digests"])
def test_views_of_sqlite_call_nothing(tmp_path: Path, view: str) -> None:
    with pytest.raises(lowshot.LowshotError, match="the engine failed while"):
        lowshot.open_pool(sqlite_pool(tmp_path), table=view, show=["title"], **COLUMNS)


def test_sqlite_attaches_and_writes_nothing(tmp_path: Path) -> None:
    path = sqlite_pool(tmp_path)
    before = path.read_bytes()
    backend: Any = table_of(path, "items").get_backend()
    for statement in (
        f"ATTACH '{tmp_path}/other.db' AS other",
        f"VACUUM INTO '{tmp_path}/copy.db'",
        "SELECT load_extension('/tmp/code')",
        "DELETE FROM items",
    ):
        with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|authorization denied|readonly"):
            backend.raw_sql(statement)
    assert [path.name for path in tmp_path.iterdir()] == ["sent.sqlite"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("scheme", ["duckdb", "sqlite", "file", "DuckDB"])
def test_files_are_opened_by_their_paths(sent: Path, scheme: str) -> None:
    """By an address, Ibis would open them without all this."""
    with pytest.raises(InputError, match="source must be the path of a file, or the address of a server"):
        lowshot.open_pool(f"{scheme}://{sent}", table="read_text", **COLUMNS)


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    (tmp_path / "p[12].csv").write_text("id,p\n1,0.5\n")
    (tmp_path / "p1.csv").write_text("id,p\n1,0.5\n2,0.7\n")
    assert len(lowshot.open_pool(tmp_path / "p[12].csv", **COLUMNS)) == 1
    assert len(lowshot.open_pool(tmp_path / "p[1].csv", **COLUMNS)) == 2
