"""Several evaluations in one file or database, by name."""

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any
from weakref import finalize

from sqlalchemy import Connection, Engine, Table, select
from sqlalchemy.exc import IntegrityError

from lowshot import checks
from lowshot.checks import Id
from lowshot.class_answer import ANSWERS, answers_of
from lowshot.errors import InputError, StoreError
from lowshot.known import GivenLabels
from lowshot.metric import FBeta
from lowshot.pools.base import BasePool
from lowshot.sampler.base import Sampler
from lowshot.store import schema
from lowshot.store.clock import now
from lowshot.store.connection import connect, is_there, transaction
from lowshot.store.header import Header
from lowshot.store.rows import StoredRows
from lowshot.store.sql_journal import SqlJournal


class Store:
    """A SQLite file, or a PostgreSQL database by its URL.

    >>> import tempfile
    >>> birds = f"{tempfile.mkdtemp()}/birds.db"
    >>> Store(birds).headers()
    []

    read_only  nothing is written, and writers are not waited for

    >>> Store(birds, read_only=True).headers()
    []
    """

    def __init__(self, where: str | Path, read_only: bool = False) -> None:
        self.read_only = read_only
        self.engine: Engine = connect(where, read_only)
        self.close = finalize(self, self.engine.dispose)  # also runs when the store is garbage collected

    @staticmethod
    def is_there(where: str | Path) -> bool:
        """Whether the file exists; true for servers, which are not asked."""
        return is_there(where)

    @property
    def where(self) -> str:
        """The path or URL, without a password."""
        url = self.engine.url
        if url.drivername.startswith("sqlite"):
            return url.database or ""
        return url.set(drivername="postgresql").render_as_string(hide_password=True)

    def check(self) -> None:
        """A StoreError if lowshot cannot have written the rows of an evaluation."""
        with transaction(self.engine, reads=True) as connection:
            for key, _ in self._headers(connection):
                StoredRows.read(connection, key, self.where)

    def headers(self) -> list[Header]:
        """The header of every evaluation, in the order they began."""
        with transaction(self.engine, reads=True) as connection:
            return [header for _, header in self._headers(connection)]

    def find(self, name: str) -> Header | None:
        return next((header for header in self.headers() if header.name == name), None)

    def _headers(self, connection: Connection) -> list[tuple[int, Header]]:
        evaluations, questions = schema.evaluations, schema.questions
        query = select(evaluations, questions.c.text).outerjoin(questions).order_by(evaluations.c.id)
        return [(row.id, Header.from_row(row, row.text)) for row in connection.execute(query)]

    def begin(
        self,
        name: str,
        question: str,
        pool: BasePool,
        metric: FBeta,
        sampler: Sampler,
        seed: int,
        known: GivenLabels,
        about: dict[str, Any],
    ) -> tuple[Header, bool]:
        """Begin an evaluation with these known labels and with the labels of other evaluations of the question.

        The header, and whether it was begun here: another process may begin one of this name at the same moment.
        """
        if self.read_only:
            names = ", ".join(repr(header.name) for header in self.headers()) or "none"
            raise InputError(
                f"name must be an evaluation of the store, which is open read-only: got {name!r}; it has {names}"
            )
        header = self.header_of(name, question, pool, metric, sampler, seed, about)
        others = {} if known.inherits is not None else self.labels_of(question, pool)
        found = self._written(header, replace(known, labels={**others, **known.labels}), pool, sampler)
        return found, found is header

    @staticmethod
    def header_of(
        name: str, question: str, pool: BasePool, metric: FBeta, sampler: Sampler, seed: int, about: dict[str, Any]
    ) -> Header:
        """The header of a new evaluation; an error if a store cannot keep it, or the ids of the pool."""
        refuse_unstorable_ids(pool)
        pool.answers.refuse_unstorable()
        described = pool.answers.described()
        about = {**about, ANSWERS: described} if described else about
        header = Header.of(name, question, pool, metric, sampler, seed, about)
        header.row()  # refuses what is not plain data
        return header

    def _written(self, header: Header, known: GivenLabels, pool: BasePool, sampler: Sampler) -> Header:
        """Write a new evaluation. If the name is taken, return the header of that evaluation instead."""
        row = header.row()
        try:
            with transaction(self.engine) as connection:
                key = self._question(connection, header.question)
                about = {"lowshot": version("lowshot"), "began": now(), "changes": 0}
                mine = _insert(connection, schema.evaluations, {**row, **about, "question": key})
                for table, rows in known_rows(known).items():
                    if rows:
                        connection.execute(table.insert(), [{"evaluation": mine, **row} for row in rows])
                if known.inherits is not None:
                    journal = SqlJournal(self.engine, mine, pool, sampler, header.f, header.seed)
                    journal.inherit(connection, key, known.history(pool), known.inherits)
        except Exception as error:
            if not isinstance(error.__cause__, IntegrityError) or (there := self.find(header.name)) is None:
                raise
            return there
        return header

    def _question(self, connection: Connection, text: str) -> int:
        questions = schema.questions
        found = connection.execute(select(questions.c.id).where(questions.c.text == text)).scalar_one_or_none()
        if found is not None:
            return int(found)
        return _insert(connection, questions, {"text": text})

    def labels_of(self, question: str, pool: BasePool) -> dict[Id, int]:
        """The last label per item of this pool from all evaluations of the question, without "cannot tell"."""
        labels, questions = schema.labels, schema.questions
        query = select(labels.c.item, labels.c.label).join(questions, labels.c.question == questions.c.id)
        query = query.where(questions.c.text == question).order_by(labels.c.sequence)
        with transaction(self.engine, reads=True) as connection:
            for key, header in self._headers(connection):
                if header.question == question:
                    _refuse_other_answers(header, pool)
                    StoredRows.read(connection, key, self.where)  # a damaged label must not be copied
            found = {pool.id_of(row.item): row.label for row in connection.execute(query)}
        there = pool.find(list(found))
        pairs = zip(found.items(), there, strict=True)
        return {item: label for (item, label), place in pairs if label is not None and place is not None}

    def journal(self, name: str, pool: BasePool, sampler: Sampler, metric: FBeta, seed: int) -> SqlJournal:
        with transaction(self.engine, reads=True) as connection:
            key = next((key for key, header in self._headers(connection) if header.name == name), None)
        if key is None:
            raise StoreError(f"store {self.where} has no evaluation {name!r} any more: it was deleted")
        return SqlJournal(self.engine, key, pool, sampler, metric, seed)


