"""What tests of trackers share: settings, a real MLflow server, and a reader of the files of Weights & Biases."""

import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from .needed import module
from .servers import free_port, program, running

QUIET = {  # nothing that happens here is told to others
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ALLOW_FILE_STORE": "true",  # a folder instead of a database, which takes a quarter of a minute to make
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "WANDB_MODE": "offline",
    "WANDB_SILENT": "true",
    "WANDB_ERROR_REPORTING": "false",
    "WANDB_DISABLE_GIT": "true",
    "WANDB_DISABLE_CODE": "true",
    "WANDB__SERVICE_WAIT": "300",  # seconds until its own process has started, of which a busy machine may need many
}
START_S = 900  # it makes its database first


def quiet(monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    for name, value in {**QUIET, **more}.items():
        monkeypatch.setenv(name, value)


@contextmanager
def offline_wandb(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Weights & Biases keeps runs in this folder. It reads its settings once, until it is torn down."""
    quiet(monkeypatch, WANDB_DIR=str(folder))
    wandb = module("wandb")
    wandb.teardown()
    yield
    wandb.teardown()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of an MLflow server that is gone afterwards. Runs are in a database, files in a folder beside it."""
    port, mlflow = free_port(), program("mlflow", "LOWSHOT_MLFLOW")
    stores = ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", f"{folder}/files"]
    command = [mlflow, "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1", *stores]
    environment = {"PATH": f"{Path(mlflow).parent}:{os.environ['PATH']}", "HOME": str(folder), **QUIET}
    with running("MLflow", command, environment, folder, port, START_S) as address:
        yield address


def records(folder: Path) -> list[Any]:
    """What Weights & Biases has written of the only run below this folder: a log of LevelDB with messages inside."""
    messages = module("wandb.proto.wandb_internal_pb2")
    module("wandb").teardown()  # its process writes the end of the file when it ends
    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    content, place, found, parts = path.read_bytes(), 7, [], b""
    while place + 7 <= len(content):
        if 32768 - place % 32768 < 7:  # the rest of a block is empty
            place += 32768 - place % 32768
            continue
        size, kind = struct.unpack_from("<HB", content, place + 4)
        parts += content[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # the whole of a message, or its end
            found.append(messages.Record.FromString(parts))
            parts = b""
    return found


def of_items(items: Any) -> dict[str, Any]:
    """Keys and values of a message, from JSON; parts of a value as {"key": {"part": ...}}."""
    found: dict[str, Any] = {}
    for item in items:
        first, *rest = item.nested_key or [item.key]
        inner = found
        for name in rest:
            inner, first = inner.setdefault(first, {}), name
        inner[first] = json.loads(item.value_json)
    return found
