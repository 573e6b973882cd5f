"""The hidden Markov model over bands: forward pass over (level, slope), and curves drawn backwards from it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.moves import STATES, Fall, switches
from lowshot.core.curve.prior import AT_CROSSING, AT_START, RISING, Prior, cleanness
from lowshot.core.types import Flags, Floats, Integers

TINY = 1e-300
OVERSAMPLED = 2


@dataclass(frozen=True, eq=False)
class Model:
    """A prior over the curves of one pool."""

    bands: Bands
    prior: Prior
    falls: tuple[Fall, Fall]  # along the rank, along the score
    switch: Floats  # [component, band, slope before, slope after]
    weight: Floats  # of each component, for this pool
    doubted: Floats  # [component, band, level]: log of the prior's doubt in missed positives
    crossing: int  # the band at depth 0
    normaliser: Floats  # evidence of each component without labels

    @classmethod
    def of(cls, bands: Bands, prior: Prior) -> "Model":
        weight = prior.weight(bands.gap)
        missed = bands.count[1][None, :, None] * prior.chance[1][:, None, :]
        model = cls(
            bands=bands,
            prior=prior,
            falls=(Fall.along(bands.normal), Fall.along(bands.scaled)),
            switch=switches(bands, prior),
            weight=weight,
            doubted=-prior.column("doubt")[:, None, None] / max(bands.predicted, 1) * missed,
            crossing=int(np.argmin(np.abs(bands.depth))),
            normaliser=np.zeros(len(weight)),
        )
        nothing = np.zeros(bands.count.shape)
        alive = np.flatnonzero(weight)
        normaliser = np.zeros(len(weight))
        normaliser[alive] = model.forward(nothing, nothing, alive).evidence - np.log(model.weight[alive])
        return replace(model, normaliser=normaliser)

    @cached_property
    def steps(self) -> Integers:
        """[band, coordinate * slope], for both coordinates."""
        return np.concatenate([fall.steps for fall in self.falls], axis=1)

    @cached_property
    def rest(self) -> Floats:
        return np.concatenate([fall.rest for fall in self.falls], axis=1)

    def forward(self, labelled: Floats, positive: Floats, alive: Integers) -> "Filtered":
        """The filtered states of these components after so many labels and positives a group."""
        emission = self._log_likelihood(labelled, positive, alive)
        largest = emission.max(axis=2, keepdims=True)
        likelihood = np.exp(emission - largest)[..., None]
        before = np.empty((len(self.bands), len(alive), *STATES))
        after = np.zeros((len(self.bands), len(alive), STATES[0] + 2, STATES[1]))
        total = np.empty((len(self.bands), len(alive)))
        rank = int(np.count_nonzero(~self.prior.by_score[alive]))
        switch = self.switch[alive]
        state = AT_START[:, None] * self._slopes_at_start(alive)[:, None, :]
        for band in range(len(self.bands)):
            if band:
                state = self._fall(after[band - 1], band - 1, rank)
            state = state * likelihood[:, band]
            if band == self.crossing:
                state *= AT_CROSSING[:, None]
            total[band] = state.sum(axis=(1, 2))
            np.divide(state, total[band][:, None, None] + TINY, out=before[band])
            np.matmul(before[band], switch[:, band], out=after[band, :, 1:-1])
        evidence = np.log(total + TINY).sum(axis=0) + largest.sum(axis=(1, 2))
        return Filtered(
            self, alive, before, after, evidence - self.normaliser[alive] + np.log(self.weight[alive] + TINY)
        )

    def _slopes_at_start(self, alive: Integers) -> Floats:
        return np.array([self.prior.components[c].head.weight for c in alive])

    def _log_likelihood(self, labelled: Floats, positive: Floats, alive: Integers) -> Floats:
        """[component, band, level], binomial in each group."""
        yes, no = self.prior.logs
        found = self.doubted[alive].copy()
        for kind in range(2):
            found += positive[kind][:, None] * yes[kind][alive][:, None, :]
            found += (labelled - positive)[kind][:, None] * no[kind][alive][:, None, :]
        return found

    def _fall(self, after: Floats, band: int, rank: int) -> Floats:
        """Every state to where its slope takes it; the first `rank` components along the rank, the others by score."""
        parts = [
            self.falls[coordinate].apply(band, part)
            for coordinate, part in enumerate((after[:rank], after[rank:]))
            if len(part)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Filtered:
    """States after the labels of all bands above and the band itself; `evidence` weighs the components."""

    model: Model
    alive: Integers
    before: Floats  # [band, component, level, slope], then the slope may change:
    after: Floats  # with a row of zeros above and below the levels
    evidence: Floats

    @property
    def share(self) -> Floats:
        """The posterior weight of each component."""
        found: Floats = np.exp(self.evidence - self.evidence.max())
        found /= found.sum()
        return found

    def only(self, kept: Flags) -> "Filtered":
        """Some of the components."""
        where = np.flatnonzero(kept)
        return Filtered(
            self.model, self.alive[where], self.before[:, where], self.after[:, where], self.evidence[where]
        )

    def draw(self, count: int, random: np.random.Generator) -> Floats:
        """Curves from the posterior: P(positive) [curve, prediction, band].

        Twice as many are drawn from the hidden Markov model; which of them stay is decided by what is believed about
        the number of missed positives, which depends on a curve as a whole.
        """
        curves = self._draw(OVERSAMPLED * count, random)
        bands = self.model.bands
        missed = curves[:, 1] @ bands.count[1] / max(bands.predicted, 1)
        log_weight = self.model.prior.missed.log_density(missed, cleanness(bands.gap))
        summed = np.cumsum(np.exp(log_weight - log_weight.max()))
        evenly = (np.arange(count) + random.random()) / count * summed[-1]
        kept: Floats = curves[np.minimum(np.searchsorted(summed, evenly), len(curves) - 1)]
        return kept

    def _draw(self, count: int, random: np.random.Generator) -> Floats:
        """Curves from the hidden Markov model."""
        bounds = np.floor(np.append(0, np.cumsum(self.share)) * count + random.random() * 0.999).astype(np.int64)
        component = np.repeat(np.arange(len(self.alive)), np.diff(bounds))
        paths = self._paths(component, random)
        chance = self.model.prior.chance[:, self.alive]
        return np.stack([chance[kind][component[:, None], paths] for kind in range(2)], axis=1)

    def _paths(self, component: Integers, random: np.random.Generator) -> Integers:
        """The level of each curve in each band, drawn from the last band to the first."""
        bands, size = len(self.model.bands), len(component)
        numbers = random.random((bands, 2, size))
        states = self.before[-1].reshape(len(self.alive), -1).cumsum(axis=1)[component]
        level, slope = np.divmod(_place(states, numbers[-1, 0]), STATES[1])
        coordinate = self.model.prior.by_score[self.alive][component].astype(np.int64)
        paths = np.empty((bands, size), dtype=np.int64)
        paths[-1] = level
        for band in range(bands - 2, -1, -1):
            level = self._level_before(band, component, coordinate, level, slope, numbers[band, 0])
            slope = self._slope_before(band, component, level, slope, numbers[band, 1])
            paths[band] = level
        return paths.T

    def _level_before(
        self, band: int, component: Integers, coordinate: Integers, level: Integers, slope: Integers, number: Floats
    ) -> Integers:
        """From the two levels that lead here; from many, where the levels end."""
        place = coordinate * STATES[1] + slope
        steps, rest = self.model.steps[band].take(place), self.model.rest[band].take(place)
        near = level - steps
        after = self.after[band].ravel()
        row = component * (STATES[0] + 2) + 1
        one = (1 - rest) * after.take((row + np.clip(near, -1, STATES[0])) * STATES[1] + slope)
        two = rest * after.take((row + np.clip(near - 1, -1, STATES[0])) * STATES[1] + slope)
        found = np.where(number * (one + two) < one, near, near - 1)
        at_end = np.flatnonzero(level == np.where(slope < RISING, 0, STATES[0] - 1))
        if len(at_end):
            found[at_end] = self._from_anywhere(band, component[at_end], slope[at_end], number[at_end])
        before: Integers = found
        return before

    def _from_anywhere(self, band: int, component: Integers, slope: Integers, number: Floats) -> Integers:
        """The level of a curve that is at the end of the levels afterwards: many lead there."""
        kinds, which = np.unique(component * STATES[1] + slope, return_inverse=True)
        one, two = np.divmod(kinds, STATES[1])
        by_score = self.model.prior.by_score[self.alive][one].astype(np.int64)
        place = by_score * STATES[1] + two
        steps, rest = self.model.steps[band].take(place)[:, None], self.model.rest[band].take(place)[:, None]
        landing, last = np.arange(STATES[0]) + steps, STATES[0] - 1
        rising = (two < RISING)[:, None]
        near = np.where(rising, landing <= 0, landing >= last)
        far = np.where(rising, landing + 1 <= 0, landing + 1 >= last)
        chance = near * (1 - rest) + far * rest
        summed = (chance * self.after[band, one, 1:-1, two]).cumsum(axis=1)
        return _place(summed[which], number)

    def _slope_before(
        self, band: int, component: Integers, level: Integers, slope: Integers, number: Floats
    ) -> Integers:
        switch = self.switched[:, band].reshape(-1, STATES[1]).take(component * STATES[1] + slope, axis=0)
        state = self.before[band].reshape(-1, STATES[1]).take(component * STATES[0] + level, axis=0)
        return _place(np.multiply(switch, state, out=state).cumsum(axis=1), number)

    @cached_property
    def switched(self) -> Floats:
        """P(slope afterwards | slope before) [component, band, after, before]."""
        return np.ascontiguousarray(self.model.switch[self.alive].transpose(0, 1, 3, 2))


def _place(summed: Floats, number: Floats) -> Integers:
    """Where a uniform number falls into each row of running sums."""
    found = (summed < number[:, None] * summed[:, -1:]).sum(axis=1)
    last: Integers = np.minimum(found, summed.shape[1] - 1)
    return last
