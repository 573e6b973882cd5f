"""F1 of each slice of a pool, from labels that were drawn for the whole pool with sampler `curve`.

slices    `Evaluation.table(by=...)`: what is known comes from the labels of all slices
own       the slice as a pool of its own: sampler `curve` with its beliefs, and the labels of this slice alone
labels    the labels of this slice alone, without beliefs: each counts 1 / (the share of its group that is labelled)

All methods of a run see the same labels. Slices that no item is predicted positive in are left out: their F1 is 0.
"""

from collections.abc import Callable, Iterator

import numpy as np

from lowshot.core.counts import count
from lowshot.core.types import Flags, Floats, Integers
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.metric import f_metric
from lowshot.pools.memory import Pool
from lowshot.result import Estimate
from lowshot.sampler.curve import Curve
from lowshot.sampler.curve_fit import Believed
from lowshot.sampler.curve_joint import Fitters
from lowshot_bench.experiment import Experiment
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer, estimated, labelled

F1 = f_metric("f1")


def answers(experiment: Experiment, task: Task, method: str, seed: int) -> Iterator[Answer]:
    """The answers of one run: for each way to slice the pool, one per slice."""
    pool = Pool(task.pool.scores, task.pool.predictions, scale=task.pool.scale, slices=task.slices)
    evaluation = Evaluation(pool, experiment.metric, "curve", seed)
    for labels in experiment.budgets:
        if labels <= len(pool):
            labelled(evaluation, task, labels)
            for kind, code in task.slices.items():
                yield from METHODS[method](evaluation, task, kind, code, labels)


def _shared(evaluation: Evaluation, task: Task, kind: str, code: Integers, labels: int) -> Iterator[Answer]:
    for row in evaluation.table(by=kind).rows:
        if row["predicted"]:
            truth = truth_of(task, code == row[kind])
            yield Answer(kind, labels, row["value"], row["low"], row["high"], truth, warned=bool(row["warning"]))


def _own(evaluation: Evaluation, task: Task, kind: str, code: Integers, labels: int) -> Iterator[Answer]:
    history = evaluation.snapshot()
    for inside in _with_predictions(task, code):
        yield estimated(kind, labels, alone(task, history, inside), truth_of(task, inside))


def alone(task: Task, history: History, inside: Flags) -> Estimate:
    """The estimate of a slice as a pool of its own, with the labels that it has.

    The labels of a group of ranks are a uniform draw from it, which is what sampler `curve` needs.
    """
    items = np.flatnonzero(inside)
    place = {item: number for number, item in enumerate(items.tolist())}
    known = {place[item]: label for item, label in history.labels.items() if item in place}
    pool = Pool(task.pool.scores[items], task.pool.predictions[items], scale=task.pool.scale)
    told = History(labels=known, known=frozenset(known), uniform=frozenset(known))
    return Evaluation(pool, "f1", "curve").at(told).estimate()


def _weighted(evaluation: Evaluation, task: Task, kind: str, code: Integers, labels: int) -> Iterator[Answer]:
    items, weight = inverse_shares(evaluation)
    truth, predicted = task.labels[items].astype(np.float64), task.pool.predictions[items].astype(np.float64)
    for inside in _with_predictions(task, code):
        here = inside[items]
        tp, _, fn, _ = count(truth[here], predicted[here], weight[here])
        flagged = float(task.pool.predictions[inside].sum())
        value = tp / (0.5 * flagged + 0.5 * (tp + fn))  # F1; the number of predicted positives is known
        yield Answer(kind, labels, min(value, 1.0), None, None, truth_of(task, inside))


def inverse_shares(evaluation: Evaluation) -> tuple[Integers, Floats]:
    """The labelled items, and for each of them 1 / (the share of its group of rank and prediction that is labelled)."""
    view, history = evaluation.view, evaluation.snapshot()
    fitter = Fitters.of(view, Believed(0.0, None), Curve().curves).every[0]
    group, size = fitter.group_of_item, fitter.bands.count.size
    items = history.labelled
    share = np.bincount(group[items], minlength=size) / np.maximum(np.bincount(group, minlength=size), 1)
    return items, 1 / share[group[items]]


def _with_predictions(task: Task, code: Integers) -> Iterator[Flags]:
    """The items of each slice that has predicted positives."""
    for value in np.unique(code).tolist():
        inside = code == value
        if task.pool.predictions[inside].any():
            yield inside


def truth_of(task: Task, inside: Flags) -> float:
    """The true F1 of a slice."""
    labels, predictions = (values[inside].astype(np.float64) for values in (task.labels, task.pool.predictions))
    return F1.of_counts(*count(labels, predictions, np.ones(len(labels))))


METHODS: dict[str, Callable[[Evaluation, Task, str, Integers, int], Iterator[Answer]]] = {
    "slices": _shared,
    "own": _own,
    "labels": _weighted,
}
