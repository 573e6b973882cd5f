"""What CI systems are told by a gate: JUnit files, GitHub's outputs and summaries, exit codes; also after errors."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pyarrow
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from lowshot.cli import github, junit
from lowshot.cli.app import app
from lowshot.cli.console import JOINER
from lowshot.cli.gate import Outcome, Undecided, Verdict, exit_code
from lowshot.errors import InputError

from ..helpers import found, good, invoke, refused
from ..needed import module
from .birds import ITEMS, MODELS, begin, label_everything, models_table, write_models

HOSTILE = "v1 ]]> <b>&amp;</b> \"quoted\" 'too' \x00\x1b[31m\x85 \ud800 \uffff 🐦 ünd\u2028more\r\nline"
CLEANED = "v1 ]]> <b>&amp;</b> \"quoted\" 'too' \ufffd\ufffd[31m\x85 \ufffd \ufffd 🐦 ünd\u2028more\r\nline"


def suite_in(path: str | Path) -> ElementTree.Element:
    """The only suite, after a check of what junitparser makes of the file."""
    parsed = module("junitparser").JUnitXml.fromfile(str(path))
    (suite,) = parsed
    (case,) = suite
    counted = (parsed.tests, parsed.failures, parsed.errors, parsed.skipped)
    assert counted == (suite.tests, suite.failures, suite.errors, suite.skipped)
    kinds = [type(one).__name__ for one in case.result]
    assert counted == (1, kinds.count("Failure"), kinds.count("Error"), kinds.count("Skipped"))
    root = ElementTree.parse(path).getroot()
    refuse_unknown(root)
    return root[0]


KNOWN = {  # elements and attributes that Jenkins (junit-10.xsd) and GitLab both read or ignore
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
}
INSIDE = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure", "system-out"],
}


def refuse_unknown(element: ElementTree.Element) -> None:
    """Only known elements, in the order of the schema, with known attributes."""
    assert set(element.attrib) <= KNOWN[element.tag], element.tag
    places = [INSIDE[element.tag].index(one.tag) for one in element]
    assert places == sorted(places)
    for one in element:
        refuse_unknown(one)


def properties(suite: ElementTree.Element) -> dict[str, str]:
    return {one.get("name", ""): one.get("value", "") for one in suite.iter("property")}


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


@pytest.mark.usefixtures("birds")
def test_estimate_as_a_junit_file() -> None:
    begin("--name", "crows")
    label_everything(3)
    now = found("estimate", "birds.db")
    gate = ("estimate", "birds.db", "--junit", "new/folder/gate.xml", "--at-least")
    for limit, code, tag in ((now["low"], 0, None), (now["high"] + 0.001, 3, "missed"), (now["value"], 4, "undecided")):
        result = invoke(*gate, str(limit))
        assert result.exit_code == code
        suite = suite_in("new/folder/gate.xml")
        case = suite.find("testcase")
        assert case is not None
        assert (case.get("classname"), case.get("name")) == ("lowshot.crows", f"f1 is at least {limit:g}")
        failure = case.find("failure")
        assert (failure is None) == (tag is None)
        if failure is not None:
            assert failure.get("type") == tag
            assert failure.get("message") in result.stdout
        assert case.findtext("system-out") == result.stdout.strip()
        written = properties(suite)
        assert float(written["value"]) == now["value"]
        assert float(written["low"]) == now["low"]
        assert (written["labels"], written["seed"], written["confidence"]) == (str(now["labels"]), "0", "0.95")
        assert written["verdict"] == (tag or "reached")
        assert re.fullmatch("[0-9a-f]{32,}", written["pool_fingerprint"])
    assert [path.name for path in Path("new/folder").iterdir()] == ["gate.xml"]


@pytest.mark.usefixtures("birds")
def test_undecided_fails_is_skipped_or_passes() -> None:
    begin()
    gate = ("estimate", "birds.db", "--at-least", "0.8", "--junit", "gate.xml")
    tags = {}
    for choice, code in ((None, 4), ("fail", 4), ("neutral", 0), ("pass", 0)):
        result = invoke(*gate, *(() if choice is None else ("--undecided", choice)))
        assert result.exit_code == code
        assert "undecided: f1 may be below 0.8 or not; label more items\n" in result.stdout
        (case,) = suite_in("gate.xml").iter("testcase")
        tags[choice] = [(one.tag, one.get("type")) for one in case if one.tag != "system-out"]
        assert properties(suite_in("gate.xml"))["verdict"] == "undecided"
    failure = [("failure", "undecided")]
    assert tags == {None: failure, "fail": failure, "neutral": [("skipped", "undecided")], "pass": []}
    plain = invoke(*gate, "--undecided", "neutral", "--json")
    assert (plain.exit_code, json.loads(plain.stdout)["verdict"]) == (0, "undecided")


def test_a_verdict_that_is_missed_fails_whatever_undecided_does() -> None:
    for choice in Undecided:
        assert exit_code(Verdict.MISSED, choice) == 3
        assert Outcome("x", Verdict.MISSED, "", "").seen(choice) == "failure"
        assert exit_code(Verdict.REACHED, choice) == 0


@pytest.mark.usefixtures("birds")
def test_what_makes_no_gate_is_refused() -> None:
    begin()
    for command, option in (("estimate", "--at-least"), ("choose", "--require"), ("compare", "--require")):
        refused(f"--junit must come with {option}", command, "birds.db", "--junit", "gate.xml")
        refused(f"--undecided must come with {option}", command, "birds.db", "--undecided", "pass")


@pytest.mark.usefixtures("birds")
def test_errors_are_in_the_junit_file() -> None:
    for arguments, message in (
        (("--at-least", "0.8"), "store must exist: nowhere.db does not"),
        (("--at-least", "nan"), "--at-least must be a finite number"),
        (("--at-least", "much"), "'--at-least': Input should be a valid number"),
    ):
        Path("gate.xml").unlink(missing_ok=True)
        result = invoke("estimate", "nowhere.db", "--junit", "gate.xml", *arguments)
        assert result.exit_code == 2
        suite = suite_in("gate.xml")
        (error,) = suite.iter("error")
        assert message in str(error.get("message"))
        assert suite.get("errors") == "1"


@pytest.mark.usefixtures("birds")
def test_an_earlier_verdict_does_not_survive_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    gate = ("estimate", "birds.db", "--junit", "gate.xml", "--at-least", "0.8")
    assert invoke(*gate, "--undecided", "pass").exit_code == 0
    assert suite_in("gate.xml").get("errors") == "0"
    monkeypatch.setattr("lowshot.Evaluation.estimate", lambda *_, **__: 1 / 0)
    assert isinstance(invoke(*gate).exception, ZeroDivisionError)
    (error,) = suite_in("gate.xml").iter("error")
    assert error.get("message") == "it did not finish: no verdict was written"


@pytest.mark.usefixtures("birds")
def test_nor_one_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full, for example."""
    test = junit.Test("a", "b", "c", "passed", "reached", "d", "e")
    Path("real").mkdir()
    Path("gate.xml").symlink_to("real/gate.xml")
    junit.write(Path("gate.xml"), test)
    assert Path("gate.xml").is_symlink()
    assert Path("real/gate.xml").is_file()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left on device"):
        junit.write(Path("gate.xml"), test)
    assert not Path("real/gate.xml").exists()


