"""How many connections the page holds, and for how long: those that send nothing never keep others out.

Each connection is an open file, and the system limits those per process, often to 1024. Beyond that nobody could
connect, and the store could not open its files.
"""

import contextlib
import sys
from asyncio import TimerHandle, Transport

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

FILES = 4096  # open files that the process asks for; macOS refuses more than 10,240
MOST = 512  # connections: a browser has up to 6
BURST = 64  # connections that are accepted at once, before any of them is counted
PATIENCE = 20.0  # seconds: the largest body, 64 kB, takes them at 26 kbit/s


class Connection(H11Protocol):
    """A connection that is closed when its request does not arrive in time, or when a newer one needs its place.

    uvicorn's own limit (`limit_concurrency`) refuses the requests of everybody while others hold connections, and its
    only timeout (`timeout_keep_alive`) begins after the first reply.
    """

    patience = PATIENCE

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()  # it waits for a request
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
        """A request has not begun, or not all of it is here. While a reply is made it is the client that waits."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _make_room(self) -> None:
        """Close the one that has waited longest; if all others are being answered, that is this one."""
        others = [one for one in self.connections if isinstance(one, Connection) and not one.transport.is_closing()]
        if len(others) > most():
            min((one for one in others if one._waits), key=lambda one: one._since).transport.abort()

    def _look(self) -> None:
        """Whether the client still does its part: send a request, read the reply."""
        unread = (self._since, self.transport.get_write_buffer_size())
        late = self._waits and not unread[1] and self.loop.time() - self._since >= self.patience
        stuck = unread[1] and unread[0] == self._unread[0] and unread[1] >= self._unread[1] > 0
        if late or stuck:
            self.transport.abort()
        self._unread = unread
        self._next_look = self.loop.call_later(self.patience / 4, self._look)


def most() -> int:
    """Connections at once: half of the files, the others are for those being accepted and for the store."""
    return min(MOST, open_files() // 2)


def burst() -> int:
    """asyncio accepts this many at a time, and up to four times before the first is counted.

    Python before 3.12.9 also tries, and logs an error, this many times each second while no file can be opened.
    """
    return max(1, min(BURST, open_files() // 16))


def open_files() -> int:
    """How many this process may have; Windows does not limit sockets."""
    if sys.platform == "win32":
        return FILES
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return FILES if soft == resource.RLIM_INFINITY else soft


def ask_for_files() -> None:
    """Raise the limit of open files of this process, as far as the system allows."""
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if open_files() < wanted:
        with contextlib.suppress(ValueError, OSError):  # some systems have other limits beside the hard one
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
