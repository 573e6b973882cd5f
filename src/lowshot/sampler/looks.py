"""Promise "design": looks at cuts of the ranking, each with a uniform draw of its own (`core/certificate.py`).

Labels come by the curve at first: it finds positives, and learns where a cut could be. Then rounds are opened as looks:

- for recall, a draw among the best items, if one pays, and then a draw below a cut, labelled from the bottom of the
  ranking upwards until it has found more positives than it may, or is done. Meanwhile more and more can be let go.
- for precision, a draw above a cut. When all of it is labelled, the cut is certified or not.

How many items a look draws, where, and how many mistakes it may find is fixed, and stored with its round, before the
first of them. Beliefs decide it, and so how much is certified, never whether what is certified is true. If people label
at once, draws are answered in another order: only those before the first one without an answer count.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtri

from lowshot.core.cells import Cells
from lowshot.core.certificate import (
    Drawn,
    misses_allowed,
    share_of,
    shares_of_recall,
    surely_at_most,
    surely_precise,
)
from lowshot.core.curve.along import Along
from lowshot.core.curve.bands import Bands
from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import Draws
from lowshot.goal import Threshold
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.sampler.base import Proven
from lowshot.sampler.curve_cuts import cuts_of
from lowshot.sampler.group_design import GroupDesign

FIRST = 20  # labels before the first look
# Labels that a look is planned for, at least; after more labels, as many again. A draw below a cut certifies cuts on
# the way, so it is planned further; one above a cut only at its end.
RECALL, PRECISION = 165, 80
FURTHER = 6  # times as many are drawn below a cut, at most: the same look goes on if the labels do
SURE = 0.84  # a look is planned for as bad a draw as comes with a probability of 20 %, as a normal quantile
PARTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65)  # of the labels planned for: for the draw among the best items
MOST_MAY = 30  # positives that a draw below a cut may find, at most


@dataclass(frozen=True, eq=False, kw_only=True)
class LookDesign(GroupDesign):
    """A look: a uniform draw of `size` items above a cut or below it. Below, the lowest item is labelled first."""

    cut: int  # how many items it keeps
    below: bool
    may: int  # mistakes that the draw may find: the round ends if it finds more

    @property
    def decided(self) -> dict[str, np.ndarray[Any, Any]]:
        look = np.array([self.cut, self.below, self.may, self.drawn])
        return {"look": look, "calibration": self.calibration}

    def draw(self, seed: int, round_number: int, start: int, count: int) -> Draws:
        if not self.below:
            return super().draw(seed, round_number, start, count)
        every = super().draw(seed, round_number, 0, max(start + count, self.drawn))
        depth = self.cells.above[self.cells.find(every.items[: self.drawn])]
        order = np.append(np.argsort(-depth, kind="stable"), np.arange(len(depth), len(every.items)))
        return every.take(order[start : start + count])._replace(counter=np.arange(start, len(order))[:count])

    @property
    def drawn(self) -> int:
        """How many items the look draws; more are drawn if people label at once."""
        return len(self.order)

    def over(self, items: Integers, labels: Mapping[int, int | None]) -> bool:
        return int(self.mistakes(items, labels).sum()) > self.may

    def mistakes(self, items: Integers, labels: Mapping[int, int | None]) -> Flags:
        """Which of these items are positive below the cut, or negative above it, or skipped."""
        return np.array([labels[item] in (int(self.below), None) for item in items.tolist()], dtype=np.bool_)


def design(pool: View, history: History, cut: int, below: bool, may: int, size: int, calibration: Floats) -> LookDesign:
    """The design of a look that begins after this history."""
    cells: Cells = pool.cached("cells of one pattern", lambda: pool.cells().of_one_pattern())
    edge = np.unique([0, cut, cells.total])
    first = np.searchsorted(cells.above, edge[:-1])
    bands = Bands(
        edge=edge,
        place=np.append(cells.start[first], cells.start[-1]),
        count=np.diff(edge)[None],
        patterns=np.ones((1, 1)),
        each=np.array([cells.total]),
        total=cells.total,
        score=np.zeros(len(first)),
        median=0.0,
    )
    return LookDesign(
        cells=cells,
        bands=bands,
        order=np.full(size, len(bands) - 1 if below else 0),
        calibration=calibration,
        labelled=history.labelled,
        seen=history.seen,
        size=size,
        cut=cut,
        below=below,
        may=may,
    )


class Told:
    """Where items with an answer lie in the ranking."""

    def __init__(self, pool: View, history: History, items: Integers) -> None:
        cells, self._total = pool.cells(), pool.total
        by_label: dict[int | None, list[int]] = {1: [], 0: [], None: []}
        for item in items[history.answered(items)].tolist():  # a report may look at a part of the labels
            by_label[history.labels[item]].append(item)
        ranks = {label: cells.above[cells.find(np.array(one, dtype=np.int64))] for label, one in by_label.items()}
        self._ranks = {label: np.sort(rank) for label, rank in ranks.items()}

    def best(self, kept: Any, *labels: int | None) -> Any:
        """How many with one of these labels (None: skipped) are among so many best items: a number, or an array."""
        return sum(np.searchsorted(self._ranks[label], kept) for label in labels)

    def rest(self, kept: Any, *labels: int | None) -> Any:
        """How many with one of these labels are not."""
        return self.best(self._total, *labels) - self.best(kept, *labels)


@dataclass(frozen=True, eq=False)
class Look:
    """A draw, and what it has told so far."""

    pool: View
    history: History
    design: LookDesign
    labelled: Integers  # items that had an answer when it began
    items: Integers  # drawn and answered: those before the first without an answer
    last: bool  # no round was opened after it

    @property
    def over(self) -> bool:
        """Whether it has found more mistakes than it may."""
        return self.design.over(self.items, self.history.labels)

    @property
    def done(self) -> bool:
        """Whether all is labelled, without too many mistakes."""
        return len(self.items) == self.design.drawn and not self.over

    @property
    def missing(self) -> int:
        """The labels until it ends at the latest; 0 if it has ended."""
        return self.design.drawn - len(self.items) if self.last and not self.over else 0

    @property
    def short(self) -> int:
        """How many labels it is still to have of those that it was planned for."""
        planned = self.design.drawn
        if self.design.below:
            planned = min(planned, max(RECALL, len(set(self.labelled.tolist()) - self.history.known)))
        return max(planned - len(self.items), 0)

    @cached_property
    def before(self) -> Told:
        return Told(self.pool, self.history, self.labelled)

    @property
    def above(self) -> Drawn:
        """What was drawn above the cut."""
        told, cut = Told(self.pool, self.history, self.items), self.design.cut
        items = cut - int(self.before.best(cut, 1, 0, None))
        return Drawn(items, len(self.items), int(told.rest(0, 1)), int(told.rest(0, 0)))

    def suffices(self, allowed: int, share: float) -> bool:
        """Whether a draw below the cut finds more positives than it may if more misses than allowed are there."""
        cut, may = self.design.cut, self.design.may
        items = self.pool.total - cut - int(self.before.rest(cut, 1, 0, None))
        return surely_at_most(allowed - int(self.before.rest(cut, None)), items, self.design.drawn, may, share)

    def reached(self, cuts: Integers) -> int:
        """The smallest cut below which all draws are labelled, and at most as many are positive as may be."""
        if self.done:
            return self.design.cut
        mistakes = self.design.mistakes(self.items, self.history.labels).cumsum()
        kept = self.items[: int(np.searchsorted(mistakes, self.design.may, side="right")) + 1][-1:]
        cells = self.pool.cells()
        rank = int(cells.above[cells.find(kept)][0]) if len(kept) else self.pool.total - 1
        return int(cuts[np.searchsorted(cuts, rank, side="right")])  # the last of the items, at this rank, is kept


def looks_of(pool: View, history: History) -> list[Look]:
    """All looks so far. Answers count that were given before the next round began."""
    found = []
    ends = [*(round_.labelled for round_ in history.rounds[1:]), history.labelled]
    for round_, labelled in zip(history.rounds, ends, strict=False):
        if isinstance(design := round_.design, LookDesign):
            drawn = round_.draws.items[: design.drawn]
            answered = np.append(np.isin(drawn, labelled) & history.answered(drawn), False)
            items, last = drawn[: int(np.argmin(answered))], round_ is history.rounds[-1]
            found.append(Look(pool, history, design, round_.labelled, items, last))
    return found


def proven(pool: View, history: History, goal: Threshold) -> Proven:
    """What looks prove so far, and what all labels prove without any chance."""
    prove = _proven_precision if goal.recall is None else _proven_recall
    delta, looks = 1 - goal.confidence, looks_of(pool, history)
    kept, failed, enough = prove(pool, history, looks, next(iter(goal.targets.values())), delta)
    missing = looks[-1].missing if looks else 0
    short = 0 if enough or not share_of(delta, failed) else _short(pool, history, looks, goal)
    return Proven(kept, failed, missing, short)


def _short(pool: View, history: History, looks: list[Look], goal: Threshold) -> int:
    """The labels that the look under way, or the next one, is still planned for."""
    left, until, below = pool.total - len(history.labels), 0, goal.recall is not None
    if looks and looks[-1].missing:
        until = looks[-1].short
        if looks[-1].design.below == below:  # else it is a draw among the best items, and another one follows
            return min(until, left)
    until = max(until, FIRST - len(history.labels))
    bought = len(history.labels) - len(history.known) + until
    return min(until + max(RECALL if below else PRECISION, bought), left)


# How many items the best set keeps that is certified, how many looks failed, and whether one that certified has had the
# labels that it was planned for: before that, what is certified may be true and useless.
_Found = tuple[int, int, bool]


def _proven_recall(pool: View, history: History, looks: list[Look], target: float, delta: float) -> _Found:
    cuts, told = cuts_of(pool).kept, Told(pool, history, history.labelled)
    left = pool.total - cuts - told.rest(cuts, 1, 0)
    kept = int(cuts[np.argmax(left <= misses_allowed(int(told.rest(0, 1)), target))])
    failed, top, enough = 0, None, False
    for look in looks:
        if not look.design.below:
            top = look if look.done else None
            continue
        allowed, share = _allowed(look.before, top, target, share_of(delta, failed))
        suffices = look.suffices(allowed, share)
        if suffices:
            kept, enough = min(kept, look.reached(cuts)), enough or not look.short
        failed, top = failed + (not look.missing and not (look.done and suffices)), None
    return kept, failed, enough


def _allowed(before: Told, top: Look | None, target: float, share: float) -> tuple[int, float]:
    """The misses that a draw below a cut has to exclude, and the share of the failure probability that is left for it.

    before  what was labelled before it began
    top     the draw among the best items before that, if there was one
    """
    of_top, rest = shares_of_recall(share, top is not None)
    kept = int(before.rest(0, 1)) if top is None else int(top.before.rest(0, 1)) + top.above.fewest_positive(of_top)
    return misses_allowed(kept, target), rest


def _proven_precision(pool: View, history: History, looks: list[Look], target: float, delta: float) -> _Found:
    cuts, told, kept = cuts_of(pool).kept, Told(pool, history, history.labelled), 0
    unknown, everything = cuts - told.best(cuts, 1, 0, None), len(history.labels) == pool.total
    some = np.full(len(cuts), True) if everything else unknown > 0  # a set of labelled items alone is no answer
    for cut, left in zip(cuts[some].tolist(), (cuts - told.best(cuts, 1, 0))[some].tolist(), strict=True):
        kept = cut if surely_precise(int(told.rest(0, 1)), 0, Drawn(left), target, 0.0) else kept
    failed, enough = 0, False
    for look in looks:
        found, skipped = int(look.before.rest(0, 1)), int(look.before.best(look.design.cut, None))
        certified = look.done and surely_precise(found, skipped, look.above, target, share_of(delta, failed))
        kept, enough = max(kept, look.design.cut if certified else 0), enough or certified
        failed += not look.missing and not certified
    return kept, failed, enough


class Ahead(NamedTuple):
    """What is believed about every cut when a look is planned."""

    kept: Integers
    left: Integers  # items above the cut without a label
    expected: Floats  # positives among them
    skipped: Integers  # above the cut
    found: int  # labelled positives, wherever they are
    labels: int  # that the look is planned for

    @classmethod
    def of(cls, pool: View, history: History, along: Along, least: int) -> "Ahead":
        kept, told = cuts_of(pool).kept, Told(pool, history, history.labelled)
        left = kept - told.best(kept, 1, 0, None)
        expected = np.minimum(along.weight @ along.open, left)
        labels = max(least, len(history.labels) - len(history.known))
        return cls(kept, left, expected, told.best(kept, None), int(told.rest(0, 1)), labels)

    def above(self, number: int, cut: int) -> Drawn:
        """What so many draws above a cut, by its place, tell with bad luck: fewer positives than expected."""
        items = int(self.left[cut])
        number, share = min(number, items), float(np.clip(self.expected[cut] / max(items, 1), 0, 1))
        spread = math.sqrt(number * share * (1 - share) * (1 - number / max(items, 1)))
        negative = min(int(number * (1 - share) + SURE * spread), number)
        return Drawn(items, number, number - negative, negative)

    def richest(self, number: int) -> int:
        """The cut above which so many draws show most positives, about."""
        left = np.maximum(self.left, 1)
        share, drawn = np.clip(self.expected / left, 0, 1), np.minimum(number, left)
        spread = np.sqrt(share * (1 - share) / drawn * (1 - drawn / left))
        return int(np.argmax(left * (share - 2 * spread - 3 * (1 - drawn / left) / drawn)))

    def chance(self, cut: int) -> Floats:
        """The share of positives above a cut, and below."""
        items = np.array([self.left[cut], self.left[-1] - self.left[cut]])
        positive = np.array([self.expected[cut], self.expected[-1] - self.expected[cut]])
        chance: Floats = np.clip(positive / np.maximum(items, 1), 0, 1)
        return chance[: 1 + (cut < len(self.left) - 1)]


class Plan(NamedTuple):
    """A look, and how many items are let go after about `Ahead.labels` labels."""

    cut: int  # its place
    below: bool
    may: int
    size: int
    let_go: float = 0.0


def plan_below(ahead: Ahead, labels: int, allowed: int, share: float, first: int = 0) -> Plan | None:
    """The draw below a cut that lets most items go after so many labels, if so many misses are allowed.

    first  the first cut that it may be
    """
    best, allowed = None, allowed - int(ahead.skipped[-1])
    below, positive = ahead.left[-1] - ahead.left, np.maximum(ahead.expected[-1] - ahead.expected, 0)
    for may in range(min(allowed, MOST_MAY) + 1):
        rate = float(bdtri(may, allowed + 1, share))  # of the items: of one miss too many it finds too few so rarely
        finds = rate * positive[first:]
        cut = first + int(np.argmax(finds + SURE * np.sqrt(finds) < may + 1))
        let_go = min(float(below[cut]), labels / rate)
        if best is None or let_go > best.let_go:
            cut = max(cut, int(np.argmax(below * rate <= FURTHER * labels)))
            best = Plan(cut, True, may, 0, let_go)
    if best is None or not below[best.cut]:
        return None
    items = int(below[best.cut])

    def suffices(size: int) -> bool:
        return surely_at_most(allowed, items, size, best.may, share)

    return best._replace(size=bisect_left(range(items), True, lo=1, key=suffices))


def plan_recall(ahead: Ahead, target: float, share: float, let_go: int, top: Look | None = None) -> Plan | None:
    """The draw below a cut that lets most items go, or a draw among the best items that is to come before it.

    let_go  the items that are let go already: None if it would not be more
    top     the draw among the best items, if it was made
    """
    best, most = None, float(let_go)
    for part in PARTS if top is None else (0.0,):
        number = round(part * ahead.labels)
        if top is None:
            cut, (of_top, rest) = ahead.richest(number) if number else 0, shares_of_recall(share, number > 0)
            drawn = ahead.above(number, cut)
            allowed = misses_allowed(ahead.found + drawn.fewest_positive(of_top), target)
        else:
            drawn, cut = Drawn(0), int(np.searchsorted(ahead.kept, top.design.cut))
            allowed, rest = _allowed(top.before, top, target, share)
        below = plan_below(ahead, ahead.labels - number, allowed, rest, cut)
        if below is not None and below.let_go > most:
            best, most = Plan(cut, False, drawn.drawn, drawn.drawn) if drawn.drawn else below, below.let_go
    return best


def plan_above(ahead: Ahead, target: float, share: float, kept: int) -> Plan | None:
    """The draw above the largest cut that is expected to be certified, of those that keep more than `kept` items."""
    for cut in np.flatnonzero(ahead.kept > kept)[::-1].tolist():
        drawn, skipped = ahead.above(ahead.labels, cut), int(ahead.skipped[cut])

        def certified(negative: int, drawn: Drawn = drawn, skipped: int = skipped) -> bool:
            told = drawn._replace(positive=drawn.drawn - negative, negative=negative)
            return surely_precise(ahead.found, skipped, told, target, share)

        if drawn.items and certified(drawn.negative):
            may = bisect_left(range(drawn.drawn), True, key=lambda negative: not certified(negative + 1))
            return Plan(cut, False, may, drawn.drawn)
    return None


def propose(pool: View, history: History, goal: Threshold, along: Callable[[], Along]) -> LookDesign | None:
    """The next look; None if labels by the curve are needed first, or if no look is left."""
    known, target = proven(pool, history, goal), next(iter(goal.targets.values()))
    share = share_of(1 - goal.confidence, known.failed)
    if len(history.labels) < FIRST or not share:
        return None
    if goal.recall is None:
        ahead = Ahead.of(pool, history, along(), PRECISION)
        plan = plan_above(ahead, target, share, known.kept)
    else:
        ahead, looks, let_go = (
            Ahead.of(pool, history, along(), RECALL),
            looks_of(pool, history),
            pool.total - known.kept,
        )
        if looks and looks[-1].done and not looks[-1].design.below:
            allowed, rest = _allowed(looks[-1].before, looks[-1], target, share)
            first = int(np.searchsorted(ahead.kept, looks[-1].design.cut))
            below = plan_below(ahead, ahead.labels, allowed, rest, first)
            plan = below if below is not None and below.let_go > let_go else None
        else:
            plan = plan_recall(ahead, target, share, let_go)
    if plan is None:
        return None
    chance = ahead.chance(plan.cut)
    return design(pool, history, int(ahead.kept[plan.cut]), plan.below, plan.may, plan.size, chance)
