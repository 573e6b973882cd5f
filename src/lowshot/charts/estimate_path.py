"""The path of the estimate: its value and interval after 1, 2, ... labels, had labelling stopped there."""

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

POINTS = 25  # points of a path in a report or a plot; each costs one estimate
LIVE_POINTS = 40  # the most points of a path on the owner's page, not counting its last point


@dataclass(frozen=True)
class Point:
    """The estimate after this many labels. Labels that were known beforehand are not counted."""

    labels: int
    estimate: Estimate

    def to_dict(self) -> dict[str, Any]:
        """What a chart needs, as plain data, under the keys of `Estimate.to_dict`."""
        found = self.estimate.to_dict()
        return {"labels": self.labels, **{key: found[key] for key in ("value", "low", "high")}}


@dataclass(frozen=True)
class EstimatePath:
    """The points of one metric, with intervals of one confidence, in the order of their labels."""

    metric: str
    confidence: float
    points: Sequence[Point]

    @property
    def line(self) -> tuple[list[int], list[float]]:
        """Labels and values, for a line. A value is NaN where the estimate is undefined."""
        return [point.labels for point in self.points], [point.estimate.value for point in self.points]

    @property
    def band(self) -> tuple[list[int], list[float], list[float]]:
        """Labels, low ends and high ends of the points that have an interval, for a band."""
        pairs = [(point.labels, found) for point in self.points if (found := point.estimate.interval) is not None]
        return [labels for labels, _ in pairs], [found.low for _, found in pairs], [found.high for _, found in pairs]


@dataclass(frozen=True, eq=False)
class Estimator:
    """Estimates one metric from several histories of one pool: everything that `estimate` needs but the history."""

    sampler: Sampler
    pool: View
    metric: Metric
    confidence: float = 0.95

    def estimate(self, history: History) -> Estimate:
        return estimating.estimate(self.sampler, self.pool, history, self.metric, self.confidence, target="pool")

    def point(self, history: History, answers: int) -> Point:
        """The estimate after the first `answers` answers of the history."""
        then = history.until(answers)
        return Point(len(then.labels) - len(then.known), self.estimate(then))


def stops(answers: int, most: int = POINTS) -> list[int]:
    """The numbers of answers at which a path has its points: evenly spaced, ending with all of them.

    >>> stops(100, most=5), stops(3), stops(0)
    ([20, 40, 60, 80, 100], [1, 2, 3], [0])
    """
    if answers == 0:
        return [0]
    wanted = np.ceil(np.linspace(0, answers, min(most, answers) + 1)[1:]).astype(int)
    return [int(stop) for stop in wanted]


def points(estimator: Estimator, history: History) -> Iterator[Point]:
    """The points, one at a time, because each takes an estimate. Each uses the designs of its own rounds."""
    return (estimator.point(history, stop) for stop in stops(len(history.answers)))


def path_of(estimator: Estimator, points: Iterable[Point]) -> EstimatePath:
    return EstimatePath(estimator.metric.name, estimator.confidence, list(points))


def plot(estimator: Estimator, history: History, ax: Any = None) -> Any:
    """Draw the path with Matplotlib on `ax`, or on new axes, and return the axes."""
    if not history.labels:
        raise InputError("a plot needs labels: the evaluation has none; label some items first")
    try:
        from lowshot.charts.png import plot_path
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a plot needs {error.name}: pip install 'lowshot[plots]'") from None
    return plot_path(path_of(estimator, points(estimator, history)), ax)


class LiveEstimatePath:
    """The path on the owner's page, which asks for it every few seconds while people label.

    Answers are only appended, so a point that was computed once stays valid and is cached. Points are 1, 2, 5, 10,
    20, ... answers apart, so that most of them stay at the same place when more answers come.
    """

    def __init__(self, estimator: Estimator) -> None:
        self._estimator = estimator
        self._points: dict[int, Point] = {}

    def of(self, history: History) -> EstimatePath:
        last = len(history.answers)
        places = sorted({*range(0, last + 1, step(last)), last})
        return path_of(self._estimator, (self._point(history, place) for place in places))

    def _point(self, history: History, answers: int) -> Point:
        if answers not in self._points:
            self._points[answers] = self._estimator.point(history, answers)
        return self._points[answers]


def step(answers: int) -> int:
    """The number of answers between two points on the owner's page: the smallest of 1, 2, 5, 10, ... that gives few.

    >>> step(30), step(100), step(900)
    (1, 5, 50)
    """
    size = 1
    while answers > LIVE_POINTS * size:
        size = size * 5 // 2 if str(size).startswith("2") else size * 2
    return size
