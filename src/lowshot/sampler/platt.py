"""PLATT: uniform draws; Platt scaling gives the probabilities of unlabelled items."""

from dataclasses import dataclass
from typing import ClassVar

from lowshot.core.calibration import platt
from lowshot.core.cells import Cells
from lowshot.core.types import Floats, Integers
from lowshot.design import Design
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.fill_in import filled_in, uniform_design


@dataclass(frozen=True)
class Platt(Sampler):
    """As ISO, with a logistic curve of the score (of its log-odds, if the scale of the pool is known).

    >>> import lowshot
    >>> scores, truth = [0.9, 0.8, 0.2, 0.1], [1, 0, 0, 0]
    >>> lowshot.estimate(scores, [1, 1, 0, 0], lambda ids: [truth[i] for i in ids], budget=4, sampler="platt").value
    0.6666666666666666
    """

    name: ClassVar[str] = "platt"

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        return uniform_design(pool, history)

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        def fill_in(cells: Cells, told: Integers, labels: Floats) -> Floats:
            return platt_curve(pool, told, labels, cells.level, pool.p(told))

        return filled_in(pool, history, metric, fill_in)


def platt_curve(pool: View, told: Integers, labels: Floats, levels: Floats, weight: Floats | None = None) -> Floats:
    """The probabilities at these score levels, by Platt scaling on the labels of the items `told`."""
    scores = pool.level(told)
    if pool.scale is None:
        return platt(scores, labels, levels, weight)
    return platt(pool.logits(scores), labels, pool.logits(levels), weight)
