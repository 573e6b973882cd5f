"""RAND: uniform draws without replacement. The simplest sampler, and a template for new ones."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lowshot.design import Design
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.fill_in import uniform_design
from lowshot.sampler.rounds import from_rounds


@dataclass(frozen=True)
class Rand(Sampler):
    """Label items at random; Eq. 2 with equal weights. There is one round, which is extended again and again. Known
    labels that were drawn uniformly count as its first draws.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5), sampler="rand")
    >>> evaluation.ask(2)
    [3, 2]
    """

    name: ClassVar[str] = "rand"

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        begun = () if history.rounds else history.uniform  # the first draws of the only round
        return uniform_design(pool, history, np.array(sorted(begun), dtype=np.int64))

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        return from_rounds(pool, history, metric, confidence)
