"""`lowshot choose` and `lowshot thresholds`, and evaluations whose goal is a threshold."""

import csv
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot
from lowshot.cli.app import load
from lowshot.cli.columns import goal_from
from lowshot.goal import Threshold

from ..helpers import found, good, invoke, refused
from .birds import BEGIN, IDS, MODELS, answer, begin, label_everything, models_pool, pool_table, write_models

pytestmark = pytest.mark.usefixtures("birds")
GOAL = "recall=0.9,confidence=0.9"
SCORES = dict(zip(IDS, pool_table()["p"].to_pylist(), strict=True))


def in_memory(rounds: int, goal: Threshold | None = None) -> lowshot.Evaluation:
    pool = lowshot.Pool(list(SCORES.values()), threshold=0.6, ids=IDS)
    return answer(
        lowshot.Evaluation(pool, goal=Threshold(recall=0.9, confidence=0.9) if goal is None else goal), rounds
    )


def same(plain: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether JSON has all that a result has."""
    return {key: plain[key] for key in expected} == json.loads(json.dumps(expected))


def test_the_whole_loop() -> None:
    """From the first label to a certified threshold, as in Python."""
    began = found("start", "birds.db", *BEGIN, "--goal", GOAL)
    assert began["goal"] == {"recall": 0.9, "confidence": 0.9, "promise": "posterior", "reading": "set"}
    undecided = invoke("choose", "birds.db", "--require")
    assert undecided.exit_code == 4
    assert undecided.stdout.startswith("no threshold: no labels yet\nundecided: no threshold is certified for recall")
    assert "next: `lowshot label`" in undecided.stderr
    label_everything(4)
    early = invoke("choose", "birds.db", "--require", "--json")
    assert (early.exit_code, json.loads(early.stdout)["required"]) == (4, "undecided")
    label_everything(2)
    memory = in_memory(6)
    choice = memory.choose_threshold()
    assert choice.certified
    assert same(found("choose", "birds.db"), choice.to_dict())
    assert good("choose", "birds.db").stdout == f"{choice}\n"
    gate = good("choose", "birds.db", "--require").stdout
    assert gate == f"{choice}\nreached: the threshold is certified for recall of at least 0.9\n"
    assert (
        good("plan", "birds.db", "--verdict").stdout == f"{memory.labels} labels are enough for a certified threshold\n"
    )
    assert same(found("thresholds", "birds.db"), memory.thresholds().to_dict())
    again = lowshot.Evaluation(memory.pool, store="birds.db", goal=Threshold(recall=0.9, confidence=0.9))
    assert again.goal == memory.goal
    assert again.history["answers"] == memory.history["answers"]
    message = r"goal must be as evaluation 'evaluation' began, Threshold\(recall=0.9, confidence=0.9\): got Threshold\("
    with pytest.raises(lowshot.InputError, match=message):
        lowshot.Evaluation(memory.pool, store="birds.db", goal=Threshold(recall=0.8))


def test_other_targets_from_the_same_labels() -> None:
    begin()
    label_everything(4)
    memory = answer(lowshot.Evaluation(in_memory(0).pool), 4)
    for arguments, wanted in (
        (("--recall", "0.9"), {"recall": 0.9}),
        (("--precision", "0.8", "--confidence", "0.9"), {"precision": 0.8, "confidence": 0.9}),
        (("--recall", "0.8", "--precision", "0.5"), {"recall": 0.8, "precision": 0.5}),
        (("--maximise", "f2"), {"maximise": "f2"}),
        (("--recall", "0.8", "--reading", "bare"), {"recall": 0.8, "reading": "bare"}),
    ):
        assert same(found("choose", "birds.db", *arguments), memory.choose_threshold(**wanted).to_dict()), arguments


def test_what_surely_cannot_be_reached_is_missed() -> None:
    begin()
    label_everything(5)
    result = invoke("choose", "birds.db", "--recall", "1", "--precision", "1", "--reading", "bare", "--require")
    assert result.exit_code == 3
    assert result.stdout.split("\n")[-2] == (
        "missed: each threshold falls short of recall of at least 1 and precision of at least 1, with a probability of"
        " at least 95 %"
    )


@pytest.mark.parametrize("reading", ["set", "bare"])
def test_the_items_that_are_kept(reading: str) -> None:
    begin("--goal", GOAL)
    label_everything(5)
    asked = found("ask", "birds.db", "--count", "1")["items"][0]["id"]
    Path("skipped.csv").write_text('id,label\n"{}",?\n'.format(asked.replace('"', '""')))
    good("tell", "birds.db", "skipped.csv")
    choice = found("choose", "birds.db", "--reading", reading, "-o", "kept.csv")
    assert choice["output"] == "kept.csv"
    with Path("kept.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    threshold = choice["threshold"]
    kept = {item for item, score in SCORES.items() if score >= threshold}
    if reading == "set":
        assert choice["added"]
        assert choice["removed"]
        kept = (kept | set(choice["added"])) - set(choice["removed"])
    assert {row["id"] for row in rows} == kept
    assert len(rows) == len(kept) == choice[reading]["kept"]
    assert [float(row["score"]) for row in rows] == sorted((SCORES[item] for item in kept), reverse=True)
    labels = {
        row["id"]: row["label"]
        for row in map(json.loads, good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n"))
    }
    words = {None: "cannot tell", 0: "0", 1: "1"}
    assert all(row["label"] == (words[labels[row["id"]]] if row["id"] in labels else "") for row in rows)
    text = good("choose", "birds.db", "--reading", reading, "-o", "kept.csv")
    assert f"{len(kept)} items in kept.csv" in text.stderr


def test_files_of_curves() -> None:
    begin("--goal", GOAL)
    label_everything(2)
    memory = in_memory(2)
    expected = memory.thresholds(band="simultaneous", confidence=0.9)
    arguments = ("thresholds", "birds.db", "--band", "simultaneous", "--confidence", "0.9", "-o")
    result = good(*arguments, "curve.csv")
    assert result.stdout == f"{expected}\n"
    assert result.stderr == f"{len(expected)} thresholds in curve.csv\n"
    with Path("curve.csv").open(newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    assert rows == expected.rows
    good(*arguments, "curve.PNG")
    assert Path("curve.PNG").read_bytes().startswith(b"\x89PNG")
    good(*arguments, "curve.html")
    page = Path("curve.html").read_text()
    assert "evaluation: precision and recall at every threshold, from" in page
    assert page.lower().startswith("<!doctype html>")
    assert found(*arguments, "curve.csv")["output"] == "curve.csv"
    Path("folder.png").mkdir()
    refused("--output must be a file in a folder that exists", "thresholds", "birds.db", "-o", "folder.png")
    refused("--output must end in .html, .png, .csv: got curve.pdf", "thresholds", "birds.db", "-o", "curve.pdf")
    Path("birds.csv").symlink_to("pool.parquet")
    for command in ("thresholds", "choose"):
        refused("--output must not be the store or the pool", command, "birds.db", "-o", "birds.csv")


def test_without_labels_there_is_nothing_to_write() -> None:
    begin("--goal", GOAL)
    assert good("thresholds", "birds.db").stdout == "no curve: no labels yet\n"
    refused("--output needs labels: no labels yet; label some", "thresholds", "birds.db", "-o", "curve.csv")
    refused("--output needs a threshold: no labels yet; label some", "choose", "birds.db", "-o", "kept.csv")
    refused(
        "the labels that a certified threshold takes cannot be told yet: no labels yet", "plan", "birds.db", "--verdict"
    )
    assert found("choose", "birds.db")["threshold"] is None
    assert not Path("curve.csv").exists()
    assert not Path("kept.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("goal", [GOAL, "precision=0.8", "maximise=f1", "recall=0.9,precision=0.3,reading=bare"])
def test_every_command_knows_a_threshold(goal: str) -> None:
    began = begin("--goal", goal, "--question", "A crow?").stdout
    wanted = goal_from(goal)
    assert isinstance(wanted, Threshold)
    assert f"\nGoal: a threshold with {wanted.words}{wanted.details}\n" in began
    assert "Plan: the labels that a certified threshold takes cannot be told yet: no labels yet\n" in began
    label_everything(2)
    memory = in_memory(2, wanted)
    (one,) = found("status", "birds.db")["evaluations"]
    assert one["goal"] == wanted.to_dict()
    assert same(one["choice"], memory.choose_threshold().to_dict())
    assert one["estimate"]["value"] == memory.estimate().value
    text = good("status", "birds.db").stdout
    assert f"\n  goal: a threshold with {wanted.words}{wanted.details}\n" in text
    for line in (*str(memory.choose_threshold()).split("\n"), str(memory.estimate())):
        assert f"\n  {line}\n" in text
    shown = good("label", "birds.db", "--terminal", "--solo", "--count", "1", input="y").stdout
    assert re.search(r"\nf1 = .*\nthreshold [^\n]* for ", shown)
    hidden = good("label", "birds.db", "--terminal", "--count", "1", input="y").stdout
    assert "threshold" not in hidden
    for command in (("estimate",), ("table",), ("export",), ("report",), ("plan", "--half-width", "0.2")):
        good(command[0], "birds.db", *command[1:])
    Path("pool.parquet").unlink()
    assert found("status", "birds.db")["evaluations"][0]["goal"] == wanted.to_dict(), "without its pool"


@pytest.mark.slow
def test_one_of_several_models() -> None:
    write_models()
    refused(
        r"--goal needs model= where a pool has several models: got recall=0.9; name one of v1, v2",
        *("start", "birds.db", *MODELS, "--goal", "recall=0.9"),
    )
    refused("model of the threshold must be", "start", "birds.db", *MODELS, "--goal", "recall=0.9,model=v3")
    good("start", "birds.db", *MODELS, "--goal", "recall=0.9,model=v2")
    label_everything(3)
    memory = answer(lowshot.Evaluation(models_pool(), goal=Threshold(recall=0.9, model="v2")), 3)
    assert same(found("choose", "birds.db"), memory.choose_threshold().to_dict())
    assert same(found("choose", "birds.db", "--model", "v1"), memory.choose_threshold(model="v1").to_dict())
    assert same(found("thresholds", "birds.db", "--model", "v1"), memory.thresholds(model="v1").to_dict())
    for path in ("curve.png", "curve.html"):
        good("thresholds", "birds.db", "--model", "v1", "-o", path)
    assert "; goal: a threshold of v2 with recall of at least 0.9\n" in good("status", "birds.db").stdout
    good("add-model", "birds.db", "v3", "--score", "p", "--threshold", "0.7", "--goal", "precision=0.8,model=v3")
    assert found("choose", "birds.db", "--name", "evaluation with v3")["model"] == "v3"


def test_which_model() -> None:
    write_models()
    good("start", "birds.db", *MODELS)
    label_everything(1)
    for arguments in (("thresholds", "birds.db"), ("choose", "birds.db", "--recall", "0.9")):
        refused("--model must say which model: the evaluation judges v1, v2", *arguments)
        refused("--model must be a model of the pool, one of v1, v2: got 'v3'", *arguments, "--model", "v3")
        assert found(*arguments, "--model", "v2")["model"] == "v2"


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("recall=0.9", Threshold(recall=0.9)),
        (" recall = 0.9 , precision = 0.5", Threshold(recall=0.9, precision=0.5)),
        ("maximise=f2,model=v2", Threshold(maximise="f2", model="v2")),
        (
            "precision=1,promise=posterior,confidence=0.9,reading=bare",
            Threshold(precision=1, confidence=0.9, reading="bare"),
        ),
    ],
)
def test_goals(goal: str, expected: Threshold) -> None:
    assert goal_from(goal) == expected


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("recall=1.5", "--goal must be a threshold that is possible: got 'recall=1.5'; recall must be a number from 0"),
        ("recall=0", "recall must be above 0 and at most 1: got 0.0"),
        ("recall", "got 'recall'; write --goal recall=0.9"),
        ("recall:0.9", "got 'recall:0.9'; write --goal recall=0.9"),
        ("recall=high", "recall must be a number from 0 to 1: got 'high'"),
        ("recall=nan", "recall must be a number from 0 to 1: got nan"),
        (
            "recall=",
            r"--goal must be a threshold as recall=NUMBER.*: got 'recall='; write for example --goal recall=0.9",
        ),
        (
            "recal=0.9",
            "--goal must be a threshold as .* with recall, precision, maximise, promise, confidence, reading,",
        ),
        ("recall=0.9,v2", "--goal must be a threshold as .*: got 'recall=0.9,v2'"),
        ("recall=0.9,recall=0.8", "--goal must have a name of its own each time: got 'recall' twice"),
        ("confidence=0.9", "a threshold needs a target: got none"),
        ("recall=0.9,promise=sure", "promise must be one of posterior, design: got 'sure'"),
        ("recall=0.9,reading=both", "reading must be one of set, bare: got 'both'"),
        ("recall=0.9,confidence=1", "confidence must be a number from 0.5 to 0.9999: got 1.0"),
        ("maximise=recall", "maximise must be f1, f2, f0.5 or another f followed by beta: got 'recall'"),
        ("recall=0.9,precision=0.9,promise=design", "promise 'design' certifies one target"),
    ],
)
def test_goals_that_are_refused(goal: str, message: str) -> None:
    refused(message, "start", "birds.db", *BEGIN, "--goal", goal)
    assert not Path("birds.db").exists()


def test_goals_that_contradict_the_rest() -> None:
    for arguments, message in (
        (
            ("--metric", "precision"),
            r"--goal recall=0.9 needs labels of items that are not predicted positive",
        ),
        (("--sampler", "acis"), "--sampler must be 'curve' where the goal is a threshold, because .*: got 'acis'"),
    ):
        refused(message, "start", "birds.db", *BEGIN, "--goal", "recall=0.9", *arguments)
    assert not Path("birds.db").exists()


def test_what_choose_refuses() -> None:
    begin()
    for arguments, message in (
        ((), "give --recall, --precision or --maximise: got none, and the goal of the evaluation is model"),
        (("--recall", "1.5"), "--recall must be a number from 0 to 1: got 1.5"),
        (("--precision", "0"), "--precision must be above 0 and at most 1: got 0.0"),
        (("--maximise", "tp"), "--maximise must be f1, f2, f0.5"),
        (("--recall", "0.9", "--confidence", "1"), "--confidence must be a number from 0.5 to 0.9999"),
        (("--maximise", "f1", "--require"), "--require must come with --recall or --precision"),
        (("--recall", "0.9", "--for-spreadsheet"), "--for-spreadsheet must come with --output"),
        (("--recall", "0.9", "-o", "nowhere/kept.csv"), "--output must be a file in a folder that exists"),
    ):
        refused(message, "choose", "birds.db", *arguments)
    assert invoke("choose", "birds.db", "--reading", "both").exit_code == 2
    refused("--confidence must be a number", "thresholds", "birds.db", "--confidence", "2")
    assert invoke("thresholds", "birds.db", "--band", "wide").exit_code == 2


def test_a_gate_needs_a_target_of_the_goal() -> None:
    begin("--goal", "maximise=f1")
    refused("--require must come with --recall or --precision", "choose", "birds.db", "--require")
    assert invoke("choose", "birds.db", "--recall", "0.9", "--require").exit_code == 4


def test_a_plan_for_a_threshold() -> None:
    """From about how many labels are missing. The confidence is that of the goal, unless another one is given."""
    begin("--goal", "precision=0.8,confidence=0.9,reading=bare")
    label_everything(4)
    assert good("plan", "birds.db", "--verdict").stdout == "60 labels are enough for a certified threshold\n"
    choice = in_memory(4, Threshold(precision=0.8, confidence=0.9, reading="bare")).choose_threshold(confidence=0.9999)
    assert choice.more is not None
    plan = found("plan", "birds.db", "--verdict", "--confidence", "0.9999")
    assert plan["likely"] == 60 + choice.more
    assert plan["labels"] == 60 < plan["low"] <= plan["likely"] <= plan["high"] < plan["most"]
    assert plan["text"].endswith("for a certified threshold; 60 labels so far")
    refused(
        "--margin must be left out where the goal is a threshold: got 0.1",
        *("plan", "birds.db", "--verdict", "--margin", "0.1"),
    )
    refused("--confidence must be a number from 0.5", "plan", "birds.db", "--verdict", "--confidence", "2")
    refused("--confidence must be a number from 0.01", "plan", "birds.db", "--confidence", "2")


def test_a_plan_ends_with_the_pool() -> None:
    """If every item is labelled, the answer is known."""
    begin("--goal", "recall=0.9,precision=0.4,reading=bare")
    label_everything(1)
    assert found("choose", "birds.db")["more"] == len(IDS) - 10
    plan = found("plan", "birds.db", "--verdict")
    assert plan["likely"] == plan["high"] == len(IDS)


def test_rows_that_stay_where_they_are() -> None:
    rows = pool_table()
    Path("scores").mkdir()
    pyarrow.parquet.write_table(rows, "scores/1.parquet")
    good("start", "birds.db", "--pool", "scores", "--id", "path", "--score", "p", "--threshold", "0.6", "--goal", GOAL)
    label_everything(3)
    choice = found("choose", "birds.db")
    curve = found("thresholds", "birds.db", "-o", "curve.png")
    assert choice["threshold"] in [row["threshold"] for row in curve["rows"]]
    refused(
        rf"--output must be left out for a pool whose rows stay .* least {choice['threshold']}; of the set, --json",
        *("choose", "birds.db", "-o", "kept.csv"),
    )
    kept = sum(score >= choice["threshold"] for score in SCORES.values())
    assert choice["bare"]["kept"] == kept
    assert choice["kept"] == kept + len(choice["added"]) - len(choice["removed"])


def write_scores(score: Callable[[int], float]) -> tuple[str, ...]:
    scores = np.array([score(number) for number in range(len(IDS))], dtype=np.float64)
    predicted = np.arange(len(IDS)) < 40
    pyarrow.parquet.write_table(arrow.table({"path": IDS, "p": scores, "crow": predicted}), "odd.parquet")
    return ("--pool", "odd.parquet", "--id", "path", "--score", "p", "--prediction", "crow")


def test_constant_scores() -> None:
    good("start", "birds.db", *write_scores(lambda _: 0.5), "--goal", "recall=0.9")
    label_everything(2)
    result = invoke("choose", "birds.db", "--require")
    assert result.exit_code == 4
    assert "all scores are equal: the only threshold keeps everything" in result.stdout
    for path in ("curve.png", "curve.csv", "curve.html"):
        good("thresholds", "birds.db", "-o", path)
    assert len(Path("curve.csv").read_text().splitlines()) == 2


def test_no_positive_was_found() -> None:
    begin("--goal", "recall=0.9")
    items = found("ask", "birds.db", "--count", "5")["items"]
    Path("no.jsonl").write_text("\n".join(json.dumps({"id": item["id"], "label": 0}) for item in items))
    good("tell", "birds.db", "no.jsonl")
    result = invoke("choose", "birds.db", "--require")
    assert result.exit_code == 4
    assert "why: no positive was found so far" in result.stdout
    good("thresholds", "birds.db", "-o", "curve.png")


def examples() -> list[tuple[str, str]]:
    """The examples of the help that are about thresholds, with the command."""
    about = re.compile("--goal recall|^lowshot (choose|thresholds) ")
    commands = ("start", "choose", "thresholds")
    lines = [(command, line.strip()) for command in commands for line in load(command).epilog.split("\n")]
    return [(command, line) for command, line in lines if about.search(line)]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "line"), examples())
def test_an_example_of_the_help_runs(command: str, line: str) -> None:
    """With files that have the columns which it names."""
    pyarrow.parquet.write_table(pool_table(), "scores.parquet")
    if command != "start":
        model = ("--model", "v2=p@0.6") if "--model" in line else ("--score", "p", "--threshold", "0.6")
        goal = "recall=0.9,model=v2" if "--model" in line else "recall=0.9"
        good("start", "birds.db", "--pool", "scores.parquet", "--id", "path", *model, "--goal", goal)
        label_everything(1)
    program, *arguments = shlex.split(line.partition("&&")[0])
    assert program == "lowshot"
    assert invoke(*arguments).exit_code in (0, 4)


def test_a_bare_threshold_has_no_promise_by_design() -> None:
    begin("--goal", "recall=0.9,promise=design")
    label_everything(1)
    refused("--reading must be 'set' with promise 'design', .*: got 'bare'", "choose", "birds.db", "--reading", "bare")


def test_what_is_not_certified_is_not_written_for_a_script() -> None:
    begin("--goal", GOAL)
    label_everything(1)
    refused("--output must end in .csv: got 'kept.parquet'", "choose", "birds.db", "-o", "kept.parquet")
    assert invoke("choose", "birds.db", "--require", "-o", "kept.csv").exit_code == 4
    assert not Path("kept.csv").exists()
    assert good("choose", "birds.db", "-o", "kept.csv").exit_code == 0
    assert Path("kept.csv").exists()
