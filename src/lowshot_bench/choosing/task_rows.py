"""The rows of one task: every method, repetition and number of labels."""

import time
from collections.abc import Callable, Iterator, Sequence

from lowshot_bench.choosing import methods
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Task
from lowshot_bench.rows import Row
from lowshot_bench.several.answers import Answer
from lowshot_bench.several.task_rows import row_of

Answers = Callable[[Experiment, Task, str, int], Iterator[Answer]]


def rows_of(
    experiment: Experiment, task: Task, seeds: Sequence[int], answers: Answers = methods.answers
) -> Iterator[Row]:
    """All rows of a task, with one repetition per seed. `answers` are those of a run; by default about thresholds."""
    for method in experiment.methods:
        for repetition, seed in enumerate(seeds):
            yield from _run(answers, experiment, task, method, repetition, seed)


def _run(
    answers: Answers, experiment: Experiment, task: Task, method: Method, repetition: int, seed: int
) -> Iterator[Row]:
    start = time.perf_counter()
    for answer in answers(experiment, task, method.sampler, seed):
        yield row_of(task, method, repetition, answer, time.perf_counter() - start)
