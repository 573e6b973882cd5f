"""Stores that somebody sends: they read nothing but what is in their folder, unless the receiver names it."""

import io
import json
import os
import shutil
import sqlite3
import struct
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

import lowshot
from lowshot.cli import console
from lowshot.cli.confirmed import LIST
from lowshot.cli.opening import open_evaluation
from lowshot.store import Store

from ..helpers import close_stores, found, good, invoke, refused
from .birds import BEGIN, ITEMS, begin, write_pool

SECRET = "the diary of somebody else"
UNKNOWN = "store must be one that this account began or confirmed"
DATABASE = ("--pool", "sent/pool.duckdb", "--id", "path", "--score", "p", "--threshold", "0.6", "--field", "title")


@pytest.fixture(autouse=True)
def account(here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Become another account; the folder of its state."""

    def become(name: str) -> Path:
        monkeypatch.setenv("XDG_STATE_HOME", str(here / name))
        return here / name / "lowshot"

    become("sender")
    Path("sent").mkdir()
    return become


def lines(state: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (state / LIST).read_text().splitlines()]


def send(become: Callable[[str], Path]) -> Path:
    """The folder, with everything that is in it, as another account gets it; the state of that account."""
    close_stores()
    shutil.copytree("sent", "received", symlinks=True)
    shutil.rmtree("sent")
    return become("receiver")


def pool_with_a_view(query: str) -> None:
    write_pool("rows.parquet")
    with duckdb.connect("sent/pool.duckdb") as connection:
        connection.execute("CREATE TABLE birds AS FROM 'rows.parquet'")
        connection.execute(f"CREATE VIEW items AS SELECT path, p, ({query}) AS title FROM birds")


def begin_with(store: str, like: str, name: str = "sent", **about: Any) -> None:
    """An evaluation of the birds whose store says something else of its pool."""
    header = Store(like).headers()[0]
    pool = open_evaluation(like).evaluation.pool
    lowshot.Evaluation(pool, store=store, name=name, about={**header.about, **about})


def test_a_view_of_a_pool_prints_no_file(account: Callable[[str], Path], here: Path) -> None:
    Path("secret.txt").write_text("something of the sender")
    pool_with_a_view(f"SELECT content FROM read_text('{here}/secret.txt')")
    start = ("start", "sent/birds.db", *DATABASE, "--table", "items")
    refused("--pool must read nothing but itself: .* if its view is your own, add --allow-external", *start)
    assert not Path("sent/birds.db").exists()
    good(*start, "--allow-external")
    good("ask", "sent/birds.db", "--count", "1")
    send(account)
    Path("secret.txt").write_text(SECRET)
    for command in ("ask", "report", "export"):
        refused("--pool must read nothing but itself", command, "received/birds.db")
    refused("--pool must read nothing but itself", "ask", "received/birds.db", "--pool", "received/pool.duckdb")
    assert "must read nothing but itself" in found("status", "received/birds.db")["evaluations"][0]["problem"]
    check = ("check", *DATABASE[:8], "--table", "items")
    refused("--pool must read nothing but itself", *(word.replace("sent", "received") for word in check))


def test_own_views_go_on(account: Callable[[str], Path], here: Path) -> None:
    """Of one database as it is: the right is remembered in the list, until the file changes in any way."""
    Path("own.txt").write_text("own text")
    pool_with_a_view(f"SELECT content FROM read_text('{here}/own.txt')")
    good("start", "sent/birds.db", *DATABASE, "--table", "items", "--allow-external")
    forget = lambda: [path.unlink() for path in Path("sent").glob("birds.db-pool-*")]  # noqa: E731
    forget()
    assert "own text" in good("ask", "sent/birds.db", "--count", "1").stdout
    forget()
    shutil.copy2("sent/pool.duckdb", "again.duckdb")  # with its time
    os.replace("again.duckdb", "sent/pool.duckdb")
    refused("--pool must read nothing but itself", "ask", "sent/birds.db", "--count", "1")
    assert "own text" in good("ask", "sent/birds.db", "--count", "1", "--allow-external").stdout
    forget()
    assert "own text" in good("ask", "sent/birds.db", "--count", "1").stdout
    write_pool("pool.parquet")
    refused("--allow-external must come with a .duckdb file as --pool", "start", "b.db", *BEGIN, "--allow-external")
    begin(store="c.db")
    refused("--allow-external must come with a .duckdb file as --pool", "ask", "c.db", "--allow-external")


def test_a_pool_elsewhere_is_read_if_it_is_named(account: Callable[[str], Path], here: Path) -> None:
    """Once: then the account knows it, and only it."""
    write_pool("pool.parquet")
    begin(store="sent/birds.db")
    assert lines(here / "sender/lowshot")[0]["place"] == f"--pool {here}/pool.parquet"
    good("ask", "sent/birds.db", "--count", "2")
    state = send(account)
    for path in Path("received").glob("birds.db-pool-*"):
        path.unlink()
    again = f"`lowshot estimate received/birds.db --pool {here}/pool.parquet`"
    refused(f"{UNKNOWN}, as .* names {here}/pool.parquet; .* confirm it once: {again}", "ask", "received/birds.db")
    assert UNKNOWN in found("status", "received/birds.db")["evaluations"][0]["problem"]
    refused(f"--like must be a store .*{UNKNOWN}", "start", "l.db", *BEGIN, "--like", "received/birds.db")
    assert not state.exists()
    good("ask", "received/birds.db", "--pool", "pool.parquet", "--count", "2")
    good("ask", "received/birds.db", "--count", "2")
    (named,) = lines(state)
    assert named["store"] == str(here / "received/birds.db")
    assert (state / LIST).stat().st_mode & 0o777 == 0o600
    good("ask", "received/birds.db", "--pool", "pool.parquet", "--count", "2")
    assert len(lines(state)) == 1, "nothing is listed twice"
    account("another")
    refused(UNKNOWN, "ask", "received/birds.db")


def test_what_is_in_its_folder_is_read(account: Callable[[str], Path]) -> None:
    write_pool("sent/pool.parquet")
    good("start", "sent/birds.db", "--pool", "sent/pool.parquet", *BEGIN[2:])
    state = send(account)
    assert good("ask", "received/birds.db", "--count", "2").stdout.count("bird") == 4
    assert not state.exists()


@pytest.mark.parametrize("pool", ["pool.parquet", "parts", "parts/*.parquet"])
def test_a_link_leads_elsewhere(account: Callable[[str], Path], here: Path, pool: str) -> None:
    Path("sent/parts").mkdir()
    write_pool("sent/pool.parquet")
    shutil.copy("sent/pool.parquet", "sent/parts/0.parquet")
    good("start", "sent/birds.db", "--pool", f"sent/{pool}", *BEGIN[2:])
    send(account)
    good("ask", "received/birds.db", "--count", "2")
    file = Path("received/pool.parquet" if pool == "pool.parquet" else "received/parts/0.parquet")
    file.rename("mine.parquet")
    file.symlink_to(here / "mine.parquet")
    refused(UNKNOWN, "ask", "received/birds.db")
    good("ask", "received/birds.db", "--count", "2", "--pool", f"received/{pool}")
    good("ask", "received/birds.db", "--count", "2")
    file.unlink()
    write_pool("others.parquet")
    file.symlink_to(here / "others.parquet")
    refused(UNKNOWN, "ask", "received/birds.db")


def test_a_store_that_is_a_link(account: Callable[[str], Path], here: Path) -> None:
    """Another database does not become a store."""
    write_pool("pool.parquet")
    with closing(sqlite3.connect("other.sqlite")) as other:
        other.execute("CREATE TABLE mine (id)")
    before = Path("other.sqlite").read_bytes()
    Path("sent/birds.db").symlink_to(here / "other.sqlite")
    for command in (["ask", "sent/birds.db"], ["status", "sent/birds.db"], ["start", "sent/birds.db", *BEGIN]):
        refused(f"store must be a file and not a link .* leads to {here}/other.sqlite", *command)
    assert Path("other.sqlite").read_bytes() == before
    begin()
    Path("link.db").symlink_to("birds.db")
    good("ask", "link.db", "--count", "1")


@pytest.mark.parametrize("named", [True, False])
def test_a_journal_that_names_a_file_deletes_nothing(account: Callable[[str], Path], here: Path, named: bool) -> None:
    """SQLite rolls a journal back, and then deletes the journal of several databases that it names, whatever it is."""
    write_pool("sent/pool.parquet")
    good("start", "sent/birds.db", "--pool", "sent/pool.parquet", *BEGIN[2:])
    send(account)
    Path("diary.txt").write_text(SECRET)
    size, name = os.stat("received/birds.db").st_size, os.fsencode(here / "diary.txt")
    page = int.from_bytes(Path("received/birds.db").read_bytes()[16:18], "big")
    magic = bytes.fromhex("d9d505f920a163d7")
    # Of the header: the records, their checksum, the pages of the database, bytes of a sector, bytes of a page.
    journal = (magic + struct.pack(">5I", 0, 0, size // page, 512, page)).ljust(512, b"\0")
    if named:  # as in section 1.3 of SQLite's file format, behind the page of locks
        journal += struct.pack(">I", 2**30 // page + 1) + name + struct.pack(">2I", len(name), sum(name)) + magic
    Path("received/birds.db-journal").write_bytes(journal)
    if named:
        refused("birds.db-journal names another file, which SQLite would delete", "ask", "received/birds.db")
        with pytest.raises(lowshot.StoreError, match="names another file"):
            Store("received/birds.db")
    else:
        good("ask", "received/birds.db", "--count", "1")
        assert not Path("received/birds.db-journal").exists(), "it was rolled back"
    assert Path("diary.txt").read_text() == SECRET


def test_a_server_is_not_asked(account: Callable[[str], Path]) -> None:
    write_pool("sent/pool.parquet")
    good("start", "sent/like.db", "--pool", "sent/pool.parquet", *BEGIN[2:])
    url = "postgresql://me@127.0.0.1:9/db"
    begin_with("sent/birds.db", "sent/like.db", pool=url, table="items", engine=True, absolute={})
    send(account)
    refused(f"{UNKNOWN}.* names {url}; .*`lowshot estimate received/birds.db --name sent --pool {url}`",
            "ask", "received/birds.db")  # fmt: skip
    refused("the engine failed while connecting", "ask", "received/birds.db", "--pool", url)
    refused(UNKNOWN, "ask", "received/birds.db")  # what could not be opened is not confirmed


ODD: list[dict[str, Any]] = [
    {"pool": "secret.csv", "absolute": {"pool": "{here}/secret.csv"}},
    {"pool": "../secret.csv", "absolute": {"pool": "/nowhere"}},
    {"pool": "{here}/secret.csv", "absolute": {}},
    {"pool": "secret.csv", "absolute": {}},
    {"pool": "received/../secret.csv", "absolute": {}},
    {"pool": "*.csv", "absolute": {}, "engine": True},
    {"pool": "file:{here}/secret.csv", "absolute": {}, "engine": True},
    {"pool": "duckdb://{here}/secret.duckdb", "table": "items", "absolute": {}, "engine": True},
    {"pool": "secret\0.csv", "absolute": {}},
    {"pool": "\ud800.csv", "absolute": {}},
    {"pool": ["secret.csv"], "absolute": {}},
    {"matrix": "{here}/secret.npy"},
    {"absolute": 7},
]


def test_what_a_store_may_say(account: Callable[[str], Path], here: Path) -> None:
    """No file of the receiver's is printed, and nothing ends with a traceback."""
    write_pool("sent/pool.parquet")
    good("start", "sent/like.db", "--pool", "sent/pool.parquet", *BEGIN[2:])
    for number, about in enumerate(ODD):
        told = json.loads(json.dumps(about).replace("{here}", str(here)))
        begin_with("sent/birds.db", "sent/like.db", f"sent {number}", **told)
    send(account)
    titles = "".join(f"{number},0.{number % 10},{SECRET}\n" for number in range(ITEMS))
    Path("secret.csv").write_text(f"path,p,title\n{titles}")
    Path("secret.npy").write_bytes(b"secret")
    for number, about in enumerate(ODD):
        result = invoke("ask", "received/birds.db", "--name", f"sent {number}")
        assert (result.exit_code, SECRET in result.output) == (2, False), about
        assert result.stderr.startswith("lowshot: "), about


@pytest.mark.slow
def test_pictures_elsewhere(account: Callable[[str], Path], here: Path) -> None:
    """They are shown on pages and put into reports, so their folder must be known, too."""
    Path("pictures").mkdir()
    write_pool("sent/pool.parquet")
    image = ("--show", "image", "--field", "path", "--media-root", "pictures")
    good("start", "sent/birds.db", "--pool", "sent/pool.parquet", *BEGIN[2:8], *image)
    items = good("ask", "sent/birds.db", "--count", "1", "--format", "jsonl").stdout
    Path("told.jsonl").write_text(json.dumps({**json.loads(items.splitlines()[0]), "label": 1}))
    good("tell", "sent/birds.db", "told.jsonl")
    assert "ids" not in good("report", "sent/birds.db").stderr
    state = send(account)
    again = f"`lowshot label received/birds.db --media-root {here}/pictures`"
    refused(f"{UNKNOWN}, .*{again}", "label", "received/birds.db")
    assert f"the report names items by their ids: {UNKNOWN}" in good("report", "received/birds.db").stderr
    good("ask", "received/birds.db", "--count", "1")
    assert not state.exists()


def test_a_store_that_was_moved_or_copied_is_known_and_one_in_its_place_is_not(here: Path) -> None:
    Path("work/stores").mkdir(parents=True)
    Path("work/data").mkdir()
    write_pool("work/data/pool.parquet")
    good("start", "work/stores/birds.db", "--pool", "work/data/pool.parquet", *BEGIN[2:])
    close_stores()
    shutil.copytree("work", "copy")
    Path("far/away").mkdir(parents=True)
    shutil.copy("work/stores/birds.db", "far/away/birds.db")
    good("ask", "copy/stores/birds.db", "--count", "1")
    good("ask", "far/away/birds.db", "--count", "1")
    begin_with("other.db", "work/stores/birds.db")
    shutil.move("other.db", "work/stores/birds.db")
    refused(UNKNOWN, "ask", "work/stores/birds.db")


def test_a_model_that_is_added_is_known(account: Callable[[str], Path]) -> None:
    for pool in ("pool.parquet", "new.parquet"):
        write_pool(pool)
    begin(store="sent/birds.db")
    added = ("sent/birds.db", "v2", "--pool", "new.parquet", "--id", "path", "--score", "p", "--threshold", "0.4")
    good("add-model", *added)
    good("ask", "sent/birds.db", "--name", "evaluation with v2", "--count", "1")
    send(account)
    ask = ("ask", "received/birds.db", "--name", "evaluation with v2", "--count", "1")
    refused(rf"{UNKNOWN}.* --name 'evaluation with v2' --pool .*/pool\.parquet", *ask)
    refused(rf"{UNKNOWN}.* --name 'evaluation with v2' --pool v2=.*/new\.parquet", *ask, "--pool", "pool.parquet")
    good(*ask, "--pool", "pool.parquet", "--pool", "v2=new.parquet")
    good(*ask)


@pytest.mark.parametrize("state", ["a file", "no home"])
def test_without_a_list_work_goes_on(state: str, monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    if state == "a file":
        Path("file").touch()
        monkeypatch.setenv("XDG_STATE_HOME", str(here / "file"))
    else:
        monkeypatch.delenv("XDG_STATE_HOME")
        monkeypatch.setattr("os.path.expanduser", lambda path: path)
    write_pool("pool.parquet")
    write_pool("sent/pool.parquet")
    good("start", "sent/here.db", "--pool", "sent/pool.parquet", *BEGIN[2:])
    assert "not remembered" not in good("ask", "sent/here.db").stderr
    assert "what you named is not remembered" in begin(store="sent/birds.db").stderr
    refused(UNKNOWN, "ask", "sent/birds.db")
    asked = good("ask", "sent/birds.db", "--pool", "pool.parquet")
    assert f"name it again next time, --pool {here}/pool.parquet" in asked.stderr


def test_lines_that_cannot_be_read_are_left_out(here: Path) -> None:
    write_pool("pool.parquet")
    begin(store="sent/birds.db")
    path = here / "sender/lowshot" / LIST
    path.write_bytes(b'\xff\n[]\n{"digests": 3}\n{\n' + path.read_bytes() + b'{"digests": ')
    good("ask", "sent/birds.db")


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_texts_of_a_store_do_not_steer_the_terminal(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or another program gets them as they are."""
    title = "crow\x1b]52;c;cm0gLXJmIH4=\x07\x9b2J\r\n\theron"
    for name, print_ in (
        ("stdout", console.say),
        ("stderr", console.note),
        ("stdout", lambda t: console.write(t, None)),
    ):
        stream = Stream(terminal)
        monkeypatch.setattr(sys, name, stream)
        print_(title)
        shown = stream.getvalue().rstrip("\n")
        assert shown == ("crow�]52;c;cm0gLXJmIH4=��2J\n\theron" if terminal else title)
