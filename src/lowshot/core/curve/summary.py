"""Curves into a value and an interval: each curve predicts how many unlabelled items are positive."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from lowshot.core.interval import Interval
from lowshot.core.types import Floats


def totals(chance: Floats, weight: Floats, squares: Floats, labelled: Floats, random: np.random.Generator) -> Floats:
    """Total weight of positives of each pattern [curve, pattern], in units of an average item.

    Labelled positives count as they are; each unlabelled item is positive with the probability of its group.

    chance    P(positive) [curve, pattern, band]
    weight    sum of the weights of the unlabelled items of each group [pattern, band]
    squares   sum of their squares
    labelled  sum of the weights of the labelled positives of each pattern
    """
    found = []
    for kind in range(len(labelled)):
        each = chance[:, kind]
        mean = each @ weight[kind]
        variance = (each * (1 - each)) @ squares[kind]
        found.append(labelled[kind] + sums_of_chances(mean, variance, float(weight[kind].sum()), random))
    return np.stack(found, axis=1)


def sums_of_chances(mean: Floats, variance: Floats, most: float | Floats, random: np.random.Generator) -> Floats:
    """Binomial numbers with these means and variances, at most `most`.

    Each approximates a sum of independent 0/1 variables with unequal probabilities, and is exact for equal ones.
    """
    chance = np.clip(1 - variance / np.maximum(mean, 1e-12), 1e-6, 1 - 1e-9)
    size = np.minimum(np.round(mean / chance), 1e9).astype(np.int64)
    share = np.clip(mean / np.maximum(size, 1), 0, 1)
    return np.minimum(np.where(size > 0, random.binomial(size, share), 0.0), most)


class Summary(NamedTuple):
    """Value, variance and interval; the median of the draws, from which both halves of the interval are measured."""

    value: float
    variance: float
    interval: Interval
    middle: float

    def wider(self, times: float, highest: float) -> "Summary":
        """The summary with both halves of the interval multiplied by `times`."""
        if times == 1:
            return self
        low, high, confidence = self.interval.low, self.interval.high, self.interval.confidence
        low = max(0.0, self.middle - times * (self.middle - low))
        high = min(highest, self.middle + times * (high - self.middle))
        return self._replace(interval=Interval(low, high, confidence))

    def reaching(self, *, zero: bool, one: bool) -> "Summary":
        """The summary with an interval that reaches down to 0, or up to 1."""
        low, high, confidence = self.interval.low, self.interval.high, self.interval.confidence
        return self._replace(interval=Interval(0.0 if zero else low, 1.0 if one else high, confidence))

    def anytime(self, before: "Summary", highest: float, lowest: float = 0.0) -> "Summary":
        """The summary with an anytime interval: it covers the truth at all label counts at once, as stated.

        The ratio of prior to posterior density at the true value is a martingale that starts at 1. By Ville's
        inequality it ever exceeds 1 / (1 - confidence) with a probability of at most 1 - confidence. The interval
        holds the values where it does not. Both densities are taken as normal, scaled like the usual intervals.

        before  the summary without labels
        """
        if (
            before.interval.width == 0
        ):  # the metric has one possible value only: fn, if every item is predicted positive
            return self
        normal = float(ndtri((1 + self.interval.confidence) / 2))
        wide = (before.interval.high - before.interval.low) / 2 / normal

        def reach(half: float) -> float:
            """How far the interval extends on the side where the usual one extends by `half`."""
            narrow = min(max(half, 1e-12) / normal, wide)
            away = (self.middle - before.middle) / wide
            limit = -math.log(1 - self.interval.confidence) + math.log(wide / narrow) + away**2 / 2
            return narrow * math.sqrt(2 * limit)

        low = max(lowest, self.middle - reach(self.middle - self.interval.low))
        high = min(highest, self.middle + reach(self.interval.high - self.middle))
        low, high = min(low, self.interval.low), max(high, self.interval.high)
        return self._replace(interval=Interval(low, high, self.interval.confidence))


def summarise(
    draws: Floats, weight: Floats, confidence: float, highest: float, grain: float, stretch: float = 1.0
) -> Summary:
    """Value (midway between mean and median), variance and interval of weighted draws.

    The lower half of the interval is multiplied by `stretch`. The interval is never narrower than `grain`, the effect
    of one item.

    >>> summarise(np.linspace(0.4, 0.6, 100), np.full(100, 0.01), 0.95, 1.0, 0.01, stretch=1.15).interval
    Interval(low=0.389..., high=0.595..., confidence=0.95)
    >>> summarise(np.ones(100), np.full(100, 0.01), 0.95, 1.0, 0.01).interval
    Interval(low=0.99, high=1.0, confidence=0.95)
    """
    low, middle, high = quantiles(draws, weight, ((1 - confidence) / 2, 0.5, (1 + confidence) / 2))
    mean = weight @ draws
    value = min(float(mean + middle) / 2, highest)  # weights sum to 1 up to rounding
    low = min(max(0.0, middle - stretch * (middle - low)), value)
    high = min(max(high, value, low + grain), highest)
    low = max(0.0, min(low, high - grain))
    return Summary(
        value, float(weight @ (draws - mean) ** 2), Interval(float(low), float(high), confidence), float(middle)
    )


def interval_of(draws: Floats, weight: Floats, confidence: float) -> Interval:
    """The interval between two quantiles of weighted draws, with the same probability on both sides."""
    low, high = quantiles(draws, weight, ((1 - confidence) / 2, (1 + confidence) / 2))
    return Interval(float(low), float(high), confidence)


def decided(numbers: Floats, weight: Floats, margin: float, confidence: float) -> bool:
    """Whether draws of numbers [draw, number] decide something: the sign of one of them, or which one is the largest.

    One number is a difference: its interval must lie above the margin, below minus the margin, or between both.
    """
    if numbers.shape[1] > 1:
        return bool(best_shares(numbers, weight).max() >= confidence)
    found = interval_of(numbers[:, 0], weight, confidence)
    return found.low > margin or found.high < -margin or (-margin < found.low and found.high < margin)


def best_shares(values: Floats, weight: Floats) -> Floats:
    """The probability that each number is the largest, from draws [draw, number]; ties are shared.

    >>> best_shares(np.array([[0.5, 0.4], [0.3, 0.3]]), np.array([0.5, 0.5])).tolist()
    [0.75, 0.25]
    """
    largest = values >= values.max(axis=1, keepdims=True)
    found: Floats = weight @ (largest / largest.sum(axis=1, keepdims=True))
    return found


def quantiles(draws: Floats, weight: Floats, shares: tuple[float, ...]) -> Floats:
    """Quantiles of weighted draws; weights sum to 1.

    >>> quantiles(np.array([3.0, 1.0, 2.0]), np.array([0.25, 0.5, 0.25]), (0.25, 0.625)).tolist()
    [1.0, 2.0]
    """
    order = np.argsort(draws, kind="stable")  # many draws are equal; the default orders them as the processor likes
    middle = weight[order].cumsum() - weight[order] / 2
    return np.interp(shares, middle, draws[order])
