"""`/api/v1`, for other tools."""

from lowshot import Evaluation
from lowshot.testing import Task
from lowshot.web import Shown, make_app

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
    assert sorted(described["paths"]) == ["/api/v1/ask", "/api/v1/estimate", "/api/v1/status", "/api/v1/tell"]
    assert described["components"]["schemas"]["Tell"]["examples"]
    assert "HTTPBearer" in described["components"]["securitySchemes"]
