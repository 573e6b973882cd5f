"""From store and name to an evaluation, with the pool that it began with."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowshot import checks
from lowshot.checks import Id
from lowshot.cli.formats.item import Item
from lowshot.cli.pool_file import FileColumns, large_pool, load, pool_of, refuse_unknown, texts_at, whereabouts
from lowshot.errors import InputError, without_password
from lowshot.evaluation import Evaluation
from lowshot.pools.base import BasePool
from lowshot.stored import is_new, open_store

if TYPE_CHECKING:
    from lowshot.labelling import Desk
    from lowshot.store import Header, Store

PATHS = ("pool", "media_root")
TAKEN = ("id", "label")  # columns that every file of labels has, so that fields cannot use the names


@dataclass(frozen=True)
class About:
    """Where the pool is, which columns it has, and what annotators see.

    >>> about = About("/data/birds.parquet", FileColumns(score="p"), threshold=0.5, fields=("title",))
    >>> About.of("birds", about.plain(None), None) == about
    True

    Paths near the store are stored relative to its folder, so that both can be moved together.

    >>> kept = about.plain(Path("/data"))
    >>> kept["pool"], About.of("birds", kept, Path("/elsewhere")).pool
    ('birds.parquet', '/elsewhere/birds.parquet')
    """

    pool: str
    columns: FileColumns
    threshold: float | None = None
    scale: str | None = None
    show: str = "text"
    fields: tuple[str, ...] = ()
    media_root: str | None = None
    instructions: str = ""
    annotators_per_item: int = 1
    engine: bool = False  # whether the rows stay where they are
    table: str | None = None

    def plain(self, folder: Path | None) -> dict[str, Any]:
        """As plain data, for a store in this folder; None for a store on a server."""
        whole = asdict(self)
        near = {name: seen_from(folder, whole[name]) for name in PATHS if folder is not None and whole[name]}
        kept = {name: path for name, path in near.items() if path is not None}
        return {**whole, **kept, "absolute": {name: whole[name] for name in kept}}

    @classmethod
    def of(cls, name: str, plain: Mapping[str, Any], folder: Path | None) -> "About":
        """From the plain data in a store. An evaluation that began in Python does not have it."""
        try:
            absolute = plain.get("absolute", {})
            found = {name: where_now(folder, plain[name], absolute[name]) for name in PATHS if name in absolute}
            known = {key: value for key, value in {**plain, **found}.items() if key in cls.__dataclass_fields__}
            columns = FileColumns(**known["columns"])
            return cls(**{**known, "columns": columns, "fields": tuple(known.get("fields", ()))})
        except (AttributeError, KeyError, TypeError):  # in Python, `about` may be any dict
            raise InputError(
                f"evaluation {name!r} must have begun with `lowshot start`: it began in Python, and its pool is known"
                " only there; go on in Python"
            ) from None

    def check(self) -> None:
        """The columns that annotators see must exist, and must not be the score or the prediction."""
        checks.choice("--show", self.show, ("text", "image"))
        if self.show == "image" and not self.fields:
            raise InputError("--show image must come with --field: name the column that has the paths of the pictures")
        if self.media_root is not None and not Path(self.media_root).is_dir():
            raise InputError(f"--media-root must be a folder that exists: got {self.media_root}")
        told = {self.columns.score: "score", self.columns.prediction: "prediction"}
        for field in self.fields:
            if field in told:
                raise InputError(
                    f"--field must not be the score or the prediction, which influence people: {field!r} is the"
                    f" {told[field]}"
                )
            if field in TAKEN and field != self.columns.id:
                raise InputError(f"--field must not be called {' or '.join(TAKEN)}: got {field!r}; rename the column")
        if not self.engine:
            refuse_unknown(self.pool, [("--field", field) for field in self.fields])

    def open_pool(self) -> BasePool:
        if self.engine:
            return large_pool(self.pool, self.table, self.columns, self.threshold, self.scale, self.shown)
        return pool_of(self.pool, self.columns, self.threshold, self.scale)

    @property
    def shown(self) -> list[str]:
        """The columns that annotators see besides the id."""
        return [field for field in self.fields if field != self.columns.id]


def folder_of(store: str) -> Path | None:
    """The folder of a store; None for a store on a server."""
    return None if "://" in store else Path(store).absolute().parent


def seen_from(folder: Path, path: str) -> str | None:
    """A path relative to a folder, if it is in the folder or in a folder next to it; None for all others.

    >>> seen_from(Path("/birds/stores"), "/birds/pools/birds.csv"), seen_from(Path("/birds"), "/data/birds.csv")
    ('../pools/birds.csv', None)
    """
    if "://" in path:
        return None
    common = folder if Path(path).is_relative_to(folder) else folder.parent
    if not Path(path).is_relative_to(common) or common == Path(common.anchor):
        return None
    return Path(os.path.relpath(path, folder)).as_posix()


def where_now(folder: Path | None, near: str, absolute: str) -> str:
    """The path relative to the store's folder; the absolute path of the start if only that one exists."""
    if folder is None:
        return absolute
    found = os.path.normpath(folder / near)
    return absolute if _is_there(absolute) and not _is_there(found) else found


