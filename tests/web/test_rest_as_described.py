"""Whatever is sent to the API: an answer as it is described, or a refusal in words; never a crash."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lowshot.web import Shown, make_app

from .described import HEADERS, assert_as_described, description
from .models import several
from .people import OWNER, TOKEN


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder: Path = tmp_path_factory.mktemp("api")
    evaluation, _ = several(folder, ("v1", "v2"), labels=20)
    shown = Shown("text", lambda item: [("text", f"item {item}")])
    app = make_app(evaluation, shown, token=TOKEN, owner_token=OWNER)
    with description(app) as found:
        yield found


OPERATIONS = [
    ("POST", "/ask"),
    ("POST", "/tell"),
    ("GET", "/status"),
    ("GET", "/estimate"),
    ("GET", "/table"),
    ("GET", "/compare"),
    ("GET", "/thresholds"),
    ("GET", "/choice"),
]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_api_is_as_it_is_described(described: Any, method: str, path: str) -> None:
    assert_as_described(described, method, path, examples=60)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/compare", {"baseline": "v1", "candidate": "v2"}),
        ("/compare", {"baseline": "v1", "candidate": "v2", "metric": "recall", "margin": 0.1, "confidence": 0.9}),
        ("/table", {"metric": "precision"}),
        ("/estimate", {"model": "v2"}),
        ("/thresholds", {"model": "v2", "band": "simultaneous", "confidence": 0.9}),
        ("/choice", {"model": "v2", "recall": 0.9, "precision": 0.2, "reading": "bare", "confidence": 0.8}),
        ("/choice", {"model": "v1", "maximise": "f2"}),
    ],
)
def test_answers_about_models_are_as_they_are_described(described: Any, path: str, query: dict[str, Any]) -> None:
    """Names of models that exist are too rare among those that are made up."""
    reply = described[f"/api/v1{path}"]["GET"].Case(query=query).call_and_validate(headers=HEADERS)
    assert reply.status_code == 200


def test_every_operation_is_tried(described: Any) -> None:
    found = [(result.ok().method.upper(), result.ok().path) for result in described.get_all_operations()]
    assert sorted(found) == sorted((method, f"/api/v1{path}") for method, path in OPERATIONS)
