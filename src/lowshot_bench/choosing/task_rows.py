"""The rows of one task: every method, repetition and number of labels."""

import time
from collections.abc import Iterator, Sequence

from lowshot_bench.choosing.methods import answers
from lowshot_bench.experiment import Experiment, Method
from lowshot_bench.families.task import Task
from lowshot_bench.rows import Row
from lowshot_bench.several.task_rows import row_of


def rows_of(experiment: Experiment, task: Task, seeds: Sequence[int]) -> Iterator[Row]:
    """All rows of a task, with one repetition per seed."""
    for method in experiment.methods:
        for repetition, seed in enumerate(seeds):
            yield from _run(experiment, task, method, repetition, seed)


def _run(experiment: Experiment, task: Task, method: Method, repetition: int, seed: int) -> Iterator[Row]:
    start = time.perf_counter()
    for answer in answers(experiment, task, method.sampler, seed):
        yield row_of(task, method, repetition, answer, time.perf_counter() - start)
