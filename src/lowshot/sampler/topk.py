"""TOP-K: the highest scores in order; the metric of the labelled set alone."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lowshot.design import Design
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.fill_in import chunk_size, list_design, listed, of_labelled_set


@dataclass(frozen=True)
class TopK(Sampler):
    """Label from the top of the ranking. Positives further down are not seen, so recall and F are overestimated.

    >>> import lowshot
    >>> lowshot.Evaluation(lowshot.Pool([0.2, 0.9, 0.8], threshold=0.5), sampler="topk").ask(2)
    [1, 2]
    """

    name: ClassVar[str] = "topk"
    random: ClassVar[bool] = False

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        return top_design(pool, history)

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        return of_labelled_set(pool, history, metric)


def top_design(pool: View, history: History) -> Design:
    """The next items of the ranking that are neither listed nor labelled."""
    taken = np.union1d(listed(history), history.labelled)
    chunk = chunk_size(history)
    depth = len(taken) + chunk
    ranking = pool.cells(depth)
    head = ranking.best(depth)
    return list_design(ranking, head[~np.isin(head, taken)][:chunk])
