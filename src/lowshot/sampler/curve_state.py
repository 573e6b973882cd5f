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
    open: Integers  # items without a label
    weight: Floats  # of the items without a label
    squares: Floats  # the same, squared
    tp: float
    fn: float
    labels: int

    def after(self, told: Integers, positive: Integers) -> "State":
        """With further labels, of items that weigh as much as their group does on average."""
        share = told / np.maximum(self.open, 1)
        each = self.weight / np.maximum(self.open, 1)
        return State(
            told=self.told + told,
            positive=self.positive + positive,
            open=self.open - told,
            weight=self.weight * (1 - share),
            squares=self.squares * (1 - share),
            tp=self.tp + float((positive * each)[0].sum()),
            fn=self.fn + float((positive * each)[1].sum()),
            labels=self.labels + int(told.sum()),
        )


def state_of(pool: Pool, history: History, bands: Bands, items: Integers) -> State:
    """The labels of these items. One that nobody could tell counts as unlabelled, unless something is assumed of it.

    Known labels count as they are, but no curve learns from them: nobody knows how they were chosen.
    """
    items = items[[history.labels[item] is not None or history.assume != "expected" for item in items.tolist()]]
    predicted = pool.predicted(items)
    labels = history.values(items, predicted)
    learned = np.array([item not in history.known for item in items.tolist()], dtype=np.bool_)
    group, size = groups_of(pool.cells(), bands, items), 2 * len(bands)

    def sums(values: Floats) -> Floats:
        return np.bincount(group, values, size).reshape(2, -1).astype(np.float64)

    weight = pool.p(items) * len(pool)
    whole, squares = _weights(pool, bands)
    return State(
        told=sums(learned.astype(np.float64)),
        positive=sums(learned * labels),
        open=bands.count - sums(np.ones(len(items))).astype(np.int64),
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
