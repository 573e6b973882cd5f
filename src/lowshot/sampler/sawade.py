"""SAWADE: importance sampling that assumes the model's probabilities to be right (Sawade et al. 2010)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lowshot import checks
from lowshot.core.optimal import density, expected_value
from lowshot.design import CellDesign, Design
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.rounds import from_rounds


@dataclass(frozen=True)
class Sawade(Sampler):
    """Eq. 3 over the whole pool, with the model's probabilities for p(y=1|x) and for the expectation of G.

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5, scale="probability")
    >>> lowshot.Evaluation(pool, sampler="sawade").ask(2)
    [2, 1]

    lowest    probabilities are clipped to [lowest, 1 - lowest], so that every item can be drawn
    clip      bounds for G in Eq. 3
    """

    name: ClassVar[str] = "sawade"
    needs: ClassVar[frozenset[str]] = frozenset({"probabilities"})

    lowest: float = 1e-6
    clip: tuple[float, float] = (0.05, 0.95)

    def __post_init__(self) -> None:
        checks.number("lowest", self.lowest, 1e-300, 0.5)
        checks.bounds("clip", self.clip)

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        whole = pool.cells()
        known = history.labelled
        cells = whole.open(np.arange(len(whole)), known, history.seen)
        c = np.clip(pool.probabilities(cells.level), self.lowest, 1 - self.lowest)
        value = expected_value(c, cells.prediction, whole.mass, metric.alpha)
        weight = cells.mass * density(c, cells.prediction, float(np.clip(value, *self.clip)), metric.alpha)
        total = weight.sum()
        return CellDesign(
            cells=cells,
            probability=weight / total if total > 0 else weight,
            calibration=c,
            known=known,
            negatives=metric.alpha < 1,
        )

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        return from_rounds(pool, history, metric, confidence)
