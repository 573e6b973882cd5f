"""`/api/v1`, for other tools."""

from pathlib import Path

from lowshot import Evaluation
from lowshot.testing import Task
from lowshot.web import Shown, make_app

from .models import several
from .people import browser


def test_other_tools(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    tool = browser(make_app(evaluation, shown))
    asked = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 5}).json()
    assert (len(asked["items"]), asked["reason"]) == (5, "")
    again = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 5}).json()
    assert again == asked, "as long as they are not told"
    body = {"annotator": "tool", "items": asked["items"], "labels": [1, 0, 0, 0, None]}
    for bad, message in (
        ({**body, "labels": [1, 0]}, "one for each item"),
        ({**body, "labels": [1, 0, 0, 0, 2]}, "labels.4"),
        ({**body, "items": [*asked["items"][:4], "other"]}, "got 'other', which is not in it"),
        ({**body, "items": [*asked["items"][:4], "stroller-0.png"]}, "is not reserved for 'tool' now"),
        ({**body, "more": 1}, "more"),
        ({}, "annotator"),
    ):
        reply = tool.post("/api/v1/tell", json=bad)
        assert reply.status_code == 422
        assert message in reply.json()["message"]
        assert evaluation.labels == 0, "all or nothing"
    assert tool.post("/api/v1/tell", json=body).json() == {"states": ["has a label"] * 5, "labels": 5}
    status = tool.get("/api/v1/status").json()
    assert (status["labels"], status["pending"], status["items"]) == (5, 0, 400)
    assert tool.get("/api/v1/estimate").json()["text"] == str(evaluation.estimate())
    assert tool.get("/api/v1/estimate", params={"metric": "recall"}).json()["metric"] == "recall"
    assert "metric must be" in tool.get("/api/v1/estimate", params={"metric": "auc"}).json()["message"]


def test_several_models_for_other_tools(tmp_path: Path, shown: Shown) -> None:
    evaluation, _ = several(tmp_path, ("v1", "v2"))
    tool = browser(make_app(evaluation, shown))
    status = tool.get("/api/v1/status").json()
    assert (status["models"], status["goal"], status["stop"]) == (["v1", "v2"], "v2 against v1", True)
    pair = {"baseline": "v1", "candidate": "v2"}
    found = tool.get("/api/v1/compare", params=pair).json()
    assert found == evaluation.compare("v1", "v2").to_dict()
    asked = {"metric": "recall", "margin": 0.05, "confidence": 0.9}
    assert tool.get("/api/v1/compare", params={**pair, **asked}).json() == (
        evaluation.compare("v1", "v2", metric="recall", margin=0.05, confidence=0.9).to_dict()
    )
    assert tool.get("/api/v1/table").json() == evaluation.table().to_dict()
    precise = {"metric": "precision", "confidence": 0.8}
    assert tool.get("/api/v1/table", params=precise).json() == (
        evaluation.table(metric="precision", confidence=0.8).to_dict()
    )
    one = tool.get("/api/v1/estimate", params={"model": "v2"}).json()
    assert one["text"] == str(evaluation.estimate(model="v2"))
    for path, wanted, message in (
        ("estimate", {}, "model must be given, because the evaluation judges several: v1, v2"),
        ("estimate", {"model": "v3"}, "model must be a model of the pool, one of v1, v2: got 'v3'"),
        ("compare", {"baseline": "v1"}, "candidate: field required"),
        ("compare", {**pair, "candidate": "v1"}, "candidate must be another model than the baseline"),
        ("compare", {**pair, "baseline": "v3"}, "baseline must be a model of the pool"),
        ("compare", {**pair, "margin": -1}, "margin: input should be greater than or equal to 0"),
        ("compare", {**pair, "margin": "nan"}, "margin"),
        ("compare", {**pair, "metric": "tp"}, "models are compared by a metric of the F family"),
        ("table", {"metric": "auc"}, "metric must be"),
        ("table", {"confidence": 1}, "confidence"),
    ):
        reply = tool.get(f"/api/v1/{path}", params=wanted)
        assert reply.status_code == 422, path
        assert message in reply.json()["message"]


def test_one_model_for_other_tools(evaluation: Evaluation, shown: Shown) -> None:
    """The table has one row; there is nothing to compare it with."""
    tool = browser(make_app(evaluation, shown))
    (row,) = tool.get("/api/v1/table").json()["rows"]
    assert (row["model"], row["best"]) == ("model", 1.0)
    reply = tool.get("/api/v1/compare", params={"baseline": "model", "candidate": "v2"})
    assert (reply.status_code, reply.json()["message"]) == (
        422,
        "candidate must be a model of the pool, one of model: got 'v2'",
    )


def test_a_tool_holds_a_few_items(evaluation: Evaluation, shown: Shown) -> None:
    tool = browser(make_app(evaluation, shown))
    first = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 500}).json()
    further = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 500}).json()
    asked = tool.post("/api/v1/ask", json={"annotator": "tool", "count": 500}).json()
    assert asked["items"][: len(first["items"])] == first["items"]
    assert asked == further
    assert len(asked["items"]) == 20
    assert asked["reason"] == "a name holds at most 20 items: answer some of them first"
    tool.post("/api/v1/tell", json={"annotator": "tool", "items": asked["items"][1:], "labels": [0] * 19})
    found = tool.get("/api/v1/estimate").json()
    assert (found["labels"], found["waiting"], found["waiting_for"]) == (0, 19, 1)


def test_it_is_described(evaluation: Evaluation, shown: Shown) -> None:
    described = browser(make_app(evaluation, shown)).get("/api/v1/openapi.json").json()
    names = ("ask", "choice", "compare", "estimate", "status", "table", "tell", "thresholds")
    assert sorted(described["paths"]) == [f"/api/v1/{name}" for name in names]
    assert described["components"]["schemas"]["Tell"]["examples"]
    assert "HTTPBearer" in described["components"]["securitySchemes"]
