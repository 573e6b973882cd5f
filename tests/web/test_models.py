"""The owner's page if several models are judged, without a browser."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import lowshot
from lowshot import Evaluation, Pool, comparison
from lowshot.tasks import finish
from lowshot.web import Shown, make_app
from lowshot.web.kept import Kept

from ..test_several import scores_of
from .models import several
from .people import browser, more, say, take

PAIR = {"baseline": "v1", "candidate": "v2"}
ADDRESSES = ("/owner", "/overview", "/api/owner/state", "/api/owner/models", "/api/owner/overview", "/api/v1/status")


def got(client: Any, address: str, **wanted: Any) -> dict[str, Any]:
    reply = client.get(address, params=wanted)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def filled(client: Any, address: str, **wanted: Any) -> tuple[dict[str, Any], int]:
    """Asks until no point is missing; the last reply, and how many there were."""
    for count in range(1, 100):
        if not (found := got(client, address, **wanted))["more"]:
            return found, count
    raise AssertionError("points are missing for ever")


@pytest.mark.slow
@pytest.mark.parametrize("labels", [0, 30])
@pytest.mark.parametrize("goal", [None, "best", "v2", ("v2", "v1")])
def test_every_goal(tmp_path: Path, shown: Shown, goal: Any, labels: int) -> None:
    evaluation, _ = several(tmp_path, goal, labels=labels)
    ann = browser(make_app(evaluation, shown, solo=True), "ann")
    for address in ADDRESSES:
        assert ann.get(address).status_code == 200, address
    table = evaluation.table()
    found = got(ann, "/api/owner/models")
    assert [row["model"] for row in found["rows"]] == ["v1", "v2"]
    assert [row["value"] for row in found["rows"]] == [row["value"] for row in table.rows]
    assert [row["best"] for row in found["rows"]] == [row["best"] for row in table.rows]
    compared = got(ann, "/api/owner/comparison", **PAIR)
    assert compared["text"] == str(evaluation.compare("v1", "v2"))
    estimate = got(ann, "/api/owner/state")["estimate"]
    assert (estimate is None) == (goal != "v2")
    if goal == "v2":
        assert estimate["text"] == str(evaluation.estimate(model="v2"))
        assert got(ann, "/api/owner/history")["points"][-1]["value"] == evaluation.estimate().to_dict()["value"]
    item = more(ann)[0]
    assert say(ann, item).status_code == 200
    assert got(ann, "/api/owner/state")["labels"] == labels + 1


def test_one_model_with_a_helper(tmp_path: Path, shown: Shown) -> None:
    """It is judged alone, so the page is that of one model."""
    scores, truth = scores_of()
    pool = Pool(scores["v1"], threshold=2.0, helpers={"clip": scores["v2"]})
    evaluation = finish(Evaluation(pool, store=tmp_path / "birds.db"), truth, 30)
    ann = browser(make_app(evaluation, shown, solo=True))
    assert got(ann, "/api/owner/state")["estimate"]["text"] == str(evaluation.estimate())
    page = ann.get("/owner").text
    assert 'id="chart"' in page
    assert 'id="models"' not in page
    assert got(ann, "/api/owner/overview")["evaluations"][0]["goal"] is None


def test_another_model_than_the_first(tmp_path: Path, shown: Shown) -> None:
    """The page of goal v2 shows v2, not the first model of the pool."""
    evaluation, _ = several(tmp_path, "v2")
    ann = browser(make_app(evaluation, shown, solo=True))
    assert got(ann, "/api/owner/state")["estimate"]["value"] == evaluation.estimate(model="v2").value
    assert got(ann, "/api/v1/estimate")["value"] == evaluation.estimate(model="v2").value
    assert evaluation.estimate(model="v1").value != evaluation.estimate(model="v2").value
    assert "F1 of v2" in ann.get("/owner").text


def test_the_page_says_what_is_compared(tmp_path: Path, shown: Shown) -> None:
    """The goal; the only two models; nothing, if there are more."""
    for number, (goal, models, wanted) in enumerate(
        ((("v2", "v1"), 3, ("v2", "v1")), (None, 2, ("v1", "v2")), ("best", 3, ("", "")))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        evaluation, _ = several(folder, goal, models=models, labels=5)
        page = browser(make_app(evaluation, shown, solo=True, margin=0.02)).get("/owner").text
        assert f'data-baseline="{wanted[0]}" data-candidate="{wanted[1]}" data-margin="0.02"' in page


@pytest.mark.slow
def test_when_labelling_can_stop(tmp_path: Path, shown: Shown) -> None:
    """With a verdict; when the best model is known; when each interval is narrow enough."""
    for number, (goal, settings, until) in enumerate(
        (
            (("v1", "v2"), {"margin": 0.0}, {"verdict": True}),
            (("v1", "v2"), {"margin": 0.5}, {"verdict": True, "margin": 0.5}),
            ("best", {}, {"verdict": True}),
            (None, {"half_width": 0.5}, {"half_width": 0.5}),
            (None, {"half_width": 0.01}, {"half_width": 0.01}),
            ("v1", {"half_width": 0.5}, {"half_width": 0.5}),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        evaluation, _ = several(folder, goal)
        ann = browser(make_app(evaluation, shown, solo=True, **settings))
        expected = evaluation.stop_when(**until)
        assert got(ann, "/api/owner/models")["stop"] is expected
        assert got(ann, "/api/v1/status")["stop"] is expected
    assert expected is True
    assert got(browser(make_app(several(folder, "v1")[0], shown, solo=True)), "/api/v1/status")["stop"] is False


def test_the_plan_is_for_a_verdict(tmp_path: Path, shown: Shown) -> None:
    scores, truth = scores_of(items=2000, share=0.03, lifts=(2.5, 2.6))
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=("v1", "v2"), store=tmp_path / "birds.db")
    finish(evaluation, truth, 20)
    app = make_app(evaluation, shown, solo=True, margin=0.01)
    ann = browser(app, "ann")
    take(ann)
    app.state.site.planned.making.join()
    plan, wanted = got(ann, "/api/owner/state")["plan"], evaluation.plan(verdict=True, margin=0.01)
    assert plan["to_go"] == ann.post("/api/items", json={}).json()["to_go"] == -(-wanted.likely // 10) * 10 - 20
    assert plan["text"].startswith(f"Typically {plan['to_go']} more labels, ")
    assert plan["text"].endswith(", for a verdict with a margin of 0.01")


def counting(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The pairs that are compared from now on."""
    seen: list[tuple[str, str]] = []
    original = comparison.compare

    def compare(*arguments: Any) -> Any:
        seen.append(arguments[3])
        return original(*arguments)

    monkeypatch.setattr(comparison, "compare", compare)
    return seen


