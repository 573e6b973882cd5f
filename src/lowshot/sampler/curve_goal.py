"""What labels are spent on, as functions of the positives of each pattern: values, bounds and derivatives."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Flags, Floats
from lowshot.goal import BEST, Goal, models_of
from lowshot.metric import Metric
from lowshot.pools.base import View

# A pair's labels go where they tell most about the difference, and this share as much about each of both numbers: all
# positives scale the difference, and nobody knows how many there are where none was labelled.
BESIDE = 0.2
NEVER = 1e-3  # differences less important than this, relative to the most important one, are not labelled for


@dataclass(frozen=True, eq=False)
class ModelGoal:
    """The metric of one model. `totals` are weights of positives [draw, pattern], in units of an average item.

    >>> from lowshot.metric import metric
    >>> goal = ModelGoal(metric("f1"), np.array([1.0, 0.0]), predicted=40, total=1000)
    >>> goal.values(np.array([[30.0, 20.0], [0.0, 0.0]])).tolist()
    [0.666..., 0.0]
    """

    metric: Metric
    share: Floats  # [pattern]: 1 if the model predicts such items positive
    predicted: float  # the weight of the predicted positives
    total: float  # the weight of all items of the pool, which is their number

    @classmethod
    def of(cls, pool: View, metric: Metric, model: str | None = None) -> "ModelGoal":
        """Of the model that is judged, or of another one."""
        joint = pool.joint
        place = joint.judged if model is None else joint.models.index(model)
        return cls(metric, joint.patterns[:, place], joint.weight[place], pool.total)

    def inside(self, predicted: float, total: float) -> "ModelGoal":
        """The same of a part of the pool, with so much weight of predicted positives and of all items."""
        return replace(self, predicted=predicted, total=total)

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
        return value, (self.share - missed) / max(float(weight @ below), 1e-12)

    def _split(self, totals: Floats) -> tuple[Floats, Floats]:
        """True positives and missed positives."""
        tp = totals @ self.share
        return tp, totals @ (1 - self.share)


class Effects(NamedTuple):
    """Numbers whose variances are to fall."""

    value: Floats  # [curve, number]
    effect: Floats  # [number, pattern]: what one more positive adds


@dataclass(frozen=True, eq=False)
class Wanted:
    """The numbers that a goal is about."""

    goal: Goal
    models: dict[str, ModelGoal]  # those that the goal is about
    alpha: float

    @classmethod
    def of(cls, pool: View, metric: Metric, alpha: float, goal: Goal | None) -> "Wanted":
        """`goal` None: the model that is judged. A pair is in the order of the pool: which of the two is the baseline
        has no influence on what is labelled, or on when that suffices."""
        joint = pool.joint
        found = joint.models[joint.judged] if goal is None else goal
        if isinstance(found, tuple):
            found = tuple(sorted(found, key=joint.models.index))
        return cls(found, {name: ModelGoal.of(pool, metric, name) for name in models_of(found, joint.models)}, alpha)

    @property
    def is_predicted(self) -> Flags:
        """[pattern]: whether one of the models predicts such items positive."""
        found: Flags = np.any([model.share > 0 for model in self.models.values()], axis=0)
        return found

    def numbers(self, totals: Floats) -> Floats:
        """What is to be known, under each draw [draw, number]: the difference of a pair, or the metric of models."""
        values = np.stack([model.values(totals) for model in self.models.values()], axis=1)
        return values[:, [1]] - values[:, [0]] if isinstance(self.goal, tuple) else values

    def effects(self, expected: Floats, weight: Floats) -> Effects:
        """The numbers under each curve, from its expected positives, and their derivatives."""
        pairs = [model.effects(expected, weight, self.alpha) for model in self.models.values()]
        value, effect = np.stack([pair[0] for pair in pairs], axis=1), np.stack([pair[1] for pair in pairs])
        if isinstance(self.goal, tuple):
            each = BESIDE * value, BESIDE * effect
            return Effects(
                np.hstack([value[:, [1]] - value[:, [0]], each[0]]), np.vstack([effect[[1]] - effect[[0]], each[1]])
            )
        return contenders(value, effect, weight) if self.goal == BEST else Effects(value, effect)


def contenders(value: Floats, effect: Floats, weight: Floats) -> Effects:
    """The differences of all models to the one that is best on average, each as important as it is undecided.

    A difference with mean m and standard deviation s is multiplied by exp(-m^2 / (2 s^2)): a label that shrinks the
    variance of a difference is worth as much as the density at 0, where the decision changes.
    """
    mean = weight @ value
    best = int(np.argmax(mean))
    others = [place for place in range(value.shape[1]) if place != best]
    difference, slope = value[:, others] - value[:, [best]], effect[others] - effect[best]
    centre = weight @ difference
    variance = weight @ (difference - centre) ** 2
    log_factor = -(centre**2) / np.maximum(2 * variance, 1e-18)
    factor = np.exp(log_factor - log_factor.max())
    kept = factor > NEVER
    return Effects(difference[:, kept] * factor[kept], slope[kept] * factor[kept, None])
