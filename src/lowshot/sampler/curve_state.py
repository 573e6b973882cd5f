"""What labels say, group by group: what a curve learns from, and what is left to estimate."""

from typing import NamedTuple

import numpy as np
from scipy.special import pdtrc

from lowshot.core.curve.bands import Bands
from lowshot.core.types import Floats, Integers
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.sampler.group_design import groups_of


class State(NamedTuple):
    """Labels by group [pattern, band], and what is left. Weights are in units of an average item."""

    told: Floats  # labels that a curve may learn from
    positive: Floats  # ... and how many of them are positive
    open: Integers  # items that can still be asked about
    skipped: Integers  # items that nobody could tell: without a label, but never asked about again
    weight: Floats  # of all items without a label, the open and the skipped ones
    squares: Floats  # the same, squared
    positives: Floats  # what the labelled positives of each pattern weigh
    labels: int

    def after(self, told: Integers, positive: Integers) -> "State":
        """With further labels, of items that weigh as much as their group does on average."""
        unlabelled = np.maximum(self.open + self.skipped, 1)
        share, each = told / unlabelled, self.weight / unlabelled
        return State(
            told=self.told + told,
            positive=self.positive + positive,
            open=self.open - told,
            skipped=self.skipped,
            weight=self.weight * (1 - share),
            squares=self.squares * (1 - share),
            positives=self.positives + (positive * each).sum(axis=1),
            labels=self.labels + int(told.sum()),
        )


def state_of(pool: View, history: History, bands: Bands, answered: Integers) -> State:
    """What these answers say. An item that nobody could tell has no label, unless the history assumes one for it;
    it is not open either, because nobody is asked about it again.

    Known labels count as they are, but no curve learns from them: nobody knows how they were chosen.
    """
    has_label = [history.labels[item] is not None or history.assume != "expected" for item in answered.tolist()]
    labelled = np.array(has_label, dtype=np.bool_)
    items, group_of_answered = answered[labelled], groups_of(pool.cells(), bands, answered)
    labels = history.values(items, pool.predicted(items))
    learned = np.array([item not in history.known for item in items.tolist()], dtype=np.bool_)
    group, shape = group_of_answered[labelled], bands.count.shape

    def sums(values: Floats) -> Floats:
        return np.bincount(group, values, bands.count.size).reshape(shape).astype(np.float64)

    def counts(groups: Integers) -> Integers:
        return np.bincount(groups, minlength=bands.count.size).reshape(shape)

    weight = pool.p(items) * pool.total
    whole, squares = _weights(pool, bands)
    return State(
        told=sums(learned.astype(np.float64)),
        positive=sums(learned * labels),
        open=bands.count - counts(group_of_answered),
        skipped=counts(group_of_answered[~labelled]),
        weight=np.maximum(whole - sums(weight), 0),
        squares=np.maximum(squares - sums(weight**2), 0),
        positives=np.array([weight @ (labels * (group // len(bands) == kind)) for kind in range(len(bands.count))]),
        labels=len(items),
    )


def _weights(pool: View, bands: Bands) -> tuple[Floats, Floats]:
    """What the items of each group weigh; and squared."""
    if not pool.weighted:
        return bands.count.astype(np.float64), bands.count.astype(np.float64)

    def make() -> tuple[Floats, Floats]:
        everything = np.arange(pool.total)
        group, weight = groups_of(pool.cells(), bands, everything), pool.p(everything) * pool.total
        one, two = (np.bincount(group, weight**power, bands.count.size).reshape(bands.count.shape) for power in (1, 2))
        return one.astype(np.float64), two.astype(np.float64)

    return pool.cached("curve weights", make)


RARE = 1e-3  # such a surprise, or a larger one, comes once in a thousand evaluations if the curve is right


def warning(pool: View, history: History) -> str:
    """Labels of items that were not predicted had far more positives than was expected when they were drawn.

    The first round is left out: nothing was known then.
    """
    found, expected = 0.0, 0.0
    for each in history.rounds[1:]:
        items = each.draws.items
        told = np.array([history.labels.get(item) is not None for item in items.tolist()], dtype=np.bool_)
        counted = told & (pool.predicted(items) == 0)
        found += sum(history.labels[item] or 0 for item in items[counted].tolist())
        expected += float(each.draws.calibration[counted].sum())
    if found == 0 or pdtrc(found - 1, expected) >= RARE:
        return ""
    return (
        f"{found:.0f} missed positives were found where {expected:.1f} were expected: the scores mislead,"
        " and the interval may be too narrow; label more, or use sampler 'sawade'"
    )
