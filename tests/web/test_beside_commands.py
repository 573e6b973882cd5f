"""The page and `lowshot ask` at one store, in processes of their own and at the same time: no item is handed to two."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import lowshot
from lowshot.testing import Task
from lowshot.web import Shown, make_app

from ..helpers import found, good
from .people import browser, say, take

pytestmark = pytest.mark.slow

LOWSHOT = (sys.executable, "-c", "from lowshot.cli.app import app; app()")


@pytest.fixture
def pool(task: Task, tmp_path: Path) -> Path:
    path = tmp_path / "pool.csv"
    pairs = zip(task.pool.scores.tolist(), task.pool.predictions.tolist(), strict=True)
    path.write_text("".join(["p,y\n", *(f"{score!r},{int(prediction)}\n" for score, prediction in pairs)]))
    return path


def lowshot_(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([*LOWSHOT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def printed(process: "subprocess.Popen[str]") -> str:
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out


def ids(process: "subprocess.Popen[str]") -> list[int]:
    """What a command handed out."""
    return [int(row["id"]) for row in csv.DictReader(io.StringIO(printed(process), newline=""))]


def label(client: TestClient, seen: set[int]) -> None:
    """Take items and answer the first; what was handed out is noted."""
    items = take(client)
    seen.update(client.app.state.site.item(item["item"]) for item in items)  # type: ignore[attr-defined]
    assert say(client, items[0]).status_code == 200


def test_the_page_and_the_command_hand_out_different_items(task: Task, where: str, pool: Path) -> None:
    good("start", where, "--pool", str(pool), "--score", "p", "--prediction", "y", "--sampler", "rand")
    evaluation = lowshot.Evaluation(lowshot.Pool(task.pool.scores, task.pool.predictions), store=where)
    app = make_app(evaluation, Shown("text", lambda item: [("item", item)]))
    ann, bob, on_the_page = browser(app, "ann"), browser(app, "bob"), set[int]()
    commands = [lowshot_("ask", where, "--count", "20", *name) for name in ((), (), ("--for", "eve"))]
    while any(command.poll() is None for command in commands) and evaluation.labels < 100:
        label(ann, on_the_page)
        label(bob, on_the_page)
    handed = [ids(command) for command in commands]
    for _ in range(5):
        label(ann, on_the_page)
    everything = [item for items in handed for item in items]
    assert [len(items) for items in handed] == [20, 20, 20]
    assert len(set(everything)) == 60
    assert not on_the_page.intersection(everything)
    held = found("status", where)["evaluations"][0]["held"]
    assert {one["name"]: one["items"] for one in held}.items() >= {"command line": 40, "eve": 20}.items()
