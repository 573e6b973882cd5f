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
# Where several people label, items are drawn while others wait for their answer, at the end of each round about as many
# as there are people. They bet nothing, so a round has to be long in comparison.
TIMES_WAITING = 5


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
    """The draws that count, in their order, and what was known before.

    Later rounds draw from all items that neither count nor were known before, also from those that have a label by
    now: who answers late may have chosen which items have one.
    """

    draws: Draws
    known: Known
    sizes: Integers  # items of each group that were not known before
    items: Integers  # of the draws; skipped items of an earlier evaluation come first, and bet nothing
    before: Integers  # items that had an answer before the first of these draws

    @classmethod
    def of(cls, groups: Groups, history: History) -> "Drawn":
        """Of each round the draws before the first one that had no answer when the next round was opened.

        Answers that come later do not count: a draw of the next round would have had other chances. The draws that
        were left out bet nothing, because a round is opened when all bets of the one before have their answers.
        """
        rounds = [(one, one.design) for one in history.rounds if isinstance(one.design, BettingDesign)]
        before, *ends = [*(round_.labelled for round_, _ in rounds), history.labelled]
        items = [_with_label(history, before, None)]
        tilt = [np.zeros(len(items[0]))]
        for (round_, design_), answered in zip(rounds, ends, strict=True):
            used = _leading(round_.draws.items[: history.prefix(round_)], answered)
            items.append(round_.draws.items[:used])
            tilt.append(design_.tilts(used))
        return cls._made(groups, history, before, np.concatenate(items), np.concatenate(tilt))

    @classmethod
    def facts(cls, groups: Groups, history: History) -> "Drawn":
        """All labels, in whatever order they came, as if they had been known before: they prove what they are alone."""
        skipped = _with_label(history, history.labelled, None)
        return cls._made(groups, history, history.labelled, skipped, np.zeros(len(skipped)))

    @classmethod
    def _made(cls, groups: Groups, history: History, before: Integers, items: Integers, tilt: Floats) -> "Drawn":
        known = {kind: _with_label(history, before, kind) for kind in (1, 0)}
        each = [np.bincount(groups.find(chosen), minlength=len(groups.sizes)) for chosen in known.values()]
        labels = [history.labels[item] for item in items.tolist()]
        sure = np.array([label == 1 for label in labels], dtype=np.int64)
        possible = np.array([label != 0 for label in labels], dtype=np.int64)
        draws = Draws(groups.find(items), sure, possible, tilt)
        return cls(draws, Known(*each), groups.sizes - each[0] - each[1], items, before)

    @property
    def gone(self) -> Integers:
        """The items that are not drawn any more."""
        return np.union1d(self.items, self.before)

    def first(self, number: int) -> Draws:
        """The first draws."""
        group, sure, possible, tilt = self.draws
        return Draws(group[:number], sure[:number], possible[:number], tilt[:number])


def _with_label(history: History, items: Integers, label: int | None) -> Integers:
    return np.array([item for item in items.tolist() if history.labels[item] == label], dtype=np.int64)


def _leading(items: Integers, answered: Integers) -> int:
    """How many items come before the first one that is not among those that are answered.

    >>> _leading(np.array([7, 3, 5]), np.array([5, 7]))
    1
    """
    there = np.isin(items, answered)
    return len(items) if there.all() else int(np.argmin(there))


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
    chance = _believed(fitters, pool, history, drawn.gone, groups)
    plan_for = plan_recall if goal.recall is not None else plan_precision
    target, delta = next(iter(goal.targets.values())), 1 - goal.confidence
    waiting = sum(item not in history.labels for item in history.asked)
    size = max(round_size(len(drawn.items)), TIMES_WAITING * waiting)
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
        labelled=Drawn.of(groups, history).gone,
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
    and lose the negatives that are found. What the labels prove without any bet is certain.
    """
    groups = Groups.of(pool)
    drawn = Drawn.of(groups, history)
    evidence_of = recall_evidence if goal.recall is not None else precision_evidence
    target = next(iter(goal.targets.values()))
    looks: dict[object, Floats] = pool.cached("betting looks", dict)
    facts = Drawn.facts(groups, history)
    found = np.where(np.isposinf(evidence_of(facts.draws, facts.sizes, target, facts.known)), math.inf, -math.inf)
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
