"""Every block of code of the documents is run, or checked by a test that reads it from the page."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from pages import Block, blocks_of

from .pages_of_docs import ROOT, pages

NO_CODE = ("text", "{math}", "{mermaid}", "{toctree}", "{figure}", "{image}", "{glossary}", "{contents}", "{grid}")
GENERATED = ("{eval-rst}", "{typer}", "{automodule}", "{autoclass}", "{literalinclude}", "{include}")  # by the build


class Checked(NamedTuple):
    """A block that a test reads from the page, so that it need not be run here."""

    page: str
    beginning: str
    test: str

    def holds(self, page: str, block: Block) -> bool:
        return self.page == page and block.content.startswith(self.beginning)


SAMPLER = "tests/sampler/test_contributing.py::test_the_setting_of_the_example_is_the_share_of_predicted_positives"
ENTRY_POINT = "tests/docs/test_entry_point.py::test_the_entry_point_is_found"
FOLDER = "tests/docs/test_folder_of_pools.py::test_the_folder_is_read"
CI_GATE = "tests/docs/test_ci_gate.py"
FIFTYONE = "tests/integrations/test_fiftyone.py::test_the_page"
CHECKED = [
    Checked("CONTRIBUTING.md", "from dataclasses import dataclass", SAMPLER),
    Checked("CONTRIBUTING.md", "from lowshot.testing import SamplerContract", SAMPLER),
    Checked("CONTRIBUTING.md", "from lowshot.pools import BasePool", SAMPLER),
    Checked("CONTRIBUTING.md", "[project.entry-points", ENTRY_POINT),
    Checked("docs/bench.md", '[{"dataset": "cover"', FOLDER),
    Checked("docs/bench.md", "np.savez(", FOLDER),
    Checked("docs/how-to/ci-gate.md", "name: gate", f"{CI_GATE}::test_github"),
    Checked("docs/how-to/ci-gate.md", "f1:", f"{CI_GATE}::test_gitlab"),
    Checked("docs/how-to/ci-gate.md", "repos:", f"{CI_GATE}::test_pre_commit"),
    Checked("docs/how-to/fiftyone.md", "import csv", FIFTYONE),
    Checked("docs/how-to/fiftyone.md", "import lowshot", FIFTYONE),
    Checked("docs/how-to/fiftyone.md", "truth = ", FIFTYONE),
    Checked("docs/how-to/fiftyone.md", "fiftyone.write(", FIFTYONE),
    Checked("docs/pools.md", "columns = {", "tests/docs/test_sources_of_pools.py::test_every_line_opens_a_pool"),
]


def problem(block: Block, page: str) -> str | None:
    """Why nothing runs this block."""
    if block.caption is not None or block.language in (*NO_CODE, *GENERATED):
        return None
    if any(checked.holds(page, block) for checked in CHECKED):
        return None
    if not block.language:
        return "is indented, or its fence has no language: use a fence with one, ```text for what is no code"
    first = next((line for line in block.content.splitlines() if line.strip()), "")
    if block.language in ("python", "pycon"):
        return None if first.startswith(">>> ") else "must begin with >>>, or be a file with a :caption:"
    if block.language == "console":
        return None if first.startswith("$ ") else "must begin with a command: $ "
    if block.language == "sh":
        return "must be commands without $: use ```console for commands with output" if "$ " in first[:2] else None
    return f"is in {block.language}: add the test that reads it from the page to CHECKED in {Path(__file__).name}"


def documents() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *pages()]


@pytest.mark.parametrize("page", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_is_run_or_checked(page: Path) -> None:
    name = page.relative_to(ROOT).as_posix()
    found = {f"{name}:{block.first}": problem(block, name) for block in blocks_of(page.read_text(encoding="utf-8"))}
    assert {place: what for place, what in found.items() if what} == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    lowshot status birds.db\n", "is indented"),
        ("```\nlowshot status birds.db\n```\n", "has no language"),
        ("- point\n\n      lowshot status birds.db\n", "is indented"),
        ("```python\nprint(1)\n```\n", "must begin with >>>"),
        ("```console\nlowshot status birds.db\n```\n", "must begin with a command"),
        ("```sh\n$ lowshot status birds.db\n```\n", "commands without \\$"),
        ("```yaml\na: b\n```\n", "is in yaml"),
        ("````{note}\n```yaml\na: b\n```\n````\n", "is in yaml"),
        (":::{note}\n```yaml\na: b\n```\n:::\n", "is in yaml"),
        ("```{code-block} yaml\na: b\n```\n", "is in yaml"),
        ("~~~yaml\na: b\n~~~\n", "is in yaml"),
    ],
)
def test_a_block_that_nothing_runs_is_found(text: str, message: str) -> None:
    [block] = blocks_of(text)
    assert re.search(message, str(problem(block, "docs/page.md")))


@pytest.mark.parametrize(
    "text",
    [
        "```python\n>>> 1\n1\n\n```\n",
        "```console\n$ echo\n```\n",
        "```sh\necho\n```\n",
        "```text\nx\n```\n",
        "```{code-block} yaml\n:caption: gate.yml\na: b\n```\n",
    ],
)
def test_a_block_that_is_run(text: str) -> None:
    [block] = blocks_of(text)
    assert problem(block, "docs/page.md") is None


@pytest.mark.parametrize("checked", CHECKED)
def test_what_is_checked_elsewhere_is_checked_there(checked: Checked) -> None:
    """The block exists, and so does the test, in a module that names the page."""
    found = [block for block in blocks_of((ROOT / checked.page).read_text()) if checked.holds(checked.page, block)]
    assert len(found) == 1
    path, _, test = checked.test.partition("::")
    code = (ROOT / path).read_text()
    assert f"def {test}(" in code
    assert Path(checked.page).name in code
