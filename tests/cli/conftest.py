"""Folders that commands run in."""

from pathlib import Path

import pytest

from .birds import write_pool


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands do not say that they are still working: a slow machine must not change what they print."""
    monkeypatch.setattr("lowshot.cli.console.PATIENCE", 600.0)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def birds(here: Path) -> Path:
    """The current folder, with `pool.parquet`."""
    write_pool("pool.parquet")
    return here
