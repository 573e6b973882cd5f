"""kill -9 at random moments while several processes label: what was acknowledged is there once, and draws go on."""

import os
import select
import signal
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest

from lowshot import Evaluation
from lowshot.history import open_round
from lowshot.testing import Task, simulated

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # the children only label
    pytest.mark.slow,
]
CYCLES, CLIENTS = 18, 3  # kills of each kind of store: 54
LONG = 300  # seconds: only what never comes takes so long


def label_until_killed(task: Task, where: str, acknowledged: int) -> None:
    """Ask, tell, and only then say so."""
    evaluation = Evaluation(task.pool, store=where)
    while items := evaluation.ask(2):
        evaluation.tell(items, task.answer(items))
        os.write(acknowledged, b"".join(b"%d\n" % item for item in items))
    os._exit(0)


def started(task: Task, where: str) -> tuple[int, int]:
    """A process and what it says. Forked: it need not import everything again."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(reading)
            label_until_killed(task, where, writing)
        finally:
            os._exit(1)
    os.close(writing)
    return process, reading


def at_work(reading: int) -> None:
    """Until a process has acknowledged something, however long that takes here."""
    assert select.select([reading], [], [], LONG)[0], "it does nothing"


def killed(process: int, reading: int) -> list[int]:
    """What it had acknowledged."""
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    with os.fdopen(reading) as told:
        return [int(line) for line in told.read().splitlines()]


def test_a_hundred_kills(where: str) -> None:
    task, random = simulated(items=4000, positives=60, seed=5), Random(3)
    Evaluation(task.pool, sampler="curve", store=where)
    acknowledged: list[int] = []
    for _ in range(CYCLES):
        first, *others = (started(task, where) for _ in range(CLIENTS))
        time.sleep(random.uniform(0.05, 0.3))  # perhaps before it has opened the store
        acknowledged += killed(*first)
        for process, reading in others:
            at_work(reading)
            time.sleep(random.uniform(0, 0.15))
            acknowledged += killed(process, reading)
    evaluation = Evaluation(task.pool, store=where)
    labels = evaluation.history["labels"]
    assert len(acknowledged) > 3 * CYCLES, "they did work"
    assert len(acknowledged) == len(set(acknowledged)), "no item was handed to two"
    assert all(labels.get(item) == int(task.labels[item]) for item in acknowledged)
    answers = [entry["item"] for entry in evaluation.history["answers"]]
    assert len(answers) == len(set(answers)), "every label is there once"
    assert_draws_as_designed(evaluation)


def assert_draws_as_designed(evaluation: Evaluation) -> None:
    """Every round has the draws that its design, proposed from the labels that were there, makes."""
    for each in evaluation._history.rounds:
        again = open_round(each.number, each.design, each.labelled).extended(each.asked, evaluation.seed)
        assert np.array_equal(again.draws.items, each.draws.items)
        assert np.allclose(again.draws.probability, each.draws.probability, rtol=1e-12, atol=0)


def test_a_file_that_was_not_closed_is_opened_again(tmp_path: Path) -> None:
    """What is in the write-ahead log counts, also when the file itself does not have it yet."""
    task, where = simulated(items=4000, positives=60, seed=5), str(tmp_path / "birds.db")
    Evaluation(task.pool, store=where)
    process, reading = started(task, where)
    while not os.read(reading, 1):
        pytest.fail("it ended")
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(reading)
    assert (tmp_path / "birds.db-wal").stat().st_size > 0
    assert Evaluation(task.pool, store=where).labels >= 2
