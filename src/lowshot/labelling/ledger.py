"""Answers and leases of one evaluation: in memory as they are in the store, so that an answer need not read them."""

from collections import defaultdict
from collections.abc import Set

from sqlalchemy import bindparam, delete, select, update

from lowshot.labelling.answers import Said
from lowshot.store import schema
from lowshot.store.journal import SqlJournal
from lowshot.store.migrations import now

LEASE = (
    (schema.leases.c.evaluation == bindparam("mine"))
    & (schema.leases.c.item == bindparam("what"))
    & (schema.leases.c.annotator == bindparam("who"))
)
RENEW = update(schema.leases).where(LEASE).values(until=bindparam("then"))
RELEASE = delete(schema.leases).where(LEASE)


class Ledger:
    """What people said and what they hold, by the item's id as text. Read once, in a turn; whatever is written goes
    through it. If another process wrote, or a turn failed, the journal has it made again."""

    def __init__(self, journal: SqlJournal) -> None:
        self._journal = journal
        self.said: dict[str, list[Said]] = {}  # in the order they came
        self._items: dict[str, dict[str, None]] = defaultdict(dict)  # that somebody answered, the last one at the end
        self._until: dict[str, dict[str, str]] = defaultdict(dict)  # item -> annotator -> when their lease ends
        answers, leases = schema.answers, schema.leases
        query = select(answers).where(answers.c.evaluation == journal.key).order_by(answers.c.sequence)
        for row in journal.connection.execute(query):
            self._remember(row.item, Said(row.annotator, row.label, bool(row.final), row.at))
        for row in journal.connection.execute(select(leases).where(leases.c.evaluation == journal.key)):
            self._until[row.item][row.annotator] = row.until

    def people(self, item: str) -> Set[str]:
        """Who said something of an item."""
        return {answer.annotator for answer in self.said.get(item, ())}

    def holding(self, item: str, hold: float) -> Set[str]:
        """Who has an item now, where one is held for so many seconds.

        A clock that is turned back must not keep items from everybody: a lease never ends later than twice that from
        now. Not once, as whoever took an item before a small step back has it still.
        """
        if item not in self._until:
            return frozenset()
        time, latest = now(), now(2 * hold)
        return {annotator for annotator, until in self._until[item].items() if time < until <= latest}

    def answered(self, item: str, annotator: str) -> bool:
        return any(answer.annotator == annotator and not answer.final for answer in self.said.get(item, ()))

    def count(self, annotator: str) -> int:
        """How many items somebody answered."""
        return len(self._items.get(annotator, ()))

    def last(self, annotator: str) -> str | None:
        """The item that somebody answered last."""
        return next(reversed(self._items.get(annotator, {})), None)

    def add(self, item: str, answer: Said) -> None:
        """Write an answer. The item is with them no longer."""
        row = {"item": item, "annotator": answer.annotator, "label": answer.label, "final": int(answer.final)}
        self._journal.write(schema.answers, [{**row, "at": self._journal.at}])
        self._remember(item, answer._replace(at=self._journal.at))
        if self._until.get(item, {}).pop(answer.annotator, None) is not None:
            self._journal.change(RELEASE, [self._lease(item, answer.annotator)])

    def hold(self, annotator: str, items: list[str], seconds: float) -> None:
        """These are with somebody from now on; also those that they have already."""
        until = now(seconds)
        again = [item for item in items if annotator in self._until.get(item, ())]
        new = [item for item in items if item not in again]
        self._journal.change(RENEW, [{**self._lease(item, annotator), "then": until} for item in again])
        rows = [{"item": item, "annotator": annotator, "until": until} for item in new]
        self._journal.write(schema.leases, rows)
        for item in items:
            self._until[item][annotator] = until

    def _remember(self, item: str, answer: Said) -> None:
        self.said.setdefault(item, []).append(answer)
        mine = self._items[answer.annotator]
        mine.pop(item, None)
        mine[item] = None

    def _lease(self, item: str, annotator: str) -> dict[str, object]:
        return {"mine": self._journal.key, "what": item, "who": annotator}
