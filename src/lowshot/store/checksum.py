"""The rows of one evaluation, and a checksum that shows if anything but lowshot changed, removed or added a row.

The checksum of an evaluation is the sum of the hashes of its rows, modulo 2**256. So it is updated with each row that
is written, and does not depend on the order in which a database returns rows. Where the order of rows matters, the
position of a row is part of its hash.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from lowshot.class_answer import answers_of
from lowshot.errors import StoreError
from lowshot.store import schema

SIZE = 2**256
HEADER = [column.name for column in schema.evaluations.c]
# The columns that are hashed, per table. Leases are left out, because they are temporary.
COLUMNS = {
    schema.known: ("item", "label"),
    schema.uniform: ("item", "doubted"),
    schema.rounds: ("number", "labels", "asked", "at"),
    schema.designs: ("round", "decided"),
    schema.draws: ("round", "counter", "item", "probability", "calibration"),
    schema.asked: ("item", "at"),
    schema.labels: ("question", "item", "label", "at"),
    schema.answers: ("question", "item", "annotator", "label", "final", "at"),
}
ORDER = {
    schema.known: "item",
    schema.uniform: "item",
    schema.rounds: "number",
    schema.designs: "round",
    schema.draws: "counter",
}
SEQUENCE = "sequence"  # orders the other tables: the order of writing, whatever the clock said
QUERIES = {
    table: select(table).where(table.c.evaluation == bindparam("mine")).order_by(table.c[ORDER.get(table, SEQUENCE)])
    for table in COLUMNS
}
EVALUATION = (
    select(schema.evaluations, schema.questions.c.text)
    .outerjoin(schema.questions, schema.evaluations.c.question == schema.questions.c.id)
    .where(schema.evaluations.c.id == bindparam("mine"))
)
KEPT = select(schema.checksums.c.value).where(schema.checksums.c.evaluation == bindparam("mine"))

REPLACE = (
    update(schema.checksums).where(schema.checksums.c.evaluation == bindparam("mine")).values(value=bindparam("new"))
)


@dataclass
class Checksum:
    """The current state: the header without its counter of changes, and the sum over the rows."""

    header: tuple[Any, ...]
    total: int = 0
    places: dict[str, int] = field(default_factory=dict)  # rows per table so far: the position of the next row

    def add(self, table: Any, row: Mapping[str, Any]) -> None:
        """Count a row that is written after all others of its table."""
        if table in COLUMNS:
            place = self.places.get(table.name, 0)
            self.places[table.name] = place + 1
            self.total += _hash(table, row, 0 if table in ORDER else place)

    def replace(self, table: Any, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Count a changed row; only for tables that have a column for the order of rows."""
        self.total += _hash(table, new, 0) - _hash(table, old, 0)

    def value(self, changes: int) -> str:
        """The checksum as it is stored, for this value of the counter of changes."""
        return f"{(self.total + _number((self.header, changes))) % SIZE:064x}"


@dataclass(frozen=True)
class StoredRows:
    """All rows of one evaluation, as they are stored."""

    header: Any
    tables: dict[Any, list[Any]]
    checksum: Checksum

    @classmethod
    def read(cls, connection: Connection, key: int, where: str) -> "StoredRows":
        """Read in one transaction; a StoreError if the rows are not as they were written."""
        mine = {"mine": key}
        header: Any = connection.execute(EVALUATION, mine).one_or_none()
        if header is None or header.text is None:
            raise damaged(where, f"evaluation number {key} or its question is missing")
        tables: dict[Any, list[Any]] = {
            table: list(connection.execute(query, mine)) for table, query in QUERIES.items()
        }
        checksum = Checksum(header_of(header._mapping))
        for table, rows in tables.items():
            for row in rows:
                checksum.add(table, row._mapping)
        found = cls(header, tables, checksum)
        found._refuse_impossible(where)
        kept = connection.execute(KEPT, mine).scalar()
        if kept is not None and kept != checksum.value(header.changes):  # None: the evaluation begins now
            raise damaged(where, f"rows of evaluation {header.name!r} are not those that were written")
        return found

    def _refuse_impossible(self, where: str) -> None:
        """Rows that lowshot never writes."""
        labels, rounds, draws = (self.tables[table] for table in (schema.labels, schema.rounds, schema.draws))
        known, answers = self.tables[schema.known], self.tables[schema.answers]
        possible = self._possible(where)
        for rows, skipped in ((known, False), (labels, True), (answers, True)):
            for row in rows:
                if not possible(row.label) or (row.label is None and not skipped):
                    raise damaged(where, f"the label of {row.item!r} is {row.label!r}, which is not a label")
        items = {row.item for row in known}
        for row in self.tables[schema.uniform]:
            if row.item not in items or row.doubted not in (0, 1):
                raise damaged(where, f"{row.item!r} is a uniform draw without a known label")
        for row in (row for rows in self.tables.values() for row in rows):
            if not all(isinstance(getattr(row, name, ""), str) for name in ("item", "at", "annotator")):
                raise damaged(where, f"{row!r} is not a row of it")
        if [row.number for row in rounds] != [*range(1, len(rounds) + 1)]:
            raise damaged(where, "a round is missing")
        if any(not _whole(row.labels, len(labels)) or not _whole(row.asked) for row in rounds):
            raise damaged(where, "labels or draws of a round are missing")
        for row in draws:
            if not _whole(row.round, len(rounds)) or not _whole(row.counter):
                raise damaged(where, f"a draw of {row.item!r} belongs to no round")
            if not (_share(row.probability) and _share(row.calibration)):
                raise damaged(
                    where, f"the probability of {row.item!r} is {row.probability!r}, c(s) {row.calibration!r}"
                )

    def _possible(self, where: str) -> Callable[[Any], bool]:
        """Whether a value is one of the labels that this evaluation can have."""
        try:
            return answers_of(json.loads(self.header.about)).possible
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            raise damaged(where, f"what is stored about evaluation {self.header.name!r} cannot be read") from None


def keep(connection: Connection, key: int, value: str) -> None:
    """Store the checksum, in place of the one before."""
    row = {"mine": key, "new": value}
    if not connection.execute(REPLACE, row).rowcount:
        connection.execute(schema.checksums.insert(), {"evaluation": key, "value": value})


def header_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The part of a header that is hashed: all columns but the counter, and the text of the question."""
    return (*(row[name] for name in HEADER if name != "changes"), row["text"])


def damaged(where: str, what: str) -> StoreError:
    return StoreError(f"store {where} is damaged ({what}): restore it from a copy; nothing was changed")


def _whole(value: Any, most: float = float("inf")) -> bool:
    return isinstance(value, int) and 0 <= value <= most


def _share(value: Any) -> bool:
    return isinstance(value, float) and 0 <= value <= 1


def _hash(table: Any, row: Mapping[str, Any], place: int) -> int:
    return _number((table.name, place, *(row[name] for name in COLUMNS[table])))


def _number(values: Any) -> int:
    """A hash of repr(values): every float has a text of its own, and 1 differs from '1'."""
    return int.from_bytes(sha256(repr(values).encode("utf-8", "surrogatepass")).digest())
