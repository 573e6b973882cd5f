"""The requests of Label Studio's HTTP interface that sending tasks and receiving answers need.

They are plain HTTP: label-studio-sdk 2.1.2 would install OpenCV, NLTK, pandas, datamodel-code-generator and 20 other
packages for ten requests. httpx2 is the client that Starlette's tests use, too.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from lowshot.errors import InputError, ServiceError, required_by, without_password

with required_by("Label Studio over HTTP", extra="label-studio"):
    import httpx2

KEY = "LABEL_STUDIO_API_KEY"  # the environment variable with the token, as Label Studio's own SDK calls it
TIMEOUT = 30  # seconds: importing a hundred tasks takes about one
PAGE = 100  # tasks per request, sent or received: the most that Label Studio gives by default
TIME = "%Y-%m-%dT%H:%M:%S.%fZ"  # the only form of a time that its filters take
LATER = (408, 425, 429, 500, 502, 503, 504)  # statuses of a server that starts, is busy or is behind a proxy
DETAIL = 300  # characters of what a server says that are shown
HOOKED = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED", "TASKS_DELETED")


class Unavailable(ServiceError):
    """Label Studio does not answer now. The request may have been carried out; nothing was changed here."""


def checked_url(url: str) -> str:
    """The address of a server, without the slash at its end.

    >>> checked_url("http://127.0.0.1:8080/")
    'http://127.0.0.1:8080'
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True) and url.isprintable()
        httpx2.URL(url)  # refuses names that no host can have
    except (ValueError, httpx2.InvalidURL):
        good = False
    if not good or parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "url must be the address of Label Studio, such as http://127.0.0.1:8080, without a user, a ? or a #:"
            f" got {without_password(url)!r}"
        )
    return url.rstrip("/")


def is_personal(token: str) -> bool:
    """Whether a token is a personal access token, with which access tokens are requested; legacy tokens are sent.

    >>> is_personal("eyJhbGci.eyJ0b2tl.c2lnbmF0"), is_personal("0123456789abcdef0123456789abcdef01234567")
    (True, False)
    """
    return token.count(".") == 2 and token.startswith("ey")


