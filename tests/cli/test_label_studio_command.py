"""`lowshot label-studio` with a server in memory: when it stops, what it prints, and how it refuses."""

import json
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from lowshot.cli import label_studio
from lowshot.cli.app import load
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.integrations.label_studio.client import Client

from ..helpers import close_stores, found, good, invoke, refused
from ..integrations.fake_studio import NUMBER, URL, FakeStudio
from .birds import begin, truth

pytestmark = pytest.mark.usefixtures("birds")
PLAIN = ("label-studio", "birds.db", "--url", URL)
ONE = (*PLAIN, "--project", str(NUMBER))
HERE = (*ONE, "--every", "0.1")
ONCE = (*ONE, "--once")


@pytest.fixture
def studio(monkeypatch: pytest.MonkeyPatch) -> FakeStudio:
    """A server that needs no network, and no patience."""
    made = FakeStudio()
    monkeypatch.setattr(label_studio, "client_of", lambda url: Client(url, "0123", made.transport))
    monkeypatch.setattr("lowshot.integrations.label_studio.sync.SETTLE", 0.1)
    return made


def answering(monkeypatch: pytest.MonkeyPatch, studio: FakeStudio, *also: Any) -> None:
    """Between two looks, people answer everything; and something else happens."""
    happens = iter(also)

    def pause(_: Any) -> None:
        for task in studio.tasks.values():
            item = task["data"]["id"]
            if not task["annotations"]:
                studio.answer(item, "yes" if truth()[item] else "no")
        next(happens, lambda: None)()

    monkeypatch.setattr(label_studio.Work, "_pause", pause)


