"""The labelling page without a browser: what it tells whom, what it refuses, and `/api/v1`."""

import json
import logging
import struct
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import lowshot
from lowshot import Evaluation, InputError, MissingExtra, StoreError
from lowshot.testing import Task, simulated
from lowshot.web import Shown, make_app, serve
from lowshot.web.access import Access
from lowshot.web.digits import png
from lowshot.web.guard import LARGEST
from lowshot.web.serving import addresses, listen, server_of

LOCAL = "http://127.0.0.1:8484"
TOKEN, OWNER = "annotators-token-0123", "owners-token-0123456"
GREY = png(np.full((4, 4), 90, np.uint8))
Browser = TestClient


@pytest.fixture
def task() -> Task:
    return simulated(items=400, positives=40, seed=4)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Pictures, and beside their folder something that is nobody's business."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(400):
        (folder / f"stroller-{number}.png").write_bytes(GREY)
    (tmp_path / "secret.png").write_bytes(GREY)
    return folder


@pytest.fixture
def evaluation(task: Task, tmp_path: Path) -> Evaluation:
    ids = [f"stroller-{number}.png" for number in range(400)]
    pool = lowshot.Pool(task.pool.scores, task.pool.predictions, ids=ids)
    return Evaluation(pool, store=tmp_path / "evaluation.db")


@pytest.fixture
def shown(root: Path) -> Shown:
    return Shown("image", lambda item: [("file", item), ("price", "20 €")], root, "Is it a stroller?", "Look well.")


def texts(value: str) -> Shown:
    return Shown("text", lambda item: [("text", value)])


def browser(app: Any, name: str = "", base: str = LOCAL, address: str = "127.0.0.1") -> Browser:
    client = TestClient(app, base_url=base, client=(address, 50000), follow_redirects=False)
    if name:
        assert client.post("/api/name", json={"name": name}).status_code == 200
    return client


def take(client: Browser) -> list[dict[str, Any]]:
    reply = client.post("/api/items", json={})
    assert reply.status_code == 200, reply.text
    items: list[dict[str, Any]] = reply.json()["items"]
    return items


def say(client: Browser, item: dict[str, Any], answer: str = "yes") -> Any:
    return client.post("/api/answer", json={"item": item["item"], "answer": answer})


# What annotators see


def test_labelling(evaluation: Evaluation, shown: Shown) -> None:
    ann = browser(make_app(evaluation, shown), "Änn O’Hara")
    first, second, third = take(ann)
    reply = say(ann, first)
    assert [item["item"] for item in reply.json()["items"][:2]] == [second["item"], third["item"]]
    assert (reply.json()["mine"], reply.json()["labels"]) == (1, 1)
    say(ann, second, "no")
    say(ann, third, "cannot tell")
    assert [entry["label"] for entry in evaluation.history["answers"]] == [1, 0, None]
    assert ann.post("/api/undo", json={}).json()["items"] == [third]
    assert say(ann, third, "yes").status_code == 200, "a change of mind"
    assert evaluation.labels == 3
    assert "Änn O’Hara" in ann.get("/").text
    assert "Your name" in browser(ann.app).get("/").text


def test_annotators_see_nothing_of_the_model(evaluation: Evaluation, shown: Shown) -> None:
    """No score, prediction, file name, id, other answers or estimate: in pages, replies, headers and refusals."""
    app = make_app(evaluation, shown, wanted=2)
    ann, bob = browser(app, "ann"), browser(app, "bob")
    replies = [ann.get("/"), ann.post("/api/items", json={})]
    items = take(ann)
    replies += [say(ann, items[0], "yes"), ann.post("/api/undo", json={}), say(bob, items[1])]
    replies += [say(bob, {"item": "nothing"}), ann.post("/api/answer", json={"item": items[0]["item"], "answer": "x"})]
    replies += [ann.get(items[0]["fields"][0]["value"]), ann.get("/media/nothing")]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 200, 422, 422, 422, 200, 404]
    for reply in replies:
        text = f"{reply.url} {reply.headers} {'' if reply.headers['content-type'] == 'image/png' else reply.text}"
        for word in ("stroller-", "score", "predict", "estimate", "interval", "evaluation.db", "bob"):
            assert word not in text.lower(), reply.url
    assert {key for reply in replies[1:5] for key in reply.json()} == {"items", "mine", "labels", "to_go", "message"}
    assert "last-modified" not in replies[7].headers
    assert "etag" not in replies[7].headers
    for path in ("/owner", "/api/owner/state", "/api/owner/history"):
        assert ann.get(path).status_code == 401


