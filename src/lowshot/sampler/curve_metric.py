"""A metric as a function of true and missed positives: its values, its bounds, what an item changes in it."""

import numpy as np

from lowshot.core.curve.answer import Totals
from lowshot.core.types import Floats
from lowshot.metric import FBeta, Metric


def values(metric: Metric, found: Totals, predicted: float, total: int) -> Floats:
    """The metric under each draw of tp and fn.

    >>> from lowshot.metric import metric
    >>> values(metric("f1"), Totals(np.array([30.0, 0.0]), np.array([20.0, 0.0])), 40, 1000).tolist()
    [0.666..., 0.0]
    """
    parts = (found.tp, predicted - found.tp, found.fn)
    numerator = sum(c * part for c, part in zip(metric.numerator, parts, strict=True))
    if metric.per_prediction:
        return np.asarray(numerator)
    if metric.denominator is None:
        return np.asarray(numerator / total)
    denominator = sum(c * part for c, part in zip(metric.denominator, parts, strict=True))
    return np.where(denominator > 0, numerator / np.maximum(denominator, 1e-12), 0.0)


def highest(metric: Metric, predicted: float, total: int) -> float:
    """What the metric can be at most."""
    if not metric.per_prediction:
        return 1.0
    return max(0.0, total - predicted) if metric.name == "fn" else predicted  # weights sum with rounding


def grain(metric: Metric, found: Totals, predicted: float, total: int) -> float:
    """What one item changes, about."""
    if metric.per_prediction:
        return 1.0
    if metric.denominator is None:
        return 1 / total
    return 1 / max(float(np.mean(found.tp + found.fn)) + predicted, 1.0)


def effects(metric: FBeta, expected: Totals, weight: Floats, predicted: float) -> tuple[Floats, Floats]:
    """F under each curve; and what one more positive adds to it, if predicted and if not."""
    below = metric.alpha * predicted + (1 - metric.alpha) * (expected.tp + expected.fn)
    value = expected.tp / np.maximum(below, 1e-12)
    missed = (1 - metric.alpha) * float(weight @ value)
    return value, np.array([1 - missed, -missed]) / max(float(weight @ below), 1e-12)
