"""Stores on a PostgreSQL server and in files, and a browser. Each is started by the first test that needs it.

What needs one of them, or Spark, is marked `slow` here, so that `make test` leaves it out; of the tests in a browser it
runs those that are marked `journey`.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from lowshot import Evaluation
from lowshot.cli import console

from .browsers import LONG_MS
from .databases import new_schema, server
from .needed import module, program

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SERVERS = {"postgres", "postgresql", "spark"}  # as fixtures, and as values of parameters
INSTALL_BROWSER = "there is no chromium: apt-get install chromium (or put it on the PATH)"


@pytest.hookimpl(tryfirst=True)  # before pytest selects by `-m`
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        in_browser = "chromium" in fixtures and item.get_closest_marker("journey") is None
        if in_browser or fixtures & SERVERS or any(isinstance(one, str) and one in SERVERS for one in parameters):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def _labels_are_simulated_once() -> Iterator[None]:
    """`lowshot start` and the pages simulate hundreds of labels, which takes longer than all else that they do, and
    tests begin the same few evaluations again and again. The same evaluation has the same plan, so it is kept."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("plan", "budgets"):
            patch.setattr(Evaluation, name, kept(getattr(Evaluation, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_in_the_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The list of known stores is the tests' own, also for the programs that they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_takes_long() -> Iterator[None]:
    """Commands say on stderr what they do if it takes half a second, and on a busy machine everything may: what a test
    finds there must not depend on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(console, "PATIENCE", 600.0)
        yield


def kept(simulate: Callable[..., Any]) -> Callable[..., Any]:
    found: dict[str, Any] = {}

    @wraps(simulate)
    def simulated_once(evaluation: Evaluation, *arguments: Any, **options: Any) -> Any:
        pool, then = evaluation.pool, evaluation.snapshot()
        about = (pool, getattr(pool, "scale", None), evaluation.goal, evaluation.history)
        key = repr((about, then.known, then.uniform, then.assume, arguments, sorted(options.items())))
        if key not in found:
            found[key] = simulate(evaluation, *arguments, **options)
        return found[key]

    return simulated_once


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server: one per process that runs tests. Not in pytest's folder: another run of pytest by root would
    close that to the user who runs the server."""
    with TemporaryDirectory(prefix="postgres-") as folder, server(Path(folder)) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    sync_api, path = module("playwright.sync_api"), program("chromium", INSTALL_BROWSER)
    with sync_api.sync_playwright() as playwright:
        # Where there is no graphics card, the process for graphics takes a third of the time of a test.
        arguments = ["--no-sandbox", "--disable-gpu"]
        yield playwright.chromium.launch(executable_path=path, args=arguments, timeout=LONG_MS)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store: a new file, or a new schema of the server."""
    if request.param == "sqlite":
        return str(tmp_path / "birds.db")
    return new_schema(request.getfixturevalue("postgres"))
