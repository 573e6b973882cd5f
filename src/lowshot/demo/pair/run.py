"""Two models with a simulated annotator: one comparison row by row, and runs that stop at a verdict."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lowshot.api import run
from lowshot.core.interval import Interval
from lowshot.demo.compare import SEEDS
from lowshot.demo.data import BASELINE, CANDIDATE, CATEGORIES, Pair, load_pair
from lowshot.demo.run import checkpoints, enough
from lowshot.evaluation import Evaluation
from lowshot.result import Comparison, Estimate

PAIR = (BASELINE, CANDIDATE)


@dataclass(frozen=True)
class Row:
    """The state of a comparison: its round, labels bought, the difference."""

    round: int
    labels: int
    comparison: Comparison


@dataclass(frozen=True)
class Trial:
    """How one run on a category ended, and what separate evaluations of the models say from as many labels.

    found    at the first verdict after a round, or with all labels
    own      a separate evaluation of each model, with half of the labels of this run
    own_all  the same with half of all labels that the run could have bought
    """

    found: Comparison
    own: Comparison
    own_all: Comparison


def rows(pair: Pair, labels: int, seed: int, sampler: str = "curve") -> Iterator[Row]:
    """A row at every tenth of the labels (but at most one per ten labels) and at the end of every round.

    >>> [(row.round, row.labels) for row in rows(load_pair(), labels=40, seed=0)]
    [(1, 10), (2, 20), (3, 30), (3, 35), (4, 40)]
    """
    return _rows(pair, start(pair, labels, seed, sampler), labels)


def _rows(pair: Pair, evaluation: Evaluation, labels: int) -> Iterator[Row]:
    for _ in checkpoints(evaluation, pair.answer, labels):
        yield Row(len(evaluation.history["rounds"]), evaluation.labels, evaluation.compare(*PAIR))


def start(pair: Pair, labels: int, seed: int, sampler: str = "curve") -> Evaluation:
    """An evaluation of the difference, without any label yet."""
    return Evaluation(enough(pair.pool, labels), "f1", sampler, seed, goal=PAIR)


def until_verdict(pair: Pair, labels: int, seed: int) -> Comparison:
    """Label round by round and stop at the first verdict, or when that many labels are bought."""
    evaluation = start(pair, labels, seed)
    found = evaluation.compare(*PAIR)
    while not found.decided and evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, pair.answer(items))
        found = evaluation.compare(*PAIR)
    return found


def own(pair: Pair, budgets: Sequence[int], seed: int) -> list[Comparison]:
    """The comparison by two separate evaluations with half of the labels each, at each budget in ascending order."""
    one, two = (Evaluation(task.pool, "f1", "curve", seed) for task in (pair.baseline, pair.candidate))
    found = []
    for labels in budgets:
        run(one, pair.answer, labels - labels // 2)
        run(two, pair.answer, labels // 2)
        found.append(difference(one.estimate(), two.estimate()))
    return found


def difference(baseline: Estimate, candidate: Estimate) -> Comparison:
    """The comparison of two independent estimates.

    The distances from each value to the ends of its interval are combined in quadrature (Zou and Donner 2008).

    >>> from lowshot import Reach
    >>> one = Estimate("f1", 0.5, None, Interval(0.2, 0.6), 35, Reach(9, 9))
    >>> two = Estimate("f1", 0.7, None, Interval(0.3, 0.8), 35, Reach(9, 9))
    >>> print(difference(one, two))
    undecided between v2 and v1: f1 is 0.200 higher, 95 % interval -0.212 to 0.516, from 70 labels
    """
    value, first, second = candidate.value - baseline.value, baseline.interval, candidate.interval
    interval = None
    if first is not None and second is not None:
        down = math.hypot(candidate.value - second.low, first.high - baseline.value)
        up = math.hypot(second.high - candidate.value, baseline.value - first.low)
        interval = Interval(value - down, value + up, first.confidence)
    return Comparison(*PAIR, baseline.metric, value, interval, None, 0.0, baseline.labels + candidate.labels)


def trial(pair: Pair, labels: int, seed: int) -> Trial:
    """One run on one category."""
    found = until_verdict(pair, labels, seed)
    return Trial(found, *own(pair, [found.labels, labels], seed))


def trials(labels: int, runs: int, seed: int, *, all_positives: bool = False) -> Iterator[tuple[Pair, Trial]]:
    """So many runs on each category of the demo, one after the other; seeds count up from `seed`."""
    for category in CATEGORIES:
        pair = load_pair(category, all_positives=all_positives)
        for number in range(runs):
            yield pair, trial(pair, labels, (seed + number) % SEEDS)
