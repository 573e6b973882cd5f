"""Where to draw next, and how to bet, for a certificate of `lowshot.core.betting`.

Everything here is about power. The certificate holds for whatever groups and tilts were chosen from the past alone, so
`chance`, what the caller believes about the groups, can be as wrong as it likes. The budget is not known before.

Recall. If j misses would break the promise, the certificate needs a total slope of log(1 / delta) / j: the log wealth
must rise by this much per guessed positive in every group that is let go. A draw that bets the fraction b (tilt
log(1 - b)) adds b / left to the slope of its group, so every group that is let go needs the same share of labels. The
groups are filled one after the other from the bottom of the ranking, and each filled group is certified at once: after
any number of labels about as many items can go as if the budget had been known. The fraction is Kelly's: if a share a
of the misses that the promise allows is expected to be there, the best fraction is 1 - a.

j is a share of the positives above the cut, which must be shown by draws there: per guessed positive their log wealth
must fall by the slope of the misses times (1 - target) / target. This slope is small, so a few draws per group are
enough, with small tilts; they come first, from the top of the ranking downwards, while positives are expected.

Precision. A cut is aimed at whose set is believed to be more precise than the target, by so much that the labels until
the next doubling of their number suffice; the draws are spread evenly above it, with Kelly's tilt.
"""

import math
from typing import NamedTuple

import numpy as np

from lowshot.core.betting import Bets, Draws, Known, count, precision_evidence, recall_evidence
from lowshot.core.types import Flags, Floats, Integers

FIRST = 100  # labels until the first doubling
LOWER_SHARE = 0.75  # of the labels are expected to be drawn below the cut
MARGIN = 1.1  # the first guess of the slope that is needed, over the one without any bets above the cut
UPPER_MARGIN = 1.5  # draws above the cut bet for a slope that is steeper by this factor: too flat costs more than that
FLAT = 0.95  # of the needed slope: below this share a group above the cut gets further draws
LEAST_ROOM = 0.2  # a cut is not aimed at if more than 1 - LEAST_ROOM of the misses it allows are expected
FRACTIONS = (0.3, 0.95)  # the smallest and the largest fraction that is bet below the cut
TILTS = (0.02, 2.0)  # the smallest and the largest tilt above the cut
SUREST = 0.98  # no higher precision is believed: one negative would cost too much
WIDE, SMALLEST = 0.2, 20  # groups: this width in log rank, and at least so many items
PARTS = 48  # a group has at most this part of the pool, because groups are let go as a whole


class Plan(NamedTuple):
    """The next draws: the group of each, and the tilt of its bet."""

    group: Integers
    tilt: Floats


def group_edges(items: int) -> Integers:
    """The ranks at which groups begin, and the end: fine at the top of the ranking, and never a large part of the pool.

    >>> group_edges(200).tolist()
    [0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200]
    >>> len(group_edges(1_000_000))
    84
    """
    edges, largest = [0], max(SMALLEST, math.ceil(items / PARTS))
    while edges[-1] < items:
        width = min(largest, max(SMALLEST, math.ceil(edges[-1] * math.expm1(WIDE))))
        edges.append(edges[-1] + width)
    if len(edges) > 2 and items - edges[-2] < SMALLEST / 2:
        edges.pop()  # a small rest joins the group before it
    return np.array([*edges[:-1], items], dtype=np.int64)


def plan_recall(
    draws: Draws,
    sizes: Integers,
    chance: Floats,
    target: float,
    delta: float,
    number: int,
    known: Known | None = None,
) -> Plan:
    """The next `number` draws (fewer if the pool ends) towards a certificate of recall.

    chance  [group] the believed share of positives among the items of the group that are not drawn

    >>> sizes, chance = np.array([20, 20, 60]), np.array([0.9, 0.1, 0.001])
    >>> plan = plan_recall(Draws.none(), sizes, chance, target=0.9, delta=0.1, number=12)
    >>> plan.group.tolist(), bool((plan.tilt[plan.group == 2] < 0).all())
    ([0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2], True)
    """
    state = _RecallState(draws, sizes, chance, target, delta, known)
    chosen = [state.next() for _ in range(min(number, int(state.left.sum())))]
    return Plan(np.array([group for group, _ in chosen], dtype=np.int64), np.array([tilt for _, tilt in chosen]))


