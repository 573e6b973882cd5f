"""What is believed about a calibration curve before the first label.

The log-odds of being positive start at some level and fall from band to band with a slope that changes now and then.
A component is one kind of pool: how much higher predicted positives are than predicted negatives of the same rank
(`jump`), and along what the curve falls, the rank or the score. On top of that stands what is believed about the number
of positives, and of missed ones, for each predicted one: labels say little about the tail, so this matters most.

docs/research.md says where each number comes from and what other values did.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import expit, log_expit

from lowshot.core.cells import ONE_MODEL
from lowshot.core.types import Flags, Floats

STEP = 0.5
LEVELS = np.arange(7, -16 - 1e-9, -STEP)  # log-odds
SLOPES = np.array([-12, -3, 0, 0.7, 1.4, 2.1, 2.8, 3.6, 4.8, 7, 12, 30, 80])  # log-odds a unit of z or u
RISING = 2  # the first two slopes go up
START = (2.0, 3.0)  # mean and deviation of the level at the top
CROSSING = (-0.2, 1.8)  # ... and at depth 0
CLEAN = (0.65, 1.0)  # gaps in the scores around depth 0: from here on a little, from here on wholly clean


@dataclass(frozen=True)
class Slopes:
    """A prior over slopes: shares of flat, steep and rising ones, the rest log-normal around `typical`."""

    typical: float
    spread: float
    flat: float
    steep: float
    rising: float

    @property
    def weight(self) -> Floats:
        found = np.zeros(len(SLOPES))
        found[:RISING] = self.rising / RISING
        found[RISING] = self.flat
        found[-3:] = self.steep * np.array([0.4, 0.35, 0.25])
        ordinary = SLOPES[RISING + 1 : -3]
        bell = np.exp(-0.5 * (np.log(ordinary / self.typical) / self.spread) ** 2)
        found[RISING + 1 : -3] = bell / bell.sum() * (1 - self.flat - self.steep - self.rising)
        return found


@dataclass(frozen=True)
class Component:
    """One kind of pool."""

    weight: float
    jump: float
    by_score: bool
    clean: bool  # there is a gap in the scores, and positives end there
    doubt: float  # a curve loses this factor, as a power of e, for each n_pred missed positives
    redraw: float  # rate, in log rank, at which a slope is drawn anew
    drift: float  # rate at which it moves to a neighbouring slope
    head: Slopes
    tail: Slopes


@dataclass(frozen=True)
class Belief:
    """About a number of positives over n_pred: its logarithm has this median and spread, and heavy tails."""

    median: float
    spread: float

    def log_density(self, ratio: Floats) -> Floats:
        """Up to a constant. Cauchy's: believed as long as labels do not say otherwise, and no longer."""
        found: Floats = -np.log1p(((np.log(ratio + 1e-4) - np.log(self.median)) / self.spread) ** 2)
        return found


MISSED, POSITIVES = Belief(0.5, 1.5), Belief(0.7, 1.1)
MISSED_IF_CLEAN = Belief(0.01, 1.65)


@dataclass(frozen=True)
class Prior:
    """Components as arrays; and what is believed about the number of positives of a pool."""

    components: tuple[Component, ...]
    patterns: Flags = field(default_factory=lambda: ONE_MODEL)
    clean: float = 0.0  # 1: there is a clean gap in the scores where the predicted positives end

    def column(self, name: str) -> Floats:
        return np.array([getattr(component, name) for component in self.components], dtype=np.float64)

    def of_pool(self, gap: float, patterns: Flags = ONE_MODEL) -> "Prior":
        """For a pool with this gap in its scores, and these patterns of predictions.

        An ordinary slope along the score would explain a gap away, so such components leave with it.
        """
        clean, leaving = cleanness(gap), float(np.clip((0.5 - gap) / 0.15, 0, 1))
        weight = self.column("weight") * np.where(self.by_score, leaving, 1)
        is_clean = self.column("clean") > 0
        share = np.where(is_clean, 0.9 * clean, 1 - 0.9 * clean)
        weight *= share / np.where(is_clean, weight[is_clean].sum(), weight[~is_clean].sum())
        pairs = zip(self.components, weight.tolist(), strict=True)
        return Prior(
            tuple(replace(component, weight=share) for component, share in pairs if share > 0), patterns, clean
        )

    def log_density(self, found: Floats, missed: Floats) -> Floats:
        """Of curves with so many true and missed positives, over n_pred, up to a constant."""
        usual = MISSED.log_density(missed) + POSITIVES.log_density(found + missed)
        return (1 - self.clean) * usual + self.clean * MISSED_IF_CLEAN.log_density(missed)

    @cached_property
    def by_score(self) -> Flags:
        return self.column("by_score") > 0

    @cached_property
    def level(self) -> Floats:
        """Log-odds [pattern, component, level]: half a jump up where all models predict, half down where none does."""
        share: Floats = self.patterns.mean(axis=1) - 0.5
        return LEVELS + share[:, None, None] * self.column("jump")[None, :, None]

    @cached_property
    def chance(self) -> Floats:
        """P(positive) at each level."""
        found: Floats = expit(self.level)
        return found

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """Logarithms of P(positive) and of P(negative)."""
        return log_expit(self.level), log_expit(-self.level)


def cleanness(gap: float) -> float:
    """0: no gap in the scores to speak of. 1: a clean gap.

    >>> cleanness(0.3), cleanness(1.5)
    (0.0, 1.0)
    """
    low, high = CLEAN
    return float(np.clip((gap - low) / (high - low), 0, 1))


AT_START = np.exp(-0.5 * ((LEVELS - START[0]) / START[1]) ** 2)
AT_START /= AT_START.sum()
AT_CROSSING = np.exp(-0.5 * ((LEVELS - CROSSING[0]) / CROSSING[1]) ** 2) + 0.02  # no level is impossible there


def default_prior() -> Prior:
    """Half of the weight falls along the rank, half along the score.

    >>> len(default_prior().components), len(default_prior().of_pool(gap=0.3).components)
    (6, 5)
    """
    head, tail = Slopes(2.0, 0.8, 0.1, 0.1, 0.1), Slopes(1.8, 0.5, 0.08, 0.08, 0.004)
    after_jump = Slopes(3.0, 0.7, 0.05, 0.08, 0.004)
    score_head, score_tail = Slopes(2.2, 0.8, 0.03, 0.05, 0.1), Slopes(1.8, 0.6, 0.08, 0.05, 0.004)
    rank, score = (0.12, 0.3), (0.06, 0.2)
    return Prior(
        (
            Component(0.275, 0, False, False, 0.1, *rank, head, tail),
            Component(0.15, 2, False, False, 0.1, *rank, head, tail),
            Component(0.075, 7, False, False, 0.1, *rank, head, after_jump),
            Component(1.0, 7, False, True, 30.0, *rank, head, after_jump),
            Component(0.35, 0, True, False, 0.1, *score, score_head, score_tail),
            Component(0.15, 2, True, False, 0.1, *score, score_head, score_tail),
        )
    )
