"""What CI systems are told by a gate: exit codes, GitHub's outputs and summaries; also after errors."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from lowshot.cli import github
from lowshot.cli.app import app
from lowshot.cli.console import JOINER
from lowshot.cli.gate import Outcome, Undecided, Verdict, exit_code

from ..helpers import found, good, invoke, refused
from ..needed import module
from .birds import ITEMS, MODELS, begin, label_everything, models_table, write_models


@pytest.fixture
def github_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Path, Path]:
    """The files that GitHub names for a step."""
    files = tmp_path / "github-output", tmp_path / "github-summary"
    for variable, path in zip((github.OUTPUT, github.SUMMARY), files, strict=True):
        monkeypatch.setenv(variable, str(path))
    return files


def outputs_in(path: Path) -> dict[str, str]:
    """As GitHub's runner reads the file."""
    found, lines = {}, iter(path.read_text().split("\n"))
    for line in lines:
        if not line:
            continue
        name, _, end = line.partition("<<")
        value = []
        while (line := next(lines)) != end:
            value.append(line)
        found[name] = "\n".join(value)
    return found


def facts_in(path: Path) -> dict[str, str]:
    """The table of a summary, as it is read on the page."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", path.read_text().replace("\\", ""), re.MULTILINE)
    return dict(rows)


@pytest.mark.usefixtures("birds")
def test_undecided_fails_warns_or_passes(github_files: tuple[Path, Path]) -> None:
    begin()
    gate = ("estimate", "birds.db", "--at-least", "0.8", "--github")
    levels = {}
    for choice, code in ((None, 4), ("fail", 4), ("neutral", 0), ("pass", 0)):
        github_files[0].unlink(missing_ok=True)
        result = invoke(*gate, *(() if choice is None else ("--undecided", choice)))
        assert result.exit_code == code
        assert "undecided: f1 may be below 0.8 or not; label more items\n" in result.stdout
        assert outputs_in(github_files[0])["verdict"] == "undecided"
        levels[choice] = re.findall("^::([a-z]+) ", result.stderr, re.MULTILINE)
    assert levels == {None: ["error"], "fail": ["error"], "neutral": ["warning"], "pass": []}
    plain = invoke(*gate, "--undecided", "neutral", "--json")
    assert (plain.exit_code, json.loads(plain.stdout)["verdict"]) == (0, "undecided")


def test_a_verdict_that_is_missed_fails_whatever_undecided_does() -> None:
    for choice in Undecided:
        assert exit_code(Verdict.MISSED, choice) == 3
        assert Outcome(Verdict.MISSED, "").step(choice).level == "error"
        assert exit_code(Verdict.REACHED, choice) == 0
        assert Outcome(Verdict.REACHED, "").step(choice).level is None


@pytest.mark.usefixtures("birds")
def test_what_makes_no_gate_is_refused(github_files: tuple[Path, Path]) -> None:
    begin()
    for command, option in (("estimate", "--at-least"), ("choose", "--require"), ("compare", "--require")):
        assert f"lowshot: --github must come with {option}" in invoke(command, "birds.db", "--github").stderr
        refused(f"--undecided must come with {option}", command, "birds.db", "--undecided", "pass")


@pytest.mark.usefixtures("birds")
def test_an_option_is_given_once() -> None:
    begin()
    refused("--at-least must be given once: got 2", "estimate", "birds.db", "--at-least", "0.9", "--at-least=0.1")
    files = ("--pool", "a.csv", "--pool", "b.csv")
    refused("--pool must be given once: got 2 of it; to put several files", "start", "new.db", *files, "--score", "p")
    good("export", "birds.db")
    assert invoke("estimate", "birds.db", "--no-such-option", "--no-such-option").exit_code == 2


@pytest.mark.usefixtures("birds")
def test_completion_in_a_shell_tells_nothing(github_files: tuple[Path, Path]) -> None:
    """It reads the line as far as it is typed, with an option twice."""
    words = "lowshot estimate nowhere.db --at-least 0 --at-least 1 --github --conf"
    complete = {"_LOWSHOT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = CliRunner(env=complete).invoke(app, [], prog_name="lowshot")
    assert (done.exit_code, done.output) == (0, "--confidence\n")
    assert not any(path.exists() for path in github_files)


def test_what_a_comparison_required(here: Path, github_files: tuple[Path, Path]) -> None:
    write_models()
    good("start", "birds.db", *MODELS, "--goal", "v1,v2", "--name", "crows")
    label_everything(4)
    for pair, code in (("v1 v2", 0), ("v2 v1", 3)):
        github_files[1].unlink(missing_ok=True)
        gate = ("compare", "birds.db", *pair.split(), "--require", "better", "--github")
        assert invoke(*gate).exit_code == code
        baseline, candidate = pair.split()
        told = facts_in(github_files[1])
        assert told["evaluation"] == "crows"
        assert told["required"] == f"f1: {candidate} is better than {baseline}"
        assert told["candidate"] == candidate


@pytest.mark.usefixtures("birds")
def test_what_a_choice_required(github_files: tuple[Path, Path]) -> None:
    begin()
    label_everything(4)
    gate = ("choose", "birds.db", "--recall", "0.9", "--require", "--github")
    plain = json.loads(invoke(*gate, "--json").stdout)
    told = facts_in(github_files[1])
    assert outputs_in(github_files[0])["verdict"] == plain["required"]
    assert told["required"] == "a threshold is certified for recall of at least 0.9"
    assert float(told["low"]) == plain["set"]["recall"]["low"]
    assert float(told["threshold"]) == plain["threshold"]


@pytest.mark.usefixtures("birds")
def test_github(github_files: tuple[Path, Path]) -> None:
    outputs, summary = github_files
    begin()
    result = invoke("estimate", "birds.db", "--at-least", "0.8", "--github", "--undecided", "neutral")
    assert result.exit_code == 0
    assert "::warning title=lowshot::undecided: f1 may be below 0.8" in result.stderr
    assert outputs_in(outputs)["verdict"] == "undecided"
    label_everything(3)
    outputs.unlink()
    now = found("estimate", "birds.db")
    result = invoke("estimate", "birds.db", "--at-least", str(now["low"]), "--github")
    assert "::" not in result.stderr
    told = outputs_in(outputs)
    assert told["verdict"] == "reached"
    assert (told["metric"], float(told["value"]), float(told["high"])) == ("f1", now["value"], now["high"])
    assert told["text"] == now["text"]
    pages = summary.read_text()
    assert pages.index("### lowshot: undecided") < pages.index("### lowshot: reached")
    assert f"| labels | {now['labels']} |" in pages


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--at-least", "0.8"), "store must exist: nowhere.db does not"),
        (("--at-least", "nan"), "--at-least must be a finite number"),
        (("--at-least", "much"), "'--at-least': Input should be a valid number"),
        (("--at-least", "0.8", "--at-least=0"), "--at-least must be given once: got 2 of it"),
    ],
)
def test_github_after_an_error(
    here: Path, github_files: tuple[Path, Path], arguments: tuple[str, ...], message: str
) -> None:
    assert invoke("estimate", "nowhere.db", "--github", *arguments).exit_code == 2
    assert outputs_in(github_files[0])["verdict"] == "error"
    assert message in github_files[1].read_text().replace("\\", "")


def test_github_elsewhere(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(github.OUTPUT, raising=False)
    refused("--github must be given in a step of GitHub Actions", "estimate", "x.db", "--at-least", "1", "--github")


def test_hostile_texts_in_github(github_files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Names end no output, begin no command, and are no Markdown."""
    text = "v1](https://evil.example)\nverdict=reached\n::error::x | <img src=x> 100 %"
    github.write(github.Step("missed", text, text, {"candidate": text, "value": 1}, "error"))
    told = outputs_in(github_files[0])
    assert set(told) == {"verdict", *github.OUTPUTS, "text"}
    assert (told["verdict"], told["text"]) == ("missed", text)
    written = capsys.readouterr().err
    assert written.count("\n") == 1
    assert "100 %25" in written
    page = github_files[1].read_text()
    assert "https://" not in page  # GitHub makes links of bare addresses
    shown = module("markdown_it").MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    assert "<a " not in shown
    assert "<img" not in shown
    assert shown.count("<tr>") == 3  # the head, and two facts


