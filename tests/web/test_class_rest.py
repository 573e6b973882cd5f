"""`/api/v1` with many categories: names in, estimates of categories out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lowshot
from lowshot.web import make_app

from .classes import WORDS, any_number, birds
from .described import HEADERS, assert_as_described, description
from .people import OWNER, TOKEN, browser


def test_other_tools_tell_names(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path)
    tool = browser(make_app(evaluation, WORDS))
    items = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 4}).json()["items"]
    body = {"annotator": "tool", "items": items, "labels": ["heron", "none of these", None, "wren"]}
    for bad, message in (
        ({**body, "labels": ["heron"]}, "one for each item"),
        ({**body, "labels": ["heron", "herron", None, None]}, "got 'herron' for item"),
        ({**body, "labels": ["heron", "herron", None, None]}, "the nearest is 'heron'"),
        ({**body, "labels": ["heron", ["owl"], None, None]}, "labels must be"),
        ({**body, "labels": ["heron", True, None, None]}, "labels.1"),
        ({**body, "category": "herron", "labels": [1, 0, 0, 0]}, "category must be a category of the pool"),
        ({**body, "category": "heron"}, "labels must be 0, 1 or None"),
        ({**body, "category": "heron", "labels": [1]}, "one for each item"),
        ({**body, "more": 1}, "more"),
    ):
        reply = tool.post("/api/v1/tell", json=bad)
        assert reply.status_code == 422, bad
        assert message in reply.json()["message"]
        assert evaluation.labels == 0, "all or nothing"
    assert tool.post("/api/v1/tell", json=body).json() == {"states": ["has a label"] * 4, "labels": 4}
    assert [*evaluation.history["labels"].values()] == ["heron", lowshot.OTHER, None, "wren"]


def test_yes_or_no_about_a_category(tmp_path: Path) -> None:
    """It says less than a name; a name that agrees may be told later."""
    evaluation, _ = birds(tmp_path)
    tool = browser(make_app(evaluation, WORDS))
    items = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 3}).json()["items"]
    about = {"annotator": "tool", "items": items, "labels": [1, 0, None], "category": "heron"}
    assert tool.post("/api/v1/tell", json=about).json()["labels"] == 3
    assert [*evaluation.history["labels"].values()] == ["heron", "not heron", None]
    more = {"annotator": "tool", "items": items[1:2], "labels": ["crow"]}
    assert tool.post("/api/v1/tell", json=more).status_code == 200
    assert evaluation.history["labels"][items[1]] == "crow"


def test_sets(tmp_path: Path) -> None:
    evaluation, _ = any_number(tmp_path)
    tool = browser(make_app(evaluation, WORDS))
    items = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 3}).json()["items"]
    body = {"annotator": "tool", "items": items, "labels": [["owl", "heron"], [], None]}
    assert tool.post("/api/v1/tell", json=body).status_code == 200
    assert [*evaluation.history["labels"].values()] == [["heron", "owl"], [], None]


def test_what_is_estimated(tmp_path: Path) -> None:
    evaluation, _ = birds(tmp_path, labels=60)
    assert isinstance(evaluation, lowshot.class_evaluation.ClassEvaluation)
    tool = browser(make_app(evaluation, WORDS))
    assert tool.get("/api/v1/estimate").json()["text"] == str(evaluation.estimate())
    one = tool.get("/api/v1/estimate", params={"category": "heron", "metric": "recall"}).json()
    assert one["text"] == str(evaluation.estimate(category="heron", metric="recall"))
    assert tool.get("/api/v1/estimate", params={"metric": "accuracy"}).json()["metric"] == "accuracy"
    assert tool.get("/api/v1/table").json() == evaluation.table().to_dict()
    asked = {"metric": "precision", "below": 0.5, "confidence": 0.8}
    expected = evaluation.table(metric="precision", below=0.5, confidence=0.8).to_dict()
    assert tool.get("/api/v1/table", params=asked).json() == expected
    status = tool.get("/api/v1/status").json()
    assert (status["categories"], status["goal"], status["labels"]) == (12, "the average over all classes", 60)
    for path, wanted, message in (
        ("estimate", {"category": "herron"}, "category must be a category of the pool: got 'herron'"),
        ("estimate", {"metric": "f1"}, "metric must be an average over all classes"),
        ("estimate", {"category": "heron", "metric": "f1_macro"}, "metric must be that of one category"),
        ("table", {"by": "camera"}, "camera"),
        ("table", {"below": 2}, "below"),
    ):
        reply = tool.get(f"/api/v1/{path}", params=wanted)
        assert reply.status_code == 422, path
        assert message in reply.json()["message"]
    assert tool.get("/api/v1/compare", params={"baseline": "a", "candidate": "b"}).status_code == 404


def test_slices_of_a_yes_no_pool(tmp_path: Path) -> None:
    pool = lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5, slices={"camera": ["n", "s", "n", "s", "n"]})
    evaluation = lowshot.Evaluation(pool, store=tmp_path / "slices.db")
    evaluation.tell(evaluation.ask(5), [1] * 5)
    tool = browser(make_app(evaluation, WORDS))
    found = tool.get("/api/v1/table", params={"by": "camera", "below": 0.75})
    assert found.json() == evaluation.table(by="camera", below=0.75).to_dict()
    refused = tool.get("/api/v1/table", params={"by": "month"})
    assert (refused.status_code, "month" in refused.json()["message"]) == (422, True)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    evaluation, _ = birds(tmp_path_factory.mktemp("api"), labels=20)
    app = make_app(evaluation, WORDS, token=TOKEN, owner_token=OWNER)
    with description(app) as found:
        yield found


OPERATIONS = [("POST", "/ask"), ("POST", "/tell"), ("GET", "/status"), ("GET", "/estimate"), ("GET", "/table")]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_api_is_as_it_is_described(described: Any, method: str, path: str) -> None:
    assert_as_described(described, method, path, examples=40)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/estimate", {"category": "heron", "metric": "precision", "confidence": 0.9}),
        ("/table", {"metric": "recall", "below": 0.4}),
    ],
)
def test_answers_about_categories_are_as_they_are_described(described: Any, path: str, query: dict[str, Any]) -> None:
    reply = described[f"/api/v1{path}"]["GET"].Case(query=query).call_and_validate(headers=HEADERS)
    assert reply.status_code == 200


def test_every_operation_is_tried(described: Any) -> None:
    found = [(result.ok().method.upper(), result.ok().path) for result in described.get_all_operations()]
    assert sorted(found) == sorted((method, f"/api/v1{path}") for method, path in OPERATIONS)
