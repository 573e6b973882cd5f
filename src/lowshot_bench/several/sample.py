"""Means over tasks and groups of tasks, with standard errors by bootstrap.

A group is what counts once: a data set of the zoo, or a set of image models. The runs of a task are averaged first,
then the tasks of a group, then the groups. For the standard error the tasks of each group are drawn again with
replacement, so it says how exact a number is for these groups, as that of `zoo_summary` does.

Every number is an array whose first row is the number itself, and whose other rows are the same number of the tasks
that were drawn again. Ratios, differences and geometric means are then plain arithmetic on arrays.
"""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Flags, Floats
from lowshot_bench.zoo_summary import FLOOR, Runs

AGAIN = 500  # how often the tasks are drawn again: a standard error is then exact to 3 %
SEED = 14
Unit = tuple[str, int]  # a task, and the repetition if it is the only task of its group


class Number(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float


def number(values: Floats) -> Number:
    """From the number and the same number of tasks that were drawn again.

    >>> number(np.array([0.5, 0.25, 0.75]))
    Number(value=0.5, error=0.25)
    """
    again = values[1:][np.isfinite(values[1:])]
    return Number(float(values[0]), float(again.std()) if len(again) else float("nan"))


class Sample:
    """The tasks of some runs in their groups, and how often each task counts when tasks are drawn again.

    A group with one task has its runs drawn again instead; a group with one run adds nothing to a standard error.

    >>> from lowshot_bench.rows import Row, table_of
    >>> from lowshot_bench.zoo_summary import runs_of
    >>> plain = Row("tabular", 0, "pair", "own", 0, 30, 0.5, None, 0.4, 0.6, 0.5, 0.0)
    >>> truths = {"a/x/y": 0.5, "a/z/y": 0.7, "b/x/y": 0.6}
    >>> runs = runs_of(table_of(plain._replace(task=task, truth=truth) for task, truth in truths.items()), "own")
    >>> sample = Sample(runs)
    >>> sample.groups, sample.mean(runs, runs.held)[0].tolist()
    (['a', 'b'], [0.5, 1.0])
    """

    def __init__(self, runs: Runs) -> None:
        tasks = Counter(group for group, _ in set(zip(runs.dataset.tolist(), runs.task.tolist(), strict=True)))
        self.groups = sorted(tasks)
        self.alone = {group for group, count in tasks.items() if count == 1}
        units = sorted(set(zip(runs.dataset.tolist(), self._units(runs), strict=True)))
        self.place = {unit: number for number, (_, unit) in enumerate(units)}
        member = np.array([[group == name for name in self.groups] for group, _ in units])
        self.member = member.reshape(len(units), len(self.groups)).astype(np.float64)  # [unit, group]
        random = np.random.default_rng(SEED)
        self.weight = np.ones((1 + AGAIN, len(units)))
        for group in self.member.T:
            here = np.flatnonzero(group)
            fewer = max(len(here) - 1, 1)  # the variance of n - 1 draws is that of the mean, also if n is small
            self.weight[1:, here] = random.multinomial(fewer, np.full(len(here), 1 / len(here)), AGAIN)
        images = {name for name, kind in zip(runs.dataset, runs.kind, strict=True) if kind.endswith("images")}
        self.images: Flags = np.array([name in images for name in self.groups], dtype=np.bool_)

    def _units(self, runs: Runs) -> list[Unit]:
        """What is drawn again: tasks, or the runs of the only task of a group."""
        keys = zip(runs.dataset.tolist(), runs.task.tolist(), runs.repetition.tolist(), strict=True)
        return [(task, repetition if group in self.alone else 0) for group, task, repetition in keys]

    def _per_unit(self, runs: Runs, values: Floats) -> Floats:
        """The mean over the runs of each unit; NaN where a unit has none."""
        place = np.array([self.place[unit] for unit in self._units(runs)], dtype=np.int64)
        count = np.bincount(place, minlength=len(self.place))
        total = np.bincount(place, weights=values, minlength=len(self.place))
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def mean(self, runs: Runs, values: Floats) -> Floats:
        """The mean over the tasks of each group, [number and tasks drawn again, group]."""
        found = self._per_unit(runs, values)
        there = ~np.isnan(found)
        total = self.weight @ (np.where(there, found, 0.0)[:, None] * self.member)
        count = self.weight @ (there[:, None] * self.member)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def median(self, runs: Runs, values: Floats) -> Floats:
        """The median over the runs of each group, [number and tasks drawn again, group]; NaN if a group has none."""
        place = np.array([self.place[unit] for unit in self._units(runs)], dtype=np.int64)
        found = np.full((len(self.weight), len(self.groups)), np.nan)
        order = np.argsort(values, kind="stable")
        for number_of_group, name in enumerate(self.groups):
            here = order[runs.dataset[order] == name]
            total = np.cumsum(self.weight[:, place[here]], axis=1)
            if len(here):
                half = total[:, -1:] / 2
                ends = [values[here][np.argmax(passed, axis=1)] for passed in (total >= half, total > half)]
                found[:, number_of_group] = np.where(half[:, 0] > 0, (ends[0] + ends[1]) / 2, np.nan)
        return found

    def scopes(self) -> dict[str, Flags]:
        """The groups that are averaged: all, those of images, those of the zoo; only those that have groups."""
        found = {"together": np.ones(len(self.groups), dtype=np.bool_), "images": self.images, "zoo": ~self.images}
        return {name: chosen for name, chosen in found.items() if chosen.any()}

    def numbers(self, statistic: Callable[[Flags], Floats]) -> dict[str, Number]:
        """A statistic, which is a function of the groups that are averaged, for each scope."""
        return {name: number(statistic(chosen)) for name, chosen in self.scopes().items()}

    def average(self, means: Floats) -> dict[str, Number]:
        """The mean over groups, for each scope."""
        return self.numbers(lambda chosen: over_groups(means, chosen))

    def geometric(self, ratios: Floats) -> dict[str, Number]:
        """The geometric mean over groups, for each scope."""
        return self.numbers(lambda chosen: np.exp(over_groups(np.log(ratios), chosen)))

    def by_group(self, means: Floats) -> dict[str, Number]:
        """The number of each group."""
        return {name: number(means[:, place]) for place, name in enumerate(self.groups)}


def over_groups(means: Floats, chosen: Flags) -> Floats:
    """The mean over groups, in which every group counts alike. A group without a value is left out."""
    with np.errstate(invalid="ignore"):
        there = ~np.isnan(means[:, chosen])
        total = np.where(there, means[:, chosen], 0.0).sum(axis=1)
        found: Floats = total / there.sum(axis=1)
    return found


def ratio(above: Floats, below: Floats) -> Floats:
    """A ratio of mean squared errors, both floored, because errors below 0.01 do not matter and their ratio is noise.

    >>> ratio(np.array([4e-4, 1e-6]), np.array([2e-4, 1e-5])).tolist()
    [2.0, 1.0]
    """
    found: Floats = np.maximum(above, FLOOR) / np.maximum(below, FLOOR)
    return found
