"""Macro F1 by plain counts of labelled items, as somebody computes it who labels a random sample."""

import numpy as np

from lowshot.core.types import Floats, Integers

AGAIN = 1_000  # samples that are drawn again from the labelled items
BLOCK = 1 << 22  # labels that are drawn again at a time, to bound memory
ENDS = (0.025, 0.975)  # quantiles of a 95 % interval


def macro_f1(labels: Integers, predictions: Integers, classes: int) -> float:
    """The mean F1 of the classes that occur among these labels or predictions, as scikit-learn has it by default.

    >>> macro_f1(np.array([0, 0, 2]), np.array([0, 2, 2]), 4)
    0.6666666666666666
    """
    return float(_macro(labels[None], predictions[None], classes)[0])


def interval(labels: Integers, predictions: Integers, classes: int, random: np.random.Generator) -> tuple[float, float]:
    """The naive 95 % interval: quantiles of the same number of samples that are drawn again with replacement.

    >>> same = np.array([0, 1, 2, 2])
    >>> interval(same, same, 3, np.random.default_rng(0))
    (1.0, 1.0)
    """
    found, count = [], max(1, BLOCK // len(labels))
    for start in range(0, AGAIN, count):
        drawn = random.integers(len(labels), size=(min(count, AGAIN - start), len(labels)))
        found.append(_macro(labels[drawn], predictions[drawn], classes))
    low, high = np.quantile(np.concatenate(found), ENDS)
    return float(low), float(high)


def _macro(labels: Integers, predictions: Integers, classes: int) -> Floats:
    """Of several samples, [sample, item]."""
    right = _counts(np.where(labels == predictions, labels, classes), classes + 1)[:, :classes]  # the last one: wrong
    below = _counts(labels, classes) + _counts(predictions, classes)
    found: Floats = (2 * right / np.maximum(below, 1)).sum(axis=1) / np.count_nonzero(below, axis=1)
    return found


def _counts(values: Integers, classes: int) -> Integers:
    """How often each class is among the values of each sample, [sample, class]."""
    samples = len(values)
    place = values + classes * np.arange(samples)[:, None]
    return np.bincount(place.ravel(), minlength=samples * classes).reshape(samples, classes)
