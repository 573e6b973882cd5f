"""Draws and certificates for promise "design": which group of the ranking is drawn from next, and what it bets.

Nothing here relies on scores or beliefs to be right (`core/betting.py`): a wrong belief costs labels, not validity. For
that, a round must be planned from the draws that count alone, and each draw is uniform inside its group.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowshot.core.betting import Draws, Known, precision_evidence, recall_evidence
from lowshot.core.betting_plan import group_edges, plan_precision, plan_recall
from lowshot.core.cells import Cells
from lowshot.core.curve.bands import Bands
from lowshot.core.types import Floats, Integers
from lowshot.goal import Threshold
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.sampler.base import Evidence
from lowshot.sampler.curve_cuts import crossing, cuts_of
from lowshot.sampler.curve_joint import Fitters
from lowshot.sampler.group_design import GroupDesign

ENDS = (60, 400)  # labels up to which a round has SIZES labels: planning often pays while little is known
SIZES = (5, 20, 100)


class Groups(NamedTuple):
    """The ranking in groups, whatever the predictions are."""

    cells: Cells  # of one pattern
    bands: Bands

    @classmethod
    def of(cls, pool: View) -> "Groups":
        """Ties are wholly in one group."""
        return pool.cached("betting groups", lambda: cls._of(pool))

    @classmethod
    def _of(cls, pool: View) -> "Groups":
        cells = pool.cells().of_one_pattern()
        first = np.unique(np.searchsorted(cells.above, group_edges(cells.total)[:-1], side="left"))
        first = first[first < len(cells)]
        edge = np.append(cells.above[first], cells.total)
        size = np.diff(edge)
        bands = Bands(
            edge=edge,
            place=np.append(cells.start[first], cells.start[-1]),
            count=size[None],
            patterns=np.ones((1, 1)),
            each=np.array([cells.total]),
            total=cells.total,
            score=np.zeros(len(size)),
            median=0.0,
        )
        return cls(cells, bands)

    @property
    def sizes(self) -> Integers:
        found: Integers = self.bands.count[0]
        return found

    def find(self, items: Integers) -> Integers:
        """The group of each item."""
        found: Integers = self.bands.find(self.cells.above[self.cells.find(items)])
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class BettingDesign(GroupDesign):
    """Groups in an order, with what each draw bets."""

    tilt: Floats = dataclasses.field(default_factory=lambda: np.empty(0))  # of each place of the order

    @property
    def decided(self) -> dict[str, np.ndarray[Any, Any]]:
        return {**super().decided, "tilt": self.tilt}

    def tilts(self, count: int) -> Floats:
        """Of the first draws of the round; draws beyond the order bet nothing."""
        number = np.zeros(len(self.order), dtype=np.int64)  # how often the group came before
        for group in np.unique(self.order):
            here = self.order == group
            number[here] = np.arange(np.count_nonzero(here))
        made = self.tilt[number < self.open_counts(self.labelled)[self.order]]  # others find their group used up
        return np.append(made, np.zeros(max(0, count - len(made))))[:count]


class Drawn(NamedTuple):
    """The draws that count, in their order, and what was known before."""

    draws: Draws
    known: Known
    sizes: Integers  # items of each group that were not known before
    items: Integers  # of the draws

    @classmethod
    def of(cls, groups: Groups, history: History) -> "Drawn":
        """Of each round the draws before the first one without an answer; an item that is drawn again is left out.

        Labels of an earlier evaluation are known ones: how they were drawn does not matter.
        """
        count = len(groups.sizes)
        known = _known(history)
        positive = np.array([history.labels[item] == 1 for item in known.tolist()], dtype=np.bool_)
        each = [np.bincount(groups.find(known[flags]), minlength=count) for flags in (positive, ~positive)]
        items, tilt = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for round_ in history.rounds:
            if isinstance(round_.design, BettingDesign):
                used = history.prefix(round_)
                items.append(round_.draws.items[:used])
                tilt.append(round_.design.tilts(used))
        drawn, bets = np.concatenate(items), np.concatenate(tilt)
        first = np.sort(np.unique(drawn, return_index=True)[1])
        first = first[~np.isin(drawn[first], known)]
        drawn, bets = drawn[first], bets[first]
        labels = [history.labels[item] for item in drawn.tolist()]
        sure = np.array([label == 1 for label in labels], dtype=np.int64)
        possible = np.array([label != 0 for label in labels], dtype=np.int64)
        draws = Draws(groups.find(drawn), sure, possible, bets)
        return cls(draws, Known(*each), groups.sizes - each[0] - each[1], drawn)

    def first(self, number: int) -> Draws:
        """The first draws."""
        group, sure, possible, tilt = self.draws
        return Draws(group[:number], sure[:number], possible[:number], tilt[:number])


def _known(history: History) -> Integers:
    """Items whose labels were known before the first draw of this evaluation."""
    earlier = [round_.draws.items for round_ in history.rounds if not isinstance(round_.design, BettingDesign)]
    given = np.array(sorted(history.known), dtype=np.int64)
    items = np.unique(np.concatenate([given, *earlier]))
    return items[history.answered(items)]


def round_size(labels: int) -> int:
    """
    >>> [round_size(labels) for labels in (0, 59, 60, 399, 400)]
    [5, 5, 20, 20, 100]
    """
    return SIZES[int(np.searchsorted(ENDS, labels, side="right"))]


def propose(fitters: Fitters, pool: View, history: History, goal: Threshold) -> BettingDesign:
    """The design of the next round. It must not depend on labels of draws that do not count yet."""
    groups = Groups.of(pool)
    drawn = Drawn.of(groups, history)
    counting = np.union1d(drawn.items, _known(history))
    chance = _believed(fitters, pool, history, counting, groups)
    plan_for = plan_recall if goal.recall is not None else plan_precision
    target, delta = next(iter(goal.targets.values())), 1 - goal.confidence
    size = round_size(len(drawn.items))
    plan = plan_for(drawn.draws, drawn.sizes, chance, target, delta, size, drawn.known)
    return design(pool, history, plan.group, plan.tilt, chance)


def design(pool: View, history: History, order: Integers, tilt: Floats, chance: Floats) -> BettingDesign:
    """The design with this order and these bets."""
    groups = Groups.of(pool)
    return BettingDesign(
        cells=groups.cells,
        bands=groups.bands,
        order=order,
        tilt=tilt,
        calibration=chance,
        labelled=history.labelled,
        seen=history.seen,
        size=len(order),
    )


def _believed(fitters: Fitters, pool: View, history: History, answered: Integers, groups: Groups) -> Floats:
    """The share of positives of each group that the best ranking's curves expect."""
    states = fitters.states(history, answered)
    best = fitters.best(states)
    fitter, cuts = fitters.every[best], cuts_of(pool)
    mean = fitter.fit(states[best], fitters.curves).curves.mean
    expected = np.einsum("pb,pbs->s", mean, crossing(pool, fitter))
    group = groups.bands.find(np.append(0, cuts.kept[:-1]))
    return np.bincount(group, expected, len(groups.sizes)) / groups.sizes


def evidence(pool: View, history: History, goal: Threshold) -> Evidence:
    """Of each cut, the largest evidence of all looks so far. Cut c keeps the first c groups.

    A look is the end of a round, and now. A certificate is kept because sets only get better: they gain the positives
    and lose the negatives that are found.
    """
    groups = Groups.of(pool)
    drawn = Drawn.of(groups, history)
    evidence_of = recall_evidence if goal.recall is not None else precision_evidence
    target = next(iter(goal.targets.values()))
    looks: dict[object, Floats] = pool.cached("betting looks", dict)
    found = np.full(len(groups.sizes) + 1, -math.inf)
    for number in sorted({*_ends(len(drawn.items)), len(drawn.items)}):
        draws = drawn.first(number)
        key = (goal.recall, goal.precision, *(column.tobytes() for column in (*draws, *drawn.known)))
        if key not in looks:
            looks[key] = evidence_of(draws, drawn.sizes, target, drawn.known)
        found = np.maximum(found, looks[key])
    return Evidence(groups.bands.edge, found)


def _ends(labels: int) -> list[int]:
    """Numbers of labels at the ends of rounds."""
    found, end = [], 0
    while end < labels:
        found.append(end)
        end += round_size(end)
    return found
