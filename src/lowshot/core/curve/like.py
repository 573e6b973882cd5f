"""An earlier evaluation as a belief: its curves, carried over to another pool and shifted.

The earlier curves are evidence of how the log-odds of being positive fall along the scores of a classifier. Other items
may have more or fewer positives, which adds nearly the same number to all log-odds. So this belief says: the curve is
one of the earlier ones, plus one common shift with a Cauchy distribution, and perhaps a tilt: it falls a little faster
or slower along the depth. At 150 labels intervals held in 95 to 96 % of the runs with tilts, and in 93 to 94 % without.
The belief has a probability of 0.8 (`TRUST`) before labels are seen; otherwise nothing is carried over. Labels change
that by their evidence.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logit, logsumexp

from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.ranges import DOUBTED, EDGE, Seen, systematic
from lowshot.core.types import Floats

TRUST = 0.8  # the probability that the earlier curves apply, before labels are seen
SCALE = 0.3  # of the Cauchy distribution of the shift, in log-odds
SHIFT = np.linspace(-5, 5, 101)  # log-odds
TILT = 0.15  # log-odds per unit of depth
KEPT = 40  # curves that represent an earlier evaluation


class Profile(NamedTuple):
    """Where each band of a pool lies: the mean score of its items, and its depth, log(rank / n_pred)."""

    score: Floats
    depth: Floats


@dataclass(frozen=True, eq=False)
class Carried:
    """Earlier curves on the bands of another pool."""

    log_odds: Floats  # [curve, pattern, band]

    @classmethod
    def of(cls, log_odds: Floats, then: Profile, now: Profile) -> "Carried":
        """Each curve is carried over to the same scores and to the same depths, and each of these with three tilts.

        Scores are better for the same classifier; depths, if its scores are on another scale now.
        """
        pairs = ((-then.score, -now.score), (then.depth, now.depth))
        both = np.concatenate([_along(log_odds, *pair) for pair in pairs])
        return cls(np.concatenate([both + tilt * now.depth for tilt in (0, TILT, -TILT)]))

    @cached_property
    def _log_prior(self) -> Floats:
        """[curve, shift]"""
        cauchy = 1 / (1 + (SHIFT / SCALE) ** 2)
        return np.broadcast_to(np.log(cauchy / cauchy.sum() / len(self.log_odds)), (len(self.log_odds), len(SHIFT)))

    def log_posterior(self, seen: Seen) -> Floats:
        """[curve, shift], up to the evidence of the labels, which is the logarithm of the sum."""
        kind, band = np.nonzero(seen.told)
        level = self.log_odds[:, None, kind, band] + SHIFT[:, None]
        positive = seen.positive[kind, band]
        found: Floats = self._log_prior + log_expit(level) @ positive
        found += log_expit(-level) @ (seen.told[kind, band] - positive)
        return found

    def draw(self, log_posterior: Floats, count: int) -> Floats:
        """P(positive) [curve, pattern, band] of `count` curves, each as often as its posterior says."""
        weight = np.exp(log_posterior - log_posterior.max()).ravel()
        curve, shift = np.divmod(systematic(weight, count), len(SHIFT))
        found: Floats = expit(self.log_odds[curve] + SHIFT[shift][:, None, None])
        return found


def _along(log_odds: Floats, then: Floats, now: Floats) -> Floats:
    """The curves at other places; both rise with the rank. Beyond the ends curves stay as they are there."""
    flat = log_odds.reshape(-1, log_odds.shape[-1])
    found = np.stack([np.interp(now, then, row) for row in flat])
    return found.reshape(*log_odds.shape[:-1], len(now))


class Weighed(NamedTuple):
    """Earlier curves and shifts with their posterior, and the probability that they apply."""

    carried: Carried
    log_posterior: Floats  # [curve, shift]
    probability: float

    @classmethod
    def of(cls, carried: Carried, seen: Seen, evidence: float) -> "Weighed":
        """`evidence` is the log probability of the labels under the belief without the earlier evaluation."""
        found = carried.log_posterior(seen)
        odds = np.log(TRUST / (1 - TRUST)) + float(logsumexp(found)) - evidence
        return cls(carried, found, float(expit(odds)))

    @property
    def doubted(self) -> bool:
        """Whether the labels contradict the earlier evaluation, so that it is not used."""
        return self.probability < DOUBTED

    def mixed(self, default: Curves) -> Curves:
        """Curves of both beliefs with their posterior weights."""
        count = len(default.weight)
        chance = np.concatenate([self.carried.draw(self.log_posterior, count), default.chance])
        weight = np.append(np.full(count, self.probability / count), (1 - self.probability) * default.weight)
        return Curves(chance, weight)


def representatives(curves: Curves, missed: Floats) -> Floats:
    """KEPT of the curves as log-odds [curve, pattern, band], evenly along the number of positives that they miss."""
    order = np.argsort(missed, kind="stable")
    chosen = curves.chance[order[systematic(curves.weight[order], KEPT)]]
    found: Floats = logit(np.clip(chosen, EDGE, 1 - EDGE))
    return found