def test_to_go_does_not_follow_single_answers(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown)
    site, ann = app.state.site, browser(app, "ann")
    assert site.planned.due(0)
    site.planned.make(site.snapshot()).join()
    found = []
    for answer in ("yes", "no") * 10:
        reply = say(ann, take(ann)[0], answer).json()
        found.append(reply["labels"] + reply["to_go"])
    assert len(set(found)) == 1
    assert found[0] % 10 == 0


def test_two_answers_an_item_tell_nothing_of_each_other(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, wanted=2)
    ann, bob = browser(app, "ann"), browser(app, "bob")
    items = take(ann)
    assert take(bob) == items
    say(ann, items[0], "yes")
    say(ann, items[1], "yes")
    same, other = say(bob, items[0], "yes").json(), say(bob, items[1], "no").json()
    assert same["labels"] == other["labels"] == 0, "the count would tell whether they agree"


def test_eight_people_at_once(evaluation: Evaluation, shown: Shown) -> None:
    """And the owner, who looks all the time: one lock, nothing lost, nothing twice."""
    app = make_app(evaluation, shown, owner_token=OWNER)

    def work(name: str) -> list[str]:
        client, done = browser(app, name), []
        for _ in range(5):
            done.append(take(client)[0]["item"])
            assert say(client, {"item": done[-1]}).status_code == 200
            assert client.get("/api/owner/state", headers={"Authorization": f"Bearer {OWNER}"}).status_code == 200
        return done

    with ThreadPoolExecutor(8) as threads:
        done = [item for items in threads.map(work, [f"person {number}" for number in range(8)]) for item in items]
    assert len(set(done)) == len(done) == evaluation.labels == 40


