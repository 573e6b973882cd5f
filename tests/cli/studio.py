"""A real Label Studio server in a folder of its own, and people who use it with the requests of its own pages."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from ..servers import free_port, program, running

START_S = 900  # it makes its database first: 47 s of a processor, of which other tests may leave little
QUIET = {  # nothing that happens here is told to others, and nobody is asked for a newer version
    "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
    "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
    "LABEL_STUDIO_SENTRY_DSN": "",
    "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
    "SSRF_PROTECTION_ENABLED": "false",  # webhooks may call this machine
    "WEBHOOK_TIMEOUT": "60",  # seconds, instead of one: a call that is given up is not made again
}


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server that is gone afterwards."""
    port = free_port()
    command = [
        program("label-studio", "LOWSHOT_LABEL_STUDIO"),
        "start",
        "--no-browser",
        "--internal-host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LABEL_STUDIO_BASE_DATA_DIR": str(folder), **QUIET}
    with running("Label Studio", command, environment, folder, port, START_S) as address:
        yield address


class Person:
    """Somebody who has signed up."""

    def __init__(self, address: str, name: str) -> None:
        self.address = address
        self.client = httpx2.Client(base_url=address, timeout=300, follow_redirects=True)
        self.client.get("/user/signup/")
        form = {"email": f"{name}@example.org", "password": "crows-and-ravens"}
        self.client.post("/user/signup/", data={**form, "csrfmiddlewaretoken": self.client.cookies["csrftoken"]})
        self.client.headers["X-CSRFToken"] = self.client.cookies["csrftoken"]

    def token(self, legacy: bool = False) -> str:
        """A personal access token, or one of the older kind, which organizations must allow."""
        if legacy:
            self.send("POST", "/api/jwt/settings", json={"api_tokens_enabled": True, "legacy_api_tokens_enabled": True})
            return str(self.send("GET", "/api/current-user/token").json()["token"])
        return str(self.send("POST", "/api/token/", json={}).json()["token"])

    def send(self, method: str, path: str, **content: Any) -> httpx2.Response:
        response = self.client.request(method, path, **content)
        assert response.is_success, f"{method} {path}: {response.status_code} {response.text}"
        return response


class Project:
    """A project of this person, and its tasks by the id of the item."""

    def __init__(self, owner: Person, number: int) -> None:
        self.owner, self.number = owner, number
        about = owner.send("GET", f"/api/projects/{number}").json()
        self.shown = str(about["parsed_label_config"]["label"]["to_name"][0])
        self.refresh()

    @classmethod
    def imported(cls, owner: Person, config: str, file: Path) -> "Project":
        made = owner.send("POST", "/api/projects", json={"title": "birds", "label_config": config})
        number = int(made.json()["id"])
        owner.send("POST", f"/api/projects/{number}/import", files={"file": (file.name, file.read_bytes())})
        return cls(owner, number)

    def refresh(self) -> list[dict[str, Any]]:
        """The tasks as they are now."""
        wanted = {"project": self.number, "fields": "all", "page_size": 100, "resolve_uri": "false"}
        tasks: list[dict[str, Any]] = self.owner.send("GET", "/api/tasks", params=wanted).json()["tasks"]
        self.tasks = {task["data"]["id"]: int(task["id"]) for task in tasks}
        return tasks

    def delete(self, item: str) -> None:
        self.owner.send("DELETE", f"/api/tasks/{self.tasks[item]}")

    def answer(self, person: Person, item: str, word: str) -> int:
        return self._annotate(person, item, {"result": self._result(word)})

    def skip(self, person: Person, item: str) -> None:
        self._annotate(person, item, {"result": [], "was_cancelled": True})

    def change(self, person: Person, annotation: int, word: str) -> None:
        self._send(person, "PATCH", f"/api/annotations/{annotation}", {"result": self._result(word)})

    def draft(self, person: Person, item: str, word: str) -> None:
        self._send(person, "POST", f"/api/tasks/{self.tasks[item]}/drafts", {"result": self._result(word)})

    def export(self, form: str, everything: bool = False) -> bytes:
        wanted = {"exportType": form, "download_all_tasks": str(everything).lower()}
        return self.owner.send("GET", f"/api/projects/{self.number}/export", params=wanted).content

    def _annotate(self, person: Person, item: str, content: dict[str, Any]) -> int:
        made = self._send(person, "POST", f"/api/tasks/{self.tasks[item]}/annotations", content)
        return int(made.json()["id"])

    def _send(self, person: Person, method: str, path: str, content: dict[str, Any]) -> httpx2.Response:
        common = {"lead_time": 3.1, "draft_id": 0, "parent_prediction": None, "project": str(self.number)}
        return person.send(method, path, json={**common, **content}, params={"project": self.number})

    def _result(self, word: str) -> list[dict[str, Any]]:
        names = {"from_name": "label", "to_name": self.shown, "type": "choices", "origin": "manual"}
        return [{**names, "id": uuid.uuid4().hex[:10], "value": {"choices": [word]}}]
