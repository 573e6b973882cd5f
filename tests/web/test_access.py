"""Who may see what: tokens of annotators and of the owner."""

import logging
from typing import Any

import pytest

from lowshot import Evaluation, InputError
from lowshot.web import Shown, make_app, serve
from lowshot.web.access import Access
from lowshot.web.server import addresses, listen, server_of

from .people import OWNER, TOKEN, browser, sent, take


def test_another_address_needs_a_token(evaluation: Evaluation, shown: Shown) -> None:
    app = make_app(evaluation, shown, hosts=["label.example.org"])
    token, base = app.state.access.token, "https://label.example.org"
    assert len(token) >= 40, "made, because others can reach it"
    stranger = browser(app, base=base)
    for path in ("/", "/media/x", "/owner", "/api/v1/status", "/api/v1/openapi.json", "/?token=wrong", "/?token=é"):
        assert stranger.get(path).status_code == 401
    for path in ("/api/items", "/api/name", "/api/v1/ask", "/api/owner/decide"):
        assert stranger.post(path, json={}).status_code == 401
    assert "This page needs a token" in stranger.get("/").text
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


def test_a_token_in_an_address_opens_pages_only(evaluation: Evaluation, shown: Shown) -> None:
    """An address reaches logs and tracers on its way: tools send a header, which does not."""
    app = make_app(evaluation, shown, token=TOKEN, owner_token=OWNER)
    for path in ("/api/v1/status", "/api/v1/openapi.json", "/api/owner/state", "/media/x", "/nothing"):
        reply = browser(app).get(path, params={"token": OWNER})
        assert reply.status_code == 401
        assert "set-cookie" not in reply.headers
        assert OWNER not in reply.text
    for path in ("/", "/owner", "/overview"):
        reply = browser(app).get(path, params={"token": OWNER})
        assert (reply.status_code, reply.headers["referrer-policy"]) == (200, "no-referrer")
        assert f'content="0;url={path}"' in reply.text, "to the same page without it"
        assert OWNER not in reply.text


def test_cookies_say_nothing_of_tokens(evaluation: Evaluation, shown: Shown) -> None:
    """Browsers send the cookies of one machine to all its ports, so names differ: by the port, which is no secret."""
    names = []
    for token in (OWNER, "another-token-of-the-owner"):
        client = browser(make_app(evaluation, shown, token=TOKEN, owner_token=token))
        names.append(
            {client.get("/", params={"token": given}).headers["set-cookie"].split("=")[0] for given in (token, TOKEN)}
        )
    assert names == [{"lowshot_owner_8484", "lowshot_annotator_8484"}] * 2
    app = make_app(evaluation, shown, token=TOKEN, owner_token=OWNER, hosts=["label.example.org"])
    cookie = browser(app, base="https://label.example.org").get("/", params={"token": TOKEN}).headers["set-cookie"]
    assert cookie.startswith(f"lowshot_annotator={TOKEN}; ")
    headers = [("host", "127.0.0.1:9000"), ("cookie", f"lowshot_owner_8484={OWNER}")]
    assert sent(app, "/owner", headers).status == 401, "of another port"
    assert sent(app, "/owner", [("host", "127.0.0.1:8484"), *headers[1:]]).status == 200


@pytest.mark.parametrize("token", ["plus+and&equals=#;,?/%", 'quotes"and\\backslash'])
def test_signs_in_tokens(evaluation: Evaluation, shown: Shown, token: str) -> None:
    app = make_app(evaluation, shown, token=token, owner_token=OWNER)
    client = browser(app)
    assert client.get(addresses(app.state.access, "127.0.0.1", 8484)["annotators"]).status_code == 200
    assert client.get("/").status_code == 200, "the cookie came back as it was"


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

    monkeypatch.setattr("lowshot.web.server.server_of", begun)
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
    assert config.http == "h11", "httptools, if it is installed, reads a head of any length"


def test_no_token_in_any_log(evaluation: Evaluation, shown: Shown, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="lowshot"):
        client = browser(make_app(evaluation, shown, token=TOKEN, owner_token=OWNER))
        client.get("/", params={"token": TOKEN})
        client.get("/owner", params={"token": OWNER})
        client.get("/api/owner/state")
    assert not [record for record in caplog.records if record.name.startswith(("lowshot", "uvicorn"))]
