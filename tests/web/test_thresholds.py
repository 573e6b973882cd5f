"""Thresholds on the owner's page and in `/api/v1`, without a browser."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from lowshot import Evaluation, Pool, Threshold, thresholding
from lowshot.charts.threshold_page import choice_in_words, fragment
from lowshot.tasks import finish
from lowshot.testing import Task
from lowshot.web import Shown, make_app

from .models import several
from .people import browser, say, take
from .test_models import ADDRESSES, got

GOAL = Threshold(recall=0.8, confidence=0.9)


def begun(task: Task, folder: Path, goal: Any = None, labels: int = 60, **more: Any) -> Evaluation:
    """One model in a store, with so many labels."""
    pool = Pool(task.pool.scores, task.pool.predictions)
    return finish(Evaluation(pool, goal=goal, store=folder / "birds.db", **more), task.labels, labels)


@pytest.mark.parametrize("labels", [0, 60])
def test_a_threshold_goal(task: Task, tmp_path: Path, shown: Shown, labels: int) -> None:
    evaluation = begun(task, tmp_path, GOAL, labels)
    ann = browser(make_app(evaluation, shown, solo=True), "ann")
    for address in ADDRESSES:
        assert ann.get(address).status_code == 200, address
    choice = evaluation.choose_threshold()
    found = got(ann, "/api/owner/thresholds")
    assert found["curve"] == fragment(evaluation.thresholds(), choice)
    assert found["choice"] == choice_in_words(choice)
    assert found["stop"] is got(ann, "/api/v1/status")["stop"] is choice.certified
    assert got(ann, "/api/v1/status")["goal"] == "a threshold with recall of at least 0.8"
    assert got(ann, "/api/owner/overview")["evaluations"][0]["goal"] == "a threshold with recall of at least 0.8"
    assert got(ann, "/api/owner/history")["half_width"] is None, "no width of the interval is wanted"
    page = ann.get("/owner").text
    assert 'id="choice"' in page
    assert 'data-certifies="yes"' in page
    assert "dashed: the wanted width" not in page


def test_labelling_can_stop_when_a_threshold_is_certified(task: Task, tmp_path: Path, shown: Shown) -> None:
    evaluation = begun(task, tmp_path, Threshold(recall=0.5, confidence=0.5), labels=400)
    assert evaluation.choose_threshold().certified
    ann = browser(make_app(evaluation, shown, solo=True, half_width=0.001))
    assert got(ann, "/api/v1/status")["stop"] is True
    assert got(ann, "/api/owner/thresholds")["stop"] is True


def test_the_largest_f1_has_no_certificate(task: Task, tmp_path: Path, shown: Shown) -> None:
    """So the width of the interval says when labelling can stop."""
    evaluation = begun(task, tmp_path, Threshold(maximise="f1"))
    ann = browser(make_app(evaluation, shown, solo=True, half_width=0.5))
    assert got(ann, "/api/v1/status")["stop"] is True
    assert got(ann, "/api/owner/history")["half_width"] == 0.5
    page = ann.get("/owner").text
    assert 'id="choice"' in page
    assert 'data-certifies="no"' in page


def test_other_goals(tmp_path: Path, shown: Shown) -> None:
    """One of several models has a curve and no choice; several have neither."""
    evaluation, _ = several(tmp_path, "v2")
    ann = browser(make_app(evaluation, shown, solo=True))
    found = got(ann, "/api/owner/thresholds")
    assert (found["curve"], found["choice"]) == (fragment(evaluation.thresholds(model="v2")), "")
    page = ann.get("/owner").text
    assert 'id="thresholds"' in page
    assert 'id="choice"' not in page
    other = tmp_path / "other"
    other.mkdir()
    ann = browser(make_app(several(other, "best", labels=5)[0], shown, solo=True))
    assert 'id="thresholds"' not in ann.get("/owner").text
    assert got(ann, "/api/owner/thresholds")["curve"] == ""


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda task, folder: begun(task, folder, sampler="acis"), "thresholds need sampler 'curve'"),
        (lambda task, folder: several(folder, "v2", labels=20, levels=50, head=200)[0], "need it in memory"),
    ],
    ids=["sampler", "large pool"],
)
def test_where_there_are_none(task: Task, tmp_path: Path, shown: Shown, made: Any, message: str) -> None:
    """The page leaves them out; the API says why."""
    ann = browser(make_app(made(task, tmp_path), shown, solo=True))
    assert ann.get("/owner").status_code == 200
    found = got(ann, "/api/owner/thresholds")
    assert (found["curve"], found["choice"], found["stop"]) == ("", "", False)
    for path, asked in (("thresholds", {}), ("choice", {"recall": 0.9})):
        reply = ann.get(f"/api/v1/{path}", params=asked)
        assert reply.status_code == 422
        assert message in reply.json()["message"]


def test_other_tools(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path)
    tool = browser(make_app(evaluation, shown))
    assert got(tool, "/api/v1/thresholds", model="v2") == evaluation.thresholds(model="v2").to_dict()
    asked: dict[str, Any] = {"model": "v1", "band": "simultaneous", "confidence": 0.8}
    assert got(tool, "/api/v1/thresholds", **asked) == evaluation.thresholds(**asked).to_dict()
    for wanted in (
        {"recall": 0.9},
        {"precision": 0.5, "reading": "bare", "confidence": 0.7},
        {"recall": 0.5, "precision": 0.5, "maximise": "f2"},
    ):
        found = got(tool, "/api/v1/choice", model="v2", **wanted)
        assert found == evaluation.choose_threshold(model="v2", **wanted).to_dict()  # type: ignore[arg-type]
    v2 = {"model": "v2"}
    for path, wrong, message in (
        ("thresholds", {}, "model must be given, because the evaluation judges several: v1, v2"),
        ("thresholds", {"model": "v3"}, "model must be a model of the pool, one of v1, v2: got 'v3'"),
        ("thresholds", {**v2, "band": "wide"}, "band: input should be 'pointwise' or 'simultaneous'"),
        ("thresholds", {**v2, "confidence": 1}, "confidence"),
        ("choice", v2, "choose_threshold needs a target: got none; give recall=, precision= or maximise="),
        ("choice", {**v2, "recall": 0}, "recall: input should be greater than 0"),
        ("choice", {**v2, "recall": 1.5}, "recall: input should be less than or equal to 1"),
        ("choice", {**v2, "precision": "nan"}, "precision"),
        ("choice", {**v2, "maximise": "recall"}, "maximise must be f1, f2, f0.5 or another f"),
        ("choice", {**v2, "recall": 0.9, "reading": "both"}, "reading: input should be 'set' or 'bare'"),
        ("choice", {**v2, "recall": 0.9, "confidence": 0.2}, "confidence"),
    ):
        reply = tool.get(f"/api/v1/{path}", params=wrong)
        assert (reply.status_code, message in reply.json()["message"]) == (422, True), reply.text


def test_the_choice_of_the_goal_for_other_tools(task: Task, tmp_path: Path, shown: Shown) -> None:
    evaluation = begun(task, tmp_path, GOAL)
    tool = browser(make_app(evaluation, shown))
    assert got(tool, "/api/v1/choice") == evaluation.choose_threshold().to_dict()
    assert got(tool, "/api/v1/choice")["confidence"] == 0.9


def test_before_the_first_label(task: Task, tmp_path: Path, shown: Shown) -> None:
    tool = browser(make_app(begun(task, tmp_path, GOAL, labels=0), shown))
    found = got(tool, "/api/v1/thresholds")
    assert (found["rows"], found["best"], found["reason"]) == ([], None, "no labels yet")
    assert found["average_precision"] == {"value": None, "low": None, "high": None}
    assert got(tool, "/api/v1/choice")["threshold"] is None


def counting(monkeypatch: pytest.MonkeyPatch, name: str) -> list[int]:
    """The labels of each computation from now on."""
    seen: list[int] = []
    original = getattr(thresholding, name)

    def compute(sampler: Any, pool: Any, history: Any, *more: Any) -> Any:
        seen.append(len(history.labels))
        return original(sampler, pool, history, *more)

    monkeypatch.setattr(thresholding, name, compute)
    return seen


def test_computed_once_for_the_same_labels(
    task: Task, tmp_path: Path, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(begun(task, tmp_path, GOAL, 20), shown, solo=True)
    ann = browser(app, "ann")
    (item, *_) = take(ann)
    app.state.site.planned.making.join()
    curves, choices = counting(monkeypatch, "thresholds"), counting(monkeypatch, "choose")
    for _ in range(3):
        got(ann, "/api/owner/thresholds")
        got(ann, "/api/v1/status")
        got(ann, "/api/owner/state")
    assert (curves, choices) == ([20], [20])
    say(ann, item)
    got(ann, "/api/owner/thresholds")
    assert (curves, choices) == ([20, 21], [20, 21])


def test_labelling_does_not_wait_for_a_curve(
    task: Task, tmp_path: Path, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = begun(task, tmp_path, labels=20)
    app = make_app(evaluation, shown, solo=True)
    ann, eve = browser(app, "ann"), browser(app)
    began, go_on, replies = Event(), Event(), []
    original = thresholding.thresholds

    def compute(*arguments: Any) -> Any:
        began.set()
        assert go_on.wait(60)
        return original(*arguments)

    monkeypatch.setattr(thresholding, "thresholds", compute)
    asking = Thread(target=lambda: replies.append(got(eve, "/api/v1/thresholds")))
    asking.start()
    try:
        assert began.wait(60)
        for item in take(ann):
            assert say(ann, item).status_code == 200
        assert evaluation.labels == got(ann, "/api/owner/state")["labels"] == 23
        assert not replies, "it is still being computed"
    finally:
        go_on.set()
        asking.join()
    assert replies[0]["labels"] == 20, "from the labels at the time of the request"


def test_labels_to_go_are_those_until_it_is_certified(task: Task, tmp_path: Path, shown: Shown) -> None:
    """What annotators see: no plan for a narrow interval, which nobody asked for."""
    evaluation = begun(task, tmp_path, Threshold(recall=0.8), labels=60)
    choice = evaluation.choose_threshold()
    assert not choice.certified
    assert choice.more
    app = make_app(evaluation, shown, solo=True)
    ann = browser(app, "ann")
    take(ann)
    app.state.site.planned.making.join()
    total = -(-(choice.labels + choice.more) // 10) * 10
    assert ann.post("/api/items", json={}).json()["to_go"] == total - 60
    text = f"About {total - 60} more labels for a certified threshold"
    assert got(ann, "/api/owner/state")["plan"] == {"to_go": total - 60, "text": text}


def test_only_the_owner_sees_thresholds(task: Task, tmp_path: Path, shown: Shown) -> None:
    ann = browser(make_app(begun(task, tmp_path, labels=5), shown), "ann")
    assert ann.get("/api/owner/thresholds").status_code == 401


def test_the_files_of_the_picture_are_served(evaluation: Evaluation, shown: Shown) -> None:
    ann = browser(make_app(evaluation, shown, solo=True))
    for name in ("thresholds.js", "thresholds.css", "page.css"):
        assert ann.get(f"/static/{name}").status_code == 200, name
        assert f"/static/{name}" in ann.get("/owner").text
