"""HERDING: items whose mean features approach those of the pool; the metric of these items alone (Welling 2009)."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lowshot.core.kernel_herding import herd
from lowshot.core.types import Floats
from lowshot.design import Design
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.fill_in import list_design, listed, of_labelled_set

CHUNK = 128  # items per list; choosing them takes time in proportion to the pool


@dataclass(frozen=True)
class Herding(Sampler):
    """Kernel herding over the pool's features; over its scores, with a warning, if it has none.

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5, features=[[0, 1], [0, 2], [5, 1], [5, 3]])
    >>> len(lowshot.Evaluation(pool, sampler="herding").ask(2))
    2
    """

    name: ClassVar[str] = "herding"
    needs: ClassVar[frozenset[str]] = frozenset({"features"})
    random: ClassVar[bool] = False

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        whole = pool.cells()
        order = whole.items  # rows in the order of the ranking, whatever their order in the pool
        place = np.empty(pool.total, dtype=np.int64)
        place[order] = np.arange(pool.total)
        taken = np.union1d(listed(history), history.labelled)
        free = np.ones(pool.total, dtype=np.bool_)
        free[place[taken]] = False
        count = min(CHUNK, int(free.sum()))
        chosen = place[np.union1d(listed(history), np.array(sorted(history.known), dtype=np.int64))]
        return list_design(whole, order[herd(features(pool)[order], chosen, free, count)])

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        return of_labelled_set(pool, history, metric)


def features(pool: View) -> Floats:
    """The pool's features, or the scores as the only one."""
    if pool.features is not None:
        return pool.features
    warnings.warn("the pool has no features: herding over the scores alone", UserWarning, stacklevel=2)
    return pool.level(np.arange(pool.total))[:, None]
