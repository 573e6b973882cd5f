"""What the page refuses: other hosts, other sites, scripts, large bodies."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.datastructures import URL
from starlette.requests import Request
from starlette.routing import Mount

import lowshot.web
from lowshot import Evaluation, InputError
from lowshot.labelling import Desk
from lowshot.testing import Task
from lowshot.web import Shown, make_app
from lowshot.web.guard import LARGEST

from .people import LOCAL, OWNER, TOKEN, browser, sent, take


def test_text_is_text(evaluation: Evaluation) -> None:
    script = "<script>alert(1)</script>"
    shown = Shown("text", lambda item: [(script, script)], question=script, instructions=script, reference=[script])
    ann = browser(make_app(evaluation, shown, solo=True), script)
    assert take(ann)[0]["fields"][0]["value"] == script
    for page in (ann.get("/"), ann.get("/owner")):
        assert script not in page.text
        assert "text/html" in page.headers["content-type"]


def test_headers(evaluation: Evaluation, shown: Shown) -> None:
    ann = browser(make_app(evaluation, shown), "ann")
    pictures = take(ann)[0]["fields"][0]["value"]
    for path in ("/", "/static/label.js", pictures, "/owner", "/nothing", "/api/v1/status"):
        headers = ann.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == ("no-cache" if "static" in path else "no-store")


def test_pages_have_no_inline_script_and_nothing_from_elsewhere() -> None:
    folder = Path(lowshot.web.__file__).parent
    for page in (folder / "templates").glob("*.html"):
        text = page.read_text()
        assert "<style" not in text
        assert "style=" not in text
        assert "://" not in text
        assert not re.search(r"""(src|href|url|action)\s*=\s*["']?\s*//""", text), "the scheme may be left out"
        assert all(part.startswith(' src="/static/') for part in text.split("<script")[1:])
        assert not any(f" on{event}=" in text for event in ("click", "load", "error", "submit"))
    for script in (folder / "static").glob("*.js"):
        assert "innerHTML" not in script.read_text()
        assert "://" not in script.read_text().replace("http://www.w3.org/2000/svg", "")


STRANGE = [
    "127.0.0.1:/static/",
    "127.0.0.1:80/static/",
    "127.0.0.1:",
    "127.0.0.1:8484:80",
    "127.0.0.1:-1",
    "localhost:٣",
]
STRANGE += [
    "127.0.0.1/static/?",
    "127.0.0.1#",
    "a@127.0.0.1:8484",
    "[::1",
    "::1",
    "[::1]x:80",
    " localhost",
    "localhost\t",
]
PIECES = ["127.0.0.1", "localhost", "[::1]", ":", ":80", "/static/", "?", "@", "["]
OTHERS = ["evil.example", "127.0.0.1.evil.example", "evil.example:8484", "", "localhost@evil"]


@pytest.mark.parametrize("host", OTHERS)
def test_another_host_is_refused(evaluation: Evaluation, shown: Shown, host: str) -> None:
    """A name that somebody else points at this machine (DNS rebinding)."""
    ann = browser(make_app(evaluation, shown), "ann")
    for path in ("/", "/api/v1/status"):
        assert ann.get(path, headers={"Host": host}).status_code == 403
    assert ann.get("/", headers={"Host": "localhost:8484"}).status_code == 200
    assert ann.get("/", headers={"Host": "[::1]:8484"}).status_code == 200


@pytest.mark.parametrize("path", ["/owner", "/api/owner/state", "/static/page.css"])
def test_a_host_is_a_name_and_a_port(evaluation: Evaluation, shown: Shown, path: str) -> None:
    app = make_app(evaluation, shown, solo=True)
    for host in STRANGE:
        reply = sent(app, path, [("host", host.encode().decode("latin-1"))])
        assert reply.status == 403, host
        assert reply.message.startswith("host must be one of the app's host names")
    for headers in ([], [("host", "localhost"), ("host", "localhost")], [("host", "localhost"), ("host", "evil")]):
        assert sent(app, path, headers).status == 403, "exactly one"


