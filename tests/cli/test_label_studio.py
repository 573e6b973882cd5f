"""Items to a real Label Studio server, through its requests and its page in a browser, and labels back."""

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as arrow
import pyarrow.parquet
import pytest

from ..browsers import expect
from ..helpers import found, good, refused
from .studio import Person, Project, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LOADED_MS = 60_000  # the page is large, and the server may have little of a processor
QUESTION = 'Is "this" <a> crow for $5?'
TEXTS = ['a, "b".jpg', "é\u2028 ü", "007", "7", " sp ", "<b>&amp;</b>", "s3://b/x.jpg", "{{x}}", "null", "$undefined$"]
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
    return Project(owner, config, Path("tasks.json"))


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
    context = chromium.new_context(base_url=person.address)
    context.set_default_timeout(LOADED_MS)
    context.route(lambda address: not address.startswith(person.address), lambda route: route.abort())
    cookies = person.client.cookies.items()
    context.add_cookies([{"name": name, "value": value, "url": person.address} for name, value in cookies])
    page = context.new_page()
    page.goto(f"/projects/{project.number}/data?task={project.tasks[item]}")
    expect(page.get_by_text(QUESTION.replace("$", "$\u2060"))).to_be_visible(timeout=LOADED_MS)
    return page


def press_and_submit(page: "Page", key: str) -> None:
    """The page is there before it listens to keys, so a key that changed nothing is pressed again."""
    chosen = page.get_by_role("checkbox", checked=True)
    for _ in range(12):
        page.keyboard.press(key)
        with suppress(AssertionError):
            expect(chosen).to_have_count(1, timeout=LOADED_MS / 12)
            break
    expect(chosen).to_have_count(1)
    with page.expect_response(lambda response: "/annotations" in response.url and response.request.method == "POST"):
        page.get_by_test_id("bottombar-submit-button").click()


def test_round_trip(studio: str, chromium: "Browser", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test: in parallel several would each start a server, and that takes long."""
    ann, bob = Person(studio, "ann"), Person(studio, "bob")
    with closing(ann.client), closing(bob.client):
        for check in (texts_come_back, images_come_back):
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
    expect(page.get_by_text(f"number {TEXTS.index(in_browser)} ünd {{more}}", exact=True)).to_be_visible(
        timeout=LOADED_MS
    )
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
    expect(page.locator(f"img[src='{picture}']").first).to_be_visible(timeout=LOADED_MS)
    press_and_submit(page, "y")

    assert told(project.export("JSON")) == {"new": 3, "unchanged": 0, "corrected": 0, "unanswered": 0}
    assert labels() == {NUMBERS[0]: 1, NUMBERS[1]: 0, NUMBERS[2]: None}
    assert pending() == set(rest)
