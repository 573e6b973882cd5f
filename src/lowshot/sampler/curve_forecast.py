"""What further labels will tell: labelling is simulated, each time with another curve.

The same simulated evaluations say how wide the interval is after some labels, and how many labels it takes until it is
so narrow. `Plan` and `Budget` have the same three of them: one run in ten does better than `low`, half of them do
better than `likely`, and nine in ten stay below `high`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.types import Flags, Floats, Integers
from lowshot.result import Budget, Plan
from lowshot.sampler.base import MOST
from lowshot.sampler.curve_state import State

TINY = 1e-9  # a width of 0 has no logarithm
ROUNDING = 1e-6  # labels: a number that is this little above a whole one is the whole one
FUTURES = 20  # simulated evaluations
# Of that many sorted numbers, those that one more of them is below with probabilities of 2/21, 11/21 and 19/21.
LOW, LIKELY, HIGH = 1, 10, 18


@dataclass(frozen=True)
class Future:
    """How an evaluation goes on from the labels so far."""

    curves: Callable[[State], Curves]  # curves from the posterior
    width: Callable[[State, Curves], float]  # what is to become small
    order: Callable[[State, Curves, int], Integers]  # the groups of the next round; the integer counts rounds so far
    is_predicted: Flags  # [pattern]

    def paths(self, now: State, rounds: int) -> "list[Path]":
        """Simulated evaluations that have begun with the labels so far."""
        drawn = self.curves(now)
        first, order = (_labels(now), self.width(now, drawn)), self.order(now, drawn, rounds)
        evenly = (np.arange(FUTURES) + 0.5) / FUTURES  # over the posterior
        truths = drawn.chance[np.searchsorted(drawn.weight.cumsum()[:-1], evenly)]
        # Each has random numbers of its own: how many the others need depends on how far they go.
        numbers = [np.random.default_rng((2, number)) for number in range(FUTURES)]
        return [Path(first, self._steps(now, order, rounds, *each)) for each in zip(truths, numbers, strict=True)]

    def _steps(
        self, now: State, order: Integers, rounds: int, truth: Floats, random: np.random.Generator
    ) -> Iterator[tuple[int, float]]:
        """Labels and the width at the end of each further round, until no item is left to label."""
        while len(order):
            told = now.told_of(order)
            now, rounds = now.after(told, random.binomial(told, truth), self.is_predicted), rounds + 1
            drawn = self.curves(now)
            yield _labels(now), self.width(now, drawn)
            order = self.order(now, drawn, rounds)


def _labels(now: State) -> int:
    """Answers of "cannot tell" count: somebody gave them."""
    return now.labels + int(now.skipped.sum())


class Path:
    """A simulated evaluation, as far as somebody looked: the narrowest interval so far, at the end of each round.

    >>> path = Path((10, 0.4), iter([(20, 0.2), (35, 0.3), (60, 0.1)]))
    >>> path.width(20), path.width(35), path.width(60)
    (0.2..., 0.2..., 0.1...)
    >>> path.labels(0.2), path.labels(0.15)
    (20.0, 43.8...)

    Who stops at the first interval that is narrow enough does not see that it would be wider later.
    """

    def __init__(self, first: tuple[int, float], steps: Iterator[tuple[int, float]]) -> None:
        self._labels, self._widths, self._ended = [first[0]], [first[1]], False
        self._steps = steps

    def go_on(self) -> None:
        """Simulate a round, if an item is left to label."""
        found = next(self._steps, None)
        if found is None:
            self._ended = True
            return
        self._labels.append(found[0])
        self._widths.append(min(found[1], self._widths[-1]))

    def goes_on(self, width: float) -> bool:
        """Whether more rounds may tell how many labels this width takes."""
        return self._widths[-1] > width and self._labels[-1] < MOST and not self._ended

    def width(self, count: int) -> float:
        """With so many labels.

        Between the ends of two rounds, widths fall like a power of the labels plus 1: 0 has no logarithm.
        """
        while self._labels[-1] < count and not self._ended:
            self.go_on()
        logarithms = np.log(np.maximum(self._widths, TINY))
        return math.exp(np.interp(math.log1p(count), np.log1p(self._labels), logarithms))

    def labels(self, width: float) -> float:
        """How many give this width, by the rounds so far: the inverse of `width`."""
        if self._widths[-1] > width:
            return math.inf if self.goes_on(width) else self._labels[-1]
        place = next(place for place, one in enumerate(self._widths) if one <= width)
        first, last = self._labels[max(0, place - 1)], self._labels[place]
        before, after = self._widths[max(0, place - 1)], max(self._widths[place], TINY)
        share = 1.0 if place == 0 else math.log(before / width) / math.log(before / after)
        return math.expm1(math.log1p(first) + min(1.0, share) * (math.log1p(last) - math.log1p(first)))


class Forecast:
    """What further labels will tell: simulated evaluations, read in two directions."""

    def __init__(self, future: Future, now: State, rounds: int) -> None:
        self._labels, self._paths = _labels(now), future.paths(now, rounds)

    def plan(self, width: float) -> Plan:
        """How many labels this width takes."""
        # All go on together, so that nobody waits for the last of them, which has no influence.
        while len(open_ := [path for path in self._paths if path.goes_on(width)]) >= FUTURES - HIGH:
            for path in open_:
                path.go_on()
        needed = sorted(min(path.labels(width), MOST) for path in self._paths)
        low, likely, high = (math.ceil(needed[place] - ROUNDING) for place in (LOW, LIKELY, HIGH))
        return Plan(width, low, likely, high, self._labels, MOST)

    def budgets(self, counts: Sequence[int]) -> tuple[Budget, ...]:
        """The widths at these numbers of labels."""
        each = [sorted(path.width(count) for path in self._paths) for count in counts]
        return tuple(
            Budget(count, found[LOW], found[LIKELY], found[HIGH]) for count, found in zip(counts, each, strict=True)
        )