def test_the_address_that_starlette_makes_up_decides_nothing(
    evaluation: Evaluation, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Starlette 1.0.1 `request.url` began with the Host header, and so did its path."""
    monkeypatch.setattr(Request, "url", property(lambda _: URL("http://127.0.0.1/static/owner")))
    app = make_app(evaluation, shown, token=TOKEN, owner_token=OWNER)
    for path in ("/", "/owner", "/api/owner/state", "/api/v1/status"):
        reply = sent(app, path)
        assert (reply.status, reply.headers["cache-control"]) == (401, "no-store")
    assert sent(app, "/static/page.css").headers["cache-control"] == "no-cache"


def test_an_app_within_another(evaluation: Evaluation, shown: Shown) -> None:
    """Its paths are the same ones there: what is the owner's stays the owner's."""
    outer = Starlette(routes=[Mount("/label", make_app(evaluation, shown))])
    assert sent(outer, "/label/").status == 200
    for path in ("/label/owner", "/label/overview", "/label/api/owner/state"):
        assert sent(outer, path).status == 401
    assert sent(make_app(evaluation, shown), "//owner", root="/").status == 401


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    host=st.text(st.characters(max_codepoint=255), max_size=40)
    | st.lists(st.sampled_from(PIECES), max_size=3).map("".join),
    origin=st.none() | st.text(st.characters(max_codepoint=255), max_size=40),
)
def test_whatever_host_and_origin_are_sent(evaluation: Evaluation, shown: Shown, host: str, origin: str | None) -> None:
    app = make_app(evaluation, shown, solo=True)
    headers = [("host", host), ("content-type", "application/json")]
    headers += [] if origin is None else [("origin", origin)]
    served = re.fullmatch(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", host) is not None
    same = origin in (None, f"http://{host}", f"https://{host}")
    assert sent(app, "/owner", headers).status == (200 if served else 403)
    reply = sent(app, "/api/name", headers, method="POST", body=b'{"name": "ann"}')
    assert reply.status == (200 if served and same else 403)


@pytest.mark.parametrize(
    "origin", ["http://[", "http://[::1", "http://127.0.0.1:x", "http://127.0.0.1:8484/", "//", "é", ""]
)
def test_an_origin_that_is_no_address(evaluation: Evaluation, shown: Shown, origin: str) -> None:
    headers = [("host", "127.0.0.1:8484"), ("content-type", "application/json"), ("origin", origin)]
    reply = sent(make_app(evaluation, shown), "/api/name", headers, method="POST", body=b'{"name": "ann"}')
    assert (reply.status, reply.message) == (
        403,
        "a change must come from this site: got a request from another one; open the page itself",
    )


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://evil/127.0.0.1:8484"]
)
@pytest.mark.parametrize("path", ["/api/items", "/api/name", "/api/answer", "/api/owner/decide", "/api/v1/ask"])
def test_another_site_is_refused(evaluation: Evaluation, shown: Shown, origin: str, path: str) -> None:
    ann = browser(make_app(evaluation, shown, solo=True), "ann")
    assert ann.post(path, json={}, headers={"Origin": origin}).status_code == 403
    assert ann.post(path, json={}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert ann.post(path, json={}, headers={"Origin": LOCAL}).status_code in (200, 422)


def test_a_plain_form_is_no_request(evaluation: Evaluation, shown: Shown) -> None:
    """What other sites can send without asking first is text, never JSON."""
    ann = browser(make_app(evaluation, shown), "ann")
    sent = json.dumps({"annotator": "evil", "count": 5})
    assert ann.post("/api/v1/ask", content=sent, headers={"Content-Type": "text/plain"}).status_code == 422
    assert evaluation.pending == []


def test_bodies_are_small(evaluation: Evaluation, shown: Shown) -> None:
    ann = browser(make_app(evaluation, shown), "ann")
    large = b'{"name": "' + b"x" * LARGEST + b'"}'

    def chunks() -> Iterator[bytes]:  # without a length to go by
        for start in range(0, len(large), 1000):
            yield large[start : start + 1000]

    for content in (large, chunks()):
        reply = ann.post("/api/name", content=content, headers={"Content-Type": "application/json"})
        assert reply.status_code == 413
        assert "at most 65,536 bytes" in reply.json()["message"]
    assert ann.post("/api/name", json={"name": "x" * 81}).status_code == 422
    assert "one line" in ann.post("/api/name", json={"name": "a\nb"}).json()["message"]
    headers = [("host", "127.0.0.1:8484"), ("content-type", "application/json"), ("content-length", "9" * 5000)]
    assert sent(ann.app, "/api/name", headers, method="POST", body=b"{}").status == 413, "a number too long to be read"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"[" * depth + b"]" * depth, "annotator" if depth < 500 else "")  # from some depth on Python does not read it
        for depth in (100, *range(900, 1000, 10), 10_000, 32_000)
    ]
    + [
        (b'{"a":' * 9000 + b"1" + b"}" * 9000, "without deep nesting"),
        (b"9" * 5000, "very long numbers"),
        (b"NaN", "annotator"),
        (b'"\\ud800"', "annotator"),
        (b'"a\\u0000b"', r"annotator must be text without NUL and in whole characters: got 'a\x00b'"),
        (b"\xff\xfe", "body must be JSON"),
        (b"", "body must be JSON"),
    ],
)
def test_json_that_nobody_means(evaluation: Evaluation, shown: Shown, value: bytes, message: str) -> None:
    headers = [("host", "127.0.0.1:8484"), ("content-type", "application/json")]
    body = b'{"annotator": ' + value + b"}"
    reply = sent(make_app(evaluation, shown), "/api/v1/ask", headers, method="POST", body=body)
    assert reply.status == 422
    assert message in reply.message
    assert len(reply.message) < 300
    assert evaluation.pending == []


def test_a_name_that_cannot_be_shown(evaluation: Evaluation, shown: Shown) -> None:
    """`/api/name` makes no such cookie, but anybody can write one."""
    app = make_app(evaluation, shown)
    for cookie in ("lowshot_name=a%00b", "lowshot_name=a%0Ab", "lowshot_name=%1b[2J"):
        headers = [("host", "127.0.0.1:8484"), ("cookie", cookie)]
        reply = sent(app, "/api/items", headers, method="POST")
        assert (reply.status, reply.message[:30]) == (422, "annotator must have a name: go")
        assert b"Your name" in sent(app, "/", headers).body
    assert evaluation.pending == []


@pytest.mark.parametrize("path", ["/static/\0", "/static/" + "x" * 5000, "/media/\0", "/media/../../x", "/\ufffd", "*"])
def test_paths_that_lead_nowhere(evaluation: Evaluation, shown: Shown, path: str) -> None:
    assert sent(make_app(evaluation, shown, solo=True), path).status == 404


def test_texts_that_postgresql_cannot_keep(task: Task, where: str) -> None:
    evaluation = Evaluation(task.pool, store=where)
    app = make_app(evaluation, Shown("text", lambda item: []), solo=True)
    place = b'["2026",0,0,1,"%5Cu0000"]'
    for query, message in (
        (b"annotator=a%00", "annotator must be text without NUL"),
        (b"before=" + place, "before must be"),
    ):
        reply = sent(app, "/api/owner/record", query=query)
        assert reply.status == 422
        assert message in reply.message
    with pytest.raises(InputError, match=r"annotator must be text without NUL and in whole characters: got 'a\\x00'"):
        Desk(evaluation).take("a\0")
    with pytest.raises(InputError, match="name must be text without NUL"):
        Evaluation(task.pool, store=where, name="half \ud800")
    assert evaluation.pending == []
