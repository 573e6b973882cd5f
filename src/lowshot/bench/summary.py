"""Rows into what figures and tables show: means over repetitions, then over tasks, with standard errors over tasks."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

KEY = ["family", "method", "target", "labels"]


@dataclass(frozen=True)
class Cell:
    """One method on one family at one number of labels. `None` where the method has no variance or interval.

    An undefined estimate counts as 0, as in scikit-learn's zero_division; its share is `undefined`.
    """

    family: str
    method: str
    target: str
    labels: int
    tasks: int
    square: float  # mean squared error
    square_error: float  # its standard error over tasks
    mean: float
    bias: float
    bias_error: float
    truth: float
    undefined: float
    variance: float | None  # mean of the estimated variance
    empirical: float | None  # variance over repetitions, mean over tasks; None with one repetition
    coverage: float | None
    coverage_error: float | None
    width: float | None
    seconds: float


Cells = dict[tuple[str, str, str, int], Cell]


def summarise(table: pa.Table) -> Cells:
    """A cell for each family, method, target and number of labels.

    >>> from lowshot.bench.rows import SCHEMA
    >>> rows = [("easy", c, "acis", "own", 0, 10, 0.5, 0.01, 0.3, 0.7, t, 0.1) for c, t in ((1, 0.6), (2, 0.8))]
    >>> table = pa.Table.from_pylist([dict(zip(SCHEMA.names, row)) for row in rows], schema=SCHEMA)
    >>> cell = summarise(table)["easy", "acis", "own", 10]
    >>> cell.tasks, round(cell.square, 3), cell.coverage
    (2, 0.05, 0.5)
    """
    tasks = _per_task(_with_errors(table))
    groups: dict[tuple[str, str, str, int], list[dict[str, float]]] = {}
    for row in tasks.to_pylist():
        groups.setdefault((row["family"], row["method"], row["target"], row["labels"]), []).append(row)
    return {key: _cell(key, rows) for key, rows in groups.items()}


def _with_errors(table: pa.Table) -> pa.Table:
    """Squared error, coverage and width of each row."""
    plain = table.cast(pa.schema([(f.name, _plain(f.type)) for f in table.schema]))
    undefined = pc.is_nan(plain["estimate"])
    value = pc.if_else(undefined, 0.0, plain["estimate"])
    error = pc.subtract(value, plain["truth"])
    inside = pc.and_(pc.less_equal(plain["low"], plain["truth"]), pc.greater_equal(plain["high"], plain["truth"]))
    return (
        plain.append_column("value", value)
        .append_column("error", error)
        .append_column("square", pc.multiply(error, error))
        .append_column("undefined", pc.cast(undefined, pa.float64()))
        .append_column("inside", pc.cast(inside, pa.float64()))
        .append_column("width", pc.subtract(plain["high"], plain["low"]))
    )


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _per_task(table: pa.Table) -> pa.Table:
    """Means over the repetitions of a task, and the variance of its estimates."""
    means = ["value", "error", "square", "undefined", "variance", "inside", "width", "truth", "seconds"]
    spread = ("value", "variance", pc.VarianceOptions(ddof=1))
    return table.group_by([*KEY, "category"]).aggregate([*((name, "mean") for name in means), spread])


def _cell(key: tuple[str, str, str, int], rows: list[dict[str, float]]) -> Cell:
    square, square_error = _mean(rows, "square_mean")
    bias, bias_error = _mean(rows, "error_mean")
    coverage, coverage_error = _optional(rows, "inside_mean")
    return Cell(
        *key,
        tasks=len(rows),
        square=square,
        square_error=square_error,
        mean=_mean(rows, "value_mean")[0],
        bias=bias,
        bias_error=bias_error,
        truth=_mean(rows, "truth_mean")[0],
        undefined=_mean(rows, "undefined_mean")[0],
        variance=_optional(rows, "variance_mean")[0],
        empirical=_optional(rows, "value_variance")[0],
        coverage=coverage,
        coverage_error=coverage_error,
        width=_optional(rows, "width_mean")[0],
        seconds=_mean(rows, "seconds_mean")[0],
    )


def _mean(rows: Iterable[dict[str, float]], name: str) -> tuple[float, float]:
    """The mean over tasks and its standard error."""
    values = np.array([row[name] for row in rows], dtype=np.float64)
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return float(values.mean()), float(error)


def _optional(rows: Iterable[dict[str, float]], name: str) -> tuple[float | None, float | None]:
    """The same over the tasks that have a value; None if none has."""
    kept = [row for row in rows if row[name] is not None and not math.isnan(row[name])]
    return _mean(kept, name) if kept else (None, None)


def ratio(left: pa.Table, right: pa.Table) -> tuple[float, float]:
    """The ratio of two mean squared errors on the same tasks, with its standard error over tasks (delta method)."""
    pairs = _paired(left, right)
    a, b = pairs[:, 0], pairs[:, 1]
    value = a.mean() / b.mean()
    residual = (a - value * b) / b.mean()
    return float(value), float(residual.std(ddof=1) / math.sqrt(len(a)))


def _paired(left: pa.Table, right: pa.Table) -> np.ndarray:
    one, two = (
        {row["category"]: row["square_mean"] for row in _per_task(_with_errors(t)).to_pylist()} for t in (left, right)
    )
    return np.array([(one[category], two[category]) for category in one if category in two])
