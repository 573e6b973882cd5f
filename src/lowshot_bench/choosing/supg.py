"""SUPG: thresholds from labels that are drawn with probabilities that follow the scores.

Kang, Gan, Bailis, Hashimoto and Zaharia (VLDB 2020), "Approximate selection with guarantees using proxies": the
algorithms with importance sampling for a recall target and, in two stages, for a precision target. Scores must be
probabilities. Labels are drawn with replacement, so there may be fewer of them than the budget.

What the paper leaves open is as in the authors' code (stanford-futuredata/supg, commit cff4e7e): the width of the
normal bounds, the number of tests that the failure probability of a precision target is divided by, and the step.
"""

import math
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Flags, Floats, Integers
from lowshot_bench.choosing.chosen import Chosen, Oracle, best_first, everything, first_items

UNIFORM = 0.1  # share of the draws that do not follow the scores
STEP = 100  # labels between two candidates of a precision target


class Bounds(NamedTuple):
    """Of a mean, each with its failure probability."""

    low: float
    high: float


def bounds(values: Floats, delta: float) -> Bounds:
    """By the normal approximation; the quantile is replaced by its bound sqrt(2 log(1 / (2 delta))).

    >>> low, high = bounds(np.array([0.0, 1.0, 1.0, 0.0]), 0.05)
    >>> round(low, 3), round(high, 3)
    (-0.036, 1.036)
    """
    half = math.sqrt(2 * math.log(1 / (2 * delta))) * float(values.std()) / math.sqrt(len(values))
    return Bounds(float(values.mean()) - half, float(values.mean()) + half)


def draw_weights(scores: Floats) -> Floats:
    """The probability of each item to be drawn: nine tenths in proportion to the root of its score, a tenth uniform.

    >>> draw_weights(np.array([0.81, 0.09])).round(3).tolist()
    [0.725, 0.275]
    """
    root, uniform = np.sqrt(scores), np.full(len(scores), 1 / len(scores))
    if not root.any():
        return uniform
    weights: Floats = (1 - UNIFORM) * root / root.sum() + UNIFORM * uniform
    return weights


def choose_recall(
    scores: Floats, oracle: Oracle, budget: int, target: float, delta: float, random: np.random.Generator
) -> Chosen:
    """The set whose recall is at least the target, except with probability delta if means are normal.

    The threshold that reaches the target in the sample is lowered: the target is replaced by one that is so high that
    the sampling error on both sides of that threshold is accounted for.
    """
    order = best_first(scores)
    weights = draw_weights(scores[order])
    place = np.sort(random.choice(len(scores), budget, p=weights))
    found = oracle(order[place])
    mass = found / (len(scores) * weights[place])  # each drawn positive stands for so large a share of the pool
    reached = np.cumsum(mass)
    if reached[-1] == 0:
        return everything(scores)
    first = int(np.searchsorted(reached, target * reached[-1]))
    above = np.arange(budget) <= first
    most, least = bounds(mass * above, delta / 2).high, bounds(mass * ~above, delta / 2).low
    if least <= 0:  # perhaps nothing is below this threshold, then no threshold is low enough
        return everything(scores)
    last = int(np.searchsorted(reached, most / (most + least) * reached[-1]))
    return first_items(scores, order, int(place[last]) + 1, order[place[found]])


def choose_precision(
    scores: Floats, oracle: Oracle, budget: int, target: float, delta: float, random: np.random.Generator
) -> Chosen:
    """The set whose precision is at least the target, except with probability delta if means are normal.

    Half of the labels bound the number of positives, and so how many items can be kept at all. The others are drawn
    among so many of the best items. Of every STEP-th of them, in the order of scores, it is tested whether the items
    above it have the precision that is wanted.
    """
    order = best_first(scores)
    weights = draw_weights(scores[order])
    tests = max(1, 1 + 2 * (budget - STEP) // STEP)
    first = random.choice(len(scores), budget // 2, p=weights)
    positive = oracle(order[first])
    positives = bounds(positive / weights[first], delta / tests).high
    most = min(len(scores), max(1, math.ceil(positives / target)))
    weights = weights[:most] / weights[:most].sum()
    second = np.sort(random.choice(most, min(budget - budget // 2, most), p=weights))
    found = oracle(order[second])
    good = [
        int(second[place]) + 1
        for place in range(STEP, len(second) - 1, STEP)
        if _precision_above(second[: place + 1], found[: place + 1], weights, delta / tests) > target
    ]
    labelled = np.concatenate([order[first[positive]], order[second[found]]])
    return first_items(scores, order, max(good, default=0), labelled, certified=bool(good))


def _precision_above(place: Integers, found: Flags, weights: Floats, delta: float) -> float:
    """A lower bound of the precision of all items up to the last of these places."""
    items = int(place[-1]) + 1
    share = weights[place] / weights[:items].sum()
    return bounds(found / (items * share), delta).low
