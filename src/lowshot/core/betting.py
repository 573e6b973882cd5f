"""Certificates of recall and precision that hold for every pool: `promise="design"`.

The pool is cut into groups of the ranking (best first) before any label is seen. Each draw takes a group, by any rule
that looks only at the past, and in it one of the items that are not drawn yet, all with equal chances. Nothing else is
assumed: labels are fixed and unknown, and scores may be worthless.

**One wealth per assignment of counts.** Let f be a guess of the number of positives of every group. If f is true, the
chance that draw t is positive is P_t(f) = (f_g - found_g) / left_g, for its group g. A draw is a bet with a tilt u_t, a
number that was chosen before the answer:

    factor_t(f) = exp(u_t y_t) / (1 + P_t(f) (exp(u_t) - 1))

has the mean 1 if f is true, so the wealth M_t(f), the product of the factors, is a martingale that starts at 1. By
Ville's inequality the wealth of the true counts ever reaches 1 / delta with probability at most delta. With
probability 1 - delta the true counts are therefore, *at every look*, among those whose wealth is below 1 / delta. All
statements about counts that hold for this set of counts hold at once: for every cut, for recall and precision, for the
bare cut and for the set that is returned. No order of the cuts and no correction for their number is needed, and the
set may grow with the labels that are found. As it only gains positives and loses negatives, a certificate that was
reached once is kept: the evidence of a cut is the largest of all looks so far.

A negative tilt bets that positives are rarer than guessed; u = -infinity and nothing but negatives gives the exact
hypergeometric test. A positive tilt bets that they are more frequent. The tilt decides the power, never the validity.

**The certificate of a cut** is the smallest log wealth of all counts that break the promise (`recall_evidence`,
`precision_evidence`): it is certified while this is at least log(1 / delta). The log wealth is a sum over groups of
functions that are convex in f_g, so the smallest value is bounded from below by Lagrange's dual, which is a sum over
groups for each multiplier (`Duals`); the total numbers of positives above and below the cut remain integers.

**Skipped items** count as negative in bets with a positive tilt and as positive in bets with a negative one. This is
valid whatever their labels are: for f = the numbers of sure positives, bets with a positive tilt are exact; for f = the
numbers of possible positives, those with a negative tilt are; and the wealth of the first falls with f and that of the
second rises, so one f for both gives a lower bound of the product.

**Draws that wait for an answer** are no skipped items, because which items wait changes. Use the draws before the first
one that waits: a certificate of these is as good as any other.

What has to be stored per draw: the group, the tilt and the answer. The numbers of items left follow from the order.
"""

import math
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Floats, Integers

EXACT = 64  # misses up to this number are looked at one by one; beyond, integers hardly differ from real numbers
STEPS = 160  # multipliers per grid
HALVINGS = 40  # of the interval that holds the best f: what is left is below a millionth of an item
LARGEST_TILT = 12.0  # odds times or divided by 160,000: nearly everything is bet; beyond, rounding errors would show
DENOMINATOR = 10**6  # targets are fractions with at most this denominator, so that counts can be compared exactly


class Draws(NamedTuple):
    """The draws so far in their order, one entry per draw.

    group     the place of the group in the ranking, 0 for the best
    sure      1 if the answer is positive, else 0
    possible  0 if the answer is negative, else 1: a skipped item is possible, but not sure
    tilt      the log odds ratio that was bet; 0 is no bet
    """

    group: Integers
    sure: Integers
    possible: Integers
    tilt: Floats

    @classmethod
    def none(cls) -> "Draws":
        empty = np.zeros(0, dtype=np.int64)
        return cls(empty, empty, empty, np.zeros(0))


class Known(NamedTuple):
    """Labels that were known before the first draw, per group. Those items are not in `sizes` and are never drawn."""

    positive: Integers
    negative: Integers


class Counts(NamedTuple):
    """Per group: draws, and those with a sure and with a possible positive."""

    drawn: Integers
    sure: Integers
    possible: Integers


