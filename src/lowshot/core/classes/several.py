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
from scipy.linalg import cho_factor, cho_solve, cholesky
from scipy.special import expit

from lowshot.core.classes.beliefs import Counts
from lowshot.core.classes.estimates import Posterior
from lowshot.core.classes.influence import Aim, coefficients, mixed
from lowshot.core.classes.scores import MultiScores
from lowshot.core.classes.table import class_sums
from lowshot.core.types import Flags, Floats, Integers

SHARED = 4  # parameters that all classes have in common: shift, slope, jump, rest
MEAN = np.array([-1.5, 1.5, 1.0, -6.0])
DEVIATION = np.array([2.0, 1.5, 1.5, 2.0])
SCALE = 0.7  # the first guess of the standard deviation of own_c; it counts as that of so many classes:
COUNTS_AS = 5
STEPS = 30  # of Newton's method, at most
ENOUGH = 1e-6  # a step this small is the last one
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


def known_pairs(scores: MultiScores, labels: MultiLabelled, used: Flags | None = None) -> Truth:
    """Per listed pair what the labels say about it, or UNKNOWN. `used`: only these labels."""
    place = np.full(scores.items, -1, dtype=np.int64)
    some = np.ones(len(labels.item), dtype=np.bool_) if used is None else used
    place[labels.item[some]] = np.flatnonzero(some)
    label = place[scores.item]
    there = label >= 0
    truth = np.full(len(label), UNKNOWN, dtype=np.int8)
    truth[there] = labels.truth[label[there], scores.place[there]]
    return truth


