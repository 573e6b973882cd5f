"""What labels are spent on: the metric as a function of the positives of each pattern, its bounds and derivatives."""

from dataclasses import dataclass

import numpy as np

from lowshot.core.types import Flags, Floats
from lowshot.metric import Metric
from lowshot.pools.base import View


@dataclass(frozen=True, eq=False)
class ModelGoal:
    """The metric of one model. `totals` are weights of positives [draw, pattern], in units of an average item.

    >>> from lowshot.metric import metric
    >>> goal = ModelGoal(metric("f1"), np.array([True, False]), predicted=40, total=1000)
    >>> goal.values(np.array([[30.0, 20.0], [0.0, 0.0]])).tolist()
    [0.666..., 0.0]
    """

    metric: Metric
    is_predicted: Flags  # of each pattern
    predicted: float  # the weight of the predicted positives
    total: int  # items of the pool

    @classmethod
    def of(cls, pool: View, metric: Metric) -> "ModelGoal":
        return cls(metric, pool.patterns[:, 0], pool.predicted_weight, pool.total)

    def values(self, totals: Floats) -> Floats:
        """The metric under each draw."""
        tp, fn = self._split(totals)
        parts = (tp, self.predicted - tp, fn)
        numerator = sum(c * part for c, part in zip(self.metric.numerator, parts, strict=True))
        if self.metric.per_prediction:
            return np.asarray(numerator)
        if self.metric.denominator is None:
            return np.asarray(numerator / self.total)
        denominator = sum(c * part for c, part in zip(self.metric.denominator, parts, strict=True))
        return np.where(denominator > 0, numerator / np.maximum(denominator, 1e-12), 0.0)

    @property
    def highest(self) -> float:
        """The largest possible value of the metric."""
        if not self.metric.per_prediction:
            return 1.0
        missed = max(0.0, self.total - self.predicted)  # sums of weights are rounded
        return missed if self.metric.name == "fn" else self.predicted

    def grain(self, totals: Floats) -> float:
        """About how much one item changes the metric."""
        if self.metric.per_prediction:
            return 1.0
        if self.metric.denominator is None:
            return 1 / self.total
        tp, fn = self._split(totals)
        return 1 / max(float(np.mean(tp + fn)) + self.predicted, 1.0)

    def effects(self, expected: Floats, weight: Floats, alpha: float) -> tuple[Floats, Floats]:
        """F under each curve, from its expected positives; and how much one more positive of each pattern adds to F."""
        tp, fn = self._split(expected)
        below = alpha * self.predicted + (1 - alpha) * (tp + fn)
        value = tp / np.maximum(below, 1e-12)
        missed = (1 - alpha) * float(weight @ value)
        return value, (self.is_predicted.astype(np.float64) - missed) / max(float(weight @ below), 1e-12)

    def _split(self, totals: Floats) -> tuple[Floats, Floats]:
        """True positives and missed positives."""
        return totals[:, self.is_predicted].sum(axis=1), totals[:, ~self.is_predicted].sum(axis=1)