def test_it_stops_at_a_number_of_labels(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    answering(monkeypatch, studio)
    result = good(*HERE, "--labels", "35")
    assert result.stdout.startswith(
        "35 labels, --labels is reached; 35 new labels, 0 corrected, 35 tasks sent, 0 waiting"
    )
    assert f"'Birds': {URL}/projects/3/data" in result.stderr
    assert len(studio.tasks) == 35
    lines = good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")
    rows = {row["id"]: row for row in map(json.loads, lines)}
    assert {item: row["label"] for item, row in rows.items()} == {item: truth()[item] for item in rows}
    assert {row["annotator"] for row in rows.values()} == {"Label Studio"}
    again = found(*HERE, "--labels", "35")
    assert (again["sent"], again["new"], again["stopped"]) == (0, 0, "--labels")


def test_it_stops_at_a_half_width(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    answering(monkeypatch, studio)
    assert found(*HERE, "--half-width", "0.3")["stopped"] == "--half-width"
    low, high = (found("estimate", "birds.db")[end] for end in ("low", "high"))
    assert (high - low) / 2 <= 0.3


def test_once(studio: FakeStudio) -> None:
    """Nothing is sent twice, and no further items as long as these are not answered."""
    begin()
    first = found(*ONCE)
    assert first["sent"] == first["waiting"] == len(studio.tasks) > 0
    assert (found(*ONCE)["sent"], len(studio.tasks)) == (0, first["sent"])
    item = next(iter(studio.tasks.values()))["data"]["id"]
    given = studio.answer(item, "yes")
    assert found(*ONCE)["new"] == 1
    studio.change(item, given, "no")
    assert found(*ONCE)["corrected"] == [{"id": item, "before": "yes", "now": "no"}]
    studio.withdraw(item, given)
    assert f"the answer 'no' to item '{item}' was deleted in Label Studio: it stays" in good(*ONCE).stderr
    assert found(*ONCE)["withdrawn"] == [item]
    del studio.tasks[studio.numbers(item)[0]]
    other = next(iter(studio.tasks))
    del studio.tasks[other]
    assert found(*ONCE)["sent"] == 1  # that of the item that was not answered


def test_a_server_that_is_down_for_a_while(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    begin()

    def down(now: bool) -> Any:
        return lambda: setattr(studio, "down", now)

    answering(monkeypatch, studio, down(True), lambda: None, down(False))
    result = good(*HERE, "--labels", "20")
    assert result.stdout.startswith("20 labels, --labels is reached")
    assert result.stderr.count(f"{URL} cannot be reached (Connection refused): trying again every 0.1 seconds") == 1
    assert result.stderr.count(f"{URL} answers again") == 1


def test_a_server_that_is_down_at_first(studio: FakeStudio) -> None:
    begin()
    studio.down = True
    refused(r"studio.example:8080 cannot be reached \(.*\); start Label Studio, or correct --url", *HERE)


def test_ctrl_c(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    answering(monkeypatch, studio, lambda: signal.raise_signal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    result = found(*HERE)
    signal.signal(signal.SIGINT, before)
    assert (result["stopped"], result["labels"]) == ("Ctrl-C", 0)


def test_a_webhook_makes_it_look_and_is_removed(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    seen = list[Any]()
    answering(monkeypatch, studio, lambda: seen.extend(studio.webhooks.values()))
    good(*HERE, "--webhook", "--labels", "5")
    assert [one["project"] for one in seen] == [NUMBER]
    assert studio.webhooks == {}


def test_a_webhook_that_is_refused_is_not_needed(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default, Label Studio refuses those to its own machine."""
    begin()
    answering(monkeypatch, studio)
    studio.refused = "URL resolves to a reserved network address"
    result = good(*HERE, "--webhook", "--labels", "5")
    assert "no webhook, answers are looked for now and then: " in result.stderr
    assert "reserved network address" in result.stderr


def test_it_makes_a_project(studio: FakeStudio) -> None:
    begin("--question", "Is this a crow?")
    arguments = ("label-studio", "birds.db", "--url", URL, "--create", "Crows", "--once")
    assert f"project {NUMBER} was made\n" in good(*arguments).stderr
    assert '<Header value="Is this a crow?"/>' in studio.project["label_config"]
    assert f"project {NUMBER} was made before" in good(*arguments).stderr


def test_a_store_that_is_begun_again_does_not_go_on_in_the_old_project(studio: FakeStudio) -> None:
    begin("--question", "Is this a cow?")
    create = (*PLAIN, "--once", "--create")
    good(*create, "Crows")
    for task in studio.tasks.values():
        studio.annotate(task["id"], "yes")
    assert found(*create, "Crows")["new"] > 0
    close_stores()
    for file in Path.cwd().glob("birds.db*"):
        file.unlink()
    begin("--question", "Is this a crow?")
    refused(f"--create must be a title that no other evaluation has: project {NUMBER}, 'Crows',", *create, "Crows")
    assert found(*create, "New crows")["labels"] == 0


def people_disagree(monkeypatch: pytest.MonkeyPatch, studio: FakeStudio) -> None:
    """Between two looks, two people answer everything, and disagree about the first task; not for ever."""
    days = iter(range(20))

    def pause(_: Any) -> None:
        if next(days, None) is None:
            killed()
        for task in studio.tasks.values():
            if not task["annotations"]:
                studio.annotate(task["id"], "yes", person=1)
                studio.annotate(task["id"], "no" if task["id"] == min(studio.tasks) else "yes", person=2)

    monkeypatch.setattr(label_studio.Work, "_pause", pause)


def test_disputed_items_are_said_once_and_hold_up_nobody(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    begin("--annotators-per-item", "2")
    people_disagree(monkeypatch, studio)
    result = good(*HERE, "--labels", "35")
    assert result.stderr.count("1 item disputed: decide on the owner's page") == 1
    assert result.stdout.startswith("35 labels, --labels is reached; 35 new labels, 0 corrected, 36 tasks sent, 0 wait")
    assert result.stdout.endswith(" 0 waiting for an answer, 1 disputed\n")
    again = found(*HERE, "--labels", "35")
    assert (again["waiting"], again["skipped"], again["disputed"]) == (0, 0, 1)


def test_a_goal_that_the_owner_reaches_is_noticed(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a correction on the owner's page, in another process, without another label."""
    begin()

    def reached(_: Any, opened: Opened) -> str:
        return "--half-width" if 1 in opened.evaluation.history["labels"].values() else ""

    def decides() -> None:
        desk = open_evaluation("birds.db").desk()
        desk.decide("owner", next(iter(desk.said())), 1)

    happens = iter([lambda: studio.annotate(min(studio.tasks), "no"), decides, lambda: None])

    def pause(_: Any) -> None:
        next(happens, killed)()

    monkeypatch.setattr(label_studio.Goal, "reached", reached)
    monkeypatch.setattr(label_studio.Work, "_pause", pause)
    assert found(*HERE, "--half-width", "0.1")["stopped"] == "--half-width"


def killed() -> None:
    raise KeyboardInterrupt


def test_nothing_is_left_to_ask(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("small.csv").write_text("path,p\n" + "".join(f"{number}.jpg,{number / 10}\n" for number in range(10)))
    good("start", "birds.db", "--pool", "small.csv", "--id", "path", "--score", "p", "--threshold", "0.5")

    def pause(_: Any) -> None:
        for task in studio.tasks.values():
            if not task["annotations"]:
                studio.answer(task["data"]["id"], "no")

    monkeypatch.setattr(label_studio.Work, "_pause", pause)
    result = invoke(*HERE)
    assert (result.exit_code, "nothing is left to ask" in result.stderr) == (0, True), result.output


def test_refusals(studio: FakeStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    monkeypatch.setattr(label_studio.Work, "_pause", lambda _: killed())  # what is not refused must not go on for ever
    refused("give either --project, the number of a project, or --create", *PLAIN)
    refused("give either --project, the number of a project, or --create", *HERE, "--create", "Birds")
    refused("--webhook waits for calls and --once does not wait", *ONCE, "--webhook")
    refused("--every must come without --once, which looks once: got 5 and", *ONCE, "--every", "5")
    refused("--reached-as must be this machine's name", *HERE, "--webhook", "--host", "0.0.0.0")
    refused("--reached-as must be this machine's name", *HERE, "--webhook", "--host", "")
    refused("give either --half-width or --verdict", *HERE, "--half-width", "0.1", "--verdict")
    refused("--half-width must be", *HERE, "--half-width", "7")
    refused("--project 99 must exist at", *PLAIN, "--project", "99")
    refused("--margin must come with --verdict: got 0.1 without it; add --verdict", *HERE, "--margin", "0.1")
    for option, value in (("--host", "127.0.0.1"), ("--port", "0"), ("--reached-as", "me")):
        refused(f"{option} must come with --webhook: got '?{value}'? without it; add --webhook", *HERE, option, value)
    refused("--reached-as must be a text that is not empty", *HERE, "--webhook", "--reached-as", "")
    assert studio.tasks == {}


def test_the_options_that_the_page_names_exist() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "label-studio.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith("lowshot label-studio ")]
    assert lines
    for line in lines:
        load("label-studio").make_context("label-studio", shlex.split(line)[2:])
    known = {option for one in load("label-studio").params for option in one.opts}
    live = page.split("## What annotators see")[0].split("## Live")[1]
    assert {*re.findall("--[a-z][a-z-]+", live)} - {"--annotators-per-item", "--field"} <= known  # of `start`


def test_the_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    refused(f"LABEL_STUDIO_API_KEY must be set .*{URL}/user/account.* `export LABEL_STUDIO_API_KEY=", *HERE)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "0123")
    refused("--url must be the address of Label Studio", "label-studio", "birds.db", "--url", "x", "--project", "3")
