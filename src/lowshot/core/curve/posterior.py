"""A hidden Markov model over bands; states are (component, slope, level). Forward pass, then curves drawn backwards."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, logsumexp

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.beliefs import prior_of
from lowshot.core.curve.components import LEVELS, SLOPES, Prior
from lowshot.core.curve.patterns import Likelihood, Shifts
from lowshot.core.curve.transitions import Falls, split_state, state_number, switches
from lowshot.core.types import Flags, Floats, Integers

TINY = 1e-300  # added before a division or a logarithm, so that a component with probability 0 gives no NaN
SMALL_SHARE = 3e-3  # relative to the most likely component: with 400 curves a component below it would get about one


@dataclass(frozen=True, eq=False)
class Model:
    """A prior over the curves of one pool."""

    bands: Bands
    prior: Prior

    @classmethod
    def of(cls, bands: Bands, scored: Flags | None = None) -> "Model":
        """`scored`: which models have a score that takes part; None: all of them."""
        each = np.ones(len(bands.each), dtype=np.bool_) if scored is None else scored
        return cls(bands, prior_of(bands).for_several(each))

    @cached_property
    def falls(self) -> Falls:
        return Falls.of(self.bands, self.prior)

    @cached_property
    def switch(self) -> Floats:
        return switches(self.bands, self.prior)

    @cached_property
    def shifts(self) -> Shifts:
        return Shifts.of(self.bands, self.prior)

    @cached_property
    def crossing(self) -> int:
        """The band at depth 0."""
        return int(np.argmin(np.abs(self.bands.depth)))

    @cached_property
    def unlabelled(self) -> "Posterior":
        """The start of every evaluation. Its evidence is that of no labels: factors of the prior are not normalised."""
        nothing = np.zeros(self.bands.count.shape)
        return self._learned(nothing, nothing, None)

    def posterior(self, labelled: Floats, positive: Floats) -> "Posterior":
        """The posterior after so many labels and positives per group [pattern, band]."""
        before = self.unlabelled
        found = self._learned(labelled, positive, before.evidence) if labelled.any() else before
        return replace(found, evidence=found.evidence - before.evidence + self._log_weight)

    @property
    def _log_weight(self) -> Floats:
        found: Floats = np.log(self.prior.column("weight"))
        return found

    def _learned(self, labelled: Floats, positive: Floats, before: Floats | None) -> "Posterior":
        """The mean-field approximation of `patterns`. `before`: the evidence without labels, unless there are none."""
        found = self._filtered(self.shifts.likelihood(labelled, positive))
        if not self.shifts.several or not len(found.likelihood.seen):
            return found
        log_weight = self._log_weight + (0.0 if before is None else found.evidence - before)
        share = np.exp(log_weight - logsumexp(log_weight))
        return self._filtered(found.likelihood.learned(self._smoothed(found) * share[:, None, None]))

    def _filtered(self, likelihood: Likelihood) -> "Posterior":
        """The forward pass."""
        emission = likelihood.emission
        largest = emission.max(axis=2, keepdims=True)
        chance = self._relative(likelihood)
        shape = (len(self.bands), len(emission), len(SLOPES), len(LEVELS))
        before, after, total = np.empty(shape), np.empty(shape), np.empty(shape[:2])
        state = self.prior.in_first_band
        for band in range(len(self.bands)):
            if band:
                state = self.falls.apply(band - 1, after[band - 1])
            state = state * chance[:, band]
            total[band] = state.sum(axis=(1, 2))
            np.divide(state, total[band][:, None, None] + TINY, out=before[band])
            np.matmul(self.switch[band], before[band], out=after[band])
        evidence = np.log(total + TINY).sum(axis=0) + largest.sum(axis=(1, 2)) - likelihood.divergence
        return Posterior(self, before, after, evidence, likelihood)

    def _relative(self, likelihood: Likelihood) -> Floats:
        """The likelihood relative to the largest of each band [component, band, 1, level], with the prior's factor."""
        emission = likelihood.emission
        found: Floats = np.exp(emission - emission.max(axis=2, keepdims=True))[:, :, None, :]
        found[:, self.crossing] *= self.prior.at_crossing[:, None, :]
        return found

    def _smoothed(self, filtered: "Posterior") -> Floats:
        """The probability of each level, given all labels [component, band, level]: the backward pass."""
        before, chance = filtered.before, self._relative(filtered.likelihood)
        later = np.ones(before.shape[1:])  # how likely the labels of further bands are from each state
        found = np.empty((before.shape[1], len(before), before.shape[3]))
        for band in range(len(before) - 1, -1, -1):
            if band < len(before) - 1:
                later = self.falls.expected(band, later * chance[:, band + 1])
                later = np.matmul(np.swapaxes(self.switch[band], 1, 2), later)
                later /= later.max(axis=(1, 2), keepdims=True) + TINY
            level = (before[band] * later).sum(axis=1)
            found[:, band] = level / (level.sum(axis=1, keepdims=True) + TINY)
        return found


class Curves(NamedTuple):
    """Curves drawn from the posterior, with weights."""

    chance: Floats  # P(positive) [curve, pattern, band]
    weight: Floats  # of each curve; they sum to 1

    @property
    def mean(self) -> Floats:
        """[pattern, band]"""
        found: Floats = np.tensordot(self.weight, self.chance, 1)
        return found