NAMES = ["::error::x", "##[error]x", "v2\n ::stop-commands::x", "v2\r::add-mask::f1"]


def commands_in(printed: str) -> list[str]:
    """What GitHub's runner would obey: commands at the beginning of a line, and ##[ anywhere."""
    return [line for line in re.split(r"[\r\n]", printed) if re.match(r"\s*::", line) or "##[" in line]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_names_are_no_commands_to_the_runner(here: Path, github_files: tuple[Path, Path], name: str) -> None:
    """GitHub's runner reads all that a step prints."""
    write_models()
    good("start", "birds.db", *MODELS[:-1], f"{name}=q,crow_v2")
    gate = ("compare", "birds.db", "v1", name, "--require", "better", "--github")
    for arguments in (gate, (*gate, "--json"), ("compare", "birds.db", name, f"{name}?", "--require", "better")):
        told = commands_in(invoke(*arguments).output)
        assert all(line.startswith("::error title=lowshot::") for line in told)
    assert json.loads(invoke(*gate[:-1], "--json").stdout)["candidate"] == name


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nor_are_they_in_the_output_of_other_commands(here: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Names of evaluations, models and slices, and texts of items."""
    values = pyarrow.array([name if number % 2 else "north" for number in range(ITEMS)])
    pyarrow.parquet.write_table(models_table().append_column("camera", values), "models.parquet")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    begun = ("start", "birds.db", *MODELS[:-1], f"{name}=q,crow_v2", "--name", name, "--slice", "camera")
    assert not commands_in(good(*begun, "--field", "camera").output)
    label_everything(1)
    by_camera = ("table", "--by", "camera", "--model", "v1")
    for command, *options in (("status",), ("table",), by_camera, (*by_camera, "--csv"), ("export",), ("ask",)):
        result = good(command, "birds.db", *options)
        assert name.split("::")[-1] in result.stdout.replace(JOINER, ""), "or nothing is tested"
        assert not commands_in(result.output), command
    assert not commands_in(invoke("label", "birds.db", "--terminal", "--count", "1", input="y").output)


@pytest.mark.slow
def test_a_table_in_a_file_is_as_it_is(here: Path) -> None:
    """Nobody obeys what is in a file, and ids may begin with colons."""
    Path("pool.csv").write_text("id,p\n::1,0.9\n::2,0.8\n::3,0.2\n")
    good("start", "hosts.db", "--pool", "pool.csv", "--id", "id", "--score", "p", "--threshold", "0.5")
    with open("items.csv", "w") as file:
        command = (sys.executable, "-c", "from lowshot.cli import main; main()", "ask", "hosts.db")
        subprocess.run(command, stdout=file, check=True, env={**os.environ, "GITHUB_ACTIONS": "true"})
    assert sorted(Path("items.csv").read_text().splitlines())[:3] == ["::1,", "::2,", "::3,"]
