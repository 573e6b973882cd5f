"""From rows of named pools to means in which every data set counts alike, with standard errors.

The pools of one data set are near copies of each other and their number differs between data sets, so a mean over
pools would be a mean over the largest data sets. Here the runs of a pool are averaged first, then the pools of a data
set, then the data sets.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lowshot.core.types import Flags, Floats, Integers
from lowshot_bench.summary import mean, share_error

FLOOR = 1e-4  # of a mean squared error in a ratio: errors below 0.01 do not matter, and their ratio is noise
PENALTY = 40  # of the interval score per distance of the truth from a 95 % interval: 2 / 0.05
EQUAL = 1e-9  # by so much the truth may be outside because of rounding
Names = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Runs:
    """Columns with one value per estimate; `low` and `high` are NaN where the method never has an interval."""

    kind: Names
    task: Names  # dataset/model/point, or dataset/model/point/level if the pool was made
    dataset: Names
    point: Names
    level: Names  # "" if the pool is real
    method: Names
    labels: Integers
    value: Floats
    low: Floats
    high: Floats
    truth: Floats
    warned: Floats  # 1 with a warning, 0 without, NaN if that was not recorded
    repetition: Integers
    probability: Floats  # NaN if there is none

    def where(self, chosen: Flags | Integers) -> "Runs":
        """Some of the runs: those that are chosen, or those at these positions, in this order."""
        return Runs(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def square(self) -> Floats:
        return (self.value - self.truth) ** 2

    @property
    def width(self) -> Floats:
        return self.high - self.low

    @property
    def distance(self) -> Floats:
        """Of the truth from the interval: 0 if the interval contains it."""
        found: Floats = np.maximum(np.maximum(self.low - self.truth, self.truth - self.high), 0)
        return found

    @property
    def held(self) -> Floats:
        """1 if the interval contains the truth, 0 if not, NaN if there is none."""
        return np.where(np.isnan(self.width), np.nan, self.distance <= EQUAL)

    @property
    def score(self) -> Floats:
        """The interval score, which rewards narrow intervals and punishes those that leave out the truth."""
        return self.width + PENALTY * self.distance


def runs_of(table: pa.Table, target: str, relative: bool = False) -> Runs:
    """The runs of named pools for one target. `relative`: values and intervals are divided by the truth.

    An undefined value counts as 0. A missing interval counts as 0 to 1, unless the method never has one.
    """
    mine = table.filter(pc.and_(pc.equal(table["target"], target), pc.is_valid(table["task"])))
    task, method = _names(mine, "task"), _names(mine, "method")
    parts = [name.split("/") for name in task]
    value, low, high, truth = (_numbers(mine, name) for name in ("estimate", "low", "high", "truth"))
    with_interval = np.isin(method, np.unique(method[~np.isnan(low)].astype(str)))
    unit = truth if relative else np.ones_like(truth)
    return Runs(
        kind=_names(mine, "family"),
        task=task,
        dataset=_objects(part[0] for part in parts),
        point=_objects(part[2] for part in parts),
        level=_objects(part[3] if len(part) > 3 else "" for part in parts),
        method=method,
        labels=mine["labels"].to_numpy().astype(np.int64),
        value=np.nan_to_num(value, nan=0.0) / unit,
        low=np.where(np.isnan(low) & with_interval, 0.0, low) / unit,
        high=np.where(np.isnan(high) & with_interval, 1.0, high) / unit,
        truth=truth / unit,
        warned=_numbers(mine, "warned"),
        repetition=mine["repetition"].to_numpy().astype(np.int64),
        probability=_numbers(mine, "probability"),
    )


def _objects(values: Iterable[Any]) -> Names:
    return np.array(list(values), dtype=object)


def _names(table: pa.Table, name: str) -> Names:
    return _objects(table[name].to_pylist())


def _numbers(table: pa.Table, name: str) -> Floats:
    found: Floats = pc.cast(table[name], pa.float64()).to_numpy().astype(np.float64)  # null becomes NaN
    return found


class Mean(NamedTuple):
    """A mean with its standard error, which is NaN if there is only one value."""

    value: float
    error: float


def mean_by_dataset(runs: Runs, values: Floats) -> dict[str, Mean]:
    """The mean of each data set: over the runs of each pool, then over pools.

    The standard error is over pools, because runs of one pool are alike; with one pool it is over its runs.
    """
    found = {}
    for dataset in dict.fromkeys(runs.dataset):
        here = runs.dataset == dataset
        _, place = np.unique(runs.task[here].astype(str), return_inverse=True)
        pools = np.bincount(place, weights=values[here]) / np.bincount(place)
        found[dataset] = Mean(*mean(pools if len(pools) > 1 else values[here]))
    return found


def coverage_by_dataset(runs: Runs) -> dict[str, Mean]:
    """The coverage of each data set. Its standard error is not 0 where all or none of the intervals hold."""
    means = mean_by_dataset(runs, runs.held)
    count = {dataset: int(np.count_nonzero(runs.dataset == dataset)) for dataset in means}
    return {name: Mean(value, share_error(value, error, count[name])) for name, (value, error) in means.items()}


def mean_over_datasets(means: dict[str, Mean]) -> Mean:
    """Every data set counts alike. The error is that of these data sets, not of data sets in general.

    >>> mean_over_datasets({"cover": Mean(1.0, 0.3), "skin": Mean(2.0, 0.4)})
    Mean(value=1.5, error=0.25)
    """
    values, errors = (np.array([each[place] for each in means.values()]) for place in (0, 1))
    return Mean(float(values.mean()), float(np.sqrt((errors**2).sum()) / len(errors)))


class Result(NamedTuple):
    """One method on some pools at one number of labels; NaN where the method has no interval."""

    root: Mean  # root mean squared error
    coverage: Mean
    width: float
    score: float


def result(runs: Runs) -> Result:
    """The means over data sets."""
    square, width, score = (
        mean_over_datasets(mean_by_dataset(runs, values)) for values in (runs.square, runs.width, runs.score)
    )
    root = math.sqrt(square.value)
    error = square.error / (2 * root) if root else square.error  # delta method
    return Result(Mean(root, error), mean_over_datasets(coverage_by_dataset(runs)), width.value, score.value)


class Ratio(NamedTuple):
    """The errors of a method relative to another one's: geometric mean over data sets."""

    mean: float
    above: int  # data sets on which the ratio is above 1
    datasets: int


