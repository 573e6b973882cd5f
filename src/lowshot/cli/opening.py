"""From store and name to an evaluation, with the pool that it began with."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lowshot import checks
from lowshot.checks import Id
from lowshot.cli.added_model import AddedModel
from lowshot.cli.classes import FileClasses, is_matrix
from lowshot.cli.columns import FileColumns
from lowshot.cli.confirmed import EXTERNAL, MEDIA_ROOT, Confirmed, Place
from lowshot.cli.console import working
from lowshot.cli.kept_paths import folder_of, near, now
from lowshot.cli.kept_pool import MOST_TEXT, Files, KeptPool, fields_of
from lowshot.cli.pool_file import (
    is_one_file,
    large_pool,
    pool_of,
    reading,
    refuse_external,
    unread_large_pool,
    whereabouts,
)
from lowshot.cli.table_file import ShownRows, is_parquet, load, refuse_unknown, text_columns
from lowshot.errors import InputError, without_password
from lowshot.evaluation import Evaluation
from lowshot.labelling.rows import Item
from lowshot.pools.base import BasePool
from lowshot.pools.paths import is_duckdb
from lowshot.pools.places import shown_texts
from lowshot.stored import is_new, open_store

if TYPE_CHECKING:
    from lowshot.labelling import Desk
    from lowshot.store import Header, Store

PATHS = ("pool", "media_root", "matrix")
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
    added: tuple[AddedModel, ...] = ()  # by `lowshot add-model`, in the order in which they were added
    classes: FileClasses | None = None  # if the pool has many categories
    matrix: str | None = None  # the file of their scores, if it is a matrix; it may be the pool itself

    def plain(self, folder: Path | None) -> dict[str, Any]:
        """As plain data, for a store in this folder; None for a store on a server."""
        paths = {name: getattr(self, name) for name in PATHS}
        return {**asdict(self), **near(folder, paths), "added": [one.plain(folder) for one in self.added]}

    @classmethod
    def of(cls, name: str, plain: Mapping[str, Any], folder: Path | None) -> "About":
        """From the plain data in a store. An evaluation that began in Python does not have it."""
        try:
            found = {**plain, **now(folder, plain)}
            known = {key: value for key, value in found.items() if key in cls.__dataclass_fields__}
            columns, fields = FileColumns.of(known["columns"]), tuple(known.get("fields", ()))
            added = tuple(AddedModel.of(one, folder) for one in known.get("added", ()))
            classes = FileClasses.of(known.get("classes"))
            about = cls(**{**known, "columns": columns, "fields": fields, "added": added, "classes": classes})
            if any(b"\0" in os.fsencode(place.where) for place in (*about.places, *about.further_places)):
                raise ValueError("no path has a NUL")
            return about
        except (AttributeError, KeyError, TypeError, ValueError):  # in Python, `about` may be any dict
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
        for field in self.fields:
            if field in self._judging:
                raise InputError(
                    "--field must not be the score or the prediction, which influence people:"
                    f" {field!r} is {self._judging[field]}"
                )
            if field in TAKEN and field != self.columns.id:
                raise InputError(f"--field must not be called {' or '.join(TAKEN)}: got {field!r}; rename the column")
        if is_matrix(self.pool) and self.fields:
            raise InputError(
                f"--field must be a column of --pool: {self.pool} is a matrix, which has none; give --pool items.csv"
                " and --classes scores.npy, with a row of scores per row of the table"
            )
        if not is_matrix(self.pool) and (not self.engine or (is_one_file(self.pool) and Path(self.pool).is_file())):
            own = self.columns.all if self.engine else ()
            named = [(one.option, one.column) for one in own]
            refuse_unknown(self.pool, [*named, *(("--field", field) for field in self.fields)])

    @property
    def _judging(self) -> dict[str, str]:
        """Columns of the pool that models and helpers use, with what they are."""
        words = {"number": "the score", "flag": "the prediction", "helper": "a score that helps"}
        judging = [column for column in self.columns.all if column.kind in words and column != self.columns.weights]
        own = {} if self.classes is None else self.classes.judging
        return {**own, **{column.column: words[column.kind] for column in judging}}

    @property
    def places(self) -> list[Place]:
        """What the pool is read from."""
        matrix = [] if self.matrix in (None, self.pool) else [Place("--pool classes=", str(self.matrix))]
        added = [Place(f"--pool {one.name}=", one.pool) for one in self.added if one.pool != self.pool]
        return [Place("--pool ", self.pool), *matrix, *added]

    @property
    def further_places(self) -> list[Place]:
        """The folder of the pictures; and the database, if views in it read other files."""
        pictures = [] if self.media_root is None else [Place(MEDIA_ROOT, self.media_root)]
        return [*pictures, *([Place(EXTERNAL, self.pool)] if is_duckdb(self.pool) else [])]

    def open_pool(self, allow_external: bool = False) -> BasePool:
        """Read the pool as it was at the start, with the models that were added since.

        allow_external  as in `lowshot.open_pool`; not kept in the store, which somebody may have sent
        """
        with working(reading(self.pool)):
            return self._read_pool(allow_external)

    def open_engine(self, allow_external: bool = False) -> Any:
        """What answers questions about the rows of a pool that is not in memory."""
        how = (self.columns, self.threshold, self.scale, self.shown, allow_external)
        return unread_large_pool(self.pool, self.table, *how).engine

    def _read_pool(self, allow_external: bool) -> BasePool:
        if self.classes is not None:
            from lowshot.cli.class_file import class_pool_of

            return class_pool_of(self.pool, self.columns, self.classes, self.threshold, self.matrix)
        if self.engine:
            how = (self.columns, self.threshold, self.scale, self.shown, allow_external)
            return large_pool(self.pool, self.table, *how)
        pool = pool_of(self.pool, self.columns, self.threshold, self.scale)
        for one in self.added:
            pool = pool.with_model(one.name, **one.in_order_of(pool, f"--pool {one.name}=FILE"))
        return pool

    def moved(self, paths: Iterable[str]) -> "About":
        """With files where they are now: PATH of the pool, MODEL=PATH of the file of a model that was added, or
        classes=PATH of the matrix that belongs to a table."""
        found = self
        for path in paths:
            found = found._moved(path)
        return found

    def _moved(self, path: str) -> "About":
        name, _, rest = path.partition("=")
        if self.matrix is not None and name == "classes" and rest:
            return replace(self, matrix=whereabouts(rest))
        if self.matrix is not None and self.matrix == self.pool:
            return replace(self, pool=whereabouts(path), matrix=whereabouts(path))
        own = name in [one.name for one in self.added]
        where = whereabouts(rest if own else path)
        added = tuple(
            replace(one, pool=where) if (one.name == name if own else one.pool == self.pool) else one
            for one in self.added
        )
        return replace(self, added=added, pool=self.pool if own else where)

    def scores_of(self, model: str | None) -> tuple[str, FileColumns]:
        """The file that has the scores of this model, and its columns of scores and ids; None: the only model."""
        for one in self.added:
            if one.name == model:
                return one.pool, FileColumns(one.columns.score, one.columns.id)
        score = {one.name: one.score for one in self.columns.models}.get(model or "", self.columns.score)
        return self.pool, FileColumns(score, self.columns.id)

    @property
    def shown(self) -> list[str]:
        """The columns that annotators see besides the id."""
        return [field for field in self.fields if field != self.columns.id]


@dataclass(frozen=True)
class Texts:
    """The columns of a pool that annotators see. The file is read when the first item is asked for."""

    about: About
    pool: BasePool
    kept: Mapping[str, Sequence[Any]] | None = None  # the columns by position, where they are kept beside the store

    def of(self, items: list[Id]) -> list[Item]:
        """What annotators see of these items: never score or prediction."""
        if not items or not self.about.shown:
            return [Item(item, {}) for item in items]
        texts = self.pool.shown(items)
        if texts is None and self.kept:
            texts = [shown_texts(self.kept, place) for place in self.pool.positions(items)]
        if texts is None:
            texts = self._table.at(self._rows(items))
        return [Item(item, fields) for item, fields in zip(items, texts, strict=True)]

    def by_field(self, items: list[Id]) -> dict[str, list[str]]:
        """The same by --field, which may name the column of ids."""
        rows = [{**item.fields, str(self.about.columns.id): str(item.id)} for item in self.of(items)]
        return {field: [row[field] for row in rows] for field in self.about.fields}

    def _rows(self, items: list[Id]) -> Sequence[int]:
        """The rows of the pool's file that these items are in, each of which may have several."""
        if self.about.classes is None or self.about.classes.form != "rows":
            return self.pool.positions(items)
        return [self._first_rows[item] for item in items]

    @cached_property
    def _first_rows(self) -> dict[Id, int]:
        from lowshot.cli.class_file import first_rows

        return first_rows(self.about.pool, self.about.columns)

    @cached_property
    def _table(self) -> ShownRows:
        return ShownRows(self.about.pool, self.about.shown)

    def to_keep(self) -> dict[str, Any]:
        """The columns by position; none if they are read quickly without, or are too large."""
        about, pool = self.about, self.pool
        of_rows = about.classes is not None and about.classes.form == "rows"
        if pool.grouped or not about.shown or (is_parquet(about.pool) and not of_rows):
            return {}
        table = load(about.pool, about.shown)
        if of_rows:
            table = table.take(self._rows(pool.names(range(len(pool)))))
        return text_columns(table) if table.nbytes <= MOST_TEXT else {}


