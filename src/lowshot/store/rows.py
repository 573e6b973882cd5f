"""All rows of one evaluation, as they are stored. Rows that lowshot never writes are refused."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, select

from lowshot.class_answer import answers_of
from lowshot.errors import StoreError
from lowshot.store import schema

# By which column the rows of a table are ordered. `sequence` is the order of writing, whatever the clock said.
ORDER = {
    schema.known: "item",
    schema.uniform: "item",
    schema.rounds: "number",
    schema.designs: "round",
    schema.draws: "counter",
    schema.asked: "sequence",
    schema.labels: "sequence",
    schema.answers: "sequence",
}
QUERIES = {
    table: select(table).where(table.c.evaluation == bindparam("mine")).order_by(table.c[column])
    for table, column in ORDER.items()
}
EVALUATION = (
    select(schema.evaluations, schema.questions.c.text)
    .outerjoin(schema.questions, schema.evaluations.c.question == schema.questions.c.id)
    .where(schema.evaluations.c.id == bindparam("mine"))
)
# What is raised where stored text is not what lowshot wrote.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class StoredRows:
    """All rows of one evaluation but its leases."""

    header: Any
    tables: dict[Any, list[Any]]

    @classmethod
    def read(cls, connection: Connection, key: int, where: str) -> "StoredRows":
        """Read in one transaction; a StoreError if lowshot cannot have written such rows."""
        mine = {"mine": key}
        header: Any = connection.execute(EVALUATION, mine).one_or_none()
        if header is None or header.text is None:
            raise damaged(where, f"evaluation number {key} or its question is missing")
        found = cls(header, {table: list(connection.execute(query, mine)) for table, query in QUERIES.items()})
        found._refuse_impossible(where)
        return found

    def _refuse_impossible(self, where: str) -> None:
        """Rows that lowshot never writes."""
        labels, rounds, draws = (self.tables[table] for table in (schema.labels, schema.rounds, schema.draws))
        known, answers = self.tables[schema.known], self.tables[schema.answers]
        handed_out = len(self.tables[schema.asked])
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
        if any(not _whole(row.labels, len(labels)) or not _whole(row.asked, handed_out) for row in rounds):
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
        except UNREADABLE:
            raise damaged(where, f"what is stored about evaluation {self.header.name!r} cannot be read") from None


def damaged(where: str, what: str) -> StoreError:
    return StoreError(f"store {where} is damaged ({what}): restore it from a copy; nothing was changed")


def _whole(value: Any, most: float = float("inf")) -> bool:
    return isinstance(value, int) and 0 <= value <= most


def _share(value: Any) -> bool:
    """A probability; that of a single item may have been rounded up."""
    return isinstance(value, float) and 0 <= value <= 1 + 1e-12
