"""Hands items to people and takes their answers. Everything is in the store before it is acknowledged."""

from contextlib import AbstractContextManager
from typing import Any

from lowshot import checks
from lowshot.checks import Id
from lowshot.durable import Evaluation
from lowshot.errors import InputError
from lowshot.labelling.agreement import Agreement
from lowshot.labelling.answers import Resolution, Said, State, resolve
from lowshot.labelling.ledger import Ledger
from lowshot.store.journal import SqlJournal, item_of

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
            ledger = self._ledger
            mine, free = [], []
            for item in map(str, self.evaluation.pending):
                people, holding = ledger.people(item), ledger.holding(item, self.hold)
                if annotator in holding and not ledger.answered(item, annotator):
                    mine.append(item)
                elif annotator not in people | holding and len(people | holding) < self.wanted:
                    free.append(item)
            mine += free[: max(0, count - len(mine))]
            if len(mine) < count:
                mine += map(str, self.evaluation.ask(count - len(mine)))
            ledger.hold(annotator, mine[:count], self.hold)
            return [item_of(item, self.evaluation.pool) for item in mine[:count]]

    def answer(self, annotator: str, item: Id, label: Any) -> Resolution:
        """What somebody says of an item that they took, or said something else of before."""
        checks.text("annotator", annotator)
        plain = checks.label(item, label)
        with self._journal.turn():
            self.evaluation.pool.position(item)
            ledger, text = self._ledger, str(item)
            if not ledger.answered(text, annotator) and annotator not in ledger.holding(text, self.hold):
                raise InputError(
                    f"item must be one that you took: {item!r} is not with {annotator!r} now; take another"
                )
            return self._add(item, Said(annotator, plain))

    def decide(self, annotator: str, item: Id, label: Any) -> Resolution:
        """Settle an item on which others disagree, or change what they agreed on."""
        checks.text("annotator", annotator)
        plain = checks.label(item, label)
        with self._journal.turn():
            if not self._ledger.people(str(item)):
                raise InputError(f"item must have an answer before somebody decides: {item!r} has none")
            return self._add(item, Said(annotator, plain, final=True))

    def last(self, annotator: str) -> Id | None:
        """The item that somebody answered last: what they want to see again when they undo."""
        with self._journal.look():
            found = self._ledger.last(annotator)
            return None if found is None else item_of(found, self.evaluation.pool)

    def answered(self, annotator: str) -> int:
        """How many items somebody answered."""
        with self._journal.look():
            return self._ledger.count(annotator)

    def disputed(self) -> list[Id]:
        """Items on which annotators disagree, in the order they were first answered."""
        with self._journal.look():
            said = self._ledger.said.items()
            found = [item for item, each in said if resolve(each, self.wanted).state is State.DISPUTED]
            return [item_of(item, self.evaluation.pool) for item in found]

    def said(self) -> dict[Id, list[Said]]:
        """Every answer to every item, in the order they came."""
        with self._journal.look():
            return {item_of(item, self.evaluation.pool): [*each] for item, each in self._ledger.said.items()}

    def agreement(self) -> Agreement:
        return Agreement.of({str(item): said for item, said in self.said().items()})

    @property
    def _ledger(self) -> Ledger:
        """All desks of an evaluation that is open have the same one."""
        return self._journal.kept("ledger", lambda: Ledger(self._journal))

    def _add(self, item: Id, answer: Said) -> Resolution:
        """Write an answer; if it settles the item, the evaluation is told."""
        self._ledger.add(str(item), answer)
        found = resolve(self._ledger.said[str(item)], self.wanted)
        position, history = self.evaluation.pool.position(item), self._journal.history
        if found.state is State.SETTLED and position in history.labels:
            self.evaluation.correct(item, found.label)
        elif found.state is State.SETTLED:
            self.evaluation.tell([item], [found.label])
        return found
