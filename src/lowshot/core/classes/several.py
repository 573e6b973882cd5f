"""Items to which any number of classes apply: whether a class does is a question of its own for every pair of both.

With the score s of a pair (standardised), whether it is predicted (d), and the class c of the pair:

    logit P(c applies) = shift + slope s + jump d + own_c        pairs that are listed
    logit P(c applies) = rest + own_c                            all other pairs

own_c ~ N(0, scale^2) allows for classes that are more or less frequent than their scores say; its scale is learned.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from lowshot.core.classes.scores import MultiScores
from lowshot.core.types import Flags, Floats, Integers

SHARED = 4  # parameters that all classes have in common: shift, slope, jump, rest
MEAN = np.array([-1.5, 1.5, 1.0, -6.0])
DEVIATION = np.array([2.0, 1.5, 1.5, 2.0])
SCALE = 0.7  # the first guess of the standard deviation of own_c; it counts as that of so many classes:
COUNTS_AS = 5
STEPS = 30  # of Newton's method, at most
ENOUGH = 1e-6  # a step this small is the last one
FLOOR = 0.1  # the share of the draws that is uniform, so that no item is out of reach
UNKNOWN = -1

Truth = NDArray[np.int8]  # 1, 0, or UNKNOWN


@dataclass(frozen=True, eq=False)
class MultiLabelled:
    """Items with labels."""

    item: Integers  # [label], ascending
    truth: Truth  # [label, class]
    teaches: Flags  # [label]: whether beliefs learn from it; not from labels whose items were chosen in some way
    expansion: Floats  # [label]: for how many items without a label each one stands, by its draws

    @cached_property
    def complete(self) -> Flags:
        """Whether a label says about every class whether it applies."""
        found: Flags = (self.truth != UNKNOWN).all(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class MultiBeliefs:
    """Parameters as they were fitted to labels, and how sure they are."""

    parameters: Floats  # [SHARED + class]
    covariance: Floats


class _Data(NamedTuple):
    """What labels say, pair by pair; pairs that are not listed are counted per class."""

    features: Floats  # [pair, SHARED - 1]
    place: Integers  # [pair]
    applies: Floats  # [pair]
    others: Floats  # [class]: pairs that are not listed
    others_applying: Floats  # [class]


def features(scores: MultiScores) -> Floats:
    """[pair, SHARED - 1]: 1, the score with mean 0 and standard deviation 1, and whether it is predicted."""
    score = scores.score.astype(np.float64)
    spread = float(score.std())
    standard = (score - score.mean()) / spread if spread > 0 else np.zeros(len(score))
    return np.column_stack([np.ones(len(score)), standard, scores.predicted.astype(np.float64)])


def known_pairs(scores: MultiScores, labels: MultiLabelled, used: Flags | None = None) -> tuple[Truth, Flags]:
    """Per listed pair what the labels say about it, or UNKNOWN; and whether its item is completely labelled."""
    place = np.full(scores.items, -1, dtype=np.int64)
    some = np.ones(len(labels.item), dtype=np.bool_) if used is None else used
    place[labels.item[some]] = np.flatnonzero(some)
    label = place[scores.item]
    there = label >= 0
    truth = np.full(len(label), UNKNOWN, dtype=np.int8)
    truth[there] = labels.truth[label[there], scores.place[there]]
    complete = np.zeros(len(label), dtype=np.bool_)
    complete[there] = labels.complete[label[there]]
    return truth, complete


def fit(scores: MultiScores, labels: MultiLabelled) -> MultiBeliefs:
    """The most likely parameters given the labels, and the normal distribution around them.

    >>> scores = MultiScores.of([np.array([[2.0, -3.0], [0.5, 1.0], [-2.0, 1.5]])], np.array([[1, 0], [1, 1], [0, 1]]) > 0)
    >>> none = MultiLabelled(np.empty(0, int), np.empty((0, 2), np.int8), np.empty(0, bool), np.empty(0))
    >>> fit(scores, none).parameters.tolist()
    [-1.5, 1.5, 1.0, -6.0, 0.0, 0.0]
    """
    data = _data(scores, labels)
    parameters, scale = np.concatenate([MEAN, np.zeros(scores.categories)]), SCALE
    covariance = np.diag(np.concatenate([DEVIATION**2, np.full(scores.categories, scale**2)]))
    for _ in range(STEPS):
        precision = 1 / np.concatenate([DEVIATION**2, np.full(scores.categories, scale**2)])
        gradient, curvature = _slopes(data, parameters)
        centre = np.concatenate([MEAN, np.zeros(scores.categories)])
        gradient -= precision * (parameters - centre)
        curvature[np.diag_indices_from(curvature)] += precision
        factor = cho_factor(curvature)
        step = cho_solve(factor, gradient)
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))  # far from the optimum Newton's step is too long
        parameters, covariance = parameters + step, cho_solve(factor, np.eye(len(parameters)))
        own = parameters[SHARED:] ** 2 + np.diag(covariance)[SHARED:]
        before, scale = scale, float(np.sqrt((own.sum() + COUNTS_AS * SCALE**2) / (len(own) + COUNTS_AS)))
        if np.abs(step).max() < ENOUGH and abs(scale - before) < 1e-4:
            break
    return MultiBeliefs(parameters, covariance)


def _data(scores: MultiScores, labels: MultiLabelled) -> _Data:
    truth, _ = known_pairs(scores, labels, labels.teaches)
    there = truth != UNKNOWN
    place, count = scores.place[there].astype(np.int64), scores.categories
    taught = labels.truth[labels.teaches]
    listed, applying = np.bincount(place, minlength=count), np.bincount(place, truth[there], count)
    others = (taught != UNKNOWN).sum(axis=0) - listed
    return _Data(
        features(scores)[there],
        place,
        truth[there].astype(np.float64),
        others.astype(np.float64),
        (taught == 1).sum(axis=0) - applying,
    )


def _slopes(data: _Data, parameters: Floats) -> tuple[Floats, Floats]:
    """Gradient and negative curvature of the logarithm of the likelihood."""
    size = len(parameters)
    count, own = size - SHARED, parameters[SHARED:]
    chance = expit(data.features @ parameters[: SHARED - 1] + own[data.place])
    far = expit(parameters[SHARED - 1] + own)
    miss, weight = data.applies - chance, chance * (1 - chance)
    far_miss, far_weight = data.others_applying - data.others * far, data.others * far * (1 - far)
    gradient = np.zeros(size)
    gradient[: SHARED - 1] = data.features.T @ miss
    gradient[SHARED - 1] = far_miss.sum()
    gradient[SHARED:] = np.bincount(data.place, miss, count) + far_miss
    curvature = np.zeros((size, size))
    weighted = data.features * weight[:, None]
    curvature[: SHARED - 1, : SHARED - 1] = data.features.T @ weighted
    curvature[SHARED - 1, SHARED - 1] = far_weight.sum()
    for column in range(SHARED - 1):
        curvature[column, SHARED:] = np.bincount(data.place, weighted[:, column], count)
    curvature[SHARED - 1, SHARED:] = far_weight
    curvature[SHARED:, :SHARED] = curvature[:SHARED, SHARED:].T
    curvature[SHARED:, SHARED:] = np.diag(np.bincount(data.place, weight, count) + far_weight)
    return gradient, curvature


@dataclass(frozen=True, eq=False)
class MultiCounts:
    """Per class, over the whole pool or a part of it: expected counts, what chance adds, and how parameters move them."""

    tp: Floats
    positives: Floats
    predicted: Floats
    tp_variance: Floats  # also the covariance of tp and positives
    positives_variance: Floats
    tp_moves: Floats  # [class, parameter]
    positives_moves: Floats  # [class, parameter]


def counts(scores: MultiScores, parameters: Floats, labels: MultiLabelled, part: Flags | None = None) -> MultiCounts:
    """Labelled pairs count as they are, all others as they are believed to be."""
    weight = scores.weight if part is None else scores.weight * part
    size, count = len(parameters), scores.categories
    truth, _ = known_pairs(scores, labels)
    held = weight[scores.item]
    place = scores.place.astype(np.int64)
    believed = chances(scores, parameters)
    value = np.where(truth == UNKNOWN, believed, truth)
    noise = np.where(truth == UNKNOWN, believed * (1 - believed), 0.0)
    moves = _moves(features(scores) * (noise * held)[:, None], noise * held, place, count, size)
    flags = scores.predicted
    tp_moves = _moves(
        features(scores)[flags] * (noise * held)[flags, None], (noise * held)[flags], place[flags], count, size
    )
    far, far_known, far_noise = _unlisted(scores, parameters, labels, weight)
    moves[:, SHARED - 1] += far_noise
    moves[np.arange(count), SHARED + np.arange(count)] += far_noise
    return MultiCounts(
        tp=np.bincount(place[flags], (value * held)[flags], count),
        positives=np.bincount(place, value * held, count) + far + far_known,
        predicted=np.bincount(place[flags], held[flags], count),
        tp_variance=np.bincount(place[flags], (noise * held**2)[flags], count),
        positives_variance=np.bincount(place, noise * held**2, count) + far_noise,
        tp_moves=tp_moves,
        positives_moves=moves,
    )


def _moves(weighted: Floats, own: Floats, place: Integers, count: int, size: int) -> Floats:
    found = np.zeros((count, size))
    for column in range(weighted.shape[1]):
        found[:, column] = np.bincount(place, weighted[:, column], count)
    found[np.arange(count), SHARED + np.arange(count)] = np.bincount(place, own, count)
    return found


def _unlisted(
    scores: MultiScores, parameters: Floats, labels: MultiLabelled, weight: Floats
) -> tuple[Floats, Floats, Floats]:
    """Of pairs that are not listed, per class: those that are believed and known to apply, and the variance of chance."""
    count, far = scores.categories, expit(parameters[SHARED - 1] + parameters[SHARED:])
    listed = np.bincount(scores.place, weight[scores.item], count)
    known, applying = np.zeros(count), np.zeros(count)
    if len(labels.item):
        mine = weight[labels.item][:, None]
        truth, _ = known_pairs(scores, labels)
        there = truth != UNKNOWN
        held = weight[scores.item[there]]
        known = ((labels.truth != UNKNOWN) * mine).sum(axis=0) - np.bincount(scores.place[there], held, count)
        applying = ((labels.truth == 1) * mine).sum(axis=0) - np.bincount(
            scores.place[there], held * truth[there], count
        )
    left = np.maximum(weight.sum() - listed - known, 0.0)
    return left * far, applying, left * far * (1 - far)


def chances(scores: MultiScores, parameters: Floats) -> Floats:
    """[pair]: the probability that its class applies."""
    found: Floats = expit(features(scores) @ parameters[: SHARED - 1] + parameters[SHARED:][scores.place])
    return found


def draw_probabilities(
    scores: MultiScores, parameters: Floats, labelled: Integers, worth: tuple[Floats, Floats]
) -> Floats:
    """[item]: how likely each is drawn, 0 for labelled ones: in proportion to how uncertain its share in the goal is.

    worth   [class]: what a true positive and a positive add to what is to be known
    """
    right, there = worth
    believed = chances(scores, parameters)
    value = np.where(scores.predicted, right[scores.place], 0.0) + there[scores.place]
    noise = np.bincount(scores.item, value**2 * believed * (1 - believed), scores.items)
    wanted = np.sqrt(noise) * scores.weight
    free = np.ones(scores.items)
    free[labelled] = 0.0
    wanted *= free
    total = float(wanted.sum())
    uniform = free / max(float(free.sum()), 1.0)
    return uniform if total <= 0 else (1 - FLOOR) * wanted / total + FLOOR * uniform


def correction(
    scores: MultiScores, parameters: Floats, labels: MultiLabelled, worth: tuple[Floats, Floats]
) -> tuple[float, float]:
    """By how much the drawn labels say that the model's sum is wrong, and the variance of that.

    The difference between what completely labelled items add and what they are believed to add, each counted for all
    the items that it stands for.
    """
    right, there = worth
    truth, complete = known_pairs(scores, labels)
    used = complete & (truth != UNKNOWN)
    value = np.where(scores.predicted[used], right[scores.place[used]], 0.0) + there[scores.place[used]]
    place = np.searchsorted(labels.item, scores.item[used])
    miss = np.bincount(place, value * (truth[used] - chances(scores, parameters)[used]), len(labels.item))
    miss *= scores.weight[labels.item] * labels.complete
    shares = labels.expansion * miss
    return float(shares.sum()), float((labels.expansion * (labels.expansion + 1) * miss**2).clip(min=0).sum())
