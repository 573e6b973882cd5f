"""Make the picture of docs/how-to/mlflow.md: a run with the estimates of one evaluation, on the page of a real MLflow.

    python -m tools.make_mlflow_picture docs/mlflow-run.png

Needs `make mlflow` and Debian's chromium.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from lowshot import Evaluation, Pool
from lowshot.demo import data
from lowshot.tasks import run as label
from tests.trackers import QUIET, serving

os.environ.update(QUIET)
STEP, LABELS = 10, 150
WIDTH, HEIGHT = 1240, 620  # pixels
MENU = 198  # pixels at the left, which are not on the picture
PATIENCE_MS = 120_000


def logged(address: str) -> str:
    """The page of a run to which an evaluation of the demo was logged after every few labels."""
    import mlflow

    from lowshot.integrations.mlflow import log

    mlflow.set_tracking_uri(address)
    mlflow.set_experiment("rare birds")
    candidate = data.load_pair().candidate
    evaluation = Evaluation(Pool(candidate.pool.scores, candidate.pool.predictions))
    with mlflow.start_run(run_name="v2, f1 from few labels"):
        for labels in range(STEP, LABELS + 1, STEP):
            label(evaluation, candidate.answer, labels)
            found = log(evaluation, report=labels == LABELS)
    return found.where


def take(page_of_run: str, path: str) -> None:
    """The charts of the run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(PATIENCE_MS)
        page.route(lambda address: not address.startswith("http://127.0.0.1"), lambda route: route.abort())
        page.goto(page_of_run)
        page.get_by_text("Model training").click()
        page.goto(f"{page_of_run}/model-metrics")
        page.get_by_text("f1_high").first.wait_for()
        page.get_by_role("button", name="Close").last.click()  # an assistant, which is not about the run
        page.wait_for_timeout(4000)  # until the charts are drawn
        page.screenshot(path=path, clip={"x": MENU, "y": 0, "width": WIDTH - MENU, "height": HEIGHT})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as address:
        take(logged(address), sys.argv[1])
