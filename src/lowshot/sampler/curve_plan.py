"""How many labels until something is known well enough: labelling is simulated, each time with another curve."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.types import Flags, Floats, Integers
from lowshot.result import Budget, Plan
from lowshot.sampler.base import MOST
from lowshot.sampler.curve_state import State
from lowshot.sampler.group_design import ANY

TINY = 1e-9  # a width of 0 has no logarithm
FUTURES = 20  # simulated evaluations per plan: enough for quantiles at 10 % and 90 %


@dataclass(frozen=True)
class Future:
    """A simulated evaluation: how it goes on from the labels so far."""

    curves: Callable[[State], Curves]  # curves from the posterior
    missing: Callable[[State, Curves], float]  # above 1 until what is wanted is reached: the width relative to it
    order: Callable[[State, Curves, int], Integers]  # the groups of the next round; the integer counts rounds so far
    is_predicted: Flags  # [pattern]

    def steps(self, now: State, rounds: int, truth: Floats, random: np.random.Generator) -> Iterator[tuple[int, float]]:
        """Labels and what is missing, now and at the end of each further round, until no item is left to label."""
        drawn = self.curves(now)
        yield now.labels, self.missing(now, drawn)
        while len(order := self.order(now, drawn, rounds)):
            # A draw from the whole pool is taken from the largest group.
            groups = np.where(order == ANY, now.open.argmax(), order)
            told = np.minimum(np.bincount(groups, minlength=now.open.size).reshape(now.open.shape), now.open)
            now, rounds = now.after(told, random.binomial(told, truth), self.is_predicted), rounds + 1
            drawn = self.curves(now)
            yield now.labels, self.missing(now, drawn)

    def labels(self, now: State, rounds: int, truth: Floats, random: np.random.Generator) -> float:
        """The number of labels at which nothing is missing, interpolated between the ends of two rounds."""
        before, labels, missing, end = np.inf, now.labels, np.inf, now.labels
        for count, width in self.steps(now, rounds, truth, random):
            before, labels, missing, end = missing, end, width, count
            if missing <= 1 or end >= MOST:
                break
        if missing > 1 or labels == end:
            return float(min(end, MOST))
        share = np.log(before) / np.log(before / max(missing, TINY))  # widths fall like a power of the labels
        return float(np.ceil(labels + share * (end - labels)))

    def missing_at(
        self, counts: Sequence[int], now: State, rounds: int, truth: Floats, random: np.random.Generator
    ) -> Floats:
        """What is missing at these numbers of labels, interpolated between the ends of two rounds."""
        path = []
        for step in self.steps(now, rounds, truth, random):
            path.append(step)
            if step[0] >= max(counts):
                break
        labels, widths = np.array(path).T
        # Widths fall like a power of the labels; 1 is added because the logarithm of 0 labels is infinite.
        at = np.interp(np.log1p(counts), np.log1p(labels), np.log(np.maximum(widths, TINY)))
        found: Floats = np.exp(at)
        return found


def plan_from(future: Future, state: State, rounds: int) -> Plan:
    """Nine simulations in ten need at most `high` labels, one in ten at most `low`."""
    random = np.random.default_rng(2)
    needed = [future.labels(state, rounds, truth, random) for truth in _truths(future, state)]
    low, likely, high = np.quantile(needed, [0.1, 0.5, 0.9], method="higher").astype(np.int64).tolist()
    skipped = int(state.skipped.sum())  # "cannot tell" is an answer that somebody gave, so it counts
    return Plan(None, low + skipped, likely + skipped, high + skipped, state.labels + skipped, MOST)


def budgets_from(future: Future, state: State, rounds: int, counts: Sequence[int]) -> tuple[Budget, ...]:
    """Of the simulated evaluations, the median of what is missing at each number of labels; one in ten has less than
    `low`, nine in ten have less than `high`."""
    random = np.random.default_rng(2)
    widths = [future.missing_at(counts, state, rounds, truth, random) for truth in _truths(future, state)]
    found = np.quantile(widths, [0.1, 0.5, 0.9], axis=0).T.tolist()
    return tuple(Budget(count, *each) for count, each in zip(counts, found, strict=True))


def _truths(future: Future, state: State) -> Floats:
    """Curves that agree with the labels so far, spread evenly over the posterior."""
    curves = future.curves(state)
    evenly = (np.arange(FUTURES) + 0.5) / FUTURES
    found: Floats = curves.chance[np.searchsorted(curves.weight.cumsum()[:-1], evenly)]
    return found
