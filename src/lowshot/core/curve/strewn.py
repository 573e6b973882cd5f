"""Positives that may lie anywhere, whatever their scores: few labels cannot exclude them, so a user may allow them."""

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.types import Floats


def with_background(
    curves: Curves, expected: float, chances: Floats, negatives: Floats, random: np.random.Generator
) -> Curves:
    """Half of the curves get a rate of their own at which any item that is not predicted may be positive.

    expected   how many such positives there are, on average, if there are any
    chances    items that are not predicted, by band: each could be one
    negatives  how many of them turned out not to be, by band: the more, the less likely are high rates

    >>> curves = Curves(np.zeros((3, 2, 1)), np.full(3, 1 / 3))
    >>> found = with_background(curves, 50, np.array([1000.0]), np.array([0.0]), np.random.default_rng(0))
    >>> found.chance[:, 1, 0].round(2).tolist()
    [0.03, 0.0, 0.0]
    """
    rate = np.minimum(random.exponential(expected / max(chances.sum(), 1.0), len(curves.weight)), 0.5)
    rate *= random.random(len(rate)) < 0.5
    chance = curves.chance.copy()
    chance[:, 1] = 1 - (1 - chance[:, 1]) * (1 - rate)[:, None]
    weight = curves.weight * np.exp(negatives.sum() * np.log1p(-rate))
    return Curves(chance, weight / weight.sum())
