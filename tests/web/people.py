"""People at the page, without a browser; and programs that send what no browser and no client library would."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from fastapi.testclient import TestClient

from lowshot.charts.digits import png

LOCAL = "http://127.0.0.1:8484"
TOKEN, OWNER = "annotators-token-0123", "owners-token-0123456"
GREY = png(np.full((4, 4), 90, np.uint8))


def browser(app: Any, name: str = "", base: str = LOCAL, address: str = "127.0.0.1") -> TestClient:
    client = TestClient(app, base_url=base, client=(address, 50000), follow_redirects=False)
    if name:
        assert client.post("/api/name", json={"name": name}).status_code == 200
    return client


def take(client: TestClient) -> list[dict[str, Any]]:
    reply = client.post("/api/items", json={})
    assert reply.status_code == 200, reply.text
    items: list[dict[str, Any]] = reply.json()["items"]
    return items


def more(client: TestClient) -> list[dict[str, Any]]:
    """Items for somebody who labels on, whether it is enough or not."""
    reply = client.post("/api/more", json={})
    assert reply.status_code == 200, reply.text
    items: list[dict[str, Any]] = reply.json()["items"]
    return items


def say(client: TestClient, item: dict[str, Any], answer: str = "yes") -> Any:
    return client.post("/api/answer", json={"item": item["item"], "answer": answer})


def differ(ann: TestClient, bob: TestClient, ann_says: Sequence[str]) -> list[dict[str, Any]]:
    """Ann and Bob take the same items; Ann says this of them, Bob says yes to each."""
    items = take(ann)
    take(bob)
    for item, answer in zip(items, ann_says, strict=True):
        say(ann, item, answer)
        say(bob, item, "yes")
    return items


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> str:
        return str(json.loads(self.body)["message"])


def sent(
    app: Any,
    path: str = "/",
    headers: Sequence[tuple[str, str]] = (("host", "127.0.0.1:8484"),),
    *,
    method: str = "GET",
    body: bytes = b"",
    query: bytes = b"",
    root: str = "",
) -> Reply:
    """A request as a server hands it to the app, from this machine: client libraries refuse to send most of these."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(errors="surrogateescape"),
        "query_string": query,
        "root_path": root,
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8484),
    }
    replies: list[dict[str, Any]] = []
    messages = [{"type": "http.disconnect"}, {"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return messages.pop() if len(messages) > 1 else messages[0]

    async def send(message: dict[str, Any]) -> None:
        replies.append(message)

    asyncio.run(app(scope, receive, send))
    found = {name.decode(): value.decode("latin-1") for name, value in replies[0]["headers"]}
    return Reply(replies[0]["status"], found, b"".join(reply.get("body", b"") for reply in replies[1:]))
