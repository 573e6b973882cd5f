"""The estimate against the number of labels: what it would have been, had labelling stopped there."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowshot import estimation as estimating
from lowshot.errors import InputError, MissingExtra
from lowshot.history import History
from lowshot.metric import Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler

POINTS = 25  # of a report or a plot
LIVE_POINTS = 40  # of a page, and the last one


@dataclass(frozen=True)
class Point:
    """The estimate after so many labels; those that were known beforehand are not counted."""

    labels: int
    estimate: Estimate

    def to_dict(self) -> dict[str, Any]:
        """As plain data: what a chart needs of the estimate, under the estimate's own keys."""
        found = self.estimate.to_dict()
        return {"labels": self.labels, **{key: found[key] for key in ("value", "low", "high")}}


@dataclass(frozen=True)
class Progress:
    """What the chart shows: points with their intervals, of one metric and one confidence."""

    metric: str
    confidence: float
    points: Sequence[Point]

    @property
    def line(self) -> tuple[list[int], list[float]]:
        """Labels and values; a value is NaN where it is undefined."""
        return [point.labels for point in self.points], [point.estimate.value for point in self.points]

    @property
    def band(self) -> tuple[list[int], list[float], list[float]]:
        """Labels, low and high of the points that have an interval."""
        pairs = [(point.labels, found) for point in self.points if (found := point.estimate.interval) is not None]
        return [labels for labels, _ in pairs], [found.low for _, found in pairs], [found.high for _, found in pairs]


@dataclass(frozen=True, eq=False)
class Estimator:
    """What is estimated again and again: everything but the history."""

    sampler: Sampler
    pool: View
    metric: Metric
    confidence: float = 0.95

    def estimate(self, history: History) -> Estimate:
        return estimating.estimate(self.sampler, self.pool, history, self.metric, self.confidence, target="pool")

    def point(self, history: History, answers: int) -> Point:
        """As it was after so many answers."""
        then = history.until(answers)
        return Point(len(then.labels) - len(then.known), self.estimate(then))


def stops(answers: int, most: int = POINTS) -> list[int]:
    """After how many answers to estimate: evenly spread, the last one included.

    >>> stops(100, most=5), stops(3), stops(0)
    ([20, 40, 60, 80, 100], [1, 2, 3], [0])
    """
    if answers == 0:
        return [0]
    wanted = np.ceil(np.linspace(0, answers, min(most, answers) + 1)[1:]).astype(int)
    return [int(stop) for stop in wanted]


def path(estimator: Estimator, history: History) -> Iterator[Point]:
    """One point after another. Labels come in the order of the answers; designs are those that were used."""
    return (estimator.point(history, stop) for stop in stops(len(history.answers)))


def progress(estimator: Estimator, points: Iterable[Point]) -> Progress:
    return Progress(estimator.metric.name, estimator.confidence, list(points))


def plot(estimator: Estimator, history: History, ax: Any = None) -> Any:
    """Drawn by Matplotlib on these axes, or on new ones, which are returned."""
    if not history.labels:
        raise InputError("a plot needs labels: the evaluation has none; label some items first")
    try:
        from lowshot.charts.png import plot_progress
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a plot needs {error.name}: pip install 'lowshot[plots]'") from None
    return plot_progress(progress(estimator, path(estimator, history)), ax)


class LiveProgress:
    """The chart of a page that is looked at while people label.

    Answers are only ever added, so a point that was computed once is kept. Points stay where they are as answers come:
    they are 1, 2, 5, 10, 20, ... answers apart.
    """

    def __init__(self, estimator: Estimator) -> None:
        self._estimator = estimator
        self._points: dict[int, Point] = {}

    def of(self, history: History) -> Progress:
        last = len(history.answers)
        places = sorted({*range(0, last + 1, step(last)), last})
        return progress(self._estimator, (self._point(history, place) for place in places))

    def _point(self, history: History, answers: int) -> Point:
        if answers not in self._points:
            self._points[answers] = self._estimator.point(history, answers)
        return self._points[answers]


def step(answers: int) -> int:
    """Answers between two points of a page.

    >>> step(30), step(100), step(900)
    (1, 5, 50)
    """
    size = 1
    while answers > LIVE_POINTS * size:
        size = size * 5 // 2 if str(size).startswith("2") else size * 2
    return size
