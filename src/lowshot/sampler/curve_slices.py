"""Sampler `curve` in slices of a pool: the positives of each part that is asked for, from the labels of all."""

from typing import NamedTuple

import numpy as np

from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.shifts import Parts, totals_by_slice
from lowshot.core.types import Floats, Integers
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.pools.slices import Split
from lowshot.sampler.curve_fit import Fitter
from lowshot.sampler.curve_joint import Fitters
from lowshot.sampler.curve_state import State, Taught


class SlicePositives(NamedTuple):
    """What labels and curves say about the positives of slices, under curves along all rankings."""

    totals: Floats  # [draw, slice, pattern]: weights of positives in units of an average item
    weight: Floats  # of each draw; they sum to 1

    def of_parts(self, split: Split) -> Floats:
        """[part, draw, pattern]: the slices that belong to a part together."""
        wanted = np.flatnonzero(split.part >= 0)
        order = wanted[np.argsort(split.part[wanted], kind="stable")]
        first = np.flatnonzero(np.diff(split.part[order], prepend=-1))  # every part has a slice
        return np.ascontiguousarray(np.add.reduceat(self.totals[:, order], first, axis=1).swapaxes(0, 1))


def positives_by_slice(
    fitters: Fitters, states: tuple[State, ...], pool: View, history: History, answered: Integers, split: Split
) -> SlicePositives:
    """Cached until labels change, for one way to split the pool."""
    taught = Taught.of(pool, history, answered)
    parts = [(s.told, s.positive, s.weight, s.positives) for s in states]
    arrays = (*(array for part in parts for array in part), taught.items, taught.labels, taught.learned)
    key = (fitters.every[0].believed, fitters.curves, split.columns, *(array.tobytes() for array in arrays))

    def make() -> SlicePositives:
        found = [
            (_totals(fitters.every[place], fit.curves, taught, split), share * fit.curves.weight)
            for place, share, fit in fitters.fits(states)
        ]
        totals, weight = zip(*found, strict=True)
        return SlicePositives(np.concatenate(totals), np.concatenate(weight))

    return fitters.every[0].ranking.cached("curve slices", make, key)


def _totals(fitter: Fitter, curves: Curves, taught: Taught, split: Split) -> Floats:
    return totals_by_slice(curves, parts_of(fitter, taught, split), fitter.bands.is_predicted)


def parts_of(fitter: Fitter, taught: Taught, split: Split) -> Parts:
    """The items of a pool in memory by slice and group of a ranking."""
    count, group = fitter.bands.count, fitter.group_of_item
    there, place = np.unique(split.code * count.size + group, return_inverse=True)
    ranking, size = fitter.ranking, len(there)
    weight = ranking.p(np.arange(ranking.total)) * ranking.total
    unlabelled = weight.copy()
    unlabelled[taught.items] = 0

    def sums(values: Floats) -> Floats:
        """Of numbers of the labelled items."""
        return np.bincount(place[taught.items], values, size).astype(np.float64)

    pattern = group[taught.items] // count.shape[1]
    column = split.code[taught.items] * count.shape[0] + pattern
    positives = np.bincount(column, weight[taught.items] * taught.labels, split.slices * count.shape[0])
    return Parts(
        slice=there // count.size,
        group=there % count.size,
        weight=np.bincount(place, unlabelled, size).astype(np.float64),
        squares=np.bincount(place, unlabelled**2, size).astype(np.float64),
        told=sums(taught.learned.astype(np.float64)),
        positive=sums(taught.learned * taught.labels),
        positives=positives.reshape(split.slices, count.shape[0]).astype(np.float64),
    )
