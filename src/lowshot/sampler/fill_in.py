"""Uniform and list designs, and estimates that use calibrated probabilities for unlabelled items."""

from collections.abc import Callable

import numpy as np

from lowshot.core.calibration import prior
from lowshot.core.cells import NO_ITEMS, Cells
from lowshot.core.counts import Counts, count
from lowshot.core.types import Floats, Integers
from lowshot.design import CellDesign, ListDesign
from lowshot.history import History, Round
from lowshot.metric import Metric
from lowshot.pools.base import View
from lowshot.result import Estimate, Reach
from lowshot.sampler.rounds import undefined

FillIn = Callable[[Cells, Integers, Floats], Floats]  # open cells, items with a label, labels -> c(s) of each cell


def uniform_design(pool: View, history: History, begun: Integers = NO_ITEMS) -> CellDesign:
    """Every unlabelled item with the same probability, without replacement; and the labelled items that it begins with.

    begun  labelled items that are its first draws
    """
    whole = pool.cells()
    known = np.setdiff1d(history.labelled, begun)
    cells = whole.open(np.arange(len(whole)), known, history.seen)
    return CellDesign(
        cells=cells,
        begun=begun,
        probability=cells.count / max(1, cells.count.sum()),
        calibration=prior(whole),
        known=known,
        replace=False,
        even=True,
    )


def list_design(ranking: Cells, order: Integers) -> ListDesign:
    """These items in this order. The next list does not depend on their labels."""
    return ListDesign(order=order, calibration=prior(ranking)[ranking.find(order)], size=len(order))


def chunk_size(history: History) -> int:
    """The length of the next list: 256, 512, 1024, ... so that short evaluations need no long list."""
    return int(256 * 2 ** len(history.rounds))


def listed(history: History) -> Integers:
    """Every item of earlier lists."""
    return np.concatenate([np.empty(0, dtype=np.int64), *(r.design.items for r in history.rounds)])


def usable(history: History) -> Integers:
    """Known items, and the items of the lists up to the first one without an answer."""
    return history.answered_in_order(_unbroken(history))


def _unbroken(history: History) -> list[Round]:
    """Rounds up to and including the first that is not fully labelled: each list continues the one before."""
    rounds: list[Round] = []
    for round_ in history.rounds:
        rounds.append(round_)
        if history.prefix(round_) < round_.design.available:
            break
    return rounds


def from_counts(pool: View, history: History, metric: Metric, counts: Counts, labels: int, reach: Reach) -> Estimate:
    """An estimate from (expected) counts tp, fp, fn, total: no variance, so no interval."""
    value = metric.of_counts(*counts) if labels else np.nan
    return Estimate(
        metric=metric.name,
        value=float(value),
        variance=None,
        interval=None,
        labels=labels,
        reach=reach,
        reason="" if np.isfinite(value) else undefined(history, metric),
        skipped=history.skipped,
    )


def of_labelled_set(pool: View, history: History, metric: Metric) -> Estimate:
    """The metric of the labelled items alone."""
    items = usable(history)
    missing = pool.predicted_positives - int(pool.predicted(items).sum())
    reach = Reach(len(items), pool.total, missing)
    return from_counts(pool, history, metric, _counts(pool, history, items), len(items), reach)


def filled_in(pool: View, history: History, metric: Metric, fill_in: FillIn) -> Estimate:
    """The metric of expected counts: labels where there are some, the expectation under c(s) for all other items."""
    items, reach = usable(history), Reach(pool.total, pool.total)
    if not len(items):
        return from_counts(pool, history, metric, Counts(0, 0, 0, 1), 0, reach)
    whole = pool.cells()
    cells = whole.without(items)
    told = np.array([item for item in items.tolist() if history.labels[item] is not None], dtype=np.int64)
    c = fill_in(cells, told, history.values(told, pool.predicted(told))) if len(told) else prior(whole)
    expected, rest = cells.mass * c * pool.total, cells.mass * (1 - c) * pool.total
    labelled = _counts(pool, history, items)
    counts = Counts(
        labelled.tp + expected[cells.prediction].sum(),
        labelled.fp + rest[cells.prediction].sum(),
        labelled.fn + expected[~cells.prediction].sum(),
        pool.total,
    )
    return from_counts(pool, history, metric, counts, len(items), reach)


def _counts(pool: View, history: History, items: Integers) -> Counts:
    """Counts of labelled items, in units of an average item."""
    predictions = pool.predicted(items)
    return count(history.values(items, predictions), predictions, pool.p(items) * pool.total)
