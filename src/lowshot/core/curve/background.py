"""Positives anywhere in the ranking, whatever their scores: few labels cannot exclude them; a setting allows them."""

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.types import Flags


def with_background(
    curves: Curves, missed: Flags, expected: float, chances: float, negatives: float, random: np.random.Generator
) -> Curves:
    """The curves, half of them with a background rate: the probability that an item which is not predicted is positive.

    Rates are exponential with mean expected / chances. A curve is weighed by the probability that its rate gives to the
    labels: (1 - rate) ** negatives.

    missed     [pattern]: whether items of this pattern are predicted by no model
    expected   the mean number of such positives in curves that have any
    chances    how many items are not predicted
    negatives  how many of them were labelled negative

    >>> curves = Curves(np.zeros((3, 2, 1)), np.full(3, 1 / 3))
    >>> found = with_background(curves, np.array([False, True]), 50, 1000, 0, np.random.default_rng(0))
    >>> found.chance[:, 1, 0].round(2).tolist()
    [0.03, 0.0, 0.0]
    """
    rate = np.minimum(random.exponential(expected / max(chances, 1.0), len(curves.weight)), 0.5)
    rate *= random.random(len(rate)) < 0.5
    chance = curves.chance.copy()
    chance[:, missed] = 1 - (1 - chance[:, missed]) * (1 - rate)[:, None, None]
    weight = curves.weight * np.exp(negatives * np.log1p(-rate))
    return Curves(chance, weight / weight.sum())
