"""Looking writes nothing and waits for nobody: on files that cannot be written, and while somebody else writes."""

import ctypes
import gc
import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest
from sqlalchemy import Engine, event

import lowshot
from lowshot import InputError, StoreError
from lowshot.store import Store
from lowshot.store.connection import transaction
from lowshot.web import Shown, make_app

from ..databases import connected, new_schema
from ..helpers import found as printed
from ..helpers import invoke
from ..web.people import OWNER, browser
from . import story

pytestmark = pytest.mark.slow

BEGIN = ("--pool", "pool.csv", "--id", "path", "--score", "p", "--threshold", "0.9", "--metric", "recall")
LOOKS = (("status",), ("estimate",), ("plan", "--half-width", "0.1"), ("export",), ("report", "-o", "OUT/report.html"))
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # of Linux: what lets root write what nobody may write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a pool and a store that has labels; the current one."""
    path = tmp_path / "birds"
    path.mkdir()
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(path)
    columns = {"path": list(story.TRUTH), "p": [place / 300 for place in story.ORDER.tolist()]}
    pyarrow.csv.write_csv(pyarrow.table(columns), "pool.csv")
    begin("birds.db")
    return path


def begin(store: str) -> None:
    printed("start", store, *BEGIN)
    for count in ("9", "7"):
        items = [item["id"] for item in printed("ask", store, "--count", count)["items"]]
        Path("labels.csv").write_text("id,label\n" + "".join(f"{item},{story.TRUTH[item]}\n" for item in items))
        printed("tell", store, "labels.csv")
    gc.collect()  # here all commands share a process: one's connection, closed later, would change the file of another


def everything(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every file of a folder with its content, size and times, and the folder itself: SQLite may make files for a
    moment."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.is_file() and _content(path))
        for path in (folder, *folder.rglob("*"))
    }


def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def looked_at(store: str = "birds.db", out: str = "../out") -> list[Any]:
    found = [printed(command, store, *_at(out, options)) for command, *options in LOOKS]
    assert (Path(out) / "report.html").stat().st_size > 10_000
    return found


def _at(out: str, options: list[str]) -> list[str]:
    return [option.replace("OUT", out) for option in options]


def test_nothing_in_the_folder_changes(folder: Path) -> None:
    before = everything(folder)
    assert [one.name for one in sorted(folder.iterdir())] == ["birds.db", "labels.csv", "pool.csv"]
    found = looked_at()
    assert found[0]["evaluations"][0]["labels"] == found[1]["labels"] == len(found[3]["rows"])
    assert everything(folder) == before


CHILD = """
    import os, sys
    sys.path[:0] = {path!r}
    folder, out = sys.argv[1:]
    os.chdir(folder)
    for name in (folder, "birds.db"):
        assert not os.access(name, os.W_OK), "this test needs a folder that cannot be written"
    import json
    from tests.store.test_read_only import invoke, looked_at, page_of
    print(json.dumps({looks}))
"""
EVERYTHING, STATUS = "[looked_at(out=out), page_of()]", "invoke('status', 'birds.db').stderr"


def without_privileges(folder: Path, out: Path, looks: str = EVERYTHING) -> Any:
    """In a process that permissions mean something to, also where root runs the tests."""
    code = textwrap.dedent(CHILD).format(path=[str(Path(__file__).parents[2]), *sys.path], looks=looks)
    libc = ctypes.CDLL(None)

    def drop() -> None:
        if os.getuid() == 0:
            libc.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)

    command = [sys.executable, "-c", code, str(folder), str(out)]
    found = subprocess.run(command, preexec_fn=drop, capture_output=True, text=True, timeout=900)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout.splitlines()[-1])


@contextmanager
def closed(folder: Path) -> Iterator[None]:
    """Nobody may write in it, or to a file of it."""
    paths = [*folder.iterdir(), folder]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


def page_of() -> list[int]:
    """Status codes of the owner's page, and of an annotator who wants an item: that would be written."""
    from lowshot.cli.opening import can_be_written, open_evaluation

    assert not can_be_written("birds.db")
    evaluation = open_evaluation("birds.db", read_only=True).evaluation
    client = browser(make_app(evaluation, Shown("text", lambda item: [("id", item)]), owner_token=OWNER), "ann")
    headers = {"Authorization": f"Bearer {OWNER}"}
    paths = ("/owner", "/api/owner/state", "/api/owner/history", "/api/owner/overview", "/api/owner/record")
    codes = [client.get(path, headers=headers).status_code for path in paths]
    return [*codes, client.post("/api/items", json={}).status_code]


PAGE = [200, 200, 200, 200, 200, 503]


def test_a_folder_that_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    expected = looked_at()
    with closed(folder):
        before = everything(folder)
        found, page = without_privileges(folder, tmp_path / "out")
        assert everything(folder) == before
    assert _without_files(found) == _without_files(expected)
    assert page == PAGE


def test_a_folder_that_cannot_be_written_after_a_crash(folder: Path, tmp_path: Path) -> None:
    """The last labels are in the write-ahead log only."""
    with crashed(folder):
        expected = looked_at()
        assert expected[0]["evaluations"][0]["pending"] == 1
        with closed(folder):
            found, page = without_privileges(folder, tmp_path / "out")
        assert _without_files(found) == _without_files(expected)
        assert page == PAGE


