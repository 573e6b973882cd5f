"""The work of one task: every method, repetition and number of labels. A method gets the pool and an annotator only."""

import math
import time
from collections.abc import Iterator

import numpy as np

from lowshot.api import run
from lowshot.core.counts import count, variance_of_counts
from lowshot.evaluation import Evaluation
from lowshot.metric import f_metric
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Family, Task
from lowshot_bench.floor import FLOOR, floors
from lowshot_bench.rows import Row
from lowshot_bench.shared import shared_herding


def rows_of(experiment: Experiment, family: Family, category: int) -> list[Row]:
    """All rows of a task."""
    task = family.load(category)
    if experiment.kind == "subsets":
        return list(_subsets(experiment, task))
    if experiment.kind == "floor":
        return list(_floor(experiment, task))
    return [
        row
        for method in experiment.methods
        for row in _method_rows(experiment, task, method.name, _sampler(experiment, family, task, method))
    ]


def _sampler(experiment: Experiment, family: Family, task: Task, method: Method) -> Sampler:
    path = getattr(family, "features_file", None)
    if method.sampler == "herding" and path is not None:
        return shared_herding(path, task, max(experiment.budgets))
    return method.make()


def seed_of(experiment: Experiment, task: Task, repetition: int) -> int:
    """A seed of its own for each task and repetition, the same for every method."""
    sequence = np.random.SeedSequence([experiment.seed, task.category, repetition])
    return int(sequence.generate_state(1, np.uint64)[0])


def _method_rows(experiment: Experiment, task: Task, name: str, sampler: Sampler) -> Iterator[Row]:
    """Repetitions of a method that draws nothing would all be the same: one is run."""
    key = (task.family, task.category, name)
    for repetition in range(experiment.repetitions if sampler.random else 1):
        start = time.perf_counter()
        evaluation = Evaluation(task.pool, experiment.metric, sampler, seed_of(experiment, task, repetition))
        for labels in experiment.budgets:
            if labels > len(task.pool):
                break
            estimate = run(evaluation, task.answer, labels).estimate()
            seconds = time.perf_counter() - start
            truth = task.truth(experiment.metric)
            yield (*key, "own", repetition, labels, *_numbers(estimate), truth, seconds)
            for other, predictions in task.others.items():
                estimate = evaluation.estimate(predictions=predictions)
                truth = task.truth(experiment.metric, predictions)
                yield (*key, other, repetition, labels, *_numbers(estimate), truth, seconds)


def _numbers(estimate: Estimate) -> tuple[float, float | None, float | None, float | None]:
    interval = estimate.interval
    if interval is None:
        return estimate.value, estimate.variance, None, None
    # NaN, not null: a task with such a run has no mean variance, and the committed tables leave it out.
    variance = math.nan if estimate.variance is None else estimate.variance
    return estimate.value, variance, interval.low, interval.high


def _floor(experiment: Experiment, task: Task) -> Iterator[Row]:
    """What is left to a method that knows every chance: the variance of an estimate that is right on average."""
    key, truth = (task.family, task.category, FLOOR, "own", 0), task.truth(experiment.metric)
    left = floors(task, f_metric(experiment.metric), experiment.budgets)
    for labels, variance in zip(experiment.budgets, left, strict=True):
        yield (*key, labels, truth, variance, None, None, truth, 0.0)


def _subsets(experiment: Experiment, task: Task) -> Iterator[Row]:
    """Fully labelled random subsets of the pool: their own metric, and what Eq. 6 says of its variance."""
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
            yield (*key, repetition, size, value, variance, None, None, truth, 0.0)
