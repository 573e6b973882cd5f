"""The process that serves the page."""

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event

import pytest

import lowshot
from lowshot.web import Shown, make_app
from lowshot.web.server import listen, serve
from lowshot.web.site import Planned

from .servers import serving


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


@contextmanager
def process(folder: Path) -> Iterator[tuple[int, Path]]:
    """The page in a process of its own: its port and its log."""
    command = [sys.executable, "-c", SERVE, str(folder / "birds.db")]
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert child.stdout is not None
        yield int(child.stdout.readline().rsplit(":", 1)[1].strip("/\n")), folder / "log"
    finally:
        child.kill()
        child.communicate()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


@pytest.mark.slow
def test_an_error_is_logged_once(tmp_path: Path) -> None:
    with process(tmp_path) as (port, log):
        for _ in range(200):
            with connected(port) as one:
                one.sendall(b"nonsense\r\n\r\n")
                assert one.recv(100).startswith(b"HTTP/1.1 400")
        assert log.read_text().count("Invalid HTTP request received.") == 1


def taken(port: int) -> int:
    """The status of a request for items, on a connection of its own."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as client:
        head = {"Content-Type": "application/json", "Cookie": "lowshot_name=ann"}
        client.request("POST", "/api/items", "{}", head)
        return client.getresponse().status


def test_too_many_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Idle ones count, too. The page says that the server has a problem, and goes on when they are closed."""
    monkeypatch.setattr("lowshot.web.server.CONNECTIONS", 3)
    pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    app = make_app(lowshot.Evaluation(pool, store=tmp_path / "birds.db"), Shown("text", lambda item: []))
    with serving(app) as (port, server):
        assert taken(port) == 200
        with connected(port), connected(port):
            assert taken(port) == 503
        while server.server_state.connections:
            time.sleep(0.02)
        assert taken(port) == 200