class _RecallState:
    """What is known and believed, and what the draws that are planned already will add to the slopes."""

    def __init__(
        self, draws: Draws, sizes: Integers, chance: Floats, target: float, delta: float, known: Known | None
    ) -> None:
        groups, self.need = len(sizes), math.log(1 / delta)
        counts, odds = count(draws, groups), (1 - target) / target
        self.sizes, self.sure = sizes, counts.sure
        self.left = sizes - counts.drawn
        self.positives = counts.sure + self.left * chance  # [group] expected
        above = np.tri(groups + 1, groups, -1)
        kept = above @ self.positives + (1 - above) @ counts.sure + (0 if known is None else known.positive.sum())
        self.allowed = np.maximum(odds * kept, odds)  # [cut] misses
        expected = (1 - above) @ (self.left * chance + counts.possible - counts.sure)
        self.room = 1 - expected / self.allowed
        evidence = recall_evidence(draws, sizes, target, known)
        self.cut = self._aim(evidence >= self.need)
        self._plan_above(draws, chance, odds)
        self._plan_below(draws, evidence)

    def _aim(self, certified: Flags) -> int:
        """The first cut, walking up from the bottom, that is not certified; or the last one that has room."""
        cut = int(np.flatnonzero(~certified)[-1]) if not certified.all() else 0
        possible = np.flatnonzero(self.room[:-1] >= LEAST_ROOM)
        if self.room[cut] >= LEAST_ROOM:
            return cut
        return int(possible[0]) if len(possible) else len(self.sizes) - 1

    def _plan_above(self, draws: Draws, chance: Floats, odds: float) -> None:
        """How many draws each group above the cut should have had, and which slope they should have made.

        k draws that make the slope s of a group of n items cost (s n)**2 p (1 - p) / (2 k) of log wealth on average; a
        label below the cut is worth `worth`. The best k makes the sum of both smallest.
        """
        self.slope_above = MARGIN * self.need / self.allowed[self.cut] * odds
        worth = self.need / (LOWER_SHARE * horizon(len(draws.group)))
        spread = self.slope_above * self.sizes * np.sqrt(chance * (1 - chance) / 2)
        wanted = spread / math.sqrt(worth)
        one = (wanted < 1) & (self.slope_above * self.positives > worth)  # without a draw all its positives are lost
        wanted = np.where(one, 1.0, np.where(wanted < 0.5, 0.0, wanted))
        self.wanted = np.minimum(wanted, self.sizes) * (np.arange(len(self.sizes)) < self.cut)
        self.cost = float(np.sum(spread**2 / np.maximum(self.wanted, 1), where=self.wanted > 0))
        upwards = draws.tilt > 0
        self.had = np.bincount(draws.group[upwards], minlength=len(self.sizes)).astype(np.float64)
        bets = Bets(draws._replace(tilt=np.where(upwards, draws.tilt, 0.0)), self.sizes)
        self.above = -bets.slope(self.positives[:, None])[:, 0]

    def _plan_below(self, draws: Draws, evidence: Floats) -> None:
        """The slope that the groups below each cut need."""
        groups, downwards = len(self.sizes), draws.tilt < 0
        bets = Bets(draws._replace(tilt=np.where(downwards, draws.tilt, 0.0)), self.sizes)
        self.below = bets.slope(bets.fewest(possible=True)[:, None])[:, 0]
        lost = np.bincount(draws.group[downwards], (-draws.tilt * draws.possible)[downwards], groups)
        lost = np.cumsum(lost[::-1])[::-1]  # [cut] log wealth that positives below it have cost
        planned = (self.need + self.cost + lost) / self.allowed[:-1]
        usable = np.where(self.left > 0, self.below, np.inf)
        flattest = np.minimum.accumulate(usable[::-1])[::-1]
        missing = np.maximum(self.need - evidence[:-1], 0) / self.allowed[:-1]
        filled = np.isfinite(flattest) & (flattest >= planned)  # and not certified: the bets had bad luck
        goal = np.where(filled, flattest + np.minimum(missing, self.need), planned)
        self.goal = np.where(evidence[:-1] >= self.need, 0.0, goal)

    def next(self) -> tuple[int, float]:
        """The next draw; it counts as done."""
        rest = self.wanted - self.had
        rest = np.where((self.above < FLAT * self.slope_above) & (self.wanted >= 1), np.maximum(rest, 1), rest)
        open_groups = (self.left > 0) & (rest >= 0.5)
        group, tilt = self._draw_above(int(np.argmax(open_groups)), rest) if open_groups.any() else self._draw_below()
        self.left[group] -= 1
        return group, tilt

    def _draw_above(self, group: int, rest: Floats) -> tuple[int, float]:
        full = UPPER_MARGIN * self.slope_above
        slope = max((full - self.above[group]) / max(rest[group], 1), 0.3 * full / max(self.wanted[group], 1))
        left, expected = self.left[group], self.positives[group] - self.sure[group]
        # The slope of one bet is odds / (left + odds * expected), with odds = exp(tilt) - 1.
        tilt = float(np.clip(math.log1p(slope * left / (1 - min(slope * expected, 0.85))), *TILTS))
        self.above[group] += math.expm1(tilt) / (left + math.expm1(tilt) * expected)
        self.had[group] += 1
        return group, tilt

    def _draw_below(self) -> tuple[int, float]:
        """The flattest group below the first cut whose groups are not steep enough."""
        slope = np.where(self.left > 0, self.below, np.inf)
        flattest = np.minimum.accumulate(slope[::-1])[::-1]
        wanting = (flattest < self.goal) & (np.arange(len(slope)) <= self.cut) & (self.room[:-1] >= LEAST_ROOM)
        cut = int(np.flatnonzero(wanting)[-1]) if wanting.any() else self.cut
        if not np.isfinite(flattest[cut]):
            cut = 0  # everything below is labelled
        group = len(slope) - 1 - int(np.argmin(slope[cut:][::-1]))
        fraction = float(np.clip(self.room[cut], *FRACTIONS))
        self.below[group] += fraction / self.left[group]
        return group, math.log1p(-fraction)


