"""Which groups to label next: one label at a time where the variance of F is expected to drop most (linear Bayes)."""

import numpy as np

from lowshot.core.types import Floats, Integers

MOST = 600  # groups that are considered: the time of a label grows with the square of their number
# A drop of a variance that is none: rounding, which differs between processors, leaves about 1e-22 of it.
NOTHING = 1e-16


def greedy(chance: Floats, weight: Floats, open_: Floats, value: Floats, effect: Floats, size: int) -> list[int]:
    """Groups in the order in which to label them.

    chance  P(positive) of each posterior curve in each group [curve, group]
    weight  of each curve
    open_   unlabelled items in each group
    value   F under each curve [curve, number]: one number, or several whose variances are added
    effect  what one more positive in the group adds to F [number, group]

    A label of group g is informative in two ways: about the curve, through the covariance of c_g with F (`along`), and
    about its own item, which is no longer uncertain (`effect * (noise - variance of c_g)`). Their sum is the covariance
    `score` of the label with F, so the expected drop of Var F is score^2 / noise, where noise is the variance of the
    label. After a label all covariances are updated as in a Gaussian that is conditioned on one value.

    Where no label tells anything about F any more, as with a threshold above which all is labelled, the group comes
    next whose labels are the most uncertain: for a threshold, the one just below it.
    """
    if chance.shape[1] > MOST:
        kept = _promising(chance, weight, open_, value, effect)
        return [int(kept[pick]) for pick in greedy(chance[:, kept], weight, open_[kept], value, effect[:, kept], size)]
    mean = weight @ chance
    centred = chance - mean
    weighted = (centred * weight[:, None]).T
    covariance = weighted @ centred
    along = (weighted @ (value - weight @ value)).T
    noise = mean * (1 - mean)
    precision = np.where((open_ > 0) & (noise > 1e-12), 1 / np.maximum(noise, 1e-12), -1.0)  # -1: cannot be chosen
    score = along + effect * (noise - covariance.diagonal())
    left = open_.astype(np.int64)
    picks: list[int] = []
    while len(picks) < min(size, open_.sum()):
        drop = (score * score).sum(axis=0) * precision
        best = int(np.argmax(drop))
        if drop[best] < NOTHING:
            best = int(np.argmax(np.where(precision > 0, noise, -1.0)))
        if precision[best] < 0:
            break
        picks.append(best)
        left[best] -= 1
        row = covariance[best] * precision[best]
        score -= score[:, best, None] * row
        covariance -= np.outer(row, covariance[best])
        if left[best] == 0:
            precision[best] = -1.0
    return picks


def _promising(chance: Floats, weight: Floats, open_: Floats, value: Floats, effect: Floats) -> Integers:
    """The MOST groups whose first label is expected to reduce the variance most, in their order."""
    mean = weight @ chance
    centred = chance - mean
    along = (value - weight @ value).T @ (centred * weight[:, None])
    noise = mean * (1 - mean)
    score = along + effect * (noise - weight @ centred**2)
    drop = (score * score).sum(axis=0) / np.maximum(noise, 1e-12)
    drop = np.where((open_ > 0) & (noise > 1e-12), np.where(drop < NOTHING, 0.0, drop), -1.0)
    return np.sort(np.argsort(-drop, kind="stable")[:MOST])