@dataclass(frozen=True, eq=False)
class Posterior:
    """The result of the forward pass, from which curves are drawn.

    before    probabilities of states [band, component, slope, level] given the labels of this band and those above
    after     the same, after the slope may have changed on the way to the next band
    evidence  log weight of each component, up to a constant
    """

    model: Model
    before: Floats
    after: Floats
    evidence: Floats
    likelihood: Likelihood

    @property
    def share(self) -> Floats:
        """The posterior weight of each component; 0 if it is so small that hardly any curve would be drawn from it."""
        found: Floats = np.exp(self.evidence - self.evidence.max())
        found[found < SMALL_SHARE] = 0
        found /= found.sum()
        return found

    def surprise(self, labelled: Floats, positive: Floats) -> float:
        """How much more likely the labels are if each group has a share of positives of its own, as a log Bayes factor.

        Such shares are independent, with Jeffreys' prior. The number is negative if curves predict labels better.
        """
        alone = betaln(positive + 0.5, labelled - positive + 0.5) - betaln(0.5, 0.5)
        return float(alone.sum() - logsumexp(self.evidence))

    def draw(self, count: int, random: np.random.Generator) -> Curves:
        """Curves from the hidden Markov model, weighed by the prior on the number of positives.

        That number depends on all bands of a curve together, so it cannot be part of the hidden Markov model.
        """
        component, level = self._paths(count, random)
        chance, log_weight = self.likelihood.chances(component, level, random)
        bands, belief = self.model.bands, self.model.prior.positives
        positives = np.sum([chance[:, kind] @ each for kind, each in enumerate(bands.count)], axis=0)
        for predicted in bands.each.tolist():  # each model has a say, and all together have one vote
            log_weight = log_weight + belief.log_density(positives / max(predicted, 1)) / len(bands.each)
        weight = np.exp(log_weight - log_weight.max())
        return Curves(chance, weight / weight.sum())

    def _paths(self, count: int, random: np.random.Generator) -> tuple[Integers, Integers]:
        """The component of each curve, and its level in each band [curve, band].

        Components are drawn systematically: each gets its share of the curves, up to rounding.
        """
        bounds = np.floor(np.append(0, np.cumsum(self.share)) * count + random.random() * 0.999).astype(np.int64)
        component = np.repeat(np.arange(len(self.evidence)), np.diff(bounds))
        return component, self._states(component, random) % len(LEVELS)

    def _states(self, component: Integers, random: np.random.Generator) -> Integers:
        """The state of each curve in each band [curve, band], drawn from the last band to the first.

        Each step undoes one of the forward pass: the fall of the level to the next band, then the change of slope.
        """
        bands, curves = len(self.before), len(component)
        numbers = random.random((bands, 2, curves))
        found = np.empty((bands, curves), dtype=np.int64)
        found[-1] = self._last_states(component, numbers[-1, 0])
        for band in range(bands - 2, -1, -1):
            after = self.model.falls.draw_source(band, self.after[band], found[band + 1], numbers[band, 0])
            found[band] = self._with_slope_before(band, after, numbers[band, 1])
        return found.T

    def _last_states(self, component: Integers, number: Floats) -> Integers:
        """A state in the last band for each curve, given its component."""
        states = len(SLOPES) * len(LEVELS)  # of one component
        summed = self.before[-1].reshape(-1, states).cumsum(axis=1)
        return component * states + _place(summed.take(component, axis=0), number)

    def _with_slope_before(self, band: int, state: Integers, number: Floats) -> Integers:
        """The states with the slopes that they had before slopes could change; component and level stay.

        By Bayes' rule a slope is as likely as the state with it was, times the probability of the change to the slope
        that is there now.
        """
        component, slope, level = split_state(state)
        # The plain form: chance = self.before[band][component, :, level] * self.model.switch[band][component, slope].
        # `take` on flat arrays gives the same values faster.
        by_level = np.swapaxes(self.before[band], 1, 2).reshape(-1, len(SLOPES))
        chance = by_level.take(component * len(LEVELS) + level, axis=0)  # [curve, slope before]
        chance *= self.model.switch[band].reshape(-1, len(SLOPES)).take(component * len(SLOPES) + slope, axis=0)
        return state_number(component, _place(chance.cumsum(axis=1), number), level)


def _place(summed: Floats, number: Floats) -> Integers:
    """Where a uniform number falls among the running sums in each row."""
    found = (summed < number[:, None] * summed[:, -1:]).sum(axis=1)
    last: Integers = np.minimum(found, summed.shape[1] - 1)
    return last


def with_background(
    curves: Curves, missed: Flags, expected: float, chances: float, negatives: float, random: np.random.Generator
) -> Curves:
    """The curves, half of them with a background rate: the probability that an item which is not predicted is positive.

    Rates are exponential with mean expected / chances. A curve is weighed by the probability that its rate gives to the
    labels: (1 - rate) ** negatives.

    missed     [pattern]: whether items of this pattern are predicted by no model
    expected   the mean number of such positives in curves that have any
    chances    how many items are not predicted
    negatives  how many of them were labelled negative

    >>> curves = Curves(np.zeros((3, 2, 1)), np.full(3, 1 / 3))
    >>> found = with_background(curves, np.array([False, True]), 50, 1000, 0, np.random.default_rng(0))
    >>> found.chance[:, 1, 0].round(2).tolist()
    [0.03, 0.0, 0.0]
    """
    rate = np.minimum(random.exponential(expected / max(chances, 1.0), len(curves.weight)), 0.5)
    rate *= random.random(len(rate)) < 0.5
    chance = curves.chance.copy()
    chance[:, missed] = 1 - (1 - chance[:, missed]) * (1 - rate)[:, None, None]
    weight = curves.weight * np.exp(negatives * np.log1p(-rate))
    return Curves(chance, weight / weight.sum())
