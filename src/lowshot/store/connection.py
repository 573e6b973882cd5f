"""From a path or URL to an engine: SQLite with a write-ahead log and durable commits, or PostgreSQL."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from lowshot.errors import InputError, StoreError, required_by, without_password
from lowshot.store.read_only import read_only_engine, refuse_damage, unchanged
from lowshot.store.version import create, is_new

KEPT = "everything stored before is safe"
ENDS_WITH_A_NAME = bytes.fromhex("d9d505f920a163d7")  # the last bytes of a rollback journal that names another file
SNAPSHOT = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
DAMAGED = "it is damaged, a part of it is missing or was changed: restore it from a copy"
READ_ONLY = "the file or its folder cannot be written: change its permissions, or copy it"
CLOSED = "the file cannot be opened: check its path, its permissions and the room on its disk"
UNFINISHED = (
    "if there is a file beside it whose name ends in -wal or -journal, open the store for writing once, or copy both to"
    " a folder that can be written"
)
PATIENCE = 30  # seconds to wait for another process that is writing; transactions usually take milliseconds
ANSWER = 10  # seconds to wait for a connection to a server
# A lost server is noticed after 30 + 3 * 10 seconds (idle time, then 3 probes every 10 seconds) instead of the usual
# two hours. tcp_user_timeout is the same limit for data that the server does not acknowledge, in milliseconds.
KEEPALIVES = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
UNACKNOWLEDGED = {"tcp_user_timeout": 60_000}
# Set only if it has its default: not if the URL, PGOPTIONS, or the server's settings for this user or database set it.
LOCK_TIMEOUT = """SELECT set_config('lock_timeout', %s, false)
    WHERE EXISTS (SELECT FROM pg_settings WHERE name = 'lock_timeout' AND source = 'default')"""


def connect(store: str | Path, read_only: bool = False) -> Engine:
    """An engine for a store with its tables. Read-only: nothing is written and no lock is taken."""
    url = _url(store)
    writes_file = not read_only and _is_sqlite(url.drivername)
    if writes_file:
        refuse_named_file(_path(url))
    engine = _reading(url) if read_only else _engine(url)
    if writes_file:
        _make_durable(engine)
    try:
        _prepare(engine, read_only)
    except BaseException:
        engine.dispose()  # the caller never gets the engine, so it cannot close it
        raise
    return engine


def _engine(url: URL, **options: Any) -> Engine:
    with required_by("a PostgreSQL store", extra="postgres"):
        engine = create_engine(url, connect_args=_arguments(url), **options)
    if not _is_sqlite(url.drivername):
        _limit_waiting(engine)
    return engine


def _reading(url: URL) -> Engine:
    """An engine that only reads."""
    options: Any = {"execution_options": {"read_only": True}}
    if not _is_sqlite(url.drivername):
        return _engine(url, **options)
    path = _path(url)
    if not path.is_file():
        raise InputError(f"store must exist to be read: {path} does not; check the path")
    return read_only_engine(url, path, **options)


def refuse_named_file(path: Path) -> None:
    """An error if the journal beside a store names another file: SQLite takes that for the journal of a transaction on
    several databases, and deletes it when it rolls back. lowshot has no such transactions, so somebody else wrote this
    journal. A connection that only reads does not roll back.
    """
    journal = f"{os.path.realpath(path)}-journal"
    try:
        with open(journal, "rb") as file:
            file.seek(-len(ENDS_WITH_A_NAME), os.SEEK_END)
            names_a_file = file.tell() > 0 and file.read() == ENDS_WITH_A_NAME
    except OSError:  # there is none, or it is too short
        return
    if names_a_file:
        raise StoreError(
            f"store {path} cannot be used: {journal} names another file, which SQLite would delete, and lowshot writes"
            " no such journal: if somebody sent you the store, do not trust it; otherwise restore it from a copy"
        )


def _prepare(engine: Engine, read_only: bool) -> None:
    """Create the tables of a new store; a StoreError if they are damaged or of another version."""
    where = shown(engine.url)
    with transaction(engine, reads=True) as connection:
        if engine.dialect.name == "sqlite":
            refuse_damage(connection.exec_driver_sql)
        new = is_new(connection, where)
    if new and read_only:
        raise StoreError(f"store must contain an evaluation: {where} has none; begin one with `lowshot start`")
    if new:
        with transaction(engine) as connection:
            create(connection, where)


def is_there(store: str | Path) -> bool:
    """Whether the file of a store exists; true for servers, which are not asked."""
    url = _url(store)
    return not _is_sqlite(url.drivername) or _path(url).exists()


def _path(url: URL) -> Path:
    """The file of a SQLite URL, which may contain a URI: file:birds.db?mode=ro."""
    database = url.database or ""
    return Path(unquote(urlsplit(database).path) if database.startswith("file:") else database)


def _url(store: str | Path) -> URL:
    text = str(store)
    if "://" not in text:
        path = Path(text)
        if path.is_dir() or not path.absolute().parent.is_dir():
            shown = without_password(text)
            raise InputError(f"store must be a file in a folder that exists, or postgresql://...: got {shown}")
        return make_url("sqlite://").set(database=str(path))
    url = _parsed(text)
    if url is None or "@" in (url.host or ""):
        raise InputError(
            f"store must be a file or postgresql://user:password@host/database: got {without_password(text)}; write @"
            " in a password as %40, and check host and port"
        )
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "postgresql+psycopg" and not _is_sqlite(url.drivername):
        raise InputError(f"store must be a file or postgresql://...: got {url.drivername}://")
    return url


def _parsed(text: str) -> URL | None:
    """None if it is invalid. The exception is dropped, also as a cause: its text may contain a part of the password."""
    try:
        return make_url(text)
    except (ArgumentError, ValueError):
        return None


def shown(url: URL) -> str:
    """The file, or the URL without its password."""
    if _is_sqlite(url.drivername) and url.database:
        return url.database
    return without_password(url.render_as_string(hide_password=True))


def _is_sqlite(driver: str) -> bool:
    return driver.startswith("sqlite")


def _arguments(url: URL) -> dict[str, Any]:
    """How long a connection waits, unless the URL or the environment sets it."""
    if _is_sqlite(url.drivername):
        return {"timeout": PATIENCE}
    wanted = {"connect_timeout": ANSWER, "fallback_application_name": "lowshot", **KEEPALIVES, **UNACKNOWLEDGED}
    if "PGCONNECT_TIMEOUT" in os.environ:
        del wanted["connect_timeout"]
    return {name: value for name, value in wanted.items() if name not in url.query}


def _limit_waiting(engine: Engine) -> None:
    """By default PostgreSQL waits for a lock without limit."""

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: Any) -> None:
        connection.autocommit = True  # a setting made in a transaction would be undone if the transaction fails
        connection.execute(LOCK_TIMEOUT, [f"{PATIENCE}s"])
        connection.autocommit = False


def _make_durable(engine: Engine) -> None:
    """A commit returns when the data is on the disk. BEGIN IMMEDIATE takes the write lock first, so that two
    transactions that have read never deadlock when both want to write."""

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver sends no BEGIN of its own
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


@contextmanager
def transaction(engine: Engine, reads: bool = False) -> Iterator[Connection]:
    """All changes or, if one fails, none. Errors of the database become a StoreError that says what to do.

    With `reads` it takes no lock, and sees the store as it was when the transaction began.
    """
    if not reads and engine.get_execution_options().get("read_only"):
        raise StoreError(f"store {shown(engine.url)} is open read-only: open it for writing to change it")
    options: Any = {"reads": reads, **(SNAPSHOT if reads and engine.dialect.name == "postgresql" else {})}
    try:
        with engine.connect().execution_options(**options) as connection, connection.begin(), unchanged(connection):
            yield connection
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise _told(error, engine) from error
    except UnicodeDecodeError as error:  # the driver decodes a message that quotes bytes of a damaged file
        found = error.object.decode(errors="replace")
        raise _told(sqlite3.DatabaseError(f"malformed: {found[:200]}"), engine) from error


def _told(error: SQLAlchemyError | sqlite3.Error, engine: Engine) -> StoreError:
    where, read_only = shown(engine.url), engine.get_execution_options().get("read_only")
    text = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())
    hints = {
        "lock timeout": _held(error),
        "locked": "another process is writing: wait, or close it",
        "changed while": "another process wrote to it: try again",
        "readonly": UNFINISHED if read_only else READ_ONLY,
        "read-only": READ_ONLY,
        "full": f"the disk is full: make room and try again; {KEPT}",
        "disk i/o error": f"the disk cannot be written: is there room left, is it still there? {KEPT}",
        "not a database": "the file is not a store: name another file",
        "connect": "the server cannot be reached: is it running, are name and password right?",
        "malformed": DAMAGED,
        "no such": DAMAGED,
        "does not exist": DAMAGED,
        "already exists": DAMAGED,
        "unable to open": f"{CLOSED}; {UNFINISHED}" if read_only else CLOSED,
    }
    hint = next((hint for word, hint in hints.items() if word in text.lower()), "nothing was changed")
    kind = "cannot be used" if isinstance(error, OperationalError) else "failed"
    return StoreError(f"store {where} {kind} ({text}): {hint}")


def _held(error: Exception) -> str:
    """Which lock another connection to the server holds, and what to do."""
    statement = str(getattr(error, "statement", "") or "")
    held = "the schema, to create its tables" if "pg_advisory" in statement else "an evaluation, to write in it"
    return (
        f"another process holds {held}, and did not let go; nothing was changed: wait and try again, or find it with"
        " SELECT pid, application_name, client_addr, state FROM pg_stat_activity WHERE state LIKE 'idle in trans%'"
        " and end it with SELECT pg_terminate_backend(pid)"
    )
