"""The rows of one task: every method, repetition and number of labels."""

from collections.abc import Iterator, Sequence

from lowshot_bench.experiment import Experiment
from lowshot_bench.families.task import Task
from lowshot_bench.peers.methods import answers
from lowshot_bench.rows import Row
from lowshot_bench.several.task_rows import every_method


def rows_of(experiment: Experiment, task: Task, seeds: Sequence[int]) -> Iterator[Row]:
    """All rows of a task, with one repetition per seed."""
    return every_method(experiment, task, seeds, answers)
