"""What is refused before any handler sees it: other hosts, other sites, missing tokens, large bodies.

Everything is decided by the path of the ASGI scope, which is the one that the router takes. `request.url` is not used:
Starlette before 1.0.1 builds it from the Host header, and `Host: 127.0.0.1:/static/` is then the beginning of its path.
"""

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lowshot.web.access import PAGES, Access, Level, name_and_port
from lowshot.web.pages import closed, entered

LARGEST = 64 * 1024  # bytes of a body
DIGITS = 19  # of a length: Python refuses to read numbers of thousands of digits
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
        request, path = Request(scope), path_of(scope)
        refused = self._refused(request, path)
        body = b"" if refused else await _body(request, receive)
        if body is None:
            refused = problem(413, f"body must have at most {LARGEST:,} bytes: got more; send less at once")
        await (refused or self._app)(scope, _again(body or b"", receive), _with_headers(send, path))

    def _refused(self, request: Request, path: str) -> Response | None:
        """The first reason against a request; None lets it through."""
        hosts = request.headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        name, _ = name_and_port(host)
        if name not in self._access.hosts:
            got = ", ".join(hosts)[:200]
            return problem(
                403, f"host must be one that is served, with its port or without: got {got!r}; give it with hosts="
            )
        if request.method not in SAFE and not _same_site(request, host):
            return problem(403, "a change must come from this page: got a request from another site")
        return self._without_token(request, path)

    def _without_token(self, request: Request, path: str) -> Response | None:
        """Only pages take a token from the address: everything else has the cookie then, or an Authorization header."""
        given = request.query_params.get("token") if request.method == "GET" and path in PAGES else None
        if given is not None:
            level = self._access.level_of(given)
            if level is not Level.NOBODY:
                return entered(request, path, self._access.cookie(level, request), given)
        if self._access.level(request) >= self._access.needed(path):
            return None
        if path.startswith("/api/"):
            return problem(401, "a token is needed: got none that fits; send 'Authorization: Bearer TOKEN'")
        return closed(request)


def problem(status: int, message: str) -> JSONResponse:
    return JSONResponse({"message": message}, status)


def path_of(scope: Scope) -> str:
    """The path by which the router chooses a handler: without the prefix under which the app is mounted in another app.

    >>> path_of({"path": "/label/owner", "root_path": "/label"}), path_of({"path": "/labels", "root_path": "/label"})
    ('/owner', '/labels')
    """
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path


def _same_site(request: Request, host: str) -> bool:
    """Browsers say where a request comes from; programs that are none say nothing, and have no cookies to steal.

    The scheme is not compared: behind a proxy the browser speaks https and this server http.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
    return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


async def _body(request: Request, receive: Receive) -> bytes | None:
    """All of it; None if it is too large."""
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and (len(length) > DIGITS or int(length) > LARGEST):
        return None
    body, more = b"", True
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
