"""Reading a SQLite store without changing its folder and without waiting for writers.

SQLite itself writes when it reads: it creates two files beside a database with a write-ahead log. So transactions read
a copy in memory. It is made in one transaction, and made again when the file has changed.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.exc import DisconnectionError

BESIDE = ("", "-wal", "-journal")  # endings: the file itself, and those with data that is not in the file yet
BUSY = 1  # seconds to wait for a lock before the files are copied instead
ATTEMPTS = 100  # copies that may be spoiled by a writer before we give up; each takes as long as reading the file
FileState = tuple[tuple[int, int, int] | None, ...]


class Copy(sqlite3.Connection):
    """A copy in memory, with the state of the files when it was made."""

    state: FileState = ()


def read_only_engine(url: URL, path: Path, **options: Any) -> Engine:
    """An engine whose transactions read a copy of the file as it is when they begin."""
    engine = create_engine(url, creator=lambda: copied(path), **options)

    @event.listens_for(engine, "checkout")
    def refuse_old_copy(connection: Any, record: Any, _: Any) -> None:
        old = record.info.get("used") is connection  # a copy made just now is used, even if somebody writes meanwhile
        record.info["used"] = connection
        if old and connection.state != state(path):
            raise DisconnectionError  # SQLAlchemy then makes another connection: a new copy

    return engine


def state(path: Path) -> FileState:
    """Changes whenever somebody writes: inode, size and modification time of each file."""
    return tuple(_facts(f"{path}{ending}") for ending in BESIDE)


def _facts(file: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def copied(path: Path) -> Copy:
    """A copy of the store as it was after some transaction."""
    for _ in range(ATTEMPTS):
        before = state(path)
        copy = sqlite3.connect(":memory:", factory=Copy, check_same_thread=False, isolation_level=None)
        copy.state = before
        try:
            alone = _fill(copy, path, before)
            refuse_damage(copy.execute)
        except BaseException:
            copy.close()
            if state(path) == before:
                raise
        else:
            if not alone or state(path) == before:
                return copy
            copy.close()
    raise sqlite3.OperationalError("database is locked: it changed whenever it was read")


def _fill(copy: Copy, path: Path, before: FileState) -> bool:
    """Fill the copy. True if it was made without locks, so that somebody may have written meanwhile."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    if before[1:] == (None, None):  # nobody has it open for writing; immutable=1 keeps SQLite from creating files
        _backup(f"{address}&immutable=1", copy)
        return True
    try:
        _backup(address, copy)
        return False
    except sqlite3.OperationalError:  # locked even for readers, or a file that SQLite needs beside it is missing
        _backup_of_files(path, copy)
        return True


def _backup(address: str, copy: Copy) -> None:
    with closing(sqlite3.connect(address, uri=True, timeout=BUSY, isolation_level=None)) as source:
        source.execute("BEGIN")
        source.execute("SELECT * FROM sqlite_master").fetchall()  # fails here if locked; backup() would wait for ever
        source.backup(copy)


def _backup_of_files(path: Path, copy: Copy) -> None:
    """Copy the files and let SQLite recover the last commit from them, as it does after a power failure."""
    with TemporaryDirectory() as folder:
        for ending in BESIDE:
            if os.path.exists(f"{path}{ending}"):
                shutil.copyfile(f"{path}{ending}", f"{folder}/copy{ending}")
        _backup((Path(folder) / "copy").as_uri(), copy)


def refuse_damage(execute: Callable[[str], Any]) -> None:
    """An error if the file is malformed, or if a row refers to a row that is missing."""
    found = [row[0] for row in execute("PRAGMA quick_check(1)")]
    if found != ["ok"]:
        raise sqlite3.DatabaseError(f"malformed: {' '.join(map(str, found))}")
    if orphan := next(iter(execute("PRAGMA foreign_key_check")), None):
        raise sqlite3.DatabaseError(f"malformed: a row of {orphan[0]} refers to one of {orphan[2]} that is missing")
