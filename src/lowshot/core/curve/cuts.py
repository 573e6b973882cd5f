"""Where a ranking can be cut in two: places in it, and how the positives of bands spread over the parts in between."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from lowshot.core.cells import Cells
from lowshot.core.curve.bands import Bands
from lowshot.core.types import Floats, Integers

EVERY = 64  # the first ranks at which every level is a cut; below them cuts are STEP apart
STEP = 0.02  # between two cuts, in log rank: a kept set is at most 2 % larger than it had to be
COARSE = 0.1  # between two cuts in the lower half, in the log of how many items are below
SMALLEST = 1e-12  # chances closer to 0 or 1 than this have no finite log-odds


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cut j keeps the `kept[j]` best items: those with a score of at least `threshold[j]`. Ties are kept together.

    >>> from lowshot.core.ranking import rank
    >>> cells = rank(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, True, False]))
    >>> cuts = Cuts.of(cells, cells.level)
    >>> cuts.kept.tolist(), cuts.threshold.tolist(), cuts.present
    ([1, 3, 4], [0.9, 0.8, 0.1], 1)
    """

    kept: Integers
    threshold: Floats
    present: int | None = None  # the cut that keeps what is predicted positive; None if there is no such cut

    @classmethod
    def of(cls, cells: Cells, lowest: Floats, predicted: int | None = None) -> "Cuts":
        """From a whole ranking: a fixed grid of ranks, and the end of the predicted positives.

        lowest     of each cell, the lowest score that belongs to it
        predicted  how many items the model predicts positive; that of the cells if not given
        """
        last = np.flatnonzero(np.append(np.diff(cells.above) > 0, True))  # the last cell of each level
        kept = np.append(cells.above, cells.total)[last + 1]
        own = int(cells.count[cells.predicted].sum())
        count = own if predicted is None else predicted
        wanted = np.append(grid(cells.total), count)
        chosen = np.searchsorted(kept, wanted)
        chosen = np.unique(chosen[chosen < len(kept)])
        found = kept[chosen]
        place = int(np.searchsorted(found, count))
        there = place < len(found) and found[place] == count
        if there and own == count:  # they may be as many as a cut keeps, and yet others
            there = bool((cells.above[cells.predicted] < count).all())
        return cls(found, lowest[last[chosen]], place if there else None)

    def __len__(self) -> int:
        return len(self.kept)

    def segment(self, above: Integers) -> Integers:
        """The segment of items that have so many items above them: segment j lies between the cuts j - 1 and j."""
        return np.searchsorted(self.kept, above, side="right")


def grid(total: int) -> Integers:
    """The ranks at which so many items are cut: all of the first ones, then equal steps of log rank.

    In the lower half they are cut as finely by how many are let go, which is little where scores are not trusted.

    >>> grid(5).tolist(), len(grid(10**6))
    ([1, 2, 3, 4, 5], 636)
    """
    steps = np.arange(1, int(np.ceil(np.log(max(total / EVERY, 1)) / STEP)) + 1)
    ranks = np.append(np.arange(1, EVERY + 1), np.round(EVERY * np.exp(STEP * steps)).astype(np.int64))
    let_go = np.geomspace(EVERY, total / 2, int(np.log(max(total / 2 / EVERY, 1)) / COARSE) + 1).astype(np.int64)
    return np.unique(np.minimum(np.append(ranks, total - let_go[let_go < total / 2]), total))


def by_segment(chance: Floats, count: Floats) -> Floats:
    """Mean chances of the items of each segment [curve, pattern, segment].

    chance  of each group [curve, pattern, band]
    count   items [pattern, band, segment]
    """
    whole = np.maximum(count.sum(axis=1), 1)
    return np.stack([chance[:, kind] @ (each / whole[kind]) for kind, each in enumerate(count)], axis=1)


def sloping(chance: Floats, bands: Bands, cuts: Cuts, count: Floats) -> Floats:
    """The same where segments are parts of bands, and log-odds change evenly from band to band.

    Each band has as many expected positives as before.
    """
    edge = np.append(0, cuts.kept[:-1])
    place = np.interp(np.log((edge + cuts.kept) / 2), np.log(bands.rank), np.arange(len(bands)))
    low = np.clip(place.astype(np.int64), 0, max(len(bands) - 2, 0))
    share = place - low
    log_odds = logit(np.clip(chance, SMALLEST, 1 - SMALLEST))
    further = log_odds[:, :, np.minimum(low + 1, len(bands) - 1)]
    found = expit(log_odds[:, :, low] * (1 - share) + further * share)
    band = bands.find(edge)
    for kind, each in enumerate(count):
        whole = found[:, kind] @ each.T  # [curve, band]: expected positives
        factor = chance[:, kind] * each.sum(axis=1) / np.maximum(whole, SMALLEST**2)
        found[:, kind] *= factor[:, band]
    likely: Floats = np.minimum(found, 1.0)
    return likely


def drawn_above(chance: Floats, left: Integers, each: Floats, random: np.random.Generator) -> Floats:
    """The positives among the items that are left above each cut [curve, cut]. Given a curve, items are independent.

    chance  [curve, pattern, segment]
    left    items [pattern, segment]
    each    their mean weight [segment]
    """
    found = np.zeros((len(chance), chance.shape[2]))
    for kind, items in enumerate(left):
        there = np.flatnonzero(items)
        found[:, there] += random.binomial(items[there], chance[:, kind][:, there])
    found *= each
    return found.cumsum(axis=1)
