"""The process that serves the page."""

import http.client
import json
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest

import lowshot
from lowshot.web import Shown, make_app
from lowshot.web.connections import Connection
from lowshot.web.server import listen, serve
from lowshot.web.site import Planned

from .servers import Serving, serving

if TYPE_CHECKING:
    from fastapi import FastAPI


def test_replies_leave_at_once() -> None:
    """asyncio switches Nagle's algorithm off only where the socket says that it is TCP."""
    with closing(listen("127.0.0.1", 0)) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_the_address_is_printed_when_clients_can_connect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A client that reads the address may connect at once; the reply comes when the server runs."""
    pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    app = make_app(lowshot.Evaluation(pool, store=tmp_path / "birds.db"), Shown("text", lambda item: []))
    connected: list[tuple[str, int]] = []

    def run(_: object, listening: socket.socket) -> None:
        with socket.create_connection(listening.getsockname()) as client:
            connected.append(client.getpeername())

    monkeypatch.setattr("lowshot.web.server.run", run)
    serve(app, port=0, open_browser=False)
    printed = capsys.readouterr()
    assert f"http://127.0.0.1:{connected[0][1]}/" in printed.out
    assert printed.err == "Ctrl-C stops the page; every answer is stored at once.\n"


def test_one_plan_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older one that takes longer would replace a newer one."""
    pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    site = make_app(lowshot.Evaluation(pool, store=tmp_path / "birds.db"), Shown("text", lambda item: [])).state.site
    go_on = Event()
    monkeypatch.setattr(Planned, "_make", lambda *_: go_on.wait())
    assert site.planned.due(0)
    making = site.planned.make(site.snapshot())
    assert not site.planned.due(1000)
    go_on.set()
    making.join()
    assert site.planned.due(1000)
    assert not site.planned.due(1000)


SERVE = """
import sys, lowshot, lowshot.web, lowshot.web.log
lowshot.web.log.INTERVAL = 3600.0  # "once" must not depend on how long a test takes
pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
evaluation = lowshot.Evaluation(pool, store=sys.argv[1])
app = lowshot.web.make_app(evaluation, lowshot.web.Shown("text", lambda item: [("text", str(item))]))
lowshot.web.serve(app, port=0, open_browser=False)
"""
FEW = 128  # open files of the process that serves


@contextmanager
def process(folder: Path, soft: int, hard: int) -> Iterator[tuple[int, int, Path]]:
    """The page in a process that may open only so many files: its port, its id and its log."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    command = [sys.executable, "-c", SERVE, str(folder / "birds.db")]
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=limit)
    try:
        assert child.stdout is not None
        port = int(child.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
        yield port, child.pid, folder / "log"
    finally:
        child.kill()
        child.communicate()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def labelled(port: int) -> int:
    """Take an item and answer it, each request on a connection of its own; the labels there are then."""

    def post(path: str, body: dict[str, str]) -> dict[str, object]:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as client:
            client.request(
                "POST", path, json.dumps(body), {"Content-Type": "application/json", "Cookie": "lowshot_name=ann"}
            )
            reply = client.getresponse()
            assert reply.status == 200
            found: dict[str, object] = json.loads(reply.read())
            return found

    items = post("/api/items", {})["items"]
    assert isinstance(items, list)
    labels = post("/api/answer", {"item": items[0]["item"], "answer": "yes"})["labels"]
    assert isinstance(labels, int)
    return labels


@pytest.mark.slow
@pytest.mark.parametrize(
    "sends",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1",
        b"POST /api/name HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{",
    ],
)
def test_idle_connections_keep_nobody_out(tmp_path: Path, sends: bytes) -> None:
    """Three times as many as the process may have files, with nothing, half a head or half a body."""
    with process(tmp_path, FEW, FEW) as (port, _, log), ExitStack() as idle:
        for number in range(3 * FEW):
            one = idle.enter_context(connected(port))
            one.sendall(sends)
            if number == FEW:
                assert labelled(port) == 1
        assert labelled(port) == 2
        assert log.stat().st_size < 2000, log.read_text()[:2000]


@pytest.mark.slow
def test_more_files_are_asked_for(tmp_path: Path) -> None:
    with process(tmp_path, FEW, 2048) as (port, pid, _):
        assert labelled(port) == 1
        assert resource.prlimit(pid, resource.RLIMIT_NOFILE) == (2048, 2048)


@pytest.mark.slow
def test_an_error_is_logged_once(tmp_path: Path) -> None:
    with process(tmp_path, FEW, FEW) as (port, _, log):
        for _ in range(200):
            with connected(port) as one:
                one.sendall(b"nonsense\r\n\r\n")
                assert one.recv(100).startswith(b"HTTP/1.1 400")
        assert log.read_text().count("Invalid HTTP request received.") == 1


def app_of(tmp_path: Path, text: Callable[[], str] = str) -> "FastAPI":
    pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    evaluation = lowshot.Evaluation(pool, store=tmp_path / "birds.db")
    return make_app(evaluation, Shown("text", lambda _: [("text", text())]))


@contextmanager
def sent_before(sends: bytes, app: "FastAPI") -> Iterator[tuple[socket.socket, Serving]]:
    """What has arrived when the server begins, in a thread: however slow this machine is, it does not come too late."""
    with listen("127.0.0.1", 0) as listening, connected(listening.getsockname()[1]) as one:
        one.sendall(sends)
        with serving(app, listening) as found:
            yield one, found


def posted(path: str, body: bytes = b"") -> bytes:
    """A request of ann."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nCookie: lowshot_name=ann\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize("sends", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET "])
def test_a_request_that_does_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sends: bytes) -> None:
    """Also on a connection that had one before."""
    monkeypatch.setattr(Connection, "patience", 0.2)
    received = b""
    with sent_before(sends, app_of(tmp_path)) as (one, _), suppress(ConnectionResetError):
        while found := one.recv(65536):  # until the server closes it; a timeout fails the test
            received += found
    assert received.startswith(b"HTTP/1.1 200") == sends.endswith(b"GET ")


def test_a_reply_that_takes_long_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "patience", 0.01)
    look, looks = Connection._look, list[Connection]()

    def looking(connection: Connection) -> None:
        looks.append(connection)
        look(connection)

    def slow() -> str:
        """The server looks ten times whether the client is late, which it is not."""
        wanted, end = len(looks) + 10, time.monotonic() + 60
        while len(looks) < wanted and time.monotonic() < end:
            time.sleep(0.01)
        return "text"

    monkeypatch.setattr(Connection, "_look", looking)
    app = app_of(tmp_path, slow)
    (item,) = app.state.site.desk.take("ann")
    answer = json.dumps({"item": app.state.site.name(item), "answer": "yes"}).encode()
    with sent_before(posted("/api/answer", answer), app) as (one, _), closing(http.client.HTTPResponse(one)) as reply:
        reply.begin()
        assert reply.status == 200
        assert json.loads(reply.read())["labels"] == 1
    assert len(looks) >= 10


def test_a_reply_that_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is held in memory until it is read, or given up."""
    monkeypatch.setattr(Connection, "patience", 0.2)
    app = app_of(tmp_path, lambda: "x" * 5_000_000)
    with sent_before(posted("/api/items"), app) as (one, (_, server)):
        assert one.recv(100).startswith(b"HTTP/1.1 200")
        while server.server_state.connections:  # the last one is closed without the rest being read
            time.sleep(0.02)
