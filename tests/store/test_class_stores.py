"""Evaluations with many classes in a store: kill -9, restarts, several processes, and labels of up to 62 bits."""

import multiprocessing
import os
import select
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sqlalchemy import create_engine, text

import lowshot
from lowshot import ClassPool, Evaluation
from lowshot.class_answer import MOST_STORED
from lowshot.core.types import Integers

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the children only label
NAMES = ["heron", "crow", "wren", "owl", "kite", "teal"]
ITEMS = 1500
LONG = 300  # seconds: only what never comes takes so long


def made() -> tuple[ClassPool, Integers]:
    random = np.random.default_rng(0)
    truth = random.integers(-1, len(NAMES), size=ITEMS)
    scores = random.normal(size=(ITEMS, len(NAMES))) + 2 * np.eye(len(NAMES) + 1)[truth, :-1]
    return ClassPool(scores, classes=NAMES), truth


def answers(truth: Integers, items: list[Any]) -> list[Any]:
    """Names; none of them; cannot tell; and "not heron" for some."""

    def one(item: int) -> Any:
        if item % 11 == 0:
            return None
        if item % 7 == 0 and truth[item] != 0:
            return "not heron"
        return lowshot.OTHER if truth[item] < 0 else NAMES[truth[item]]

    return [one(item) for item in items]


def label_until_killed(where: str, acknowledged: Any) -> None:
    pool, truth = made()
    evaluation = Evaluation(pool, store=where)
    while items := evaluation.ask(3):
        evaluation.tell(items, answers(truth, items))
        os.write(acknowledged, b"".join(b"%d\n" % item for item in items))


@pytest.mark.slow
@pytest.mark.parametrize("goal", [None, ["owl"]])
def test_kills_lose_no_class(where: str, goal: Any) -> None:
    pool, truth = made()
    random = Random(1)
    Evaluation(pool, store=where, seed=3, goal=goal)
    told: list[int] = []
    for _ in range(6):
        clients = []
        for _ in range(2):
            reading, writing = os.pipe()
            process = multiprocessing.get_context("fork").Process(target=label_until_killed, args=(where, writing))
            process.start()
            os.close(writing)
            clients.append((process, reading))
        for number, (process, reading) in enumerate(clients):
            if number:  # the first may be killed before it has opened the store; this one has acknowledged something
                assert select.select([reading], [], [], LONG)[0], "it does nothing"
            time.sleep(random.uniform(0.1, 0.4))
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            with os.fdopen(reading) as said:
                told += [int(line) for line in said.read().splitlines()]
    first, second = (Evaluation(pool, store=where) for _ in range(2))
    labels = first.history["labels"]
    assert len(told) == len({*told}) > 10
    assert [labels[item] for item in told] == answers(truth, told)
    assert first.history == second.history
    assert repr(first.table()) == repr(second.table())
    assert repr(first.estimate()) == repr(second.estimate())


def test_sixty_two_classes_that_all_apply(where: str) -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(30, MOST_STORED))
    pool = ClassPool(scores, kind="multilabel", predictions=scores > 0)
    evaluation = Evaluation(pool, store=where, seed=0)
    items = evaluation.ask(5)
    said = [
        [*range(MOST_STORED)],
        [MOST_STORED - 1],
        lowshot.OTHER,
        f"not {MOST_STORED - 1}",
        f"at least {MOST_STORED - 1}",
    ]
    evaluation.tell(items, said)
    evaluation.correct(items[1], [0, MOST_STORED - 1])
    again = Evaluation(pool, store=where)
    expected = [[*range(MOST_STORED)], [0, MOST_STORED - 1], [], *said[3:]]
    assert [again.history["labels"][item] for item in items] == expected
    assert again.estimate() == evaluation.estimate()
    wide = random.normal(size=(5, MOST_STORED + 1))
    with pytest.raises(lowshot.InputError, match="classes must be at most 62"):
        Evaluation(ClassPool(wide, kind="multilabel", predictions=wide > 0), store=where, name="wide")


def test_a_label_that_stands_for_no_category_is_refused(tmp_path: Path) -> None:
    pool, truth = made()
    where = tmp_path / "birds.db"
    evaluation = Evaluation(pool, store=where, seed=3)
    items = evaluation.ask(20)
    evaluation.tell(items, answers(truth, items))
    engine = create_engine(f"sqlite:///{where}")
    with engine.begin() as connection:
        tables = [row[0] for row in connection.execute(text("SELECT name FROM sqlite_master WHERE type='table'"))]
        changed = 0
        for table in tables:
            columns = [row[1] for row in connection.execute(text(f"PRAGMA table_info({table})"))]
            if "label" in columns and "item" in columns:
                changed += connection.execute(text(f"UPDATE {table} SET label = 99 WHERE label = 1")).rowcount
    assert changed
    with pytest.raises(lowshot.errors.StoreError, match="is 99, which is not a label"):
        Evaluation(pool, store=where).estimate()
