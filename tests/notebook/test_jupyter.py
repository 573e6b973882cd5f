"""A real JupyterLab in Chromium: what notebooks show of results, and labels from the widget in the next cell."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lowshot

from ..browsers import LONG_MS, expect, new_context
from ..needed import module
from ..servers import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

TOKEN = "not-a-secret"
SCREENSHOTS = os.environ.get("LOWSHOT_SCREENSHOTS")  # a folder for pictures of the notebook; none are made without it
BEGIN = """
import lowshot, numpy as np, pandas as pd
random = np.random.default_rng(0)
truth = random.random(400) < 0.1
title = ["<img src=x onerror=document.title='broken'> crow" if yes else "a leaf" for yes in truth]
frame = pd.DataFrame({"p": random.normal(size=400) + 2 * truth, "title": title})
pool = lowshot.Pool.from_frame(frame, score="p", threshold=1, show=["title"])
evaluation = lowshot.Evaluation(pool, seed=1, store="birds.db", question="Is it a <crow>?")
pool
"""
WIDGET = "widget = evaluation.widget(labels=6)\nwidget"
RESULT = "found = evaluation.estimate()\nfound"
LABELS = "print('labels:', sorted(evaluation.history['labels'].items()))\nevaluation.table().to_frame()"
WHICH = """
birds = lowshot.ClassPool(random.random((60, 12)), classes=[f"bird {n}" for n in range(12)])
many = lowshot.Evaluation(birds)
picture = lambda item: {"picture": np.add.outer(np.arange(40), np.arange(60)) / 100, "item": item}
many.widget(picture, labels=2)
"""


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server, with a notebook of these cells."""
    module("jupyterlab"), module("ipykernel")
    nbformat = module("nbformat")
    folder = tmp_path_factory.mktemp("jupyter")
    cells = [nbformat.v4.new_code_cell(text.strip()) for text in (BEGIN, WIDGET, RESULT, LABELS, WHICH)]
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place}"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "birds.ipynb")
    port = free_port()
    home = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    lab = {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
    source = str(Path(lowshot.__file__).parents[1])  # for the kernel, which has the environment of its server
    environment = {**os.environ, **home, **lab, "IPYTHONDIR": str(folder / "ipython"), "PYTHONPATH": source}
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        f"--port={port}",
        f"--IdentityProvider.token={TOKEN}",
    ]
    options = ["--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0", "--ServerApp.allow_root=True"]
    options += ["--LabApp.extension_manager=readonly", "--LabApp.expose_app_in_browser=True"]
    settings = folder / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen([*command, *options], cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            answers(f"{address}/api/status?token={TOKEN}", server, folder / "log.txt")
            yield address
        finally:
            server.terminate()  # it ends its kernel, which can take long
            with suppress(subprocess.TimeoutExpired):
                server.wait(LONG_MS / 1000)
            server.kill()
            server.wait()


def answers(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + LONG_MS / 1000
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(address, timeout=60).close()
            return
        except OSError:  # it does not listen yet, or does not answer in time
            time.sleep(0.1)
    pytest.fail(f"Jupyter does not answer: {log.read_text()}")


@pytest.fixture
def notebook(jupyter: str, chromium: "Browser") -> Iterator["Page"]:
    """The notebook, opened and run from top to bottom: the focus stays where a test puts it then."""
    tab = new_context(chromium, viewport={"width": 1440, "height": 1600}).new_page()
    tab.goto(f"{jupyter}/lab/workspaces/test/tree/birds.ipynb?token={TOKEN}&reset")
    tab.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    tab.wait_for_function("() => window.jupyterapp.commands.isEnabled('runmenu:run-all')")
    tab.evaluate("() => window.jupyterapp.commands.execute('runmenu:run-all').then(() => null)")
    yield tab
    tab.context.close()


def output(notebook: "Page", cell: int) -> Any:
    return notebook.locator(".jp-Notebook .jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")


def sees(where: Any, text: str) -> None:
    """Wait until it is displayed."""
    expect(where).to_contain_text(text)


def run(notebook: "Page", cell: int) -> None:
    """Run one cell again, and wait until it has run."""
    code = notebook.locator(".jp-Notebook .jp-CodeCell").nth(cell)
    prompt = code.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    code.locator(".cm-content").click()
    notebook.keyboard.press("Control+Enter")
    expect(prompt).not_to_have_text(re.compile(rf"{re.escape(before)}|\*"))


def test_results_and_the_widget(notebook: "Page") -> None:
    pool, widget, result, labels, which = (output(notebook, cell) for cell in range(5))
    sees(pool, "400 items")
    sees(pool.locator("table"), "predicted positive")

    label = widget.locator(".lowshot-label")
    sees(label, "Is it a <crow>?")
    sees(label, "0 of 6 labels")
    sees(result, "no label")
    picture(notebook, "begin")
    said: list[int] = []
    for place, act in enumerate(("click", "key", "key", "click", "key")):
        sees(label, f"{place} of 6 labels")
        crow = "crow" in label.locator(".item").inner_text()
        said.append(int(crow))
        if act == "click":
            label.get_by_role("button", name="Yes" if crow else "No", exact=True).click()
        else:  # a click on a button leaves the focus in the widget, and JupyterLab does not take "y" as a command
            notebook.keyboard.press("y" if crow else "n")
    sees(label, "5 of 6 labels")
    assert {*said} == {0, 1}, "both were answered"
    assert notebook.title() != "broken"
    assert not label.locator("img").count(), "texts are not HTML"
    notebook.keyboard.press("u")
    sees(label, f"changing an answer: {'yes' if said[-1] else 'no'}")
    notebook.keyboard.press("s")  # cannot tell
    expect(label).not_to_contain_text("changing")
    sees(label, "5 of 6 labels")
    run(notebook, 1)  # a new widget shows the same item again, and the old one is gone
    expect(label).to_have_count(1)
    sees(label, "5 of 6 labels")
    label.get_by_role("button", name="Yes").click()
    sees(label, "Done")
    sees(label, "6 labels, 1 of them 'cannot tell'.")
    sees(label, "from 5 labels")
    assert notebook.locator(".jp-Notebook .jp-CodeCell").count() == 5, "no key was taken as a command"

    run(notebook, 2)
    sees(result, "from 5 labels")
    expect(result.locator("svg[role=img]")).to_be_visible()
    run(notebook, 3)
    sees(labels.first, "labels: [(")
    told = labels.first.inner_text()
    assert sorted(told.count(f", {value})") for value in (1, 0, None)) == sorted(
        [sum(said[:4]) + 1, 4 - sum(said[:4]), 1]
    )

    many = which.locator(".lowshot-label")
    expect(many.locator("img")).to_have_js_property("naturalWidth", 60)
    picture(notebook, "which")
    assert complaints(notebook) == []
    many.locator(".candidate").first.click()
    sees(many, "1 of 2 labels")
    notebook.keyboard.press("/")
    notebook.keyboard.type("BIRD 11")
    notebook.keyboard.press("Enter")
    sees(many, "Done")
    sees(many, "f1_macro")
    picture(notebook, "end")


def complaints(notebook: "Page") -> list[str]:
    """What axe finds serious about the widgets."""
    found = module("axe_playwright_python.sync_playwright").Axe().run(notebook, context=".lowshot-label")
    return [each["id"] for each in found.response["violations"] if each["impact"] in ("serious", "critical")]


def picture(notebook: "Page", name: str) -> None:
    """Pictures for people who change how the notebook looks: three widths, both themes."""
    if not SCREENSHOTS:
        return
    notebook.evaluate("window.jupyterapp.shell.collapseLeft()")
    for theme in ("Light", "Dark"):
        notebook.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})",
            f"JupyterLab {theme}",
        )
        for width in (375, 768, 1440):
            notebook.set_viewport_size({"width": width, "height": 1600})
            notebook.wait_for_timeout(700)
            notebook.screenshot(path=f"{SCREENSHOTS}/{name}-{theme}-{width}.png")
    notebook.evaluate("window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})")