def _is_there(path: str) -> bool:
    """Whether a path exists, or a glob matches anything."""
    return os.path.exists(path) or bool(glob(path))


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
        texts = self.evaluation.pool.shown(items)
        if texts is None:
            texts = texts_at(self._table, self.evaluation.pool.positions(items))
        return [Item(item, fields) for item, fields in zip(items, texts, strict=True)]

    def desk(self, hold: float | None = None) -> "Desk":
        """Items are reserved by name, as on the page. Commands are the owner's: their number is not limited."""
        from lowshot.labelling.desk import HOLD, Desk

        return Desk(self.evaluation, self.about.annotators_per_item, HOLD if hold is None else hold, most=None)

    @cached_property
    def _table(self) -> Any:
        return load(self.about.pool, self.about.shown)


def named(who: str | None) -> str:
    """The name for which items are reserved."""
    from lowshot.labelling.ledger import COMMAND

    if who is not None:
        checks.text("--for", who)
    return COMMAND if who is None else who


def existing_store(where: str, read_only: bool = False) -> "Store":
    """A store that must exist. With `read_only` the file may be write-protected, or locked by a writer."""
    if is_new(where):
        shown = without_password(where)
        raise InputError(f"store must exist: {shown} does not; check the path, or begin one with `lowshot start`")
    return open_store(where, read_only=read_only)


def can_be_written(where: str) -> bool:
    """Whether the file and its folder can be written, because SQLite creates files beside it; true for servers."""
    return "://" in where or all(os.access(path, os.W_OK) for path in (where, Path(where).absolute().parent))


def header_in(store: "Store", name: str | None) -> "Header":
    """The evaluation of that name, or the only one."""
    headers = store.headers()
    names = ", ".join(repr(header.name) for header in headers)
    if not headers:
        raise InputError("store must contain an evaluation: it has none; begin one with `lowshot start`")
    if name is None and len(headers) > 1:
        raise InputError(f"--name must say which evaluation: the store has {names}")
    found = [header for header in headers if name in (None, header.name)]
    if not found:
        raise InputError(f"--name must be an evaluation of the store, one of {names}: got {name!r}")
    return found[0]


def open_evaluation(
    where: "str | Store", name: str | None = None, moved: str | None = None, read_only: bool = False
) -> Opened:
    """Open an evaluation. `moved` is the path of its pool's file, if it was moved; `read_only`: nothing is written."""
    store = existing_store(where, read_only) if isinstance(where, str) else where
    header = header_in(store, name)
    about = About.of(header.name, header.about, folder_of(store.where))
    if moved is not None:
        about = replace(about, pool=whereabouts(moved))
    return Opened(Evaluation(about.open_pool(), store=store, name=header.name), header, about)
