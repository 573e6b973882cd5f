"""`serve`: run an app with uvicorn, on 127.0.0.1 by default."""

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
from lowshot.web.log import limit_repeats

CONNECTIONS = 512  # at that many, idle ones included, requests get status 503; a browser opens up to 6


def serve(app: FastAPI, host: str = "127.0.0.1", port: int = 8484, open_browser: bool = True) -> None:
    """Serve an app of `make_app` until Ctrl-C. Prints the addresses of the pages, with their tokens."""
    access: Access = app.state.access
    refuse_open(access, host)
    with listen(host, port) as listening:
        pages = addresses(access, host, listening.getsockname()[1])
        for who, address in pages.items():
            print(f"{who:>10}  {address}", flush=True)
        print("Ctrl-C stops the page; every answer is stored at once.", file=sys.stderr, flush=True)
        if open_browser:
            Timer(0.5, webbrowser.open, [pages["owner" if access.solo else "annotators"]]).start()
        with contextlib.suppress(KeyboardInterrupt):
            run(app, listening)


def run(app: FastAPI, listening: socket.socket) -> None:
    """Serve until Ctrl-C.

    The objects that exist at the start, such as the pool, are frozen: otherwise the garbage collector traverses them
    now and then, which takes 0.1 seconds and makes the slowest of a hundred replies three times as slow.
    """
    limit_repeats()
    gc.collect()
    gc.freeze()
    server_of(app).run(sockets=[listening])


def server_of(app: FastAPI) -> uvicorn.Server:
    """The server. It has no access log, because URLs may contain tokens, and no websockets, which no page uses.

    Whatever is installed, requests are read by h11, which refuses a head of more than 16 kB; httptools reads it all.
    """
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http="h11",
            ws="none",
            limit_concurrency=CONNECTIONS,
            access_log=False,
            log_level="warning",
            server_header=False,
        )
    )


def refuse_open(access: Access, host: str) -> None:
    """Refuse to listen on an address that other machines can reach if the app has no token."""
    if host not in OWN and access.token is None:
        raise InputError(
            f"host must be 127.0.0.1 unless there is a token: got {host!r};"
            " call make_app with hosts=[the host name that people type], which also generates a token"
        )


def listen(host: str, port: int) -> socket.socket:
    """A socket to which clients can connect from now on."""
    checks.whole_number("port", port, 0, 65535)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if proto is IPPROTO_TCP; without it replies wait 40 ms for a delayed ACK
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # before the address is printed: the system queues connections until they are accepted
    except OSError as error:
        listening.close()
        raise InputError(f"port must be free on {host}: got {port} ({error.strerror}); give another port") from None
    return listening


def addresses(access: Access, host: str, port: int) -> dict[str, str]:
    """The addresses of the annotators' page and of the owner's page, with their tokens.

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
