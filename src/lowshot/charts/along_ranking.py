"""Along the ranking: what the last design believed, and where the labels fell."""

from dataclasses import dataclass

import numpy as np

from lowshot.core.types import Floats, Integers
from lowshot.design import Design
from lowshot.history import History
from lowshot.pools.base import View

POINTS = 150  # of a line
BINS = 4  # for each factor of ten in rank


@dataclass(frozen=True, eq=False)
class Line:
    """A value against rank; 1 is the best item. One line for predicted positives, one for the others."""

    predicted: bool
    rank: Integers
    value: Floats


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many labels of each round fell between which ranks: counts[round][bin]."""

    edges: Floats
    rounds: tuple[str, ...]
    counts: Integers
    items: Integers  # of the pool, in each bin

    @property
    def share(self) -> Floats:
        """Of the items in a bin, how many are labelled; NaN in a bin without items."""
        found: Floats = self.counts.sum(axis=0) / np.where(self.items > 0, self.items, np.nan)
        return found


def calibration(pool: View, design: Design) -> list[Line]:
    """c(s) of items that the design could draw; of the others it believed nothing that can be shown."""
    return [Line(kind, rank, design.calibrated(items)) for kind, rank, items in _spread(pool, design)]


def probabilities(pool: View, design: Design) -> list[Line]:
    """The probability of one item in one draw. None where draws are not made that way."""
    lines = []
    for kind, rank, items in _spread(pool, design):
        found = design.probability_of(items)
        if found is not None:
            lines.append(Line(kind, rank, found))
    return lines


def _spread(pool: View, design: Design) -> list[tuple[bool, Integers, Integers]]:
    """Items that can be drawn, evenly spread in log rank: (predicted, ranks, positions)."""
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
    """The round that first asked for each labelled item; 0 for those known beforehand."""
    found = dict.fromkeys(sorted(history.known), 0)
    for round_ in history.rounds:
        for item in round_.new_items(0, round_.asked):
            if item in history.labels:
                found.setdefault(item, round_.number)
    return found


def histogram(pool: View, history: History) -> Histogram:
    """Labels by round and rank, in bins that are even in log rank."""
    edges = bins(pool.total)
    of_item = rounds_of(history)
    numbers = sorted(set(of_item.values()))
    counts = [
        np.histogram(pool.rank(np.array([item for item, number in of_item.items() if number == wanted])), edges)[0]
        for wanted in numbers
    ]
    names = tuple("known" if number == 0 else f"round {number}" for number in numbers)
    return Histogram(edges, names, np.array(counts), np.diff(np.floor(edges)).astype(np.int64))


def bins(items: int) -> Floats:
    """Edges between whole ranks, narrow bins first; no bin is without a rank.

    >>> bins(30).tolist()
    [0.5, 1.5, 3.5, 5.5, 9.5, 17.5, 30.5]
    """
    count = max(1, int(np.ceil(BINS * np.log10(items))))
    edges = np.unique(np.floor(np.geomspace(1, items, count + 1)))
    return np.concatenate([[0.5], edges + 0.5])
