"""Reading a SQLite store without changing its folder and without waiting for writers.

Beside a writer there is a write-ahead log, `birds.db-wal`, with which SQLite reads (`mode=ro`). Where there is none, or
an empty one, SQLite would create files, or fail if it may not; so `immutable=1` opens the file without locks and other
files. A writer that comes later writes to its log, and into the file only when it copies the log there. If that happens
while the file is read without locks, what was read may be half of one state and half of the next, and is refused.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DisconnectionError

BESIDE = ("", "-wal", "-journal")  # endings: the file itself, and those with data that is not in the file yet
BUSY = 1  # seconds to wait where a file is locked even for readers; lowshot never does that
FileState = tuple[tuple[int, int, int] | None, ...]


class Reader(sqlite3.Connection):
    """A connection to a file, with the state of the files when it was opened."""

    path: Path
    state: FileState

    @property
    def locks(self) -> bool:
        """Whether writers leave alone what it reads."""
        return self.state[1:] != (None, None)


def read_only_engine(url: URL, path: Path, **options: Any) -> Engine:
    """An engine whose transactions read the file as it is when they begin."""
    file = path.resolve()  # of a symbolic link: SQLite's other files are beside the file itself
    engine = create_engine(url, creator=lambda: opened(file), **options)

    @event.listens_for(engine, "checkout")
    def refuse_old(connection: Any, record: Any, _: Any) -> None:
        old = record.info.get("used") is connection  # one opened just now is used, even if somebody writes meanwhile
        record.info["used"] = connection
        if old and connection.state != state(file):
            raise DisconnectionError  # SQLAlchemy then opens another connection

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def opened(path: Path) -> Reader:
    before = state(path)
    immutable = "&immutable=1" if before[1:] == (None, None) else ""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=ro{immutable}",
        uri=True,
        timeout=BUSY,
        isolation_level=None,
        check_same_thread=False,
        factory=Reader,
    )
    connection.path, connection.state = path, before
    return connection


def state(path: Path) -> FileState:
    """Changes whenever somebody writes: inode, size and modification time of each file that is not empty."""
    return tuple(_facts(f"{path}{ending}") for ending in BESIDE)


def _facts(file: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else None


@contextmanager
def unchanged(connection: Connection) -> Iterator[None]:
    """An error, instead of any other, if the file was read without locks and changed meanwhile."""
    reader = connection.connection.dbapi_connection
    try:
        yield
    finally:
        if isinstance(reader, Reader) and not reader.locks and reader.state[0] != state(reader.path)[0]:
            raise sqlite3.OperationalError("database changed while it was read")


def refuse_damage(execute: Callable[[str], Any]) -> None:
    """An error if the file is malformed, or if a row refers to a row that is missing."""
    found = [row[0] for row in execute("PRAGMA quick_check(1)")]
    if found != ["ok"]:
        raise sqlite3.DatabaseError(f"malformed: {' '.join(map(str, found))}")
    if orphan := next(iter(execute("PRAGMA foreign_key_check")), None):
        raise sqlite3.DatabaseError(f"malformed: a row of {orphan[0]} refers to one of {orphan[2]} that is missing")
