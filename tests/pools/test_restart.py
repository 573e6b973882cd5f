"""An evaluation in a store goes on with the draws of one that was never interrupted, with its pool opened anew."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lowshot import Evaluation, InputError, Pool, open_pool
from lowshot.checks import Id
from lowshot.pools import layout, places
from lowshot.pools.grouped import GroupedPool
from lowshot.testing import finish, simulated

from .breaking import Breaking
from .places import defined, table
from .rows import numbers, texts

pytestmark = pytest.mark.slow

ITEMS, BUDGET = 900, 70
every_sampler = pytest.mark.parametrize("sampler", ["acis", "curve", "rand", "sawade"])


def rows_and_labels(names: str = "text") -> tuple[pa.Table, dict[Id, int]]:
    task = simulated(items=ITEMS, positives=50, seed=6)
    ids: list[Any] = numbers(ITEMS) if names == "integer" else texts(ITEMS)
    labels = dict(zip(ids, task.labels.astype(int).tolist(), strict=True))
    return table(ids, task.pool.scores, task.pool.predictions), labels


def opened(rows: pa.Table) -> GroupedPool:
    return open_pool(rows, id="id", score="score", prediction="predicted", scale="probability", head=30, levels=8)


@every_sampler
@pytest.mark.parametrize(("names", "reserve"), [("text", 4096), ("text", 2), ("integer", 2)])
def test_restarts_change_nothing(
    sampler: str, names: str, reserve: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where draws went beyond the reserve: then they are looked up by their ids."""
    monkeypatch.setattr(layout, "RESERVE", reserve)
    monkeypatch.setattr(places, "MORE", 2)
    rows, labels = rows_and_labels(names)
    whole = finish(Evaluation(opened(rows), sampler=sampler, seed=9), labels, BUDGET)
    where = tmp_path / "evaluation.db"
    Evaluation(opened(rows), sampler=sampler, seed=9, store=where)
    for budget in (20, 45, BUDGET):  # from here on the store knows sampler and seed
        interrupted = finish(Evaluation(opened(rows), store=where), labels, budget)
    assert interrupted.history["rounds"] == whole.history["rounds"]
    assert repr(interrupted.estimate()) == repr(whole.estimate())


def test_a_grouped_pool_in_memory_is_continued_with_its_seed(tmp_path: Path) -> None:
    task = simulated(items=ITEMS, positives=50, seed=6)
    pool = Pool(task.pool.scores, task.pool.predictions, head=30, levels=8)
    whole = finish(Evaluation(pool, seed=5), task.labels, 40)
    finish(Evaluation(pool, seed=5, store=tmp_path / "evaluation.db"), task.labels, 20)
    again = finish(Evaluation(pool, store=tmp_path / "evaluation.db"), task.labels, 40)
    assert again.history["rounds"] == whole.history["rounds"]


def test_labels_of_another_evaluation_of_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were drawn in another order: each is looked up, all in one go, and enters as it does in memory."""
    monkeypatch.setattr(layout, "RESERVE", 2)
    rows, labels = rows_and_labels()
    where = tmp_path / "evaluation.db"
    shared = {"store": where, "question": "Is it a bird?"}
    first = finish(Evaluation(opened(rows), sampler="rand", seed=1, name="one", **shared), labels, 50)
    bought = first.history["labels"]
    engine = Breaking(opened(rows).engine)
    pool = GroupedPool(engine, head=30, levels=8, scale="probability")
    second = Evaluation(pool, sampler="acis", seed=2, name="two", **shared)
    assert second.history["labels"] == bought
    assert [engine.asked.count(question) for question in ("find", "before")] == [1, 1], "a pass over all rows is dear"
    in_memory = Evaluation(opened(rows), sampler="acis", seed=2, known=bought)
    finish(second, labels, 40)
    finish(in_memory, labels, 40)
    assert second.history["rounds"] == in_memory.history["rounds"]
    assert second.labels == 40, "known ones were not bought"
    continued = Breaking(opened(rows).engine)
    Evaluation(GroupedPool(continued, head=30, levels=8, scale="probability"), name="two", **shared).estimate()
    assert [continued.asked.count(question) for question in ("find", "before")] == [1, 1]


def test_known_labels_of_arbitrary_items() -> None:
    """From the head, the reserve and far down; the same as NumPy makes of them, and none of them is asked again."""
    rows, labels = rows_and_labels("integer")
    known = {item: labels[item] for item in rows["id"].to_pylist()[::9]}
    here = finish(Evaluation(GroupedPool(defined(rows), head=30, levels=8), sampler="acis", known=known), labels, 60)
    pool = open_pool(rows, id="id", score="score", prediction="predicted", head=30, levels=8)
    there = finish(Evaluation(pool, sampler="acis", known=known), labels, 60)
    assert there.history == here.history
    assert there.labels == 60
    assert not known.keys() & {item for item in there.history["labels"] if item not in known}


@pytest.mark.parametrize("change", ["score", "id", "prediction", "one more"])
def test_rows_that_changed_between_two_openings(change: str, tmp_path: Path) -> None:
    rows, labels = rows_and_labels("integer")
    finish(Evaluation(opened(rows), store=tmp_path / "evaluation.db"), labels, 10)
    best = int(rows["score"].to_numpy().argmax())
    ids, scores, predictions = (rows[name].to_pylist() for name in ("id", "score", "predicted"))
    if change == "score":
        scores[best] = 0.999999
    elif change == "id":
        ids[best] = 4711
    elif change == "prediction":
        predictions[best] = not predictions[best]
    else:
        ids, scores, predictions = [*ids, 4711], [*scores, 0.001], [*predictions, False]
    with pytest.raises(InputError, match="pool must be the one that evaluation 'evaluation' began with"):
        Evaluation(opened(table(ids, scores, predictions)), store=tmp_path / "evaluation.db")
