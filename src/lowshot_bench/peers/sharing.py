"""What every method of the comparison needs: uniform draws, probabilities, and answers with or without a value."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from lowshot.core.types import Flags, Floats, Integers
from lowshot.pools.scale import probabilities
from lowshot_bench.experiment import Experiment
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import Answer

CONFIDENCE = 0.95
Interval = tuple[float, float]


def answer(target: str, labels: int, value: float, interval: Interval | None, truth: float) -> Answer:
    """An answer; `warned` says that there was none.

    >>> answer("f1", 30, math.nan, None, 0.5).warned, answer("f1", 30, 0.4, (-0.1, 0.6), 0.5).low
    (True, 0.0)
    """
    if not math.isfinite(value):
        return Answer(target, labels, math.nan, None, None, truth, warned=True)
    low, high = (None, None) if interval is None else (min(max(end, 0.0), 1.0) for end in interval)
    return Answer(target, labels, value, low, high, truth, warned=False)


def wilson(positives: int, labels: int) -> Interval | None:
    """The usual interval of a share; None without labels.

    >>> low, high = wilson(0, 30)
    >>> low, round(high, 3)
    (0.0, 0.114)
    """
    if not labels:
        return None
    found = binomtest(positives, labels).proportion_ci(CONFIDENCE, method="wilson")
    return float(found.low), float(found.high)


def chances(task: Task) -> Floats:
    """The scores as probabilities, for methods that need them."""
    return probabilities(np.asarray(task.pool.scores, dtype=np.float64), task.pool.scale)


class Drawn(NamedTuple):
    """Labels of a uniform sample of some items, without replacement."""

    asked: int  # the number of labels that were wanted
    items: Integers  # labelled
    rest: Integers  # not labelled

    @property
    def labels(self) -> int:
        return len(self.items)


PRECISION, PREVALENCE = "precision", "prevalence"
F1 = "f1"


def draws(experiment: Experiment, task: Task, seed: int, among: str) -> Iterator[Drawn]:
    """A uniform sample at each number of labels, which grows; for precision among the predicted positives alone.

    The draws depend on the seed and on the question alone, so that all methods with uniform samples see the same.
    """
    inside = task.pool.predictions if among == PRECISION else np.ones(len(task.labels), dtype=np.bool_)
    order = np.random.default_rng([seed, among == PRECISION]).permutation(np.flatnonzero(inside))
    for labels in experiment.budgets:
        if labels <= len(task.labels):
            yield Drawn(labels, order[:labels], order[labels:])


def counted(task: Task, items: Integers) -> tuple[int, int, int]:
    """True positives, false positives and missed positives among these items."""
    truth: Flags = task.labels[items]
    predicted = task.pool.predictions[items]
    return (
        int((truth & predicted).sum()),
        int((~truth & predicted).sum()),
        int((truth & ~predicted).sum()),
    )
