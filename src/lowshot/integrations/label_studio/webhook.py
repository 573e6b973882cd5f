"""A receiver of Label Studio's webhooks. A call is only a hint to look now: what it says is never read."""

import hashlib
import hmac
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lowshot.errors import InputError, LowshotError
from lowshot.integrations.label_studio.client import Client

HEADER = "X-Lowshot-Secret"
MOST = 65_536  # bytes of a body, which are read and dropped; Label Studio sends about 50
PATIENCE = 5.0  # seconds for a request
TOGETHER = 20  # requests at a time


class Receiver:
    """Listens for calls; each that has the secret calls `wake`.

    >>> woken = threading.Event()
    >>> with Receiver("127.0.0.1", 0, woken.set) as receiver:
    ...     receiver.port > 0, len(receiver.secret) >= 32
    (True, True)
    """

    def __init__(self, host: str, port: int, wake: Callable[[], None]) -> None:
        self.host, self.secret, self.wake = host, secrets.token_urlsafe(32), wake
        try:
            self._server = _server(_family(host))((host, port), _handler(self))
        except OSError as error:
            raise InputError(
                f"host and port must be an address of this machine that is free: {host}, port {port}, is not"
                f" ({error.strerror}); give --port 0 for any free port"
            ) from None
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


def _family(host: str) -> int:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _server(family: int) -> type[ThreadingHTTPServer]:
    class Server(ThreadingHTTPServer):
        daemon_threads, address_family = True, family
        free = threading.BoundedSemaphore(TOGETHER)

        def process_request(self, request: Any, client_address: Any) -> None:
            """Calls that are too many are refused: a hint that is lost costs seconds, threads cost memory."""
            if self.free.acquire(blocking=False):
                super().process_request(request, client_address)
            else:
                self.shutdown_request(request)

        def process_request_thread(self, request: Any, client_address: Any) -> None:
            """However slowly it is sent, byte by byte, a request ends in time."""
            late = threading.Timer(PATIENCE, _end, [request])
            late.daemon = True
            late.start()
            try:
                super().process_request_thread(request, client_address)
            finally:
                late.cancel()
                self.free.release()

        def handle_error(self, *_: Any) -> None:
            """Nothing is printed: whoever ends a connection early is nobody whom the reader of the terminal knows."""

    return Server


def _end(request: socket.socket) -> None:
    with suppress(OSError):  # it has ended itself
        request.shutdown(socket.SHUT_RDWR)


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout, server_version, sys_version = PATIENCE, "lowshot", ""

        def do_POST(self) -> None:
            given = self.headers.get(HEADER, "").encode("utf-8", "replace")
            good = hmac.compare_digest(given, receiver.secret.encode())
            with suppress(OSError, ValueError):
                self.rfile.read(max(0, min(int(self.headers.get("Content-Length", "0")), MOST)))
            if good:
                receiver.wake()
            self.send_response(204 if good else 403)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing is printed: calls are frequent, and addresses of others are nobody's business."""

    return Handler


def path_of(mark: str) -> str:
    """The end of an address, by which the webhooks of an evaluation are found again."""
    return f"/lowshot/{hashlib.sha256(mark.encode()).hexdigest()[:16]}"


@contextmanager
def registered(client: Client, project: int, receiver: Receiver, reached_as: str | None, mark: str) -> Iterator[str]:
    """Label Studio calls the receiver as long as the context is open; the address that it calls.

    Webhooks of a process that was killed are removed first.
    """
    path, name = path_of(mark), reached_as or receiver.host
    address = f"http://{f'[{name}]' if ':' in name else name}:{receiver.port}{path}"
    for one in client.webhooks(project):
        if str(one.get("url", "")).endswith(path):
            client.delete_webhook(int(one["id"]))
    number = client.add_webhook(project, address, {HEADER: receiver.secret})
    try:
        yield address
    finally:
        with suppress(LowshotError):  # the next process removes it, if Label Studio does not answer now
            client.delete_webhook(number)
