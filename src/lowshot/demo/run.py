"""One evaluation with a simulated annotator, with a row per checkpoint."""

from collections.abc import Iterator
from dataclasses import dataclass

from lowshot import checks
from lowshot.api import run
from lowshot.demo.data import Task
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.result import Estimate

CHECKPOINTS = 10  # rows of the table, besides ends of rounds: few enough for a terminal
STEP = 10  # minimum number of labels between two checkpoints


@dataclass(frozen=True)
class Row:
    """The state of an evaluation: its round, labels bought, positives among them, the estimate."""

    round: int
    labels: int
    positives: int
    estimate: Estimate


def rows(task: Task, sampler: str, labels: int, seed: int) -> Iterator[Row]:
    """A row at every tenth of the labels (but at most one per ten labels) and at the end of every round.

    >>> from lowshot.demo.data import load
    >>> [(row.round, row.labels) for row in rows(load(), "acis", labels=100, seed=0)]
    [(1, 10), (2, 20), (2, 30), (3, 40), (3, 50), (3, 60), (3, 70), (4, 80), (4, 90), (4, 100)]
    """
    return _rows(task, start(task, sampler, labels, seed), labels)


def _rows(task: Task, evaluation: Evaluation, labels: int) -> Iterator[Row]:
    positives = 0
    while (wanted := until_checkpoint(evaluation.labels, labels)) and (items := evaluation.ask(wanted)):
        answers = task.answer(items)
        evaluation.tell(items, answers)
        positives += sum(answers)
        yield Row(len(evaluation.history["rounds"]), evaluation.labels, positives, evaluation.estimate())


def until_checkpoint(have: int, wanted: int) -> int:
    """How many labels are needed until the next checkpoint.

    >>> until_checkpoint(0, 100), until_checkpoint(97, 100), until_checkpoint(30, 310), until_checkpoint(25, 25)
    (10, 3, 1, 0)
    """
    step = max(STEP, -(-wanted // CHECKPOINTS))
    return min(step - have % step, wanted - have)


def finish(task: Task, sampler: str, labels: int, seed: int) -> Estimate:
    """The estimate from that many labels, without rows."""
    return run(start(task, sampler, labels, seed), task.answer, labels).estimate()


def start(task: Task, sampler: str, labels: int, seed: int) -> Evaluation:
    """An evaluation without any label yet."""
    if checks.whole_number("labels", labels, 1) > len(task.pool):
        raise InputError(f"labels must be at most the number of items: got {labels} for a pool of {len(task.pool)}")
    return Evaluation(task.pool, "f1", sampler, seed)
