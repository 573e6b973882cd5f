"""Middleware that refuses requests before any handler runs: foreign hosts, foreign sites, missing tokens, large bodies.

The path is taken from the ASGI scope, as the router does. `request.url` is not used: Starlette before 1.0.1 builds it
from the Host header, so that with `Host: 127.0.0.1:/static/` every path would begin with /static/.
"""

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lowshot.web.access import PAGES, Access, Level, name_and_port
from lowshot.web.pages import closed, entered

LARGEST = 64 * 1024  # bytes: the largest body; 1000 labels of `/api/v1/tell` fit if ids have up to 50 characters
DIGITS = 19  # the most digits of a Content-Length: int() raises on thousands of digits
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
    """The middleware. Every reply gets the security headers, also a refusal."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # startup and shutdown; there are no websockets
            await self._app(scope, receive, send)
            return
        request, path = Request(scope), path_of(scope)
        refused = self._refused(request, path)
        body = b"" if refused else await _body(request, receive)
        if body is None:
            refused = problem(413, f"body must have at most {LARGEST:,} bytes: got more; send it in several requests")
        await (refused or self._app)(scope, _again(body or b"", receive), _with_headers(send, path))

    def _refused(self, request: Request, path: str) -> Response | None:
        """The reply that refuses a request; None if it is allowed."""
        hosts = request.headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        name, _ = name_and_port(host)
        if name not in self._access.hosts:
            got = ", ".join(hosts)[:200]
            return problem(
                403,
                f"host must be one of the app's host names, with or without a port: got {got!r}; add it with hosts=",
            )
        if request.method not in SAFE and not _same_site(request, host):
            return problem(
                403, "a change must come from this site: got a request from another one; open the page itself"
            )
        return self._without_token(request, path)

    def _without_token(self, request: Request, path: str) -> Response | None:
        """The reply to a request without a fitting token. Only pages accept a token in the URL; they set the cookie."""
        given = request.query_params.get("token") if request.method == "GET" and path in PAGES else None
        if given is not None:
            level = self._access.level_of(given)
            if level is not Level.NOBODY:
                return entered(request, path, self._access.cookie(level, request), given)
        if self._access.level(request) >= self._access.needed(path):
            return None
        if path.startswith("/api/"):
            return problem(401, "a token is needed: got none or a wrong one; send 'Authorization: Bearer TOKEN'")
        return closed(request)


def problem(status: int, message: str) -> JSONResponse:
    return JSONResponse({"message": message}, status)


def path_of(scope: Scope) -> str:
    """The path that the router matches: without the prefix under which the app is mounted in another app.

    >>> path_of({"path": "/label/owner", "root_path": "/label"}), path_of({"path": "/labels", "root_path": "/label"})
    ('/owner', '/labels')
    """
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path


def _same_site(request: Request, host: str) -> bool:
    """Whether a request comes from a page of this app. Programs send neither header, and cannot be tricked by a page.

    The scheme is not compared: behind a proxy the browser uses https and this server http.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
    return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


async def _body(request: Request, receive: Receive) -> bytes | None:
    """The whole body; None if it is larger than LARGEST."""
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
    """A `receive` that returns the body that was already read, for the handler."""
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
