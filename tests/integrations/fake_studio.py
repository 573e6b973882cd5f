"""As much of Label Studio's interface as lowshot uses, in memory; tests/cli/test_label_studio.py has a real server."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx2

URL = "http://studio.example:8080"
NUMBER = 3  # of the project
WORDS = ("yes", "no", "cannot tell")
ANN = 1  # number of a person


class FakeStudio:
    """A server with one project. `down` makes it unreachable; `before` and `after` are called around an import, and
    `listed` after a list of tasks."""

    def __init__(self, words: tuple[str, ...] = WORDS) -> None:
        self.project: dict[str, Any] = {"id": NUMBER, "title": "Birds", "parsed_label_config": _parsed(words)}
        self.tasks: dict[int, dict[str, Any]] = {}
        self.webhooks: dict[int, dict[str, Any]] = {}
        self.requests: list[str] = []
        self.imported: list[int] = []  # tasks per request
        self.down = False
        self.refused = ""  # why webhooks are
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[], None] = lambda: None
        self.listed: Callable[[], None] = lambda: None
        self._numbers, self._time = count(1), datetime(2026, 11, 17, tzinfo=UTC)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if self.down:
            raise httpx2.ConnectError("Connection refused")
        assert request.headers["Authorization"] == "Token 0123"
        self.requests.append(f"{request.method} {request.url.path}")
        kind, *numbers = [part for part in request.url.path.split("/") if part][1:]
        content = json.loads(request.content) if request.content else None
        return getattr(self, f"_{request.method.lower()}_{kind}")(numbers, content, request.url.params)

    @property
    def transport(self) -> httpx2.MockTransport:
        return httpx2.MockTransport(self)

    def numbers(self, item: Any) -> list[int]:
        return [number for number, task in self.tasks.items() if task["data"]["id"] == str(item)]

    def answer(self, item: Any, *words: str, person: int = ANN, cancelled: bool = False) -> dict[str, Any]:
        """A new annotation of the first task of this item."""
        return self.annotate(self.numbers(item)[0], *words, person=person, cancelled=cancelled)

    def annotate(self, number: int, *words: str, person: int = ANN, cancelled: bool = False) -> dict[str, Any]:
        """A new annotation of the task of this number."""
        result = [{"type": "choices", "value": {"choices": list(words)}}] if words else []
        task = self.tasks[number]
        made = {"id": next(self._numbers), "completed_by": person, "result": result, "was_cancelled": cancelled}
        task["annotations"].append(made)
        task["updated_at"] = made["updated_at"] = self._now()
        return made

    def change(self, item: Any, annotation: dict[str, Any], *words: str) -> None:
        annotation["result"] = [{"type": "choices", "value": {"choices": list(words)}}]
        annotation["updated_at"] = self.tasks[self.numbers(item)[0]]["updated_at"] = self._now()

    def withdraw(self, item: Any, annotation: dict[str, Any]) -> None:
        """Delete an annotation."""
        task = self.tasks[self.numbers(item)[0]]
        task["annotations"].remove(annotation)
        task["updated_at"] = self._now()

    def _now(self) -> str:
        """A minute passes, so that a filter by time can leave out what is older."""
        self._time += timedelta(minutes=1)
        return self._time.strftime("%Y-%m-%dT%H:%M:%SZ")

    def _get_projects(self, numbers: list[str], _content: Any, _wanted: Any) -> httpx2.Response:
        if not numbers:
            return httpx2.Response(200, json={"count": 1, "results": [self.project]})
        found = int(numbers[0]) == NUMBER
        return httpx2.Response(200 if found else 404, json=self.project if found else {"detail": "Not found."})

    def _post_projects(self, numbers: list[str], content: Any, _wanted: Any) -> httpx2.Response:
        if not numbers:
            self.project = {**self.project, **content}
            return httpx2.Response(201, json=self.project)
        assert numbers == [str(NUMBER), "import"]
        self.before()
        self.imported.append(len(content))
        for task in content:
            number = next(self._numbers)
            self.tasks[number] = {"id": number, "annotations": [], "updated_at": self._now(), **task}
        self.after()
        return httpx2.Response(201, json={"task_count": len(content)})

    def _get_tasks(self, numbers: list[str], _content: Any, wanted: Any) -> httpx2.Response:
        assert wanted["resolve_uri"] == "false"
        if numbers:
            found = self.tasks.get(int(numbers[0]))
            return httpx2.Response(200, json=found) if found else httpx2.Response(404, json={"detail": "Not found."})
        reply = self._list(wanted)
        self.listed()
        return reply

    def _list(self, wanted: Any) -> httpx2.Response:
        items = json.loads(wanted["query"])["filters"]["items"]
        mark, since = items[0]["value"], items[1]["value"].replace(".000000", "") if len(items) > 1 else ""
        found = [one for one in self.tasks.values() if one["data"].get("lowshot") == mark and one["updated_at"] > since]
        page, size = int(wanted["page"]), int(wanted["page_size"])
        rows = found[(page - 1) * size : page * size]
        return httpx2.Response(200, json={"total": len(found), "tasks": rows})

    def _delete_tasks(self, numbers: list[str], _content: Any, _wanted: Any) -> httpx2.Response:
        found = self.tasks.pop(int(numbers[0]), None)
        return httpx2.Response(204) if found else httpx2.Response(404, json={"detail": "Not found."})

    def _get_webhooks(self, _numbers: list[str], _content: Any, _wanted: Any) -> httpx2.Response:
        return httpx2.Response(200, json=[{"id": number, **one} for number, one in self.webhooks.items()])

    def _post_webhooks(self, _numbers: list[str], content: Any, _wanted: Any) -> httpx2.Response:
        if self.refused:
            return httpx2.Response(403, json={"detail": self.refused})
        number = next(self._numbers)
        self.webhooks[number] = content
        return httpx2.Response(201, json={"id": number, **content})

    def _delete_webhooks(self, numbers: list[str], _content: Any, _wanted: Any) -> httpx2.Response:
        del self.webhooks[int(numbers[0])]
        return httpx2.Response(204)


def _parsed(words: tuple[str, ...]) -> dict[str, Any]:
    return {"label": {"type": "Choices", "to_name": ["title"], "labels": list(words)}}


def replies(*each: httpx2.Response) -> httpx2.MockTransport:
    """These replies, one per request."""
    left: Iterator[httpx2.Response] = iter(each)
    return httpx2.MockTransport(lambda request: next(left))