@dataclass(frozen=True)
class Opened:
    """An evaluation, and how its items are shown."""

    evaluation: Evaluation
    header: "Header"
    about: About
    texts: Texts

    def shown(self, items: list[Id]) -> list[Item]:
        """What annotators see of these items: never score or prediction."""
        return self.texts.of(items)

    @property
    def confirmed(self) -> Confirmed:
        """What this account knows of the evaluation."""
        assert self.evaluation.store is not None, "it was opened from a store"
        return Confirmed(self.evaluation.store.where, self.header)

    def refuse_unknown_pictures(self) -> None:
        """An error if the store names a folder of pictures that this account did not confirm."""
        if self.about.show == "image" and self.about.media_root is not None:
            self.confirmed.refuse_others([Place(MEDIA_ROOT, self.about.media_root)])

    def desk(self, hold: float | None = None) -> "Desk":
        """Items are reserved by name, as on the page. Commands are the owner's: their number is not limited."""
        from lowshot.labelling.desk import HOLD, Desk

        return Desk(self.evaluation, self.about.annotators_per_item, HOLD if hold is None else hold, most=None)


def named(who: str | None) -> str:
    """The name for which items are reserved."""
    from lowshot.labelling.ledger import COMMAND

    if who is not None:
        checks.text("--for", who)
    return COMMAND if who is None else who


