"""The owner's page: decisions, and the estimate as it was."""

from pathlib import Path

import pytest

from lowshot import Evaluation, Prior
from lowshot.store.clock import now
from lowshot.testing import Task
from lowshot.web import Shown, make_app

from .people import OWNER, browser, differ, say, take


def test_the_owner_decides(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, wanted=2, owner_token=OWNER)
    ann, bob, eve = browser(app, "ann"), browser(app, "bob"), browser(app)
    eve.get("/owner", params={"token": OWNER})
    items = differ(ann, bob, ("yes", "no", "yes"))
    state = eve.get("/api/owner/state").json()
    (dispute,) = state["disputed"]
    assert dispute["id"].startswith("stroller-")
    assert [one["answer"] for one in dispute["said"]] == ["no", "yes"]
    assert state["annotators"] == [{"name": "ann", "items": 3}, {"name": "bob", "items": 3}]
    assert state["agreement"]["items"] == 3
    assert (state["labels"], state["estimate"]["labels"]) == (2, 1), "the third waits for the disputed one before it"
    assert state["agreement"]["same"] == pytest.approx(2 / 3)
    decided = {"item": dispute["item"], "answer": "no"}
    assert eve.post("/api/owner/decide", json=decided).json() == {"label": "no"}
    assert ann.post("/api/owner/decide", json=decided).status_code == 401
    again = eve.get("/api/owner/state").json()
    assert again["disputed"] == []
    row = next(row for row in again["answers"] if row["item"] == dispute["item"])
    assert (row["label"], [one["final"] for one in row["said"]]) == ("no", [False, False, True])
    eve.post("/api/owner/decide", json={"item": items[0]["item"], "answer": "no"})
    assert evaluation.history["labels"][again["answers"][-1]["id"]] == 0, "a label is changed, the old one is kept"
    assert len(eve.get("/api/owner/state", params={"rows": 2}).json()["answers"]) == 2


def test_a_fresh_page_says_once_that_there_are_no_labels(evaluation: Evaluation, shown: Shown) -> None:
    eve = browser(make_app(evaluation, shown, owner_token=OWNER))
    eve.get("/owner", params={"token": OWNER})
    state = eve.get("/api/owner/state").json()
    assert (state["counts"]["text"], state["estimate"]["reason"]) == ("no labels yet", "no interval yet")


def test_the_owner_sees_who_has_what_and_does_not_wait(evaluation: Evaluation, shown: Shown) -> None:
    """One item is taken back, another is set aside; then nothing waits."""
    app = make_app(evaluation, shown, owner_token=OWNER)
    ann, bob, eve = browser(app, "ann"), browser(app, "bob"), browser(app, "eve")
    eve.get("/owner", params={"token": OWNER})
    first, second, third = take(ann)
    say(ann, third)
    state = eve.get("/api/owner/state").json()
    assert [row["item"] for row in state["unanswered"][:2]] == [first["item"], second["item"]]
    assert [one["annotator"] for one in state["unanswered"][0]["holding"]] == ["ann"]
    assert state["unanswered"][0]["holding"][0]["until"] > now(29 * 60)
    assert state["unanswered_items"] == 3, "ann got another one for the one she answered"
    assert (state["estimate"]["waiting"], state["estimate"]["waiting_for"]) == (1, 2)
    assert state["estimate"]["text"].endswith("1 more label waits for 2 items without a label")
    assert eve.post("/api/owner/take-back", json={"item": first["item"]}).status_code == 200
    assert eve.get("/api/owner/state").json()["unanswered"][0]["holding"] == []
    assert eve.post("/api/owner/set-aside", json={"item": second["item"]}).json() == {"label": "cannot tell"}
    assert take(bob)[0] == first
    say(bob, first, "no")
    state = eve.get("/api/owner/state").json()
    assert (state["labels"], state["estimate"]["waiting"]) == (3, 0)
    aside = next(row for row in state["answers"] if row["item"] == second["item"])
    assert [(one["annotator"], one["answer"], one["final"]) for one in aside["said"]] == [("eve", "cannot tell", True)]
    assert "no longer reserved for you" in say(ann, second).json()["message"]
    for address in ("/api/owner/take-back", "/api/owner/set-aside"):
        assert ann.post(address, json={"item": first["item"]}).status_code == 401
        assert "without a label" in eve.post(address, json={"item": first["item"]}).json()["message"]


def test_a_correction_in_python(evaluation: Evaluation, shown: Shown) -> None:
    """The label is what counts, not what was said last; it can be changed back."""
    app = make_app(evaluation, shown, solo=True)
    ann = browser(app, "ann")
    item = take(ann)[0]
    say(ann, item, "yes")
    evaluation.correct(app.state.site.item(item["item"]), 0)
    (row,) = ann.get("/api/owner/state").json()["answers"]
    assert (row["label"], [one["answer"] for one in row["said"]]) == ("no", ["yes"])
    ann.post("/api/owner/decide", json={"item": item["item"], "answer": "yes"})
    assert ann.get("/api/owner/state").json()["answers"][0]["label"] == "yes"
    assert [entry["label"] for entry in evaluation.history["answers"]] == [1, 0, 1]


def test_the_trend_is_what_the_estimates_were(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    app = make_app(evaluation, shown, solo=True)
    ann, then = browser(app, "ann"), []
    for _ in range(30):
        item = app.state.site.item(take(ann)[0]["item"])
        say(ann, {"item": app.state.site.name(item)}, "yes" if task.labels[evaluation.pool.position(item)] else "no")
        then.append(evaluation.estimate().value)
    fresh = browser(make_app(evaluation, shown, solo=True))
    points = fresh.get("/api/owner/history").json()["points"]
    assert [point["labels"] for point in points] == [*range(31)]
    assert [point["value"] for point in points[1:]] == pytest.approx(then)
    planned = browser(make_app(evaluation, shown, solo=True, half_width=0.2))
    found = planned.get("/api/owner/state").json()["estimate"]
    assert found["stop"] is evaluation.stop_when(0.2) is True
    assert found["text"] == str(evaluation.estimate())


@pytest.mark.parametrize("prior", [None, Prior(prevalence=(0.03, 0.12))])
def test_the_owner_sees_what_was_known(task: Task, shown: Shown, tmp_path: Path, prior: Prior | None) -> None:
    evaluation = Evaluation(task.pool, prior=prior, store=tmp_path / "known.db")
    eve = browser(make_app(evaluation, shown, owner_token=OWNER))
    eve.get("/owner", params={"token": OWNER})
    page = eve.get("/owner")
    assert page.status_code == 200
    assert ("Known beforehand: prevalence 0.03 to 0.12</p>" in page.text) == (prior is not None)


def test_half_a_character_is_a_question_mark(evaluation: Evaluation, tmp_path: Path) -> None:
    """Texts that were cut in the middle of an emoji, in fields, instructions and the path of a picture."""
    half = "crow \ud83d"
    shown = Shown("image", lambda _: [("file", half), (half, half)], media_root=tmp_path, instructions=half)
    app = make_app(evaluation, shown, owner_token=OWNER)
    ann, eve = browser(app, "ann"), browser(app)
    eve.get("/owner", params={"token": OWNER})
    first = take(ann)[0]
    assert first["fields"][1] == {"kind": "text", "name": "crow ?", "value": "crow ?"}
    say(ann, first)
    state = eve.get("/api/owner/state").json()
    assert state["missing"]["paths"][0] == "crow ?"
    assert state["answers"][0]["fields"][1]["value"] == "crow ?"
    assert "crow ?" in ann.get("/").text
