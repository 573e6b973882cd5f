"""A disk that is really full, a file that is read-only, one that is locked: nothing is lost, and people are told."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event

from lowshot import Evaluation, StoreError
from lowshot.testing import Task, simulated
from lowshot.web import Shown, make_app

from ..helpers import invoke, refused

FULL = r"store .*birds\.db cannot be used \(database or disk is full\): the disk is full: make room and try again"


@pytest.fixture(scope="module")
def task() -> Task:
    return simulated(items=2000, positives=40, seed=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "birds.db"


@contextmanager
def no_room(*open_before: Evaluation) -> Iterator[None]:
    """SQLite itself refuses to let files grow, as it does on a full disk."""

    def forget_connections() -> None:
        """Those that are there know no limit, or a limit that is no more."""
        for evaluation in open_before:
            assert evaluation.store is not None
            evaluation.store.engine.dispose()

    def limit(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # it takes this as: no more than there are

    event.listen(Engine, "connect", limit)
    forget_connections()
    try:
        yield
    finally:
        event.remove(Engine, "connect", limit)
        forget_connections()


def label(evaluation: Evaluation, task: Task, wanted: int) -> None:
    """Whatever is pending first: one that was interrupted goes on as if it had not been."""
    while evaluation.labels < wanted:
        items = evaluation.pending or evaluation.ask(10)
        evaluation.tell(items, task.answer(items))


@pytest.mark.parametrize("sampler", ["curve", "acis", "rand"])
def test_labelling_goes_on_when_there_is_room_again(task: Task, path: Path, sampler: str) -> None:
    evaluation, memory = Evaluation(task.pool, sampler=sampler, store=path), Evaluation(task.pool, sampler=sampler)
    for _ in range(3):
        with no_room(evaluation), pytest.raises(StoreError, match=FULL):
            label(evaluation, task, 1000)
        again = Evaluation(task.pool, store=path)
        assert (again.labels, again.pending) == (evaluation.labels, evaluation.pending)
        label(evaluation, task, evaluation.labels + 15)
    label(memory, task, evaluation.labels)
    assert evaluation.history == memory.history == Evaluation(task.pool, store=path).history
    assert evaluation.estimate() == memory.estimate()


LABEL = """
import sys
from lowshot import Evaluation
from lowshot.testing import simulated
task = simulated(items=2000, positives=40, seed=2)
evaluation = Evaluation(task.pool, store=sys.argv[1])
for item in evaluation.pending:
    evaluation.tell([item], task.answer([item]))
    print(item, flush=True)
"""


@pytest.mark.slow
def test_a_process_whose_files_may_not_grow(task: Task, path: Path) -> None:
    """The system refuses to write, in the middle of whatever SQLite is doing."""
    evaluation = Evaluation(task.pool, sampler="rand", store=path)
    items = evaluation.ask(300)
    evaluation.store.close()  # type: ignore[union-attr]
    size = path.stat().st_size + 50_000

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    child = subprocess.run(
        [sys.executable, "-c", LABEL, str(path)], capture_output=True, text=True, timeout=600, preexec_fn=limit
    )
    told = [int(line) for line in child.stdout.split()]
    assert child.returncode == 1
    assert "birds.db cannot be used (disk I/O error): the disk cannot be written: is there room left" in child.stderr
    again = Evaluation(task.pool, store=path)
    assert 0 < len(told) < 300
    assert list(again.history["labels"]) == told == items[: len(told)]
    again.tell(again.pending, task.answer(again.pending))
    assert again.labels == 300


def test_the_page_says_so(task: Task, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    evaluation = Evaluation(task.pool, store=path)
    page = make_app(evaluation, Shown("text", lambda item: [("text", str(item))]))
    ann = TestClient(page, base_url="http://127.0.0.1:8484", client=("127.0.0.1", 50000))
    assert ann.post("/api/name", json={"name": "ann"}).status_code == 200
    reply, saved = ann.post("/api/items", json={}), -1
    with no_room(evaluation):
        while reply.status_code == 200:
            saved, item = saved + 1, reply.json()["items"][0]
            reply = ann.post("/api/answer", json={"item": item["item"], "answer": "no"})
    assert reply.status_code == 503
    assert reply.json()["message"].startswith("The store cannot be written, so your answer was not saved.")
    assert "database or disk is full" in caplog.text, "the owner is told why"
    assert evaluation.labels == saved
    assert ann.post("/api/answer", json={"item": item["item"], "answer": "no"}).status_code == 200


class TestTerminal:
    """One line, and exit code 2."""

    @pytest.fixture(autouse=True)
    def here(self, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("lowshot.store.connection.PATIENCE", 0.1)
        rows = zip(task.pool.scores.tolist(), task.pool.predictions.astype(int).tolist(), strict=True)
        Path("pool.csv").write_text("p,yes\n" + "".join(f"{score},{yes}\n" for score, yes in rows))
        began = invoke("start", "birds.db", "--pool", "pool.csv", "--score", "p", "--prediction", "yes")
        assert began.exit_code == 0

    def test_no_room(self) -> None:
        assert invoke("ask", "birds.db", "--count", "500", "-o", "items.csv").exit_code == 0
        items = Path("items.csv").read_text().split()[1:]
        Path("labels.csv").write_text("id,label\n" + "".join(f"{item}no\n" for item in items))
        with no_room():
            refused(FULL, "ask", "birds.db", "--count", "2000")
            assert invoke("status", "birds.db").exit_code == 0
        assert invoke("tell", "birds.db", "labels.csv").stdout.startswith(f"{len(items)} new labels")

    def test_read_only(self, path: Path) -> None:
        only_read = f"sqlite:///file:{path}?mode=ro&uri=true"
        refused("the file or its folder cannot be written: change its permissions", "ask", only_read)
        assert "0 labels" in invoke("status", only_read).stdout

    def test_locked(self, path: Path) -> None:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        refused(r"birds\.db cannot be used .*another process is writing: wait, or close it", "ask", "birds.db")
        assert "0 labels" in invoke("status", "birds.db").stdout
        other.close()
        assert invoke("ask", "birds.db").exit_code == 0
