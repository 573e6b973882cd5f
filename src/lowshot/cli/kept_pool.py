"""When what was kept of a pool is used: commands then need not read the pool again.

The first reading of a pool is written to a file beside the store, and beside it what it depends on: the options, the
seed, and path, size and time of every file. If all of it is as before, the pool is not read. If anything differs, or if
the file is damaged, the pool is read as if there were no file, and the file is made again. It may be deleted at any
time. The rows of a server cannot be looked at without reading them: then what was kept is used, and a note says so.
"""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from lowshot.cli.console import note
from lowshot.cli.folders import own_folder
from lowshot.errors import without_password
from lowshot.pools.base import BasePool
from lowshot.pools.paths import files_at

if TYPE_CHECKING:
    from lowshot.cli.opening import About
    from lowshot.pools.saved import Saved
    from lowshot.store import Header

LEAST = 20_000  # items of a pool in memory; to read fewer takes no longer than to read what was kept
MOST_TEXT = 2**28  # bytes of the columns that people are shown; more of them stay in the pool's file
SHOWS = ("show", "media_root", "instructions", "annotators_per_item")  # options that the pool does not depend on
FIELD = "field "  # the names of columns that people are shown, in the file
PRIVATE = 0o600
Files: TypeAlias = list[list[Any]]  # path, size and time (ns) of each


@dataclass(frozen=True)
class KeptPool:
    """Where the pool of an evaluation is kept, and what it depends on as it is now."""

    path: Path
    needed: dict[str, Any]
    mode: int  # permissions of the file

    @classmethod
    def of(cls, store: str, header: "Header", about: "About", files: Files | None = None) -> "KeptPool":
        """files: those of the pool as they were before it was read, if it was read already."""
        path, mode = _place(store, header.name)
        return cls(path, _needed(header, about, files), mode)

    def open(self, engine: Callable[[], Any]) -> "tuple[BasePool, Saved] | None":
        """The pool and what was kept of it; None if there is nothing, or if it was made from something else.

        engine  opens what holds the rows, if a question comes that what was kept does not answer
        """
        if not self.path.is_file():
            return None
        from lowshot.pools.keeping import pool_from
        from lowshot.pools.saved import load

        # Another format, of a version in development, or whatever JSON somebody wrote (a checksum is no proof of who
        # did) can fail in every way. Then the pool is read.
        with suppress(Exception):
            found = load(self.path)
            if found is not None and found.facts["needed"] == self.needed:
                return pool_from(found, engine), found
        return None

    def keep(self, pool: BasePool, fields: Callable[[], dict[str, Any]]) -> None:
        """Write the file. Where that is not possible, the next command reads the pool again: that is no error.

        fields  gives the columns that people are shown, by position, as far as they are kept
        """
        from lowshot.pools.keeping import parts_of
        from lowshot.pools.saved import Parts, save

        if not pool.grouped and len(pool) < LEAST:
            return
        with suppress(OSError, ValueError):  # a folder that is write-protected, a full disk; ids that have no UTF-8
            parts = parts_of(pool)
            if parts is None or parts.facts["fingerprint"] != self.needed["fingerprint"]:
                return
            shown = {f"{FIELD}{name}": values for name, values in fields().items()}
            if _files(self.needed["options"]) != self.needed["files"]:  # it changed while it was read
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            save(self.path, Parts({**parts.facts, "needed": self.needed}, {**parts.columns, **shown}), self.mode)

    def keep_further(self, pool: BasePool, saved: "Saved") -> None:
        """Write the file again if the history has items that had to be looked up, such as labels that were known."""
        from lowshot.pools.keeping import has_more

        if has_more(pool, saved):
            self.keep(pool, dict)

    def say_what_was_not_checked(self) -> None:
        """A note on stderr, if the rows are on a server."""
        pool = self.needed["options"]["pool"]
        if "://" in pool:
            note(
                f"the rows of {without_password(pool)} were not checked: what the first reading found is used; delete"
                f" {self.path} to read them again"
            )


def fields_of(saved: "Saved") -> dict[str, Any]:
    """The columns that people are shown, by position."""
    return {name: saved.texts(f"{FIELD}{name}") for name in saved.names(FIELD)}


def _place(store: str, name: str) -> tuple[Path, int]:
    """Beside the store, readable for whoever can read it; for a store on a server, in the user's folder of caches."""
    if "://" not in store:
        with suppress(OSError):
            return Path(f"{Path(store).absolute()}-pool-{_short(name)}"), os.stat(store).st_mode & 0o666
        return Path(f"{Path(store).absolute()}-pool-{_short(name)}"), PRIVATE
    folder = own_folder("cache") or Path(os.devnull)  # no file can be there, and nothing is kept
    return folder / f"pool-{_short(f'{without_password(store)} {name}')}", PRIVATE


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def files_of(about: "About") -> Files:
    """Path, size and time of the files of a pool as they are now."""
    return _files(asdict(about))


def _needed(header: "Header", about: "About", files: Files | None) -> dict[str, Any]:
    """All that the pool depends on, as JSON gives it back."""
    from lowshot import __version__

    options = {name: value for name, value in asdict(about).items() if name not in SHOWS}
    found = {"version": __version__, "seed": header.seed, "fingerprint": header.fingerprint, "options": options}
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return {**plain, "files": _files(plain["options"]) if files is None else files}


def _files(options: dict[str, Any]) -> Files:
    """Path, size and time (ns) of every file that is read. A database may have changes in a file beside it."""
    given = [options["pool"], options["matrix"], *(one["pool"] for one in options["added"])]
    found: set[str] = set()
    for where in given:
        if where is not None and "://" not in where:
            found.update(_matching(where))
    return [[path, *_size_and_time(path)] for path in sorted(found)]


def _matching(where: str) -> list[str]:
    return [*files_at(where), *(path for path in (f"{where}-wal", f"{where}.wal") if Path(path).exists())]


def _size_and_time(path: str) -> tuple[int, int]:
    with suppress(OSError):
        found = os.stat(path)
        return found.st_size, found.st_mtime_ns
    return -1, -1
