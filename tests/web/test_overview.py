"""The owner's overview: every evaluation of the store, who said what, and nobody else sees it."""

import json
from pathlib import Path
from typing import Any

import pytest

import lowshot
from lowshot import Evaluation
from lowshot.store import Header
from lowshot.web import Shown, make_app
from lowshot.web.overview import how_to_serve

from .people import OWNER, browser, differ, say, take

PAGES = ("/overview", "/api/owner/overview", "/api/owner/record")


@pytest.fixture
def other(evaluation: Evaluation, tmp_path: Path) -> Evaluation:
    """Of a pool that nobody has any more: it is in the same store, with a label and one that was known."""
    pool = lowshot.Pool([0.9, 0.8, 0.7, 0.2], threshold=0.5, ids=["w", "x", "y", "z"])
    made = Evaluation(pool, "recall", "rand", store=tmp_path / "evaluation.db", name="other", known={"z": 0})
    made.tell(made.ask(2)[:1], [1])
    made.correct("z", 1)
    return made


def overview(client: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/owner/overview").json()["evaluations"]
    return found


def record(client: Any, **wanted: Any) -> dict[str, Any]:
    reply = client.get("/api/owner/record", params=wanted)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def test_only_the_owner_sees_it(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, owner_token=OWNER)
    ann, eve = browser(app, "ann"), browser(app)
    assert [ann.get(path).status_code for path in PAGES] == [401] * 3
    assert "/overview" not in ann.get("/").text
    entered = eve.get("/overview", params={"token": OWNER})
    assert "url=/overview" in entered.text
    assert OWNER not in entered.text
    assert [eve.get(path).status_code for path in PAGES] == [200] * 3
    assert 'href="/overview"' in eve.get("/owner").text
    assert 'href="/owner"' in eve.get("/overview").text
    stranger = browser(make_app(evaluation, shown, solo=True), address="192.168.1.7")
    assert [stranger.get(path).status_code for path in PAGES] == [401] * 3
    described = eve.get("/api/v1/openapi.json").text
    assert "overview" not in described
    assert "record" not in described


def test_every_evaluation(evaluation: Evaluation, shown: Shown, other: Evaluation) -> None:
    app = make_app(evaluation, shown, wanted=2, owner_token=OWNER)
    ann, bob, eve = browser(app, "ann"), browser(app, "bob"), browser(app, "eve")
    eve.get("/owner", params={"token": OWNER})
    differ(ann, bob, ("yes", "no", "no"))
    mine, theirs = overview(eve)
    assert {key: mine[key] for key in ("name", "question", "metric", "sampler", "items", "served", "serve")} == {
        "name": "evaluation",
        "question": "evaluation",
        "metric": "f1",
        "sampler": "curve",
        "items": 400,
        "served": True,
        "serve": "",
    }
    assert (mine["labels"], mine["known"], mine["pending"], mine["disputed"]) == (1, 0, len(evaluation.pending), 2)
    assert [(one["name"], one["items"], one["decisions"]) for one in mine["annotators"]] == [
        ("ann", 3, 0),
        ("bob", 3, 0),
    ]
    assert mine["first"] <= mine["last"]
    assert (theirs["labels"], theirs["known"], theirs["pending"], theirs["items"]) == (1, 1, 1, 4)
    assert (theirs["served"], theirs["annotators"]) == (False, [])
    assert "name='other'" in theirs["serve"]


def test_who_said_what(evaluation: Evaluation, shown: Shown, other: Evaluation) -> None:
    app = make_app(evaluation, shown, solo=True)
    ann = browser(app, "ann")
    first, second, third = take(ann)
    for item in (first, second, third):
        say(ann, item, "yes")
    say(ann, third, "cannot tell")
    ann.post("/api/owner/decide", json={"item": second["item"], "answer": "no"})
    key = overview(ann)[0]["key"]
    found = record(ann, evaluation=key)["events"]
    assert [(row["kind"], row["answer"], row["replaced"] and row["replaced"]["answer"]) for row in found] == [
        ("decided", "no", None),
        ("answered", "cannot tell", None),
        ("answered", "yes", "cannot tell"),
        ("answered", "yes", "no"),
        ("answered", "yes", None),
    ]
    assert found[3]["replaced"] == {key: found[0][key] for key in ("kind", "annotator", "answer", "at")}
    assert found[0]["item"] == app.state.site.item(second["item"])
    assert found[0]["shown"]["id"] == found[0]["item"]
    picture, price = found[0]["shown"]["fields"]
    assert ann.get(picture["value"]).headers["content-type"] == "image/png"
    assert price["value"] == "20 €"
    assert record(ann, evaluation=key, changed=True)["events"] == found[2:4]
    nobody = record(ann, annotator="")["events"]
    assert [(row["kind"], row["item"], row["answer"], row["shown"]) for row in nobody[::2]] == [
        ("told", "z", "yes", None),
        ("known", "z", "no", None),
    ]
    assert nobody[2]["replaced"]["kind"] == "told"
    whole = record(ann)["events"]
    page = record(ann, rows=3)
    rest = record(ann, rows=200, before=json.dumps(page["next"]))
    assert (page["events"] + rest["events"], rest["next"]) == (whole, None)
    assert ann.get("/api/owner/state").json()["answers"][0]["said"][-1]["at"] == found[1]["at"]


@pytest.mark.parametrize(
    "bad",
    [
        {"before": "x"},
        {"before": "[]"},
        {"before": '["2026", 1, 99999999999999999999, 1, "a"]'},
        {"rows": 100_000},
        {"evaluation": 10**30},
        {"changed": "perhaps"},
    ],
)
def test_what_cannot_be_asked(evaluation: Evaluation, shown: Shown, bad: dict[str, Any]) -> None:
    ann = browser(make_app(evaluation, shown, solo=True), "ann")
    reply = ann.get("/api/owner/record", params=bad)
    assert reply.status_code == 422
    assert next(iter(bad)) in reply.json()["message"]


def test_how_to_serve_another() -> None:
    header = Header("a b", "?", "", 3, 1, "f1", 0.5, "curve", {}, 0, {"pool": "scores.csv"})
    assert how_to_serve(header, "my birds.db") == "lowshot label 'my birds.db' \\\n  --name 'a b' --port 0"
