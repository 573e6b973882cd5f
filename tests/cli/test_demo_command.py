"""`lowshot demo`: its tables, picture and JSON, and options that cannot be used."""

import json
import sys
from pathlib import Path

import pytest
from rich.text import Text
from typer.testing import Result

import lowshot
from lowshot.demo import data, run

from ..helpers import invoke
from ..needed import module

pytestmark = pytest.mark.usefixtures("here")


def demo(*arguments: str) -> Result:
    return invoke("demo", "--runs", "2", *arguments, columns=80)


def shows(result: Result, *texts: str) -> None:
    """It ended well, and printed these texts, wherever lines break; nothing was cut off."""
    assert result.exit_code == 0, result.output
    flat = " ".join(result.stdout.split())
    for text in texts:
        assert text in flat
    assert "…" not in result.stdout
    assert result.stderr == ""


def test_help_names_every_option_and_category() -> None:
    text = " ".join(Text.from_ansi(invoke("demo", "--help").stdout).plain.replace("│", " ").split())
    for option in ("category", "labels", "seed", "sampler", "runs", "picture", "all-positives", "json"):
        assert f"--{option} " in text
    for category, place in data.CATEGORIES.items():
        assert f"{category} ({place} %)" in text


def test_demo(here: Path) -> None:
    module("matplotlib")
    result = demo("--labels", "30")
    estimate = run.finish(data.load(), "curve", 30, seed=0)
    samplers = ("CURVE", "ACIS", "SAWADE", "TOP-K", "RAND")
    truth = "Truth: f1 = 0.177, from all 54,863 labels"
    shows(result, "54,863 pictures", f"Estimate: {estimate}", truth, *samplers, "lowshot.Evaluation(pool)")
    assert f"Picture: {here / 'lowshot-demo.png'}\n" in result.stdout


def test_the_picture_is_a_png(here: Path) -> None:
    image = module("matplotlib.image")
    assert demo("--labels", "20", "--picture", "mine.png").exit_code == 0
    assert (here / "mine.png").read_bytes().startswith(b"\x89PNG")
    assert image.imread(here / "mine.png")[..., :3].std() > 0.05
    assert [path.name for path in here.iterdir()] == ["mine.png"]


def test_no_colour_codes_in_a_pipe() -> None:
    assert "\x1b" not in demo("--labels", "10").stdout


def test_json(here: Path) -> None:
    result = demo("--labels", "40", "--seed", "3", "--category", "109", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    task = data.load(109)
    evaluation = lowshot.Evaluation(task.pool, metric="f1", seed=3)
    while evaluation.labels < 40 and (items := evaluation.ask(40 - evaluation.labels)):
        evaluation.tell(items, [int(task.labels[item]) for item in items])
    estimate = evaluation.estimate()
    assert estimate.interval is not None
    assert found["estimate"] == estimate.to_dict()
    assert found["truth"] == task.truth()
    assert (found["items"], found["positives"], found["labels"]) == (54_861, 55, 40)
    assert [row["labels"] for row in found["rows"]] == [10, 20, 30, 35, 40]
    assert [one["sampler"] for one in found["comparison"]] == ["curve", "acis", "sawade", "topk", "rand"]
    assert found["picture"] == str(here / "lowshot-demo.png")


def test_all_positives() -> None:
    found = json.loads(demo("--labels", "10", "--all-positives", "--json").stdout)
    assert (found["items"], found["positives"]) == (55_084, 276)


def test_another_sampler_joins_the_comparison() -> None:
    found = json.loads(demo("--labels", "10", "--sampler", "acis_last", "--json").stdout)
    assert [one["sampler"] for one in found["comparison"]] == ["curve", "acis", "sawade", "topk", "rand", "acis_last"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--category", "5"), "--category must be one of 83, 181, 7, 135, 193, 109: got 5"),
        (("--sampler", "magic"), "--sampler must be one of"),
        (("--labels", "60000"), "--labels must be at most the number of items: got 60000"),
        (("--picture", "demo.gif"), "--picture must end in .png, .pdf or .svg: got 'demo.gif'"),
        (("--picture", "nowhere/demo.png"), "--picture must be in a folder that exists"),
        (("--seed", str(2**64)), "--seed must be a whole number"),
    ],
)
def test_what_cannot_be_used_is_one_line(here: Path, arguments: tuple[str, ...], message: str) -> None:
    result = demo(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"lowshot: {message}")
    assert result.stderr.count("\n") == 1
    assert not list(here.iterdir())


@pytest.mark.parametrize("arguments", [("--labels", "0"), ("--runs", "0"), ("--seed", "-1"), ("--labels", "many")])
def test_numbers_out_of_range(arguments: tuple[str, ...]) -> None:
    result = invoke("demo", *arguments)
    assert result.exit_code == 2
    assert arguments[0] in result.stderr


def test_without_matplotlib(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = demo("--labels", "10")
    assert result.exit_code == 0, result.output
    assert "no picture: pip install 'lowshot[plots]'\n" in result.stdout
    found = demo("--labels", "10", "--json")
    assert json.loads(found.stdout)["picture"] is None
    assert found.stderr == "no picture: pip install 'lowshot[plots]'\n"
    assert not list(here.iterdir())
