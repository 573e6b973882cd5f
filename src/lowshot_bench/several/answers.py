"""What a method answers at a number of labels, and what all methods about several models need."""

import math
from functools import lru_cache
from typing import NamedTuple

from scipy.special import ndtr

from lowshot.api import run
from lowshot.evaluation import Evaluation
from lowshot.pools.memory import Pool
from lowshot.result import Comparison, Estimate
from lowshot_bench.families.task import Model, Task

NORMAL = 1.959964  # half of the width of a normal 95 % interval in standard deviations


class Answer(NamedTuple):
    """One answer; the fields are those of `rows.Row`."""

    target: str
    labels: int
    value: float
    low: float | None
    high: float | None
    truth: float
    probability: float | None = None
    warned: bool | None = None


def labelled(evaluation: Evaluation, task: Task, labels: int) -> Evaluation:
    """The evaluation after this number of labels; it may have fewer, if nothing that matters is left to ask."""
    return run(evaluation, task.answer, labels)


def alone(model: Model) -> Pool:
    """A pool of one model."""
    return Pool(model.scores, model.predictions)


@lru_cache(maxsize=1)
def together(task: Task) -> Pool:
    """A pool of all models of a task. It is kept for all methods and repetitions of the task, which rank it once."""
    scores = {name: model.scores for name, model in task.models.items()}
    return Pool(scores, {name: model.predictions for name, model in task.models.items()})


def f1_of(task: Task, name: str) -> float:
    """The true F1 of one model."""
    return task.truth("f1", task.models[name].predictions)


def estimated(target: str, labels: int, estimate: Estimate, truth: float) -> Answer:
    """The answer of an estimate. An undefined one counts as 0, and a missing interval as 0 to 1."""
    value = 0.0 if math.isnan(estimate.value) else estimate.value
    low, high = (0.0, 1.0) if estimate.interval is None else (estimate.interval.low, estimate.interval.high)
    return Answer(target, labels, value, low, high, truth, warned=bool(estimate.warning))


def compared(target: str, labels: int, comparison: Comparison, truth: float) -> Answer:
    """The answer of a comparison."""
    low, high = (-1.0, 1.0) if comparison.interval is None else (comparison.interval.low, comparison.interval.high)
    value, chance = comparison.value, comparison.probability
    return Answer(target, labels, value, low, high, truth, chance, bool(comparison.warning))


def difference(target: str, first: Answer, second: Answer) -> Answer:
    """Second minus first from two separate answers.

    The distances from each value to the ends of its interval are combined in quadrature, as for independent errors
    (Zou and Donner 2008). The probability is that of a normal error with the distance to the end on the side of 0.

    >>> one = Answer("baseline", 70, 0.5, 0.2, 0.6, 0.5)
    >>> two = Answer("candidate", 70, 0.7, 0.3, 0.8, 0.6)
    >>> found = difference("difference", one, two)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), round(found.probability, 2)
    (0.2, -0.212, 0.516, 0.83)
    """
    ends = (first.low, first.high, second.low, second.high)
    assert None not in ends, "a difference needs two intervals"
    first_low, first_high, second_low, second_high = (float(end) for end in ends if end is not None)
    value = second.value - first.value
    down = math.hypot(second.value - second_low, first_high - first.value)
    up = math.hypot(second_high - second.value, first.value - first_low)
    chance = _above_0(value, (down if value > 0 else up) / NORMAL)
    truth = second.truth - first.truth
    warned = bool(first.warned or second.warned)
    return Answer(target, first.labels, value, value - down, value + up, truth, chance, warned)


def _above_0(value: float, error: float) -> float:
    """The probability that a normal value with this standard error is above 0.

    >>> _above_0(0.1, 0.0), _above_0(0.0, 0.0), _above_0(0.0, 0.1)
    (1.0, 0.5, 0.5)
    """
    if error > 0:
        return float(ndtr(value / error))
    return 0.5 if value == 0 else float(value > 0)
