"""A store that is damaged, or holds what lowshot never writes: an error that says so, and no other one."""

import json
import shutil
import sqlite3
import uuid
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pytest

import lowshot
from lowshot import Evaluation, InputError, StoreError
from lowshot.errors import LowshotError
from lowshot.labelling import Desk
from lowshot.store import Store
from lowshot.store.activity import Wanted, record

from ..databases import connected
from ..helpers import good, invoke
from . import story

pytestmark = pytest.mark.slow

BEGIN = ("--pool", "pool.csv", "--id", "path", "--score", "p", "--threshold", "0.9", "--question", story.QUESTION)
COMMANDS = (("status",), ("estimate", "--name", "plain"), ("ask", "--name", "again", "--count", "3"))
TABLES = ("answers", "asked", "draws", "evaluations", "known", "labels", "questions", "rounds")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that has everything in it: three evaluations, two of one question, and people."""
    folder = tmp_path_factory.mktemp("original")
    with chdir(folder):
        _write_store()
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, which a test may damage."""
    for name in ("pool.csv", "birds.db"):
        shutil.copyfile(original / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write_store() -> None:
    columns = {"path": list(story.TRUTH), "p": [place / 300 for place in story.ORDER.tolist()]}
    pyarrow.csv.write_csv(pyarrow.table(columns), "pool.csv")
    for name, tell, began in (("plain", story.plain, story.PLAIN), ("again", story.again, story.AGAIN)):
        options = [f"--{option}={value}" for option, value in began.items()]
        good("start", "birds.db", *BEGIN, "--name", name, *options)
        tell(Evaluation(story.POOL, store="birds.db", name=name))
    story.people(Evaluation(story.POOL, store="birds.db", name="people", **story.PEOPLE))
    with closing(sqlite3.connect("birds.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all of it in one file


def outcome(store: str, *command: str) -> Any:
    """What a command printed; "refused" where it ended with a message. Anything else is a failure of the test."""
    result = invoke(command[0], store, *command[1:], "--json")
    if result.exit_code == 2:
        assert isinstance(result.exception, SystemExit), result.output
        assert "lowshot: " in result.stderr, result.output
        return "refused"
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


def outcomes(original: str) -> list[Any]:
    """Of each command on a copy of its own; beside the pool, but never where another one was."""
    found = []
    for command in COMMANDS:
        store = f"{uuid.uuid4().hex}.db"
        shutil.copyfile(original, store)
        found.append(outcome(store, *command))
    return found


@pytest.mark.parametrize("where", ["anywhere", "in rows"])
def test_bytes_that_are_flipped(folder: Path, where: str) -> None:
    """At 60 places: each command prints numbers or ends with a message. Of damage to the file itself, it tells."""
    random = np.random.default_rng(20)
    good = Path("birds.db").read_bytes()
    places = np.arange(len(good))
    if where == "in rows":  # their headers and values
        items = np.array([place for place in places if good.startswith(b"bird-", place)])
        places = (items[:, None] + np.arange(-4, 25)).ravel()
    refused = 0
    for place, flip in zip(random.choice(places, size=60), random.integers(1, 256, size=60), strict=True):
        bad = bytearray(good)
        bad[place] ^= int(flip)
        Path("bad.db").write_bytes(bad)
        refused += "refused" in outcomes("bad.db")
    assert refused > 5, "some bytes mean something to SQLite"


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_is_cut_off(folder: Path, share: float) -> None:
    """Of the last page SQLite reads what is there: a command that needs no row of what is lost may go on."""
    good, expected = Path("birds.db").read_bytes(), outcomes("birds.db")
    assert "refused" not in expected
    Path("bad.db").write_bytes(good[: int(share * len(good))])
    found = outcomes("bad.db")
    assert all(one in ("refused", right) for one, right in zip(found[1:], expected[1:], strict=True))
    if share < 0.999:
        assert found == ["refused"] * 3
    else:
        assert found[0] in ("refused", expected[0])


@pytest.mark.parametrize("table", [*TABLES, "version", "leases"])
def test_a_table_that_is_missing(folder: Path, table: str) -> None:
    with closing(sqlite3.connect("birds.db")) as connection:
        connection.execute(f"DROP TABLE {table}")
        connection.commit()
    assert outcomes("birds.db") == ["refused"] * 3
    with pytest.raises(StoreError, match="damaged"):
        Store("birds.db")


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_is_missing(folder: Path, table: str) -> None:
    """Whichever it is: the first, one in the middle or the last. What other rows refer to is missed."""
    good = Path("birds.db").read_bytes()
    with closing(sqlite3.connect("birds.db")) as connection:
        rows = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]
    for row in {rows[0], rows[len(rows) // 2], rows[-1]}:
        Path("bad.db").write_bytes(good)
        with closing(sqlite3.connect("bad.db")) as connection:
            connection.execute(f"DELETE FROM {table} WHERE rowid = {row}")
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        found = outcomes("bad.db")
        if table in ("evaluations", "questions", "rounds"):
            assert found[0] == "refused"


def change(where: str, statement: str) -> None:
    connection: Any = connected(where) if where.startswith("postgresql") else sqlite3.connect(where)
    with closing(connection):
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE labels SET label = 2 WHERE sequence = 3", "the label of 'bird-.*' is 2, which is not a label"),
        ("UPDATE labels SET label = -1 WHERE sequence = 3", "is -1, which is not a label"),
        ("UPDATE known SET label = 7", "is 7, which is not a label"),
        ("UPDATE rounds SET number = 9 WHERE number = 2", "a round is missing"),
        ("UPDATE rounds SET labels = 999 WHERE number = 1", "labels or draws of a round are missing"),
        ("UPDATE draws SET probability = 3", "the probability of 'bird-.*' is 3.0"),
        ("UPDATE draws SET item = 'other' WHERE counter = 1", "'other' is not in the pool"),
        ("UPDATE rounds SET asked = 999 WHERE number = 1", "labels or draws of a round are missing"),
        ("UPDATE designs SET decided = '{'", "labels before round 1 or its design are not as they were"),
        ("UPDATE designs SET decided = '[7]'", "labels before round 1 or its design are not as they were"),
        ("UPDATE evaluations SET about = '['", "header of evaluation"),
        ("UPDATE evaluations SET seed = 'x'", "header of evaluation"),
        ("UPDATE evaluations SET settings = '7'", "header of evaluation"),
    ],
)
def test_values_that_lowshot_never_writes(where: str, statement: str, told: str) -> None:
    story.write(where)
    change(where, statement)
    for read_only in (True, False):
        with pytest.raises(StoreError, match=told):
            _everything_of(where, read_only)


def _everything_of(where: str, read_only: bool) -> None:
    store = Store(where, read_only=read_only)
    for name in ("plain", "again", "people"):
        Evaluation(story.POOL, store=store, name=name).estimate()


def test_a_label_that_is_damaged_is_not_handed_on(where: str) -> None:
    story.write(where)
    change(where, "UPDATE labels SET label = 7 WHERE sequence = 5")
    with pytest.raises(StoreError, match="which is not a label"):
        Evaluation(story.POOL, store=where, name="another", question=story.QUESTION)


@pytest.mark.parametrize("text", ["birds\0", "\0", "bird \ud800"])
def test_texts_that_no_database_keeps(where: str, text: str) -> None:
    """Said before anything is written, on every store alike."""
    for arguments in ({"name": text}, {"question": text}):
        with pytest.raises(InputError, match=f"{next(iter(arguments))} must be text"):
            Evaluation(story.POOL, store=where, **arguments)
    pool = lowshot.Pool([0.9, 0.1], threshold=0.5, ids=["a", text])
    with pytest.raises(InputError, match="ids must be text without NUL and in whole characters: got"):
        Evaluation(pool, store=where)
    assert Store(where).headers() == []
    desk = Desk(Evaluation(story.POOL, store=where))
    for say in (lambda: desk.take(text), lambda: desk.answer(text, "bird-000.jpg", 1)):
        with pytest.raises(InputError, match="annotator must be text"):
            say()
    assert desk.evaluation.pending == []


def test_plain_data_about_an_evaluation(where: str) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    endless: dict[str, Any] = {}
    endless["me"] = endless
    for about in ({"deep": deep}, endless, {"when": {1, 2}}, ["a list"]):
        with pytest.raises(InputError, match="about must be a dict of plain data"):
            Evaluation(story.POOL, store=where, about=about)
    assert Store(where).headers() == []
    Evaluation(story.POOL, store=where, about={"note": "a NUL \0 and half a character \ud800"})
    assert Store(where).headers()[0].about == {"note": "a NUL \0 and half a character \ud800"}
    change(where, f"UPDATE evaluations SET about = '{'[' * 50_000}'")
    with pytest.raises(StoreError, match="header of evaluation"):
        Store(where).headers()


@pytest.mark.parametrize("url", ["{}", "sqlite:///{}"])
def test_what_is_refused_leaves_no_new_file(tmp_path: Path, url: str) -> None:
    where = url.format(tmp_path / "new.db")
    pool = lowshot.Pool([0.9, 0.1], threshold=0.5, ids=["a", "b\0"])
    with pytest.raises(InputError, match="ids must be text without NUL"):
        Evaluation(pool, store=where)
    with pytest.raises(InputError, match="about must be a dict of plain data"):
        Evaluation(story.POOL, store=where, about={"when": {1, 2}})
    assert not [*tmp_path.iterdir()]


def test_a_clock_that_is_turned_back(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is a day earlier than the one before: the order is that in which things happened."""
    hours = iter(range(2000, 0, -24))

    def back(seconds: float = 0) -> str:
        from datetime import UTC, datetime, timedelta

        start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=next(hours), seconds=seconds)
        return start.isoformat(timespec="milliseconds")

    evaluation = Evaluation(story.POOL, store=where, **story.PLAIN)
    memory = Evaluation(story.POOL, **story.PLAIN)
    monkeypatch.setattr("lowshot.store.clock.now", back)
    for one in (evaluation, memory):
        story.plain(one)
    again = Evaluation(story.POOL, store=where)
    assert again.history == memory.history
    events, _ = record(Store(where), Wanted(rows=200))
    told = [(event.place.item, event.label) for event in reversed(events)]
    assert told == [(answer["item"], answer["label"]) for answer in memory.history["answers"]]
    corrected = [event for event in events if event.replaced]
    assert len(corrected) == 2
    assert all(event.place.at < event.replaced.place.at for event in corrected if event.replaced)


def test_leases_when_the_clock_is_turned_back(where: str) -> None:
    """An item may stay with somebody longer than it would have; the owner sees it and takes it back."""
    from lowshot.store.clock import now

    back = [0.0]
    desk = Desk(Evaluation(story.POOL, store=where), hold=60, clock=lambda seconds: now(seconds - back[0]))
    item = desk.take("ann")[0]
    back[0] = 86400
    assert desk.take("bob") != [item]
    assert item in [one.item for one in desk.unanswered() if "ann" in one.holding]
    desk.take_back(item)
    assert item in desk.take("cid", 2)
    desk.answer("cid", item, 1)
    assert desk.evaluation.labels == 1


def test_an_error_is_one_of_ours(folder: Path) -> None:
    """The fuzzing above sees exit codes; here is the exception."""
    change("birds.db", "UPDATE labels SET label = 2")
    with pytest.raises(LowshotError):
        Evaluation(story.POOL, store="birds.db", name="plain").estimate()
