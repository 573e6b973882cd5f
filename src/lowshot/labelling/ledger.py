"""Answers and leases of one evaluation, in memory and in the store, so that an answer does not have to read rows.

A lease is a row: who holds an item, and until when. It is not deleted when it expires, because the annotator may still
answer the item. An item without a lease was handed out by `Evaluation.ask` in Python, which has no names; its row of
`asked` says when.
"""

from collections import defaultdict
from collections.abc import Set

from sqlalchemy import bindparam, delete, select, update

from lowshot.labelling.answers import GivenAnswer
from lowshot.store import schema
from lowshot.store.clock import plus
from lowshot.store.sql_journal import SqlJournal

LEASE = (
    (schema.leases.c.evaluation == bindparam("mine"))
    & (schema.leases.c.item == bindparam("what"))
    & (schema.leases.c.annotator == bindparam("who"))
)
RENEW = update(schema.leases).where(LEASE).values(until=bindparam("then"))
RELEASE = delete(schema.leases).where(LEASE)
COMMAND = "command line"  # holds the items that `lowshot ask` handed out without --for
PYTHON = "Python"  # holds the items that `Evaluation.ask` handed out
LABEL_STUDIO = "Label Studio"  # holds the items that `lowshot label-studio` sent
RESERVED = (COMMAND, PYTHON, LABEL_STUDIO)
LONG = 24 * 60 * 60  # seconds, one day, that these hold items: they are labelled elsewhere and come back later


class Ledger:
    """Answers and leases, by the item's id as text. All answers and leases are written through it.

    It is read once. If another process wrote, or a transaction failed, the journal makes a new one.
    """

    def __init__(self, journal: SqlJournal) -> None:
        self._journal = journal
        self.said: dict[str, list[GivenAnswer]] = {}  # by item, in the order they came
        self._items: dict[str, dict[str, None]] = defaultdict(dict)  # annotator -> items answered, the last at the end
        self._until: dict[str, dict[str, str]] = defaultdict(dict)  # item -> annotator -> when their lease ends
        self._asked: dict[str, str] = {}  # item -> when it was handed out; read for the first item without a lease
        answers, leases = schema.answers, schema.leases
        query = select(answers).where(answers.c.evaluation == journal.key).order_by(answers.c.sequence)
        for row in journal.connection.execute(query):
            self._remember(row.item, GivenAnswer(row.annotator, row.label, bool(row.final), row.at))
        for row in journal.connection.execute(select(leases).where(leases.c.evaluation == journal.key)):
            self._until[row.item][row.annotator] = row.until

    def people(self, item: str) -> Set[str]:
        """Who answered an item."""
        return {answer.annotator for answer in self.said.get(item, ())}

    def who(self) -> dict[str, list[str]]:
        """By item, those who answered it; if nobody did, those for whom it is or was reserved."""
        held = {item: list(leases) for item, leases in self._until.items()}
        said = {item: list(dict.fromkeys(one.annotator for one in each)) for item, each in self.said.items()}
        return {**held, **said}

    def holding(self, item: str, time: str) -> dict[str, str]:
        """Who holds an item at this time, and until when."""
        leases = self._until.get(item)
        if leases is None:
            leases = {} if item in self.said else self._of_python(item)
        return {annotator: until for annotator, until in leases.items() if until > time}

    def had(self, item: str, annotator: str) -> str | None:
        """When the annotator's lease of an item ends or ended; None if they never took it, or have answered it."""
        return self._until.get(item, {}).get(annotator)

    def names(self, time: str) -> Set[str]:
        """Everybody who has answered an item, or holds one at this time."""
        holding = {name for leases in self._until.values() for name, until in leases.items() if until > time}
        return (holding | self._items.keys()) - {*RESERVED}

    def _of_python(self, item: str) -> dict[str, str]:
        """The lease of an item that was handed out without a name; empty if it was never handed out."""
        if item not in self._asked:
            asked = schema.asked.c
            query = select(asked.item, asked.at).where(asked.evaluation == self._journal.key)
            self._asked = {row.item: row.at for row in self._journal.connection.execute(query)}
        return {PYTHON: plus(self._asked[item], LONG)} if item in self._asked else {}

    def answered(self, item: str, annotator: str) -> bool:
        return any(answer.annotator == annotator and not answer.final for answer in self.said.get(item, ()))

    def count(self, annotator: str) -> int:
        """How many items an annotator answered."""
        return len(self._items.get(annotator, ()))

    def last(self, annotator: str) -> str | None:
        """The item that an annotator answered last."""
        return next(reversed(self._items.get(annotator, {})), None)

    def add(self, item: str, answer: GivenAnswer) -> None:
        """Write an answer, and end the annotator's lease of the item."""
        row = {"item": item, "annotator": answer.annotator, "label": answer.label, "final": int(answer.final)}
        self._journal.write(schema.answers, [{**row, "at": self._journal.at}])
        self._remember(item, answer._replace(at=self._journal.at))
        if self._until.get(item, {}).pop(answer.annotator, None) is not None:
            self._journal.change(RELEASE, [self._lease(item, answer.annotator)])

    def hold(self, annotator: str, items: list[str], until: str) -> None:
        """Write leases of these items."""
        if not items:
            return  # a write would make other processes read all rows again
        again = [item for item in items if self.had(item, annotator) is not None]
        new = [item for item in items if item not in again]
        self._journal.change(RENEW, [{**self._lease(item, annotator), "then": until} for item in again])
        rows = [{"item": item, "annotator": annotator, "until": until} for item in new]
        self._journal.write(schema.leases, rows)
        for item in items:
            self._until[item][annotator] = until

    def end(self, item: str, time: str) -> None:
        """End all leases of an item at this time."""
        for annotator in self.holding(item, time):
            self.hold(annotator, [item], time)

    def _remember(self, item: str, answer: GivenAnswer) -> None:
        self.said.setdefault(item, []).append(answer)
        mine = self._items[answer.annotator]
        mine.pop(item, None)
        mine[item] = None

    def _lease(self, item: str, annotator: str) -> dict[str, object]:
        return {"mine": self._journal.key, "what": item, "who": annotator}
