"""CURVE: a Bayesian calibration curve along the ranking; labels where they settle F most, answers with their spread."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.core.curve.answer import Summary, Totals, summarise, totals
from lowshot.core.curve.bands import Bands
from lowshot.core.curve.greedy import greedy
from lowshot.core.curve.posterior import Model
from lowshot.core.curve.prior import default_prior
from lowshot.core.types import Floats, Integers
from lowshot.design import Design
from lowshot.history import History
from lowshot.metric import FBeta, Metric
from lowshot.pool import Pool
from lowshot.result import Estimate, Reach
from lowshot.sampler.base import Sampler
from lowshot.sampler.group_design import GroupDesign, groups_of
from lowshot.sampler.rounds import undefined

ENDS = (10, 20, 35, 60, 100, 165, 270, 430, 600)  # labels after which the curve is drawn anew
GROWTH = 1.4  # ... and from there on
SMALL_SHARE = 3e-3  # of the best component's posterior weight: what is below is left out of the draws


class Labelled(NamedTuple):
    """Labels by group [prediction, band], and what is left."""

    told: Floats  # labels that a curve may learn from
    positive: Floats
    open: Integers  # items without a label
    weight: Floats  # of the items without a label, in units of an average item
    squares: Floats  # the same, squared
    tp: float
    fn: float
    labels: int


@dataclass(frozen=True)
class Curve(Sampler):
    """Log-odds of being positive fall along the ranking with slopes that change now and then. Labels narrow down which
    curves are possible; each possible curve, with the labels, gives an F; their spread is the interval. The next label
    goes where it is expected to reduce that spread most. Draws are uniform inside groups of rank and prediction.

    >>> import lowshot
    >>> pool = lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5)
    >>> sorted(lowshot.Evaluation(pool, sampler="curve").ask(5))
    [0, 1, 2, 3, 4]

    curves  how many curves are drawn for an answer
    """

    name: ClassVar[str] = "curve"

    curves: int = 300

    def __post_init__(self) -> None:
        checks.whole_number("curves", self.curves, 50)

    def propose(self, pool: Pool, history: History, metric: FBeta) -> Design:
        model, cells = self._model(pool), pool.cells()
        labelled = self._labelled(pool, history, model.bands, all_answers=True)
        drawn = self._curves(pool, labelled)
        open_ = labelled.open.copy()
        if metric.ignores_negatives:
            open_[1] = 0
        order = _order(drawn, open_, labelled, metric, float(predicted_weight(pool)), _size(history))
        return GroupDesign(
            cells=cells,
            bands=model.bands,
            order=order,
            calibration=drawn.mean(axis=0).ravel(),
            labelled=history.labelled,
            size=len(order),
            negatives=not metric.ignores_negatives,
        )

    def estimate(self, pool: Pool, history: History, metric: Metric, confidence: float) -> Estimate:
        labelled = self._labelled(pool, history, self._model(pool).bands)
        reach = Reach(len(pool), len(pool))
        if not labelled.labels:
            return Estimate(metric.name, np.nan, None, None, 0, reach, undefined(history, metric), history.skipped)
        summary = self._summary(pool, labelled, metric, confidence)
        return Estimate(
            metric=metric.name,
            value=summary.value,
            variance=summary.variance,
            interval=summary.interval,
            labels=labelled.labels,
            reach=reach,
            skipped=history.skipped,
        )

    def _summary(self, pool: Pool, labelled: Labelled, metric: Metric, confidence: float) -> Summary:
        drawn = self._curves(pool, labelled)
        random = np.random.default_rng(1)
        found = totals(drawn, labelled.weight, labelled.squares, (labelled.tp, labelled.fn), random)
        predicted = float(predicted_weight(pool))
        answers = values(metric, found, predicted, len(pool))
        highest = _highest(metric, predicted, len(pool))
        return summarise(answers, confidence, highest, _grain(metric, found, predicted, len(pool)))

    def _model(self, pool: Pool) -> Model:
        def make() -> Model:
            cells = pool.cells()
            return Model.of(Bands.of(cells, pool.comparable(cells.level)), default_prior())

        return pool.once("curve model", make)

    def _curves(self, pool: Pool, labelled: Labelled) -> Floats:
        """Curves from the posterior. The same labels give the same curves."""

        def make() -> Floats:
            model = self._model(pool)
            filtered = model.forward(labelled.told, labelled.positive, np.flatnonzero(model.weight))
            share = filtered.share
            return filtered.only(share > SMALL_SHARE * share.max()).draw(self.curves, np.random.default_rng(0))

        key = (self.curves, labelled.told.tobytes(), labelled.positive.tobytes())
        return pool.once("curves", make, key)

    def _labelled(self, pool: Pool, history: History, bands: Bands, all_answers: bool = False) -> Labelled:
        cells = pool.cells()
        items = history.labelled if all_answers else usable(history)
        items = items[[history.labels[item] is not None or history.assume != "expected" for item in items.tolist()]]
        labels = history.values(items, pool.predicted(items))
        group = groups_of(cells, bands, items)
        learned = np.array([item not in history.known for item in items.tolist()], dtype=np.bool_)
        shape, size = (2, len(bands)), 2 * len(bands)

        def sums(values: Floats) -> Floats:
            return np.bincount(group, values, size).reshape(shape).astype(np.float64)

        weight = pool.p(items) * len(pool)
        whole, squares = self._weights(pool, bands)
        return Labelled(
            told=sums(learned.astype(np.float64)),
            positive=sums(learned * labels),
            open=bands.count - sums(np.ones(len(items))).astype(np.int64),
            weight=np.maximum(whole - sums(weight), 0),
            squares=np.maximum(squares - sums(weight**2), 0),
            tp=float(weight @ (labels * pool.predicted(items))),
            fn=float(weight @ (labels * (1 - pool.predicted(items)))),
            labels=len(items),
        )

    def _weights(self, pool: Pool, bands: Bands) -> tuple[Floats, Floats]:
        """What the items of each group weigh, in units of an average item; and squared."""
        if pool.mass is None:
            return bands.count.astype(np.float64), bands.count.astype(np.float64)

        def make() -> tuple[Floats, Floats]:
            everything = np.arange(len(pool))
            group, weight = groups_of(pool.cells(), bands, everything), pool.p(everything) * len(pool)
            size = 2 * len(bands)
            one, two = (np.bincount(group, weight**power, size).reshape(2, -1) for power in (1, 2))
            return one.astype(np.float64), two.astype(np.float64)

        return pool.once("curve weights", make)


def usable(history: History) -> Integers:
    """Known items and those of every round's labelled prefix: how fast an answer came must not select it."""
    prefixes = [r.draws.items[: history.prefix(r)] for r in history.rounds]
    return np.unique(np.concatenate([np.array(sorted(history.known), dtype=np.int64), *prefixes]))


