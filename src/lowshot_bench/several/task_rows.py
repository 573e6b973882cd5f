"""The rows of one task about several models: every method, repetition and number of labels."""

import time
from collections.abc import Callable, Iterator, Sequence

from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Task
from lowshot_bench.rows import Row
from lowshot_bench.several import best, disagree, helpers, pairs, transfer
from lowshot_bench.several.answers import Answer

Answers = Callable[[Experiment, Task, Method, int], Iterator[Answer]]
AnswersByName = Callable[[Experiment, Task, str, int], Iterator[Answer]]  # the method by its name
KINDS: dict[str, Answers] = {
    "pairs": pairs.answers,
    "helpers": helpers.answers,
    "transfer": transfer.answers,
    "best": best.answers,
    "disagree": disagree.answers,
}
ONCE = {"pairs": pairs.ONCE}  # methods that are run once per task
FOR_TASK = {"helpers": helpers.methods_for, "disagree": disagree.methods_for}  # which methods are run on a task


def rows_of(experiment: Experiment, task: Task, seeds: Sequence[int]) -> Iterator[Row]:
    """All rows of a task, with one repetition per seed."""
    wanted = FOR_TASK[experiment.kind](task) if experiment.kind in FOR_TASK else None
    for method in experiment.methods:
        if wanted is not None and method.sampler not in wanted:
            continue
        times = 1 if method.sampler in ONCE.get(experiment.kind, ()) else len(seeds)
        for repetition, seed in enumerate(seeds[:times]):
            yield from _run(experiment, task, method, repetition, seed)


def _run(experiment: Experiment, task: Task, method: Method, repetition: int, seed: int) -> Iterator[Row]:
    start = time.perf_counter()
    for answer in KINDS[experiment.kind](experiment, task, method, seed):
        yield row_of(task, method, repetition, answer, time.perf_counter() - start)


def every_method(
    experiment: Experiment,
    task: Task,
    seeds: Sequence[int],
    answers: Callable[[Experiment, Task, str, int], Iterator[Answer]],
) -> Iterator[Row]:
    """All rows of a task, with one repetition per seed, where every method is run alike."""
    for method in experiment.methods:
        for repetition, seed in enumerate(seeds):
            start = time.perf_counter()
            for answer in answers(experiment, task, method.sampler, seed):
                yield row_of(task, method, repetition, answer, time.perf_counter() - start)


def row_of(task: Task, method: Method, repetition: int, answer: Answer, seconds: float) -> Row:
    """The row of one answer, so many seconds after the start of the run."""
    key = (task.family, task.category, method.name, answer.target, repetition, answer.labels)
    numbers = (answer.value, None, answer.low, answer.high, answer.truth)
    return Row(*key, *numbers, seconds, task.name, answer.warned, answer.probability)
