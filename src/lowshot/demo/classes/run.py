"""One evaluation of all classes with a simulated annotator, and further runs for its typical error."""

from collections.abc import Iterator
from dataclasses import dataclass

from lowshot import checks
from lowshot.api import run
from lowshot.class_evaluation import ClassEvaluation
from lowshot.demo.classes.data import ClassTask
from lowshot.demo.compare import SEEDS
from lowshot.demo.run import checkpoints
from lowshot.errors import InputError
from lowshot.result import Estimate, Table


@dataclass(frozen=True)
class Row:
    """The state of an evaluation: its round, labels bought, and the estimate of the average."""

    round: int
    labels: int
    estimate: Estimate
    table: Table  # all classes


def rows(task: ClassTask, labels: int, seed: int) -> Iterator[Row]:
    """A row at every tenth of the labels (but at most one per ten labels) and at the end of every round."""
    return _rows(task, start(task, labels, seed), labels)


def _rows(task: ClassTask, evaluation: ClassEvaluation, labels: int) -> Iterator[Row]:
    for _ in checkpoints(evaluation, task.answer, labels):
        yield Row(len(evaluation.history["rounds"]), evaluation.labels, evaluation.estimate(), evaluation.table())


def trials(task: ClassTask, labels: int, runs: int, seed: int) -> Iterator[Estimate]:
    """The estimates with which runs end; their seeds count up from `seed`."""
    for number in range(runs):
        yield run(start(task, labels, (seed + number) % SEEDS), task.answer, labels).estimate()


def start(task: ClassTask, labels: int, seed: int) -> ClassEvaluation:
    """An evaluation without any label yet."""
    if checks.whole_number("labels", labels, 1) > len(task.pool):
        raise InputError(f"labels must be at most the number of items: got {labels} for a pool of {len(task.pool)}")
    return ClassEvaluation(task.pool, "f1_macro", seed=seed)
