"""A two-component Gaussian mixture whose labelled items are held fixed (the numerical part of GMM).

scikit-learn's mixture takes no fixed responsibilities, hence these few lines of EM on cells.
"""

import math
from dataclasses import dataclass

import numpy as np

from lowshot.core.types import Floats


@dataclass(frozen=True)
class Component:
    """One Gaussian with its share of the pool."""

    share: float
    mean: float
    deviation: float

    def log_density(self, x: Floats) -> Floats:
        """Of its share of the pool, up to the constant that all Gaussians have."""
        return math.log(self.share / self.deviation) - ((x - self.mean) / self.deviation) ** 2 / 2


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
    log-likelihood of an item gains less than 1e-3. To full convergence the positive component of a rare
    category wanders off and explains the bulk of the scores instead.

    >>> import numpy as np
    >>> x = np.array([-2.0, -1.5, 1.5, 2.0])
    >>> posterior(x, np.ones(4), np.array([0, 0, 1.0, 1.0]), x[[0, 3]], np.array([0, 1.0])).round(2).tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    everything = np.concatenate([x, labelled_x])
    weight = np.concatenate([count, np.ones(len(labelled_x))])
    floor = float(1e-3 * np.sqrt(np.cov(everything, aweights=weight, ddof=0)) + 1e-9)
    responsibility, likelihood = start, -np.inf
    for _ in range(steps):
        fixed = np.concatenate([responsibility, labels])
        positive = _fit(everything, weight * fixed, weight.sum(), floor)
        negative = _fit(everything, weight * (1 - fixed), weight.sum(), floor)
        high, low = positive.log_density(x), negative.log_density(x)
        rest = np.exp(-np.abs(high - low))  # one exponential serves both: np.logaddexp and expit would take two
        responsibility = np.where(high > low, 1.0, rest) / (1 + rest)
        total = count @ (np.maximum(high, low) + np.log1p(rest))
        before, likelihood = likelihood, float(total / weight.sum())
        if likelihood - before < tolerance:
            break
    return responsibility


def _fit(x: Floats, weight: Floats, total: float, floor: float) -> Component:
    mass = weight.sum() + 1e-12
    mean = float(weight @ x / mass)
    deviation = float(np.sqrt(weight @ (x - mean) ** 2 / mass))
    return Component(float(mass / total), mean, max(deviation, floor))
