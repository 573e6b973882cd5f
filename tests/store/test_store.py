"""One contract for memory, SQLite and a real PostgreSQL server; and what a file of one's own must stand."""

import sqlite3
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lowshot
from lowshot import Evaluation, InputError, Pool, StoreError
from lowshot.api import run
from lowshot.store import Store
from lowshot.testing import Task, simulated

from ..needed import module

Opener = Callable[..., Evaluation]


@pytest.fixture(scope="module")
def task() -> Task:
    plain = simulated(items=2000, positives=40, seed=2)
    ids = [f"picture-{number:04d}.jpg" for number in range(2000)]
    return Task(Pool(plain.pool.scores, plain.pool.predictions, ids=ids, scale="probability"), plain.labels)


def answer(task: Task, items: list[object]) -> list[int]:
    return [int(task.labels[position]) for position in task.pool.positions(items)]


@pytest.mark.parametrize("sampler", list(lowshot.samplers))
@pytest.mark.filterwarnings("ignore:the pool has no features")
def test_a_store_continues_as_memory_would(task: Task, where: str, sampler: str) -> None:
    """Opened anew after every step, with answers that come late and one that is corrected."""
    memory = Evaluation(task.pool, sampler=sampler, seed=3)
    Evaluation(task.pool, sampler=sampler, seed=3, store=where)
    late: list[object] = []
    for step in range(9):
        stored = Evaluation(task.pool, store=where)
        items = memory.ask(6 + step)
        assert stored.ask(6 + step) == items
        now, late = [*late, *items[:-1]], items[-1:]
        for evaluation in (memory, stored):
            evaluation.tell(now, answer(task, now))
            if step == 4:
                evaluation.correct(now[0], 1 - answer(task, now[:1])[0])
    stored = Evaluation(task.pool, store=where)
    assert stored.history == memory.history
    assert stored.pending == memory.pending
    assert repr(stored.estimate()) == repr(memory.estimate())
    assert stored.ask(20) == memory.ask(20)


def test_several_evaluations_by_name(task: Task, where: str) -> None:
    one = Evaluation(task.pool, store=where, name="one", question="Is it a bird?")
    run(one, lambda items: answer(task, items), 30)
    two = Evaluation(task.pool, metric="recall", store=where, name="two", question="Is it a bird?")
    assert two.labels == 0, "nothing was bought for it"
    known = set(one.history["labels"])
    assert set(two.history["labels"]) == known, "but what is known of the question is known"
    assert not known.intersection(two.ask(20))
    other = Evaluation(task.pool, store=where, name="three")
    assert not other.history["labels"], "another question"
    assert [header.name for header in Store(where).headers()] == ["one", "two", "three"]


def test_what_an_evaluation_began_with_stays(task: Task, where: str) -> None:
    Evaluation(task.pool, "recall", "acis", 7, settings={"epsilon": 0.02}, store=where, about={"by": "me"})
    again = Evaluation(task.pool, store=where)
    assert (again.metric.name, again.sampler.settings["epsilon"], again.seed) == ("recall", 0.02, 7)
    Evaluation(task.pool, "recall", "acis", 7, settings={"epsilon": 0.02}, store=where)
    for arguments, told in (
        ({"metric": "f1"}, "metric must be as evaluation 'evaluation' began, 'recall': got 'f1'"),
        ({"alpha": 0.3}, "metric must be as"),
        ({"sampler": "curve"}, "sampler must be as"),
        ({"sampler": "acis"}, "settings must be as"),
        ({"seed": 8}, "seed must be as evaluation 'evaluation' began, 7: got 8"),
        ({"question": "Is it?"}, "question must be as"),
        ({"known": {"picture-0001.jpg": 1}}, "known labels are those"),
    ):
        with pytest.raises(InputError, match=told):
            Evaluation(task.pool, store=where, **arguments)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="name must be a text"):
        Evaluation(task.pool, store=where, name=" ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"metric": "recall"}, "metric must be as evaluation 'evaluation' began"),
        ({"sampler": "acis"}, "sampler must be as"),
        ({"sampler": "curve", "settings": {"curves": 500}}, "settings must be as"),
        ({"seed": 8}, "seed must be as"),
        ({"question": "Is it?"}, "question must be as"),
        ({"known": {"picture-0001.jpg": 1}}, "known labels are those"),
        ({}, None),
    ],
)
def test_two_begin_at_once(
    task: Task, where: str, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, object], told: str | None
) -> None:
    """Another process begins one after we looked and before we begin ours: we are checked as if we had come later."""

    def look(store: Store, name: str) -> None:
        monkeypatch.undo()
        assert store.find(name) is None
        assert Evaluation(task.pool, store=where).began

    monkeypatch.setattr(Store, "find", look)
    if told is None:
        assert not Evaluation(task.pool, store=where).began
        return
    with pytest.raises(InputError, match=told):
        Evaluation(task.pool, store=where, **arguments)  # type: ignore[arg-type]
    assert len(Store(where).headers()) == 1


