"""The estimate as it was after each label, for the owner's chart."""

from typing import Any

from lowshot import estimation as estimating
from lowshot.durable import Evaluation
from lowshot.history import History
from lowshot.metric import metric as find_metric
from lowshot.result import Estimate

POINTS = 40  # at most, and the last one


def step(answers: int) -> int:
    """Answers between two points: 1, 2, 5, 10, 20, ..., so that points stay where they are as answers come.

    >>> step(30), step(100), step(900)
    (1, 5, 50)
    """
    size = 1
    while answers > POINTS * size:
        size = size * 5 // 2 if str(size).startswith("2") else size * 2
    return size


class Trend:
    """Points that were computed once are kept: answers are only ever added."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._points: dict[int, dict[str, Any]] = {}

    def estimate(self, history: History, metric: str | None = None, confidence: float = 0.95) -> Estimate:
        """From a history that nobody changes: people go on labelling meanwhile."""
        mine = self._evaluation
        wanted = mine.metric if metric is None else find_metric(metric)
        return estimating.estimate(mine.sampler, mine.pool.view(), history, wanted, confidence, "pool")

    def points(self, history: History) -> list[dict[str, Any]]:
        last = len(history.answers)
        places = sorted({*range(0, last + 1, step(last)), last})
        return [self._point(history, place) for place in places]

    def _point(self, history: History, answers: int) -> dict[str, Any]:
        if answers not in self._points:
            then = history.until(answers)
            found = self.estimate(then).to_dict()
            self._points[answers] = {
                "labels": len(then.labels) - len(then.known),
                **{key: found[key] for key in ("value", "low", "high")},
            }
        return self._points[answers]
