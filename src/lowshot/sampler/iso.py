"""ISO: uniform draws; isotonic regression gives the probabilities of unlabelled items."""

from dataclasses import dataclass
from typing import ClassVar

from lowshot.core.calibration import isotonic
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
class Iso(Sampler):
    """Calibrate on random labels, then take expectations. There is no estimate of the variance, so no interval.

    >>> import lowshot
    >>> scores, truth = [0.9, 0.8, 0.2, 0.1], [1, 0, 0, 0]
    >>> lowshot.estimate(scores, [1, 1, 0, 0], lambda ids: [truth[i] for i in ids], budget=4, sampler="iso").value
    0.6666666666666666
    """

    name: ClassVar[str] = "iso"

    def propose(self, pool: View, history: History, metric: FBeta) -> Design:
        return uniform_design(pool, history)

    def estimate(self, pool: View, history: History, metric: Metric, confidence: float) -> Estimate:
        def fill_in(cells: Cells, told: Integers, labels: Floats) -> Floats:
            return isotonic(pool.midrank(told), labels, cells.midrank, pool.p(told))

        return filled_in(pool, history, metric, fill_in)
