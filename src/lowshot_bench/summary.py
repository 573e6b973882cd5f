"""From rows to cells: means over the repetitions of each task, then over tasks, with standard errors over tasks."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lowshot.core.types import Floats

BASELINES = ("acis", "acis stratum")  # others are compared with the better one: as printed, or reuse="stratum"
KEY = ["family", "method", "target", "labels"]
QUANTITIES = ("value", "error", "square", "undefined", "variance", "inside", "width", "truth", "seconds")


@dataclass(frozen=True)
class Cell:
    """The results of one method on one family at one number of labels; None where it has no variance or interval.

    An undefined estimate counts as 0, as in scikit-learn's zero_division. `means` has the values per task, for
    comparisons on the same tasks: quantity -> class of the task -> mean over repetitions.
    """

    family: str
    method: str
    target: str  # what is estimated, as in rows.SCHEMA: "own", another model, a threshold, or another metric
    labels: int
    tasks: int
    square: float  # mean squared error
    square_error: float  # its standard error over tasks
    mean: float  # mean estimate
    bias: float  # mean of estimate minus truth
    bias_error: float  # its standard error over tasks
    truth: float  # mean true value
    undefined: float  # share of undefined estimates
    variance: float | None  # mean of the estimated variance
    empirical: float | None  # variance over repetitions, mean over tasks; None with one repetition
    coverage: float | None  # share of 95 % intervals that contain the truth
    coverage_error: float | None  # its standard error over tasks; never 0 (`share_error`)
    width: float | None  # mean width of the interval
    seconds: float  # mean time from the start of the run to this estimate
    means: dict[str, dict[int, float]] = field(default_factory=dict, repr=False)


Cells = dict[tuple[str, str, str, int], Cell]


def summarise(table: pa.Table) -> Cells:
    """The cells of a table of rows: one per family, method, target and number of labels.

    >>> from lowshot_bench.rows import Row, table_of
    >>> rows = [Row("easy", c, "acis", "own", 0, 10, 0.5, 0.01, 0.3, 0.7, t, 0.1) for c, t in ((1, 0.6), (2, 0.8))]
    >>> cell = summarise(table_of(rows))["easy", "acis", "own", 10]
    >>> cell.tasks, round(cell.square, 3), cell.coverage
    (2, 0.05, 0.5)
    """
    return {key: _cell(key, means) for key, means in _means(_per_task(_with_errors(table))).items()}


def _means(tasks: pa.Table) -> dict[tuple[str, str, str, int], dict[str, dict[int, float]]]:
    """The means per task of every cell, of the quantities that it has: there are millions, so column by column."""
    keys = list(zip(*(tasks[name].to_pylist() for name in KEY), strict=True))
    number = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    cell = np.array([number[key] for key in keys], dtype=np.int64)
    order = np.argsort(cell, kind="stable")
    ends = np.cumsum(np.bincount(cell, minlength=len(number)))[:-1]
    category = np.split(tasks["category"].to_numpy()[order], ends)
    groups: dict[tuple[str, str, str, int], dict[str, dict[int, float]]] = {key: {} for key in number}
    for name in (*QUANTITIES, "empirical", "intervals"):
        values = np.split(tasks[name].to_numpy()[order], ends)  # NULL is NaN, too
        for means, where, value in zip(groups.values(), category, values, strict=False):
            known = ~np.isnan(value)
            if known.any():
                means[name] = dict(zip(where[known].tolist(), value[known].tolist(), strict=True))
    return groups


def of_classes(cells: Cells, wanted: Callable[[int], bool]) -> Cells:
    """The same cells computed from some of the tasks: those whose class number is wanted."""
    kept = {
        key: {name: {c: v for c, v in values.items() if wanted(c)} for name, values in cell.means.items()}
        for key, cell in cells.items()
    }
    return {key: _cell(key, {n: v for n, v in means.items() if v}) for key, means in kept.items() if means["square"]}


def families(cells: Cells) -> list[str]:
    """The families in order of first appearance."""
    return list(dict.fromkeys(key[0] for key in cells))


def methods(cells: Cells) -> list[str]:
    """The methods in order of first appearance."""
    return list(dict.fromkeys(key[1] for key in cells))


def targets(cells: Cells) -> list[str]:
    """The targets in order of first appearance."""
    return list(dict.fromkeys(key[2] for key in cells))


def line(cells: Cells, family: str, method: str, target: str = "own") -> list[Cell]:
    """The cells of a method on a family, sorted by number of labels."""
    found = [cell for key, cell in cells.items() if key[:3] == (family, method, target)]
    return sorted(found, key=lambda cell: cell.labels)


def _with_errors(table: pa.Table) -> pa.Table:
    """The rows with columns for error, squared error, whether the interval contains the truth, and its width."""
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
    """Means over the repetitions of each task, the variance of the estimates over them, the number of intervals."""
    spread = ("value", "variance", pc.VarianceOptions(ddof=1))
    in_order = table.group_by([*KEY, "category"], use_threads=False)  # keeps the order of first appearance
    found = in_order.aggregate([*((name, "mean") for name in QUANTITIES), spread, ("inside", "count")])
    names = {f"{name}_mean": name for name in QUANTITIES}
    names |= {"value_variance": "empirical", "inside_count": "intervals"}
    return found.rename_columns([names.get(name, name) for name in found.column_names])


def _cell(key: tuple[str, str, str, int], means: dict[str, dict[int, float]]) -> Cell:
    square, square_error = _mean(means["square"])
    bias, bias_error = _mean(means["error"])
    coverage, coverage_error = _optional(means, "inside")
    if coverage is not None and coverage_error is not None:
        coverage_error = share_error(coverage, coverage_error, sum(means["intervals"].values()))
    return Cell(
        *key,
        tasks=len(means["square"]),
        square=square,
        square_error=square_error,
        mean=_mean(means["value"])[0],
        bias=bias,
        bias_error=bias_error,
        truth=_mean(means["truth"])[0],
        undefined=_mean(means["undefined"])[0],
        variance=_optional(means, "variance")[0],
        empirical=_optional(means, "empirical")[0],
        coverage=coverage,
        coverage_error=coverage_error,
        width=_optional(means, "width")[0],
        seconds=_mean(means["seconds"])[0],
        means=means,
    )


def _mean(values: dict[int, float]) -> tuple[float, float]:
    return mean(values.values())


def mean(values: Iterable[float]) -> tuple[float, float]:
    """The mean of values per task, and its standard error.

    >>> mean([1.0, 3.0])
    (2.0, 1.0)
    """
    found = np.fromiter(values, dtype=np.float64)
    error = found.std(ddof=1) / math.sqrt(len(found)) if len(found) > 1 else math.nan
    return float(found.mean()), float(error)


def share_error(share: float, error: float, runs: float) -> float:
    """The standard error of a share of runs, given its standard error over tasks.

    That is 0 if all or none of the runs count, however few they are. Then it is the standard error of the share
    (k + 1) / (n + 2), which Laplace's rule expects after k of n runs.

    >>> share_error(0.9, 0.1, 10), round(share_error(1.0, 0.0, 10), 3), round(share_error(0.0, 0.0, 1000), 3)
    (0.1, 0.087, 0.001)
    """
    if 0 < share < 1 or math.isnan(error):
        return error
    expected = (share * runs + 1) / (runs + 2)
    return math.sqrt(expected * (1 - expected) / runs)


def _optional(means: dict[str, dict[int, float]], name: str) -> tuple[float | None, float | None]:
    """Mean and standard error over the tasks that have a value; None if no task has one."""
    return _mean(means[name]) if name in means else (None, None)


def paired(left: Cell, right: Cell, name: str = "square") -> tuple[Floats, Floats]:
    """The values per task of one quantity in two cells, on the tasks that both cells have."""
    one, two = left.means[name], right.means[name]
    common = [category for category in one if category in two]
    return np.array([one[c] for c in common]), np.array([two[c] for c in common])


def ratio(above: Floats, below: Floats) -> tuple[float, float]:
    """The ratio of two means over the same tasks, and its standard error (delta method).

    >>> ratio(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    (0.5, 0.0)
    >>> ratio(np.array([1.0]), np.array([0.0]))
    (nan, nan)
    """
    if below.mean() == 0:
        return math.nan, math.nan
    value = above.mean() / below.mean()
    residual = (above - value * below) / below.mean()
    error = residual.std(ddof=1) / math.sqrt(len(above)) if len(above) > 1 else math.nan
    return float(value), float(error)
