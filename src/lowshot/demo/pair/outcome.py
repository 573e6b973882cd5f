"""The results of a demo with two models, as objects and as plain data for `--json`."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lowshot.core.interval import Interval
from lowshot.demo.data import Pair
from lowshot.demo.pair.run import PAIR, Row, Trial
from lowshot.errors import InputError
from lowshot.result import Comparison


class Count(NamedTuple):
    """How many verdicts were right and wrong, and how many runs had none."""

    right: int
    wrong: int
    undecided: int

    @property
    def runs(self) -> int:
        return sum(self)

    def __str__(self) -> str:
        return f"{self.right} right, {self.wrong} wrong, {self.undecided} undecided"


def exact(pair: Pair) -> Comparison:
    """The comparison from all labels.

    >>> from lowshot.demo.data import load_pair
    >>> print(exact(load_pair()))
    v2 is better than v1: f1 is 0.063 higher, 95 % interval 0.063 to 0.063, probability 100 %, from 54,863 labels
    """
    value = pair.difference
    return Comparison(*PAIR, "f1", value, Interval(value, value), float(value > 0), 0.0, len(pair.pool))


def count(found: Iterable[Comparison], truth: Comparison) -> Count:
    """Compare verdicts with that of the truth."""
    verdicts = [one.verdict for one in found]
    right, undecided = verdicts.count(truth.verdict), verdicts.count("undecided")
    return Count(right, len(verdicts) - right - undecided, undecided)


def mean_width(found: Iterable[Comparison]) -> float | None:
    """The mean width of the intervals; None if there are none."""
    widths = [one.interval.width for one in found if one.interval is not None]
    return statistics.fmean(widths) if widths else None


@dataclass(frozen=True, eq=False)
class Summary:
    """The runs on one category, compared with the truth."""

    pair: Pair
    truth: Comparison
    trials: Sequence[Trial]

    @property
    def labels(self) -> float:
        """The median number of labels of a run. A run without a verdict counts with all labels it could buy."""
        return statistics.median(trial.found.labels for trial in self.trials)

    @property
    def found(self) -> list[Comparison]:
        return [trial.found for trial in self.trials]

    @property
    def own(self) -> list[Comparison]:
        return [trial.own for trial in self.trials]

    @property
    def own_all(self) -> list[Comparison]:
        return [trial.own_all for trial in self.trials]

    def counts(self) -> dict[str, Count]:
        """Verdicts of the runs, of separate evaluations with as many labels, and of these with all labels."""
        ways = {"pair": self.found, "own": self.own, "own_all": self.own_all}
        return {way: count(found, self.truth) for way, found in ways.items()}


def summaries(done: Iterable[tuple[Pair, Trial]]) -> list[Summary]:
    """One summary per category, in the order of their first run."""
    found: dict[int, tuple[Pair, list[Trial]]] = {}
    for pair, trial in done:
        found.setdefault(pair.category, (pair, []))[1].append(trial)
    return [Summary(pair, exact(pair), trials) for pair, trials in found.values()]


@dataclass(frozen=True, eq=False)
class Outcome:
    """One comparison, row by row, and the runs on all categories."""

    pair: Pair
    seed: int
    most: int  # labels that a run may buy
    rows: Sequence[Row]
    summaries: Sequence[Summary]

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("models must differ: no item is predicted positive, so that no label is needed")

    @property
    def truth(self) -> Comparison:
        return exact(self.pair)

    @property
    def comparison(self) -> Comparison:
        """With all labels."""
        return self.rows[-1].comparison

    @property
    def first(self) -> Row | None:
        """The first row with a verdict."""
        return next((row for row in self.rows if row.comparison.decided), None)

    @property
    def right(self) -> bool | None:
        """Whether the verdict with all labels is right; None if there is none."""
        return self.comparison.verdict == self.truth.verdict if self.comparison.decided else None

    @property
    def covered(self) -> bool | None:
        """Whether the interval contains the truth; None if there is no interval."""
        interval = self.comparison.interval
        return None if interval is None else self.truth.value in interval

    def total(self, way: str) -> Count:
        """The verdicts over all categories: "pair", "own" or "own_all"."""
        return Count(*map(sum, zip(*(one.counts()[way] for one in self.summaries), strict=True)))

    def plain(self) -> dict[str, Any]:
        """As numbers, strings, lists and None."""
        pair = self.pair
        return {
            "data": "tinyimagenet",
            "category": pair.category,
            "items": len(pair.pool),
            "positives": pair.candidate.positives,
            "disagreements": pair.disagreements,
            "metric": "f1",
            "seed": self.seed,
            "truth": {PAIR[0]: pair.baseline.truth(), PAIR[1]: pair.candidate.truth(), **_plain(self.truth)},
            "comparison": self.comparison.to_dict(),
            "right": self.right,
            "truth_in_interval": self.covered,
            "first_verdict": None if self.first is None else _plain(self.first.comparison),
            "rows": [{"round": row.round, **row.comparison.to_dict(), "labels": row.labels} for row in self.rows],
            "categories": [_plain_summary(one) for one in self.summaries],
        }


def _plain(one: Comparison) -> dict[str, Any]:
    return {"value": one.value, "verdict": one.verdict, "labels": one.labels}


def _plain_summary(one: Summary) -> dict[str, Any]:
    return {
        "category": one.pair.category,
        "truth": _plain(one.truth),
        "runs": len(one.trials),
        "labels": [trial.found.labels for trial in one.trials],
        "mean_width": mean_width(one.found),
        "own_mean_width": mean_width(one.own),
        **{way: found._asdict() for way, found in one.counts().items()},
    }
