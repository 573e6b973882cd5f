"""Whatever is sent to the API: an answer as it is described, or a refusal in words; never a crash."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from lowshot.web import Shown, make_app

from ..needed import module
from .models import several
from .people import OWNER, TOKEN
from .servers import serving

HEADERS = {"Authorization": f"Bearer {OWNER}"}


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description that a real server gives of itself."""
    schemathesis = module("schemathesis")
    folder: Path = tmp_path_factory.mktemp("api")
    evaluation, _ = several(folder, ("v1", "v2"), labels=20)
    shown = Shown("text", lambda item: [("text", f"item {item}")])
    app = make_app(evaluation, shown, token=TOKEN, owner_token=OWNER)
    with serving(app) as found:
        yield schemathesis.openapi.from_url(f"{found.address}/api/v1/openapi.json", headers=HEADERS)


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
    """Not by schemathesis' own decorator: it needs another pytest than ours. A refusal of what fits the description is
    no mistake: it cannot say that a metric must exist, or that items must have been asked.
    """
    left_out = [module("schemathesis.specs.openapi.checks").positive_data_acceptance]

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(case=described[f"/api/v1{path}"][method].as_strategy())
    def sent(case: Any) -> None:
        case.call_and_validate(headers=HEADERS, excluded_checks=left_out)

    sent()


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
