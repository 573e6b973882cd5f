"""A PostgreSQL server of the tests' own: Debian's, in a folder of its own, gone afterwards; Debian's browser."""

import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, sync_playwright

from .needed import missing

INSTALL = "PostgreSQL is not installed: apt-get install postgresql (or put initdb and pg_ctl on the PATH)"
STORES = Path(__file__).parent / "store" / "earlier"  # of earlier versions
INSTALL_BROWSER = "there is no chromium: apt-get install chromium (or put it on the PATH)"


def program(name: str) -> str | None:
    """Debian keeps the server's programs off the PATH."""
    found = shutil.which(name)
    return found or next(map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)), None)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server, one a process of the tests."""
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    if initdb is None or pg_ctl is None:
        missing(INSTALL)
    folder = tmp_path_factory.mktemp("postgres")
    data, port = folder / "data", _free_port()
    data.mkdir()
    user = _not_root(folder)
    _run([initdb, "-D", str(data), "-U", "lowshot", "--auth=trust", "--no-sync"], user)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={data}"
    _run([pg_ctl, "-D", str(data), "-w", "-l", str(data / "log"), "-o", options, "start"], user)
    try:
        yield f"postgresql://lowshot@127.0.0.1:{port}/postgres"
    finally:
        _not_root(folder)  # other tests of the same user close the folder above again
        _run([pg_ctl, "-D", str(data), "-m", "immediate", "-w", "stop"], user)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        missing(INSTALL_BROWSER)
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store: a new file, or a new schema of the server."""
    if request.param == "sqlite":
        return str(tmp_path / "birds.db")
    return new_schema(request.getfixturevalue("postgres"))


def new_schema(url: str) -> str:
    """An empty one on the server, as the URL of a store."""
    name = f"s{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{url}?options=-csearch_path%3D{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[int], str]:
    """A store of an earlier version, as it was."""

    def sqlite(version: int) -> str:
        path = tmp_path / f"version-{version}.db"
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript((STORES / f"version-{version}.sql").read_text())
        connection.close()
        return str(path)

    def postgresql(version: int) -> str:
        url = new_schema(request.getfixturevalue("postgres"))
        with psycopg.connect(url) as connection:
            connection.execute((STORES / f"version-{version}.postgresql.sql").read_bytes())
        return url

    return sqlite if request.param == "sqlite" else postgresql


def _not_root(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root: Debian's user does it then, in a folder that is theirs."""
    if os.getuid() != 0:
        return None
    entry = pwd.getpwnam("postgres")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, entry.pw_uid, entry.pw_gid)
    for parent in folder.parents:
        if parent.stat().st_uid == 0 and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    return entry.pw_name


def _run(command: list[str], user: str | None) -> None:
    found = subprocess.run(command, user=user, cwd="/", capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
