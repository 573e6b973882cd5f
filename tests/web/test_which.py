"""What annotators see of a page that asks "which one?", what they never see, and how an answer is refused."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import lowshot
from lowshot import ClassPool, Evaluation, which
from lowshot.web import make_app
from lowshot.which import KEYS, LIKELY, candidates

from .classes import BIRDS, WORDS, any_number, birds
from .people import OWNER, browser, say, take


def test_answers_are_categories(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path)
    app = make_app(evaluation, WORDS)
    ann = browser(app, "ann")
    first, second, third = take(ann)
    items = [app.state.site.item(one["item"]) for one in (first, second, third)]
    for item, word in ((first, "heron"), (second, "none of these"), (third, "cannot tell")):
        assert say(ann, item, word).status_code == 200
    assert evaluation.history["labels"] == dict(zip(items, ["heron", lowshot.OTHER, None], strict=True))
    assert ann.post("/api/undo", json={}).json()["items"] == [third]
    assert say(ann, third, "owl").status_code == 200, "a change of mind"
    assert evaluation.history["labels"][items[2]] == "owl"
    again = Evaluation(evaluation.pool, store=tmp_path / "birds.db")
    assert again.history["labels"] == evaluation.history["labels"]


@pytest.mark.parametrize("wanted", [1, 2])
def test_names_that_are_numbers(tmp_path: Path, wanted: int) -> None:
    """A label is the place of a class, which is another number than its name."""
    pool = ClassPool(np.eye(3)[[0, 1, 2, 2, 1]], classes=[2, 0, 1])
    evaluation = Evaluation(pool, store=tmp_path / "numbers.db")
    app = make_app(evaluation, WORDS, wanted=wanted)
    people = [browser(app, name) for name in ("ann", "bob")[:wanted]]
    item = [take(one) for one in people][-1][0]
    for one in people:
        assert say(one, item, "2").status_code == 200
    assert [*evaluation.history["labels"].values()] == [2]


def test_a_name_that_is_no_class(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path)
    ann = browser(make_app(evaluation, WORDS), "ann")
    item = take(ann)[0]
    for word, message in (
        ("herron", "answer must be a category of the pool: got 'herron'; the nearest is 'heron'"),
        ("yes", "answer must be a category of the pool: got 'yes'; "),
        ("", "answer must be a category, 'none of these' or 'cannot tell': got ''"),
        ("x" * 30_000, "answer: "),
    ):
        reply = say(ann, item, word)
        assert reply.status_code == 422
        assert reply.json()["message"].startswith(message)
        assert evaluation.labels == 0
    assert say(ann, item, "heron").status_code == 200


def test_annotators_see_nothing_of_the_model(tmp_path: Path) -> None:
    """No score, prediction, id, other answers or estimate: in pages, replies, headers and refusals."""
    evaluation, _ = birds(tmp_path, classes=40)
    app = make_app(evaluation, WORDS, wanted=2)
    ann, bob = browser(app, "ann"), browser(app, "robert")
    replies = [ann.get("/"), ann.get("/api/classes"), ann.post("/api/items", json={})]
    items = take(ann)
    replies += [say(ann, items[0], "owl"), ann.post("/api/undo", json={}), say(bob, items[1], "owl")]
    replies += [say(bob, {"item": "nothing"}, "owl"), say(ann, items[0], "herron")]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 200, 200, 422, 422, 422]
    for reply in replies:
        text = f"{reply.url} {reply.headers} {reply.text}".lower()
        for word in ("bird-", "score", "predict", "estimate", "interval", "birds.db", "robert", "macro", "probab"):
            assert word not in text, (word, reply.url)
    assert {key for item in items for key in item} == {"item", "fields", "candidates"}
    assert {key for item in items for part in item["fields"] for key in part} == {"kind", "name", "value"}
    assert ann.get("/api/classes").json() == {"classes": list(evaluation.pool.categories)}
    for path in ("/owner", "/api/owner/state", "/api/owner/categories", "/api/owner/history"):
        assert ann.get(path).status_code == 401


def test_the_order_of_buttons_says_nothing_about_the_prediction(tmp_path: Path) -> None:
    """The predicted class is equally often at every place: chi-squared with 5 degrees of freedom, 0.999 quantile."""
    evaluation, _ = birds(tmp_path, classes=40, items=3000)
    pool = evaluation.pool
    assert isinstance(pool, ClassPool)
    assert pool.ids is not None
    places = Counter[int]()
    for item, predicted in zip(pool.ids, pool.table.predicted.tolist(), strict=True):
        shown = candidates(pool, item, evaluation.seed)
        assert len(set(shown)) == LIKELY
        places[shown.index(pool.categories[predicted])] += 1
    expected = len(pool) / LIKELY
    assert sum((places[place] - expected) ** 2 / expected for place in range(LIKELY)) < 20.5


def test_the_order_of_buttons_stays(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, classes=40)
    first = take(browser(make_app(evaluation, WORDS), "ann"))
    again = take(browser(make_app(Evaluation(evaluation.pool, store=tmp_path / "birds.db"), WORDS), "ann"))
    assert [item["candidates"] for item in first] == [item["candidates"] for item in again]
    pool: Any = evaluation.pool
    orders = {tuple(candidates(pool, "bird-0.png", seed)) for seed in range(20)}
    assert len(orders) > 10, "another evaluation has another order"
    assert len({frozenset(order) for order in orders}) == 1


def test_few_classes_all_have_buttons(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, classes=KEYS)
    ann = browser(make_app(evaluation, WORDS), "ann")
    orders = [item["candidates"] for item in take(ann)]
    assert all(sorted(order) == sorted(BIRDS[:KEYS]) for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    assert "Search all classes" not in ann.get("/").text


def test_classes_without_a_score_are_candidates_only_to_fill_up(tmp_path: Path) -> None:
    """Rows (id, class, score): an item may have fewer classes than buttons."""
    ids = ["a", "a", *("b" for _ in BIRDS)]
    frame = pd.DataFrame({"id": ids, "class": ["heron", "crow", *BIRDS], "score": [0.6, 0.3, *(0.05 for _ in BIRDS)]})
    frame.to_parquet(tmp_path / "rows.parquet")
    pool = ClassPool(tmp_path / "rows.parquet", ids="id")
    assert {"crow", "heron"} < {*candidates(pool, "a", 0)}
    assert [len(candidates(pool, item, 0)) for item in ("a", "b")] == [LIKELY, LIKELY]


def test_candidates_where_any_number_apply(tmp_path: Path) -> None:
    evaluation, _ = any_number(tmp_path, classes=40)
    pool: Any = evaluation.pool
    for position in (0, 7, len(pool) - 1):
        mine = pool.table.item == position
        best = pool.table.place[mine][np.argsort(-pool.table.score[mine], kind="stable")][:LIKELY]
        assert which.best(pool, position) == best.tolist()


@pytest.mark.slow
def test_the_owner_decides_among_classes(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path)
    app = make_app(evaluation, WORDS, wanted=2, owner_token=OWNER)
    ann, bob, eve = browser(app, "ann"), browser(app, "bob"), browser(app)
    eve.get("/owner", params={"token": OWNER})
    items = take(ann)
    take(bob)
    for item, one, other in zip(items, ("owl", "owl", "none of these"), ("owl", "kite", "none of these"), strict=True):
        say(ann, item, one)
        say(bob, item, other)
    state = eve.get("/api/owner/state").json()
    (dispute,) = state["disputed"]
    assert [one["answer"] for one in dispute["said"]] == ["owl", "kite"]
    assert state["agreement"]["same"] == pytest.approx(2 / 3)
    assert state["agreement"]["kappa"] == pytest.approx(0.5)
    bad = eve.post("/api/owner/decide", json={"item": dispute["item"], "answer": "kites"})
    assert (bad.status_code, bad.json()["message"]) == (
        422,
        "answer must be a category of the pool: got 'kites'; the nearest is 'kite'",
    )
    decided = eve.post("/api/owner/decide", json={"item": dispute["item"], "answer": "teal"})
    assert decided.json() == {"label": "teal"}, "any class, also one that nobody named"
    assert eve.get("/api/owner/state").json()["disputed"] == []
    eve.post("/api/owner/decide", json={"item": items[0]["item"], "answer": "none of these"})
    labels = evaluation.history["labels"]
    assert [*labels.values()] == [lowshot.OTHER, lowshot.OTHER, "teal"]


def test_the_overview_has_the_words_of_each_evaluation(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, goal=["heron", "crow"])
    other = Evaluation(lowshot.Pool([0.9, 0.2], threshold=0.5), store=tmp_path / "birds.db", name="other")
    other.tell(other.ask(1), [1])
    app = make_app(evaluation, WORDS, solo=True)
    ann = browser(app, "ann")
    item = take(ann)[0]
    say(ann, item, "swan")
    say(ann, item, "gull")
    events = ann.get("/api/owner/record").json()["events"]
    said = {(event["evaluation"], event["answer"]) for event in events}
    assert said == {("other", "yes"), ("evaluation", "swan"), ("evaluation", "gull")}
    assert [event["replaced"]["answer"] for event in events if event["replaced"]] == ["gull"]
    cards = ann.get("/api/owner/overview").json()["evaluations"]
    assert [card["goal"] for card in cards] == ["heron, crow", None]


def test_a_prediction_without_further_scores_is_not_the_only_button() -> None:
    """A file may have the best class of an item alone: then other classes, drawn at random, stand beside it."""
    items = [f"bird-{number}.png" for number in range(60)]
    rows = pd.DataFrame({"id": items, "class": [BIRDS[number % 12] for number in range(60)], "score": 0.9})
    pool = ClassPool(rows, ids="id")
    shown = {item: candidates(pool, item, seed=3) for item in items}
    assert {len({*names}) for names in shown.values()} == {LIKELY}
    assert all(BIRDS[number % 12] in shown[item] for number, item in enumerate(items))
    assert len({frozenset(shown[item]) for item in items[::12]}) > 1, "not the same ones beside every heron"
