"""An engine that dies in the middle: the evaluation stays as it was, and goes on as if nothing had happened."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation, PoolError, open_pool
from lowshot.pools import layout, places
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.grouped import GroupedPool
from lowshot.testing import Task, finish, simulated

from ..databases import connected
from .breaking import Breaking
from .places import Place, table

HEAD, LEVELS, BUDGET = 20, 6, 60


@pytest.fixture(autouse=True)
def _small_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the engine is asked again and again."""
    monkeypatch.setattr(layout, "RESERVE", 3)
    monkeypatch.setattr(places, "MORE", 2)


@pytest.fixture(scope="module")
def task() -> Task:
    return simulated(items=600, positives=40, seed=2)


def engine_of(task: Task) -> ArrayEngine:
    return ArrayEngine(np.arange(len(task.pool)), task.pool.scores, task.pool.predictions)


def state(evaluation: Evaluation) -> tuple[Any, ...]:
    return repr(evaluation.snapshot()), evaluation.pending, evaluation.labels


def persist(evaluation: Evaluation, task: Task, budget: int) -> int:
    """Label; whatever fails changes nothing and is tried again. How often it failed."""
    failed = 0
    while evaluation.labels < budget:
        before = state(evaluation)
        try:
            items = evaluation.ask(7)
        except PoolError:
            failed += 1
            assert state(evaluation) == before
            assert failed < 5, "it goes on failing"
            continue
        evaluation.tell(items, task.labels[items])
    return failed


@pytest.mark.slow
@pytest.mark.parametrize("stored", [False, True], ids=["memory", "store"])
@pytest.mark.parametrize("sampler", ["acis", "curve", "rand"])
def test_whichever_question_fails(sampler: str, stored: bool, task: Task, tmp_path: Path) -> None:
    def begun(engine: Breaking, name: str) -> Evaluation:
        pool = GroupedPool(engine, head=HEAD, levels=LEVELS)
        store = {"store": tmp_path / "evaluation.db", "name": name, "question": name} if stored else {}
        found = Evaluation(pool, sampler=sampler, seed=4, **store)
        engine.asked.clear()
        return found

    whole = Breaking(engine_of(task))
    expected = begun(whole, "whole")
    assert persist(expected, task, BUDGET) == 0
    questions = len(whole.asked)
    assert questions > 5, "or nothing is tested"
    for number in range(1, questions + 1):
        engine = Breaking(engine_of(task))
        evaluation = begun(engine, f"broken at {number}")
        engine.breaks_at = number
        assert persist(evaluation, task, BUDGET) == 1
        assert evaluation.history == expected.history
        assert repr(evaluation.estimate()) == repr(expected.estimate())


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_pass_that_fails_is_made_again(number: int, task: Task) -> None:
    """Facts, histogram, and the fetch of the head."""
    pool = GroupedPool(Breaking(engine_of(task), breaks_at=number), head=HEAD, levels=LEVELS)
    with pytest.raises(PoolError, match="the engine failed at"):
        pool.fingerprint  # noqa: B018
    assert pool.fingerprint == GroupedPool(engine_of(task), head=HEAD, levels=LEVELS).fingerprint


def rows_of(task: Task) -> Any:
    return table(range(len(task.pool)), task.pool.scores, task.pool.predictions)


def under_way(pool: GroupedPool, task: Task) -> Evaluation:
    evaluation = Evaluation(pool, sampler="rand", seed=1)
    persist(evaluation, task, 14)
    return evaluation


def test_postgresql_ends_the_connection(at: Callable[[str], Place], task: Task) -> None:
    place = at("postgres")
    given = place.put(rows_of(task))
    pool = open_pool(
        f"{given['source']}&application_name=pool", table=given["table"], id="id", score="score",
        prediction="predicted", head=HEAD, levels=LEVELS,
    )  # fmt: skip
    evaluation = under_way(pool, task)
    with connected(given["source"]) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'pool'"
        ).fetchall()
    assert ended == [(True,)]
    assert persist(evaluation, task, BUDGET) == 1
    expected = under_way(GroupedPool(engine_of(task), head=HEAD, levels=LEVELS), task)
    persist(expected, task, BUDGET)
    assert evaluation.history == expected.history


def test_a_file_is_away_for_a_while(at: Callable[[str], Place], task: Task) -> None:
    place = at("parquet")
    path = Path(place.put(rows_of(task))["source"])
    pool = open_pool(path, id="id", score="score", prediction="predicted", head=HEAD, levels=LEVELS)
    evaluation = under_way(pool, task)
    path.rename(path.with_suffix(".away"))
    with pytest.raises(PoolError, match=r"the engine failed while fetching items: .*nothing was changed, try again"):
        finish(evaluation, task.labels, BUDGET)
    before = state(evaluation)
    with pytest.raises(PoolError, match="the engine failed while fetching items"):
        evaluation.ask(BUDGET - evaluation.labels)
    assert state(evaluation) == before
    path.with_suffix(".away").rename(path)
    persist(evaluation, task, BUDGET)
    expected = under_way(GroupedPool(engine_of(task), head=HEAD, levels=LEVELS), task)
    persist(expected, task, BUDGET)
    assert evaluation.history == expected.history
