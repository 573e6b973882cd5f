"""Answers that take long and are kept until labels change, and what fewer labels gave."""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

from lowshot.charts.estimate_path import Estimator, LivePath
from lowshot.charts.model_paths import estimates
from lowshot.evaluation import Evaluation
from lowshot.goal import one_model
from lowshot.history import History
from lowshot.result import Comparison

MOST_KEPT = 50  # answers about one state of the labels
MOST_PAIRS = 6  # differences whose path is kept
# A point takes 0.1 seconds with two models, and seconds with a dozen or with hundreds of categories. So there are fewer
# points than for one model, and a request computes only some of them.
FEW_POINTS, NEW_POINTS = 20, 2

Made = TypeVar("Made")


class Kept:
    """Answers that take long, kept until labels change. They are computed one at a time.

    A page asks for the same answer every two seconds, and several pages may be open.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._version = ""
        self._found: dict[Hashable, Any] = {}

    def of(self, history: History, key: Hashable, make: Callable[[], Made]) -> Made:
        """The answer under this key, made from this history; an error is not kept."""
        with self._lock:
            if self._version != version_of(history):
                self._version, self._found = version_of(history), {}
            if key not in self._found:
                made = make()
                if len(self._found) >= MOST_KEPT:
                    del self._found[next(iter(self._found))]
                self._found[key] = made
            found: Made = self._found[key]
            return found


def version_of(history: History) -> str:
    """Changes with every answer and whenever an item is handed out: labels may wait for it."""
    return f"{len(history.answers)}-{len(history.asked)}-{len(history.rounds)}"


class Paths:
    """What the owner's page shows against the number of labels: the estimate, that of each model, or a difference."""

    def __init__(self, evaluation: Evaluation) -> None:
        sampler, pool, metric = evaluation.sampler, evaluation.pool, evaluation.metric
        self._evaluation = evaluation
        few = (FEW_POINTS, NEW_POINTS) if pool.categories else ()  # all categories are estimated for every point
        self.estimate = LivePath(Estimator(sampler, evaluation.view, metric).estimate, *few)
        self.models = LivePath(estimates(sampler, pool, metric), FEW_POINTS, NEW_POINTS)
        self._pairs: dict[tuple[str, str], LivePath[Comparison]] = {}
        self._lock = Lock()

    def pair(self, baseline: str, candidate: str) -> LivePath[Comparison]:
        """The path of a difference. The last few that were asked for are kept."""
        models = self._evaluation.pool.models
        pair = one_model("baseline", baseline, models), one_model("candidate", candidate, models)

        def compare(history: History) -> Comparison:
            return self._evaluation.at(history).compare(*pair)

        with self._lock:
            found = self._pairs.pop(pair, None) or LivePath(compare, FEW_POINTS, NEW_POINTS)
            self._pairs[pair] = found
            for old in [*self._pairs][:-MOST_PAIRS]:
                del self._pairs[old]
        return found
