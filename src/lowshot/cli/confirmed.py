"""What this account began or confirmed: a list in its state folder.

A store says itself where its pool and its pictures are. One that somebody sends could name any file or server of
whoever opens it. So a place outside of the store's folder is opened only if this account began the evaluation, or named
the place in an option, which confirms it. `--allow-external` is remembered in the same way, for one database as it is.

The list knows evaluations by what they are and not by the path of their store: a store that was moved or copied stays
known, and one that is put into its place does not become so. Nothing in a store says that it is known.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from lowshot.cli.console import note
from lowshot.cli.folders import own_folder
from lowshot.cli.kept_paths import folder_of, seen_from
from lowshot.errors import InputError, without_password
from lowshot.pools.paths import files_at

if TYPE_CHECKING:
    from lowshot.store import Header

LIST = "stores.jsonl"  # a line of JSON per place that was confirmed
MEDIA_ROOT, EXTERNAL = "--media-root ", "--allow-external "


class Place(NamedTuple):
    """A file, several, a folder or a server that an evaluation names, and the option that names it."""

    option: str  # such as "--pool ", or "--pool v2=" for the file of a model
    where: str

    def __str__(self) -> str:
        """
        >>> str(Place("--pool v2=", "/data/my scores.csv"))
        "--pool v2='/data/my scores.csv'"
        """
        return f"{self.option}{quote(without_password(self.where))}"

    @property
    def read(self) -> list[str]:
        """What is read there, as it is without links: other files under the same name are another place."""
        if "://" in self.where:
            return [without_password(self.where)]
        files = [self.where] if self.option in (MEDIA_ROOT, EXTERNAL) else files_at(self.where)
        return sorted(map(os.path.realpath, files)) + (_as_it_is(self.where) if self.option == EXTERNAL else [])

    def is_inside(self, folder: Path | None) -> bool:
        """Whether all of it is in this folder, with the changes that DuckDB keeps beside a database. What is not there
        is nowhere."""
        if not self.read:
            return True
        if folder is None or "://" in self.where:
            return False
        real = os.path.realpath(folder)
        return all(Path(path).is_relative_to(real) for path in (*self.read, os.path.realpath(f"{self.where}.wal")))


def _as_it_is(path: str) -> list[str]:
    """What no other file has, and what changes with every change of the file: unpacking an archive cannot set it."""
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [str(fact) for fact in (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)]


@dataclass(frozen=True)
class Confirmed:
    """What is known of an evaluation in a store."""

    store: str  # a path or a URL
    header: "Header"

    def has(self, place: Place) -> bool:
        """Whether this place may be read: it is on the list, with this evaluation."""
        return not self._digests(place).isdisjoint(_listed())

    def refuse_others(self, places: Iterable[Place]) -> None:
        """An error if one of these places is outside of the store's folder, and not on the list."""
        for place in places:
            if not place.is_inside(folder_of(self.store)) and not self.has(place):
                name = "" if self.header.name == "evaluation" else f" --name {quote(self.header.name)}"
                raise InputError(
                    "store must be one that this account began or confirmed, as not all that it reads is in its"
                    f" folder: evaluation {self.header.name!r} of {without_password(self.store)} names"
                    f" {without_password(place.where)}; if you trust it, confirm it once: {self._command(place, name)}"
                )

    def _command(self, place: Place, name: str) -> str:
        command = "label" if place.option == MEDIA_ROOT else "estimate"
        return f"`lowshot {command} {quote(without_password(self.store))}{name} {place}`"

    def confirm(self, places: Iterable[Place]) -> None:
        """Write these places into the list. Where that is not possible, a note says so: work goes on."""
        known = _listed()
        new = [place for place in places if not self._digests(place) <= known]
        try:
            if new:
                _append([self._line(place) for place in new])
        except OSError as error:
            if not all(place.option != EXTERNAL and place.is_inside(folder_of(self.store)) for place in new):
                note(
                    f"what you named is not remembered, as the list of known stores cannot be written ({error}): name"
                    f" it again next time, {', '.join(map(str, new))}"
                )

    def _line(self, place: Place) -> str:
        """For people, and the digests that are compared."""
        store = self.store if folder_of(self.store) is None else os.path.abspath(self.store)
        line = {"store": without_password(store), "evaluation": self.header.name, "place": str(place)}
        return json.dumps({**line, "digests": sorted(self._digests(place))})

    def _digests(self, place: Place) -> set[str]:
        """What identifies this place of this evaluation: where it is, and where it is seen from the store, so that a
        store may be moved alone, and with the folders beside it."""
        header, folder = self.header, folder_of(self.store)
        identity = [header.name, header.fingerprint, header.seed, header.about, place.option]
        found = [place.read]
        if folder is not None and place.option != EXTERNAL:
            real = Path(os.path.realpath(folder))
            found.append([seen_from(real, path) or path for path in place.read])
        return {hashlib.sha256(json.dumps([identity, read], sort_keys=True).encode()).hexdigest() for read in found}


def _listed() -> set[str]:
    """The digests in the list; lines that cannot be read are left out."""
    folder = own_folder("state")
    try:
        lines = [] if folder is None else (folder / LIST).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    return {digest for line in lines for digest in _digests_in(line)}


def _digests_in(line: str) -> list[str]:
    try:
        return list(map(str, json.loads(line)["digests"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _append(lines: list[str]) -> None:
    """In one piece, so that processes that do so at the same time do not mix their lines."""
    folder = own_folder("state")
    if folder is None:
        raise OSError("this user has no home")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(folder / LIST, "ab", buffering=0, opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
