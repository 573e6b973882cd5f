"""Hands items to people and takes their answers. Everything is in the store before it is acknowledged.

Draws count in their order, so an item without an answer holds back the labels of later draws. That is why an item
stays with somebody for a limited time only (a lease), which nothing but taking it again makes longer:

- When a lease ends, the item goes to the next person who asks, before any new item.
- Whoever had it may still answer it as long as nobody else did.
- For `REST` seconds it goes to others first: somebody who only asks, and never answers, cannot keep it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from lowshot import checks
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.labelling.agreement import Agreement
from lowshot.labelling.answers import GivenAnswer, ItemState, Resolution, resolve
from lowshot.labelling.ledger import Ledger
from lowshot.store.migrations import now
from lowshot.store.sql_journal import SqlJournal

HOLD = 30 * 60  # seconds that an item stays with somebody who does not answer
REST = 5 * 60  # seconds after a lease in which only others can take the item: somebody who labels asks more often
MOST = 20  # items that one name holds


class TooManyNames(InputError):
    """Somebody new asks, and there are as many names as are allowed."""


class Unanswered(NamedTuple):
    """An item that was handed out and still needs an answer, and who has it until when; nobody, if their time is up."""

    item: Id
    holding: dict[str, str]


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
    most    items that one name may hold; None: any number
    names   different names that may answer; None: any number
    clock   the time so many seconds from now, as text that sorts
    """

    def __init__(
        self,
        evaluation: Evaluation,
        wanted: int = 1,
        hold: float = HOLD,
        *,
        most: int | None = MOST,
        names: int | None = None,
        clock: Callable[[float], str] = now,
    ) -> None:
        if not isinstance(evaluation.journal, SqlJournal):
            raise InputError("evaluation must be in a store when several people label it: open it with store=")
        self.evaluation = evaluation
        self.wanted = checks.whole_number("wanted", wanted, 1, 9)
        self.hold, self.clock = hold, clock
        self.most = most if most is None else checks.whole_number("most", most, 1)
        self.names = names if names is None else checks.whole_number("names", names, 1)
        self.reason = ""  # why the last items handed out were fewer than wanted, where that is known
        self._journal: SqlJournal = evaluation.journal

    @property
    def key(self) -> int:
        """Of the evaluation among those of its store."""
        return self._journal.key

    def transaction(self) -> AbstractContextManager[None]:
        """Several calls as one: all of them or, if one fails, none; and durable once, at its end."""
        return self._journal.transaction()

    def take(self, annotator: str, count: int = 1) -> list[Id]:
        """Items for somebody, up to `count` with those they have already; fewer if nothing else can be handed out.

        First what they hold, then what others left or what needs a second answer, then new items. The time of what
        they hold already does not begin anew.
        """
        with self._journal.transaction():
            self.reason = ""
            mine, most = self.held_by(annotator)[:count], count if self.most is None else min(count, self.most)
            if len(mine) < most:
                mine += self.take_more(annotator, most - len(mine))
            if most <= len(mine) < count:
                self.reason = f"a name holds at most {most} items: answer some of them first"
            return mine

    def take_more(self, annotator: str, count: int = 1) -> list[Id]:
        """Further items for somebody, beside those they have: what others left, then new ones."""
        with self._journal.transaction():
            self._refuse_another_name(annotator)
            items = self._free(annotator)[:count]
            self.reason = ""
            if len(items) < count:
                items += map(str, self.evaluation.ask(count - len(items)))
                self.reason = self.evaluation.reason
            self._ledger.hold(annotator, items, self.clock(self.hold))
            return self._ids(items)

    def take_again(self, annotator: str, count: int) -> list[Id]:
        """What somebody has, and what nobody has now, once more; no new items."""
        with self._journal.transaction():
            mine, free = self.held_by(annotator)[:count], self._free(annotator)
            items = free[: count - len(mine)]
            self._ledger.hold(annotator, items, self.clock(self.hold))
            return mine + self._ids(items)

    def held_by(self, annotator: str) -> list[Id]:
        """What somebody has now and has not answered, in the order it was handed out first."""
        checks.text("annotator", annotator)
        with self._journal.reading():
            ledger, time = self._ledger, self.clock(0)
            mine = [item for item in self._pending() if annotator in ledger.holding(item, time)]
            return self._ids([item for item in mine if not ledger.answered(item, annotator)])

    def unanswered(self) -> list[Unanswered]:
        """Items that wait for answers, in the order they were handed out first; not those on which people disagree."""
        with self._journal.reading():
            ledger, time = self._ledger, self.clock(0)
            open_ = [item for item in self._pending() if len(ledger.people(item)) < self.wanted]
            return [Unanswered(self.evaluation.pool.id_of(item), ledger.holding(item, time)) for item in open_]

    def take_back(self, item: Id) -> None:
        """End the time of whoever has an item: it goes to the next person who asks. They may still answer it."""
        with self._journal.transaction():
            self._refuse_answered(item)
            self._ledger.end(str(item), self.clock(0))

    def set_aside(self, annotator: str, item: Id) -> Resolution:
        """Decide that nobody can tell an item that has no label: labels that wait for it count then."""
        checks.text("annotator", annotator)
        with self._journal.transaction():
            self._refuse_answered(item)
            self._ledger.end(str(item), self.clock(0))
            return self._add(item, GivenAnswer(annotator, None, final=True))

    def answer(self, annotator: str, item: Id, label: Any) -> Resolution:
        """What somebody says of an item that they took, or said something else of before."""
        checks.text("annotator", annotator)
        plain = self.evaluation.pool.answers.check(item, label)
        with self._journal.transaction():
            self.evaluation.pool.position(item)
            if not self._may_answer(annotator, item):
                raise InputError(
                    f"item must be one that you took: {item!r} is not with {annotator!r} now; take another"
                )
            return self._add(item, GivenAnswer(annotator, plain))

    def _may_answer(self, annotator: str, item: Id) -> bool:
        """Whoever answered before, or has it; whoever had it, while it still needs an answer."""
        ledger, text = self._ledger, str(item)
        if ledger.answered(text, annotator):
            return True
        if self.evaluation.pool.position(item) in self._journal.history.labels and not ledger.people(text):
            return False  # told by the command line or in Python meanwhile: that is not to be overwritten unseen
        if annotator in ledger.holding(text, self.clock(0)):
            return True
        return ledger.had(text, annotator) is not None and len(ledger.people(text)) < self.wanted

    def decide(self, annotator: str, item: Id, label: Any) -> Resolution:
        """Settle an item on which others disagree, or change what they agreed on."""
        checks.text("annotator", annotator)
        plain = self.evaluation.pool.answers.check(item, label)
        with self._journal.transaction():
            if not self._ledger.people(str(item)):
                raise InputError(f"item must have an answer before somebody decides: {item!r} has none")
            return self._add(item, GivenAnswer(annotator, plain, final=True))

    def last(self, annotator: str) -> Id | None:
        """The item that somebody answered last: what they want to see again when they undo."""
        with self._journal.reading():
            found = self._ledger.last(annotator)
            return None if found is None else self.evaluation.pool.id_of(found)

    def answered(self, annotator: str) -> int:
        """How many items somebody answered."""
        with self._journal.reading():
            return self._ledger.count(annotator)

    def disputed(self) -> list[Id]:
        """Items on which annotators disagree, in the order they were first answered."""
        with self._journal.reading():
            said = self._ledger.said.items()
            found = [item for item, each in said if resolve(each, self.wanted).state is ItemState.DISPUTED]
            return [self.evaluation.pool.id_of(item) for item in found]

    def said(self) -> dict[Id, list[GivenAnswer]]:
        """Every answer to every item, in the order they came."""
        with self._journal.reading():
            return {self.evaluation.pool.id_of(item): [*each] for item, each in self._ledger.said.items()}

    def agreement(self) -> Agreement:
        return Agreement.of({str(item): said for item, said in self.said().items()})

    def _pending(self) -> list[str]:
        return [str(item) for item in self.evaluation.pending]

    def _ids(self, items: list[str]) -> list[Id]:
        return [self.evaluation.pool.id_of(item) for item in items]

    def _free(self, annotator: str) -> list[str]:
        """What was handed out before and somebody can take now: nobody has it, or it needs a second answer."""
        ledger, time, rested = self._ledger, self.clock(0), self.clock(-REST)
        found = []
        for item in self._pending():
            others = ledger.people(item) | ledger.holding(item, time).keys()
            ended = ledger.had(item, annotator)
            if annotator not in others and len(others) < self.wanted and (ended is None or ended <= rested):
                found.append(item)
        return found

    def _refuse_another_name(self, annotator: str) -> None:
        checks.text("annotator", annotator)
        if self.names is None or self._ledger.count(annotator):
            return
        there = self._ledger.names(self.clock(0))
        if annotator not in there and len(there) >= self.names:
            raise TooManyNames(
                f"annotator must be one of those who label already: got {annotator!r}, and {len(there)} names are"
                " there, as many as are allowed; use one of them, or allow more names"
            )

    def _refuse_answered(self, item: Id) -> None:
        if item not in self.evaluation.pending:
            raise InputError(
                f"item must be one that was handed out and has no label: {item!r} is not; look at what is there now"
            )

    @property
    def _ledger(self) -> Ledger:
        """All desks of an evaluation that is open have the same one."""
        return self._journal.cached("ledger", lambda: Ledger(self._journal))

    def _add(self, item: Id, answer: GivenAnswer) -> Resolution:
        """Write an answer; if it settles the item, the evaluation is told."""
        self._ledger.add(str(item), answer)
        found = resolve(self._ledger.said[str(item)], self.wanted)
        position, history = self.evaluation.pool.position(item), self._journal.history
        if found.state is ItemState.SETTLED and position in history.labels:
            self.evaluation.correct(item, found.label)
        elif found.state is ItemState.SETTLED:
            self.evaluation.tell([item], [found.label])
        return found
