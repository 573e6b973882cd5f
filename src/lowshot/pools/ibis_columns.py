"""The columns that a pool is made of: looked up in a table, checked by type, and cast to the same types everywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import BooleanValue, Column, Table

from lowshot import checks
from lowshot.errors import InputError

ID, SCORE, PREDICTION = "lowshot_id", "lowshot_score", "lowshot_prediction"


@dataclass(frozen=True)
class Chosen:
    """Which column of a table is the id, the score and the prediction."""

    id: str
    score: str
    prediction: str | None = None
    threshold: float | None = None
    where: Any = None  # rows that count: an expression of Ibis, a function from table to one, or {column: value}
    show: tuple[str, ...] = ()  # columns that people are shown

    def rows(self, table: Table) -> Table:
        """Id, score and prediction under fixed names, and the columns that people are shown."""
        if self.prediction is None and self.threshold is None:
            raise InputError("give either prediction or threshold: got neither")
        if self.where is not None:
            table = table.filter(self._condition(table))
        score = _numbers("score", _column("score", table, self.score))
        columns = {
            ID: _ids(_column("id", table, self.id)),
            SCORE: score.cast("float64"),
            PREDICTION: self._flags(table, score),
            **{name: _column("show", table, name).cast("string") for name in self.show},
        }
        return table.select(**columns)

    def contradicting(self, table: Table, rows: Table) -> Any:
        """The condition that a prediction differs from score >= threshold; None if only one of them is given."""
        if self.prediction is None or self.threshold is None:
            return None
        return rows[PREDICTION] != (rows[SCORE] >= self._limit(table[self.score]))

    def _condition(self, table: Table) -> Any:
        if isinstance(self.where, dict):
            return [_column("where", table, name) == value for name, value in self.where.items()]
        return self.where(table) if callable(self.where) else self.where

    def _limit(self, score: Any) -> Any:
        """The threshold in the precision of the scores, as in `Pool`."""
        limit = checks.finite("threshold", self.threshold)
        single = score.type().is_floating() and not score.type().is_float64()
        return double(float(np.float32(limit)) if single else limit)

    def _flags(self, table: Table, score: Any) -> Any:
        if self.threshold is not None:
            checks.finite("threshold", self.threshold)
        if self.prediction is None:
            return score.cast("float64") >= self._limit(score)
        column = _column("prediction", table, self.prediction)
        if isinstance(column, BooleanValue):
            return column
        return ibis.cases(
            (_numbers("prediction", column) == 1, True), (column == 0, False)
        )  # other values become NULL and are refused later


def double(number: float) -> Any:
    """A literal of exactly this float. DuckDB would read 0.1234567890123456 as a decimal and round it a second time."""
    return ibis.literal(repr(float(number))).cast("float64")


def _column(what: str, table: Table, name: str) -> Column:
    if not isinstance(name, str) or name not in table.columns:
        raise InputError(f"{what} must be a column of the table: got {name!r}; it has {_listed(table.columns)}")
    found: Column = table[name]
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")


def _numbers(what: str, column: Any) -> Any:
    if not column.type().is_numeric():
        raise InputError(f"{what} must be a column of numbers: {column.get_name()!r} holds {column.type()}")
    return column


def _ids(column: Any) -> Any:
    """Ids as 64-bit integers or as texts. Other types are refused: engines write them as text in different ways."""
    kind = column.type()
    if kind.is_integer():
        return column.cast("int64")
    if kind.is_string() or kind.is_uuid():
        return column.cast("string")
    raise InputError(f"id must be a column of integers or texts: {column.get_name()!r} holds {kind}")
