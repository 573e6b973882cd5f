"""The results of a demo with many classes, as an object and as plain data for `--json`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowshot.checks import Id
from lowshot.demo.classes.data import ClassTask
from lowshot.demo.classes.random_labels import Point, needed
from lowshot.demo.classes.run import Row
from lowshot.demo.outcome import covers
from lowshot.errors import InputError
from lowshot.result import Estimate, Table

WORST = 5  # classes that are named


@dataclass(frozen=True)
class Outcome:
    """One run, round by round; the estimates of further runs; and what random labels do.

    >>> from lowshot.demo.classes import data, random_labels, run
    >>> task = data.load()
    >>> rows = list(run.rows(task, labels=50, seed=0))
    >>> runs = list(run.trials(task, labels=50, runs=2, seed=0))
    >>> outcome = Outcome(task, 0, rows, runs, random_labels.path(task, runs=20))
    >>> outcome.labels, len(outcome.worst), outcome.estimate == runs[0]
    (50, 5, True)
    """

    task: ClassTask
    seed: int
    rows: Sequence[Row]
    runs: Sequence[Estimate]
    random: Sequence[Point]

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("labels must be at least one: nothing was labelled")

    @property
    def estimate(self) -> Estimate:
        return self.rows[-1].estimate

    @property
    def table(self) -> Table:
        return self.rows[-1].table

    @property
    def labels(self) -> int:
        return self.rows[-1].labels

    @property
    def covered(self) -> bool | None:
        """Whether the interval of the average contains the truth; None if there is no interval."""
        return covers(self.estimate, self.task.truth)

    @property
    def classes_covered(self) -> int:
        """Of how many classes the interval contains the truth."""
        return sum(self.contains(row) for row in self.table.rows)

    def contains(self, row: dict[str, Any]) -> bool:
        """Whether the interval of a class contains its truth."""
        return row["low"] is not None and bool(row["low"] <= self.task.truths[row["category"]] <= row["high"])

    @property
    def worst(self) -> list[dict[str, Any]]:
        """The classes with the lowest estimates, the lowest first."""
        rows = [row for row in self.table.rows if row["value"] is not None]
        return sorted(rows, key=lambda row: float(row["value"]))[:WORST]

    @property
    def truly_worst(self) -> list[Id]:
        """The classes with the lowest F1, the lowest first."""
        truths = self.task.truths
        return sorted(truths, key=lambda name: truths[name])[:WORST]

    @property
    def named(self) -> int:
        """How many of the worst classes are truly among the worst."""
        return len({row["category"] for row in self.worst} & {*self.truly_worst})

    @property
    def typical_error(self) -> float:
        """Root mean squared error of the runs."""
        return math.sqrt(np.mean([(one.value - self.task.truth) ** 2 for one in self.runs]))

    @property
    def inside(self) -> int:
        """How many intervals of the runs contain the truth."""
        return sum(bool(covers(one, self.task.truth)) for one in self.runs)

    @property
    def random_labels(self) -> int | None:
        """How many random labels have the same typical error; None: more than were tried."""
        return needed(list(self.random), self.typical_error)

    def plain(self) -> dict[str, Any]:
        """As numbers, strings, lists and None."""
        return {
            "data": "tinyimagenet_classes",
            "items": len(self.task.pool),
            "classes": self.task.categories,
            "metric": self.estimate.metric,
            "seed": self.seed,
            "labels": self.labels,
            "truth": self.task.truth,
            "estimate": self.estimate.to_dict(),
            "truth_in_interval": self.covered,
            "table": [{**row, "truth": self.task.truths[row["category"]]} for row in self.table.rows],
            "classes_with_truth_in_interval": self.classes_covered,
            "worst": [row["category"] for row in self.worst],
            "truly_worst": self.truly_worst,
            "rows": [{**row.estimate.to_dict(), "round": row.round, "labels": row.labels} for row in self.rows],
            "runs": {
                "runs": len(self.runs),
                "typical_error": self.typical_error,
                "truth_in_interval": self.inside,
                "values": [one.value for one in self.runs],
            },
            "random_labels": {
                "same_error": self.random_labels,
                "typical_errors": [one._asdict() for one in self.random],
            },
        }