def count(draws: Draws, groups: int) -> Counts:
    """The counts of every group.

    >>> count(Draws(np.array([0, 0, 1]), np.array([1, 0, 0]), np.array([1, 1, 0]), np.ones(3)), groups=2)
    Counts(drawn=array([2, 1]), sure=array([1, 0]), possible=array([2, 0]))
    """
    each = [np.bincount(draws.group, weights, groups) for weights in (None, draws.sure, draws.possible)]
    return Counts(*(one.astype(np.int64) for one in each))


class Bets:
    """The wealth of guessed numbers of positives, group by group.

    >>> draws = Draws(np.array([0, 0]), np.array([0, 0]), np.array([0, 0]), np.array([-np.inf, -np.inf]))
    >>> bets = Bets(draws, sizes=np.array([10]))
    >>> wealth = np.exp(bets.log_wealth(np.array([[1.0]])))  # 1 positive of 10 is missed by 2 draws with chance 8 / 10
    >>> wealth.round(4).tolist()
    [[1.25]]
    """

    def __init__(self, draws: Draws, sizes: Integers) -> None:
        order = np.argsort(draws.group, kind="stable")
        group, sure, possible = (column[order] for column in draws[:3])
        tilt = np.clip(draws.tilt[order], -LARGEST_TILT, LARGEST_TILT)
        self.sizes, self.counts = sizes, count(draws, len(sizes))
        start = np.concatenate([[0], np.cumsum(self.counts.drawn)])[:-1]
        label = np.where(tilt < 0, possible, sure)  # the label that counts against the bet if there is no answer
        first = start[group]
        before = [np.cumsum(column) - column for column in (sure, possible)]
        found = np.where(tilt < 0, before[1] - before[1][first], before[0] - before[0][first])
        bet = tilt != 0
        self._group, self._found = group[bet], found[bet].astype(np.float64)
        self._left = (sizes[group] - (np.arange(len(group)) - start[group]))[bet].astype(np.float64)
        self._odds = np.expm1(tilt[bet])
        self._gain = np.bincount(self._group, (label * tilt)[bet], len(sizes))

    def log_wealth(self, positives: Floats) -> Floats:
        """[group, guess] for `positives` [group, guess]: the log of the product of the factors of the group's draws."""
        chance = np.maximum(positives[self._group] - self._found[:, None], 0) / self._left[:, None]
        with np.errstate(divide="ignore"):  # a guess that was impossible before this draw: its wealth is infinite
            terms = -np.log1p(self._odds[:, None] * chance)
        return self._gain[:, None] + self._by_group(terms)

    def slope(self, positives: Floats) -> Floats:
        """[group, guess]: the derivative of the log wealth; it grows with the guess."""
        above = positives[self._group] - self._found[:, None]
        with np.errstate(divide="ignore"):
            terms = -self._odds[:, None] / (self._left[:, None] + self._odds[:, None] * np.maximum(above, 0))
        return self._by_group(np.where(above < 0, 0.0, terms))

    def fewest(self, possible: bool) -> Floats:
        """[group]: the positives that were found."""
        return (self.counts.possible if possible else self.counts.sure).astype(np.float64)

    @cached_property
    def most(self) -> Floats:
        """[group]: all items but the sure negatives."""
        return (self.sizes - self.counts.drawn + self.counts.possible).astype(np.float64)

    def _by_group(self, terms: Floats) -> Floats:
        if not len(terms):
            return np.zeros((len(self.sizes), terms.shape[1]))
        total = np.zeros((len(self.sizes), terms.shape[1]))
        groups, starts = np.unique(self._group, return_index=True)
        total[groups] = np.add.reduceat(terms, starts, axis=0)
        return total


class Duals(NamedTuple):
    """min over f of (log wealth - multiplier * f), [group, multiplier]; a negative multiplier rewards few positives."""

    multiplier: Floats
    value: Floats

    def least(self, groups: Floats, total: Floats) -> Floats:
        """[cut, total]: a lower bound of the log wealth of guesses that sum to `total` over the groups of a cut.

        groups  [cut, group] 1 for the groups that are summed
        total   [cut, total]
        """
        value = groups @ self.value  # [cut, multiplier]
        found: Floats = np.max(value[:, None, :] + self.multiplier * total[:, :, None], axis=2)
        return found


