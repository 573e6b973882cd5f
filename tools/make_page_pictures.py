"""Make the pictures of docs/labelling.md: the annotator's page, the owner's in dark, the overview, two models,
and both pages with many categories.

    python tools/make_page_pictures.py docs

Needs `pip install 'lowshot[test]'` and Debian's chromium.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from fastapi import FastAPI
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from lowshot import Evaluation, Pool
from lowshot.labelling import Desk
from lowshot.web import make_app
from lowshot.web.digits import DIGIT, TRAINED, ClassDemo, Demo, all_digits_demo, digits_demo
from lowshot.web.server import listen, server_of

FEW, MANY = 43, 120  # labels when the annotator's page is taken, and the owner's
WRONG = 17  # every so many answers of the second annotator
WIDTH, HEIGHT = 1000, 860  # pixels
OWNER_HEIGHT = 1000  # so that the items without an answer are on the picture
MODELS_HEIGHT = 1290  # so that both charts are on the picture


def label(demo: Demo, labels: int) -> None:
    """Two annotators, one of whom is wrong now and then; disputes are decided, but for the last ones."""
    desk, answered = Desk(demo.evaluation, wanted=2), 0
    while demo.evaluation.labels < labels:
        items = desk.take("Ann", 3)
        for item in items:
            desk.answer("Ann", item, demo.labels[item])
        for item in desk.take("Bob", 3):
            answered += 1
            desk.answer("Bob", item, demo.labels[item] ^ (answered % WRONG == 0))
        for item in desk.disputed():
            if demo.evaluation.labels < MANY - 10:
                desk.decide("Eve", item, demo.labels[item])


def change(demo: Demo) -> None:
    """A second evaluation in the store, a change of mind, a decision, a correction in Python."""
    store, question = demo.evaluation.store, demo.shown.question
    assert store is not None
    another = Evaluation(demo.evaluation.pool, "recall", store=store.where, name="recall", question=question)
    another.ask(5)
    desk = Desk(demo.evaluation, wanted=2)
    for item in desk.disputed():
        desk.decide("Eve", item, demo.labels[item])
    last, before = list(demo.evaluation.history["labels"])[-1:-3:-1]
    desk.answer("Ann", last, None)
    demo.evaluation.correct(before, 1)


def two_models(demo: Demo, folder: Path) -> Evaluation:
    """The demo's logistic regression against a support vector machine that is trained on the same digits."""
    digits = load_digits()
    pool = demo.evaluation.pool
    assert isinstance(pool, Pool)
    assert pool.ids is not None
    trained = np.random.default_rng(0).permutation(len(digits.target))[:TRAINED]  # as in `digits_demo`
    machine = SVC().fit(digits.data[trained], digits.target[trained] == DIGIT)
    scores = {"logistic": pool.scores, "svm": machine.decision_function(digits.data[pool.ids.astype(int)])}
    both = Pool(scores, threshold={"logistic": 0.5, "svm": 0.0}, ids=pool.ids)
    return Evaluation(both, goal=("svm", "logistic"), store=folder / "two.db", question=demo.shown.question)


def label_classes(demo: ClassDemo, labels: int) -> None:
    """One annotator, who is always right."""
    desk = Desk(demo.evaluation)
    while demo.evaluation.labels < labels:
        for item in desk.take("Ann", 3):
            desk.answer("Ann", item, demo.labels[item])


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of the app, which is served meanwhile."""
    server = server_of(app)
    with listen("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def shoot(
    browser: Browser,
    address: str,
    scheme: Any,
    ready: str,
    path: Path,
    name: str,
    tick: str = "",
    height: int = HEIGHT,
) -> None:
    """A picture of the page at an address, once `ready` is on it; `tick` is the label of a box that is ticked first."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": WIDTH, "height": height})
    context.add_cookies([{"name": "lowshot_name", "value": name, "url": address}])
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(ready)
    page.wait_for_timeout(6000)  # the plan is made meanwhile
    page.reload()
    page.wait_for_selector(ready)
    if tick:
        page.get_by_label(tick).check()
    page.wait_for_timeout(1000)
    page.screenshot(path=path)


def main(folder: Path) -> None:
    home = Path(tempfile.mkdtemp())
    demo = digits_demo(home)
    label(demo, FEW)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with served(make_app(demo.evaluation, demo.shown, wanted=2, solo=True, half_width=0.07)) as address:
            shoot(browser, address, "light", "#item img", folder / "label-page.png", "Ann")
            label(demo, MANY)
            Desk(demo.evaluation, wanted=2).take("Bob", 2)  # the owner's page shows who has which item
            owner = folder / "owner-page.png"
            shoot(browser, f"{address}/owner", "dark", "#answers tr", owner, "Eve", height=OWNER_HEIGHT)
            change(demo)
            changed = "Only answers that were changed later"
            shoot(browser, f"{address}/overview", "light", "#record li", folder / "overview-page.png", "Eve", changed)
        both = demo._replace(evaluation=two_models(demo, home))
        label(both, MANY)
        with served(make_app(both.evaluation, both.shown, wanted=2, solo=True)) as address:
            picture = folder / "owner-page-models.png"
            shoot(browser, f"{address}/owner", "light", "#models-chart .line", picture, "Eve", height=MODELS_HEIGHT)
        every = all_digits_demo(Path(tempfile.mkdtemp()))
        label_classes(every, MANY)
        with served(make_app(every.evaluation, every.shown, solo=True)) as address:
            shoot(browser, address, "light", "#candidates button", folder / "label-page-classes.png", "Ann")
        with served(make_app(every.evaluation, every.shown, solo=True, half_width=0.07)) as address:  # is reached
            picture = folder / "owner-page-classes.png"
            shoot(browser, f"{address}/owner", "dark", "#confusions img", picture, "Ann", height=MODELS_HEIGHT)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
