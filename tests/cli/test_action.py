"""`action.yml`: its steps, run in bash as GitHub runs them, with the inputs that a workflow gives."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lowshot.cli import action

from ..helpers import good
from ..needed import module, program
from .birds import begin, label_everything
from .test_gate import outputs_in

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
RUNNER = {"PATH": f"{BIN}:/usr/bin:/bin"}  # what a runner's environment has
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def read_action() -> dict[str, Any]:
    described: dict[str, Any] = module("yaml").safe_load((ROOT / "action.yml").read_text())
    return described


class Ended(NamedTuple):
    code: int
    outputs: dict[str, str]
    summary: str
    log: str


def run_action(folder: Path, **given: str) -> Ended:
    """Run the steps that would run, in order. Hyphens of inputs are written as underscores."""
    described = read_action()
    inputs = {name: str(one.get("default", "")) for name, one in described["inputs"].items()}
    inputs |= {"python": sys.executable} | {name.replace("_", "-"): value for name, value in given.items()}
    assert inputs.keys() == described["inputs"].keys()
    files = {name: folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("")
    values = {"github.action_path": str(ROOT), **{f"inputs.{name}": value for name, value in inputs.items()}}
    code, log = 0, ""
    for step in described["runs"]["steps"]:
        if step.get("if") == "inputs.python == ''" and inputs["python"]:
            continue
        environment = {name: EXPRESSION.sub(lambda found: values[found[1]], text) for name, text in step["env"].items()}
        ended = run_step(step, folder, {**environment, **{name: str(path) for name, path in files.items()}})
        code, log = ended.returncode, log + ended.stdout
        if code:
            break
    return Ended(code, outputs_in(files["GITHUB_OUTPUT"]), files["GITHUB_STEP_SUMMARY"].read_text(), log)


def run_step(step: dict[str, Any], folder: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """With the options that GitHub gives to `shell: bash`, and nothing of this environment but what a runner has."""
    assert step["shell"] == "bash"
    script = folder / "step.sh"
    script.write_text(step["run"])
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=folder,
        env={**RUNNER, "HOME": str(folder), "RUNNER_TEMP": str(folder), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )


@pytest.fixture
def labelled(birds: Path) -> dict[str, Any]:
    """A store in the current folder, and its estimate."""
    begin()
    label_everything(3)
    now: dict[str, Any] = json.loads(good("estimate", "birds.db", "--json").stdout)
    return now


def test_reached_with_a_report(birds: Path, labelled: dict[str, Any]) -> None:
    ended = run_action(birds, store="birds.db", at_least=str(labelled["low"]), report="report.html")
    assert ended.code == 0, ended.log
    assert ended.outputs["verdict"] == "reached"
    assert float(ended.outputs["value"]) == labelled["value"]
    assert ended.outputs["text"] == labelled["text"]
    assert ended.summary.startswith("### lowshot: reached\n")
    assert "<html" in Path("report.html").read_text()


def test_missed_and_undecided(birds: Path, labelled: dict[str, Any]) -> None:
    missed = run_action(birds, store="birds.db", at_least=str(labelled["high"] + 0.001), undecided="pass")
    assert (missed.code, missed.outputs["verdict"]) == (3, "missed"), missed.log
    assert "::error title=lowshot::missed" in missed.log
    undecided = {
        choice: run_action(birds, store="birds.db", at_least=str(labelled["value"]), undecided=choice)
        for choice in ("fail", "neutral")
    }
    assert {choice: one.code for choice, one in undecided.items()} == {"fail": 4, "neutral": 0}
    assert {one.outputs["verdict"] for one in undecided.values()} == {"undecided"}
    levels = {choice: re.findall("^::([a-z]+) ", one.log, re.MULTILINE) for choice, one in undecided.items()}
    assert levels == {"fail": ["error"], "neutral": ["warning"]}


@pytest.mark.usefixtures("birds")
def test_without_labels_there_is_no_report(birds: Path) -> None:
    """A gate that is undecided and tolerated does not fail because of it."""
    begin()
    ended = run_action(birds, store="birds.db", at_least="0.8", undecided="neutral", report="report.html")
    assert (ended.code, ended.outputs["verdict"]) == (0, "undecided"), ended.log
    assert "no report was written: the evaluation has no labels yet" in ended.log
    assert not Path("report.html").exists()


def test_files_of_the_repository_are_not_run(
    birds: Path, labelled: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull request could otherwise bring its own gate."""
    files = "lowshot/__init__.py", "lowshot/cli/__init__.py", "lowshot/cli/action.py", "typer.py", "sitecustomize.py"
    for path in files:
        (birds / path).parent.mkdir(parents=True, exist_ok=True)
        (birds / path).write_text("print('hacked')\n")
    monkeypatch.setitem(RUNNER, "PYTHONPATH", f".:{birds}")  # which many workflows set
    ended = run_action(birds, store="birds.db", at_least=str(labelled["high"] + 0.001))
    assert "hacked" not in ended.log
    assert (ended.code, ended.outputs["verdict"]) == (3, "missed"), ended.log


