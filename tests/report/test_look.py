"""Reports in a browser: nothing is cut off, no serious finding of axe, pictures load, and nothing is fetched."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from lowshot import Evaluation, Pool, report
from lowshot.labelling.items import Shown
from lowshot.tasks import finish, simulated

from ..look import Scheme, refuse_bad_look
from ..test_several import scores_of
from ..web.classes import birds
from .test_content import PNG, texts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

LOOKS: tuple[tuple[int, Scheme], ...] = ((375, "light"), (768, "dark"), (1440, "light"))


def yes_or_no(folder: Path) -> tuple[Evaluation, Shown]:
    (folder / "bird.png").write_bytes(PNG)
    task = simulated()
    pool = Pool(task.pool.scores, task.pool.predictions, slices={"camera": np.resize(["north", "south"], 400)})
    shown = Shown("image", lambda item: [("photo", "bird.png"), *texts(item)], media_root=folder)
    return finish(Evaluation(pool, store=folder / "birds.db"), task.labels, 30), shown


def models(folder: Path) -> tuple[Evaluation, Shown]:
    scores, truth = scores_of(items=500, share=0.05, lifts=(2.0, 3.0, 1.0))
    return finish(Evaluation(Pool(scores, threshold=2.0)), truth, 20), Shown("text", texts)


def categories(folder: Path) -> tuple[Evaluation, Shown]:
    return birds(folder, classes=20, labels=40)[0], Shown("text", texts)


def open_all(page: "Page") -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


@pytest.mark.parametrize("make", [yes_or_no, models, categories])
def test_the_look(chromium: "Browser", tmp_path: Path, make: Any) -> None:
    evaluation, shown = make(tmp_path)
    (path,) = report.write(evaluation, tmp_path / "report.html", shown=shown)
    assert not shown.media_root or "<img" in path.read_text(encoding="utf-8")
    for width, scheme in LOOKS:
        refuse_bad_look(chromium, path, width, scheme, before=open_all)
