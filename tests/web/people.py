"""People at the page, without a browser."""

from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from lowshot.web.digits import png

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


def say(client: TestClient, item: dict[str, Any], answer: str = "yes") -> Any:
    return client.post("/api/answer", json={"item": item["item"], "answer": answer})
