"""The path of the estimate: its value and interval after 1, 2, ... labels, had labelling stopped there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from lowshot import estimation as estimating
from lowshot.errors import InputError, required_by
from lowshot.history import History
from lowshot.metric import Metric
from lowshot.pools.base import View
from lowshot.result import Comparison, Estimate
from lowshot.sampler.base import Sampler

Found = TypeVar("Found")
Compute = Callable[[History], Found]
POINTS = 25  # points of a path in a report or a plot; each costs one estimate
LIVE_POINTS = 40  # the most points of a path on the owner's page, not counting its last point


@dataclass(frozen=True)
class Point:
    """The estimate, or the difference of two models, after this many labels. Known labels are not counted."""

    labels: int
    estimate: Estimate | Comparison

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


class Step(NamedTuple, Generic[Found]):
    """What the labels so far gave, and their number. Known labels are not counted."""

    labels: int
    found: Found


def step_of(compute: Compute[Found], history: History, answers: int) -> Step[Found]:
    """What the first `answers` answers of the history gave."""
    then = history.until(answers)
    return Step(len(then.labels) - len(then.known), compute(then))


def stops(answers: int, most: int = POINTS) -> list[int]:
    """The numbers of answers at which a path has its points: evenly spaced, ending with all of them.

    >>> stops(100, most=5), stops(3), stops(0)
    ([20, 40, 60, 80, 100], [1, 2, 3], [0])
    """
    if answers == 0:
        return [0]
    wanted = np.ceil(np.linspace(0, answers, min(most, answers) + 1)[1:]).astype(int)
    return [int(stop) for stop in wanted]


def along(compute: Compute[Found], history: History) -> Iterator[Step[Found]]:
    """What fewer labels gave, one step at a time, because each may take long. Each uses the designs of its own rounds.

    compute  gives anything that follows from a history, such as `Estimator.estimate`
    """
    return (step_of(compute, history, stop) for stop in stops(len(history.answers)))


def path_of(estimator: Estimator, steps: Iterable[Step[Estimate]]) -> EstimatePath:
    return EstimatePath(estimator.metric.name, estimator.confidence, [Point(*step) for step in steps])


def plot(estimator: Estimator, history: History, ax: Any = None) -> Any:
    """Draw the path with Matplotlib on `ax`, or on new axes, and return the axes."""
    draw = drawing(history).plot_path
    return draw(path_of(estimator, along(estimator.estimate, history)), ax)


def drawing(history: History) -> ModuleType:
    """The module that draws with Matplotlib; an error if it is not installed, or if there is nothing to draw."""
    if not history.labels:
        raise InputError("a plot needs labels: the evaluation has none; label some items first")
    return with_matplotlib()


def with_matplotlib() -> ModuleType:
    """The module that draws with Matplotlib; an error if it is not installed."""
    with required_by("a plot", extra="plots"):
        return import_module("lowshot.charts.png")


class LivePath(Generic[Found]):
    """The path on the owner's page, which asks for it every few seconds while people label.

    Answers are only appended, so a step that was computed once stays valid and is cached. Steps are 1, 2, 5, 10,
    20, ... answers apart, so that most of them stay at the same place when more answers come.

    compute  gives what the page shows from a history
    most     steps in all, not counting the last one
    new      steps that are computed for one request, because each may take long; None: all that are missing
    """

    def __init__(self, compute: Compute[Found], most: int = LIVE_POINTS, new: int | None = None) -> None:
        self._compute, self._most, self._new = compute, most, new
        self._steps: dict[int, Step[Found]] = {}
        self._lock = Lock()  # two pages that ask at the same time would compute everything twice

    def of(self, history: History) -> tuple[list[Step[Found]], bool]:
        """The steps that are known now, and whether some are still missing."""
        last = len(history.answers)
        places = sorted({*range(0, last + 1, step(last, self._most)), last})
        with self._lock:
            missing = [place for place in coarse_to_fine(places) if place not in self._steps]
            fresh = missing[: self._new]
            for place in fresh:
                self._steps[place] = step_of(self._compute, history, place)
            return [self._steps[place] for place in places if place in self._steps], len(missing) > len(fresh)


def coarse_to_fine(places: Sequence[int]) -> list[int]:
    """The last place, then the others, so that the first few are spread over all of them.

    >>> coarse_to_fine([0, 10, 20, 30, 40, 45])
    [45, 0, 40, 20, 10, 30]
    """
    *others, last = places
    spacing = {place: number & -number or len(places) for number, place in enumerate(others)}
    return [last, *sorted(others, key=lambda place: -spacing[place])]


def step(answers: int, most: int = LIVE_POINTS) -> int:
    """The number of answers between two points on the owner's page: the smallest of 1, 2, 5, 10, ... that gives few.

    >>> step(30), step(100), step(900)
    (1, 5, 50)
    """
    size = 1
    while answers > most * size:
        size = size * 5 // 2 if str(size).startswith("2") else size * 2
    return size
