"""The goal is reached: annotators are told that it is enough, and can go on."""

import re
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from fastapi.testclient import TestClient

from lowshot import Evaluation
from lowshot.testing import Task
from lowshot.web import Shown, make_app

from .models import several
from .people import OWNER, TOKEN, browser, more, say, take


def labelled(evaluation: Evaluation, task: Task, labels: int = 60) -> float:
    """With so many labels; the half-width of the interval."""
    while evaluation.labels < labels:
        items = evaluation.ask(labels - evaluation.labels)
        evaluation.tell(items, task.answer(evaluation.pool.positions(items)))
    interval = evaluation.estimate().interval
    assert interval is not None
    return interval.width / 2


def seen(client: TestClient) -> dict[str, Any]:
    """The reply to somebody who asks for items when the page has looked at all answers; there is no rest any more."""
    site = client.app.state.site  # type: ignore[attr-defined]
    for _ in range(2):  # the first reply begins a look
        if site.looking is not None:
            site.looking.join()
        site.watch._clock, site.watch._rests = (lambda: 0.0), 0.0
        reply: dict[str, Any] = client.post("/api/items", json={}).json()
    return reply


def test_enough(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    width = labelled(evaluation, task)
    app = make_app(evaluation, shown, half_width=round(width - 0.01, 3))
    ann, bob = browser(app, "ann"), browser(app, "bob")
    items = seen(ann)["items"]
    assert len(items) == 3
    assert seen(ann)["enough"] is None
    site = app.state.site

    def right(item: dict[str, Any]) -> str:
        return "yes" if task.labels[evaluation.pool.position(site.item(item["item"]))] else "no"

    while not site.stop(site.snapshot()):
        item = take(ann)[0]
        say(ann, item, right(item))
    pending = evaluation.pending
    reply = seen(ann)
    estimate = evaluation.estimate()
    assert reply["enough"]["found"][0].startswith(f"F1 is {estimate.value:.3f}, 95 % interval ")
    assert reply["enough"]["more"] is False
    assert reply["remaining"] == "some"
    assert [site.item(item["item"]) for item in reply["items"]] == pending, "what she held stays hers"
    assert seen(bob)["items"] == []
    assert evaluation.pending == pending, "and nobody gets new ones"
    item = reply["items"][0]
    assert say(ann, item, right(item)).json()["mine"] == reply["mine"] + 1, "what she was looking at is stored"
    assert ann.post("/api/undo", json={}).json()["items"] == [item]
    assert len(more(ann)) == 3
    item = take(ann)[0]
    assert say(ann, item, right(item)).json()["enough"]["more"] is True, "she is not asked again"
    assert seen(bob)["enough"]["more"] is False, "but he is"
    assert ann.post("/api/items", json={}).json()["enough"]["more"] is True


def test_the_owner_of_this_machine_needs_no_token(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    app = make_app(evaluation, shown, half_width=0.001 + round(labelled(evaluation, task), 3))
    ann = browser(app, "ann")
    assert ann.get("/owner").status_code == 401, "not while labels are given"
    enough = seen(ann)["enough"]
    assert ann.get(enough["owner"]).status_code == 200
    assert ann.get("/owner").status_code == 200
    assert ann.get("/api/owner/state").json()["estimate"]["stop"] is True, "the owner's page says the same"
    assert seen(ann)["enough"]["owner"] == "/owner"


@pytest.mark.parametrize(
    "settings", [{"token": TOKEN}, {"wanted": 2}, {"hosts": ["label.example.org"], "token": TOKEN}]
)
def test_others_are_told_to_stop_and_nothing_else(
    evaluation: Evaluation, shown: Shown, task: Task, settings: dict[str, Any]
) -> None:
    """Who goes on labelling must not know the estimate; and their page does not lead to the owner's."""
    half_width = 0.001 + round(labelled(evaluation, task), 3)
    app = make_app(evaluation, shown, half_width=half_width, owner_token=OWNER, **settings)
    ann, eve = browser(app), browser(app)
    for person, token in ((ann, settings.get("token")), (eve, OWNER)):
        if token:
            person.headers["authorization"] = f"Bearer {token}"
        person.post("/api/name", json={"name": "ann"})
    assert seen(ann)["enough"] == {"more": False, "found": [], "owner": None}
    assert seen(eve)["enough"]["owner"] == "/owner"
    assert seen(eve)["enough"]["found"]


def test_a_correction_makes_the_page_go_on(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    width = labelled(evaluation, task)
    ann = browser(make_app(evaluation, shown, half_width=width + 1e-6), "ann")
    assert seen(ann)["enough"] is not None
    for item, label in evaluation.history["labels"].items():
        evaluation.correct(item, 1 - label)
        if not evaluation.stop_when(width + 1e-6):
            break
    reply = seen(ann)
    assert reply["enough"] is None
    assert len(reply["items"]) == 3


def test_without_a_goal_nobody_is_told_to_stop(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    labelled(evaluation, task, 400)
    app = make_app(evaluation, shown)
    assert app.state.site.stop(evaluation.snapshot()), "the owner is, as everything is labelled"
    assert app.state.site.watch is None
    reply = browser(app, "ann").post("/api/items", json={}).json()
    assert (reply["enough"], reply["remaining"]) == (None, "none")


def test_a_verdict_is_a_goal(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path, "best")
    ann = browser(make_app(evaluation, shown), "ann")
    assert re.match("v[12] is the best of 2 models with probability ", seen(ann)["enough"]["found"][0])


def test_nobody_waits_for_a_look(
    evaluation: Evaluation, shown: Shown, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled(evaluation, task, 10)
    app = make_app(evaluation, shown, half_width=0.001)
    site, ann = app.state.site, browser(app, "ann")
    seen(ann)
    began, go_on, looks = Event(), Event(), []

    def reached(history: Any) -> bool:
        looks.append(len(history.answers))
        began.set()
        assert go_on.wait(60)
        return False

    monkeypatch.setattr(site.watch, "_reached", reached)
    try:
        for _ in range(4):
            assert say(ann, take(ann)[0]).status_code == 200
        assert began.wait(60)
        assert looks == [11], "one at a time"
    finally:
        go_on.set()
        site.looking.join()


def test_only_names_that_may_label_are_remembered(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, half_width=0.1, names=1)
    take(browser(app, "ann"))
    reply = browser(app, "bob").post("/api/more", json={})
    assert (reply.status_code, app.state.site.going_on) == (422, set())
    assert "No more names can label here" in reply.json()["message"]