def _refuse_other_answers(header: Header, pool: BasePool) -> None:
    """Labels of a question are shared, so that they must mean the same in all evaluations of it."""
    if answers_of(header.about).described() != pool.answers.described():
        raise InputError(
            f"question must be another one: evaluation {header.name!r} asks {header.question!r} with other answers;"
            " give question= words of its own"
        )


def known_rows(known: GivenLabels) -> dict[Table, list[dict[str, Any]]]:
    """The rows of known labels, by table."""
    drawn = {**dict.fromkeys(known.uniform, 0), **dict.fromkeys(known.doubted, 1)}
    return {
        schema.known: [{"item": str(item), "label": label} for item, label in known.labels.items()],
        schema.uniform: [{"item": str(item), "doubted": doubted} for item, doubted in drawn.items()],
    }


def _insert(connection: Connection, table: Table, row: dict[str, Any]) -> int:
    """Insert a row; its key."""
    inserted: Any = connection.execute(table.insert().values(**row)).inserted_primary_key
    return int(inserted[0])


def refuse_unstorable_ids(pool: BasePool) -> None:
    """Before anything is written, for ids in memory; ids of a grouped pool are checked when they are drawn."""
    if pool.grouped or isinstance(pool.names([0])[0], int):
        return
    names = [str(name) for name in pool.names(range(len(pool)))]
    try:
        checks.storable("ids", "\n".join(names))  # all ids in one check, because a check per id is slow
    except InputError:
        for name in names:
            checks.storable("ids", name)
        raise
