"""Hands items to people and takes their answers. Everything is in the store before it is acknowledged."""

from collections import defaultdict
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Table, delete, func, select

from lowshot import checks
from lowshot.checks import Id
from lowshot.durable import Evaluation
from lowshot.errors import InputError
from lowshot.labelling.agreement import Agreement
from lowshot.labelling.answers import Resolution, Said, State, resolve
from lowshot.store import schema
from lowshot.store.journal import SqlJournal, item_of
from lowshot.store.migrations import now

HOLD = 30 * 60  # seconds that an item stays with somebody who does not answer


class Desk:
    """One evaluation, several annotators.

    >>> import lowshot, tempfile
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5, ids=["a", "b", "c", "d"])
    >>> desk = Desk(lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/birds.db"), wanted=2)
    >>> item = desk.take("ann")[0]
    >>> desk.answer("ann", item, 1).state.value, desk.take("bob") == [item]
    ('needs more answers', True)
    >>> desk.answer("bob", item, 0).state.value, desk.disputed() == [item]
    ('annotators disagree', True)
    >>> desk.decide("eve", item, 1).label, desk.evaluation.labels
    (1, 1)

    wanted  answers that an item needs, of different people
    hold    seconds after which an item that was taken and not answered goes to somebody else
    """

    def __init__(self, evaluation: Evaluation, wanted: int = 1, hold: float = HOLD) -> None:
        if not isinstance(evaluation.journal, SqlJournal):
            raise InputError("evaluation must be in a store when several people label it: open it with store=")
        self.evaluation = evaluation
        self.wanted = checks.whole_number("wanted", wanted, 1, 9)
        self.hold = hold
        self._journal: SqlJournal = evaluation.journal

    @property
    def key(self) -> int:
        """Of the evaluation among those of its store."""
        return self._journal.key

    def turn(self) -> AbstractContextManager[None]:
        """Several calls as one: all of them or, if one fails, none; and durable once, at its end."""
        return self._journal.turn()

    def take(self, annotator: str, count: int = 1) -> list[Id]:
        """Items for somebody, up to `count` with those they have already; fewer if nothing else can be handed out.

        First what they hold, then what others left or what needs a second answer, then new items.
        """
        checks.text("annotator", annotator)
        with self._journal.turn():
            pending = [str(item) for item in self.evaluation.pending]
            held, said = self._held(pending), self._said(pending)
            mine = [item for item in pending if annotator in held[item] and not _answered(said[item], annotator)]
            for item in pending:
                people = {answer.annotator for answer in said[item]} | held[item]
                if len(mine) < count and annotator not in people and len(people) < self.wanted:
                    mine.append(item)
            if len(mine) < count:
                mine += map(str, self.evaluation.ask(count - len(mine)))
            self._hold(annotator, mine[:count])
            return [item_of(item, self.evaluation.pool) for item in mine[:count]]

    def answer(self, annotator: str, item: Id, label: Any) -> Resolution:
        """What somebody says of an item that they took, or said something else of before."""
        checks.text("annotator", annotator)
        plain = checks.label(item, label)
        with self._journal.turn():
            self.evaluation.pool.position(item)
            before = self._said([str(item)])[str(item)]
            if not _answered(before, annotator) and annotator not in self._held([str(item)])[str(item)]:
                raise InputError(
                    f"item must be one that you took: {item!r} is not with {annotator!r} now; take another"
                )
            return self._add(item, before, Said(annotator, plain))

    def decide(self, annotator: str, item: Id, label: Any) -> Resolution:
        """Settle an item on which others disagree, or change what they agreed on."""
        checks.text("annotator", annotator)
        plain = checks.label(item, label)
        with self._journal.turn():
            before = self._said([str(item)])[str(item)]
            if not before:
                raise InputError(f"item must have an answer before somebody decides: {item!r} has none")
            return self._add(item, before, Said(annotator, plain, final=True))

    def last(self, annotator: str) -> Id | None:
        """The item that somebody answered last: what they want to see again when they undo."""
        with self._journal.turn():
            table = schema.answers
            query = select(table.c.item).where(
                (table.c.evaluation == self._journal.key) & (table.c.annotator == annotator)
            )
            found = self._journal.connection.execute(query.order_by(table.c.sequence.desc()).limit(1)).scalar()
            return None if found is None else item_of(found, self.evaluation.pool)

    def answered(self, annotator: str) -> int:
        """How many items somebody answered; counted by the store, as it is asked after every answer."""
        with self._journal.turn():
            table = schema.answers
            mine = (table.c.evaluation == self._journal.key) & (table.c.annotator == annotator)
            query = select(func.count(table.c.item.distinct())).where(mine)
            return int(self._journal.connection.execute(query).scalar_one())

    def disputed(self) -> list[Id]:
        """Items on which annotators disagree, in the order they were first answered."""
        with self._journal.turn():
            found = [item for item, said in self._said().items() if resolve(said, self.wanted).state is State.DISPUTED]
            return [item_of(item, self.evaluation.pool) for item in found]

    def said(self) -> dict[Id, list[Said]]:
        """Every answer to every item, in the order they came."""
        with self._journal.turn():
            return {item_of(item, self.evaluation.pool): said for item, said in self._said().items()}

    def agreement(self) -> Agreement:
        return Agreement.of({str(item): said for item, said in self.said().items()})

    def _add(self, item: Id, before: list[Said], answer: Said) -> Resolution:
        """Write an answer; if it settles the item, the evaluation is told."""
        row = {"item": str(item), "annotator": answer.annotator, "label": answer.label, "final": int(answer.final)}
        self._journal.write(schema.answers, [{**row, "at": self._journal.at}])
        self._release(answer.annotator, str(item))
        found = resolve([*before, answer], self.wanted)
        position, history = self.evaluation.pool.position(item), self._journal.history
        if found.state is State.SETTLED and position in history.labels:
            self.evaluation.correct(item, found.label)
        elif found.state is State.SETTLED:
            self.evaluation.tell([item], [found.label])
        return found

    def _rows(self, table: Table, items: list[str] | None, order: str) -> list[Any]:
        query = select(table).where(table.c.evaluation == self._journal.key).order_by(table.c[order])
        return list(self._journal.connection.execute(query if items is None else query.where(table.c.item.in_(items))))

    def _said(self, items: list[str] | None = None) -> dict[str, list[Said]]:
        """By item; all, if none are named."""
        found: dict[str, list[Said]] = defaultdict(list)
        for row in self._rows(schema.answers, items, "sequence"):
            found[row.item].append(Said(row.annotator, row.label, bool(row.final), row.at))
        return found

    def _held(self, items: list[str]) -> dict[str, set[str]]:
        """Who has which item now."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self._rows(schema.leases, items, "item"):
            if row.until > now():
                found[row.item].add(row.annotator)
        return found

    def _hold(self, annotator: str, items: list[str]) -> None:
        for item in items:
            self._release(annotator, item)
        rows = [{"item": item, "annotator": annotator, "until": now(self.hold)} for item in items]
        self._journal.write(schema.leases, rows)

    def _release(self, annotator: str, item: str) -> None:
        table = schema.leases
        mine = (table.c.evaluation == self._journal.key) & (table.c.item == item) & (table.c.annotator == annotator)
        self._journal.connection.execute(delete(table).where(mine))


def _answered(said: list[Said], annotator: str) -> bool:
    return any(answer.annotator == annotator and not answer.final for answer in said)
