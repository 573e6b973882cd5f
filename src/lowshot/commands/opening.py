"""Store and name into an evaluation, with the pool that it began with."""

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowshot.checks import Id
from lowshot.commands.about import About, folder_of
from lowshot.commands.formats.item import Item
from lowshot.commands.large import whereabouts
from lowshot.commands.table import load, texts_at
from lowshot.durable import Evaluation, open_store
from lowshot.errors import InputError
from lowshot.hiding import without_password
from lowshot.ranked import RankedPool

if TYPE_CHECKING:
    from lowshot.store import Header, Store


@dataclass(frozen=True)
class Opened:
    """An evaluation, and how its items are shown."""

    evaluation: Evaluation
    header: "Header"
    about: About

    def shown(self, items: list[Id]) -> list[Item]:
        """What annotators see of these items: never score or prediction."""
        if not items or not self.about.shown:
            return [Item(item, {}) for item in items]
        pool = self.evaluation.pool
        texts = pool.shown(items) if isinstance(pool, RankedPool) else self._texts(items)
        return [Item(item, fields) for item, fields in zip(items, texts, strict=True)]

    def _texts(self, items: list[Id]) -> list[dict[str, str]]:
        return texts_at(self._table, self.evaluation.pool.positions(items))

    @cached_property
    def _table(self) -> Any:
        return load(self.about.pool, self.about.shown)


def is_there(where: str) -> bool:
    """Whether a file was made already; of a server only it knows."""
    return "://" in where or Path(where).exists()


def existing_store(where: str, looking: bool = False) -> "Store":
    """`looking`: nothing is written, so that it may be read-only, or locked by somebody who writes."""
    if not is_there(where):
        shown = without_password(where)
        raise InputError(f"store must be there: {shown} is not; check its path, or begin one with `lowshot start`")
    return open_store(where, read_only=looking)


def can_be_written(where: str) -> bool:
    """Whether a file and its folder can be, as SQLite writes beside the file, too; of a server only it knows."""
    return "://" in where or all(os.access(path, os.W_OK) for path in (where, Path(where).absolute().parent))


def header_in(store: "Store", name: str | None) -> "Header":
    """The evaluation of that name, or the only one."""
    headers = store.headers()
    names = ", ".join(repr(header.name) for header in headers)
    if not headers:
        raise InputError("store must hold an evaluation: it has none; begin one with `lowshot start`")
    if name is None and len(headers) > 1:
        raise InputError(f"--name must say which evaluation: the store has {names}")
    found = [header for header in headers if name in (None, header.name)]
    if not found:
        raise InputError(f"--name must be an evaluation of the store, one of {names}: got {name!r}")
    return found[0]


def open_evaluation(
    where: "str | Store", name: str | None = None, moved: str | None = None, looking: bool = False
) -> Opened:
    """As it was left. `moved` is where the file of its pool is now; `looking`: nothing is written."""
    store = existing_store(where, looking) if isinstance(where, str) else where
    header = header_in(store, name)
    about = About.of(header.name, header.about, folder_of(store.where))
    if moved is not None:
        about = replace(about, pool=whereabouts(moved))
    return Opened(Evaluation(about.open_pool(), store=store, name=header.name), header, about)
