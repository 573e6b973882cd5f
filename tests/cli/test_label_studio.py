"""Items to a real Label Studio server, through its requests and its page in a browser, and labels back: by files, and
over HTTP with `lowshot label-studio`."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as arrow
import pyarrow.parquet
import pytest

from lowshot.cli.label_studio import client_of

from ..browsers import LONG_MS, expect, new_context
from ..helpers import found, good, invoke, refused
from ..needed import module
from ..programs import run
from .birds import BEGIN, truth, write_pool
from .studio import Person, Project, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

ATTEMPTS = 12  # to press a key and to submit, since a page may not listen yet
AGAIN_MS = 20_000  # milliseconds that an attempt is given to have an effect: longer than a busy machine needs
QUESTION = 'Is "this" <a> crow for $5?'
TEXTS = ['a, "b".jpg', "é\u2028 ü", "007", "7", " sp ", "<b>&amp;</b>", "s3://b/x.jpg", "{{x}}", "null", "$undefined$"]
KINDS = [f"bird {number}" for number in range(13)]  # so many that the config has a field to search them
SETTLE_S = 0.5
KILLED = """
import os, signal, sys
from lowshot.cli import main
from lowshot.integrations.label_studio import client, sync
sync.SETTLE = 0.5
moment, send = sys.argv.pop(1), client.Client.send
def killed(*arguments):
    if moment == "after":
        send(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
client.Client.send = killed
main()
"""
COMMAND = "from lowshot.cli import main; main()"
NUMBERS = [2**64 - 1 - number for number in range(6)]  # a browser would round them


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("label-studio")) as address:
        yield address


def begin(ids: Any, field: str, values: list[str], *arguments: str) -> None:
    """A store whose sampler hands out the whole pool."""
    columns = {"path": ids, "p": np.linspace(1, 0, len(values)), field: values}
    pyarrow.parquet.write_table(arrow.table(columns), "pool.parquet")
    columns_of = ("--pool", "pool.parquet", "--id", "path", "--score", "p", "--threshold", "0.5", "--field", field)
    good("start", "birds.db", *columns_of, "--sampler", "rand", "--question", QUESTION, *arguments)


def imported(owner: Person) -> Project:
    """What ask writes, in a project with the labelling config that it prints."""
    config = good("ask", "birds.db", "--format", "label-studio", "--config").stdout
    good("ask", "birds.db", "--count", "100", "--format", "label-studio", "-o", "tasks.json")
    return Project.imported(owner, config, Path("tasks.json"))


def told(export: bytes) -> dict[str, int]:
    """How many labels of an export were new, unchanged, corrected or without an answer; there is no conflict."""
    Path("export.json").write_bytes(export)
    counted = found("tell", "birds.db", "export.json")
    assert counted.pop("conflicts") == []
    return counted


def labels() -> dict[Any, Any]:
    lines = good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")
    return {row["id"]: row["label"] for row in map(json.loads, lines)}


def pending() -> set[str]:
    tasks = json.loads(good("ask", "birds.db", "--again", "--count", "100", "--format", "label-studio").stdout)
    return {task["data"]["id"] for task in tasks}


def opened(chromium: "Browser", person: Person, project: Project, item: str) -> "Page":
    """The page on which Label Studio shows the item to this person; nothing from elsewhere is waited for."""
    context = new_context(chromium, base_url=person.address)
    context.route(lambda address: not address.startswith(person.address), lambda route: route.abort())
    cookies = person.client.cookies.items()
    context.add_cookies([{"name": name, "value": value, "url": person.address} for name, value in cookies])
    page = context.new_page()
    page.goto(f"/projects/{project.number}/data?task={project.tasks[item]}")
    expect(page.get_by_text(QUESTION.replace("$", "$\u2060"))).to_be_visible()
    return page


def press_and_submit(page: "Page", key: str) -> None:
    """The page is there before it listens to keys and clicks, so what had no effect is done again."""
    chosen = page.get_by_role("checkbox", checked=True)
    for _ in range(ATTEMPTS):
        if not chosen.count():
            page.keyboard.press(key)
        with suppress(AssertionError, module("playwright.sync_api").TimeoutError):
            expect(chosen).to_have_count(1, timeout=AGAIN_MS)
            with page.expect_request(submits, timeout=AGAIN_MS) as sent:
                page.get_by_test_id("bottombar-submit-button").click()
            break
    else:
        pytest.fail("the page sent no answer")
    answer = sent.value.response()
    assert answer is not None
    assert answer.ok


def submits(request: "Request") -> bool:
    return "/annotations" in request.url and request.method == "POST"


def test_round_trip(studio: str, chromium: "Browser", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test: in parallel several would each start a server, and that takes long."""
    monkeypatch.setattr("lowshot.integrations.label_studio.sync.SETTLE", SETTLE_S)
    ann, bob = Person(studio, "ann"), Person(studio, "bob")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", ann.token())
    with closing(ann.client), closing(bob.client):
        for check in (texts_come_back, images_come_back, killed_and_restarted, refused_by_a_real_server, rounds_go_on):
            folder = tmp_path / check.__name__
            folder.mkdir()
            monkeypatch.chdir(folder)
            check(ann, bob, chromium)


def texts_come_back(ann: Person, bob: Person, chromium: "Browser") -> None:
    """Two people, of whom the later one counts; skipped tasks, drafts and the rest stay pending."""
    begin(TEXTS, "bird title", [f"A bird\nnumber {number} ünd {{more}}" for number in range(len(TEXTS))])
    project = imported(ann)
    assert set(project.tasks) == set(TEXTS)
    yes, no, unsure, disagreed, changed, skipped, skipped_by_one, drafted, untouched, in_browser = TEXTS
    project.answer(ann, yes, "yes")
    project.answer(bob, no, "no")
    project.answer(ann, unsure, "cannot tell")
    project.answer(ann, disagreed, "yes")
    project.answer(bob, disagreed, "no")
    first = project.answer(ann, changed, "yes")
    project.answer(bob, changed, "yes")
    project.change(ann, first, "no")
    project.skip(ann, skipped)
    project.answer(ann, skipped_by_one, "yes")
    project.skip(bob, skipped_by_one)
    project.draft(ann, drafted, "yes")
    page = opened(chromium, bob, project, in_browser)
    expect(page.get_by_text(f"number {TEXTS.index(in_browser)} ünd {{more}}", exact=True)).to_be_visible()
    press_and_submit(page, "n")

    assert told(project.export("JSON")) == {"new": 7, "unchanged": 0, "corrected": 0, "unanswered": 1}
    expected = {yes: 1, no: 0, unsure: None, disagreed: 0, changed: 0, skipped_by_one: 1, in_browser: 0}
    assert labels() == expected
    assert told(project.export("JSON", everything=True)) == {"new": 0, "unchanged": 7, "corrected": 0, "unanswered": 3}
    assert labels() == expected
    assert pending() == {skipped, drafted, untouched}
    Path("min.json").write_bytes(project.export("JSON_MIN"))
    refused(r"must be Label Studio's JSON export \(not JSON-MIN\).*; export as JSON", "tell", "birds.db", "min.json")


def images_come_back(ann: Person, bob: Person, chromium: "Browser") -> None:
    """Ids are numbers; the picture is one that the server has."""
    picture = f"{ann.address}/static/images/opossum_posing.png"
    begin(arrow.array(NUMBERS, arrow.uint64()), "picture", [picture] * len(NUMBERS), "--show", "image")
    project = imported(bob)
    yes, no, unsure, *rest = map(str, NUMBERS)
    project.answer(ann, no, "no")
    project.answer(ann, unsure, "cannot tell")
    page = opened(chromium, ann, project, yes)
    expect(page.locator(f"img[src='{picture}']").first).to_be_visible()
    press_and_submit(page, "y")

    assert told(project.export("JSON")) == {"new": 3, "unchanged": 0, "corrected": 0, "unanswered": 0}
    assert labels() == {NUMBERS[0]: 1, NUMBERS[1]: 0, NUMBERS[2]: None}
    assert pending() == set(rest)


def killed_and_restarted(ann: Person, bob: Person, chromium: "Browser") -> None:
    """Killed before and after tasks are sent: each item has one task. Then what people do arrives without files."""
    begin(TEXTS, "bird title", [f"A bird number {number}" for number in range(len(TEXTS))])
    here = ("label-studio", "birds.db", "--url", ann.address, "--create", "live", "--once")
    for moment in ("before", "after"):
        run(KILLED, moment, *here, ends_with=-signal.SIGKILL)
    started = found(*here)
    assert (started["sent"], started["waiting"]) == (0, len(TEXTS))
    project = Project(ann, started["project"])
    tasks = project.refresh()
    assert sorted(task["data"]["id"] for task in tasks) == sorted(TEXTS)
    assert {(*task["data"],) for task in tasks} == {("id", "field_bird_title", "lowshot")}
    assert not any(task["predictions"] or task["meta"] for task in tasks)
    others = invoke("ask", "birds.db", "--again")
    assert (others.exit_code, f"{len(TEXTS)} pending items reserved for others" in others.stderr) == (1, True)

    yes, no, unsure, disagreed, changed, skipped, skipped_by_one, drafted, deleted, last = TEXTS
    project.answer(ann, yes, "yes")
    project.answer(bob, no, "no")
    project.answer(ann, unsure, "cannot tell")
    project.answer(ann, disagreed, "yes")
    project.answer(bob, disagreed, "no")
    first = project.answer(ann, changed, "yes")
    project.skip(ann, skipped)
    project.answer(ann, skipped_by_one, "yes")
    project.skip(bob, skipped_by_one)
    project.draft(ann, drafted, "yes")
    project.delete(deleted)
    twin = [task for task in tasks if task["data"]["id"] == last]
    ann.send("POST", f"/api/projects/{project.number}/import", json=[{"data": twin[0]["data"]}])
    seen = found(*here)
    assert (seen["new"], seen["sent"], seen["waiting"], seen["skipped"], seen["disputed"]) == (6, 1, 3, 1, 0)
    assert labels() == {yes: 1, no: 0, unsure: None, disagreed: 0, changed: 1, skipped_by_one: 1}
    ids = [task["data"]["id"] for task in project.refresh()]
    assert sorted(ids) == sorted(TEXTS)
    assert project.tasks[last] == twin[0]["id"]

    project.draft(bob, last, "yes")
    with closing(client_of(ann.address)) as client:  # a draft of somebody else, because of which a task is kept
        assert [(client.task(project.tasks[item]) or {})["draft_exists"] for item in (last, yes)] == [True, False]
        assert client.task(twin[0]["id"] + 1000) is None

    project.change(bob, first, "no")
    project.answer(bob, deleted, "yes")
    seen = found(*here)
    assert (seen["new"], seen["corrected"]) == (1, [{"id": changed, "before": "yes", "now": "no"}])
    assert (labels()[changed], labels()[deleted]) == (0, 1)


def refused_by_a_real_server(ann: Person, bob: Person, chromium: "Browser") -> None:
    """Many categories; and a token, a project and addresses that are wrong."""
    scores = {name: np.linspace(0, 1, 30) ** (place + 1) for place, name in enumerate(KINDS)}
    paths = [f"{number}.jpg" for number in range(30)]
    pyarrow.parquet.write_table(arrow.table({"path": paths, "search": paths, **scores}), "pool.parquet")
    columns_of = ("--pool", "pool.parquet", "--id", "path", "--classes", ",".join(KINDS), "--field", "search")
    good("start", "birds.db", *columns_of)
    refused(
        "--create must be a title that no other evaluation has: project .* give another title",
        *("label-studio", "birds.db", "--url", ann.address, "--create", "live", "--once"),
    )
    made = found("label-studio", "birds.db", "--url", ann.address, "--create", "kinds", "--once")
    project = Project(ann, made["project"])
    named, other, *_ = project.tasks
    project.answer(bob, named, KINDS[4])
    project.answer(bob, other, "none of these")
    url = ("label-studio", "birds.db", "--once", "--url")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", bob.token(legacy=True))
        assert found(*url, ann.address, "--project", str(project.number))["new"] == 2
        assert labels() == {named: KINDS[4], other: "none of these"}
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", "0123")
        refused("LABEL_STUDIO_API_KEY must be a token .* 401", *url, ann.address, "--project", str(project.number))
    refused("--project 99999 must exist", *url, ann.address, "--project", "99999")
    refused("--url must be the address of Label Studio", *url, f"{ann.address}/projects", "--project", "1")
    plain = {"title": "other", "label_config": '<View><Text name="t" value="$t"/></View>'}
    number = ann.send("POST", "/api/projects", json=plain).json()["id"]
    refused(f"--project {number} must have a labelling config", *url, ann.address, "--project", str(number))


def rounds_go_on(ann: Person, bob: Person, chromium: "Browser") -> None:
    """A webhook alone makes it look; answers open the next round, and the command ends at its goal."""
    write_pool("pool.parquet")
    good("start", "birds.db", *BEGIN)
    made = found("label-studio", "birds.db", "--url", ann.address, "--create", "rounds", "--once")
    project = Project(ann, made["project"])
    command = ["label-studio", "birds.db", "--url", ann.address, "--project", str(project.number), "--labels", "15"]
    hooks = f"/api/webhooks/?project={project.number}"
    with subprocess.Popen([sys.executable, "-c", COMMAND, *command, "--webhook", "--every", "900"]) as process:
        try:
            until(lambda: ann.send("GET", hooks).json())
            done = set[str]()
            while len(done) < 15:
                until(lambda: project.refresh() and project.tasks.keys() - done)
                for item in project.tasks.keys() - done:
                    project.answer(bob, item, "yes" if truth()[item] else "no")
                    done.add(item)
            assert process.wait(LONG_MS / 1000) == 0
        finally:
            process.kill()
    assert labels() == {item: truth()[item] for item in done}
    assert len(project.refresh()) == 15
    assert ann.send("GET", hooks).json() == []


def until(happens: Callable[[], Any]) -> None:
    deadline = time.monotonic() + LONG_MS / 1000
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.2)