@pytest.mark.parametrize(
    ("extras", "report", "wanted"),
    [("store", "", "[store]"), ("store", "r.html", "[store,report]"), ("", "r.html", "[report]"), ("", "", "")],
)
def test_what_is_installed(tmp_path: Path, extras: str, report: str, wanted: str) -> None:
    """The step that installs, with a Python that only says what it was called with."""
    for path in ("python3", "lowshot/bin/python"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text('#!/bin/sh\necho "$@"\n')
        (tmp_path / path).chmod(0o755)
    step = read_action()["runs"]["steps"][0]
    given = {"CODE": "code", "VERSION": "", "EXTRAS": extras, "REPORT": report, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    making, installing = run_step(step, tmp_path, given).stdout.splitlines()
    assert making.startswith("-I -m venv ")
    assert installing.startswith("-I -m pip install ")
    assert installing.endswith(f" code{wanted}")


def test_errors(birds: Path) -> None:
    for given, message in (
        ({"store": "nowhere.db", "at_least": "0.8"}, "store must exist"),
        ({"store": "nowhere.db"}, "give at-least, require, or one of recall and precision: got none"),
    ):
        ended = run_action(birds, **given)
        assert ended.code == 2
        assert message in ended.log
        assert ended.outputs["verdict"] == "error"
        assert ended.summary.startswith("### lowshot: error\n")


def test_an_error_outside_of_github(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    assert action.main({"LOWSHOT_STORE": "birds.db"}) == 2


@pytest.mark.parametrize(("given", "missing"), [("BASELINE", "candidate"), ("CANDIDATE", "baseline")])
def test_one_model_is_no_pair(given: str, missing: str) -> None:
    with pytest.raises(action.InputError, match=f"{missing} must be given with the other model, 'v1'"):
        action.arguments({"LOWSHOT_STORE": "b.db", "LOWSHOT_REQUIRE": "better", f"LOWSHOT_{given}": "v1"})


def test_inputs_are_not_run(birds: Path) -> None:
    """Neither as code of the shell nor as options."""
    text = "$(touch hacked) `touch hacked` \"; touch hacked; ' --help\n--version"
    ended = run_action(birds, store=text, at_least="0.8", name=text, metric=text)
    assert ended.code == 2
    assert "store must exist" in ended.log
    assert not (birds / "hacked").exists()


def test_every_input_and_output_is_used() -> None:
    described = read_action()
    steps = json.dumps(described["runs"]["steps"])
    for name in described["inputs"]:
        assert f"${{{{ inputs.{name} }}}}" in steps
    assert not re.search(r"\$\{\{", "".join(step["run"] for step in described["runs"]["steps"]))
    for name, one in described["outputs"].items():
        assert one["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"


def test_the_inputs_of_other_gates() -> None:
    inputs = {"STORE": "b.db", "PRECISION": "0.9", "MODEL": "v2", "POOL": "a.csv\nv2=b.csv", "CONFIDENCE": "0.9"}
    assert action.arguments({f"LOWSHOT_{name}": value for name, value in inputs.items()}) == [
        *("choose", "--precision=0.9", "--model=v2", "--confidence=0.9", "--github", "--require"),
        *("--pool=a.csv", "--pool=v2=b.csv", "--", "b.db"),
    ]
    with pytest.raises(action.InputError, match="got several"):
        action.arguments({"LOWSHOT_STORE": "b.db", "LOWSHOT_AT_LEAST": "1", "LOWSHOT_REQUIRE": "better"})
    with pytest.raises(action.InputError, match="baseline must be left out for this gate, `lowshot estimate`"):
        action.arguments({"LOWSHOT_STORE": "b.db", "LOWSHOT_AT_LEAST": "1", "LOWSHOT_BASELINE": "v1"})


def test_linters_find_nothing() -> None:
    checks = (
        ("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"),
        ("zizmor", "--offline", "--no-progress", "--persona", "pedantic", "action.yml"),
    )
    for command in checks:
        linter = program(command[0], "linters are missing: pip install --editable '.[test]'", str(BIN))
        ended = subprocess.run([linter, *command[1:]], cwd=ROOT, capture_output=True, text=True, timeout=600)
        assert ended.returncode == 0, ended.stdout + ended.stderr
