"""Reports in a browser: nothing is cut off, no serious finding of axe, pictures load, and nothing is fetched."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from lowshot import Evaluation, Pool, report
from lowshot.labelling.items import Shown
from lowshot.tasks import finish, simulated

from ..needed import module
from ..test_several import scores_of
from ..web.classes import birds
from .test_content import PNG, texts

if TYPE_CHECKING:
    from playwright.sync_api import Browser


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


@pytest.mark.parametrize("make", [yes_or_no, models, categories])
def test_the_look(chromium: "Browser", tmp_path: Path, make: Any) -> None:
    evaluation, shown = make(tmp_path)
    (path,) = report.write(evaluation, tmp_path / "report.html", shown=shown)
    axe = module("axe_playwright_python.sync_playwright").Axe()
    for width, scheme in ((375, "light"), (768, "dark"), (1440, "light")):
        context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
        tab = context.new_page()
        fetched: list[str] = []
        tab.on("request", lambda request, fetched=fetched: fetched.append(request.url))
        tab.goto(path.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert tab.evaluate("[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
        assert tab.locator("img").count() > 0 or not shown.media_root
        assert [url for url in fetched if not url.startswith(("file:", "data:", "blob:"))] == []
        found = [one for one in axe.run(tab).response["violations"] if one["impact"] in ("serious", "critical")]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], (width, scheme)
        context.close()
