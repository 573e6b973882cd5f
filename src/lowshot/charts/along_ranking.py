"""Charts along the ranking: calibration and probabilities of the last design, labels per rank, labelled items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lowshot.charts.style import BLUE, GREEN, ORANGE
from lowshot.checks import Id
from lowshot.core.types import Floats, Integers
from lowshot.design import Design
from lowshot.history import History
from lowshot.pools.base import View

POINTS = 150  # the most points per line
BINS = 4  # bins per factor of ten in rank
GOLDEN = 0.618034  # golden ratio: multiples of it, modulo 1, are spread evenly


@dataclass(frozen=True, eq=False)
class Line:
    """A value against rank, for predicted positives or for the other items. Rank 1 has the highest score."""

    predicted: bool
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


def calibration(pool: View, design: Design) -> list[Line]:
    """c(s), the expected label, of items that the design could draw. It has no c(s) for the others."""
    return [Line(kind, rank, design.calibrated(items)) for kind, rank, items in _spread(pool, design)]


def probabilities(pool: View, design: Design) -> list[Line]:
    """The probability of an item in one draw. No lines if the design does not draw with probabilities."""
    lines = []
    for kind, rank, items in _spread(pool, design):
        found = design.probability_of(items)
        if found is not None:
            lines.append(Line(kind, rank, found))
    return lines


def _spread(pool: View, design: Design) -> list[tuple[bool, Integers, Integers]]:
    """At most POINTS items per line that can be drawn, evenly spaced in log rank: (predicted, ranks, positions)."""
    items = pool.examples()
    items = items[design.can_draw(items)]
    predicted = pool.predicted(items) == 1
    found = []
    for kind in (True, False):
        mine = items[predicted == kind]
        if len(mine):
            rank = pool.rank(mine)
            wanted = np.geomspace(rank[0], rank[-1], POINTS)
            chosen = np.unique(np.minimum(np.searchsorted(rank, wanted - 1e-6), len(mine) - 1))
            found.append((kind, rank[chosen], mine[chosen]))
    return found


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
