"""The journal of an evaluation in a store: every change is written first, and read back exactly as it was."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import Connection, Engine, Executable, Table, bindparam, select, update

from lowshot import checks
from lowshot.design import Design, Draws
from lowshot.errors import InputError, LowshotError, StoreError
from lowshot.goal import judged_by
from lowshot.history import Answer, History, Round, open_round
from lowshot.journal import Journal, inherit
from lowshot.metric import FBeta
from lowshot.pools.base import BasePool
from lowshot.sampler.base import Sampler
from lowshot.store import schema
from lowshot.store.clock import now, now_after
from lowshot.store.connection import shown, transaction
from lowshot.store.rows import UNREADABLE, StoredRows, damaged

Cached = TypeVar("Cached")
LARGEST_DESIGN = 1_000_000  # characters of JSON, 1 MB per round; a larger design is proposed again when read
# Built once, because building a statement takes as long as executing it.
MINE = schema.evaluations.c.id == bindparam("mine")
COUNTER = select(schema.evaluations.c.changes, schema.evaluations.c.question).where(MINE)
COUNTER_ALONE = COUNTER.with_for_update()
COUNT = update(schema.evaluations).where(MINE).values(changes=bindparam("count"))
HAND_OUT = (
    update(schema.rounds)
    .where((schema.rounds.c.evaluation == bindparam("mine")) & (schema.rounds.c.number == bindparam("round")))
    .values(asked=bindparam("count"))
)
TIMED = (schema.rounds, schema.asked, schema.labels, schema.answers)


class SqlJournal(Journal):
    """The rows of one evaluation, and the history in memory that they describe. Other processes may write rows, too."""

    def __init__(self, engine: Engine, key: int, pool: BasePool, sampler: Sampler, metric: FBeta, seed: int) -> None:
        super().__init__(History())
        self._engine, self.key, self._pool = engine, key, pool
        self._sampler, self._metric, self._seed = sampler, metric, seed
        self._view = pool.view(judged_by(sampler.goal, pool.models))
        self._connection: Connection | None = None
        self._reads = False  # whether the current transaction only reads
        self._changes = -1  # of the rows that `history` was read from; -1: read them again
        self._ended = 0  # the number of a round that this version cannot continue; 0 if there is none
        self._wrote = False
        self.at = ""  # when the transaction began: the time of all its rows, and of no others
        self._question = 0  # the key of its question; read with the counter
        self._cached: dict[str, Any] = {}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self._reads:
            raise StoreError("rows must be written in transaction(): this is reading(), which only reads")
        if self._connection is not None:  # nested: the outer transaction commits
            yield
            return
        self._wrote = False
        try:
            with transaction(self._engine) as self._connection:
                changes = self._up_to_date(self._connection, alone=True)
                rounds, self.at = len(self.history.rounds), now_after(self.at)
                yield
                if self._wrote:
                    self._connection.execute(COUNT, {"mine": self.key, "count": changes + 1})
            self._changes += self._wrote
        except BaseException:
            if self._wrote:  # nothing was stored: read the rows again, and drop the rounds it opened
                self._changes = -1
                del self.history.rounds[rounds:]
            raise
        finally:
            self._connection = None

    def inherit(self, connection: Connection, question: int, began: History, history: History) -> None:
        """Write the history of an earlier evaluation in the transaction in which this one is begun.

        question  its key
        began     the history so far: known labels
        """
        self._connection, self._question, self.at, self.history = connection, question, now_after(""), began
        try:
            inherit(self, history)
        finally:
            self._connection = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Several reads of the same state. Nothing is written, and writers are not waited for."""
        if self._connection is not None:  # nested in a transaction: reads see what it wrote
            yield
            return
        try:
            with transaction(self._engine, reads=True) as self._connection:
                self._reads = True
                self._up_to_date(self._connection)
                yield
        finally:
            self._connection, self._reads = None, False

    def refresh(self) -> None:
        if self._connection is None:
            with transaction(self._engine, reads=True) as connection:
                self._up_to_date(connection)

    @property
    def connection(self) -> Connection:
        """The connection of the current transaction, for rows of other modules that belong to it."""
        if self._connection is None:
            raise StoreError("rows must be read and written in transaction() or reading(): neither is open")
        return self._connection

    @property
    def can_extend(self) -> bool:
        return not self._ended or len(self.history.rounds) != self._ended

    def held(self) -> set[str]:
        leases, answers = schema.leases.c, schema.answers.c
        hold = select(leases.item).where((leases.evaluation == self.key) & (leases.until > now()))
        answered = select(answers.item).where(answers.evaluation == self.key)
        with self.reading():
            return {*self.connection.scalars(hold), *self.connection.scalars(answered)}

    def _write_round(self, round_: Round) -> None:
        row = {"number": round_.number, "labels": len(self.history.answers), "asked": 0, "at": self.at}
        self.write(schema.rounds, [row])
        decided = json.dumps({name: values.tolist() for name, values in round_.design.decided.items()})
        if len(decided) <= LARGEST_DESIGN:
            self.write(schema.designs, [{"round": round_.number, "decided": decided}])

    def _write_draws(self, round_: Round, items: list[int]) -> None:
        if round_.number == self._ended:
            raise StoreError(
                "this round cannot be continued: its draws were made by another version of lowshot or NumPy, or were"
                " changed, and this version makes other draws; answer the pending items, then the next round begins"
            )
        number = round_.number
        self.change(HAND_OUT, [{"mine": self.key, "round": number, "count": round_.asked}])
        known = len(self.history.rounds[number - 1].draws.counter) if len(self.history.rounds) >= number else 0
        new = round_.draws.take(slice(known, None))
        self.write(
            schema.draws,
            [
                {"round": number, "counter": c, "item": i, "probability": p, "calibration": s}
                for c, i, p, s in zip(
                    new.counter.tolist(),
                    self._texts(new.items.tolist()),
                    new.probability.tolist(),
                    new.calibration.tolist(),
                    strict=True,
                )
            ],
        )
        self.write(schema.asked, [{"item": item, "at": self.at} for item in self._texts(items)])

    def _write_labels(self, answers: list[Answer]) -> None:
        texts = self._texts([answer.item for answer in answers])
        pairs = zip(texts, answers, strict=True)
        self.write(schema.labels, [{"item": item, "label": answer.label, "at": self.at} for item, answer in pairs])

    def write(self, table: Table, rows: list[dict[str, Any]]) -> None:
        """Insert rows of this evaluation, with its question if the table has that column."""
        mine = {"evaluation": self.key}
        if "question" in table.c:
            mine["question"] = self._question
        self.change(table.insert(), [{**mine, **row} for row in rows])

    def change(self, statement: Executable, rows: list[dict[str, Any]]) -> None:
        """Execute a statement that changes rows of this evaluation, once per set of parameters."""
        self._wrote = True
        if rows:
            self.connection.execute(statement, rows)

    def cached(self, name: str, make: Callable[[], Cached]) -> Cached:
        """What another module derives from rows of this evaluation; made again after another process changed rows.

        A module that writes such rows must update its cached object in the same transaction.
        """
        if name not in self._cached:
            self._cached[name] = make()
        found: Cached = self._cached[name]
        return found

    def _up_to_date(self, connection: Connection, alone: bool = False) -> int:
        """The counter of changes. If another process has increased it, all rows are read again."""
        found = connection.execute(COUNTER_ALONE if alone else COUNTER, {"mine": self.key}).one_or_none()
        if found is None:
            raise StoreError("the evaluation is not in its store any more: it was deleted")
        if found.changes != self._changes:
            self._question, self._cached = found.question, {}
            self.history = self._read(connection)
            self._changes = found.changes
        return int(found.changes)

    def _read(self, connection: Connection) -> History:
        """The history, round by round. The design of a round is restored from the labels before it."""
        found = StoredRows.read(connection, self.key, shown(self._engine.url))
        rows = found.tables
        began, labels, draws = rows[schema.known], rows[schema.labels], rows[schema.draws]
        self._pool.find([self._pool.id_of(row.item) for row in (*began, *labels, *draws)])  # one query for all ids
        known = {self._position(row.item): int(row.label) for row in began}
        drawn = {self._position(row.item): row.doubted for row in rows[schema.uniform]}
        history = History(
            labels=dict(known),
            known=frozenset(known),
            uniform=frozenset(item for item, doubted in drawn.items() if not doubted),
            doubted=frozenset(item for item, doubted in drawn.items() if doubted),
        )
        told = [Answer(self._position(row.item), row.label) for row in labels]
        self.at = max([found.header.began, *(row.at for table in TIMED for row in rows[table])])
        decided = {row.round: row.decided for row in rows[schema.designs]}
        for row in rows[schema.rounds]:
            history.add_answers(told[len(history.answers) : row.labels])
            opened = open_round(
                row.number, self._design(history, row.number, decided.get(row.number)), history.labelled
            )
            mine = self._draws([draw for draw in draws if draw.round == row.number])
            history.add_round(replace(opened, draws=mine, asked=row.asked))
        if history.rounds and len(history.rounds) != len(self.history.rounds):
            self._ended = 0 if self._continues(history.rounds[-1]) else len(history.rounds)
        history.add_answers(told[len(history.answers) :])
        history.asked.update((self._position(row.item), None) for row in rows[schema.asked])
        return history

    def _design(self, history: History, number: int, decided: str | None) -> Design:
        """The design of the round that was opened after this history. It never changes, so one in memory is reused."""
        if len(self.history.rounds) >= number:
            return self.history.rounds[number - 1].design
        if decided is None:  # too large to be stored
            return self._sampler.propose(self._view, history, self._metric)
        try:
            with np.errstate(divide="raise", invalid="raise"):
                return self._sampler.restore(self._view, history, self._metric, json.loads(decided))
        except LowshotError:
            raise
        except UNREADABLE:
            what = f"labels before round {number} or its design are not as they were"
            raise damaged(shown(self._engine.url), what) from None

    def _continues(self, round_: Round) -> bool:
        """Whether the design gives the stored draws: another version of a library may round differently."""
        again = open_round(round_.number, round_.design, round_.labelled).extended(round_.asked, self._seed)
        size = min(len(again.draws.items), len(round_.draws.items))
        return np.array_equal(again.draws.items[:size], round_.draws.items[:size])

    def _draws(self, rows: list[Any]) -> Draws:
        return Draws(
            np.array([row.counter for row in rows], dtype=np.int64),
            np.array([self._position(row.item) for row in rows], dtype=np.int64),
            np.array([row.probability for row in rows], dtype=np.float64),
            np.array([row.calibration for row in rows], dtype=np.float64),
        )

    def _texts(self, positions: list[int]) -> list[str]:
        return [checks.storable("ids", str(name)) for name in self._pool.names(positions)]

    def _position(self, text: str) -> int:
        try:
            return self._pool.position(self._pool.id_of(text))
        except InputError:
            raise damaged(shown(self._engine.url), f"its item {text!r} is not in the pool") from None
