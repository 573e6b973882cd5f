"""How many labels until something is known well enough: labelling is simulated, each time with another curve."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.types import Flags, Floats, Integers
from lowshot.result import Plan
from lowshot.sampler.base import MOST
from lowshot.sampler.curve_state import State
from lowshot.sampler.group_design import ANY

FUTURES = 20  # simulated evaluations per plan: enough for quantiles at 10 % and 90 %


@dataclass(frozen=True)
class Future:
    """A simulated evaluation: how it goes on from the labels so far."""

    curves: Callable[[State], Curves]  # curves from the posterior
    missing: Callable[[State, Curves], float]  # above 1 until what is wanted is reached: the width relative to it
    order: Callable[[State, Curves, int], Integers]  # the groups of the next round; the integer counts rounds so far
    is_predicted: Flags  # [pattern]

    def labels(self, now: State, rounds: int, truth: Floats, random: np.random.Generator) -> float:
        """The number of labels at which nothing is missing, interpolated between the ends of two rounds."""
        drawn = self.curves(now)
        missing, before, labels = self.missing(now, drawn), np.inf, now.labels
        while missing > 1 and now.labels < MOST and len(order := self.order(now, drawn, rounds)):
            before, labels = missing, now.labels
            # A draw from the whole pool is taken from the largest group.
            groups = np.where(order == ANY, now.open.argmax(), order)
            told = np.minimum(np.bincount(groups, minlength=now.open.size).reshape(now.open.shape), now.open)
            now, rounds = now.after(told, random.binomial(told, truth), self.is_predicted), rounds + 1
            drawn = self.curves(now)
            missing = self.missing(now, drawn)
        if missing > 1 or labels == now.labels:
            return float(min(now.labels, MOST))
        share = np.log(before) / np.log(before / max(missing, 1e-9))  # widths fall like a power of the labels
        return float(np.ceil(labels + share * (now.labels - labels)))


def plan_from(future: Future, state: State, rounds: int) -> Plan:
    """Nine simulations in ten need at most `high` labels, one in ten at most `low`."""
    random, curves = np.random.default_rng(2), future.curves(state)
    evenly = (np.arange(FUTURES) + 0.5) / FUTURES
    truths = curves.chance[np.searchsorted(curves.weight.cumsum()[:-1], evenly)]
    needed = [future.labels(state, rounds, truth, random) for truth in truths]
    low, likely, high = np.quantile(needed, [0.1, 0.5, 0.9], method="higher").astype(np.int64).tolist()
    skipped = int(state.skipped.sum())  # "cannot tell" is an answer that somebody gave, so it counts
    return Plan(None, low + skipped, likely + skipped, high + skipped, state.labels + skipped, MOST)
