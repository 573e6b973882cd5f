"""GMM: labels from the top of the ranking; a mixture of two Gaussians for unlabelled items (Miller et al. 2018)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lowshot.core.cells import Cells
from lowshot.core.mixture import posterior
from lowshot.core.types import Floats, Integers
from lowshot.design import Design
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.fill_in import filled_in
from lowshot.sampler.topk import top_design


@dataclass(frozen=True)
class Gmm(Sampler):
    """EM on the log-odds of the scores, started at the predictions; labelled items keep their class.

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5, scale="probability")
    >>> lowshot.Evaluation(pool, sampler="gmm").ask(2)
    [0, 1]
    """

    name: ClassVar[str] = "gmm"
    needs: ClassVar[frozenset[str]] = frozenset({"probabilities"})
    random: ClassVar[bool] = False

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        return top_design(pool, history)

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        def fill_in(cells: Cells, told: Integers, labels: Floats) -> Floats:
            return posterior(
                pool.logits(cells.level),
                cells.mass * pool.total,
                cells.prediction.astype(np.float64),
                pool.logits(pool.level(told)),
                labels,
            )

        return filled_in(pool, history, metric, fill_in)
