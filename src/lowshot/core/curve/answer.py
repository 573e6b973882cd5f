"""Curves into an answer: what each says about the unlabelled items, with their own chance, and the spread of it all."""

from typing import NamedTuple

import numpy as np

from lowshot.core.interval import Interval
from lowshot.core.types import Floats

STRETCH = 1.15  # of the lower half of the interval: nearly every miss was an F that is lower than it seems


class Totals(NamedTuple):
    """True positives and missed positives, in units of an average item; one value a curve, or sums of labels."""

    tp: Floats
    fn: Floats


def totals(
    curves: Floats, weight: Floats, squares: Floats, labelled: tuple[float, float], random: np.random.Generator
) -> Totals:
    """Draws of tp and fn: each unlabelled item is positive with the probability of its group.

    curves   P(positive) [curve, prediction, band]
    weight   of the unlabelled items of each group [prediction, band], in units of an average item
    squares  the same, squared
    """
    found = []
    for kind in range(2):
        chance = curves[:, kind]
        mean = chance @ weight[kind]
        variance = (chance * (1 - chance)) @ squares[kind]
        found.append(labelled[kind] + _sum_of_chances(mean, variance, float(weight[kind].sum()), random))
    return Totals(*found)


def _sum_of_chances(mean: Floats, variance: Floats, most: float, random: np.random.Generator) -> Floats:
    """A binomial with this mean and variance: close to the sum of many unequal chances, and exact for equal ones."""
    chance = np.clip(1 - variance / np.maximum(mean, 1e-12), 1e-6, 1 - 1e-9)
    size = np.minimum(np.round(mean / chance), 1e9).astype(np.int64)
    share = np.clip(mean / np.maximum(size, 1), 0, 1)
    return np.minimum(np.where(size > 0, random.binomial(size, share), 0.0), most)


class Summary(NamedTuple):
    """Value, variance and interval."""

    value: float
    variance: float
    interval: Interval


def summarise(draws: Floats, confidence: float, highest: float, grain: float) -> Summary:
    """Half mean, half median; the lower half of the interval a little stretched, never narrower than one item.

    >>> summarise(np.linspace(0.4, 0.6, 101), 0.95, 1.0, 0.01).interval
    Interval(low=0.390..., high=0.595, confidence=0.95)
    >>> summarise(np.ones(100), 0.95, 1.0, 0.01).interval
    Interval(low=0.99, high=1.0, confidence=0.95)
    """
    low, middle, high = np.quantile(draws, [(1 - confidence) / 2, 0.5, (1 + confidence) / 2])
    value = float(draws.mean() + middle) / 2
    low = min(max(0.0, middle - STRETCH * (middle - low)), value)
    high = min(max(high, value, low + grain), highest)
    low = max(0.0, min(low, high - grain))
    return Summary(value, float(draws.var()), Interval(float(low), float(high), confidence))