def fit(scores: MultiScores, labels: MultiLabelled) -> MultiBeliefs:
    """The most likely parameters given the labels, and the normal distribution around them.

    >>> given = np.array([[2.0, -3.0], [0.5, 1.0], [-2.0, 1.5]])
    >>> scores = MultiScores.of([given], given > 0)
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
    truth = known_pairs(scores, labels, labels.teaches)
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
class MultiPosterior(Posterior):
    """What is believed about a part of a pool; see `posterior`."""

    scores: MultiScores
    parameters: Floats
    labelled: MultiLabelled

    @cached_property
    def labels(self) -> Integers:
        there = self.labelled.truth != UNKNOWN
        if self.part is not None:
            there = there & self.part[self.labelled.item][:, None]
        found: Integers = there.sum(axis=0)
        return found

    def _correction(self, by_tp: Floats, by_positives: Floats) -> tuple[float, float]:
        """The difference between what completely labelled items add and what they are believed to add, each counted for
        all the items that it stands for."""
        scores, labels = self.scores, self.labelled
        if not len(labels.item):
            return 0.0, 0.0
        truth = known_pairs(scores, labels)
        place = np.minimum(np.searchsorted(labels.item, scores.item), len(labels.item) - 1)
        used = (labels.item[place] == scores.item) & labels.complete[place]
        value = _worth(scores, by_tp, by_positives) * (truth - chances(scores, self.parameters))
        change = np.bincount(place[used], value[used], len(labels.item)) * scores.weight[labels.item]
        inside = np.ones(scores.items, dtype=np.bool_) if self.part is None else self.part
        counted = labels.complete & inside[labels.item]
        standing = np.where(counted, np.maximum(labels.expansion, 0.0), 0.0)
        missing = np.count_nonzero(inside) - np.count_nonzero(counted)
        if not standing.any() or missing <= 0:
            return 0.0, 0.0
        # Labels stand for no more items than there are: if all have a label, nothing is left to be estimated.
        standing *= min(1.0, missing / standing.sum())
        return float(standing @ change), float((standing * (standing + 1)) @ change**2)


def posterior(
    scores: MultiScores, beliefs: MultiBeliefs, labels: MultiLabelled, part: Flags | None = None
) -> MultiPosterior:
    """Labelled pairs count as they are, all others as they are believed to be."""
    parameters, count, flags = beliefs.parameters, scores.categories, scores.predicted
    weight = scores.weight if part is None else scores.weight * part
    held, place = weight[scores.item], scores.place.astype(np.int64)
    truth, believed = known_pairs(scores, labels), chances(scores, parameters)
    value = np.where(truth == UNKNOWN, believed, truth) * held
    noise = np.where(truth == UNKNOWN, believed * (1 - believed), 0.0) * held
    moves, tp_moves = (_moves(scores, np.where(kept, noise, 0.0), len(parameters)) for kept in (True, flags))
    far, far_known, far_noise = _unlisted(scores, parameters, labels, weight)
    moves[:, SHARED - 1] += far_noise
    moves[np.arange(count), SHARED + np.arange(count)] += far_noise
    counts = Counts(
        tp=class_sums(place[flags], value[flags], count),
        positives=np.bincount(place, value, count) + far + far_known,
        predicted=class_sums(place[flags], held[flags], count),
        tp_variance=class_sums(place[flags], (noise * held)[flags], count),
        positives_variance=np.bincount(place, noise * held, count) + far_noise,
        total=float(weight.sum()),
    )
    root = cholesky(beliefs.covariance, lower=True)
    return MultiPosterior(part, counts, tp_moves @ root, moves @ root, scores, parameters, labels)


def _moves(scores: MultiScores, noise: Floats, size: int) -> Floats:
    """[class, parameter]: the derivatives of sums of probabilities, of which `noise` is p (1 - p) times the weight."""
    count, place, given = scores.categories, scores.place, features(scores)
    found = np.zeros((count, size))
    for column in range(given.shape[1]):
        found[:, column] = np.bincount(place, given[:, column] * noise, count)
    found[np.arange(count), SHARED + np.arange(count)] = np.bincount(place, noise, count)
    return found


def _unlisted(
    scores: MultiScores, parameters: Floats, labels: MultiLabelled, weight: Floats
) -> tuple[Floats, Floats, Floats]:
    """Of pairs that are not listed, per class: those that are believed to apply, known to apply, and p (1 - p)."""
    count, far = scores.categories, expit(parameters[SHARED - 1] + parameters[SHARED:])
    listed = np.bincount(scores.place, weight[scores.item], count)
    known, applying = np.zeros(count), np.zeros(count)
    if len(labels.item):
        mine = weight[labels.item][:, None]
        truth = known_pairs(scores, labels)
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


def _worth(scores: MultiScores, by_tp: Floats, by_positives: Floats) -> Floats:
    """[pair]: what it adds to what is to be known if its class applies."""
    found: Floats = np.where(scores.predicted, by_tp[scores.place], 0.0) + by_positives[scores.place]
    return found


def design_parameters(found: MultiPosterior, aim: Aim) -> Floats:
    """The numbers from which the probabilities of the next draws can be computed, now and later."""
    return np.concatenate([found.parameters, *coefficients(found.counts, aim)])


def draw_probabilities(scores: MultiScores, parameters: Floats, closed: Integers) -> tuple[Floats, Floats]:
    """Of every item: the probability to be drawn, and the probability that its best class applies.

    `parameters` are those of `design_parameters`; `closed` are the items that cannot be drawn.
    """
    wanted, best = spreads(scores, parameters)
    return mixed(wanted, closed), best


def spreads(scores: MultiScores, parameters: Floats) -> tuple[Floats, Floats]:
    """Of every item: the standard deviation of what it adds, and the probability that its best class applies.

    Classes of an item are independent given the scores, so that variances add up, for an average as for each class.
    """
    count = scores.categories
    own, by_tp, by_positives = np.split(parameters, [SHARED + count, SHARED + 2 * count])
    chance = chances(scores, own)
    noise = _worth(scores, by_tp, by_positives) ** 2 * chance * (1 - chance)
    best = np.zeros(scores.items)
    np.maximum.at(best, scores.item, chance)
    return np.sqrt(np.bincount(scores.item, noise, scores.items)) * scores.weight, best
