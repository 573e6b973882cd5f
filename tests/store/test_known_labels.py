"""A store keeps which known labels were drawn uniformly; a store that has no table for it goes on."""

import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation, InputError, Known, Pool, StoreError
from lowshot.api import run
from lowshot.labelling.tally import tally
from lowshot.store import Store
from lowshot.store.progress import progress
from lowshot.testing import Task, simulated

from ..databases import connected


@pytest.fixture(scope="module")
def task() -> Task:
    plain = simulated(items=2000, positives=40, seed=2)
    ids = [f"picture-{number:04d}.jpg" for number in range(2000)]
    return Task(Pool(plain.pool.scores, plain.pool.predictions, ids=ids), plain.labels)


def labels_of(task: Task, positions: Any) -> dict[Any, int]:
    items = task.pool.names(positions)
    return dict(zip(items, task.answer(items), strict=True))


def drawn(task: Task) -> dict[Any, int]:
    """Labels of 100 items that are drawn uniformly."""
    return labels_of(task, np.random.default_rng(0).choice(2000, 100, replace=False).tolist())


@pytest.mark.parametrize("sampler", ["curve", "rand"])
def test_a_store_continues_as_memory_would(task: Task, where: str, sampler: str) -> None:
    """Opened anew after every step, with known labels of both kinds, one of them corrected."""
    known = [Known(drawn(task), drawn="uniform"), labels_of(task, [0, 1])]
    memory = Evaluation(task.pool, sampler=sampler, seed=3, known=known)
    Evaluation(task.pool, sampler=sampler, seed=3, known=known, store=where)
    corrected = next(iter(drawn(task)))
    for step in range(5):
        stored = Evaluation(task.pool, store=where)
        assert stored.snapshot().uniform == memory.snapshot().uniform
        assert repr(stored.estimate()) == repr(memory.estimate())
        items = memory.ask(6 + step)
        assert stored.ask(6 + step) == items
        for evaluation in (memory, stored):
            evaluation.tell(items, task.answer(items))
            if step == 2:
                evaluation.correct(corrected, 1)
    stored = Evaluation(task.pool, store=where, known=known)
    assert stored.history == memory.history
    assert repr(stored.estimate()) == repr(memory.estimate())
    Store(where).check()


def test_known_labels_given_again_are_the_same(task: Task, where: str) -> None:
    known = drawn(task)
    some, one = dict([*known.items()][:10]), next(iter(known))
    Evaluation(task.pool, store=where, known=[Known(known, drawn="uniform"), labels_of(task, [0])])
    for same in (Known(known, drawn="uniform"), Known(some, drawn="uniform"), labels_of(task, [0])):
        assert not Evaluation(task.pool, store=where, known=same).began
    before = Evaluation(task.pool, store=where).history
    flipped = [{**known, item: 1 - known[item]} for item in known][3]
    for other, told in (
        (
            Known(flipped, drawn="uniform"),
            rf"known labels are those that evaluation 'evaluation' began with: '{[*known][3]}' was .* and is .* now",
        ),
        (known, f"known labels are drawn as when .* began: '{one}' was drawn='uniform' and is drawn='any' now"),
        (Known(labels_of(task, [0]), drawn="uniform"), "was drawn='any' and is drawn='uniform' now"),
        (Known(labels_of(task, [1]), drawn="uniform"), "known labels are those that evaluation 'evaluation' began"),
    ):
        with pytest.raises(InputError, match=told):
            Evaluation(task.pool, store=where, known=other)
    assert Evaluation(task.pool, store=where).history == before


def test_a_known_label_that_was_corrected_may_be_given_as_it_was_or_is(task: Task, where: str) -> None:
    known = drawn(task)
    item = next(item for item, label in known.items() if label == 0)
    Evaluation(task.pool, store=where, known=known).correct(item, 1)
    for same in (known, {**known, item: 1}):
        assert Evaluation(task.pool, store=where, known=same).history["labels"][item] == 1


def test_doubts_stay(task: Task, where: str) -> None:
    """The warning comes once; the estimate has it whenever the evaluation is opened."""
    known = Known(labels_of(task, np.argsort(-task.pool.scores)[:50].tolist()), drawn="uniform")
    with pytest.warns(UserWarning, match="must look like it"):
        Evaluation(task.pool, store=where, known=known)
    again = Evaluation(task.pool, store=where, known=known)
    assert again.snapshot().doubted
    assert not again.snapshot().uniform
    assert "do not look like it" in run(again, task.answer, 10).estimate().warning
    (found,) = progress(Store(where))
    assert (found.known, found.uniform, found.doubted) == (50, 0, 50)


def test_labels_of_other_evaluations_are_not_uniform(task: Task, where: str) -> None:
    first = Evaluation(task.pool, store=where, name="first", question="A bird?", known=Known(drawn(task), "uniform"))
    run(first, task.answer, 20)
    fresh = labels_of(task, [*range(7, 2000, 100)])
    second = Evaluation(task.pool, store=where, name="second", question="A bird?", known=Known(fresh, "uniform"))
    history = second.snapshot()
    assert set(task.pool.names(sorted(history.uniform))) == fresh.keys()
    bought = {answer["item"] for answer in first.history["answers"]}
    assert set(task.pool.names(sorted(history.known))) == bought | fresh.keys()
    found = tally(Store(where))
    assert [(one.progress.known, one.progress.uniform) for one in found] == [(100, 100), (len(history.known), 20)]


def change(where: str, *statements: str) -> None:
    connection: Any = connected(where) if where.startswith("postgresql") else sqlite3.connect(where)
    with closing(connection):
        for statement in statements:
            connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE uniform SET doubted = 2", "is a uniform draw without a known label"),
        ("DELETE FROM known", "is a uniform draw without a known label"),
        ("DROP TABLE uniform", "tables or rows of it are missing"),
    ],
)
def test_rows_that_were_changed_by_hand(task: Task, where: str, statement: str, told: str) -> None:
    Evaluation(task.pool, store=where, known=Known(drawn(task), drawn="uniform"))
    change(where, statement)
    with pytest.raises(StoreError, match=told):
        Store(where).check()
    with pytest.raises(StoreError, match=told):
        Evaluation(task.pool, store=where).estimate()
