"""Stores on a PostgreSQL server and in files, and a browser. Each is started by the first test that needs it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lowshot import Evaluation
from lowshot.cli import start_words
from lowshot.result import Budget

from .databases import earlier_postgresql, earlier_sqlite, new_schema, server
from .needed import module, program

if TYPE_CHECKING:
    from playwright.sync_api import Browser

INSTALL_BROWSER = "there is no chromium: apt-get install chromium (or put it on the PATH)"


@pytest.fixture(scope="session", autouse=True)
def _budgets_are_simulated_once() -> Iterator[None]:
    """`lowshot start` simulates what labels buy, which takes twenty times as long as all else that it does. Hundreds of
    tests begin the same few evaluations."""
    simulate = start_words.budgets_of
    found: dict[str, tuple[tuple[Budget, ...], str]] = {}

    def budgets_of(evaluation: Evaluation) -> tuple[tuple[Budget, ...], str]:
        key = repr((evaluation.goal, evaluation.history, evaluation.snapshot().uniform))
        if key not in found:
            found[key] = simulate(evaluation)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start_words, "budgets_of", budgets_of)
        yield


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server: one per process that runs tests."""
    with server(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    sync_api, path = module("playwright.sync_api"), program("chromium", INSTALL_BROWSER)
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store: a new file, or a new schema of the server."""
    if request.param == "sqlite":
        return str(tmp_path / "birds.db")
    return new_schema(request.getfixturevalue("postgres"))


@pytest.fixture(params=["sqlite", "postgresql"])
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[int], str]:
    """A store of an earlier version, as that version wrote it."""
    if request.param == "sqlite":
        return lambda version: earlier_sqlite(version, tmp_path)
    url = request.getfixturevalue("postgres")
    return lambda version: earlier_postgresql(version, url)
