"""A new user, scripted: `make new-user` installs the wheel in a fresh environment and follows README.md line by line.

Every command of README.md is run as it is written, in one folder and in its order, and must print what README.md says.
The page is used in Chromium, as the reader would use it, and the report is opened there. What was labelled on the page
leads to a report of its own; then the folder is put back, because README.md shows the numbers of the known labels.
`make test` leaves this out: installing takes a minute or two.
"""

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pages import PLAIN, Block, Line, Terminal, blocks_of, lines_of, matches

from .browsers import expect, new_context
from .needed import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
NOT_RUN = {
    "make demo": "needs a clone and makes an environment of its own; `lowshot demo` is run below",
    "make test": "is run by CI before this",
}
PAGE = "lowshot label birds.db"  # runs until Ctrl-C
CLICKS = 25  # items that are labelled on the page; the known labels answer the rest
MAY_DIFFER = re.compile(r"token=\.\.\.|\.\.\./\w")  # a random token, the folder of a path


def blocks_of_readme() -> list[Block]:
    return blocks_of(README.read_text(encoding="utf-8"))


def lines_of_readme() -> list[Line]:
    return [line for block in blocks_of_readme() if block.language == "console" for line in lines_of(block.content)]


def printed_as_expected(line: Line, printed: str) -> None:
    assert matches(line.output, printed), (
        f"README.md is not what `{line.command}` prints:\n{printed}\ninstead of\n{line.output}"
    )


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """A new environment, first on the PATH, and an empty folder. pip finds lowshot's wheel as if it were published."""
    home = tmp_path_factory.mktemp("new-user")
    wheels = home / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    built = subprocess.run(build, capture_output=True, text=True)
    if built.returncode:
        missing(f"the wheel cannot be built; is there a network? {built.stderr[-500:]}")
    venv.create(home / "venv", with_pip=True)
    folder = home / "folder"
    folder.mkdir()
    inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV", "CI")}
    return Terminal(
        folder,
        {
            **inherited,
            "PATH": f"{home / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PIP_FIND_LINKS": f"{inherited.get('PIP_FIND_LINKS', '')} {wheels}".strip(),
            "PIP_NO_COMPILE": "1",  # most modules of other packages are never imported
            **PLAIN,  # no browser is opened: Chromium is driven from here
        },
    )


def test_every_block_of_code_is_run() -> None:
    """Nothing in README.md is code that this module would not run; and what may differ is a token or a folder."""
    assert {block.language for block in blocks_of_readme()} == {"console", "python"}
    assert [line.typed for line in lines_of_readme()].count(PAGE) == 1
    for line in lines_of_readme():
        for shown in line.output.splitlines():
            assert "..." not in MAY_DIFFER.sub("", shown), f"real output instead of dots: {shown}"


def test_readme_from_top_to_bottom(terminal: Terminal, chromium: "Browser") -> None:
    lines = [line for line in lines_of_readme() if line.typed not in NOT_RUN]
    page = next(place for place, line in enumerate(lines) if line.typed == PAGE)
    for line in lines[:page]:
        follow(terminal, line)
    before = shutil.copytree(terminal.folder, terminal.folder.with_name("before"))
    use_the_page(terminal, lines[page], chromium)
    for line in lines[page + 1 :]:
        assert terminal.run(line.command).returncode == 0, line.command
    read_the_report(terminal, chromium)
    shutil.rmtree(terminal.folder)
    before.rename(terminal.folder)
    for line in lines[page + 1 :]:
        follow(terminal, line)
    read_the_report(terminal, chromium)
    the_python_block(terminal)
    what_100_labels_buy(terminal)


def install(terminal: Terminal, command: str) -> None:
    """From the wheel of this clone instead of the clone, which stays as it is."""
    assert '".[' in command
    done = terminal.run(command.replace('".[', '"lowshot['))
    if done.returncode:
        missing(f"{command} failed; is there a network? {done.stderr[-500:]}")