def error_ratio(mine: Runs, other: Runs) -> Ratio | None:
    """The ratio of mean squared errors on the data sets that both have; None if there are none."""
    both = [mean_by_dataset(runs, runs.square) for runs in (mine, other)]
    ratios = [max(both[0][d].value, FLOOR) / max(both[1][d].value, FLOOR) for d in both[0] if d in both[1]]
    if not ratios:
        return None
    return Ratio(float(np.exp(np.mean(np.log(ratios)))), sum(ratio > 1 for ratio in ratios), len(ratios))


def lowest_coverage(runs: Runs) -> tuple[str, Mean]:
    """The data set with the lowest coverage."""
    found = coverage_by_dataset(runs)
    dataset = min(found, key=lambda name: found[name].value)
    return dataset, found[dataset]


class Warned(NamedTuple):
    """In how many runs there was a warning."""

    warnings: int
    runs: int


def warned_when(runs: Runs, chosen: Flags) -> Warned:
    known = chosen & ~np.isnan(runs.warned)
    return Warned(int(runs.warned[known].sum()), int(np.count_nonzero(known)))


def far_off(runs: Runs) -> Flags:
    """Where the interval misses the truth by more than half of its width."""
    found: Flags = runs.distance > np.maximum(runs.width / 2, EQUAL)
    return found