def duals(bets: Bets, many: bool) -> Duals:
    """For guesses of at least (`many`) or at most some number of positives.

    Any set of multipliers is valid. The bound is tight if they hold the slopes of the log wealth, so the grid spans
    these, and holds the slope of each group at its smallest guess: there the dual of a group has a kink.
    """
    low, high = bets.fewest(possible=many), bets.most
    sign = 1.0 if many else -1.0
    # The slope is largest, and infinite in the end, for guesses far beyond those that matter.
    ends = np.stack([low, np.minimum(low + EXACT, (low + high) / 2) if many else high], axis=1)
    slopes = sign * bets.slope(ends)
    usable = slopes[np.isfinite(slopes) & (slopes > 0)]
    if not len(usable):
        grid = np.zeros(1)
    else:
        wide = np.geomspace(usable.min() / 4, usable.max() * 2, STEPS)
        grid = np.unique(np.concatenate([[0.0], wide, usable]))
    multiplier = sign * grid
    left = np.repeat(low[:, None], len(grid), axis=1)
    right = np.repeat(high[:, None], len(grid), axis=1)
    for _ in range(HALVINGS):
        middle = (left + right) / 2
        rises = bets.slope(middle) >= multiplier
        left, right = np.where(rises, left, middle), np.where(rises, middle, right)
    best = np.minimum(
        bets.log_wealth(left) - multiplier * left, bets.log_wealth(low[:, None]) - multiplier * low[:, None]
    )
    return Duals(multiplier, best)


def recall_evidence(draws: Draws, sizes: Integers, target: float, known: Known | None = None) -> Floats:
    """[cut] the log of the evidence that the set of each cut has the recall `target`: certified from log(1 / delta) on.

    Cut c keeps the first c groups, and all positives that were found below (a bare cut loses those, so its recall can
    be lower). There is one cut more than groups: the last keeps everything and has infinite evidence.

    >>> answers = np.array([1] * 9 + [0] * 15)
    >>> draws = Draws(np.array([0] * 9 + [1] * 15), answers, answers, np.array([1.0] * 9 + [-np.inf] * 15))
    >>> evidence = recall_evidence(draws, np.array([9, 20]), target=0.9)  # the top group is all positive
    >>> np.exp(evidence).round(2).tolist()  # two misses among 20 are missed by 15 draws with chance 5 * 4 / (20 * 19)
    [19.0, 19.0, inf]
    """
    bets, groups = Bets(draws, sizes), len(sizes)
    known = known or Known(np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64))
    above = np.tri(groups + 1, groups, -1)  # [cut, group]
    below = 1 - above
    sure, possible = bets.fewest(False), bets.fewest(True)
    found = below @ sure  # drawn positives below the cut; they are kept
    certain = above @ sure
    kept = found + known.positive.sum()  # positives of the set besides the drawn or guessed ones above the cut
    fewest_missed = below @ (possible - sure)
    most_missed = below @ bets.most - found
    many, few = duals(bets, many=True), duals(bets, many=False)

    missed = np.arange(1, EXACT + 1)
    allowed = broken_up_to(missed, target)[None, :] - kept[:, None]  # positives above, at most, if so many are missed
    lower = many.least(below, missed + found[:, None])
    upper = few.least(above, np.minimum(allowed, (above @ bets.most)[:, None]))
    possible_miss = (missed >= fewest_missed[:, None]) & (missed <= most_missed[:, None])
    each = np.where(possible_miss & (allowed >= certain[:, None]), lower + upper, np.inf)
    beyond = np.where(most_missed > EXACT, _beyond(many, few, above, found, kept, target), np.inf)
    evidence: Floats = np.minimum(each.min(axis=1), beyond)
    return evidence


