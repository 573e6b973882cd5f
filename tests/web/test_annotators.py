"""What annotators see on the page, what they never see, and that nothing is lost."""

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from lowshot import Evaluation, InputError, Known, Pool, StoreError
from lowshot.labelling.desk import HOLD
from lowshot.result import Plan
from lowshot.store.clock import now
from lowshot.testing import Task
from lowshot.web import Shown, make_app

from .people import OWNER, browser, say, take


def test_labelling(evaluation: Evaluation, shown: Shown) -> None:
    ann = browser(make_app(evaluation, shown), "Änn O’Hara")
    first, second, third = take(ann)
    reply = say(ann, first)
    assert [item["item"] for item in reply.json()["items"][:2]] == [second["item"], third["item"]]
    assert (reply.json()["mine"], reply.json()["labels"]) == (1, 1)
    say(ann, second, "no")
    say(ann, third, "cannot tell")
    assert [entry["label"] for entry in evaluation.history["answers"]] == [1, 0, None]
    assert ann.post("/api/undo", json={}).json()["items"] == [third]
    assert say(ann, third, "yes").status_code == 200, "a change of mind"
    assert evaluation.labels == 3
    assert "Änn O’Hara" in ann.get("/").text
    assert "Your name" in browser(ann.app).get("/").text


def test_annotators_see_nothing_of_the_model(evaluation: Evaluation, shown: Shown) -> None:
    """No score, prediction, file name, id, other answers or estimate: in pages, replies, headers and refusals."""
    app = make_app(evaluation, shown, wanted=2)
    ann, bob = browser(app, "ann"), browser(app, "bob the annotator")  # no random name has a space
    replies = [ann.get("/"), ann.post("/api/items", json={})]
    items = take(ann)
    replies += [say(ann, items[0], "yes"), ann.post("/api/undo", json={}), say(bob, items[1])]
    replies += [say(bob, {"item": "nothing"}), ann.post("/api/answer", json={"item": items[0]["item"], "answer": "x"})]
    replies += [ann.get(items[0]["fields"][0]["value"]), ann.get("/media/nothing")]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 200, 422, 422, 422, 200, 404]
    for reply in replies:
        text = f"{reply.url} {reply.headers} {'' if reply.headers['content-type'] == 'image/png' else reply.text}"
        for word in ("stroller-", "score", "predict", "estimate", "interval", "evaluation.db", "the annotator"):
            assert word not in text.lower(), reply.url
    keys = {key for reply in replies[1:5] for key in reply.json()}
    assert keys == {"items", "mine", "labels", "to_go", "why", "remaining", "enough", "message"}
    assert "last-modified" not in replies[7].headers
    assert "etag" not in replies[7].headers
    for path in ("/owner", "/api/owner/state", "/api/owner/history"):
        assert ann.get(path).status_code == 401


def test_to_go_does_not_follow_single_answers(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown)
    site, ann = app.state.site, browser(app, "ann")
    assert site.planned.due(0)
    site.planned.make(site.snapshot()).join()
    found = []
    for answer in ("yes", "no") * 10:
        reply = say(ann, take(ann)[0], answer).json()
        found.append(reply["labels"] + reply["to_go"])
    assert len(set(found)) == 1
    assert found[0] % 10 == 0


