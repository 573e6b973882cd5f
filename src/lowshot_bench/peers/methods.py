"""What each method answers about one pool.

curve       lowshot's default; F1 and prevalence from labels for F1, precision from labels for precision
acis, acis stratum      lowshot's ACIS (the paper), and with reuse="stratum": F1 and prevalence from labels for F1
random      labels drawn uniformly; the share in the sample, with Wilson's interval
oasis, activeeval, ppi, glide, bargain      packages of others (`tools`)

The target of an answer is "f1", "precision", "prevalence", or "bargain recall" and "bargain precision", which are about
sets (`tools.bargain`). Every method has the same number of distinct labels. For precision, those that draw uniformly
draw among the predicted positives alone; where all of these are labelled, precision is known to all methods.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

from lowshot.evaluation import Evaluation
from lowshot.result import Estimate
from lowshot.sampler import Acis, Sampler
from lowshot_bench.experiment import Experiment
from lowshot_bench.families.task import Task
from lowshot_bench.peers import tools
from lowshot_bench.peers.sharing import (
    F1,
    PRECISION,
    PREVALENCE,
    Interval,
    answer,
    counted,
    draws,
    wilson,
)
from lowshot_bench.several.answers import Answer, labelled

Answers = Iterator[Answer]


def answers(experiment: Experiment, task: Task, method: str, seed: int) -> Answers:
    """The answers of one run."""
    return METHODS[method](experiment, task, seed)


def _lowshot(
    sampler: str | Sampler, metrics: tuple[str, ...], experiment: Experiment, task: Task, seed: int
) -> Answers:
    for metric in metrics:
        evaluation = Evaluation(task.pool, metric, sampler, seed)
        for labels in experiment.budgets:
            if labels > len(task.labels):
                break
            labelled(evaluation, task, labels)
            for target in (F1, PREVALENCE) if metric == F1 else (metric,):
                yield _of_estimate(target, labels, evaluation.estimate(target), task.truth(target))


def _of_estimate(target: str, labels: int, estimate: Estimate, truth: float) -> Answer:
    found = estimate.interval
    interval = None if found is None else (found.low, found.high)
    return answer(target, labels, estimate.value, interval, truth)


def _random(experiment: Experiment, task: Task, seed: int) -> Answers:
    for drawn in draws(experiment, task, seed, PREVALENCE):
        hits, wrong, missed = counted(task, drawn.items)
        yield answer(F1, drawn.asked, *f1_with_wilson(hits, wrong, missed), task.truth(F1))
        share = (hits + missed) / drawn.labels
        yield answer(PREVALENCE, drawn.asked, share, wilson(hits + missed, drawn.labels), task.truth(PREVALENCE))
    for drawn in draws(experiment, task, seed, PRECISION):
        hits, wrong, _ = counted(task, drawn.items)
        known = len(drawn.rest) == 0
        value = hits / (hits + wrong)
        yield answer(
            PRECISION,
            drawn.asked,
            value,
            (value, value) if known else wilson(hits, hits + wrong),
            task.truth(PRECISION),
        )


def f1_with_wilson(hits: int, wrong: int, missed: int) -> tuple[float, Interval | None]:
    """F1 of a uniform sample with the interval of Lam (2023, arXiv 2309.14621).

    hits / (hits + wrong + missed) is a share of items that are predicted or positive, and F1 grows with it.

    >>> value, (low, high) = f1_with_wilson(6, 2, 2)
    >>> round(value, 3), round(low, 3), round(high, 3)
    (0.75, 0.476, 0.908)
    """
    labels = hits + wrong + missed
    interval = wilson(hits, labels)
    if interval is None:
        return math.nan, None
    low, high = (2 * share / (1 + share) for share in interval)
    return 2 * hits / (hits + labels), (low, high)


METHODS: dict[str, Callable[[Experiment, Task, int], Answers]] = {
    "curve": partial(_lowshot, "curve", (F1, PRECISION)),
    "acis": partial(_lowshot, "acis", (F1,)),
    "acis stratum": partial(_lowshot, Acis(reuse="stratum"), (F1,)),
    "random": _random,
    "oasis": tools.oasis,
    "activeeval": tools.activeeval,
    "ppi": tools.ppi,
    "glide": tools.glide,
    "bargain": tools.bargain,
}
