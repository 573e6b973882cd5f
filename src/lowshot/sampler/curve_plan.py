"""How many labels until something is known well enough: labelling is simulated, each time with another curve."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.types import Flags, Floats, Integers
from lowshot.result import Budget, Plan
from lowshot.sampler.base import MOST
from lowshot.sampler.curve_state import State

TINY = 1e-9  # a width of 0 has no logarithm
AHEAD = 300  # labels from now on that are simulated for every budget, so that none depends on the others
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
            told = now.told_of(order)
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

    def path(
        self, count: int, now: State, rounds: int, truth: Floats, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """The ends of rounds, as numbers of labels, up to the first with at least `count`; and what is missing then."""
        found = []
        for step in self.steps(now, rounds, truth, random):
            found.append(step)
            if step[0] >= count:
                break
        labels, widths = np.array(found).T
        return labels, widths


def plan_from(future: Future, state: State, rounds: int) -> Plan:
    """Nine simulations in ten need at most `high` labels, one in ten at most `low`."""
    random = np.random.default_rng(2)
    needed = [future.labels(state, rounds, truth, random) for truth in _truths(future, state)]
    low, likely, high = np.quantile(needed, [0.1, 0.5, 0.9], method="higher").astype(np.int64).tolist()
    skipped = int(state.skipped.sum())  # "cannot tell" is an answer that somebody gave, so it counts
    return Plan(None, low + skipped, likely + skipped, high + skipped, state.labels + skipped, MOST)


def budgets_from(future: Future, state: State, rounds: int, counts: Sequence[int]) -> tuple[Budget, ...]:
    """Of the simulated evaluations, the median of what is missing at each number of labels; one in ten has less than
    `low`, nine in ten have less than `high`. None of them depends on the other numbers, or grows with the number."""
    ahead = state.labels + AHEAD
    paths = [
        # Each has random numbers of its own: how many the others need depends on how far they go.
        future.path(max(ahead, *counts), state, rounds, truth, np.random.default_rng((2, number)))
        for number, truth in enumerate(_truths(future, state))
    ]
    ends = np.unique(np.concatenate([labels for labels, _ in paths]))
    widths = [between(ends, labels, missing) for labels, missing in paths]
    found = falling(np.quantile(widths, [0.1, 0.5, 0.9], axis=0), int(np.searchsorted(ends, ahead)) + 1)
    each = zip(*(between(counts, ends, one).tolist() for one in found), strict=True)
    return tuple(Budget(count, *three) for count, three in zip(counts, each, strict=True))


def between(counts: Sequence[int] | Floats, labels: Floats, widths: Floats) -> Floats:
    """Widths at these numbers of labels. They fall like a power of the labels; 1 is added because the logarithm of 0
    labels is infinite."""
    found: Floats = np.exp(np.interp(np.log1p(counts), np.log1p(labels), np.log(np.maximum(widths, TINY))))
    return found


def falling(widths: Floats, head: int) -> Floats:
    """Widths that do not grow along the last axis.

    More labels do not tell less, on average. Where a quantile of some simulations grows, the earlier ones were lucky:
    what makes an interval wide, such as a missed positive, is found later. So each of the first `head` widths becomes
    the largest of those from there to the end of the head; the cautious choice. Later ones become at most as large as
    those before, as nothing is known of what follows them.

    >>> falling(np.array([0.5, 0.1, 0.2, 0.15, 0.3, 0.1]), head=4).tolist()
    [0.5, 0.2, 0.2, 0.15, 0.15, 0.1]
    """
    largest = np.maximum.accumulate(widths[..., head - 1 :: -1], axis=-1)[..., ::-1]
    found: Floats = np.minimum.accumulate(np.concatenate([largest, widths[..., head:]], axis=-1), axis=-1)
    return found


def _truths(future: Future, state: State) -> Floats:
    """Curves that agree with the labels so far, spread evenly over the posterior."""
    curves = future.curves(state)
    evenly = (np.arange(FUTURES) + 0.5) / FUTURES
    found: Floats = curves.chance[np.searchsorted(curves.weight.cumsum()[:-1], evenly)]
    return found
