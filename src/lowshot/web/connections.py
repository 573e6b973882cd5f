"""Limits on connections, so that clients that send nothing cannot block the others.

Each connection is an open file, and the operating system limits open files per process, often to 1024. At the limit
nobody can connect, and the store cannot open its files.
"""

import contextlib
import sys
from asyncio import TimerHandle, Transport

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

FILES = 4096  # open files that the process asks for; macOS allows at most 10,240
MOST = 512  # connections at a time; a browser opens up to 6
BURST = 64  # connections that asyncio accepts in one step, before any of them is counted
PATIENCE = 20.0  # seconds for a request to arrive: the largest body, 64 kB, needs 20 s at 26 kbit/s


class Connection(H11Protocol):
    """A connection that is closed if its request does not arrive in time, or if a newer connection needs its place.

    uvicorn's own limit (`limit_concurrency`) refuses all requests while idle clients hold the connections, and its
    only timeout (`timeout_keep_alive`) starts after the first reply.
    """

    patience = PATIENCE

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()  # since when it waits for a request
        self._unread = (self._since, 0)
        self._next_look: TimerHandle = self.loop.call_later(self.patience, self._look)
        if len(self.connections) > most():
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._next_look.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._since = self.loop.time()
        super().on_response_complete()

    @property
    def _waits(self) -> bool:
        """Whether the server waits for the client: no request has begun, or its body is incomplete."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _make_room(self) -> None:
        """Close the connection that has been silent longest. A new one is silent too, so there always is one."""
        others = [one for one in self.connections if isinstance(one, Connection) and not one.transport.is_closing()]
        if len(others) > most():
            min((one for one in others if one._waits), key=lambda one: one._since).transport.abort()

    def _look(self) -> None:
        """Close the connection if the client neither sends its request nor reads the reply. Repeated by a timer."""
        unread = (self._since, self.transport.get_write_buffer_size())
        late = self._waits and not unread[1] and self.loop.time() - self._since >= self.patience
        stuck = unread[1] and unread[0] == self._unread[0] and unread[1] >= self._unread[1] > 0
        if late or stuck:
            self.transport.abort()
        self._unread = unread
        self._next_look = self.loop.call_later(self.patience / 4, self._look)


def most() -> int:
    """The most connections: half of the open files. The rest is for new connections and for the store."""
    return min(MOST, open_files() // 2)


def burst() -> int:
    """Connections that asyncio accepts per step; it may take four steps before the first connection is counted.

    While no file can be opened, Python before 3.12.9 retries this many times per second and logs an error each time.
    """
    return max(1, min(BURST, open_files() // 16))


def open_files() -> int:
    """The limit on open files of this process. Windows does not limit sockets."""
    if sys.platform == "win32":
        return FILES
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return FILES if soft == resource.RLIM_INFINITY else soft


def ask_for_files() -> None:
    """Raise the limit on open files of this process to FILES, or as far as the system allows."""
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if open_files() < wanted:
        with contextlib.suppress(ValueError, OSError):  # some systems have further limits
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
