"""What labels say, group by group: what a curve learns from, and what is left to estimate."""

from typing import NamedTuple

import numpy as np

from lowshot.core.curve.bands import Bands
from lowshot.core.types import Floats, Integers
from lowshot.history import History
from lowshot.pool import Pool
from lowshot.sampler.group_design import groups_of


class State(NamedTuple):
    """Labels by group [prediction, band], and what is left. Weights are in units of an average item."""

    told: Floats  # labels that a curve may learn from
    positive: Floats  # ... and how many of them are positive
    open: Integers  # items that can still be asked about
    skipped: Integers  # items that nobody could tell: without a label, but never asked about again
    weight: Floats  # of all items without a label, the open and the skipped ones
    squares: Floats  # the same, squared
    tp: float
    fn: float
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
            tp=self.tp + float((positive * each)[0].sum()),
            fn=self.fn + float((positive * each)[1].sum()),
            labels=self.labels + int(told.sum()),
        )


def state_of(pool: Pool, history: History, bands: Bands, answered: Integers) -> State:
    """What these answers say. An item that nobody could tell has no label, unless the history assumes one for it;
    it is not open either, because nobody is asked about it again.

    Known labels count as they are, but no curve learns from them: nobody knows how they were chosen.
    """
    has_label = [history.labels[item] is not None or history.assume != "expected" for item in answered.tolist()]
    items = answered[np.array(has_label, dtype=np.bool_)]
    predicted = pool.predicted(items)
    labels = history.values(items, predicted)
    learned = np.array([item not in history.known for item in items.tolist()], dtype=np.bool_)
    group, size = groups_of(pool.cells(), bands, items), 2 * len(bands)

    def sums(values: Floats) -> Floats:
        return np.bincount(group, values, size).reshape(2, -1).astype(np.float64)

    def counts(which: Integers) -> Integers:
        return np.bincount(groups_of(pool.cells(), bands, which), minlength=size).reshape(2, -1)

    weight = pool.p(items) * len(pool)
    whole, squares = _weights(pool, bands)
    return State(
        told=sums(learned.astype(np.float64)),
        positive=sums(learned * labels),
        open=bands.count - counts(answered),
        skipped=counts(answered) - counts(items),
        weight=np.maximum(whole - sums(weight), 0),
        squares=np.maximum(squares - sums(weight**2), 0),
        tp=float(weight @ (labels * predicted)),
        fn=float(weight @ (labels * (1 - predicted))),
        labels=len(items),
    )


def _weights(pool: Pool, bands: Bands) -> tuple[Floats, Floats]:
    """What the items of each group weigh; and squared."""
    if pool.mass is None:
        return bands.count.astype(np.float64), bands.count.astype(np.float64)

    def make() -> tuple[Floats, Floats]:
        everything = np.arange(len(pool))
        group, weight = groups_of(pool.cells(), bands, everything), pool.p(everything) * len(pool)
        one, two = (np.bincount(group, weight**power, 2 * len(bands)).reshape(2, -1) for power in (1, 2))
        return one.astype(np.float64), two.astype(np.float64)

    return pool.once("curve weights", make)
