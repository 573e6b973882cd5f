"""Which groups to label next: one label at a time where the variance of F is expected to drop most (linear Bayes)."""

import numpy as np

from lowshot.core.types import Floats


def greedy(curves: Floats, open_: Floats, value: Floats, effect: Floats, size: int) -> list[int]:
    """Groups in the order in which to label them.

    curves  P(positive) of each posterior curve in each group [curve, group]
    open_   unlabelled items in each group
    value   F under each curve
    effect  what one more positive in the group adds to F

    A label of group g tells about the curve, by the covariance of c_g with F, and settles its own item. The expected
    drop of Var F is (a_g + own_g)^2 / v_g; afterwards covariances shrink as in a Gaussian conditioned on one value.
    """
    mean = curves.mean(axis=0)
    centred = curves - mean
    covariance = centred.T @ centred / len(curves)
    along = centred.T @ (value - value.mean()) / len(curves)
    noise = np.maximum(mean * (1 - mean), 1e-12)
    own = effect * (noise - covariance.diagonal())
    left = open_.copy()
    picks: list[int] = []
    while len(picks) < size and (left > 0).any():
        gain = np.where((left > 0) & (noise > 1e-12), (along + own) ** 2 / noise, -1.0)
        best = int(np.argmax(gain))
        if left[best] <= 0:
            break
        picks.append(best)
        left[best] -= 1
        row = covariance[best].copy()
        along -= row * ((along[best] + own[best]) / noise[best])
        covariance -= np.outer(row / noise[best], row)
    return picks
