"""What the page refuses: other hosts, other sites, scripts, large bodies."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import lowshot.web
from lowshot import Evaluation
from lowshot.web import Shown, make_app
from lowshot.web.guard import LARGEST

from .people import LOCAL, browser, take


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
        assert "http://" not in text + "https://".join(text.split("https://")[1:])
        assert all(part.startswith(' src="/static/') for part in text.split("<script")[1:])
        assert not any(f" on{event}=" in text for event in ("click", "load", "error", "submit"))
    for script in (folder / "static").glob("*.js"):
        assert "innerHTML" not in script.read_text()
        assert "://" not in script.read_text().replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8484", "", "localhost@evil"])
def test_another_host_is_refused(evaluation: Evaluation, shown: Shown, host: str) -> None:
    """A name that somebody else points at this machine (DNS rebinding)."""
    ann = browser(make_app(evaluation, shown), "ann")
    for path in ("/", "/api/v1/status"):
        assert ann.get(path, headers={"Host": host}).status_code == 403
    assert ann.get("/", headers={"Host": "localhost:8484"}).status_code == 200
    assert ann.get("/", headers={"Host": "[::1]:8484"}).status_code == 200


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
