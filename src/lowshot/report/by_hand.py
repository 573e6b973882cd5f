"""The sums and averages with which a reader can check the estimate with a calculator.

Each way gives the number that the report states. Where none does, there is no `ByHand`, and the report says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from lowshot.core.counts import count
from lowshot.core.curve.summary import quantiles
from lowshot.core.types import Floats, Integers
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.metric import FBeta
from lowshot.pools.base import View
from lowshot.result import Estimate
from lowshot.sampler.curve import Curve
from lowshot.sampler.group_design import GroupDesign
from lowshot.sampler.reach import unanswered

Source = Literal["labels", "weights", "rounds", "counts", "curves"]
PARTS = 20  # of the curves, each with the same weight
SAME = 1e-6  # a way by hand that misses the estimate by more is not shown: the report has fewer digits


@dataclass(frozen=True)
class Group:
    """Items with the same prediction between two ranks: how many are labelled, positive, expected positive."""

    predicted: bool
    first: int
    last: int
    items: int
    labelled: int
    positive: int
    expected: float  # expected number of positives among the items without a label


@dataclass(frozen=True)
class Sums:
    """True positives, false positives and false negatives, and the value of the metric that follows."""

    tp: float
    fp: float
    fn: float
    value: float

    @classmethod
    def of(cls, metric: FBeta, tp: float, fp: float, fn: float) -> "Sums":
        return cls(float(tp), float(fp), float(fn), metric.of_counts(float(tp), float(fp), float(fn), 1.0))


@dataclass(frozen=True)
class Spread:
    """The metric over all curves that fit the labels: its mean, its median, and the mean of each of `PARTS` parts."""

    curves: int
    mean: float
    median: float
    parts: tuple[float, ...]  # the curves in the order of their values, in parts of equal weight

    @property
    def value(self) -> float:
        return (self.mean + self.median) / 2


@dataclass(frozen=True)
class ByHand:
    """How to get the estimate by hand.

    labels   count the labelled items
    weights  add up the weights of the labelled items
    rounds   the same for the last round; then average the rounds
    counts   labelled items, and the probabilities of all others
    curves   the groups give the sums of the average curve; the estimate is between mean and median over all curves
    """

    source: Source
    value: float
    sums: Sums | None
    groups: tuple[Group, ...] = ()
    spread: Spread | None = None


def exact(estimate: Estimate) -> bool:
    """Whether every item that matters is labelled, so that the value has no error."""
    return estimate.variance == 0 and estimate.interval is not None and estimate.interval.width == 0


def by_hand(evaluation: Evaluation, history: History, now: Estimate) -> ByHand | None:
    """The way by hand of the model that is judged; None if there is none that gives the estimate."""
    if not now.defined:
        return None
    found: ByHand | None
    view = evaluation.view
    if not unanswered(view, history, evaluation.metric):
        found = _from_labels(evaluation.metric, view, history)
    elif isinstance(evaluation.sampler, Curve):
        found = _from_curves(evaluation, evaluation.sampler, history)
    elif now.rounds:
        found = _from_weights(evaluation, now)
    else:
        found = _from_labels(evaluation.metric, view, history)
        found = found if abs(found.value - now.value) < SAME else _from_counts(evaluation)
    return found if found is not None and abs(found.value - now.value) < SAME else None


def _from_labels(metric: FBeta, view: View, history: History) -> ByHand:
    items = history.labelled
    predicted = view.predicted(items)
    sums = Sums.of(metric, *count(history.values(items, predicted), predicted, view.p(items) * view.total)[:3])
    return ByHand("labels", sums.value, sums)


def _from_weights(evaluation: Evaluation, now: Estimate) -> ByHand | None:
    try:
        found = evaluation.weights()
    except InputError:  # none of the draws counts yet
        return None
    sums = Sums.of(evaluation.metric, *count(found.labels, found.predictions, found.weights)[:3])
    if abs(sums.value - now.value) < SAME:
        return ByHand("weights", sums.value, sums)
    shares = shares_of_rounds(now)
    return ByHand(
        "rounds", sum(share * one.value for one, share in zip(now.rounds, shares, strict=True) if share), sums
    )


def shares_of_rounds(now: Estimate) -> list[float]:
    """The share of each round in the average (Eq. 5); 0 for a round without a value."""
    weight = [one.weight if np.isfinite(one.value) else 0.0 for one in now.rounds]
    return [one / (sum(weight) or 1.0) for one in weight]


def _from_counts(evaluation: Evaluation) -> ByHand | None:
    try:
        tp, fp, fn = (evaluation.estimate(name).value for name in ("tp", "fp", "fn"))
    except InputError:  # these draws cannot tell the number of missed positives
        return None
    sums = Sums.of(evaluation.metric, tp, fp, fn)
    return ByHand("counts", sums.value, sums)


def _from_curves(evaluation: Evaluation, sampler: Curve, history: History) -> ByHand:
    view = evaluation.view
    drawn = sampler.several(view, history, evaluation.metric, [view.joint.models[view.joint.judged]])
    spread = spread_of(drawn.values[:, 0], drawn.weight)
    groups = _groups_of(evaluation, history)
    return ByHand("curves", spread.value, _of_groups(evaluation.metric, groups) if groups else None, groups, spread)


def spread_of(values: Floats, weight: Floats) -> Spread:
    """
    >>> found = spread_of(np.linspace(0.0, 1.0, 40), np.full(40, 1 / 40))
    >>> round(found.mean, 3), round(found.median, 3), round(sum(found.parts) / PARTS, 3)
    (0.5, 0.5, 0.5)
    """
    order = np.argsort(values, kind="stable")
    ends = np.concatenate([[0.0], weight[order].cumsum()])
    sums = np.concatenate([[0.0], (weight * values)[order].cumsum()])
    parts = np.diff(np.interp(np.linspace(0, ends[-1], PARTS + 1), ends, sums)) * PARTS / ends[-1]
    (median,) = quantiles(values, weight, (0.5,)).tolist()
    return Spread(len(values), float(weight @ values), median, tuple(parts.tolist()))


def _of_groups(metric: FBeta, groups: Sequence[Group]) -> Sums:
    hits, missed = (sum(g.positive + g.expected for g in groups if g.predicted is kind) for kind in (True, False))
    return Sums.of(metric, hits, sum(g.items for g in groups if g.predicted) - hits, missed)


def _groups_of(evaluation: Evaluation, history: History) -> tuple[Group, ...]:
    """The groups of the next round: its curve is fitted to all labels that count.

    None where no table of groups adds up: with several rankings, with groups that are divided by the predictions of
    several models, with weights of items, and where the design has other groups.
    """
    view, joint = evaluation.view, evaluation.view.joint
    if len(joint.rankings) > 1 or len(joint.models) > 1 or view.weighted:
        return ()
    counting = set(history.answered_in_order(history.rounds).tolist())
    used = replace(history, labels={item: label for item, label in history.labels.items() if item in counting})
    design = evaluation.sampler.propose(view, used, evaluation.metric)
    if not isinstance(design, GroupDesign) or len(design.bands.count) != 2:  # not divided by the prediction
        return ()
    return tuple(group for group in _groups(design, *_told(design, used)) if group.items)


def _told(design: GroupDesign, history: History) -> tuple[Integers, Integers]:
    """The number of labels (without "cannot tell") per group, and the number of positive ones."""
    items, labels = history.told()
    group, size = design.groups_of(items), design.bands.count.size
    positive: Integers = np.bincount(group[labels == 1], minlength=size)
    return np.bincount(group, minlength=size), positive


def _groups(design: GroupDesign, labelled: Integers, positive: Integers) -> list[Group]:
    edge, size = design.bands.edge, len(design.bands)
    return [
        Group(
            predicted=number < size,
            first=int(edge[number % size]) + 1,
            last=int(edge[number % size + 1]),
            items=int(items),
            labelled=int(labelled[number]),
            positive=int(positive[number]),
            expected=float(design.calibration[number] * (items - labelled[number])),
        )
        for number, items in enumerate(design.bands.count.ravel().tolist())
    ]
