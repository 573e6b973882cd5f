"""A SQLite store that is only looked at: nothing in its folder changes, and nobody who writes is waited for.

SQLite itself writes when it reads: a file with a write-ahead log gets two files beside it. So what is looked at is a
copy in memory, made in one go, and made again when the file has changed. Migrations are done in the copy alone.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import URL, Engine, StaticPool, create_engine, event
from sqlalchemy.exc import DisconnectionError

from lowshot.store.migrations import migrate

BESIDE = ("", "-wal", "-journal")  # the file, and where SQLite keeps what is not in it yet
BUSY = 1  # seconds until a lock is gone round
ATTEMPTS = 100
FileState = tuple[tuple[int, int, int] | None, ...]


class Copy(sqlite3.Connection):
    """In memory, with what the file was like when it was copied."""

    state: FileState = ()


def read_only_engine(url: URL, path: Path, **options: Any) -> Engine:
    """Connections to a copy of the file as it is when a transaction begins."""
    engine = create_engine(url, creator=lambda: copied(path), **options)

    @event.listens_for(engine, "checkout")
    def again_if_changed(connection: Any, record: Any, _: Any) -> None:
        old = record.info.get("used") is connection  # one that was made just now is good, whoever writes meanwhile
        record.info["used"] = connection
        if old and connection.state != state(path):
            raise DisconnectionError  # the pool makes another

    return engine


def state(path: Path) -> FileState:
    """What changes whenever somebody writes: number, size and time of each file."""
    return tuple(_facts(f"{path}{ending}") for ending in BESIDE)


def _facts(file: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def copied(path: Path) -> Copy:
    """All of it as one transaction left it."""
    for _ in range(ATTEMPTS):
        before = state(path)
        copy = sqlite3.connect(":memory:", factory=Copy, check_same_thread=False, isolation_level=None)
        copy.state = before
        try:
            alone = _fill(copy, path, before)
            refuse_damage(copy.execute)
            _bring_up_to_date(copy, str(path))
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
    """Whether locks were left aside, so that somebody may have written meanwhile."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    if before[1:] == (None, None):  # nobody has it open for writing, and SQLite would make files beside it
        _backup(f"{address}&immutable=1", copy)
        return True
    try:
        _backup(address, copy)
        return False
    except sqlite3.OperationalError:  # locked even for readers, or SQLite's files beside it are not all there
        _backup_of_files(path, copy)
        return True


def _backup(address: str, copy: Copy) -> None:
    with closing(sqlite3.connect(address, uri=True, timeout=BUSY, isolation_level=None)) as source:
        source.execute("BEGIN")
        source.execute("SELECT * FROM sqlite_master").fetchall()  # a lock is told here; backup() would wait for ever
        source.backup(copy)


def _backup_of_files(path: Path, copy: Copy) -> None:
    """As after a power failure: SQLite finds back to the last commit from the files that are there."""
    with TemporaryDirectory() as folder:
        for ending in BESIDE:
            if os.path.exists(f"{path}{ending}"):
                shutil.copyfile(f"{path}{ending}", f"{folder}/copy{ending}")
        _backup((Path(folder) / "copy").as_uri(), copy)


def refuse_damage(execute: Callable[[str], Any]) -> None:
    """Whether the file is what SQLite wrote, and every row has those that it refers to."""
    found = [row[0] for row in execute("PRAGMA integrity_check(1)")]
    if found != ["ok"]:
        raise sqlite3.DatabaseError(f"malformed: {' '.join(map(str, found))}")
    if orphan := next(iter(execute("PRAGMA foreign_key_check")), None):
        raise sqlite3.DatabaseError(f"malformed: a row of {orphan[0]} refers to one of {orphan[2]} that is missing")


def _bring_up_to_date(copy: Copy, where: str) -> None:
    with create_engine("sqlite://", creator=lambda: copy, poolclass=StaticPool).begin() as connection:
        while migrate(connection, where):
            pass