def existing_store(where: str, read_only: bool = False) -> "Store":
    """A store that must exist. With `read_only` the file may be write-protected, or locked by a writer."""
    refuse_link(where)
    if is_new(where):
        shown = without_password(where)
        raise InputError(f"store must exist: {shown} does not; check the path, or begin one with `lowshot start`")
    return open_store(where, read_only=read_only)


def refuse_link(where: str) -> None:
    """A link in a folder that somebody sent could make a store of any database: opening one creates its tables."""
    folder = folder_of(where)
    real = os.path.realpath(where)
    if folder is not None and not Path(real).is_relative_to(os.path.realpath(folder)):
        raise InputError(
            f"store must be a file and not a link that leads out of its folder: {where} leads to {real}; if you trust"
            " it, name that file"
        )


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
    where: "str | Store",
    name: str | None = None,
    moved: Sequence[str] | None = None,
    read_only: bool = False,
    allow_external: bool = False,
) -> Opened:
    """Open an evaluation. What the store names outside of its folder must be known, or named here, which confirms it.

    moved           files that were moved, as in `About.moved`
    read_only       nothing is written
    allow_external  whether views in a DuckDB file may read other files
    """
    store = existing_store(where, read_only) if isinstance(where, str) else where
    header = header_in(store, name)
    about = About.of(header.name, header.about, folder_of(store.where)).moved(moved or ())
    refuse_external(about.pool, allow_external)
    confirmed, external = Confirmed(store.where, header), Place(EXTERNAL, about.pool)
    named = [place for place in about.places if place.where in _paths_in(moved or ())]
    confirmed.refuse_others(place for place in about.places if place not in named)
    may = allow_external or (is_duckdb(about.pool) and confirmed.has(external))
    opened = _opened(store, header, about, may)
    confirmed.confirm([*named, *([external] if allow_external else [])])
    return opened


def _paths_in(moved: Sequence[str]) -> set[str]:
    """What --pool names: PATH, or MODEL=PATH."""
    return {whereabouts(path) for each in moved for path in (each, each.partition("=")[2]) if path}


def _opened(store: "Store", header: "Header", about: About, allow_external: bool) -> Opened:
    """With what was kept of the pool, or else after reading it."""
    kept = KeptPool.of(store.where, header, about)
    with working("Opening the evaluation ..."):
        found = kept.open(partial(about.open_engine, allow_external))
    if found is not None:
        pool, saved = found
        kept.say_what_was_not_checked()
        with working("Opening the evaluation ..."):
            evaluation = Evaluation(pool, store=store, name=header.name)
            kept.keep_further(evaluation.pool, saved)
        return Opened(evaluation, header, about, Texts(about, evaluation.pool, fields_of(saved)))
    evaluation = begun(about.open_pool(allow_external), store, header.name)
    texts = Texts(about, evaluation.pool)
    kept.keep(evaluation.pool, texts.to_keep)
    return Opened(evaluation, header, about, texts)


def begun(pool: BasePool, store: "Store", name: str) -> Evaluation:
    """The evaluation of a pool that was read; the best items are fetched now."""
    with working("Opening the evaluation ..."):
        return Evaluation(pool, store=store, name=name)


def keep_pool(evaluation: Evaluation, store: str, texts: Texts, files: Files, allow_external: bool) -> None:
    """After an evaluation began: keep what the first pass over its pool found, for the commands that follow, and that
    this account began it.

    files  those of the pool as they were before it was read
    """
    assert evaluation.store is not None
    header, about = header_in(evaluation.store, evaluation.name), texts.about
    further = [place for place in about.further_places if place.option != EXTERNAL or allow_external]
    Confirmed(evaluation.store.where, header).confirm([*about.places, *further])
    KeptPool.of(store, header, texts.about, files).keep(evaluation.pool, texts.to_keep)