def test_nothing_is_compared_twice(tmp_path: Path, shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page asks every two seconds; labels that have not changed give the same answer."""
    evaluation, _ = several(tmp_path, "best")
    app = make_app(evaluation, shown, solo=True)
    app.state.site.looking.join()  # whether the goal is reached
    ann, seen = browser(app, "ann"), counting(monkeypatch)
    first = got(ann, "/api/owner/comparison", **PAIR)
    for _ in range(3):
        assert got(ann, "/api/owner/comparison", **PAIR) == first
    assert seen == [("v1", "v2")]
    other = got(ann, "/api/owner/comparison", **PAIR, margin=0.1)
    assert (len(seen), other["margin"]) == (2, 0.1)
    say(ann, more(ann)[0])
    assert got(ann, "/api/owner/comparison", **PAIR)["labels"] == evaluation.labels
    assert len(seen) == 3


def test_few_answers_are_kept() -> None:
    kept, history = Kept(), lowshot.Evaluation(Pool([0.9, 0.1], threshold=0.5)).snapshot()
    for number in range(200):
        assert kept.of(history, number, lambda number=number: number) == number  # type: ignore[misc]
    assert len(kept._found) == 50
    assert kept.of(history, 199, lambda: -1) == 199
    assert kept.of(history, 0, lambda: -1) == -1


def test_an_error_is_not_kept() -> None:
    kept, history = Kept(), lowshot.Evaluation(Pool([0.9, 0.1], threshold=0.5)).snapshot()

    def fails() -> int:
        raise lowshot.InputError("no")

    with pytest.raises(lowshot.InputError):
        kept.of(history, "key", fails)
    assert kept.of(history, "key", lambda: 1) == 1


def test_labelling_does_not_wait_for_a_comparison(
    tmp_path: Path, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation, _ = several(tmp_path, "best")
    app = make_app(evaluation, shown, solo=True)
    ann, eve = browser(app, "ann"), browser(app)
    began, go_on, replies = Event(), Event(), []
    original = comparison.compare

    def compare(*arguments: Any) -> Any:
        began.set()
        assert go_on.wait(60)
        return original(*arguments)

    monkeypatch.setattr(comparison, "compare", compare)
    asking = Thread(target=lambda: replies.append(got(eve, "/api/owner/comparison", **PAIR)))
    asking.start()
    try:
        assert began.wait(60)
        before = evaluation.labels
        for item in more(ann):
            assert say(ann, item).status_code == 200
        assert evaluation.labels == before + 3
        assert got(ann, "/api/owner/state")["labels"] == before + 3
        assert not replies, "it is still being computed"
    finally:
        go_on.set()
        asking.join()
    assert replies[0]["labels"] == before, "from the labels at the time of the request"


def test_the_difference_is_what_it_was(tmp_path: Path, shown: Shown) -> None:
    """Each point is the comparison that an evaluation with so few labels makes; a request computes some of them."""
    evaluation, _ = several(tmp_path, ("v1", "v2"), labels=30)
    ann = browser(make_app(evaluation, shown, solo=True))
    first = got(ann, "/api/owner/history/comparison", **PAIR)
    assert [point["labels"] for point in first["points"]] == [0, 30], "the last one and the first one come first"
    found, requests = filled(ann, "/api/owner/history/comparison", **PAIR)
    assert [point["labels"] for point in found["points"]] == [*range(0, 31, 2)]
    assert requests == 7, "two points each, and two were there"
    history = evaluation.snapshot()
    for point in found["points"]:
        then = evaluation.at(history.until(point["labels"])).compare("v1", "v2").to_dict()
        assert {key: point[key] for key in ("value", "low", "high")} == {
            key: then[key] for key in ("value", "low", "high")
        }
    assert found["points"][0]["value"] is None


def test_each_model_against_labels(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path, models=3, labels=30)
    ann = browser(make_app(evaluation, shown, solo=True))
    found, _ = filled(ann, "/api/owner/history/models")
    assert [one["model"] for one in found["lines"]] == ["v1", "v2", "v3"]
    for one in found["lines"]:
        assert [point["labels"] for point in one["points"]] == [*range(0, 31, 2)]
        assert one["points"][-1]["value"] == evaluation.estimate(model=one["model"]).value


def test_two_people_who_ask_for_points_get_the_same(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path, ("v1", "v2"), labels=10)
    app = make_app(evaluation, shown, solo=True)
    replies: list[dict[str, Any]] = []

    def ask() -> None:
        replies.append(filled(browser(app), "/api/owner/history/comparison", **PAIR)[0])

    asking = [Thread(target=ask) for _ in range(3)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(replies) == 3
    assert replies[0] == replies[1] == replies[2]


@pytest.mark.parametrize("address", ["/api/owner/comparison", "/api/owner/history/comparison"])
def test_bad_questions(tmp_path: Path, shown: Shown, address: str) -> None:
    evaluation, _ = several(tmp_path, labels=5)
    eve = browser(make_app(evaluation, shown, solo=True))
    for wanted, message in (
        ({"baseline": "v1"}, "candidate: field required"),
        ({"baseline": "v1", "candidate": "v9"}, "candidate must be a model of the pool, one of v1, v2: got 'v9'"),
        ({"baseline": "v1", "candidate": "v1"}, "candidate must be another model"),
    ):
        reply = eve.get(address, params=wanted)
        assert (reply.status_code, message in reply.json()["message"]) == (422, True), reply.text
    assert "margin" in eve.get("/api/owner/comparison", params={**PAIR, "margin": 2}).json()["message"]


def test_only_the_owner_sees_models(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path, labels=5)
    ann = browser(make_app(evaluation, shown), "ann")
    for path in ("models", "comparison?baseline=v1&candidate=v2", "history/models"):
        assert ann.get(f"/api/owner/{path}").status_code == 401


def test_names_are_text(tmp_path: Path, shown: Shown) -> None:
    names = ("<script>alert(1)</script>", 'a "quoted" & long name')
    evaluation, _ = several(tmp_path, (names[0], names[1]), names=names, labels=5)
    page = browser(make_app(evaluation, shown, solo=True)).get("/owner").text
    assert names[0] not in page
    assert "<option>&lt;script&gt;alert(1)&lt;/script&gt;</option>" in page
    assert 'data-candidate="a &#34;quoted&#34; &amp; long name"' in page


def test_the_overview_says_the_goal(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path, ("v1", "v2"), labels=5)
    (found,) = got(browser(make_app(evaluation, shown, solo=True)), "/api/owner/overview")["evaluations"]
    assert found["goal"] == "v2 against v1"


def test_a_large_pool(tmp_path: Path, shown: Shown) -> None:
    """Items in groups, as pools that are not in memory have them."""
    evaluation, _ = several(tmp_path, ("v1", "v2"), labels=20, levels=50, head=200)
    assert evaluation.pool.grouped
    ann = browser(make_app(evaluation, shown, solo=True))
    assert got(ann, "/api/owner/comparison", **PAIR)["text"] == str(evaluation.compare("v1", "v2"))
    assert filled(ann, "/api/owner/history/models")[0]["lines"][1]["points"][-1]["labels"] == 20
