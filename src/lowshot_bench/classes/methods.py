"""What each method answers at its numbers of labels, beside the truth.

classes   one evaluation of a ClassPool, labels for macro F1
each      the same with goal="each": all classes alike
random    labels that are drawn uniformly; macro F1 by plain counts of them
single    an evaluation with a Pool for each of SINGLES classes, with its share of the labels
pair      one class against the rest, as a ClassPool of two classes and as a Pool

Every number is an answer of its own. Numbers about single classes are means over the classes of the run. Its target is
one of these words:

macro          macro F1, with its interval
class mean     the mean of the estimates of the classes; truth: that of their true values
class square   the mean squared error of F1 of a class; an undefined estimate counts as 0
class held     the share of the intervals that hold the truth; a missing one counts as 0 to 1; truth: 0.95
fewest held    the same of the tenth of the classes with the fewest positives
class width    the mean width of the intervals
worst named    how many of the tenth of the classes with the lowest estimates are in the tenth with the lowest truth
slowest round  seconds of the slowest round so far: one ask and one tell
all rounds     seconds of all rounds so far
look           seconds of one estimate and one table
pair classes   F1 of the rare class, by a ClassPool
pair pool      the same by a Pool
"""

import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from lowshot.class_evaluation import ClassEvaluation
from lowshot.core.types import Flags, Floats, Integers
from lowshot.evaluation import Evaluation
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.memory import Pool
from lowshot.result import Table
from lowshot_bench.classes.counting import interval, macro_f1
from lowshot_bench.classes.rounds import Rounds
from lowshot_bench.experiment import Experiment
from lowshot_bench.families.task import Classes, Task
from lowshot_bench.several.answers import Answer, estimated, labelled
from lowshot_bench.zoo_summary import EQUAL

METRIC = "f1_macro"
CONFIDENCE = 0.95
TENTH = 10  # one class in so many
SINGLES = 20  # classes per run that have an evaluation of their own, one of each twentieth of the classes by size
PAIR_LABELS = 100
RARE, REST = "rare", "rest"
Answers = Iterator[Answer]


def answers(experiment: Experiment, task: Task, method: str, seed: int) -> Answers:
    """The answers of one run."""
    return METHODS[method](experiment, task, seed)


def classes_of(task: Task) -> Classes:
    assert task.classes is not None, "the families of this experiment must be image_classes"
    return task.classes


def _budgets(experiment: Experiment, task: Task) -> list[int]:
    """The numbers of labels that the pool has."""
    return [labels for labels in sorted(experiment.budgets) if labels <= len(classes_of(task).labels)]


# ---- one evaluation of all classes -----------------------------------------------------------------------------------


def _together(goal: str | None, experiment: Experiment, task: Task, seed: int) -> Answers:
    classes = classes_of(task)
    rounds = Rounds(Evaluation(classes.pool, METRIC, seed=seed, goal=goal), classes.answer)
    for labels in _budgets(experiment, task):
        evaluation = rounds.until(labels)
        start = time.perf_counter()
        overall, table = evaluation.estimate(), evaluation.table()
        look = time.perf_counter() - start
        yield estimated("macro", labels, overall, float(classes.truth.mean()))
        yield from _summary(labels, *columns(table), classes.truth, classes.positives)
        times = {"slowest round": max(rounds.seconds), "all rounds": sum(rounds.seconds), "look": look}
        yield from (_number(target, labels, seconds) for target, seconds in times.items())


def columns(table: Table) -> tuple[Floats, Floats, Floats]:
    """Values and the ends of intervals, [class]. An undefined value counts as 0, and a missing interval as 0 to 1."""
    instead = {"value": 0.0, "low": 0.0, "high": 1.0}
    value, low, high = (
        np.array([missing if row[name] is None else row[name] for row in table.rows], dtype=np.float64)
        for name, missing in instead.items()
    )
    return value, low, high


def _summary(
    labels: int, value: Floats, low: Floats, high: Floats, truth: Floats, positives: Integers | None = None
) -> Answers:
    """The numbers about single classes; those about tenths of the classes if the number of positives is given."""
    held = (truth >= low - EQUAL) & (truth <= high + EQUAL)
    yield _number("class mean", labels, float(value.mean()), float(truth.mean()))
    yield _number("class square", labels, float(((value - truth) ** 2).mean()))
    yield _number("class held", labels, float(held.mean()), CONFIDENCE)
    yield _number("class width", labels, float((high - low).mean()))
    if positives is not None:
        yield _number("fewest held", labels, float(held[lowest(positives)].mean()), CONFIDENCE)
        yield _number("worst named", labels, worst_named(value, truth))


