"""BARGAIN: thresholds by tests of means that bet against them.

Zeighami, Shankar and Parameswaran (2025), "Cut costs, not accuracy: LLM-powered data processing with guarantees",
with the tests of Waudby-Smith and Ramdas (2024). Only the order of the scores counts.

What the paper leaves open is as in the authors' code (ucbepic/BARGAIN, commit d07bc18): 20 thresholds, 10 labels at a
time, no tolerance for thresholds that fail, and for recall the variant without an assumption about the density of
positives (beta = 0), the only one whose guarantee holds for every pool. Three things are as in the paper where that
code differs by an item or a label: a certificate that comes with the last label counts, the last item of a tested set
is returned, and labels that are left are spent from the best item on, not from the second one.
"""

import math
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Flags, Floats, Integers
from lowshot_bench.choosing.chosen import Chosen, Oracle, best_first, everything, first_items

THRESHOLDS = 20  # of a precision target: multiples of this share of the pool are tested, from the best items on
STEP = 10  # labels between two tests
MOST = 0.75  # of the stake that could be lost


def surely_above(labels: Flags, mean: Floats, delta: float, length: Floats) -> Flags:
    """Whether the first labels up to each one show that the true mean is above `mean`, [test, label].

    The stake grows with labels above the mean and shrinks with those below it; it rarely becomes 1 / delta if the mean
    is not above. `length` is the number of labels that the bets are made for.

    >>> ones = np.ones((1, 40), dtype=np.bool_)
    >>> int(np.argmax(surely_above(ones, np.full((1, 40), 0.9), 0.1, np.full(40, 40.0))))
    28
    """
    x, before = labels.astype(np.float64), np.arange(labels.shape[-1])  # labels that are known when a bet is made
    known = np.cumsum(x, axis=-1) - x
    centre = (0.5 + known) / (before + 1)
    variance = (0.25 + known * (1 - 2 * centre) + before * centre**2) / (before + 1)
    bet = np.sqrt(2 * math.log(2 / delta) / (length * variance))
    with np.errstate(divide="ignore"):
        bet = np.minimum(bet, MOST / np.maximum(mean, 0))
    stake = np.cumsum(np.log1p(np.where(mean > 0, bet * (x - mean), np.inf)), axis=-1)  # a mean of 0 is always passed
    reached: Flags = np.maximum.accumulate(stake, axis=-1) >= math.log(1 / delta)
    return reached


def choose_recall(
    scores: Floats, oracle: Oracle, budget: int, target: float, delta: float, random: np.random.Generator
) -> Chosen:
    """The set whose recall is at least the target, except with probability delta.

    Labels are drawn uniformly, with replacement. The threshold is moved up from positive to positive of the sample
    while the test says that the share of positives above it is large enough.
    """
    order = best_first(scores)
    drawn = random.integers(len(scores), size=budget)
    place = drawn[oracle(order[drawn])]  # of positives, in the order of the draws
    if not len(place):
        return everything(scores)
    tried = -np.sort(-place)  # from the lowest score on
    tried = tried[: int((1 - target) * len(place)) + 2]  # the share in the sample is below the target at all others
    above = place <= tried[:, None]
    mean, length = np.full(above.shape, target), np.full(len(place), float(len(place)))
    good = surely_above(above, mean, delta, length)[:, -1] & (above.mean(axis=1) >= target)
    if not good[0]:
        return everything(scores)
    best = len(good) if good.all() else int(np.argmin(good))  # the tests end with the first one that fails
    return first_items(scores, order, int(tried[best - 1]) + 1, order[place])


class Tested(NamedTuple):
    """The test of one threshold."""

    passed: bool
    drawn: Integers  # places of the items whose labels were used


def choose_precision(
    scores: Floats, oracle: Oracle, budget: int, target: float, delta: float, random: np.random.Generator
) -> Chosen:
    """The set whose precision is at least the target, except with probability delta.

    Thresholds are tested one after the other, from the best scores on, with labels of the items above, until one
    fails. Labels that are left are spent on the items just below, whose positives are returned as well.
    """
    order, items = best_first(scores), len(scores)
    shuffled = random.permutation(items)
    known = np.zeros(items, dtype=np.bool_)  # [place] whether the label is known
    best = 0
    for last in range(max(items // THRESHOLDS, 1) - 1, items, max(items // THRESHOLDS, 1)):
        left = budget - int(known.sum())
        if not left:
            break
        here = shuffled[shuffled <= last]
        tested = _test(here, known, lambda place: oracle(order[place]), left, target, delta)
        known[tested.drawn] = True
        if not tested.passed:
            break
        best = last + 1
    below = best + np.flatnonzero(~known[best:])[: budget - int(known.sum())]
    known[below] = True
    labelled = order[known]
    return first_items(scores, order, best, labelled[oracle(labelled)], certified=best > 0)


def _test(here: Integers, known: Flags, oracle: Oracle, left: int, target: float, delta: float) -> Tested:
    """Whether the precision of these items, which are in random order, is at least the target.

    STEP further labels at a time, until the test says that the precision is above the target or below it, or until no
    labels are left. Labels that are known from other thresholds cost nothing.
    """
    affordable = int(np.searchsorted(np.cumsum(~known[here]), left)) + 1  # more than all if all are affordable
    found = np.zeros(0, dtype=np.bool_)
    while len(found) < min(affordable, len(here)):
        further = here[len(found) : min(len(found) + STEP, affordable)]
        found = np.concatenate([found, oracle(further)])
        high = bool(found.mean() >= target)
        if len(found) == len(here) or _decided(found, high, len(here), target, delta):
            return Tested(high, here[: len(found)])
    return Tested(False, here[: len(found)])


def _decided(found: Flags, high: bool, items: int, target: float, delta: float) -> bool:
    """Whether labels drawn without replacement show that the mean of all items is above the target, or below it."""
    before = np.arange(len(found))
    mean = (items * target - (np.cumsum(found) - found)) / (items - before)  # that the items which are left must have
    labels, means = (found, mean) if high else (~found, 1 - mean)
    length = np.asarray((before + 1) * np.log(before + 2), dtype=np.float64)
    return bool(surely_above(labels[None], means[None], delta, length)[0, -1])