def horizon(labels: int) -> int:
    """FIRST, doubled until it exceeds the number of labels: the budget that is planned for.

    >>> horizon(0), horizon(99), horizon(100), horizon(250)
    (100, 100, 200, 400)
    """
    result = FIRST
    while result <= labels:
        result *= 2
    return result


def plan_precision(
    draws: Draws,
    sizes: Integers,
    chance: Floats,
    target: float,
    delta: float,
    number: int,
    known: Known | None = None,
) -> Plan:
    """The next `number` draws (fewer if the pool ends) towards a certificate of precision.

    >>> sizes, chance = np.array([20, 20, 60]), np.array([0.98, 0.95, 0.1])
    >>> plan = plan_precision(Draws.none(), sizes, chance, target=0.8, delta=0.1, number=4)
    >>> plan.group.tolist(), plan.tilt.round(2).tolist()
    ([0, 1, 0, 1], [1.93, 1.93, 1.93, 1.93])
    """
    counts, groups = count(draws, len(sizes)), len(sizes)
    left = sizes - counts.drawn
    above = np.tri(groups + 1, groups, -1)[1:]
    size = np.maximum(above @ sizes, 1)
    precision = np.minimum(above @ (counts.sure + left * chance) / size, SUREST)
    certified = precision_evidence(draws, sizes, target, known)[1:] >= math.log(1 / delta)
    growth = np.where(precision > target, divergence(precision, target), 0.0)
    enough = growth * horizon(len(draws.group)) * LOWER_SHARE >= math.log(1 / delta)
    best = int(np.flatnonzero(enough)[-1]) if enough.any() else int(np.argmax(precision))
    cut = _deepest(best, certified)
    believed = max(float(precision[cut]), (1 + target) / 2 if target < SUREST else target)
    tilt = math.log(min(believed, 0.999) / (1 - min(believed, 0.999))) - math.log(target / max(1 - target, 1e-3))
    chosen = _evenly(left.copy(), sizes, cut, min(number, int(left.sum())))
    return Plan(chosen, np.full(len(chosen), max(tilt, TILTS[0])))


def _deepest(best: int, certified: Flags) -> int:
    """The cut that is aimed at, or the next one after those that are certified already."""
    done = np.flatnonzero(certified)
    return max(best, min(int(done[-1]) + 1, len(certified) - 1)) if len(done) else best


def _evenly(left: Integers, sizes: Integers, cut: int, number: int) -> Integers:
    """Groups up to the cut, each time the one with the smallest share of drawn items; then those below."""
    chosen = []
    for _ in range(number):
        share = np.where(left > 0, (sizes - left) / np.maximum(sizes, 1), np.inf)
        aimed = share[: cut + 1]
        group = int(np.argmin(aimed)) if np.isfinite(aimed).any() else int(np.argmin(share))
        left[group] -= 1
        chosen.append(group)
    return np.array(chosen, dtype=np.int64)


def divergence(precision: Floats, target: float) -> Floats:
    """Kullback and Leibler's divergence of two coins: the growth of the log wealth per draw of Kelly's bet.

    >>> divergence(np.array([0.9, 0.5]), 0.5).round(3).tolist()
    [0.368, 0.0]
    """
    share = np.clip(precision, 1e-9, 1 - 1e-9)
    other = min(max(target, 1e-9), 1 - 1e-9)
    value: Floats = share * np.log(share / other) + (1 - share) * np.log((1 - share) / (1 - other))
    return value