def broken_up_to(missed: Integers, target: float) -> Floats:
    """The largest number of kept positives with which so many misses break the target; infinite if any number does.

    >>> broken_up_to(np.array([1, 2]), 0.9).tolist(), broken_up_to(np.array([1]), 1.0).tolist()
    ([8.0, 17.0], [inf])
    """
    share = Fraction(target).limit_denominator(DENOMINATOR)
    if share == 1:
        return np.full(len(missed), np.inf)
    return ((share.numerator * missed - 1) // (share.denominator - share.numerator)).astype(np.float64)


def _beyond(many: Duals, few: Duals, above: Floats, found: Floats, kept: Floats, target: float) -> Floats:
    """[cut] a lower bound for all numbers of misses j > EXACT.

    For multipliers a >= 0 of misses and b >= 0 of kept positives the bound is linear in j with the slope
    a - b target / (1 - target). Where this is not negative the smallest value is that of the first j.
    """
    first = EXACT + 1
    rate = target / (1 - target) if target < 1 else np.inf
    with np.errstate(invalid="ignore"):  # infinity times 0: no reward for few positives
        price = np.where(few.multiplier == 0, 0.0, -few.multiplier * rate)  # [few]
        spent = np.where(few.multiplier == 0, 0.0, few.multiplier * (rate * first - kept[:, None]))
    lower = (1 - above) @ many.value + many.multiplier * (first + found[:, None])  # [cut, many]
    upper = above @ few.value + spent  # [cut, few]
    # Prices and multipliers ascend from 0, so the multipliers b that go with an a are the first ones.
    last = np.searchsorted(price, many.multiplier, side="right") - 1
    value: Floats = (lower + np.maximum.accumulate(upper, axis=1)[:, last]).max(axis=1)
    return value


def precision_evidence(draws: Draws, sizes: Integers, target: float, known: Known | None = None) -> Floats:
    """[cut] the log of the evidence that the set of each cut has the precision `target`.

    The set of cut c is the first c groups without the negatives that were found, and with the positives found below.
    An empty set has no precision: its evidence is that of nothing, minus infinity.

    >>> answers = np.ones(15, dtype=np.int64)
    >>> draws = Draws(np.zeros(15, dtype=np.int64), answers, answers, np.full(15, 50.0))
    >>> np.exp(precision_evidence(draws, np.array([20, 10]), target=0.9)).round(2).tolist()
    [inf, 113.99, 1.0]
    """
    bets, groups = Bets(draws, sizes), len(sizes)
    known = known or Known(np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64))
    above = np.tri(groups + 1, groups, -1)
    sure, possible = bets.counts.sure, bets.counts.possible
    negative = bets.counts.drawn - possible
    outside = (1 - above) @ (sure + known.positive)
    within = above @ known.positive
    size = above @ (sizes - negative + known.positive) + outside
    share = Fraction(target).limit_denominator(DENOMINATOR)
    needed = -(-share.numerator * size.astype(np.int64) // share.denominator)  # rounded up
    broken = needed - 1 - outside - within  # the promise breaks with at most so many drawn or guessed positives above
    certain = above @ sure
    few = duals(bets, many=False)
    value = few.least(above, np.minimum(broken, above @ bets.most)[:, None])[:, 0]
    value += (1 - above) @ few.value.max(axis=1, where=few.multiplier == 0, initial=-np.inf)  # any number below the cut
    return np.where(size == 0, -np.inf, np.where(broken < certain, np.inf, value))


def best_case(items: int, positives: int, labels: int, target: float, delta: float) -> int:
    """The items that any method can let go, at most, if it assumes nothing and keeps its promise for every pool.

    If all positives are kept and known, the promise breaks when more than m = (1 - target) / target * positives others
    are missed. m + 1 of them anywhere among the items that are let go stay unseen with chance (1 - share)**(m + 1), if
    this share of the items is labelled; this must be at most delta.

    >>> best_case(items=50_000, positives=50, labels=200, target=0.9, delta=0.1)
    627
    """
    share = Fraction(target).limit_denominator(DENOMINATOR)
    misses = math.floor((1 - share) / share * positives)
    return min(items, math.floor(labels / -math.expm1(math.log(delta) / (misses + 1))))
