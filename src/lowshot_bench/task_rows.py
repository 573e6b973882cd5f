"""The rows of one task, in one of three kinds of experiments; others have a package of their own.

evaluation   every method, repetition and number of labels; a method gets only the pool and the answers it asked for
subsets      fully labelled random subsets of the pool: the variance of the metric itself (figure 8)
floor        the error of a method that knows the chance of every group of items: a floor, not a target
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from lowshot.api import run
from lowshot.core.counts import count, variance_of_counts
from lowshot.core.curve.bands import Bands
from lowshot.core.types import Floats
from lowshot.evaluation import Evaluation
from lowshot.metric import FBeta, f_metric
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot.sampler.group_design import groups_of
from lowshot.tasks import Task as LabelledPool
from lowshot_bench.choosing.task_rows import rows_of as choosing_rows
from lowshot_bench.classes.task_rows import rows_of as class_rows
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Family, Task
from lowshot_bench.peers.task_rows import rows_of as peer_rows
from lowshot_bench.rows import FLOOR, Row
from lowshot_bench.several.task_rows import rows_of as several_rows
from lowshot_bench.shared_herding import shared_herding
from lowshot_bench.slicing.task_rows import rows_of as slicing_rows


def rows_of(experiment: Experiment, family: Family, category: int) -> list[Row]:
    """All rows of a task."""
    task = family.load(category)
    if experiment.by_group:
        seeds = [seed_of(experiment, task, repetition) for repetition in range(repetitions(experiment, task))]
        return list(_rows_by_group(experiment)(experiment, task, seeds))
    if experiment.kind == "subsets":
        return list(_subset_rows(experiment, task))
    if experiment.kind == "floor":
        return list(_floor_rows(experiment, task))
    return [
        row
        for method in experiment.methods
        for row in _method_rows(experiment, task, method.name, _sampler(experiment, family, task, method))
    ]


def _rows_by_group(experiment: Experiment) -> Callable[[Experiment, Task, Sequence[int]], Iterator[Row]]:
    """Which package makes the rows of this experiment."""
    if experiment.of_several:
        return several_rows
    if experiment.of_classes:
        return class_rows
    if experiment.of_peers:
        return peer_rows
    return slicing_rows if experiment.of_slicing else choosing_rows


def _sampler(experiment: Experiment, family: Family, task: Task, method: Method) -> Sampler:
    path = getattr(family, "features_file", None)
    if method.sampler == "herding" and path is not None:
        return shared_herding(path, task, max(experiment.budgets))
    return method.make()


def seed_of(experiment: Experiment, task: Task, repetition: int) -> int:
    """A seed per task and repetition, the same for every method."""
    sequence = np.random.SeedSequence([experiment.seed, task.category, repetition])
    return int(sequence.generate_state(1, np.uint64)[0])


def _method_rows(experiment: Experiment, task: Task, name: str, sampler: Sampler) -> Iterator[Row]:
    """A sampler that draws nothing at random is run once, because all its repetitions would be equal."""
    for repetition in range(repetitions(experiment, task) if sampler.random else 1):
        start = time.perf_counter()
        evaluation = Evaluation(task.pool, experiment.metric, sampler, seed_of(experiment, task, repetition))
        for labels in experiment.budgets:
            if labels > len(task.pool):
                break
            for target, estimate, truth in _estimates(experiment, task, run(evaluation, task.answer, labels)):
                seconds = time.perf_counter() - start
                key = (task.family, task.category, name, target, repetition, labels)
                yield Row(*key, *_numbers(estimate), truth, seconds, task.name or None, bool(estimate.warning))


def repetitions(experiment: Experiment, task: Task) -> int:
    """The repetitions of a task: so many that all tasks from the same data have `experiment.runs` runs together."""
    return max(experiment.repetitions, math.ceil(experiment.runs / task.alike))


def _estimates(experiment: Experiment, task: Task, evaluation: Evaluation) -> Iterator[tuple[str, Estimate, float]]:
    """Target, estimate and truth: of the task itself, of other metrics, and of the predictions of other models."""
    yield "own", evaluation.estimate(), task.truth(experiment.metric)
    for metric in experiment.also:
        yield metric, evaluation.estimate(metric), task.truth(metric)
    for other, predictions in task.others.items():
        yield other, evaluation.estimate(predictions=predictions), task.truth(experiment.metric, predictions)


def _numbers(estimate: Estimate) -> tuple[float, float | None, float | None, float | None]:
    """Value, variance, and the ends of the interval."""
    interval = estimate.interval
    if interval is None:
        return estimate.value, estimate.variance, None, None
    # NaN instead of null, so that the mean variance of the task is NaN and the tables leave the task out.
    variance = math.nan if estimate.variance is None else estimate.variance
    return estimate.value, variance, interval.low, interval.high


def _subset_rows(experiment: Experiment, task: Task) -> Iterator[Row]:
    """The metric of fully labelled random subsets of the pool, and its variance by Eq. 6 of the paper."""
    key, truth = (task.family, task.category, "subset", "own"), task.truth(experiment.metric)
    metric = f_metric(experiment.metric)
    for repetition in range(experiment.repetitions):
        random = np.random.default_rng([experiment.seed, task.category, repetition])
        order = random.choice(len(task.labels), max(experiment.budgets), replace=False)
        for size in experiment.budgets:
            chosen = order[:size]
            labels, predictions = task.labels[chosen], task.pool.predictions[chosen]
            counts = count(labels.astype(float), predictions.astype(float), np.ones(size))
            value = metric.of_counts(*counts)
            variance = variance_of_counts(*counts[:3], metric.alpha)
            yield Row(*key, repetition, size, value, variance, None, None, truth, 0.0)


def _floor_rows(experiment: Experiment, task: Task) -> Iterator[Row]:
    """The floor is stored as the variance of an estimate that equals the truth."""
    key, truth = (task.family, task.category, FLOOR, "own", 0), task.truth(experiment.metric)
    left = floors(task, f_metric(experiment.metric), experiment.budgets)
    for labels, variance in zip(experiment.budgets, left, strict=True):
        yield Row(*key, labels, truth, variance, None, None, truth, 0.0)


def floors(task: LabelledPool, metric: FBeta, budgets: tuple[int, ...]) -> list[float]:
    """The mean squared error of a method that knows every chance, at these numbers of labels.

    The chance of an item is the share of positives, in the task itself, among the items of the same band of ranks and
    the same prediction. The method labels the items with the largest contribution to the variance first; what remains
    is the variance of the labels of the other items. The metric is linearised at its true value.

    >>> from lowshot.metric import f_metric
    >>> from lowshot.tasks import simulated
    >>> first, last = floors(simulated(), f_metric("f1"), (10, 1000))
    >>> first > last >= 0
    True
    """
    cells = task.pool.view().cells()
    bands = Bands.of(cells)
    count = bands.count.ravel().astype(np.float64)
    group = groups_of(cells, bands, np.flatnonzero(task.labels))
    chance = np.bincount(group, minlength=count.size) / np.maximum(count, 1)
    variance = (_effects(task, metric).repeat(len(bands)) ** 2) * chance * (1 - chance)  # per item of each group
    best = np.argsort(-variance, kind="stable")
    return [float(variance[best] @ (count[best] - _labelled(count[best], budget))) for budget in budgets]


def _labelled(count: Floats, budget: int) -> Floats:
    """The number of labelled items per group, if the groups are labelled one after the other."""
    return np.clip(budget - (np.cumsum(count) - count), 0, count)


def _effects(task: LabelledPool, metric: FBeta) -> Floats:
    """The change of the metric by one more positive that is predicted, and by one that is not predicted."""
    value = task.truth(metric.name)
    below = metric.alpha * task.pool.predicted_positives + (1 - metric.alpha) * task.labels.sum()
    found: Floats = np.array([1 - (1 - metric.alpha) * value, -(1 - metric.alpha) * value]) / below
    return found