def lowest(values: Floats | Integers) -> Flags:
    """The tenth of the classes with the lowest values; the first of those that are equal.

    >>> np.flatnonzero(lowest(np.array([3, 1, 2, 1, 5, 6, 7, 8, 9, 9, 9]))).tolist()
    [1]
    """
    found = np.zeros(len(values), dtype=np.bool_)
    found[np.argsort(values, kind="stable")[: max(1, len(values) // TENTH)]] = True
    return found


def worst_named(value: Floats, truth: Floats) -> float:
    """The share of the classes with the lowest estimates that are truly among the worst; equal ones all are.

    >>> truth = np.linspace(0, 1, 20)
    >>> worst_named(truth, truth), worst_named(-truth, truth), worst_named(-truth, np.zeros(20))
    (1.0, 0.0, 1.0)
    """
    line = truth[lowest(truth)].max()
    return float((truth[lowest(value)] <= line).mean())


def _number(target: str, labels: int, value: float, truth: float = math.nan) -> Answer:
    """A number that has no interval, and a truth only if one is given."""
    return Answer(target, labels, value, None, None, truth)


# ---- what people do today --------------------------------------------------------------------------------------------


def _random(experiment: Experiment, task: Task, seed: int) -> Answers:
    classes, random = classes_of(task), np.random.default_rng(seed)
    order = random.permutation(len(classes.labels))
    for labels in _budgets(experiment, task):
        chosen = order[:labels]
        sample = (classes.labels[chosen], classes.predictions[chosen], classes.count)
        low, high = interval(*sample, np.random.default_rng([seed, labels]))
        yield Answer("macro", labels, macro_f1(*sample), low, high, float(classes.truth.mean()))


def _single(experiment: Experiment, task: Task, seed: int) -> Answers:
    """Each class gets its share of the largest number of labels."""
    classes, budgets = classes_of(task), _budgets(experiment, task)
    if not budgets:
        return
    labels, found = max(1, budgets[-1] // classes.count), []
    random = np.random.default_rng(seed)
    chosen = spread(classes, random)
    for place in chosen:
        pool = Pool(classes.scores[:, place].astype(np.float32), classes.predictions == place, scale="log")
        one = Task(task.family, place, pool, classes.labels == place)
        own = int(random.integers(2**32))  # with one seed for all classes their errors would be alike
        estimate = labelled(Evaluation(pool, "f1", "curve", own), one, labels).estimate()
        answer = estimated("", labels, estimate, 0.0)
        found.append((answer.value, answer.low, answer.high))
    value, low, high = np.array(found, dtype=np.float64).T
    yield from _summary(labels, value, low, high, classes.truth[chosen])


def spread(classes: Classes, random: np.random.Generator) -> list[int]:
    """At random one class of each twentieth of the classes by size. Classes that are never predicted are left out."""
    order = np.argsort(classes.positives, kind="stable")
    parts = np.array_split(order[classes.predicted[order] > 0], SINGLES)
    return [int(random.choice(part)) for part in parts if len(part)]


# ---- two classes -----------------------------------------------------------------------------------------------------


def _pair(experiment: Experiment, task: Task, seed: int) -> Answers:
    """The pool of the task, as a Pool and as a ClassPool of the same scores, predictions and labels."""
    labels = min(PAIR_LABELS, len(task.labels))
    evaluation = Evaluation(two_classes(task), METRIC, seed=seed, goal=(RARE,))
    assert isinstance(evaluation, ClassEvaluation)
    Rounds(evaluation, partial(_names, task)).until(labels)
    yield estimated("pair classes", labels, evaluation.estimate("f1", category=RARE), task.truth())
    plain = labelled(Evaluation(task.pool, "f1", "curve", seed), task, labels)
    yield estimated("pair pool", labels, plain.estimate(), task.truth())


def two_classes(task: Task) -> ClassPool:
    """The rare class and the rest, from the logarithms of the probability of the rare class."""
    logs = np.asarray(task.pool.scores, dtype=np.float64)
    rest = np.log(np.maximum(-np.expm1(np.minimum(logs, 0.0)), np.finfo(np.float32).tiny))
    predictions = np.where(task.pool.predictions, RARE, REST).tolist()
    return ClassPool(np.column_stack([logs, rest]), classes=[RARE, REST], predictions=predictions)


def _names(task: Task, items: list[Any]) -> list[str]:
    return [RARE if label else REST for label in task.answer(items)]


METHODS: dict[str, Callable[[Experiment, Task, int], Answers]] = {
    "classes": partial(_together, None),
    "each": partial(_together, "each"),
    "random": _random,
    "single": _single,
    "pair": _pair,
}