def predicted_weight(pool: Pool) -> float:
    items = pool.predicted_items
    return float(len(items)) if pool.mass is None else float(pool.mass[items].sum() * len(pool))


def values(metric: Metric, found: Totals, predicted: float, total: int) -> Floats:
    """The metric under each draw of tp and fn."""
    parts = (found.tp, predicted - found.tp, found.fn)
    numerator = sum(c * part for c, part in zip(metric.numerator, parts, strict=True))
    if metric.per_prediction:
        return np.asarray(numerator)
    if metric.denominator is None:
        return np.asarray(numerator / total)
    denominator = sum(c * part for c, part in zip(metric.denominator, parts, strict=True))
    return np.where(denominator > 0, numerator / np.maximum(denominator, 1e-12), 0.0)


def _highest(metric: Metric, predicted: float, total: int) -> float:
    if not metric.per_prediction:
        return 1.0
    return total - predicted if metric.name == "fn" else predicted


def _grain(metric: Metric, found: Totals, predicted: float, total: int) -> float:
    """What one item changes, about."""
    if metric.per_prediction:
        return 1.0
    if metric.denominator is None:
        return 1 / total
    return 1 / max(float(np.mean(found.tp + found.fn)) + predicted, 1.0)


def _size(history: History) -> int:
    """Labels of the next round."""
    number = len(history.rounds)
    if number < len(ENDS):
        return ENDS[number] - (ENDS[number - 1] if number else 0)
    return int(ENDS[-1] * (GROWTH - 1) * GROWTH ** (number - len(ENDS)))


def _order(drawn: Floats, open_: Integers, labelled: Labelled, metric: FBeta, predicted: float, size: int) -> Integers:
    """The groups to label next."""
    bands = open_.shape[1]
    expected = Totals(labelled.tp + drawn[:, 0] @ labelled.weight[0], labelled.fn + drawn[:, 1] @ labelled.weight[1])
    below = metric.alpha * predicted + (1 - metric.alpha) * (expected.tp + expected.fn)
    value = expected.tp / np.maximum(below, 1e-12)
    mean, scale = float(value.mean()), max(float(below.mean()), 1e-12)
    effect = np.repeat([1 - (1 - metric.alpha) * mean, -(1 - metric.alpha) * mean], bands) / scale
    there = np.flatnonzero(open_.ravel() > 0)
    picks = greedy(
        drawn.reshape(len(drawn), -1)[:, there], open_.ravel()[there].astype(np.float64), value, effect[there], size
    )
    return there[picks]