def test_another_pool_is_refused(task: Task, where: str) -> None:
    Evaluation(task.pool, store=where)
    fewer = Pool(task.pool.scores[:-1], task.pool.predictions[:-1], ids=task.pool.ids[:-1], scale="probability")
    with pytest.raises(InputError, match="2,000 items then, 1,999 now"):
        Evaluation(fewer, store=where)
    scores = task.pool.scores.copy()
    scores[0] += 0.001
    other = Pool(scores, task.pool.predictions, ids=task.pool.ids, scale="probability")
    with pytest.raises(InputError, match="other ids, scores or predictions"):
        Evaluation(other, store=where)
    turned = slice(None, None, -1)
    same = Pool(task.pool.scores[turned], task.pool.predictions[turned], ids=task.pool.ids[turned], scale="probability")
    Evaluation(same, store=where)


def test_two_that_are_open_at_once_see_each_other(task: Task, where: str) -> None:
    one, two = Evaluation(task.pool, store=where), Evaluation(task.pool, store=where)
    first, second = one.ask(6), two.ask(6)
    assert not set(first).intersection(second)
    assert set(one.pending) == {*first, *second}
    two.tell(first, answer(task, first))
    one.tell(second, answer(task, second))
    assert one.labels == two.labels == len(first) + len(second)
    assert repr(one.estimate()) == repr(two.estimate())
    third = two.ask(5)
    assert one.history == two.history
    with pytest.raises(InputError, match="was answered"):
        one.tell(first, [1 - label for label in answer(task, first)])
    one.tell(third, answer(task, third))
    assert two.labels == one.labels


WORKER = """
    import sys, lowshot
    from lowshot.store import connection
    from lowshot.testing import simulated
    connection.PATIENCE = 600  # the turns of the others may take long on a busy machine
    task = simulated(items=2000, positives=40, seed=2)
    evaluation = lowshot.Evaluation(task.pool, store=sys.argv[1])
    for _ in range(25):
        items = evaluation.ask(2)
        evaluation.tell(items, task.answer(items))
        print(*items, flush=True)
"""


@pytest.mark.slow
def test_processes_take_turns(where: str) -> None:
    """Four of them at once: no item twice, no label lost, one history."""
    plain = simulated(items=2000, positives=40, seed=2)
    Evaluation(plain.pool, store=where)
    command = [sys.executable, "-c", textwrap.dedent(WORKER), where]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    told = [int(item) for worker in workers for item in (worker.communicate(timeout=1200)[0]).split()]
    assert [worker.returncode for worker in workers] == [0] * 4
    assert len(told) == len(set(told))
    labels = Evaluation(plain.pool, store=where).history["labels"]
    assert sorted(labels) == sorted(told)
    assert all(labels[item] == int(plain.labels[item]) for item in told)


