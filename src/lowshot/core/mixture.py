"""A mixture of two Gaussians in which labelled items keep their class (the numerical part of GMM).

scikit-learn's mixture does not support fixed responsibilities, hence this EM over cells.
"""

import math
from dataclasses import dataclass

import numpy as np

from lowshot.core.magnitude import divided, exponent_of
from lowshot.core.types import Floats


@dataclass(frozen=True)
class Moments:
    """Sums of 1, x and x^2 over weighted items: the sufficient statistics of a Gaussian."""

    mass: float
    first: float
    second: float

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def __sub__(self, other: "Moments") -> "Moments":
        return Moments(self.mass - other.mass, self.first - other.first, self.second - other.second)


def _moments(weight: Floats, x: Floats, square: Floats) -> Moments:
    return Moments(float(weight.sum()), float(weight @ x), float(weight @ square))


@dataclass(frozen=True)
class Component:
    """One Gaussian with its share of the pool. Its logarithm, up to a constant, is a + b x + c x^2."""

    a: float
    b: float
    c: float

    @classmethod
    def fit(cls, found: Moments, total: float, floor: float) -> "Component":
        mass = max(found.mass, 1e-12)
        mean = found.first / mass
        deviation = max(math.sqrt(max(found.second / mass - mean**2, 0.0)), floor)
        curve = -1 / (2 * deviation**2)
        return cls(math.log(mass / total / deviation) + curve * mean**2, -2 * curve * mean, curve)

    def total(self, over: Moments) -> float:
        """The sum of the logarithms over weighted items."""
        return self.a * over.mass + self.b * over.first + self.c * over.second


def posterior(
    x: Floats,
    count: Floats,
    start: Floats,
    labelled_x: Floats,
    labels: Floats,
    steps: int = 100,
    tolerance: float = 1e-3,
) -> Floats:
    """P(positive | x) for each unlabelled cell, by EM from the responsibilities in `start`.

    It stops as scikit-learn's GaussianMixture does by default: after 100 steps, or when the mean
    log-likelihood per item grows by less than 1e-3. With more steps the positive component of a rare category
    drifts to where most scores are, and no longer describes the positives.

    >>> import numpy as np
    >>> x = np.array([-2.0, -1.5, 1.5, 2.0])
    >>> posterior(x, np.ones(4), np.array([0, 0, 1.0, 1.0]), x[[0, 3]], np.array([0, 1.0])).round(2).tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    order = np.lexsort((labels, labelled_x))  # sums must not depend on the order of rows, not even in the last bit
    labelled_x, labels = labelled_x[order], labels[order]
    exponent = exponent_of(np.concatenate([x, labelled_x]))
    x, labelled_x = divided(x, exponent), divided(labelled_x, exponent)
    centre = float((count @ x + labelled_x.sum()) / (count.sum() + len(labelled_x)))
    x, labelled_x = x - centre, labelled_x - centre  # second moments of values that are not centred lose digits
    square = x**2
    unlabelled = _moments(count, x, square)
    everything = unlabelled + _moments(np.ones(len(labels)), labelled_x, labelled_x**2)
    fixed = _moments(labels, labelled_x, labelled_x**2)
    floor = 1e-3 * math.sqrt(everything.second / everything.mass) + 1e-9
    responsibility, likelihood = start, -math.inf
    for _ in range(steps):
        mine = _moments(count * responsibility, x, square) + fixed
        positive = Component.fit(mine, everything.mass, floor)
        negative = Component.fit(everything - mine, everything.mass, floor)
        odds = _log_odds(positive, negative, x, square)
        rest = np.exp(-np.abs(odds))
        responsibility = np.where(odds > 0, 1.0, rest) / (1 + rest)
        gain = count @ (np.maximum(odds, 0) + np.log1p(rest))  # log(1 + exp(odds))
        before, likelihood = likelihood, float((negative.total(unlabelled) + gain) / everything.mass)
        if likelihood - before < tolerance:
            break
    return responsibility


def _log_odds(positive: Component, negative: Component, x: Floats, square: Floats) -> Floats:
    odds = (positive.c - negative.c) * square
    odds += (positive.b - negative.b) * x
    odds += positive.a - negative.a
    return odds
