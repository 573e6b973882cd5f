"""A real Label Studio server in a folder of its own, and people who use it with the requests of its own pages."""

import os
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from lowshot.web.server import listen

from ..needed import missing

INSTALL = "Label Studio is not installed: make label-studio installs it in an environment of its own"
HERE = Path(__file__).parents[2] / ".venv-label-studio" / "bin" / "python"
START_S = 400  # it makes its database first: 47 s of a processor, of which other tests may leave little
QUIET = {  # nothing that happens here is told to others, and nobody is asked for a newer version
    "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
    "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
    "LABEL_STUDIO_SENTRY_DSN": "",
    "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
}


def program() -> str:
    """Of the interpreter that LOWSHOT_LABEL_STUDIO names, or of the environment that make has made."""
    found = Path(os.environ.get("LOWSHOT_LABEL_STUDIO") or HERE).with_name("label-studio")
    if not found.exists():
        missing(INSTALL)
    return str(found)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server that is gone afterwards."""
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    command = [program(), "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LABEL_STUDIO_BASE_DATA_DIR": str(folder), **QUIET}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(server, address, folder / "log")
        yield address
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait_for(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not _answers(address):
        if server.poll() is not None:
            pytest.fail(f"Label Studio ended with {server.returncode}:\n{log.read_text()}")
        if time.monotonic() > deadline:
            pytest.fail(f"Label Studio did not answer within {START_S} s:\n{log.read_text()}")
        time.sleep(0.5)


def _answers(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/health", timeout=5).is_success
    except httpx2.TransportError:
        return False


class Person:
    """Somebody who has signed up."""

    def __init__(self, address: str, name: str) -> None:
        self.address = address
        self.client = httpx2.Client(base_url=address, timeout=60, follow_redirects=True)
        self.client.get("/user/signup/")
        form = {"email": f"{name}@example.org", "password": "crows-and-ravens"}
        self.client.post("/user/signup/", data={**form, "csrfmiddlewaretoken": self.client.cookies["csrftoken"]})
        self.client.headers["X-CSRFToken"] = self.client.cookies["csrftoken"]

    def send(self, method: str, path: str, **content: Any) -> httpx2.Response:
        response = self.client.request(method, path, **content)
        assert response.is_success, f"{method} {path}: {response.status_code} {response.text}"
        return response


class Project:
    """A project of this person: tasks that were imported, by the id of the item."""

    def __init__(self, owner: Person, config: str, file: Path) -> None:
        self.owner = owner
        made = owner.send("POST", "/api/projects", json={"title": "birds", "label_config": config})
        self.number = int(made.json()["id"])
        owner.send("POST", f"/api/projects/{self.number}/import", files={"file": (file.name, file.read_bytes())})
        wanted = {"project": self.number, "fields": "all", "page_size": 100}
        tasks = owner.send("GET", "/api/tasks", params=wanted).json()["tasks"]
        self.tasks = {task["data"]["id"]: int(task["id"]) for task in tasks}
        self.shown = re.findall('toName="(.*?)"', config)[0]

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
