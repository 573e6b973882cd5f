"""Positives that may lie anywhere, whatever their scores: few labels cannot exclude them, so a user may allow them."""

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.types import Flags


def with_background(
    curves: Curves, missed: Flags, expected: float, chances: float, negatives: float, random: np.random.Generator
) -> Curves:
    """Half of the curves get a rate of their own at which any item that is not predicted may be positive.

    missed     the patterns of items that are not predicted
    expected   how many such positives there are, on average, if there are any
    chances    items that are not predicted: each could be one
    negatives  how many of them turned out not to be: the more, the less likely are high rates

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
