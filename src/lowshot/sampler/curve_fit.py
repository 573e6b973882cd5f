"""Curves along one ranking of a pool: from the beliefs, from what the user knows, and from the labels."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from lowshot.core.cells import NO_ITEMS
from lowshot.core.curve.bands import Bands
from lowshot.core.curve.like import Carried, Profile, Weighed, representatives
from lowshot.core.curve.posterior import Curves, Model, Posterior, with_background
from lowshot.core.curve.ranges import Contradiction, Ranges, Seen, resampled
from lowshot.core.magnitude import divided, exponent_of
from lowshot.core.types import Flags, Floats, Integers
from lowshot.history import History
from lowshot.metric import FBeta
from lowshot.pools.base import View
from lowshot.prior import Prior, Remembered
from lowshot.sampler.curve_state import State, state_of
from lowshot.sampler.group_design import groups_of


class Fit(NamedTuple):
    """Curves from the posterior, and what the user said that the labels contradict."""

    curves: Curves
    contradictions: tuple[Contradiction, ...] = ()
    unlike: bool = False  # whether the labels contradict the earlier evaluation

    @property
    def warnings(self) -> list[str]:
        unlike = "the labels contradict the earlier evaluation that was given as like: it was not used"
        return [*map(contradicted, self.contradictions), *([unlike] if self.unlike else [])]


def contradicted(found: Contradiction) -> str:
    """The warning that a range was not used."""
    one = found.range
    return (
        f"the labels contradict the range that was given for {one.name}, {one.low:g} to {one.high:g}: they suggest"
        f" about {found.suggested:.2g}; the range was not used"
    )


class Believed(NamedTuple):
    """The settings of sampler `curve` that decide which curves are drawn."""

    background: float
    prior: Prior | None


@dataclass(frozen=True, eq=False)
class Fitter:
    """Draws curves along one ranking. What it derives is kept with the ranking."""

    believed: Believed
    ranking: View
    patterns: Floats  # [pattern, model]: see `Joint`
    scored: Flags  # [model]

    @property
    def model(self) -> Model:
        def make() -> Model:
            return Model.of(Bands.of(self.ranking.cells(), self._scores(), self.patterns), self.scored)

        return self.ranking.cached("curve model", make)

    @property
    def bands(self) -> Bands:
        return self.model.bands

    @property
    def group_of_item(self) -> Integers:
        """The group of each item of a pool in memory, by position."""

        def make() -> Integers:
            return groups_of(self.ranking.cells(), self.bands, np.arange(self.ranking.total))

        return self.ranking.cached("curve groups", make)

    @property
    def is_predicted(self) -> Flags:
        """[pattern]: whether the first model predicts such items positive. Ranges of the recall are about that one."""
        found: Flags = self.bands.patterns[:, 0] > 0
        return found

    def _scores(self) -> Floats:
        """The score of each cell, on a scale where distances are meaningful."""
        return self.ranking.comparable(self.ranking.cells().level)

    def posterior(self, told: Floats, positive: Floats) -> Posterior:
        """The posterior after these labels, cached until labels change."""
        key = (told.tobytes(), positive.tobytes())
        return self.ranking.cached("curve posterior", lambda: self.model.posterior(told, positive), key)

    def evidence(self, state: State) -> float:
        """The log probability of the labels, relative to none: it says how well this ranking explains them."""
        return float(logsumexp(self.posterior(state.told, state.positive).evidence))

    def surprise(self, state: State) -> float:
        """`Posterior.surprise` of the labels."""
        return self.posterior(state.told, state.positive).surprise(state.told, state.positive)

    def fit(self, state: State, count: int) -> Fit:
        """Curves from the posterior, cached until labels change."""
        seen = (state.told, state.positive, state.weight, state.positives)  # ranges depend on all of them
        key = (self.believed, count, *(values.tobytes() for values in seen))
        return self.ranking.cached("curves", lambda: self.draw(state, count), key)

    def draw(self, state: State, count: int) -> Fit:
        """Curves from the posterior. The same labels give the same curves."""
        seen, random, prior = seen_of(state), np.random.default_rng(0), self.believed.prior
        if prior is None:
            return Fit(self._source(seen, count, random))
        like = self._like(seen)
        doubted = like is not None and like.doubted
        if not prior.ranges:
            return Fit(resampled(*self._source(seen, count, random), count), (), doubted)
        return Fit(*self._ranges(prior, count).apply(self._source, seen, count, random), doubted)

    def _source(self, seen: Seen, count: int, random: np.random.Generator) -> Curves:
        """Curves from the posterior, without the ranges that the user knows."""
        drawn, like = self._default(seen, count, random), self._like(seen)
        return drawn if like is None or like.doubted else like.mixed(drawn)

    def _default(self, seen: Seen, count: int, random: np.random.Generator) -> Curves:
        """Curves from the posterior, without what the user knows."""
        drawn = self.posterior(seen.told, seen.positive).draw(count, random)
        if self.believed.background == 0:
            return drawn
        bands = self.bands
        missed = ~bands.is_predicted
        expected = self.believed.background * max(bands.predicted, 1)
        negatives = (seen.told - seen.positive)[missed].sum()
        return with_background(drawn, missed, expected, bands.count[missed].sum(), negatives, random)

    def _ranges(self, prior: Prior, count: int) -> Ranges:
        def make() -> Ranges:
            return Ranges.of(prior.ranges, self._source, self._nothing(), self.is_predicted, count)

        return self.ranking.cached("curve ranges", make, (self.believed, count))

    def _nothing(self) -> Seen:
        """Without labels."""
        return seen_of(state_of(self.ranking, self.ranking, self.bands, History(), NO_ITEMS))

    def _like(self, seen: Seen) -> Weighed | None:
        """The earlier evaluation that the user named, weighed by the labels; None if none was named."""
        earlier = None if self.believed.prior is None else self.believed.prior.remembered
        if earlier is None:
            return None
        key = (self.believed, seen.told.tobytes(), seen.positive.tobytes())
        return self.ranking.cached("curve like", partial(self._weighed, earlier, seen), key)

    def _weighed(self, earlier: Remembered, seen: Seen) -> Weighed:
        then, now = Profile(np.array(earlier.score), np.array(earlier.depth)), self._profile()
        log_odds = np.array(earlier.log_odds)
        carried = self.ranking.cached("curve carried", lambda: Carried.of(log_odds, then, now), self.believed)
        # The evidence of the labels: relative to no labels, because factors of the prior are not normalised.
        nothing = np.zeros_like(seen.told)
        with_labels, without = self.posterior(seen.told, seen.positive), self.model.posterior(nothing, nothing)
        return Weighed.of(carried, seen, float(logsumexp(with_labels.evidence) - logsumexp(without.evidence)))

    def _profile(self) -> Profile:
        bands, cells, level = self.bands, self.ranking.cells(), self._scores()
        exponent = exponent_of(level)  # sums of very large scores would overflow
        total = np.bincount(bands.find(cells.above), cells.count * divided(level, exponent), len(bands))
        return Profile(np.ldexp(total / np.diff(bands.edge), exponent), bands.depth)

    def remembered(self, state: State, count: int, metric: FBeta) -> Remembered:
        """What a later evaluation may learn from this one."""
        bands, curves, profile = self.bands, self.fit(state, count).curves, self._profile()
        missed = np.tensordot(curves.chance[:, ~bands.is_predicted], bands.count[~bands.is_predicted], 2)
        log_odds = np.round(representatives(curves, missed), 3)  # a thousandth is far below what labels can tell
        return Remembered(
            metric=metric.name,
            labels=round(state.told.sum()),  # those that the curves learned from
            items=bands.total,
            predicted=bands.predicted,
            models=bands.patterns.shape[1],
            score=tuple(profile.score.tolist()),
            depth=tuple(profile.depth.tolist()),
            log_odds=tuple(tuple(tuple(row) for row in curve) for curve in log_odds.tolist()),
        )


def seen_of(state: State) -> Seen:
    return Seen(state.told, state.positive, state.weight, state.positives)
