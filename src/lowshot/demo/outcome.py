"""The results of a demo, as an object and as plain data for `--json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lowshot.demo.compare import Comparison
from lowshot.demo.data import Task
from lowshot.demo.run import Row
from lowshot.errors import InputError
from lowshot.result import Estimate


@dataclass(frozen=True)
class Outcome:
    """One run, round by round, and how several samplers compare on the same task.

    >>> from lowshot.demo import compare, data, run
    >>> task = data.load()
    >>> rows = list(run.rows(task, "acis", labels=30, seed=0))
    >>> outcome = Outcome(task, "acis", 0, rows, compare.compare(task, ["acis"], labels=30, runs=2, seed=0))
    >>> outcome.estimate.labels, outcome.relative(outcome.comparisons[0])
    (30, 1.0)
    """

    task: Task
    sampler: str
    seed: int
    rows: Sequence[Row]
    comparisons: Sequence[Comparison]

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError(f"sampler must hand out items: {self.sampler!r} asked for none")

    @property
    def estimate(self) -> Estimate:
        return self.rows[-1].estimate

    @property
    def labels(self) -> int:
        return self.rows[-1].labels

    @property
    def covered(self) -> bool | None:
        """Whether the interval contains the truth; None if there is no interval."""
        interval = self.estimate.interval
        return None if interval is None else self.task.truth() in interval

    def of(self, sampler: str) -> Comparison | None:
        """The comparison of that sampler."""
        return next((one for one in self.comparisons if one.sampler == sampler), None)

    def relative(self, one: Comparison) -> float | None:
        """Its typical error in multiples of ACIS's."""
        acis = self.of("acis")
        return None if acis is None or acis.typical_error == 0 else one.typical_error / acis.typical_error

    def plain(self) -> dict[str, Any]:
        """As numbers, strings, lists and None."""
        return {
            "data": "tinyimagenet",
            "category": self.task.category,
            "items": len(self.task.pool),
            "positives": self.task.positives,
            "predicted_positives": self.task.pool.predicted_positives,
            "metric": "f1",
            "sampler": self.sampler,
            "seed": self.seed,
            "labels": self.labels,
            "truth": self.task.truth(),
            "estimate": self.estimate.to_dict(),
            "truth_in_interval": self.covered,
            "rows": [_plain_row(row) for row in self.rows],
            "comparison": [self._plain_comparison(one) for one in self.comparisons],
        }

    def _plain_comparison(self, one: Comparison) -> dict[str, Any]:
        return {
            "sampler": one.sampler,
            "runs": one.runs,
            "typical_error": one.typical_error,
            "times_acis": self.relative(one),
            "without_answer": one.undefined,
            "truth_in_interval": one.inside,
            "mean_width": one.width,
        }


def _plain_row(row: Row) -> dict[str, Any]:
    """A row as plain data. `labels` are those bought so far; some may not count in the estimate yet."""
    return {**row.estimate.to_dict(), "round": row.round, "labels": row.labels, "positives": row.positives}
