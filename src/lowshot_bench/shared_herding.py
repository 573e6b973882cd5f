"""HERDING for all classes of a model. Its order depends on the features only, so it is computed once per model."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from lowshot.core.kernel_herding import herd
from lowshot.core.types import Integers
from lowshot.design import Design, ListDesign
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.fill_in import of_labelled_set
from lowshot_bench.families.score_files import matrix
from lowshot_bench.families.task import Task

SPARE = 50  # further items in the order, because a thinned task may lack some of the first ones


@dataclass(frozen=True, eq=False)
class SharedHerding(Sampler):
    """HERDING with an order that was computed before."""

    name: ClassVar[str] = "herding"
    random: ClassVar[bool] = False

    order: Integers

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        rest = self.order if not history.rounds else self.order[:0]
        return ListDesign(order=rest, calibration=np.full(len(rest), 0.5), size=len(rest))

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        return of_labelled_set(pool, history, metric)


@lru_cache(maxsize=2)
def order_of(path: Path, count: int) -> Integers:
    """The first rows of a score file that herding chooses, in order. The scores of all classes are its features."""
    features = np.asarray(matrix("scores", path), dtype=np.float64)
    return herd(features, np.empty(0, dtype=np.int64), np.ones(len(features), dtype=np.bool_), count + SPARE)


def shared_herding(path: Path, task: Task, count: int) -> SharedHerding:
    """HERDING for one task: the order of the model's file without the rows that the task lacks."""
    order = order_of(path, count)
    if task.kept is None:
        return SharedHerding(order)
    place = np.full(int(max(order.max(), task.kept.max())) + 1, -1)
    place[task.kept] = np.arange(len(task.kept))
    return SharedHerding(place[order][place[order] >= 0])
