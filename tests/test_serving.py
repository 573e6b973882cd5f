"""The process that serves the page."""

import socket
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

import lowshot
from lowshot.web import Shown, make_app
from lowshot.web.server import listen
from lowshot.web.site import Planned


def test_replies_leave_at_once() -> None:
    """asyncio switches Nagle's algorithm off only where the socket says that it is TCP."""
    with closing(listen("127.0.0.1", 0)) as listening:
        assert listening.proto == socket.IPPROTO_TCP


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
