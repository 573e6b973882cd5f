"""What a prior of the calibration curve is made of.

The log-odds of being positive start at some level at the top of the ranking and fall from band to band with a slope
that changes from time to time. A component is one kind of pool: how much larger the log-odds of predicted positives are
than those of predicted negatives of the same rank (`jump`), whether the curve falls along the rank, the score or both,
and which slopes and levels are usual. One more belief concerns the number of positives relative to the predicted ones.

The numbers are in `beliefs`.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from lowshot.core.cells import ONE_MODEL
from lowshot.core.types import Flags, Floats

STEP = 0.5  # between two levels, in log-odds
LEVELS = np.arange(7, -16 - 1e-9, -STEP)  # log-odds: from 0.999 down to one positive in 9 million items
# Falls of the log-odds per unit of z, u or w.
SLOPES = np.array([-12, -3, 0, 0.7, 1.4, 2.1, 2.8, 3.6, 4.8, 7, 12, 30, 80])
# Jumps of a model of which only predictions are known, in log-odds, with their probabilities: that of a useless one,
# and what the predictions of real models bring if their score is not known (docs/research.md).
UNSCORED = {0.0: 0.1, 2.0: 0.3, 4.0: 0.35, 6.0: 0.25}
RISING = 2  # the first two slopes rise with depth
Along = Literal["rank", "score", "both"]  # z, u or w of the bands


@dataclass(frozen=True)
class Slopes:
    """A prior over SLOPES: shares of flat, steep and rising slopes; the others are log-normal."""

    typical: float  # median of the log-normal part, in log-odds per unit of z, u or w
    spread: float  # standard deviation of its logarithm
    flat: float  # probability of slope 0
    steep: float  # probability of the three steepest slopes together
    rising: float  # probability of the rising slopes together

    @property
    def weight(self) -> Floats:
        """The probability of each slope."""
        found = np.zeros(len(SLOPES))
        found[:RISING] = self.rising / RISING
        found[RISING] = self.flat
        found[-3:] = self.steep * np.array([0.4, 0.35, 0.25])
        ordinary = SLOPES[RISING + 1 : -3]
        bell = np.exp(-0.5 * (np.log(ordinary / self.typical) / self.spread) ** 2)
        found[RISING + 1 : -3] = bell / bell.sum() * (1 - self.flat - self.steep - self.rising)
        return found


@dataclass(frozen=True)
class Bell:
    """A belief about a level, up to a factor: a normal bell of height 1, and a constant for all other levels."""

    mean: float  # log-odds
    spread: float  # standard deviation, in log-odds
    anywhere: float = 0.0  # added to the bell: no level is impossible

    @property
    def height(self) -> Floats:
        """At each of LEVELS."""
        found: Floats = np.exp(-0.5 * ((LEVELS - self.mean) / self.spread) ** 2)
        return found + self.anywhere if self.anywhere else found


@dataclass(frozen=True)
class Component:
    """One kind of pool."""

    weight: float  # prior probability
    jump: float  # log-odds of predicted positives minus those of predicted negatives of the same rank
    along: Along  # what the curve falls along: z, u or w of the bands
    doubt: float  # the likelihood is multiplied by exp(-doubt * missed / n_pred)
    redraw: float  # rate per unit of log rank at which a slope is drawn anew
    drift: float  # rate per unit of log rank at which a slope moves to a neighbouring one
    head: Slopes  # slopes above depth 0
    tail: Slopes  # slopes below
    crossing: Bell  # the level at depth 0, where the predicted positives end
    jumps: tuple[float, ...] = ()  # what the prediction of each model brings; empty: equal parts of the jump


@dataclass(frozen=True)
class Ratio:
    """A prior on a number of positives relative to n_pred: its logarithm has a Student t distribution."""

    median: float  # of the ratio
    spread: float  # scale of its logarithm
    degrees: int = 1  # of freedom; 1 is a Cauchy distribution

    def log_density(self, ratio: Floats) -> Floats:
        """Up to a constant. The tails are heavy, so that labels which contradict the belief soon outweigh it."""
        away = ((np.log(ratio + 1e-4) - np.log(self.median)) / self.spread) ** 2
        found: Floats = -(self.degrees + 1) / 2 * np.log1p(away / self.degrees)
        return found


@dataclass(frozen=True)
class Prior:
    """Components with their weights, and the beliefs that they share, for one pool."""

    components: tuple[Component, ...]
    start: Bell  # the level in the first band
    positives: Ratio  # all of them, found and missed
    stretch: float  # the lower half of intervals is multiplied by this
    patterns: Floats = field(default_factory=lambda: ONE_MODEL.astype(np.float64))

    def column(self, name: str) -> Floats:
        """One field of all components."""
        return np.array([getattr(component, name) for component in self.components], dtype=np.float64)

    def for_several(self, scored: Flags) -> "Prior":
        """The prior if several models are judged. `scored`: which of them have a score that takes part in the ranking.

        A jump belongs to all models with a score alike; what the prediction of one of them brings beyond is its
        pattern's shift (`patterns`). The prediction of a model without a score says what a score would say, so it has a
        jump of its own (UNSCORED).
        """
        if len(scored) == 1:
            return self
        share = scored / max(int(scored.sum()), 1)
        own = UNSCORED if not scored.all() else {0.0: 1.0}
        components = tuple(
            replace(one, weight=one.weight * chance, jumps=tuple((one.jump * share + jump * ~scored).tolist()))
            for one in self.components
            for jump, chance in own.items()
        )
        return replace(self, components=components)

    @cached_property
    def at_start(self) -> Floats:
        """The probability of each level in the first band."""
        found = self.start.height
        found /= found.sum()
        return found

    @cached_property
    def in_first_band(self) -> Floats:
        """The probability of each state of the first band, [component, slope, level]."""
        head = np.stack([component.head.weight for component in self.components])
        return head[:, :, None] * self.at_start

    @cached_property
    def at_crossing(self) -> Floats:
        """[component, level]"""
        return np.stack([component.crossing.height for component in self.components])

    @cached_property
    def level(self) -> Floats:
        """Log-odds [pattern, component, level]: half a jump more if all models predict positive, half less if none."""
        even = np.full(self.patterns.shape[1], 1 / self.patterns.shape[1])
        jumps = np.stack([np.array(one.jumps) if one.jumps else one.jump * even for one in self.components])
        shift: Floats = (self.patterns - 0.5) @ jumps.T
        return LEVELS + shift[:, :, None]
