"""On 127.0.0.1, unless told otherwise."""

import contextlib
import gc
import socket
import sys
import webbrowser
from threading import Timer
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI

from lowshot import checks
from lowshot.errors import InputError
from lowshot.web.access import LOCAL, OWN, Access
from lowshot.web.connections import Connection, ask_for_files, burst
from lowshot.web.log import log_seldom

QUEUE = 1024  # connections that the system holds until they are accepted; a full queue lets clients wait a second
SWITCH = 0.0005  # seconds until a thread that computes lets another one go on


def serve(app: FastAPI, host: str = "127.0.0.1", port: int = 8484, open_browser: bool = True) -> None:
    """Serve an app of `make_app` until it is interrupted (Ctrl-C). Addresses with their tokens are printed once."""
    access: Access = app.state.access
    refuse_open(access, host)
    with listen(host, port) as listening:
        pages = addresses(access, host, listening.getsockname()[1])
        for who, address in pages.items():
            print(f"{who:>10}  {address}", flush=True)
        if open_browser:
            Timer(0.5, webbrowser.open, [pages["owner" if access.solo else "annotators"]]).start()
        with contextlib.suppress(KeyboardInterrupt):
            run(app, listening)


def run(app: FastAPI, listening: socket.socket) -> None:
    """Serve until it is interrupted. This process is there for people who wait, and they notice 0.1 seconds.

    An answer takes the interpreter dozens of times, and while a plan is made it would wait for it 5 ms each time. What
    is there when it starts will stay: to look for garbage in it takes 0.1 seconds every now and then.
    """
    ask_for_files()
    log_seldom()
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()
    server_of(app).run(sockets=[listening])


def server_of(app: FastAPI) -> uvicorn.Server:
    """No access log: addresses may have tokens in them. No websockets: the page has none."""
    config = uvicorn.Config(
        app, http=Connection, ws="none", backlog=burst(), access_log=False, log_level="warning", server_header=False
    )
    return Server(config)


class Server(uvicorn.Server):
    """uvicorn has one number for two things: connections in the queue, and those that are accepted at once."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(QUEUE)


def refuse_open(access: Access, host: str) -> None:
    """Whatever others can reach needs a token, and a name to reach it by."""
    if host not in OWN and access.token is None:
        raise InputError(
            f"host must be 127.0.0.1 unless there is a token: got {host!r};"
            " make the app with hosts=[the name that people type], then a token is made"
        )


def listen(host: str, port: int) -> socket.socket:
    checks.whole_number("port", port, 0, 65535)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends replies at once only on sockets that say TCP: others wait 40 ms for the last packet's receipt
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise InputError(f"port must be free on {host}: got {port} ({error.strerror}); give another port") from None
    return listening


def addresses(access: Access, host: str, port: int) -> dict[str, str]:
    """What to open: the annotators' page and the owner's, each with its token.

    >>> addresses(Access.of(None, "x" * 16, solo=False, hosts=[]), "127.0.0.1", 8484)
    {'annotators': 'http://127.0.0.1:8484/', 'owner': 'http://127.0.0.1:8484/owner?token=xxxxxxxxxxxxxxxx'}
    """
    named = sorted(access.hosts.difference(LOCAL))
    shown = named[0] if host not in OWN and named else f"[{host}]" if ":" in host else host
    base = f"http://{shown}:{port}"
    return {
        "annotators": f"{base}/" + (f"?token={quote(access.token, safe='')}" if access.token else ""),
        "owner": f"{base}/owner?token={quote(access.owner_token, safe='')}",
    }
