"""Slices of a pool: the curve of a slice is that of the whole pool, shifted in log-odds.

A slice (a camera, a month) may be easier or harder than the others. Its items have the log-odds of the pool's curve
plus a shift: one for items that are predicted positive, one for all others. Shifts have mean 0. How far they spread is
learned from the labels of all slices. So a slice with few labels is taken for an ordinary one, and a slice with many
labels speaks for itself.

Items are labelled by rank and prediction, never by slice. So inside a slice the labels of a group are a uniform draw
from its items, and the likelihood of the labels is all that is needed.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit

from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.summary import sums_of_chances
from lowshot.core.types import Flags, Floats, Integers

# The four settings below were chosen among about 15 combinations, on 80 tasks of two image models. The squared error
# relative to that of a slice alone was 0.56 to 0.67 for slices that are alike and 0.67 to 0.81 for slices that differ;
# most of the gain for slices that are alike is due to DOUBT.
# Standard deviations of the shifts that are considered, in log-odds: from slices that are all alike to a chance of 1 %
# in one slice and of 12 % in the next.
SPREADS = (0.0, 0.25, 0.5, 1.0, 1.7, 2.6)
DOUBT = 5.0  # the prior log weight of a spread falls by this per unit of log-odds
ALIKE = 0.9  # correlation of the two shifts of a slice
FREEDOM = 3.0  # degrees of freedom of Student's t: a single slice may be unlike all others

SHIFTS: Floats = np.linspace(-5, 5, 51)  # the grid of shifts; at 5 a chance of 1 % becomes one of 60 %
ALL_ALIKE = 0.02  # stands for a spread of 0: small beside the step of the grid
FEW = 60  # curves that decide about the spread; it is the same for all
SURE = 1e-9  # chances are kept so far from 0 and 1
STEPS = 6  # of Newton's method; four are enough for all but very uneven groups
AT_ONCE = 4_000_000  # numbers per array: curves are worked on in blocks, so that memory does not grow with the slices
TINY = 1e-300  # added before a division or a logarithm, so that a probability of 0 gives no NaN


class Parts(NamedTuple):
    """The items of a pool by slice and group: one entry per slice and group that has items.

    Groups are numbered as in `group_design`: pattern times bands plus band. Weights are in units of an average item.
    """

    slice: Integers
    group: Integers
    weight: Floats  # sum of the weights of the items without a label
    squares: Floats  # sum of their squares
    told: Floats  # labels that shifts are learned from
    positive: Floats  # how many of them are positive
    positives: Floats  # [slice, pattern]: sum of the weights of the labelled positives

    def kinds(self, is_predicted: Flags, bands: int) -> Integers:
        """Which of its slice's shifts an entry has: 0 if some model predicts such items positive, otherwise 1."""
        return np.where(is_predicted[self.group // bands], 0, 1)


def totals_by_slice(curves: Curves, parts: Parts, is_predicted: Flags) -> Floats:
    """Weights of the positives of each slice and pattern [curve, slice, pattern].

    `curves` are those of the whole pool; `is_predicted` [pattern] says whether some model predicts such items positive.
    The sum over the slices of a group is what the curve says, up to chance.
    """
    bands, slices = curves.chance.shape[2], len(parts.positives)
    log_odds = logit(np.clip(curves.chance.reshape(len(curves.chance), -1), SURE, 1 - SURE))
    kind = parts.kinds(is_predicted, bands)
    spread = learned_spreads(log_odds, curves.weight, parts, kind)
    random = np.random.default_rng(2)
    column = parts.group // bands * slices + parts.slice
    labelled = len(np.unique(parts.slice[parts.told > 0]))
    block = max(AT_ONCE // max(len(parts.group), labelled * len(SHIFTS) * 2, 1), 1)
    mean, variance = (np.empty((len(log_odds), parts.positives.size)) for _ in range(2))
    for first in range(0, len(log_odds), block):
        here = slice(first, first + block)
        chance = _chances(log_odds[here], parts, kind, spread, random)
        mean[here] = _summed(chance * parts.weight, column, parts.positives.size)
        variance[here] = _summed(chance * (1 - chance) * parts.squares, column, parts.positives.size)
    most = np.bincount(column, parts.weight, parts.positives.size).astype(np.float64)
    return _counted(mean, variance, most, parts.positives)


def _counted(mean: Floats, variance: Floats, most: Floats, labelled: Floats) -> Floats:
    """Labelled positives as they are, the others by chance: pattern after pattern, as for the whole pool."""
    slices, random, found = len(labelled), np.random.default_rng(1), []
    for pattern in range(labelled.shape[1]):
        here = slice(pattern * slices, (pattern + 1) * slices)
        drawn = sums_of_chances(mean[:, here], variance[:, here], most[here], random)
        found.append(labelled[:, pattern] + drawn)
    return np.stack(found, axis=2)


@cache
def _prior(predicted: float, others: float) -> Floats:
    """[shift of predicted positives, shift of the others]: their joint probability, if they spread so far."""
    one, two = (max(spread, ALL_ALIKE) for spread in (predicted, others))
    x, y = SHIFTS[:, None] / one, SHIFTS[None, :] / two
    square = (x * x - 2 * ALIKE * x * y + y * y) / (1 - ALIKE**2)
    found: Floats = (1 + square / FREEDOM) ** (-(FREEDOM + 2) / 2)
    found /= found.sum()
    return found


class Spreads(NamedTuple):
    """What the labels of all slices say about how far shifts spread."""

    priors: Floats  # [spread, shift of predicted positives, shift of the others]
    share: Floats  # [spread]: its posterior probability

    @property
    def mean(self) -> Floats:
        found: Floats = np.tensordot(self.share, self.priors, 1)
        return found


def learned_spreads(log_odds: Floats, weight: Floats, parts: Parts, kind: Integers) -> Spreads:
    """From the probability of all labels under each spread, as the most likely curves see it."""
    pairs = [(one, two) for one in SPREADS for two in SPREADS]
    priors = np.stack([_prior(*pair) for pair in pairs])
    doubt = -DOUBT * np.array(pairs).mean(axis=1)
    curves = np.sort(np.argsort(-weight, kind="stable")[:FEW])
    share = weight[curves] / weight[curves].sum()
    fit = Likelihood.of(log_odds[curves], parts, kind)

    def judged(fit: Likelihood) -> Spreads:
        evidence = np.array([share @ fit.evidence(prior) for prior in priors]) + doubt
        found = np.exp(evidence - evidence.max())
        return Spreads(priors, found / found.sum())

    return judged(fit.again(log_odds[curves], parts, kind, judged(fit)))


def _chances(log_odds: Floats, parts: Parts, kind: Integers, spread: Spreads, random: np.random.Generator) -> Floats:
    """P(positive) of each entry under each curve, with shifts drawn from their posterior [curve, entry]."""
    fit = Likelihood.of(log_odds, parts, kind).again(log_odds, parts, kind, spread)
    shift = fit.draw(spread, len(parts.positives), random)
    moved = log_odds[:, parts.group] + shift[:, parts.slice, kind]
    chance: Floats = expit(moved + _offsets(log_odds, moved, parts)[:, parts.group])
    return chance


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The likelihood of the labels of a slice for each shift on the grid, relative to the most likely one."""

    slices: Integers  # those with labels
    value: Floats  # [kind, curve, slice with labels, shift]

    @classmethod
    def of(cls, log_odds: Floats, parts: Parts, kind: Integers) -> "Likelihood":
        there = np.flatnonzero(parts.told)
        slices, place = np.unique(parts.slice[there], return_inverse=True)
        column = kind[there] * len(slices) + place
        base = log_odds[:, parts.group[there]]
        found = np.empty((len(log_odds), 2 * len(slices), len(SHIFTS)))
        for number, shift in enumerate(SHIFTS.tolist()):
            moved = base + shift  # log P(labels) = positive * moved - told * log(1 + exp(moved))
            log = parts.positive[there] * moved - parts.told[there] * np.logaddexp(0, moved)
            found[:, :, number] = _summed(log, column, 2 * len(slices))
        found -= found.max(axis=2, keepdims=True)
        by_kind = np.exp(found).reshape(len(log_odds), 2, len(slices), len(SHIFTS))
        return cls(slices, np.moveaxis(by_kind, 1, 0))

    def again(self, log_odds: Floats, parts: Parts, kind: Integers, spread: Spreads) -> "Likelihood":
        """The same relative to a curve for slices without a shift.

        The curve of the pool is that of a mixture of slices. If some are shifted up, the others are below it.
        """
        shift = np.zeros((len(log_odds), len(parts.positives), 2))
        shift[:, self.slices] = self._means(spread.mean)
        moved = log_odds[:, parts.group] + shift[:, parts.slice, kind]
        return Likelihood.of(log_odds + _offsets(log_odds, moved, parts), parts, kind)

    def evidence(self, prior: Floats) -> Floats:
        """[curve]: the log probability of all labels, up to a number that does not depend on the prior."""
        one, two = self.value
        found: Floats = np.log(((one @ prior) * two).sum(axis=2) + TINY).sum(axis=1)
        return found

    def _means(self, prior: Floats) -> Floats:
        """Posterior means of the shifts [curve, slice with labels, kind]."""
        one, two = self.value
        each = one * (two @ prior.T), two * (one @ prior)
        return np.stack([(chance @ SHIFTS) / (chance.sum(axis=2) + TINY) for chance in each], axis=2)

    def draw(self, spread: Spreads, slices: int, random: np.random.Generator) -> Floats:
        """Shifts of all slices under each curve [curve, slice, kind]; without labels of a slice, from the prior."""
        curves = self.value.shape[1]
        found = np.empty((curves, slices, 2))
        chosen = random.choice(len(spread.share), curves, p=spread.share)
        for place in np.unique(chosen).tolist():
            here, prior = np.flatnonzero(chosen == place), spread.priors[place]
            flat = np.searchsorted(prior.ravel().cumsum(), random.random((len(here), slices)) * prior.sum())
            found[here] = SHIFTS[np.stack(np.divmod(np.minimum(flat, prior.size - 1), len(SHIFTS)), axis=2)]
            found[here[:, None], self.slices] = self._draw(here, prior, random)
        return found

    def _draw(self, curves: Integers, prior: Floats, random: np.random.Generator) -> Floats:
        """Of the slices with labels: the second shift first, then the first one given the second."""
        one, two = self.value[:, curves]
        second = _picked(two * (one @ prior), random)
        first = _picked(one * prior.T[second], random)
        return SHIFTS[np.stack([first, second], axis=2)]


def _picked(chance: Floats, random: np.random.Generator) -> Integers:
    """A place along the last axis, with probabilities in proportion to these numbers."""
    summed = chance.cumsum(axis=-1)
    place = (summed < random.random(chance.shape[:-1])[..., None] * summed[..., -1:]).sum(axis=-1)
    found: Integers = np.minimum(place, chance.shape[-1] - 1)
    return found


def _offsets(log_odds: Floats, moved: Floats, parts: Parts) -> Floats:
    """What must be added to the log-odds of each group [curve, group], so that its items have as many positives as the
    curve says, however the slices are shifted; `moved` [curve, entry] are the shifted log-odds.
    """
    groups = log_odds.shape[1]
    items = parts.weight + parts.told
    wanted = expit(log_odds) * np.bincount(parts.group, items, groups)
    offset = np.zeros_like(log_odds)
    for _ in range(STEPS):
        chance = expit(moved + offset[:, parts.group])
        slope = _summed(chance * (1 - chance) * items, parts.group, groups)
        missing = wanted - _summed(chance * items, parts.group, groups)
        offset += np.clip(missing / (slope + TINY), -1, 1)
    return offset


def _summed(values: Floats, place: Integers, size: int) -> Floats:
    """Sums of columns [row, column] by their place [row, place]."""
    which = csr_array((np.ones(len(place)), (np.arange(len(place)), place)), shape=(len(place), size))
    return np.ascontiguousarray((which.T @ values.T).T)