class Client:
    """One server, with the token of one of its users.

    >>> def reply(request):
    ...     return httpx2.Response(200, json={"id": 3, "title": "Birds"})
    >>> client = Client("http://127.0.0.1:8080", "0123", transport=httpx2.MockTransport(reply))
    >>> client.project(3)["title"]
    'Birds'

    token      a personal access token, or a legacy token
    transport  replaces the network, for tests
    """

    def __init__(self, url: str, token: str, transport: "httpx2.BaseTransport | None" = None) -> None:
        self.url = checked_url(url)
        if not token.strip() or not token.strip().isascii() or not token.strip().isprintable():
            raise InputError(f"{KEY} must be a token of Label Studio: {self._where_tokens_are}")
        self._token, self._access = token.strip(), ""
        self._http = httpx2.Client(timeout=TIMEOUT, transport=transport)
        self.close = self._http.close

    def project(self, number: int) -> dict[str, Any]:
        found = self._ask("GET", f"/api/projects/{number}/", missing=f"project {number}")
        return self._with("title", str, found)

    def projects(self) -> Iterator[dict[str, Any]]:
        """Those that the token's user can see."""
        yield from self._pages("/api/projects/", "results", "count", {})

    def create(self, title: str, description: str, config: str, annotators: int) -> int:
        """A new project. Its tasks come in the order in which they were imported."""
        about = {"title": title, "description": description, "label_config": config, "maximum_annotations": annotators}
        made = self._ask("POST", "/api/projects/", json={**about, "show_collab_predictions": False})
        return int(self._with("id", int, made)["id"])

    def tasks(self, project: int, mark: str, since: datetime | None = None) -> Iterator[dict[str, Any]]:
        """The tasks of a project whose data have this mark, with all annotations; only those changed since then."""
        wanted = [{"filter": "filter:tasks:data.lowshot", "operator": "equal", "type": "String", "value": mark}]
        if since is not None:
            then = since.astimezone(UTC).strftime(TIME)
            wanted.append(
                {"filter": "filter:tasks:updated_at", "operator": "greater", "type": "Datetime", "value": then}
            )
        query = json.dumps({"filters": {"conjunction": "and", "items": wanted}, "ordering": ["tasks:id"]})
        # resolve_uri would replace an id such as s3://bucket/x.jpg by the address of a picture
        common = {"project": project, "fields": "all", "resolve_uri": "false", "query": query}
        found = self._pages("/api/tasks/", "tasks", "total", common, missing=f"project {project}")
        return (task for task in found if (task.get("data") or {}).get("lowshot") == mark)

    def _pages(
        self, path: str, rows: str, total: str, common: dict[str, Any], missing: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """All rows of a list. A page that is not there any more, because rows were deleted meanwhile, is empty."""
        seen, count, page = 0, 1, 1
        while seen < count:
            wanted = {**common, "page_size": PAGE, "page": page}
            found = self._ask("GET", path, params=wanted, missing="" if page > 1 else missing)
            if found is None:
                return
            count, listed = int(self._with(total, int, found)[total]), self._numbered(found.get(rows))
            if not listed:
                return
            yield from listed
            seen, page = seen + len(listed), page + 1

    def send(self, project: int, tasks: Sequence[dict[str, Any]]) -> None:
        self._ask("POST", f"/api/projects/{project}/import", json=list(tasks), missing=f"project {project}")

    def task(self, number: int) -> dict[str, Any] | None:
        """A task as it is now, with all annotations; None if there is none any more."""
        found = self._ask("GET", f"/api/tasks/{number}/", params={"resolve_uri": "false"}, missing="")
        return None if found is None else self._with("annotations", list, found)

    def delete_task(self, number: int) -> None:
        self._ask("DELETE", f"/api/tasks/{number}/", missing="")

    def webhooks(self, project: int) -> list[dict[str, Any]]:
        return self._numbered(self._ask("GET", "/api/webhooks/", params={"project": project}))

    def add_webhook(self, project: int, url: str, headers: dict[str, str]) -> int:
        about = {"project": project, "url": url, "headers": headers, "send_payload": False}
        made = self._ask("POST", "/api/webhooks/", json={**about, "send_for_all_actions": False, "actions": HOOKED})
        return int(self._with("id", int, made)["id"])

    def delete_webhook(self, number: int) -> None:
        self._ask("DELETE", f"/api/webhooks/{number}/", missing="")

    def _ask(self, method: str, path: str, missing: str | None = None, **content: Any) -> Any:
        """The JSON of the reply.

        missing  what does not exist if the reply is 404, for the message; "": None is returned then; None: a 404 is
                 refused like any other error
        """
        response = self._sent(method, path, **content)
        if response.status_code == 401 and self._access:
            self._access = ""  # access tokens are valid for some minutes
            response = self._sent(method, path, **content)
        if response.status_code == 404 and missing is not None and _is_json(response):
            if not missing:
                return None
            raise InputError(f"{missing} must exist at {self.url}, and the token's user must be allowed to see it")
        return self._good(response)

    def _sent(self, method: str, path: str, **content: Any) -> "httpx2.Response":
        return self._request(method, path, headers={"Authorization": self._authorization()}, **content)

    def _authorization(self) -> str:
        if not is_personal(self._token):
            return f"Token {self._token}"
        if not self._access:
            reply = self._good(self._request("POST", "/api/token/refresh/", json={"refresh": self._token}))
            access = str(self._with("access", str, reply)["access"])
            if not access.isascii() or not access.isprintable():
                raise self._another_program()  # a header cannot have it
            self._access = access
        return f"Bearer {self._access}"

    def _request(self, method: str, path: str, **content: Any) -> "httpx2.Response":
        request = self._http.build_request(method, self.url + path, **content)
        try:
            return self._http.send(request)
        except (httpx2.RequestError, UnicodeError) as error:  # UnicodeError: of a name that is too long to look up
            why = self._hidden(str(error)) or type(error).__name__
            raise Unavailable(f"{self.url} cannot be reached ({why})") from None

    def _good(self, response: "httpx2.Response") -> Any:
        status, said = response.status_code, self._hidden(_detail(response))
        if status == 401:
            raise InputError(
                f"{KEY} must be a token that {self.url} accepts: it answers 401{said}; {self._where_tokens_are}"
            )
        if status == 403:
            raise InputError(f"the user whose token {KEY} is must be allowed to do this: {self.url} answers 403{said}")
        if status in LATER:
            raise Unavailable(f"{self.url} answers {status}{said}")
        if response.is_redirect:
            raise InputError(
                f"url must be the address that Label Studio has itself: {self.url} redirects to"
                f" {response.headers.get('location', '')!r}; give that server's address"
            )
        if status == 204:
            return None
        if not _is_json(response):
            raise InputError(
                f"url must be the address of Label Studio: {self.url} answers {status} without JSON; check it in a"
                " browser"
            )
        if not response.is_success:
            raise InputError(f"Label Studio at {self.url} refuses the request: it answers {status}{said}")
        return response.json()

    def _hidden(self, text: str) -> str:
        """A message of others without the tokens: a proxy may repeat the headers of a request that it refuses."""
        for secret in filter(None, (self._token, self._access)):
            text = text.replace(secret, "...")
        return text

    @property
    def _where_tokens_are(self) -> str:
        return f"Label Studio shows it at {self.url}/user/account"

    def _with(self, key: str, kind: type, found: Any) -> dict[str, Any]:
        """A reply that has this key, as those of Label Studio do."""
        if not isinstance(found, dict) or not isinstance(found.get(key), kind):
            raise self._another_program()
        return found

    def _numbered(self, found: Any) -> list[dict[str, Any]]:
        """A reply that is a list of things with numbers."""
        if not isinstance(found, list):
            raise self._another_program()
        return [self._with("id", int, one) for one in found]

    def _another_program(self) -> InputError:
        return InputError(
            f"url must be the address of Label Studio: {self.url} answers with JSON of another program, or of a version"
            " of Label Studio that lowshot does not know (1.23.2 is tested); check it in a browser"
        )


def _is_json(response: "httpx2.Response") -> bool:
    try:
        response.json()
    except (ValueError, RecursionError):
        return False
    return True


def _detail(response: "httpx2.Response") -> str:
    """What the server says about an error, in brackets; empty if it says nothing readable."""
    if response.is_success or not _is_json(response):
        return ""
    found = response.json()
    said = found if isinstance(found, dict) else {}
    more = said.get("validation_errors") or ""
    text = f"{said.get('detail') or found} {json.dumps(more, ensure_ascii=False) if more else ''}"
    text = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
    return f" ({text[:DETAIL]})" if text else ""
