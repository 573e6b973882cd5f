"""Servers of other programs that tests start, each with its files in a folder of its own.

Nothing of lowshot is imported: environments of other programs, such as that of `make fiftyone`, have few extras.
"""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import SystemRandom
from urllib.request import urlopen

import pytest

from .needed import missing

ROOT = Path(__file__).parents[1]


def program(name: str, variable: str) -> str:
    """A program of the interpreter that this variable names, or of the environment that `make NAME` has made."""
    made = ROOT / f".venv-{name}" / "bin" / "python"
    found = Path(os.environ.get(variable) or made).with_name(name)
    if not found.exists():
        missing(f"{name} is not installed: make {name} installs it in an environment of its own")
    return str(found)


def free_port() -> int:
    """A port for a server that binds it later, perhaps a minute later: none of those that the system itself hands out
    (from 32,768 on), since another program could get it meanwhile."""
    for port in SystemRandom().sample(range(15_000, 32_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    pytest.fail("no port is free")


@contextmanager
def running(
    name: str, command: Sequence[str], environment: Mapping[str, str], folder: Path, port: int, seconds: float
) -> Iterator[str]:
    """The address of a server on this port, as soon as its page /health answers. It is gone afterwards."""
    log, address = folder / "log", f"http://127.0.0.1:{port}"
    with log.open("w") as file:
        server = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=file, stderr=file, start_new_session=True
        )
    try:
        deadline = time.monotonic() + seconds
        while not _answers(address):
            if server.poll() is not None:
                pytest.fail(f"{name} ended with {server.returncode}:\n{log.read_text()}")
            if time.monotonic() > deadline:
                pytest.fail(f"{name} did not answer within {seconds} s:\n{log.read_text()}")
            time.sleep(0.5)
        yield address
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/health", timeout=60) as response:
            return bool(response.status == 200)
    except OSError:  # nobody answers, or with an error
        return False
