"""The description that a real server gives of its API, and requests that are made up from it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import HealthCheck, given, settings

from ..needed import module
from .people import OWNER
from .servers import serving

HEADERS = {"Authorization": f"Bearer {OWNER}"}
SECONDS = 180.0  # until a reply must be there, instead of 10: a busy machine may take long for an estimate


@contextmanager
def description(app: Any) -> Iterator[Any]:
    """As schemathesis reads it, while the server runs."""
    schemathesis = module("schemathesis")
    config = module("schemathesis.config").SchemathesisConfig.from_dict({"request-timeout": SECONDS})
    with serving(app) as found:
        address = f"{found.address}/api/v1/openapi.json"
        yield schemathesis.openapi.from_url(address, config=config, headers=HEADERS, timeout=SECONDS)


def assert_as_described(described: Any, method: str, path: str, examples: int) -> None:
    """Not by schemathesis' own decorator: it needs another pytest than ours. A refusal of what fits the description is
    no mistake: it cannot say that a metric or a category must exist, or that items must have been asked.
    """
    left_out = [module("schemathesis.specs.openapi.checks").positive_data_acceptance]

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(case=described[f"/api/v1{path}"][method].as_strategy())
    def sent(case: Any) -> None:
        case.call_and_validate(headers=HEADERS, excluded_checks=left_out)

    sent()
