"""The estimate against the number of labels: what it would have been, had labelling stopped there."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lowshot import estimation as estimating
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.metric import Metric
from lowshot.result import Estimate

POINTS = 25


@dataclass(frozen=True)
class Point:
    """The estimate after so many labels; those that were known beforehand are not counted."""

    labels: int
    estimate: Estimate


@dataclass(frozen=True, eq=False)
class Estimator:
    """What is estimated again and again: everything but the history."""

    evaluation: Evaluation
    metric: Metric
    confidence: float

    def estimate(self, history: History) -> Estimate:
        evaluation = self.evaluation
        return estimating.estimate(
            evaluation.sampler, evaluation.pool.view(), history, self.metric, self.confidence, target="pool"
        )


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
    for stop in stops(len(history.answers)):
        then = history.until(stop)
        yield Point(len(then.labels) - len(then.known), estimator.estimate(then))
