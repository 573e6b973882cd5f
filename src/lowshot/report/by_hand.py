"""True positives, false positives and false negatives, with which a reader can check the estimate by hand."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lowshot.core.counts import count
from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.metric import FBeta
from lowshot.result import Estimate
from lowshot.sampler.group_design import GroupDesign

Source = Literal["groups", "weights", "labels"]


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
class ByHand:
    """True positives, false positives and false negatives, their source, and the value of the metric that follows."""

    source: Source
    tp: float
    fp: float
    fn: float
    value: float
    groups: tuple[Group, ...] = ()


def exact(estimate: Estimate) -> bool:
    """Whether every item that matters is labelled, so that the value has no error."""
    return estimate.variance == 0 and estimate.interval is not None and estimate.interval.width == 0


def by_hand(evaluation: Evaluation, history: History, now: Estimate) -> ByHand | None:
    """The sums from the groups of the curve sampler, or from the weights of a round, or from the labels alone.

    None if the estimate is an average over several rankings, or if groups are divided by the predictions of several
    models: no sum over one table of groups gives it.
    """
    if exact(now):
        return _from_labels(evaluation, history)
    joint = evaluation.view.joint
    if len(joint.rankings) > 1 or len(joint.models) > 1:
        return None
    if history.rounds and isinstance(history.rounds[-1].design, GroupDesign):
        return _from_groups(evaluation, history)
    try:
        found = evaluation.weights()
    except InputError:  # the draws have no probabilities, or none of them counts yet
        return _from_labels(evaluation, history)
    return _sums(evaluation.metric, "weights", count(found.labels, found.predictions, found.weights)[:3])


def _from_labels(evaluation: Evaluation, history: History) -> ByHand:
    view = evaluation.view
    items, labels = history.told()
    return _sums(evaluation.metric, "labels", count(labels, view.predicted(items), view.p(items) * view.total)[:3])


def _sums(metric: FBeta, source: Source, counts: tuple[float, ...], groups: tuple[Group, ...] = ()) -> ByHand:
    tp, fp, fn = (float(part) for part in counts)
    return ByHand(source, tp, fp, fn, metric.of_counts(tp, fp, fn, 1.0), groups)


def _from_groups(evaluation: Evaluation, history: History) -> ByHand:
    """The sums from the groups of the next round: its curve is fitted to all labels so far."""
    design = evaluation.sampler.propose(evaluation.view, history, evaluation.metric)
    assert isinstance(design, GroupDesign)
    groups = tuple(group for group in _groups(design, *_told(design, history)) if group.items)
    positives = [sum(g.positive + g.expected for g in groups if g.predicted is kind) for kind in (True, False)]
    false = sum(g.items for g in groups if g.predicted) - positives[0]
    return _sums(evaluation.metric, "groups", (positives[0], false, positives[1]), groups)


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
