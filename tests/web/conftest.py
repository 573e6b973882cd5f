"""An evaluation of pictures without a browser, and real browsers at handwritten digits."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lowshot
from lowshot import Evaluation
from lowshot.testing import Task, simulated
from lowshot.web import Shown
from lowshot.web.digits import Demo, digits_demo

from .desktop import Open, opened
from .people import GREY

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process of the tests runs all that need a browser of a file here: each starts a browser for the file."""
    for item in items:
        if item.path.parent == HERE and "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(item.path.name))


@pytest.fixture
def task() -> Task:
    return simulated(items=400, positives=40, seed=4)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Pictures, and beside their folder something that is nobody's business."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(400):
        (folder / f"stroller-{number}.png").write_bytes(GREY)
    (tmp_path / "secret.png").write_bytes(GREY)
    return folder


@pytest.fixture
def evaluation(task: Task, tmp_path: Path) -> Evaluation:
    ids = [f"stroller-{number}.png" for number in range(400)]
    pool = lowshot.Pool(task.pool.scores, task.pool.predictions, ids=ids)
    return Evaluation(pool, store=tmp_path / "evaluation.db")


@pytest.fixture
def shown(root: Path) -> Shown:
    return Shown("image", lambda item: [("file", item), ("price", "20 €")], root, "Is it a stroller?", "Look well.")


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    return digits_demo(tmp_path)


@pytest.fixture
def desktop(chromium: "Browser", request: pytest.FixtureRequest) -> Iterator[Open]:
    """Serves the digits, or another evaluation; afterwards nobody may have complained."""
    with contextmanager(opened)(chromium, lambda: request.getfixturevalue("demo")) as start:
        yield start