def test_a_folder_that_another_process_writes(folder: Path, tmp_path: Path) -> None:
    """It is read-only for whoever looks; the last labels are in the log."""
    evaluation = lowshot.Evaluation(story.POOL, store=folder / "birds.db")
    for _ in range(2):
        evaluation.tell(evaluation.pending, story.answers(evaluation.pending))
        assert evaluation.ask(1)
        expected = looked_at()
        assert expected[0]["evaluations"][0]["pending"] == 1
        with closed(folder):
            found, page = without_privileges(folder, tmp_path / "out")
        assert _without_files(found) == _without_files(expected)
        assert page == PAGE


def test_a_log_without_its_index(folder: Path, tmp_path: Path) -> None:
    """SQLite makes the index. Where it may not, it cannot read the log, and what is in it would be missed."""
    with crashed(folder):
        expected = looked_at()
        (folder / "birds.db-shm").unlink()
        with closed(folder):
            assert "copy both to a folder that can be written" in without_privileges(folder, tmp_path / "out", STATUS)
        assert looked_at() == expected


@contextmanager
def crashed(folder: Path) -> Iterator[None]:
    """The files as a process leaves them that is killed after it asked for an item."""
    evaluation = lowshot.Evaluation(story.POOL, store=folder / "birds.db")
    assert evaluation.ask(1)
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    assert (other / "birds.db-wal").stat().st_size
    evaluation.store.close()  # type: ignore[union-attr]
    shutil.rmtree(folder)
    other.rename(folder)
    os.chdir(folder)
    yield


def _without_files(found: list[Any]) -> list[Any]:
    return [{key: value for key, value in one.items() if key != "files"} for one in found]


LOCKS = {
    "immediate": ["BEGIN IMMEDIATE", "DELETE FROM labels"],
    "exclusive": ["BEGIN EXCLUSIVE", "DELETE FROM labels"],
    "exclusive for good": ["PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", "DELETE FROM labels"],
    "without a log": ["PRAGMA journal_mode=DELETE", "BEGIN EXCLUSIVE", "DELETE FROM labels"],
    "spilled": ["PRAGMA journal_mode=DELETE", "PRAGMA cache_size=1", "BEGIN EXCLUSIVE", "DELETE FROM labels",
                "UPDATE draws SET probability = 1, item = item || 'much longer, so that pages are written'"],
}  # fmt: skip
HOLD = """
    import sqlite3, sys
    connection = sqlite3.connect("birds.db", isolation_level=None)
    for statement in sys.argv[1:]:
        connection.execute(statement)
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("lock", LOCKS)
def test_while_another_process_holds_the_lock(folder: Path, lock: str) -> None:
    """It has deleted every label, and has not said that it means it. lowshot itself locks as the first one does."""
    expected = looked_at()
    with held(LOCKS[lock]):
        before = _content(folder / "birds.db")
        for (command, *options), right in zip(LOOKS, expected, strict=True):
            result = invoke(command, "birds.db", *_at("../out", options), "--json")
            if lock in ("immediate", "exclusive") or result.exit_code == 0:
                assert json.loads(result.stdout) == right
            else:
                assert "another process is writing: wait, or close it" in result.stderr, result.output
        assert _content(folder / "birds.db") == before


@contextmanager
def held(statements: list[str]) -> Iterator[None]:
    command = [sys.executable, "-c", textwrap.dedent(HOLD), *statements]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        try:
            yield
        finally:
            other.kill()


def test_the_owners_page_while_another_process_holds_the_lock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an evaluation that is open for writing."""
    monkeypatch.setattr("lowshot.store.connection.PATIENCE", 0.1)
    evaluation = lowshot.Evaluation(story.POOL, store="birds.db")
    client = browser(make_app(evaluation, Shown("text", lambda item: [("id", item)]), owner_token=OWNER), "ann")
    headers = {"Authorization": f"Bearer {OWNER}"}
    with held(LOCKS["immediate"]):
        for path in ("/api/owner/state", "/api/owner/history", "/api/owner/overview", "/api/owner/record"):
            assert client.get(path, headers=headers).status_code == 200, path
        assert client.get("/api/owner/state", headers=headers).json()["labels"] == evaluation.labels > 9
        assert client.post("/api/items", json={}).status_code == 503
    assert client.post("/api/items", json={}).status_code == 200


def test_a_server_whose_rows_are_held(folder: Path, postgres: str) -> None:
    """A reader waits neither for a turn nor for tables to be created; and it may be one that may not write at all."""
    where = new_schema(postgres)
    begin(where)
    expected = looked_at(where)
    schema = where.rpartition("%3D")[2]
    with connected(where) as other:
        other.execute("SELECT pg_advisory_xact_lock(7091)")
        other.execute("LOCK TABLE evaluations, labels, version IN EXCLUSIVE MODE")
        other.execute("DELETE FROM labels")
        assert looked_at(where) == expected
        other.rollback()
    with connected(where) as connection:
        connection.execute(f"CREATE ROLE {schema} LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO {schema}")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {schema}")
    reader = where.replace("lowshot@", f"{schema}@")
    assert looked_at(reader) == expected
    assert invoke("ask", reader).exit_code == 2


