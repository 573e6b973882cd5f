"""Charts along the ranking: calibration and probabilities of the last design, labels per rank, labelled items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, PURPLE, TEAL
from lowshot.checks import Id
from lowshot.core.cells import NO_ITEMS
from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import Design, PastDesign
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.sampler.group_design import GroupDesign

POINTS = 150  # the most points per line
BINS = 4  # bins per factor of ten in rank
GOLDEN = 0.618034  # golden ratio: multiples of it, modulo 1, are spread evenly


class Kind(NamedTuple):
    """Items that are predicted alike, and the colour of their line."""

    name: str
    colour: str


PREDICTED, NOT_PREDICTED = Kind("predicted", ORANGE), Kind("not predicted", GREY)


@dataclass(frozen=True, eq=False)
class Line:
    """A value against rank, for items that are predicted alike. Rank 1 is the best."""

    kind: Kind
    rank: Integers
    value: Floats


@dataclass(frozen=True, eq=False)
class LabelHistogram:
    """The number of labels per round and bin of ranks: counts[round][bin]."""

    edges: Floats
    rounds: tuple[str, ...]
    counts: Integers
    items: Integers  # items of the pool per bin

    @property
    def share(self) -> Floats:
        """The share of labelled items per bin; NaN for a bin without items."""
        found: Floats = self.counts.sum(axis=0) / np.where(self.items > 0, self.items, np.nan)
        return found


def last_design(history: History) -> Design | None:
    """The design of the last round; None if there is no round, or if it was made for an earlier evaluation."""
    last = history.rounds[-1].design if history.rounds else None
    return None if isinstance(last, PastDesign) else last


def ranking_of(view: View, design: Design | None) -> View:
    """The ranking whose groups the design drew from. A pool with one score has one ranking, which is the view."""
    joint = view.joint
    return joint.rankings[design.ranking if isinstance(design, GroupDesign) else joint.start]


def calibration(ranking: View, models: Mapping[str, View], design: Design) -> list[Line]:
    """c(s), the expected label, of items that the design could draw. It has no c(s) for the others.

    ranking  as `ranking_of` gives it
    models   the views of the models whose predictions divide the items into kinds
    """
    return _lines(ranking, models, design, design.calibrated)


def probabilities(ranking: View, models: Mapping[str, View], design: Design) -> list[Line]:
    """The probability of an item in one draw. No lines if the design does not draw with probabilities."""
    if design.probability_of(NO_ITEMS) is None:
        return []

    def probability(items: Integers) -> Floats:
        found = design.probability_of(items)
        assert found is not None
        return found

    return _lines(ranking, models, design, probability)


def _lines(
    ranking: View, models: Mapping[str, View], design: Design, value: Callable[[Integers], Floats]
) -> list[Line]:
    """One line per kind of items that can be drawn.

    Where several models make more than two patterns, items of one kind and of about the same rank have different
    values: then a line shows the mean of each bin of ranks.
    """
    items = ranking.examples()
    items = items[design.can_draw(items)]
    smooth = means if ranking.cells().patterns.shape[1] > 1 else spread
    found = []
    for kind, there in kinds(items, models).items():
        mine = items[there]
        if len(mine):
            found.append(Line(kind, *smooth(ranking.rank(mine), mine, value)))
    return found


def kinds(items: Integers, models: Mapping[str, View]) -> dict[Kind, Flags]:
    """The items by who predicts them positive: with two models four kinds, with more of them three."""
    flags = np.stack([view.predicted(items) == 1 for view in models.values()])
    every: Flags = np.all(flags, axis=0)
    some: Flags = np.any(flags, axis=0)
    if len(models) == 1:
        return {PREDICTED: every, NOT_PREDICTED: ~every}
    between = {Kind("predicted by some", PURPLE): some & ~every}
    if len(models) == 2:
        first, second = models
        between = {
            Kind(f"predicted by {first} only", PURPLE): flags[0] & ~every,
            Kind(f"predicted by {second} only", TEAL): flags[1] & ~every,
        }
    words = ("both", "neither") if len(models) == 2 else ("all", "none")
    ends = [
        Kind(f"predicted by {word}", kind.colour) for word, kind in zip(words, (PREDICTED, NOT_PREDICTED), strict=True)
    ]
    return {ends[0]: every, **between, ends[1]: ~some}


Smoothed = tuple[Integers, Floats]  # ranks and values


def spread(rank: Integers, items: Integers, value: Callable[[Integers], Floats]) -> Smoothed:
    """At most POINTS of the items, evenly spaced in log rank."""
    wanted = np.geomspace(rank[0], rank[-1], POINTS)
    chosen = np.unique(np.minimum(np.searchsorted(rank, wanted - 1e-6), len(rank) - 1))
    return rank[chosen], value(items[chosen])


def means(rank: Integers, items: Integers, value: Callable[[Integers], Floats]) -> Smoothed:
    """The mean of each bin of ranks, at its middle item."""
    place = np.searchsorted(bins(int(rank[-1])), rank)
    _, first, count = np.unique(place, return_index=True, return_counts=True)
    return rank[first + count // 2], np.add.reduceat(value(items), first) / count


def rounds_of(history: History) -> dict[int, int]:
    """The round that first handed out each labelled item; 0 for labels that were known beforehand."""
    found = dict.fromkeys(sorted(history.known), 0)
    for round_ in history.rounds:
        for item in round_.new_items(0, round_.asked):
            if item in history.labels:
                found.setdefault(item, round_.number)
    return found


def histogram(pool: View, history: History) -> LabelHistogram:
    """The number of labels per round, in bins of equal width in log rank."""
    edges = bins(pool.total)
    of_item = rounds_of(history)
    numbers = sorted(set(of_item.values()))
    counts = [
        np.histogram(pool.rank(np.array([item for item, number in of_item.items() if number == wanted])), edges)[0]
        for wanted in numbers
    ]
    names = tuple("known" if number == 0 else f"round {number}" for number in numbers)
    return LabelHistogram(edges, names, np.array(counts), np.diff(np.floor(edges)).astype(np.int64))


def bins(items: int) -> Floats:
    """Edges halfway between ranks, about `BINS` bins per factor of ten. Each bin contains at least one rank.

    >>> bins(30).tolist()
    [0.5, 1.5, 3.5, 5.5, 9.5, 17.5, 30.5]
    """
    count = max(1, int(np.ceil(BINS * np.log10(items))))
    edges = np.unique(np.floor(np.geomspace(1, items, count + 1)))
    return np.concatenate([[0.5], edges + 0.5])


class LabelledItem(Protocol):
    """What a mark needs to know about an item."""

    @property
    def item(self) -> Id: ...
    @property
    def rank(self) -> int: ...
    @property
    def predicted(self) -> bool: ...
    @property
    def label(self) -> int | None: ...


@dataclass(frozen=True, eq=False)
class Marks:
    """Labelled items that look the same on a chart: one colour per label, filled if predicted positive."""

    name: str
    colour: str
    filled: bool
    rows: Sequence[LabelledItem]
    height: Floats  # within 0.1 of the label (0.5: cannot tell), so that points do not hide each other

    @property
    def symbol(self) -> str:
        return "circle" if self.filled else "circle-open"


def marks(rows: Sequence[LabelledItem]) -> list[Marks]:
    """One group per label and prediction that occurs."""
    found = []
    for label, word, colour in ((1, "positive", GREEN), (0, "negative", BLUE), (None, "cannot tell", ORANGE)):
        for filled in (True, False):
            mine = [row for row in rows if row.label == label and row.predicted is filled]
            name = f"{word}, {'predicted' if filled else 'not predicted'}"
            if mine:
                found.append(Marks(name, colour, filled, mine, _heights(mine, 0.5 if label is None else label)))
    return found


def _heights(rows: Sequence[LabelledItem], middle: float) -> Floats:
    """Heights around `middle` that depend on the rank alone, so that the same item is always at the same place."""
    places = np.array([row.rank for row in rows]) * GOLDEN % 1
    found: Floats = middle + (places - 0.5) * 0.2
    return found
