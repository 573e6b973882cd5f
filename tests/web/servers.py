"""The page on a real port, in a thread of the tests."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, NamedTuple

import uvicorn

from lowshot.web.server import listen, server_of


class Serving(NamedTuple):
    """A server that answers."""

    port: int
    server: uvicorn.Server

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(app: Any, given: socket.socket | None = None) -> Iterator[Serving]:
    """The app behind a server that has stopped afterwards.

    given  a socket of `listen` that clients may have connected to already; it is closed afterwards
    """
    server = server_of(app)
    with given or listen("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server ended before it answered"
                time.sleep(0.02)
            yield Serving(listening.getsockname()[1], server)
        finally:
            server.should_exit = True
            thread.join()