def follow(terminal: Terminal, line: Line) -> None:
    """Run a command, which must end well and print what README.md says."""
    if line.typed.startswith("pip install"):
        install(terminal, line.typed)
        return
    done = terminal.run(line.command)
    assert done.returncode == 0, f"{line.command}\n{done.stdout}\n{done.stderr}"
    assert "careful" not in done.stderr
    printed_as_expected(line, done.stdout)


def use_the_page(terminal: Terminal, line: Line, chromium: "Browser") -> None:
    """Start the server, label in the browser, look at the owner's page, and press Ctrl-C."""
    server = terminal.start(line.command)
    assert server.stdout is not None
    try:
        printed = "".join(server.stdout.readline() for _ in line.output.splitlines())
        printed_as_expected(line, printed)
        labellers, owner = re.findall(r"http://\S+", printed)[:2]
        page = new_context(chromium).new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(labellers)
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("button", name="Start").click()
        truth = truth_by_picture(terminal.folder / "birds")
        for _ in range(CLICKS):
            answer(page, truth)
        # The page shows the next item before an answer is stored, and what it has not sent yet is lost when it is left.
        expect(page.locator("#progress")).to_contain_text(f"{CLICKS} answered by you")
        page.goto(owner)
        expect(page.locator("#value")).to_have_text(re.compile(r"0\.\d+"))
        expect(page.locator("#people")).to_contain_text(f"Ann{CLICKS}", use_inner_text=False)
        assert complaints == []
    finally:
        server.send_signal(signal.SIGINT)
        _, problems = server.communicate(timeout=600)
    assert "Traceback" not in problems


def truth_by_picture(folder: Path) -> dict[str, str]:
    """The name of the right button by the content of a picture: the page does not tell which file it shows."""
    with (folder / "labels.csv").open(newline="") as file:
        return {
            hashlib.sha256((folder / "pictures" / row["path"]).read_bytes()).hexdigest(): ("No", "Yes")[
                int(row["label"])
            ]
            for row in csv.DictReader(file)
        }


def answer(page: "Page", truth: dict[str, str]) -> None:
    """Look at the picture and click. The next item is there when the page has another one."""
    source = page.locator("#item img").get_attribute("src")
    shown = page.locator("#item").get_attribute("data-item")
    assert source
    assert shown
    content = page.request.get(page.evaluate("path => new URL(path, location).href", source)).body()
    page.get_by_role("button", name=re.compile(f"^{truth[hashlib.sha256(content).hexdigest()]}")).click()
    expect(page.locator("#item")).not_to_have_attribute("data-item", shown)
    expect(page.locator("#item img")).to_be_visible()


def read_the_report(terminal: Terminal, chromium: "Browser") -> None:
    """The report shows what `lowshot estimate` says."""
    estimate: dict[str, Any] = json.loads(terminal.run("lowshot estimate birds.db --json").stdout)
    page = new_context(chromium).new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((terminal.folder / "report.html").as_uri())
    for number in (estimate["value"], estimate["low"], estimate["high"]):
        expect(page.locator("body")).to_contain_text(f"{number:.3f}")
    assert problems == []


def the_python_block(terminal: Terminal) -> None:
    """As a doctest of the fresh environment; README.md has no other examples of Python."""
    (terminal.folder / "README.md").write_text(README.read_text(encoding="utf-8"), encoding="utf-8")
    done = terminal.run("python -m doctest -o NORMALIZE_WHITESPACE README.md")
    assert done.returncode == 0, done.stdout


def what_100_labels_buy(terminal: Terminal) -> None:
    """The two rows of the first table are those of `lowshot demo`."""
    found: dict[str, Any] = json.loads(terminal.run("lowshot demo --json").stdout)
    text = README.read_text(encoding="utf-8")
    assert (
        f"({found['items']:,} pictures, true F1 {found['truth']:.3f}; {found['comparison'][0]['runs']} runs each"
        in text
    )
    for one in found["comparison"]:
        if one["sampler"] in ("curve", "rand"):
            inside = f"{one['truth_in_interval']} of {one['runs']}"
            row = f"{one['typical_error']:.3f} | {inside} | {one['mean_width']:.2f} | {one['without_answer']} |"
            assert f"(`{one['sampler']}`) | {row}" in text, row