def test_a_refused_answer_changes_nothing(
    evaluation: Evaluation, shown: Shown, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app = make_app(evaluation, shown)
    ann, bob = browser(app, "ann"), browser(app, "bob")
    item = take(ann)[0]
    assert say(bob, item).status_code == 422
    assert "not with you any more" in say(bob, item).json()["message"]
    assert "enter yours" in browser(app).post("/api/items", json={}).json()["message"]

    def full(*_: Any) -> None:
        raise StoreError("store /home/eve/evaluation.db is full")

    with monkeypatch.context() as patched:
        patched.setattr(app.state.site.desk, "answer", full)
        reply = say(ann, item)
    assert reply.status_code == 503
    assert reply.json()["message"].endswith("was not saved. Tell the owner, then try again.")
    assert "/home/eve" in caplog.text, "the owner is told why"
    assert evaluation.labels == 0
    assert say(ann, item).status_code == 200


def test_an_item_that_cannot_be_shown(evaluation: Evaluation, caplog: pytest.LogCaptureFixture) -> None:
    ann = browser(make_app(evaluation, Shown("text", {})), "ann")
    assert take(ann)[0]["fields"][0]["value"].startswith("This item cannot be shown")
    assert "is missing" in caplog.text


def test_reference_and_blur(evaluation: Evaluation, root: Path) -> None:
    shown = Shown("image", lambda item: [("file", item)], root, reference=["stroller-3.png"])
    page = browser(make_app(evaluation, shown, blur=True), "ann").get("/").text
    assert 'data-blur="yes"' in page
    assert "positive for sure" in page
    assert "stroller-3" not in page


# What is refused


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


def picture(evaluation: Evaluation, root: Path, value: str) -> Any:
    """What comes when this is the path of every item's picture."""
    ann = browser(make_app(evaluation, Shown("image", lambda item: [("file", value)], root)), "ann")
    return ann.get(take(ann)[0]["fields"][0]["value"])


def test_pictures_from_under_the_root(evaluation: Evaluation, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "a.png").write_bytes(GREY)
    for good in ("stroller-1.png", "sub/a.png", "sub/../stroller-1.png", str(root / "sub" / "a.png")):
        reply = picture(evaluation, root, good)
        assert (reply.status_code, reply.headers["content-type"], reply.content) == (200, "image/png", GREY)


def test_no_path_leads_out(evaluation: Evaluation, root: Path) -> None:
    (root / "link.png").symlink_to(root.parent / "secret.png")
    (root / "folder").symlink_to(root.parent)
    (root / "loop").symlink_to(root / "loop")
    secret = root.parent / "secret.png"
    assert secret.read_bytes() == GREY, "a picture: only its place is against it"
    away = ["../secret.png", str(secret), "sub/../../secret.png", "link.png", "folder/secret.png", f"file://{secret}"]
    for bad in [*away, "loop", "http://127.0.0.1/a.png", "a\0.png", "x" * 5000, "", ".", "nothing.png"]:
        reply = picture(evaluation, root, bad)
        assert reply.status_code == 404, bad
        assert "no picture that can be shown" in reply.text
        assert reply.headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (GREY, "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a rest", "image/gif"),
        (b"RIFF" + struct.pack("<I", 4) + b"WEBPVP8 ", "image/webp"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", None),
        (b"<html><script>alert(1)</script>", None),
        (b"SQLite format 3\0", None),
        (b"RIFF....WAVE", None),
        (b"", None),
    ],
)
def test_only_pictures_by_their_bytes(evaluation: Evaluation, root: Path, content: bytes, kind: str | None) -> None:
    (root / "disguised.png").write_bytes(content)
    reply = picture(evaluation, root, "disguised.png")
    assert (reply.headers["content-type"] if reply.status_code == 200 else None) == kind


def test_only_what_was_shown_can_be_seen(evaluation: Evaluation, shown: Shown) -> None:
    ann = browser(make_app(evaluation, shown), "ann")
    for name in ("stroller-1.png", "..%2Fsecret.png", "%2e%2e/secret.png", "../evaluation.db"):
        assert ann.get(f"/media/{name}").status_code == 404
    for path in ("/static/../__init__.py", "/static/%2e%2e/app.py", "/docs", "/redoc", "/openapi.json"):
        assert ann.get(path).status_code == 404


# Tokens


def test_another_address_needs_a_token(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, hosts=["label.example.org"])
    token, base = app.state.access.token, "https://label.example.org"
    assert len(token) >= 40, "made, because others can reach it"
    stranger = browser(app, base=base)
    for path in ("/", "/media/x", "/owner", "/api/v1/status", "/api/v1/openapi.json", "/?token=wrong", "/?token=é"):
        assert stranger.get(path).status_code == 401
    for path in ("/api/items", "/api/name", "/api/v1/ask", "/api/owner/decide"):
        assert stranger.post(path, json={}).status_code == 401
    assert "This page is closed" in stranger.get("/").text
    entered = stranger.get("/", params={"token": token})
    cookie = entered.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=strict", "Secure", token))
    assert token not in entered.text, "from here on the address has none"
    assert "evil" not in stranger.get("//evil.example", params={"token": token}).text, "no way to another site"
    assert stranger.get("/").status_code == 200
    assert stranger.post("/api/name", json={"name": "ann"}).status_code == 200
    assert len(take(stranger)) == 3
    for path in ("/owner", "/api/owner/state", "/api/v1/estimate"):
        assert stranger.get(path).status_code == 401, "annotators are not the owner"


