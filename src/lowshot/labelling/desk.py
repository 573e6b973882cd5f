"""Hands items to annotators and takes their answers. Everything is in the store before it is acknowledged.

Draws count in their order, so the labels of later draws wait for an item without an answer. Therefore an item is
reserved for an annotator for a limited time only (a lease):

- When a lease ends, the item goes to the next annotator who asks, before any new item.
- The annotator who held it may still answer it until somebody else does.
- For `REST` seconds only others can take it, so that an annotator who asks and never answers cannot keep it.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from lowshot import checks
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.labelling.agreement import Agreement
from lowshot.labelling.answers import GivenAnswer, ItemState, Resolution, resolve
from lowshot.labelling.ledger import Ledger
from lowshot.store.clock import now
from lowshot.store.sql_journal import SqlJournal

HOLD = 30 * 60  # seconds of a lease: long enough for a break, short enough that other labels do not wait for long
REST = 5 * 60  # seconds after a lease in which only others can take the item; active annotators ask more often
MOST = 20  # items that one annotator may hold: the page loads a few ahead, and a script cannot take all of them


class TooManyNames(InputError):
    """A new name asks for items, and the limit of names is reached."""


class Unanswered(NamedTuple):
    """An item that was handed out and needs an answer, and who holds it until when; empty if no lease is valid."""

    item: Id
    holding: dict[str, str]


class Desk:
    """Several annotators label one evaluation.

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

    wanted  answers per item, from different annotators
    hold    seconds for which an item is reserved for the annotator who took it
    most    items that one annotator may hold; None for any number
    names   different names that may answer; None for any number
    clock   gives the time so many seconds from now, as text that sorts by time
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
        self.reason = ""  # why the last call returned fewer items than asked for; may be empty
        self._journal: SqlJournal = evaluation.journal

    @property
    def key(self) -> int:
        """The key of the evaluation in its store."""
        return self._journal.key

    def transaction(self) -> AbstractContextManager[None]:
        """Several calls as one: all of them or, if one fails, none. The disk is written once, at the end."""
        return self._journal.transaction()

    def take(self, annotator: str, count: int = 1) -> list[Id]:
        """Up to `count` items for an annotator, including those they hold; fewer if no more can be handed out.

        First the items they hold, then items whose leases ended or that need another answer, then new items. Leases
        that they have are not extended.
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
        """Further items for an annotator, besides those they hold: first free pending items, then new items."""
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
        """Items that the annotator holds, and pending items that nobody holds; no new items."""
        with self._journal.transaction():
            mine, free = self.held_by(annotator)[:count], self._free(annotator)
            items = free[: count - len(mine)]
            self._ledger.hold(annotator, items, self.clock(self.hold))
            return mine + self._ids(items)

    def keep(self, annotator: str, items: Iterable[Id]) -> None:
        """Renew the annotator's leases of pending items, if half of the time is over; also of those that ended and
        that nobody else has taken."""
        with self._journal.transaction():
            time, half = self.clock(0), self.clock(self.hold / 2)
            free, pending = {*self._free(annotator)}, {*self._pending()}
            ending = [item for item in map(str, items) if item in free or self._ends(item, annotator, time, half)]
            self._ledger.hold(annotator, [item for item in ending if item in pending], self.clock(self.hold))

    def _ends(self, item: str, annotator: str, time: str, before: str) -> bool:
        """Whether a lease that is valid now ends before some time."""
        until = self._ledger.had(item, annotator)
        return until is not None and time < until <= before

    def held_by(self, annotator: str) -> list[Id]:
        """Items that an annotator holds and has not answered, in the order they were first handed out."""
        checks.text("annotator", annotator)
        with self._journal.reading():
            ledger, time = self._ledger, self.clock(0)
            mine = [item for item in self._pending() if annotator in ledger.holding(item, time)]
            return self._ids([item for item in mine if not ledger.answered(item, annotator)])

    def unanswered(self) -> list[Unanswered]:
        """Items that need more answers, in the order they were first handed out; disputed items are not among them."""
        with self._journal.reading():
            ledger, time = self._ledger, self.clock(0)
            open_ = [item for item in self._pending() if len(ledger.people(item)) < self.wanted]
            return [Unanswered(self.evaluation.pool.id_of(item), ledger.holding(item, time)) for item in open_]

    def take_back(self, item: Id) -> None:
        """End all leases of an item: it goes to the next annotator who asks. Those who held it may still answer it."""
        with self._journal.transaction():
            self._refuse_answered(item)
            self._ledger.end(str(item), self.clock(0))

    def set_aside(self, annotator: str, item: Id) -> Resolution:
        """Decide "cannot tell" for an item without a label, so that labels that wait for it count."""
        checks.text("annotator", annotator)
        with self._journal.transaction():
            self._refuse_answered(item)
            self._ledger.end(str(item), self.clock(0))
            return self._add(item, GivenAnswer(annotator, None, final=True))

    def answer(self, annotator: str, item: Id, label: Any, holder: str | None = None) -> Resolution:
        """Take the answer of an annotator to an item that they took, or answered before.

        holder  the name that took it, where that is a tool in which several annotators answer
        """
        checks.text("annotator", annotator)
        plain = self.evaluation.pool.answers.check(item, label)
        with self._journal.transaction():
            self.evaluation.pool.position(item)
            if not self.may_answer(annotator, item, holder):
                raise InputError(
                    f"item must be reserved for you: {item!r} is not reserved for {annotator!r} now; take another item"
                )
            return self._add(item, GivenAnswer(annotator, plain))

    def may_answer(self, annotator: str, item: Id, holder: str | None = None) -> bool:
        """Whether `answer` takes an answer of this annotator."""
        with self._journal.reading():
            return any(self._may_answer(name, item) for name in (annotator, holder) if name is not None)

    def _may_answer(self, annotator: str, item: Id) -> bool:
        """Those who answered it before or hold it; those who held it, while it still needs an answer."""
        ledger, text = self._ledger, str(item)
        if ledger.answered(text, annotator):
            return True
        if self.evaluation.pool.position(item) in self._journal.history.labels and not ledger.people(text):
            return False  # labelled by the command line or in Python meanwhile, which they have not seen
        if annotator in ledger.holding(text, self.clock(0)):
            return True
        return ledger.had(text, annotator) is not None and len(ledger.people(text)) < self.wanted

    def decide(self, annotator: str, item: Id, label: Any) -> Resolution:
        """Decide the label of an item on which annotators disagree, or change a label on which they agree."""
        checks.text("annotator", annotator)
        plain = self.evaluation.pool.answers.check(item, label)
        with self._journal.transaction():
            if not self._ledger.people(str(item)):
                raise InputError(f"item must have an answer before somebody decides: {item!r} has none")
            return self._add(item, GivenAnswer(annotator, plain, final=True))

    def last(self, annotator: str) -> Id | None:
        """The item that an annotator answered last; undo shows it again."""
        with self._journal.reading():
            found = self._ledger.last(annotator)
            return None if found is None else self.evaluation.pool.id_of(found)

    def answered(self, annotator: str) -> int:
        """How many items an annotator answered."""
        with self._journal.reading():
            return self._ledger.count(annotator)

    def disputed(self) -> list[Id]:
        """Items on which annotators disagree, in the order they were first answered."""
        with self._journal.reading():
            said = self._ledger.said.items()
            found = [item for item, each in said if resolve(each, self.wanted).state is ItemState.DISPUTED]
            return [self.evaluation.pool.id_of(item) for item in found]

    def said(self) -> dict[Id, list[GivenAnswer]]:
        """All answers per item, in the order they came."""
        with self._journal.reading():
            return {self.evaluation.pool.id_of(item): [*each] for item, each in self._ledger.said.items()}

    def people(self) -> dict[Id, list[str]]:
        """Who answered each item, in the order they did; of labels that came in a file, whom it was reserved for."""
        with self._journal.reading():
            found = self._ledger.who()
            return {self.evaluation.pool.id_of(item): names for item, names in found.items()}

    def agreement(self) -> Agreement:
        said = {str(item): each for item, each in self.said().items()}
        return Agreement.of(said, self.evaluation.pool.answers)

    def _pending(self) -> list[str]:
        return [str(item) for item in self.evaluation.pending]

    def _ids(self, items: list[str]) -> list[Id]:
        return [self.evaluation.pool.id_of(item) for item in items]

    def _free(self, annotator: str) -> list[str]:
        """Pending items that the annotator can take now: fewer than `wanted` others have answered or hold them."""
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
                f"annotator must be one of the names in use: got {annotator!r}, and the limit of {self.names} names is"
                " reached; use an existing name, or allow more names (names=)"
            )

    def _refuse_answered(self, item: Id) -> None:
        if item not in self.evaluation.pending:
            raise InputError(f"item must be handed out and without a label: {item!r} is not; reload the list")

    @property
    def _ledger(self) -> Ledger:
        """Shared by all desks of the same `Evaluation` object."""
        return self._journal.cached("ledger", lambda: Ledger(self._journal))

    def _add(self, item: Id, answer: GivenAnswer) -> Resolution:
        """Write an answer; if it settles the item, write the label."""
        self._ledger.add(str(item), answer)
        found = resolve(self._ledger.said[str(item)], self.wanted)
        if found.state is ItemState.SETTLED:
            self.evaluation.settled(item, found.label)
        return found