def test_more_labels_to_go_than_before_come_with_a_reason(
    evaluation: Evaluation, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever plans say, one after the other; "cannot tell" answers may leave no plan at all (None)."""
    app = make_app(evaluation, shown, owner_token=OWNER)
    site, ann = app.state.site, browser(app, "ann")
    ann.get("/owner", params={"token": OWNER})
    least, found = math.inf, []
    for likely in (100, 90, 95, 130, None, 130, 61, 60, 300):

        def plan(self: Evaluation, likely: int | None = likely, **wanted: Any) -> Plan:
            if likely is None:
                raise InputError("no plan")
            return Plan(0.05, 3, likely, likely + 205, self.labels, 3000)

        monkeypatch.setattr(Evaluation, "plan", plan)
        site.planned.due(evaluation.labels)
        site.planned.make(site.snapshot()).join()
        for _ in range(5):
            reply = say(ann, take(ann)[0]).json()
            if (to_go := reply["to_go"]) is not None:
                to_go = -(-to_go // 10) * 10  # as the page says it
                assert bool(reply["why"]) == (to_go > least)
                least = min(least, to_go)
            text = ann.get("/api/owner/state").json()["plan"]["text"]
            assert text.endswith(reply["why"])
        found.append((to_go, reply["why"]))
    assert [to_go for to_go, _ in found] == [100, 80, 90, 110, None, 100, 40, 20, 260]
    assert {why for _, why in found} == {"", "more than before, because the answers so far tell less than expected"}
    assert text.startswith(
        "Typically 255 more labels, nine of ten runs at most 465, for an interval of ± 0.05 (forecast"
    )


def test_a_plan_is_made_again_when_its_number_is_reached(evaluation: Evaluation, shown: Shown) -> None:
    """Half of all runs take more labels than are typical: the page must not say for long that they are reached."""
    planned = make_app(evaluation, shown, half_width=0.4).state.site.planned
    assert planned.due(0)
    planned.make(evaluation.snapshot()).join()
    assert 0 < planned.plan.likely < 45
    assert not planned.due(max(10, planned.plan.likely) - 1)
    assert planned.due(max(10, planned.plan.likely))


@pytest.mark.slow
def test_the_plan_counts_what_nobody_could_tell(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    """As `Evaluation.plan` does. With many skipped items no number of labels is known to be enough."""
    planned = make_app(evaluation, shown, half_width=0.1).state.site.planned

    def label(skipped: int) -> None:
        items = evaluation.ask(12)
        labels = task.answer(evaluation.pool.positions(items))
        evaluation.tell(items, [None if place < skipped else label for place, label in enumerate(labels)])
        planned.make(evaluation.snapshot()).join()

    for _ in range(3):
        label(skipped=1)
    assert planned.plan == evaluation.plan(0.1)
    for _ in range(3):
        label(skipped=6)
    with pytest.raises(InputError, match="answered 'cannot tell' alone widen"):
        evaluation.plan(0.1)
    assert planned.plan is None


@pytest.mark.slow
def test_known_labels_are_not_to_go(task: Task, shown: Shown, tmp_path: Path) -> None:
    """They count in the plan, and nobody has to give them any more."""
    items = [f"stroller-{number}.png" for number in range(0, 400, 4)]
    known = dict(zip(items, task.answer(range(0, 400, 4)), strict=True))
    pool = Pool(task.pool.scores, task.pool.predictions, ids=[f"stroller-{number}.png" for number in range(400)])
    evaluation = Evaluation(pool, store=tmp_path / "known.db", known=Known(known, drawn="uniform"))
    app = make_app(evaluation, shown, owner_token=OWNER)
    eve = browser(app, "eve")
    eve.get("/owner", params={"token": OWNER})
    planned = app.state.site.planned
    planned.make(evaluation.snapshot()).join()
    plan = evaluation.plan(0.05)
    assert plan.labels == 100
    assert 0 <= planned.to_go(0) - (plan.likely - 100) < 10
    state = eve.get("/api/owner/state").json()
    assert state["plan"] == {"to_go": planned.to_go(0), "text": planned.in_words(0)}
    assert state["plan"]["text"].startswith(f"Typically {planned.to_go(0)} more labels, nine of ten runs at most ")
    assert state["plan"]["text"].endswith(", for an interval of ± 0.05")
    assert (state["labels"], state["counts"]["known"]) == (0, 100)
    assert state["counts"]["text"] == "no labels yet; 100 known before, drawn at random"


def test_two_answers_an_item_tell_nothing_of_each_other(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, wanted=2)
    ann, bob = browser(app, "ann"), browser(app, "bob")
    items = take(ann)
    assert take(bob) == items
    say(ann, items[0], "yes")
    say(ann, items[1], "yes")
    same, other = say(bob, items[0], "yes").json(), say(bob, items[1], "no").json()
    assert same["labels"] == other["labels"] == 0, "the count would tell whether they agree"


def remaining(client: TestClient) -> str:
    found: str = client.post("/api/items", json={}).json()["remaining"]
    return found


def three_texts(where: Path, wanted: int) -> FastAPI:
    pool = Pool([0.9, 0.8, 0.2], threshold=0.5, ids=["a", "b", "c"])
    return make_app(Evaluation(pool, store=where / "texts.db"), Shown("text", lambda _: [("text", "x")]), wanted=wanted)


def test_why_there_is_no_item(tmp_path: Path) -> None:
    app = three_texts(tmp_path, wanted=1)
    ann, bob = browser(app, "ann"), browser(app, "bob")
    items = take(ann)
    assert (remaining(ann), remaining(bob)) == ("some", "others")
    for item in items:
        say(ann, item)
    assert (remaining(ann), remaining(bob)) == ("none", "none")


def test_no_item_tells_nothing_of_other_answers(tmp_path: Path) -> None:
    """With two answers per item, the same is said whether they agree or not."""
    app = three_texts(tmp_path, wanted=2)
    ann, bob, cy = browser(app, "ann"), browser(app, "bob"), browser(app, "cy")
    items = take(ann)
    assert len(items) == len(take(bob)) == 3
    for item in items:
        say(ann, item)
    assert (remaining(ann), remaining(cy)) == ("answered", "others")
    for item in items:
        say(bob, item)
    agreed = [remaining(client) for client in (ann, bob, cy)]
    assert app.state.site.evaluation.labels == 3
    say(bob, items[0], "no")
    assert len(app.state.site.desk.disputed()) == 1
    assert [remaining(client) for client in (ann, bob, cy)] == agreed == ["answered"] * 3


@pytest.mark.slow
def test_eight_people_at_once(evaluation: Evaluation, shown: Shown) -> None:
    """And the owner, who looks all the time: one lock, nothing lost, nothing twice."""
    app = make_app(evaluation, shown, owner_token=OWNER)

    def work(name: str) -> list[str]:
        client, done = browser(app, name), []
        for _ in range(5):
            done.append(take(client)[0]["item"])
            assert say(client, {"item": done[-1]}).status_code == 200
            assert client.get("/api/owner/state", headers={"Authorization": f"Bearer {OWNER}"}).status_code == 200
        return done

    with ThreadPoolExecutor(8) as threads:
        done = [item for items in threads.map(work, [f"person {number}" for number in range(8)]) for item in items]
    assert len(set(done)) == len(done) == evaluation.labels == 40


def test_a_browser_that_only_asks_blocks_nobody(evaluation: Evaluation, shown: Shown) -> None:
    """It loads its items every minute and never answers: when its time is up, the next person gets them."""
    app, passed = make_app(evaluation, shown), 0.0
    poll, bob = browser(app, "poll"), browser(app, "bob")
    app.state.site.desk.clock = lambda seconds: now(passed + seconds)
    left = take(poll)
    while passed <= HOLD:
        passed += 60
        take(poll)
    for item in take(bob):
        say(bob, item)
    assert {item["item"] for item in left} <= {app.state.site.name(item) for item in evaluation.history["labels"]}


def test_invented_names_do_not_take_the_pool(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, names=5)
    for number in range(5):
        take(browser(app, f"invented {number}"))
    for number in range(5, 40):
        refused = browser(app, f"invented {number}").post("/api/items", json={})
        assert refused.status_code == 422
        assert refused.json()["message"].startswith("No more names can label here.")
    assert 0 < len(evaluation.pending) <= 15
    with pytest.raises(InputError, match="names must be"):
        make_app(evaluation, shown, names=0)


def test_a_refused_answer_changes_nothing(
    evaluation: Evaluation, shown: Shown, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app = make_app(evaluation, shown)
    ann, bob = browser(app, "ann"), browser(app, "bob")
    item = take(ann)[0]
    assert say(bob, item).status_code == 422
    assert "no longer reserved for you" in say(bob, item).json()["message"]
    assert "enter yours" in browser(app).post("/api/items", json={}).json()["message"]

    def full(*_: Any) -> None:
        raise StoreError("store /home/eve/evaluation.db is full")

    with monkeypatch.context() as patched:
        patched.setattr(app.state.site.desk, "answer", full)
        reply = say(ann, item)
    assert reply.status_code == 503
    assert reply.json()["message"].endswith("was not saved. Tell the owner, then try again.")
    assert "/home/eve" in caplog.text, "the owner is told why"
    assert evaluation.labels == 0
    assert say(ann, item).status_code == 200


def test_an_item_that_cannot_be_shown(evaluation: Evaluation, caplog: pytest.LogCaptureFixture) -> None:
    ann = browser(make_app(evaluation, Shown("text", {})), "ann")
    assert take(ann)[0]["fields"][0]["value"].startswith("This item cannot be shown")
    assert "is missing" in caplog.text


def test_reference_and_blur(evaluation: Evaluation, root: Path) -> None:
    shown = Shown("image", lambda item: [("file", item)], root, reference=["stroller-3.png"])
    page = browser(make_app(evaluation, shown, blur=True), "ann").get("/").text
    assert 'data-blur="yes"' in page
    assert "certainly positive" in page
    assert "stroller-3" not in page