def test_the_owner_has_another_token(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, token=TOKEN, owner_token=OWNER)
    client = browser(app)
    bearer = {"Authorization": f"Bearer {OWNER}"}
    assert client.get("/api/v1/status", headers=bearer).status_code == 200
    assert client.get("/api/v1/status", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 401
    assert client.get("/api/v1/status", headers={"Authorization": f"Basic {OWNER}"}).status_code == 401
    assert client.get("/owner", params={"token": TOKEN}).status_code == 200
    assert client.get("/owner").status_code == 401, "the annotators' token opens their page only"
    client.get("/owner", params={"token": OWNER})
    assert client.get("/owner").status_code == 200
    assert client.get("/").status_code == 200


def test_from_another_machine_without_a_token(evaluation: Evaluation, shown: Shown) -> None:
    """Whoever runs the app on an open address by other means than `serve`: a host is easily claimed."""
    stranger = browser(make_app(evaluation, shown, solo=True, owner_token=OWNER), address="192.168.1.7")
    for path in ("/", "/owner", "/api/v1/status"):
        assert stranger.get(path).status_code == 401
    assert stranger.get("/api/v1/status", headers={"Authorization": f"Bearer {OWNER}"}).status_code == 200


def test_solo(evaluation: Evaluation, shown: Shown) -> None:
    """Who labels alone on this machine sees the estimate, too."""
    assert browser(make_app(evaluation, shown, solo=True)).get("/owner").status_code == 200
    assert browser(make_app(evaluation, shown)).get("/owner").status_code == 401
    closed = browser(make_app(evaluation, shown, solo=True, token=TOKEN))
    assert closed.get("/owner").status_code == 401
    closed.get("/owner", params={"token": TOKEN})
    assert closed.get("/owner").status_code == 200


def test_serve_refuses_to_be_open(evaluation: Evaluation, shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(_: Any) -> None:
        raise AssertionError("it was served")

    monkeypatch.setattr("lowshot.web.serving.server_of", begun)
    for host in ("0.0.0.0", "::", "192.168.1.7"):
        with pytest.raises(InputError, match=r"host must be 127\.0\.0\.1 unless there is a token"):
            serve(make_app(evaluation, shown), host=host, open_browser=False)
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(InputError, match="port must be free on"):
            serve(make_app(evaluation, shown), port=taken.getsockname()[1], open_browser=False)
    access = Access.of(TOKEN, OWNER, False, ["label.example.org"])
    assert addresses(access, "0.0.0.0", 80)["annotators"] == f"http://label.example.org:80/?token={TOKEN}"
    config = server_of(make_app(evaluation, shown)).config
    assert config.access_log is False, "addresses may have tokens in them"
    assert config.server_header is False


def test_no_token_in_any_log(evaluation: Evaluation, shown: Shown, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="lowshot"):
        client = browser(make_app(evaluation, shown, token=TOKEN, owner_token=OWNER))
        client.get("/", params={"token": TOKEN})
        client.get("/owner", params={"token": OWNER})
        client.get("/api/owner/state")
    assert not [record for record in caplog.records if record.name.startswith(("lowshot", "uvicorn"))]


# The owner's page


def test_the_owner_decides(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, wanted=2, owner_token=OWNER)
    ann, bob, eve = browser(app, "ann"), browser(app, "bob"), browser(app)
    eve.get("/owner", params={"token": OWNER})
    items = take(ann)
    take(bob)
    for item, answer in zip(items, ("yes", "no", "yes"), strict=True):
        say(ann, item, answer)
        say(bob, item, "yes")
    state = eve.get("/api/owner/state").json()
    (dispute,) = state["disputed"]
    assert dispute["id"].startswith("stroller-")
    assert [one["answer"] for one in dispute["said"]] == ["no", "yes"]
    assert state["annotators"] == [{"name": "ann", "items": 3}, {"name": "bob", "items": 3}]
    assert state["agreement"]["items"] == 3
    assert (state["labels"], state["estimate"]["labels"]) == (2, 1), "the third waits for the disputed one before it"
    assert state["agreement"]["same"] == pytest.approx(2 / 3)
    decided = {"item": dispute["item"], "answer": "no"}
    assert eve.post("/api/owner/decide", json=decided).json() == {"label": "no"}
    assert ann.post("/api/owner/decide", json=decided).status_code == 401
    again = eve.get("/api/owner/state").json()
    assert again["disputed"] == []
    row = next(row for row in again["answers"] if row["item"] == dispute["item"])
    assert (row["label"], [one["final"] for one in row["said"]]) == ("no", [False, False, True])
    eve.post("/api/owner/decide", json={"item": items[0]["item"], "answer": "no"})
    assert evaluation.history["labels"][again["answers"][-1]["id"]] == 0, "a label is changed, the old one is kept"
    assert len(eve.get("/api/owner/state", params={"rows": 2}).json()["answers"]) == 2


def test_the_trend_is_what_the_estimates_were(evaluation: Evaluation, shown: Shown, task: Task) -> None:
    app = make_app(evaluation, shown, solo=True, half_width=0.2)
    ann, then = browser(app, "ann"), []
    for _ in range(30):
        item = app.state.site.item(take(ann)[0]["item"])
        say(ann, {"item": app.state.site.name(item)}, "yes" if task.labels[evaluation.pool.position(item)] else "no")
        then.append(evaluation.estimate().value)
    fresh = browser(make_app(evaluation, shown, solo=True))
    points = fresh.get("/api/owner/history").json()["points"]
    assert [point["labels"] for point in points] == [*range(31)]
    assert [point["value"] for point in points[1:]] == pytest.approx(then)
    found = ann.get("/api/owner/state").json()["estimate"]
    assert found["stop"] == evaluation.stop_when(0.2)
    assert found["text"] == str(evaluation.estimate())


# For other tools


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
        ({**body, "items": [*asked["items"][:4], "stroller-0.png"]}, "not with 'tool' now"),
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


def test_it_is_described(evaluation: Evaluation, shown: Shown) -> None:
    described = browser(make_app(evaluation, shown)).get("/api/v1/openapi.json").json()
    assert sorted(described["paths"]) == ["/api/v1/ask", "/api/v1/estimate", "/api/v1/status", "/api/v1/tell"]
    assert described["components"]["schemas"]["Tell"]["examples"]
    assert "HTTPBearer" in described["components"]["securitySchemes"]


def test_threads_do_not_get_what_others_made(task: Task) -> None:
    """The plan is made beside the answers, from the same pool: keys are compared, and another thread is faster."""

    class Key:
        def __ne__(self, _: object) -> bool:
            task.pool._made["number"] = ("another key", 2)
            return False

    key = Key()
    assert task.pool.once("number", lambda: 1, key) == 1
    assert task.pool.once("number", lambda: 1, key) == 1


# Arguments


def test_bad_arguments(evaluation: Evaluation, shown: Shown, task: Task, root: Path) -> None:
    for bad, message in (
        ({"wanted": 0}, "wanted must be"),
        ({"half_width": 2}, "half_width must be"),
        ({"token": "short"}, "token must have at least 16"),
        ({"hosts": "label.example.org"}, r"write \['label.example.org'\]"),
        ({"solo": 1}, "solo must be True or False"),
    ):
        with pytest.raises(InputError, match=message):
            make_app(evaluation, shown, **bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="open it with store="):
        make_app(Evaluation(task.pool), shown)
    with pytest.raises(InputError, match="shown must be a lowshot"):
        make_app(evaluation, {})  # type: ignore[arg-type]
    for arguments, message in (
        (("video", {}), "kind must be one of image, text, fields"),
        (("image", {}), "media_root must be the folder"),
        (("image", {}, root / "nothing"), "media_root must be a folder that exists"),
        (("text", 5), "fields must be a mapping or a function"),
        (("text", {}, None, ""), "question must be a text"),
    ):
        with pytest.raises(InputError, match=message):
            Shown(*arguments)
    with pytest.raises(InputError, match=r"fields must be \[\(name, value\), ...\]"):
        Shown("text", {"a": "plain"}).parts("a")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("lowshot.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with pytest.raises(MissingExtra, match=r"pip install 'lowshot\[web\]'"):
        __import__("lowshot.web")