@pytest.mark.usefixtures("birds")
def test_an_option_is_given_once() -> None:
    begin()
    refused("--at-least must be given once: got 2", "estimate", "birds.db", "--at-least", "0.9", "--at-least=0.1")
    files = ("--pool", "a.csv", "--pool", "b.csv")
    refused("--pool must be given once: got 2 of it; to put several files", "start", "new.db", *files, "--score", "p")
    good("export", "birds.db")
    assert invoke("estimate", "birds.db", "--no-such-option", "--no-such-option").exit_code == 2


@pytest.mark.usefixtures("birds")
def test_an_earlier_verdict_beside_an_option_that_is_given_twice() -> None:
    gate = passing_gate()
    refused("--at-least must be given once", *gate, "--at-least", "0.9")
    assert error_in("gate.xml") == "--at-least must be given once: got 2 of it"


@pytest.mark.usefixtures("birds")
def test_completion_in_a_shell_changes_nothing() -> None:
    """It reads the line as far as it is typed, with an option twice or a file that is there."""
    gate = passing_gate()
    before = Path("gate.xml").read_bytes()
    words = " ".join(["lowshot", *gate, "--at-least", "1", "--conf"])
    complete = {"_LOWSHOT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = CliRunner(env=complete).invoke(app, [], prog_name="lowshot")
    assert (done.exit_code, done.output) == (0, "--confidence\n")
    assert Path("gate.xml").read_bytes() == before


def passing_gate() -> tuple[str, ...]:
    """The command of a gate that has passed, with the verdict in gate.xml."""
    begin()
    label_everything(1)
    gate = ("estimate", "birds.db", "--junit", "gate.xml", "--at-least", "0")
    good(*gate)
    return gate


def error_in(path: str) -> str | None:
    case = suite_in(path).find("testcase")
    assert case is not None
    error = case.find("error")
    return None if error is None else error.get("message")


@pytest.mark.usefixtures("birds")
def test_a_junit_file_replaces_no_store_and_no_pool() -> None:
    begin()
    before = {name: Path(name).read_bytes() for name in ("birds.db", "pool.parquet")}
    gate = ("estimate", "birds.db", "--at-least", "0.8", "--junit")
    for name in before:
        refused("--junit must not replace", *gate, name)
        refused("--junit must not replace", "estimate", "nowhere.db", "--at-least", "nan", "--junit", name)
    refused("--junit must be a file: . is", *gate, ".")
    refused("--junit must be a file that can be written", *gate, "birds.db/a")
    refused("--junit must be a file that can be written", *gate, f"{'a' * 300}.xml")
    assert {name: Path(name).read_bytes() for name in before} == before


def test_a_junit_file_replaces_only_another_one(tmp_path: Path) -> None:
    path = tmp_path / "pom.xml"
    for text in ("<?xml version='1.0'?>\n<project/>", "<html><testsuite/></html>"):
        path.write_text(text)
        with pytest.raises(InputError, match="--junit must not replace a file that is no JUnit XML"):
            junit.refuse_other_file(path)
    for text in ("", "<testsuite/>", "<?xml version='1.0' encoding='utf-8'?>\n<testsuites/>", "\n<testsuites/>"):
        path.write_text(text)
        junit.refuse_other_file(path)
    junit.write(path, junit.Test("a", "b", "c", "passed", "reached", "d", "e"))
    junit.refuse_other_file(path)


def test_compare_as_a_junit_file(here: Path) -> None:
    write_models()
    good("start", "birds.db", *MODELS, "--goal", "v1,v2", "--name", "]]> <b>crows</b> 🐦")
    label_everything(4)
    for pair, code in (("v1 v2", 0), ("v2 v1", 3)):
        gate = ("compare", "birds.db", *pair.split(), "--require", "better", "--junit", "gate.xml")
        assert invoke(*gate).exit_code == code
        suite = suite_in("gate.xml")
        (case,) = suite.iter("testcase")
        assert case.get("classname") == "lowshot.]]> <b>crows</b> 🐦"
        baseline, candidate = pair.split()
        assert case.get("name") == f"f1: {candidate} is better than {baseline}"
        assert properties(suite)["candidate"] == candidate


@pytest.mark.usefixtures("birds")
def test_choose_as_a_junit_file() -> None:
    begin()
    gate = ("choose", "birds.db", "--recall", "0.9", "--require", "--junit", "gate.xml")
    assert invoke(*gate).exit_code == 4
    label_everything(4)
    result = invoke(*gate)
    plain = json.loads(invoke(*gate, "--json").stdout)
    suite = suite_in("gate.xml")
    (case,) = suite.iter("testcase")
    assert case.get("name") == "a threshold is certified for recall of at least 0.9"
    assert properties(suite)["verdict"] == plain["required"]
    assert result.exit_code == Verdict[plain["required"].upper()].value
    assert float(properties(suite)["low"]) == plain["set"]["recall"]["low"]
    assert float(properties(suite)["threshold"]) == plain["threshold"]


@pytest.mark.parametrize("seen", ["passed", "failure", "error", "skipped"])
def test_hostile_texts(tmp_path: Path, seen: junit.Seen) -> None:
    path = tmp_path / "gate.xml"
    junit.write(path, junit.Test(HOSTILE, HOSTILE, HOSTILE, seen, "missed", HOSTILE, HOSTILE, {"model": HOSTILE}))
    suite = suite_in(path)
    (case,) = suite.iter("testcase")
    assert suite.get("name") == case.get("name") == properties(suite)["model"] == CLEANED
    assert str(case.findtext("system-out")) == CLEANED.replace("\r\n", "\n")  # as XML reads line breaks in a text


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


def test_github_after_an_error(here: Path, github_files: tuple[Path, Path]) -> None:
    assert invoke("estimate", "nowhere.db", "--at-least", "0.8", "--github").exit_code == 2
    assert outputs_in(github_files[0])["verdict"] == "error"
    assert "store must exist" in github_files[1].read_text()


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