def test_a_turn_that_fails_leaves_no_trace(task: Task, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = run(Evaluation(task.pool, store=where), lambda items: answer(task, items), 8)
    before, items = evaluation.history, evaluation.ask(1)
    after = evaluation.history

    def fail(*_: object) -> None:
        raise StoreError("no space")

    monkeypatch.setattr(type(evaluation._journal), "write", _broken(type(evaluation._journal).write))
    for attempt in (lambda: evaluation.ask(3), lambda: evaluation.tell(items, [1])):
        with pytest.raises(StoreError, match="no space"):
            attempt()
    monkeypatch.undo()
    assert evaluation.history == after
    assert before != after
    assert Evaluation(task.pool, store=where).history == after
    evaluation.tell(items, answer(task, items))


def _broken(write: Callable[..., None]) -> Callable[..., None]:
    """Rows are written, then the disk is full."""

    def broken(*arguments: object) -> None:
        write(*arguments)
        raise StoreError("no space")

    return broken


def test_a_round_that_was_not_kept_is_forgotten(task: Task, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process opens it with another design: the one in memory must not stand in for it."""
    mine = Evaluation(task.pool, store=where)
    items = mine.ask(50)
    mine.tell(items, answer(task, items))

    def fails(*_: object) -> None:
        raise RuntimeError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(mine._journal, "handed_out", fails)
        with pytest.raises(RuntimeError, match="no room"):
            mine.ask(5)
    other = Evaluation(task.pool, store=where)
    for item in items:
        other.correct(item, 1 - answer(task, [item])[0])
    asked = other.ask(5)
    assert mine.pending == asked
    assert mine._history.rounds[1].design.calibrated(np.arange(9)).tolist() == (
        other._history.rounds[1].design.calibrated(np.arange(9)).tolist()
    )
    assert mine.ask(3)


def test_draws_of_another_version_are_not_continued(task: Task, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels and estimates stay; only further draws of the round are refused."""
    evaluation = Evaluation(task.pool, sampler="acis", store=where)
    items = evaluation.ask(5)
    monkeypatch.setattr(
        "lowshot.sampler.acis.Acis.propose",
        lambda self, pool, history, metric: lowshot.samplers["rand"]().propose(pool, history, metric),
    )
    again = Evaluation(task.pool, store=where)
    with pytest.raises(StoreError, match="made by another version of lowshot or NumPy"):
        again.ask(3)
    again.tell(items, answer(task, items))
    assert again.labels == 5


class TestFiles:
    """What only a file can do wrong."""

    def test_not_a_database(self, task: Task, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("these are notes, and many of them. " * 200)
        with pytest.raises(StoreError, match="the file is not a store"):
            Evaluation(task.pool, store=path)
        assert path.read_text().startswith("these are notes")

    def test_no_such_folder(self, task: Task, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="store must be a file in a folder that exists"):
            Evaluation(task.pool, store=tmp_path / "no" / "birds.db")

    def test_another_kind_of_url(self, task: Task) -> None:
        with pytest.raises(InputError, match="store must be a file or postgresql"):
            Evaluation(task.pool, store="mysql://host/database")

    def test_a_server_that_is_not_there(self, task: Task) -> None:
        module("psycopg")
        with pytest.raises(StoreError, match=r"(?s)\*\*\*@127\.0\.0\.1.*the server cannot be reached") as error:
            Evaluation(task.pool, store="postgresql://me:secret@127.0.0.1:1/birds")
        assert "secret" not in str(error.value)

    @pytest.mark.parametrize(
        "url",
        [
            "postgresql://me:top@secret@127.0.0.1:1/birds",
            "postgresql://me:top/secret@127.0.0.1:1/birds",
            "postgresql://me:top?secret@127.0.0.1:1/birds",
            "postgresql://me:top%40secret@127.0.0.1:1/birds",
            "postgresql://me:secret/birds",
            "postgresql://127.0.0.1:1/birds?user=me&password=secret",
            "postgresql://127.0.0.1:1/birds?user=me&sslpassword=secret",
        ],
    )
    def test_a_password_is_never_told(self, task: Task, url: str) -> None:
        """Neither by the error nor by anything that it came from."""
        module("psycopg")
        with pytest.raises((InputError, StoreError)) as found:
            Evaluation(task.pool, store=url)
        assert "secret" not in "".join(traceback.format_exception(found.value))
        error: BaseException | None = found.value
        while error is not None:
            assert "secret" not in f"{error!s} {error!r} {error.args}"
            error = error.__cause__ or error.__context__

    def test_a_password_with_an_at_sign(self, task: Task) -> None:
        with pytest.raises(InputError, match=r"got postgresql://me:\*\*\*@host/birds; write @ in a password as %40"):
            Evaluation(task.pool, store="postgresql://me:p@ss@host/birds")

    def test_a_file_that_may_not_be_written(self, task: Task, tmp_path: Path) -> None:
        """Opened for reading only: permissions mean nothing to root, who may run these tests."""
        path = tmp_path / "birds.db"
        Evaluation(task.pool, store=path)
        with pytest.raises(StoreError, match="cannot be written"):
            Evaluation(task.pool, store=f"sqlite:///file:{path}?mode=ro&uri=true").ask(1)

    def test_a_locked_file(self, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "birds.db"
        monkeypatch.setattr("lowshot.store.connection.PATIENCE", 0.1)
        evaluation = Evaluation(task.pool, store=path)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process is writing"):
            evaluation.ask(1)
        other.execute("ROLLBACK")
        assert evaluation.ask(1)

    def test_commits_are_durable(self, tmp_path: Path) -> None:
        with Store(tmp_path / "birds.db").engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_integers_and_positions_as_ids(where: str) -> None:
    scores = np.linspace(1, 0, 50)
    for name, ids in (("positions", None), ("numbers", np.arange(50) * -3)):
        pool = Pool(scores, threshold=0.7, ids=ids)
        evaluation = Evaluation(pool, store=where, name=name)
        items = evaluation.ask(4)
        evaluation.tell(items, [0] * len(items))
        assert list(Evaluation(pool, store=where, name=name).history["labels"]) == items
