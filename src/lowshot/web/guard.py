"""What is refused before any handler sees it: other hosts, other sites, missing tokens, large bodies."""

from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lowshot.web.access import Access, Level
from lowshot.web.pages import closed, entered

LARGEST = 64 * 1024  # bytes of a body
SAFE = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Around the app. Every reply gets the headers, refusals too."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the app begins and ends; it has no websockets
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = self._refused(request)
        body = b"" if refused else await _body(request, receive)
        if body is None:
            refused = problem(413, f"body must have at most {LARGEST:,} bytes: got more; send less at once")
        await (refused or self._app)(scope, _again(body or b"", receive), _with_headers(send, request.url.path))

    def _refused(self, request: Request) -> Response | None:
        """The first reason against a request; None lets it through."""
        host = request.headers.get("host", "")
        if _name(host) not in self._access.hosts:
            return problem(403, f"host must be one that is served: got {host!r}; give it with hosts=")
        if request.method not in SAFE and not _same_site(request, host):
            return problem(403, "a change must come from this page: got a request from another site")
        return self._without_token(request)

    def _without_token(self, request: Request) -> Response | None:
        given = request.query_params.get("token")
        if given is not None and request.method == "GET":
            level = self._access.level_of(given)
            if level is not Level.NOBODY:
                return entered(request, self._access.cookie(level), given)
        if self._access.level(request) >= self._access.needed(request.url.path):
            return None
        if request.url.path.startswith("/api/"):
            return problem(401, "a token is needed: got none that fits; send 'Authorization: Bearer TOKEN'")
        return closed(request)


def problem(status: int, message: str) -> JSONResponse:
    return JSONResponse({"message": message}, status)


def _name(host: str) -> str:
    """Without the port.

    >>> _name("Label.example.org:8484"), _name("[::1]:8484")
    ('label.example.org', '[::1]')
    """
    end = host.rfind(":")
    return (host[:end] if end > host.rfind("]") else host).lower()


def _same_site(request: Request, host: str) -> bool:
    """Browsers say where a request comes from; programs that are none say nothing, and have no cookies to steal."""
    origin = request.headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc == host
    return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


async def _body(request: Request, receive: Receive) -> bytes | None:
    """All of it; None if it is too large."""
    length = request.headers.get("content-length", "0")
    body, more = b"", not (length.isdecimal() and int(length) > LARGEST)
    if not more:
        return None
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LARGEST:
            return None
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, for whoever reads it next."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> Message:
        return messages.pop() if messages else await receive()

    return read


def _with_headers(send: Send, path: str) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers["Cache-Control"] = "no-cache" if path.startswith("/static/") else "no-store"
        await send(message)

    return answer
