"""The requests that docs/ show as `curl` commands are understood by a page about one of three evaluations."""

import shlex
from argparse import ArgumentParser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from lowshot import ClassPool, Evaluation, Pool
from lowshot.web import Shown, make_app

from ..web.people import LOCAL, browser
from .pages_of_docs import blocks, commands_of, pages

IDS = list("abcde")
SCORES = [0.9, 0.8, 0.4, 0.3, 0.1]
POOLS = {
    "one model": Pool(SCORES, threshold=0.5, ids=IDS),
    "two models": Pool({"v1": SCORES, "v2": SCORES[::-1]}, threshold=0.5, ids=IDS),
    "categories": ClassPool(np.eye(3)[[0, 0, 1, 1, 2]] * 0.7 + 0.1, classes=["heron", "crow", "wren"], ids=IDS),
}


def requests() -> list[str]:
    shown = [block for page in pages() for block in blocks(page) if block.language == "sh"]
    return [command for block in shown for command in commands_of(block) if command.startswith("curl ")]


def sent(command: str, pool: str, folder: Path) -> str | None:
    """The problem, if it is refused. The items a to e were handed out to `tool` before."""
    parser = ArgumentParser()
    parser.add_argument("-X", dest="method", default="GET")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-d", dest="body")
    parser.add_argument("address")
    given = parser.parse_args(shlex.split(command, comments=True)[1:])
    address = urlsplit(f"http://{given.address}")
    assert address.netloc == "localhost:8484", "the address that `lowshot label` prints"
    evaluation = Evaluation(POOLS[pool], store=str(folder / f"{pool}.db"))
    tool = browser(make_app(evaluation, Shown("text", {item: [("text", item)] for item in IDS})), base=LOCAL)
    assert tool.post("/api/v1/ask", json={"annotator": "tool", "count": 5}).json()["items"]
    headers = dict(header.split(": ", 1) for header in given.headers)
    path = f"{address.path}?{address.query}"
    reply = tool.request(given.method, path, headers=headers, content=given.body)
    if not reply.is_success:
        return f"{pool}: {reply.status_code} {reply.text}"
    described = tool.get("/api/v1/openapi.json").json()["paths"][address.path][given.method.lower()]
    known = {parameter["name"] for parameter in described.get("parameters", [])}
    unknown = set(parse_qs(address.query)) - known  # a parameter that is not known would be ignored
    return f"{pool}: no parameter is called {unknown}" if unknown else None


@pytest.mark.slow
@pytest.mark.parametrize("command", requests())
def test_a_request_of_a_document(command: str, tmp_path: Path) -> None:
    problems = [sent(command, pool, tmp_path) for pool in POOLS]
    assert None in problems, "\n".join(map(str, problems))


def test_a_wrong_request_is_found(tmp_path: Path) -> None:
    wrong = {"estimates": "404", "estimate?metric=no": "422", "estimate?metrics=recall": "no parameter"}
    for path, problem in wrong.items():
        assert problem in str(sent(f"curl localhost:8484/api/v1/{path}", "one model", tmp_path))
