"""Shifts of patterns: which models predict an item says more than its place in the consensus.

A curve along the consensus of several models gives each band one level of log-odds. At the same place, an item that all
models predict may well be positive more often than one that none predicts. So each pattern has a shift of its own, the
same in all bands. The labels of a pattern say what its shift is; without any it stays as uncertain as it was believed
to be, however many labels other patterns have. With one model there is nothing to shift against: its shifts are 0.

Curve and shifts both depend on all labels. They are drawn from their posterior in two steps:

1. A mean-field approximation. The hidden Markov model gets the log likelihood of the labels averaged over the shifts
   that are believed in (`Likelihood.emission`), the shifts get it averaged over its curve (`Likelihood.learned`), and
   the hidden Markov model gets it averaged over these. Further rounds change no interval.
2. Curves are drawn from that hidden Markov model. Each is weighed by the likelihood of the labels with the shifts
   summed out, relative to the averaged one; its shifts are drawn given the curve (`Likelihood.chances`).

The weights make the draws right; a bad approximation only makes fewer of them count.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import expit, log_expit, logsumexp

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.components import LEVELS, STEP, Prior
from lowshot.core.types import Floats, Integers

REACH = 8  # the largest shift, in steps between levels: 4 units of log-odds
DEGREES = 2  # of freedom of a belief about a shift: tails are heavy
NEGLIGIBLE = 1e-3  # probability of a shift below which the approximation leaves it out


class Belief(NamedTuple):
    """A belief about a shift: a Student t distribution with DEGREES of freedom, in log-odds."""

    mean: float
    scale: float

    def log_chance(self, shifts: Floats) -> Floats:
        """Of each of these shifts."""
        density = -(DEGREES + 1) / 2 * np.log1p(((shifts - self.mean) / self.scale) ** 2 / DEGREES)
        found: Floats = density - logsumexp(density)
        return found


# Of items that all models predict, only some, or none. The means are those of shifts that were fitted to real pairs of
# models. With these scales the intervals of F1 hold for them, for simulated models whose errors are independent, and
# for models that were fitted to simulated frauds (docs/research.md).
ALL, SOME, NONE = Belief(0.5, 0.5), Belief(-0.1, 0.9), Belief(-0.6, 0.35)


@dataclass(frozen=True, eq=False)
class Shifts:
    """The possible shifts of the patterns of a pool, and P(positive) under each.

    Shifts are ordered like levels, from the highest: level l with shift s is at place l + s of the shifted levels.
    """

    log_prior: Floats  # [pattern, shift]
    level: Floats  # log-odds [pattern, component, shifted level]
    doubt: Floats  # the log of the prior's factor for doubt [component, band, level], see `Component`; without shifts

    @classmethod
    def of(cls, bands: Bands, prior: Prior) -> "Shifts":
        several = bands.patterns.shape[1] > 1
        reach = REACH if several else 0
        shifts = np.arange(reach, -reach - 1, -1, dtype=np.float64) * STEP
        log_prior = np.stack([belief_of(each).log_chance(shifts) for each in bands.patterns])
        shifted = np.arange(reach, -(len(LEVELS) + reach), -1, dtype=np.float64) * STEP
        missed = np.einsum("pb,pcl->cbl", missed_share(bands), expit(prior.level))
        return cls(log_prior, prior.level[:, :, :1] + shifted, -prior.column("doubt")[:, None, None] * missed)

    @cached_property
    def chance(self) -> Floats:
        """P(positive) [pattern, component, shifted level]."""
        found: Floats = expit(self.level)
        return found

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """Logarithms of P(positive) and of P(negative)."""
        return log_expit(self.level), log_expit(-self.level)

    @property
    def several(self) -> bool:
        """Whether there are several models."""
        return len(self.log_prior.T) > 1

    def likelihood(self, labelled: Floats, positive: Floats) -> "Likelihood":
        """Of so many labels and positives per group [pattern, band]; shifts are as they were believed to be."""
        seen = np.flatnonzero(labelled.any(axis=1))
        yes, no = (each[seen] for each in self.logs)
        table = positive[seen, None, :, None] * yes[:, :, None, :]
        table += (labelled - positive)[seen, None, :, None] * no[:, :, None, :]
        return Likelihood(self, seen, table, np.exp(self.log_prior))


def belief_of(pattern: Floats) -> Belief:
    """About the shift of a pattern [model]; a pattern that was merged from several has shares of them.

    >>> [belief_of(np.array(pattern)).mean for pattern in ([1, 1], [1, 0], [0.7, 0.3], [0, 0])]
    [0.5, -0.1, -0.1, -0.6]
    """
    if pattern.min() == 1:
        return ALL
    return SOME if pattern.any() else NONE


def missed_share(bands: Bands) -> Floats:
    """[pattern, band]: items that a model does not predict over its n_pred, the mean over the models."""
    each = np.maximum(bands.each, 1)
    found: Floats = ((1.0 - bands.patterns) / each).mean(axis=1)[:, None] * bands.count
    return found


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log likelihood of labels, and a distribution of the shifts."""

    shifts: Shifts
    seen: Integers  # the patterns that have labels
    table: Floats  # [pattern with labels, component, band, shifted level]
    believed: Floats  # [pattern, shift]: probabilities; of patterns without labels those of the prior

    @cached_property
    def kept(self) -> Floats:
        """`believed` without what is negligible, of patterns with labels."""
        believed = self.believed[self.seen]
        return np.where(believed > NEGLIGIBLE, believed, 0.0)

    @cached_property
    def emission(self) -> Floats:
        """The log likelihood, averaged over the shifts [component, band, level]."""
        found = self.shifts.doubt.copy()
        for table, chance in zip(self.table, self.kept, strict=True):
            for shift in np.flatnonzero(chance).tolist():
                found += chance[shift] * _shifted(table, shift)
        return found

    @property
    def divergence(self) -> float:
        """How far the distribution of the shifts is from what was believed (Kullback-Leibler, in nats)."""
        kept = self.kept
        there = kept > 0
        return float((kept[there] * (np.log(kept[there]) - self.shifts.log_prior[self.seen][there])).sum())

    def learned(self, marginal: Floats) -> "Likelihood":
        """The same, with the shifts as they are if levels have these probabilities [component, band, level]."""
        shifts = range(self.believed.shape[1])
        mean = np.stack([np.tensordot(_shifted(self.table, shift), marginal, 3) for shift in shifts], axis=1)
        log = mean + self.shifts.log_prior[self.seen]
        believed = self.believed.copy()
        believed[self.seen] = np.exp(log - logsumexp(log, axis=1, keepdims=True))
        return replace(self, believed=believed)

    def chances(self, component: Integers, level: Integers, random: np.random.Generator) -> tuple[Floats, Floats]:
        """P(positive) [curve, pattern, band] for curves with these components and levels [curve, band], whose shifts
        are drawn; and the logarithm of the weight of each curve."""
        kinds = np.arange(len(self.believed))
        if self.shifts.several:
            log = self._given(component, level)
            joint = log + self.shifts.log_prior[self.seen]
            total = logsumexp(joint, axis=2, keepdims=True)
            log_weight = (total[..., 0] - (log * self.kept).sum(axis=2)).sum(axis=1)
            chance = np.tile(self.believed, (len(component), 1, 1))
            chance[:, self.seen] = np.exp(joint - total)
            shift = _drawn(chance, random)
        else:
            shift, log_weight = np.zeros((len(component), len(kinds)), dtype=np.int64), np.zeros(len(component))
        place = level[:, None, :] + shift[:, :, None]
        return self.shifts.chance[kinds[:, None], component[:, None, None], place], log_weight

    def _given(self, component: Integers, level: Integers) -> Floats:
        """The log likelihood of each shift under each curve [curve, pattern with labels, shift]."""
        bands, size = self.table.shape[2:]
        first = (component[:, None] * bands + np.arange(bands)) * size + level
        found = np.empty((len(level), len(self.seen), self.believed.shape[1]))
        for place, table in enumerate(self.table):
            found[:, place] = sliding_window_view(table.ravel(), found.shape[2])[first].sum(axis=1)
        return found


def _drawn(chance: Floats, random: np.random.Generator) -> Integers:
    """A place along the last axis, drawn with these probabilities."""
    summed = chance.cumsum(axis=-1)
    found: Integers = (summed < random.random(summed.shape[:-1])[..., None] * summed[..., -1:]).sum(axis=-1)
    return found


def _shifted(table: Floats, shift: int) -> Floats:
    """Of values at shifted levels, those at the levels with this shift."""
    return table[..., shift : shift + len(LEVELS)]
