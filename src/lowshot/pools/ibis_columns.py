"""The columns that a pool is made of: looked up in a table, checked by type, and cast to the same types everywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import ibis
import numpy as np
from ibis.expr.types import BooleanValue, Column, Table

from lowshot import checks
from lowshot.errors import InputError
from lowshot.pools.columns import ONE_WHERE_POSITIVE, ZERO_ONE, limit_of
from lowshot.pools.models import ONLY, Roles

ID, SCORE, PREDICTION, PATTERN = "lowshot_id", "lowshot_score", "lowshot_prediction", "lowshot_pattern"
CONTRADICTING = "_contradicting"


class Used(NamedTuple):
    """Columns of a table by what they are used for. Text files do not say what their columns are."""

    id: str | None = None
    numbers: tuple[str, ...] = ()  # scores and predictions
    texts: tuple[str, ...] = ()  # columns that people are shown


NOTHING = Used()


@dataclass(frozen=True)
class Chosen:
    """Which column of a table is the id, the score and the prediction."""

    id: str
    score: str
    prediction: str | None = None
    threshold: float | None = None
    where: Any = None  # rows that count: an expression of Ibis, a function from table to one, or {column: value}
    show: tuple[str, ...] = ()  # columns that people are shown

    @property
    def used(self) -> Used:
        return Used(self.id, tuple(name for name in (self.score, self.prediction) if name is not None), self.show)

    def rows(self, table: Table) -> Table:
        """Id, score and prediction under fixed names, and the columns that people are shown."""
        if self.prediction is None and self.threshold is None:
            raise InputError("give either prediction or threshold: got neither")
        table = kept(table, self.where)
        score = _numbers("score", _column("score", table, self.score))
        columns = {
            ID: _ids(_column("id", table, self.id)),
            SCORE: score.cast("float64"),
            PREDICTION: self._rule(table).flags(),
            **shown(table, self.show),
        }
        return table.select(**columns)

    def _rule(self, table: Table) -> "Rule":
        return Rule(table, _column("score", table, self.score), self.prediction, self.threshold)

    def contradicting(self, table: Table, rows: Table) -> Any:
        """The condition that a prediction differs from score >= threshold; None if only one of them is given."""
        if self.prediction is None or self.threshold is None:
            return None
        return rows[PREDICTION] != (rows[SCORE] >= self._rule(table).limit)


class Rule(NamedTuple):
    """Which items a model predicts positive: by a column, or by a threshold of its score."""

    table: Table
    score: Any  # the column
    prediction: str | None
    threshold: float | None
    of: str = ""  # which model, for errors: ['v1'], or nothing if there is only one

    @property
    def limit(self) -> Any:
        """The threshold in the precision of the scores, as in `Pool`."""
        limit = checks.finite(f"threshold{self.of}", self.threshold)
        single = self.score.type().is_floating() and not self.score.type().is_float64()
        return double(float(limit_of(limit, np.dtype(np.float32))) if single else limit)

    def flags(self) -> Any:
        """What the model predicts for each row; NULL where the column is neither 0 nor 1, which is refused later."""
        if self.threshold is not None:
            checks.finite(f"threshold{self.of}", self.threshold)
        if self.prediction is None:
            return self._above
        what = f"prediction{self.of}"
        column = _column(what, self.table, self.prediction)
        if isinstance(column, BooleanValue):
            return column
        number = _numbers(what, column, ZERO_ONE, f"; {ONE_WHERE_POSITIVE}, or use threshold")
        return ibis.cases((number == 1, True), (number == 0, False))

    @property
    def _above(self) -> Any:
        return self.score.cast("float64") >= self.limit

    def contradicting(self) -> Any:
        """The condition that a prediction differs from score >= threshold; None if only one of them is given."""
        return None if self.prediction is None or self.threshold is None else self.flags() != self._above


@dataclass(frozen=True)
class ChosenScores:
    """Which columns of a table are the scores and predictions of several models, and which scores help."""

    id: str
    roles: Roles  # scores and predictions are names of columns
    where: Any = None
    show: tuple[str, ...] = ()

    @property
    def used(self) -> Used:
        return Used(self.id, (*self.roles.scores.values(), *self.roles.predictions.values()), self.show)

    def score(self, name: str) -> str:
        """The name that a score has among the rows."""
        return f"{SCORE}_{list(self.roles.scores).index(name)}"

    def told(self, model: str) -> str:
        """The name of what a model predicts, and, with CONTRADICTING, of whether it contradicts the threshold."""
        return f"{PREDICTION}_{list(self.roles.judged).index(model)}"

    def rows(self, table: Table) -> Table:
        """Id, scores, predictions and pattern under fixed names, and the columns that people are shown."""
        table = kept(table, self.where)
        columns = {ID: _ids(_column("id", table, self.id))}
        found = {name: self._score(table, name) for name in self.roles.scores}
        for name, column in found.items():
            number = column.cast("float64")
            columns[self.score(name)] = _without_nan(number) if name in self.roles.helpers else number
        for model, own in self.roles.judged.items():
            prediction, cut = self.roles.predictions.get(model), self.roles.threshold.get(model)
            rule = Rule(table, found[own], prediction, cut, "" if model == ONLY else f"[{model!r}]")
            columns[self.told(model)] = rule.flags()
            if (contradicting := rule.contradicting()) is not None:
                columns[self.told(model) + CONTRADICTING] = contradicting
        bits = [2**place for place in range(len(self.roles.judged))][::-1]
        flags = (columns[self.told(model)] for model in self.roles.judged)
        parts = [ibis.ifelse(flag, bit, 0) for flag, bit in zip(flags, bits, strict=True)]
        columns[PATTERN] = sum(parts[1:], parts[0]).cast("int64")
        return table.select(**columns, **shown(table, self.show))

    def _score(self, table: Table, name: str) -> Any:
        said = self.roles.said[name]
        return _numbers(said, _column(said, table, self.roles.scores[name]))


def _without_nan(number: Any) -> Any:
    """NULL where a number is NaN."""
    return ibis.cases((finite(number) | infinite(number), number))


def finite(number: Any) -> Any:
    """The condition that a number is neither infinite nor NaN: then it is 0 if it is subtracted from itself.

    Not isnan() or a comparison: DuckDB 2.0 answers them from the limits of a Parquet file, which leave out NaN.
    """
    return (number - number == 0).fill_null(False)


def infinite(number: Any) -> Any:
    """The condition that a number is infinite. Engines compare NaN differently: 1 / NaN is not 0 in any of them."""
    return ibis.ifelse(number.abs() > 1, 1 / number == 0, False)


def kept(table: Table, where: Any) -> Table:
    """The rows that count."""
    if where is None:
        return table
    if isinstance(where, dict):
        return table.filter([_column("where", table, name) == value for name, value in where.items()])
    return table.filter(where(table) if callable(where) else where)


def shown(table: Table, names: Sequence[str]) -> dict[str, Any]:
    """The columns that people are shown. NaN is a missing value, as in memory, and not the text "nan"."""
    found = {name: _column("show", table, name) for name in names}
    floats = {name: _without_nan(column) for name, column in found.items() if column.type().is_floating()}
    return {name: column.cast("string") for name, column in (found | floats).items()}


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


def _numbers(what: str, column: Any, needed: str = "numbers", end: str = "") -> Any:
    if not column.type().is_numeric():
        raise InputError(f"{what} must be a column of {needed}: {column.get_name()!r} holds {column.type()}{end}")
    return column


def _ids(column: Any) -> Any:
    """Ids as 64-bit integers or as texts. Other types are refused: engines write them as text in different ways."""
    kind = column.type()
    if kind.is_integer():
        return column.cast("int64")
    if kind.is_string() or kind.is_uuid():
        return column.cast("string")
    raise InputError(f"id must be a column of integers or texts: {column.get_name()!r} holds {kind}")
