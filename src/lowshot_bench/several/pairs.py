"""Two models: which one is better, and how good each one is.

pair    labels for the difference (goal: the pair)
each    labels for both F1 (goal: "each")
first   labels for the first model; the second by `estimate(predictions=)`
own     an evaluation of its own for each model, with half of the labels
"""

from collections.abc import Callable, Iterator, Sequence

from lowshot.evaluation import Evaluation
from lowshot.sampler.curve import ENDS
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Task
from lowshot_bench.several.answers import (
    Answer,
    alone,
    compared,
    difference,
    estimated,
    f1_of,
    labelled,
    together,
)

BASELINE, CANDIDATE, DIFFERENCE = "baseline", "candidate", "difference"
LOOKS = tuple(end for end in ENDS if end <= 430)  # labels at the ends of rounds, where people look at the verdict
ONCE = ("each", "first", "own")  # methods that are run once per task, because no number of a single group needs more
Looked = Iterator[Answer]


def answers(experiment: Experiment, task: Task, method: Method, seed: int) -> Looked:
    """The answers of one run."""
    if len(task.models) != 2:
        raise ValueError(f"a task of pairs must have two models: {task.name} has {len(task.models)}")
    return METHODS[method.sampler](experiment, task, method, seed)


def _pair(experiment: Experiment, task: Task, method: Method, seed: int) -> Looked:
    first, second = task.models
    evaluation = joint(experiment, task, method, seed, (first, second))
    truth, seen = _truths(task)[2], -1
    for labels in sorted({*experiment.budgets, *LOOKS}):
        if labels > len(task.labels):
            return
        labelled(evaluation, task, labels)
        if evaluation.labels != seen:  # else nothing was left to ask, and the answer is the same
            seen, comparison = evaluation.labels, evaluation.compare(first, second)
        yield compared(DIFFERENCE, labels, comparison, truth)


def _each(experiment: Experiment, task: Task, method: Method, seed: int) -> Looked:
    return everything(joint(experiment, task, method, seed, "each"), task, _budgets(experiment, task))


def everything(evaluation: Evaluation, task: Task, budgets: Sequence[int]) -> Looked:
    """Both F1 and their difference at these numbers of labels."""
    names, truths = tuple(task.models), _truths(task)
    for labels in budgets:
        labelled(evaluation, task, labels)
        for target, name, truth in zip((BASELINE, CANDIDATE), names, truths, strict=False):
            yield estimated(target, labels, evaluation.estimate(model=name), truth)
        yield compared(DIFFERENCE, labels, evaluation.compare(*names), truths[2])


def joint(experiment: Experiment, task: Task, method: Method, seed: int, goal: str | tuple[str, str]) -> Evaluation:
    pool, settings = together(task), method.settings or None
    return Evaluation(pool, experiment.metric, "curve", seed, goal=goal, settings=settings)


def _first(experiment: Experiment, task: Task, method: Method, seed: int) -> Looked:
    first, second = task.models.values()
    evaluation, truths = Evaluation(alone(first), experiment.metric, "curve", seed), _truths(task)
    for labels in _budgets(experiment, task):
        labelled(evaluation, task, labels)
        other = evaluation.estimate(predictions=second.predictions)
        one = estimated(BASELINE, labels, evaluation.estimate(), truths[0])
        yield from _with_difference(one, estimated(CANDIDATE, labels, other, truths[1]))


def _own(experiment: Experiment, task: Task, method: Method, seed: int) -> Looked:
    return apart(experiment, task, seed, parts=2)


def apart(experiment: Experiment, task: Task, seed: int, parts: int) -> Looked:
    """An evaluation of its own for each model, with the labels divided by `parts`."""
    one, two = (Evaluation(alone(m), experiment.metric, "curve", seed) for m in task.models.values())
    truths = _truths(task)
    for labels in _budgets(experiment, task):
        labelled(one, task, -(-labels // parts))  # rounded up
        labelled(two, task, labels // parts)
        first = estimated(BASELINE, labels, one.estimate(), truths[0])
        yield from _with_difference(first, estimated(CANDIDATE, labels, two.estimate(), truths[1]))


def _with_difference(first: Answer, second: Answer) -> Looked:
    yield from (first, second, difference(DIFFERENCE, first, second))


def _budgets(experiment: Experiment, task: Task) -> list[int]:
    return [labels for labels in experiment.budgets if labels <= len(task.labels)]


def _truths(task: Task) -> tuple[float, float, float]:
    """F1 of the first model, of the second one, and their difference."""
    first, second = (f1_of(task, name) for name in task.models)
    return first, second, second - first


METHODS: dict[str, Callable[[Experiment, Task, Method, int], Looked]] = {
    "pair": _pair,
    "each": _each,
    "first": _first,
    "own": _own,
}
