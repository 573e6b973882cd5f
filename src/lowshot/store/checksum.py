"""The rows of one evaluation, and a checksum over them: a row that anything else changed, lost or added is found.

The checksum of an evaluation is the sum of the hashes of its rows, modulo 2**256. So it can be kept up with each row
that is written, and does not depend on the order in which a database returns rows. Where the order means something, it
is part of the hash.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, bindparam, inspect, select, update

from lowshot.errors import StoreError
from lowshot.store import schema

SIZE = 2**256
HEADER = [column.name for column in schema.evaluations.c]
# Of each table: its columns, and in what order rows are read. Leases are left out: they come and go.
COLUMNS = {
    schema.known: ("item", "label"),
    schema.rounds: ("number", "labels", "asked", "at"),
    schema.draws: ("round", "counter", "item", "probability", "calibration"),
    schema.asked: ("item", "at"),
    schema.labels: ("question", "item", "label", "at"),
    schema.answers: ("question", "item", "annotator", "label", "final", "at"),
}
ORDER = {schema.known: "item", schema.rounds: "number", schema.draws: "counter"}
SEQUENCE = "sequence"  # of the other tables: what came first, whatever the clock said
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
    """As it is now: of the header without its counter of changes, and of the rows."""

    header: tuple[Any, ...]
    total: int = 0
    places: dict[str, int] = field(default_factory=dict)  # rows of a table so far: the place of the next one

    def add(self, table: Any, row: Mapping[str, Any]) -> None:
        """A row that is written after those before."""
        if table in COLUMNS:
            place = self.places.get(table.name, 0)
            self.places[table.name] = place + 1
            self.total += _hash(table, row, 0 if table in ORDER else place)

    def replace(self, table: Any, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """A row of a table whose order is told by a column of its own."""
        self.total += _hash(table, new, 0) - _hash(table, old, 0)

    def value(self, changes: int) -> str:
        """As it is kept, when the evaluation has counted so many changes."""
        return f"{(self.total + _number((self.header, changes))) % SIZE:064x}"


@dataclass(frozen=True)
class Rows:
    """Everything of one evaluation, as it is stored."""

    header: Any
    tables: dict[Any, list[Any]]
    checksum: Checksum

    @classmethod
    def read(cls, connection: Connection, key: int, where: str) -> "Rows":
        """In one transaction; a StoreError if they are not as they were written."""
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
        kept = connection.execute(KEPT, mine).scalar() if inspect(connection).has_table("checksums") else None
        written = kept in (None, checksum.value(header.changes))  # None: of an earlier version, and not written since
        if not written:
            raise damaged(where, f"rows of evaluation {header.name!r} are not those that were written")
        return found

    def _refuse_impossible(self, where: str) -> None:
        """What no version wrote: said by name, and also where there is no checksum yet."""
        labels, rounds, draws = (self.tables[table] for table in (schema.labels, schema.rounds, schema.draws))
        known, answers = self.tables[schema.known], self.tables[schema.answers]
        for rows, allowed in ((known, (0, 1)), (labels, (0, 1, None)), (answers, (0, 1, None))):
            for row in rows:
                if row.label not in allowed:
                    raise damaged(where, f"the label of {row.item!r} is {row.label!r}, and no label is that")
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


def keep(connection: Connection, key: int, value: str) -> None:
    """Instead of the one before, if there is one."""
    row = {"mine": key, "new": value}
    if not connection.execute(REPLACE, row).rowcount:
        connection.execute(schema.checksums.insert(), {"evaluation": key, "value": value})


def header_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What is hashed of a header: all of it but the counter, with the question as people read it."""
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
    """From the values as Python writes them: each float has its own text, and 1 is not '1'."""
    return int.from_bytes(sha256(repr(values).encode("utf-8", "surrogatepass")).digest())
