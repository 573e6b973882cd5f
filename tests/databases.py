"""A PostgreSQL server of the tests' own, in a folder of its own; empty schemas of it."""

import os
import pwd
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .needed import module, program
from .servers import free_port

INSTALL = "PostgreSQL is not installed: apt-get install postgresql (or put initdb and pg_ctl on the PATH)"
DEBIAN = "/usr/lib/postgresql/*/bin"  # Debian keeps the server's programs off the PATH


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The URL of a server that is gone afterwards."""
    module("psycopg")
    initdb, pg_ctl = program("initdb", INSTALL, DEBIAN), program("pg_ctl", INSTALL, DEBIAN)
    data, port = folder / "data", free_port()
    data.mkdir()
    user = _not_root(folder)
    _run([initdb, "-D", str(data), "-U", "lowshot", "--auth=trust", "--no-sync"], user)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={data}"
    _run([pg_ctl, "-D", str(data), "-w", "-t", "300", "-l", str(data / "log"), "-o", options, "start"], user)
    try:
        yield f"postgresql://lowshot@127.0.0.1:{port}/postgres"
    finally:
        _run([pg_ctl, "-D", str(data), "-m", "immediate", "-w", "-t", "300", "stop"], user)


def connected(url: str, **options: Any) -> Any:
    """A connection of psycopg."""
    return module("psycopg").connect(url, **options)


def new_schema(url: str) -> str:
    """The URL of an empty schema on the server."""
    name = f"s{uuid.uuid4().hex[:12]}"
    with connected(url) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{url}?options=-csearch_path%3D{name}"


def _not_root(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root: then Debian's user runs it, in a folder that this user owns."""
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
    """By runuser and not by `user=`, for which Python copies its own process: for each of its connections DuckDB 1.5.0
    maps 19 GB of addresses, and Linux refuses to copy more than there is memory."""
    command = command if user is None else ["runuser", "-u", user, "--", *command]
    found = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stderr
