"""docs/how-to/ci-gate.md: its YAML is valid for GitHub, GitLab and pre-commit, and its commands are run."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..cli.test_action import read_action
from ..needed import module, program
from .pages_of_docs import Reader

pytestmark = [pytest.mark.xdist_group("docs/how-to/ci-gate.md"), pytest.mark.docs]  # one folder for all tests
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "ci-gate.md"
BIN = Path(sys.executable).parent
POLICY = 'rules: {unpinned-uses: {config: {policies: {"actions/*": ref-pin, "*": hash-pin}}}}'  # as readers know them
INSTALL = "linters are missing: pip install --editable '.[test]'"


def blocks() -> dict[str, str]:
    """The blocks of YAML, by whom they are for."""
    found = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return dict(zip(("github", "gitlab", "pre-commit"), found, strict=True))


def lint(folder: Path, name: str, text: str, *command: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    linter = program(command[0], INSTALL, str(BIN))
    ended = subprocess.run([linter, *command[1:], str(path)], capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """Somebody who has typed what the page begins with."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        found = Reader(tmp_path_factory.mktemp("birds"), monkeypatch)
        start = [line[2:] for line in PAGE.read_text().split("\n") if line.startswith("$ ")][:3]
        assert [line.split()[0] for line in start] == ["lowshot", "lowshot", "python"]
        for line in start:
            assert found.run(line).exit_code == 0
        yield found


def test_github(tmp_path: Path) -> None:
    text = blocks()["github"].replace("OWNER/lowshot@COMMIT", f"lowshot/lowshot@{'0' * 40}")
    lint(tmp_path, "gate.yml", text, "check-jsonschema", "--builtin-schema", "vendor.github-workflows")
    (tmp_path / "zizmor.yml").write_text(POLICY)
    rules = ("--config", str(tmp_path / "zizmor.yml"))
    lint(tmp_path, ".github/workflows/gate.yml", text, "zizmor", "--offline", "--no-progress", *rules)
    (step,) = [one for one in steps(text) if "lowshot" in one.get("uses", "")]
    described = read_action()
    assert step["with"].keys() <= described["inputs"].keys()
    assert set(re.findall(r"steps\.gate\.outputs\.(\w+)", text)) <= described["outputs"].keys()
    for name in described["inputs"]:
        assert f"`{name}`" in PAGE.read_text()


def steps(text: str) -> list[dict[str, Any]]:
    (job,) = module("yaml").safe_load(text)["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


def test_gitlab(reader: Reader) -> None:
    text, folder = blocks()["gitlab"], reader.terminal.folder
    lint(folder, ".gitlab-ci.yml", text, "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci")
    (job,) = module("yaml").safe_load(text).values()
    assert job["allow_failure"]["exit_codes"] == reader.run("lowshot estimate birds.db --at-least 0.6").exit_code
    for line in job["script"]:
        ended = reader.run(line)
        assert ended.exit_code == 0, ended.stderr
    assert json.loads((folder / job["artifacts"]["paths"][0]).read_text())["verdict"] == "reached"


def test_pre_commit(reader: Reader) -> None:
    (hook,) = module("yaml").safe_load(blocks()["pre-commit"])["repos"][0]["hooks"]
    assert hook["stages"] == ["pre-push"]
    assert re.search(hook["files"], "birds.db")
    assert reader.run(hook["entry"].replace("0.5", "0.6")).exit_code == 0  # undecided
    assert reader.run(hook["entry"].replace("0.5", "0.8")).exit_code == 3