def test_what_is_not_there(where: str, tmp_path: Path) -> None:
    if where.startswith("postgresql"):
        with pytest.raises(StoreError, match=r"store must contain an evaluation: .* has none"):
            Store(where, read_only=True)
        return
    with pytest.raises(InputError, match="store must exist to be read"):
        Store(where, read_only=True)
    assert not list(tmp_path.iterdir())
    Store(where)
    with pytest.raises(InputError, match="name must be an evaluation of the store, which is open read-only"):
        lowshot.Evaluation(story.POOL, store=Store(where, read_only=True), name="other")


def test_who_looks_on_sees_what_others_write(where: str) -> None:
    writes = lowshot.Evaluation(story.POOL, **story.PLAIN, store=where)
    looks = lowshot.Evaluation(story.POOL, store=Store(where, read_only=True))
    for _ in range(3):
        items = writes.ask(5)
        assert looks.pending == items
        writes.tell(items, story.answers(items))
        assert repr(looks.estimate()) == repr(writes.estimate())
    assert looks.history == writes.history


def test_a_file_that_is_written_while_it_is_read(tmp_path: Path) -> None:
    """Without locks what was read may be half of one state and half of the next: that is told, whatever else failed."""
    path = tmp_path / "birds.db"
    lowshot.Evaluation(story.POOL, store=path).store.close()  # type: ignore[union-attr]
    looks = Store(path, read_only=True)

    def read_while_somebody_asks() -> None:
        with transaction(looks.engine, reads=True):
            evaluation = lowshot.Evaluation(story.POOL, store=path)
            evaluation.ask(4)
            evaluation.store.close()  # type: ignore[union-attr]  # SQLite copies its log into the file
            raise LookupError("something that was read")

    with pytest.raises(StoreError, match=r"changed while it was read\): another process wrote to it: try again"):
        read_while_somebody_asks()
    assert len(lowshot.Evaluation(story.POOL, store=looks).pending) == 4


def test_a_link_to_a_file_whose_log_has_labels(tmp_path: Path) -> None:
    """The log is beside the file and not beside the link."""
    for name in ("there", "here"):
        (tmp_path / name).mkdir()
    link = tmp_path / "here" / "link.db"
    evaluation = lowshot.Evaluation(story.POOL, store=tmp_path / "there" / "birds.db")
    link.symlink_to(tmp_path / "there" / "birds.db")
    pending = evaluation.ask(4)
    assert lowshot.Evaluation(story.POOL, store=Store(link, read_only=True)).pending == pending
    assert [*link.parent.iterdir()] == [link]


def test_a_log_that_is_empty_is_none(folder: Path) -> None:
    expected = looked_at()
    Path("birds.db-wal").touch()
    before = everything(folder)
    assert looked_at() == expected
    assert everything(folder) == before


def test_another_file_that_is_put_in_its_place(tmp_path: Path) -> None:
    """Whoever looks on sees the file that has the name now."""
    path = tmp_path / "birds.db"
    lowshot.Evaluation(story.POOL, store=path).store.close()  # type: ignore[union-attr]
    shutil.copyfile(path, tmp_path / "copy.db")
    evaluation = lowshot.Evaluation(story.POOL, store=path)
    assert evaluation.ask(4)
    evaluation.store.close()  # type: ignore[union-attr]
    looks = lowshot.Evaluation(story.POOL, store=Store(path, read_only=True))
    assert looks.pending
    os.replace(tmp_path / "copy.db", path)
    assert not looks.pending


def test_a_process_was_killed_that_wrote_without_a_log(folder: Path) -> None:
    """What is in the file is not what was committed. A writer takes it back, and a reader may not."""
    expected = looked_at()
    with held(LOCKS["spilled"]):
        for name in ("birds.db", "birds.db-journal"):
            shutil.copyfile(name, f"../{name}")
    for name in ("birds.db", "birds.db-journal"):
        os.replace(f"../{name}", name)
    result = invoke("status", "birds.db")
    assert result.exit_code == 2
    assert "open the store for writing once" in result.stderr
    Store("birds.db").close()
    assert looked_at() == expected


@pytest.mark.parametrize(
    "command", [*LOOKS, ("ask", "--count", "2"), ("tell", "labels.csv"), ("start", *BEGIN, "--name", "second")]
)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_one_connection_for_each_command(
    folder: Path, request: pytest.FixtureRequest, kind: str, command: tuple[str, ...]
) -> None:
    store = "birds.db"
    if kind == "postgresql":
        store = new_schema(request.getfixturevalue("postgres"))
        begin(store)
    made = []

    def count(connection: Any, _: Any) -> None:
        made.append(connection)

    event.listen(Engine, "connect", count)
    try:
        printed(command[0], store, *_at("../out", [*command[1:]]))
    finally:
        event.remove(Engine, "connect", count)
    assert len(set(map(id, made))) == 1
