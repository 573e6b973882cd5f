"""The prior of the calibration curve, before the first label.

The log-odds of being positive start at some level at the top of the ranking and fall from band to band with a slope
that changes from time to time. A component is one kind of pool: how much larger the log-odds of predicted positives are
than those of predicted negatives of the same rank (`jump`), and whether the curve falls along the rank or the score.
Two more beliefs concern the number of positives, and of missed positives, relative to the number of predicted ones.
Few labels are drawn from the tail, so these matter most.

All numbers were chosen on the even classes of the benchmark families; docs/research.md says what other values did.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import expit, log_expit

from lowshot.core.cells import ONE_MODEL
from lowshot.core.types import Flags, Floats

STEP = 0.5  # between two levels, in log-odds
LEVELS = np.arange(7, -16 - 1e-9, -STEP)  # log-odds: from 0.999 down to one positive in 9 million items
SLOPES = np.array([-12, -3, 0, 0.7, 1.4, 2.1, 2.8, 3.6, 4.8, 7, 12, 30, 80])  # fall of the log-odds per unit of z or u
RISING = 2  # the first two slopes rise with depth
START = (2.0, 3.0)  # mean and standard deviation of the level in the first band, in log-odds
CROSSING = (-0.2, 1.8)  # the same at depth 0, where the predicted positives end
ANY_LEVEL = 0.02  # added to the bell at depth 0, whose height is 1: no level is impossible there (docs/research.md)
# Gaps of the scores (`Bands.gap`, in units of u). Below the first there is no clean gap, above the second there is one.
# On the benchmark's very easy pools gaps exceed 1.1, on all other families they are below 0.65.
CLEAN = (0.65, 1.0)


@dataclass(frozen=True)
class Slopes:
    """A prior over SLOPES: shares of flat, steep and rising slopes; the others are log-normal."""

    typical: float  # median of the log-normal part, in log-odds per unit of z or u
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
class Component:
    """One kind of pool."""

    weight: float  # prior probability, before the gap of the pool is taken into account
    jump: float  # log-odds of predicted positives minus those of predicted negatives of the same rank
    by_score: bool  # falls along the score u; else along the rank z
    clean: bool  # for pools with a clean gap in the scores: positives end there
    doubt: float  # the likelihood is multiplied by exp(-doubt * missed / n_pred)
    redraw: float  # rate per unit of log rank at which a slope is drawn anew
    drift: float  # rate per unit of log rank at which a slope moves to a neighbouring one
    head: Slopes  # slopes above depth 0
    tail: Slopes  # slopes below


@dataclass(frozen=True)
class Belief:
    """A prior on a number of positives relative to n_pred: the logarithm of the ratio has a Cauchy distribution."""

    median: float  # of the ratio
    spread: float  # half of the interquartile range of its logarithm

    def log_density(self, ratio: Floats) -> Floats:
        """Up to a constant. The tails are heavy, so that labels which contradict the belief soon outweigh it."""
        found: Floats = -np.log1p(((np.log(ratio + 1e-4) - np.log(self.median)) / self.spread) ** 2)
        return found


# Measured on the benchmark families: 0.05 to 2.3 missed and 0.2 to 1.3 positives for each predicted positive.
MISSED, POSITIVES = Belief(0.5, 1.5), Belief(0.7, 1.1)
MISSED_IF_CLEAN = Belief(0.01, 1.65)  # very easy pools miss hardly any


@dataclass(frozen=True)
class Prior:
    """Components with their weights, and the beliefs about the number of positives."""

    components: tuple[Component, ...]
    patterns: Flags = field(default_factory=lambda: ONE_MODEL)
    clean: float = 0.0  # from 0 to 1: how clean the gap is in the scores where the predicted positives end

    def column(self, name: str) -> Floats:
        """One field of all components."""
        return np.array([getattr(component, name) for component in self.components], dtype=np.float64)

    def of_pool(self, gap: float, patterns: Flags = ONE_MODEL) -> "Prior":
        """The prior for a pool with this gap in its scores, and these patterns of predictions.

        A curve that falls along the score falls far at a gap with any slope, so it cannot tell a clean gap from an
        ordinary one: such components lose their weight as gaps grow from 0.35 to 0.5. A clean gap gives 0.9 of the
        weight to the clean component.
        """
        clean, by_score = cleanness(gap), float(np.clip((0.5 - gap) / 0.15, 0, 1))
        weight = self.column("weight") * np.where(self.by_score, by_score, 1)
        is_clean = self.column("clean") > 0
        share = np.where(is_clean, 0.9 * clean, 1 - 0.9 * clean)
        weight *= share / np.where(is_clean, weight[is_clean].sum(), weight[~is_clean].sum())
        pairs = zip(self.components, weight.tolist(), strict=True)
        return Prior(
            tuple(replace(component, weight=share) for component, share in pairs if share > 0), patterns, clean
        )

    def log_density(self, found: Floats, missed: Floats) -> Floats:
        """Log prior of curves with so many found and missed positives relative to n_pred, up to a constant."""
        usual = MISSED.log_density(missed) + POSITIVES.log_density(found + missed)
        return (1 - self.clean) * usual + self.clean * MISSED_IF_CLEAN.log_density(missed)

    @cached_property
    def by_score(self) -> Flags:
        return self.column("by_score") > 0

    @cached_property
    def level(self) -> Floats:
        """Log-odds [pattern, component, level]: half a jump more if all models predict positive, half less if none."""
        share: Floats = self.patterns.mean(axis=1) - 0.5
        return LEVELS + share[:, None, None] * self.column("jump")[None, :, None]

    @cached_property
    def chance(self) -> Floats:
        """P(positive) [pattern, component, level]."""
        found: Floats = expit(self.level)
        return found

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """Logarithms of P(positive) and of P(negative) [pattern, component, level]."""
        return log_expit(self.level), log_expit(-self.level)


def cleanness(gap: float) -> float:
    """How clean a gap of the scores is: 0 for an ordinary one, 1 for a clean one.

    >>> cleanness(0.3), cleanness(1.5)
    (0.0, 1.0)
    """
    low, high = CLEAN
    return float(np.clip((gap - low) / (high - low), 0, 1))


AT_START = np.exp(-0.5 * ((LEVELS - START[0]) / START[1]) ** 2)
AT_START /= AT_START.sum()
AT_CROSSING = np.exp(-0.5 * ((LEVELS - CROSSING[0]) / CROSSING[1]) ** 2) + ANY_LEVEL


def default_prior() -> Prior:
    """Six components: half of the weight is on curves that fall along the rank, half along the score.

    >>> len(default_prior().components), len(default_prior().of_pool(gap=0.3).components)
    (6, 5)
    """
    head, tail = Slopes(2.0, 0.8, 0.1, 0.1, 0.1), Slopes(1.8, 0.5, 0.08, 0.08, 0.004)
    after_jump = Slopes(3.0, 0.7, 0.05, 0.08, 0.004)
    score_head, score_tail = Slopes(2.2, 0.8, 0.03, 0.05, 0.1), Slopes(1.8, 0.6, 0.08, 0.05, 0.004)
    rank, score = (0.12, 0.3), (0.06, 0.2)  # redraw and drift
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
