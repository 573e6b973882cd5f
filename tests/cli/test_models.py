"""Several models from `lowshot start --model`: the loop, goals, helpers, and everything that can be wrong with them."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot
from lowshot.cli.app import load

from ..helpers import found, good, invoke, refused
from .birds import (
    IDS,
    ITEMS,
    MODELS,
    answer,
    label_everything,
    models_pool,
    models_table,
    truth,
    write_models,
)

GOALS: dict[str, lowshot.goal.Goal] = {"each": "each", "best": "best", "v2": "v2", "v1,v2": ("v1", "v2")}


@pytest.fixture(autouse=True)
def _models(here: Path) -> None:
    write_models()


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_whole_loop(ending: str) -> None:
    """The same as in Python, whatever the file; every command opens the pool anew."""
    pyarrow.csv.write_csv(models_table(), "models.csv")
    start = good("start", "birds.db", "--pool", f"models.{ending}", *MODELS[2:], "--helper", "clip", "--goal", "v1,v2")
    pool = models_pool(clip=models_table()["clip"])
    memory = lowshot.Evaluation(pool, goal=("v1", "v2"))
    assert f"\nPlan: {memory.plan(verdict=True)}\n" in start.stdout
    for number in range(3):
        label_everything(1)
        answer(memory, 1)
        assert good("compare", "birds.db").stdout == f"{memory.compare('v1', 'v2')}\n", number
    assert good("compare", "birds.db", "v2", "v1", "--metric", "recall", "--margin", "0.01").stdout == (
        f"{memory.compare('v2', 'v1', metric='recall', margin=0.01)}\n"
    )
    assert good("table", "birds.db").stdout == f"{memory.table()}\nfrom {memory.labels} labels\n"
    assert good("table", "birds.db", "--metric", "recall", "--confidence", "0.8").stdout.startswith(
        f"{memory.table(metric='recall', confidence=0.8)}\n"
    )
    assert good("estimate", "birds.db", "--model", "v2").stdout == f"{memory.estimate(model='v2')}\n"
    assert good("plan", "birds.db", "--verdict", "--margin", "0.3").stdout == (
        f"{memory.plan(verdict=True, margin=0.3)}\n"
    )
    assert good("plan", "birds.db", "--half-width", "0.2").stdout == f"{memory.plan(0.2)}\n"
    again = lowshot.Evaluation(pool, store="birds.db")
    assert again.history["answers"] == memory.history["answers"]


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_every_command_knows_every_goal(goal: str) -> None:
    began = found("start", "birds.db", *MODELS, "--field", "title", "--goal", goal)
    assert began["goal"] == (["v1", "v2"] if goal == "v1,v2" else goal)
    assert [one["name"] for one in began["models"]] == ["v1", "v2"]
    kind = {"v2": "estimate", "v1,v2": "comparison"}.get(goal, "table")
    label_everything(1)
    memory = answer(lowshot.Evaluation(models_pool(), goal=GOALS[goal]), 1)
    expected = {"estimate": memory.estimate, "comparison": lambda: memory.compare("v1", "v2"), "table": memory.table}
    (one,) = found("status", "birds.db")["evaluations"]
    assert one[kind] == json.loads(json.dumps(expected[kind]().to_dict()))
    assert [one[other] for other in expected if other != kind] == [None, None]
    text = good("status", "birds.db").stdout
    assert all(f"\n  {line}" in text for line in str(expected[kind]()).split("\n"))
    words = {"each": "each model", "best": "the best model", "v2": "v2", "v1,v2": "v2 against v1"}[goal]
    predicted = sum(models_table()["crow_v2"].to_pylist())
    assert re.search(
        rf"\n  models: v1 \(\d+ predicted positive\), v2 \({predicted} predicted positive\); goal: {words}\n", text
    )
    keys = "m\ny\n" if goal == "best" else "y"  # which of the two is the best one is clear already: label more
    shown = good("label", "birds.db", "--terminal", "--solo", "--count", "1", input=keys).stdout
    assert re.search(
        {"estimate": "f1 = ", "comparison": "v2 (is|and)|undecided between", "table": "v1 +0"}[kind], shown
    )
    rows = [json.loads(line) for line in good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")]
    by_id = dict(zip(IDS, models_table()["crow_v2"].to_pylist(), strict=True))
    assert all(row["prediction_v2"] == by_id[row["id"]] for row in rows)
    assert good("export", "birds.db").stdout.startswith("id,label,prediction_v1,prediction_v2,score_v1,score_v2,round,")
    good("report", "birds.db")
    assert "labels" in good("plan", "birds.db").stdout


def test_the_default_goal_is_each_model() -> None:
    assert found("start", "birds.db", *MODELS)["goal"] == "each"


def test_a_score_with_two_thresholds_is_two_models() -> None:
    columns = ("--pool", "models.parquet", "--id", "path", "--model", "strict=p@0.8", "--model", "lax=p@0.4")
    good("start", "birds.db", *columns, "--goal", "best")
    label_everything(1)
    pool = lowshot.Pool(
        {"strict": models_table()["p"], "lax": models_table()["p"]}, threshold={"strict": 0.8, "lax": 0.4}, ids=IDS
    )
    memory = answer(lowshot.Evaluation(pool, goal="best"), 1)
    assert good("table", "birds.db").stdout.startswith(f"{memory.table()}\n")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_helpers_of_one_model(ending: str) -> None:
    """What the pool says about helpers is shown by start and status; NAME=COLUMN names one."""
    table = models_table().append_column("judge", arrow.array([None if n < 3 else n % 9 == 0 for n in range(ITEMS)]))
    pyarrow.parquet.write_table(table, "models.parquet")
    pyarrow.csv.write_csv(table, "models.csv")
    columns = ("--pool", f"models.{ending}", "--id", "path", "--score", "p", "--threshold", "0.6")
    helpers = ("--helper", "clip", "--helper", "noise=junk", "--helper", "judge")
    start = good("start", "birds.db", *columns, *helpers).stdout
    assert start.startswith("evaluation: f1 of 400 items, ")
    told = (
        "elpers: clip (missing for 8 items), noise (left out, because there is no clear agreement with the models),"
        " judge (missing for 3 items)\n"
    )
    assert f"\nH{told}" in start
    assert f"\n  h{told}" in good("status", "birds.db").stdout
    (one,) = found("status", "birds.db")["evaluations"]
    assert one["helpers"] == [
        {"name": "clip", "missing": 8, "left_out": False},
        {"name": "noise", "missing": 0, "left_out": True},
        {"name": "judge", "missing": 3, "left_out": False},
    ]
    assert one["models"] == [{"name": "model", "predicted_positives": one["predicted_positives"]}]
    label_everything(2)
    flags = [None if value is None else float(value) for value in table["judge"].to_pylist()]
    scores = {"clip": table["clip"], "noise": table["junk"], "judge": flags}
    pool = lowshot.Pool(table["p"], threshold=0.6, helpers=scores, ids=IDS)
    assert good("estimate", "birds.db").stdout == f"{answer(lowshot.Evaluation(pool), 2).estimate()}\n"


def test_a_helper_without_any_value_is_left_out() -> None:
    table = models_table().append_column("empty", arrow.nulls(ITEMS))
    pyarrow.parquet.write_table(table, "models.parquet")
    pyarrow.csv.write_csv(table.set_column(table.num_columns - 1, "empty", [[""] * ITEMS]), "models.csv")
    for file in ("models.parquet", "models.csv"):
        start = good("start", f"{file}.db", "--pool", file, *MODELS[2:], "--helper", "empty").stdout
        assert "Helpers: empty (missing for 400 items; left out, " in start


WITHOUT = ("--pool", "models.parquet", "--id", "path")
V1 = ("--model", "v1=p@0.6")
TYPOS: list[tuple[str, tuple[str, ...]]] = [
    (
        "--model must be NAME=SCORE@THRESHOLD or NAME=SCORE,PREDICTION: got 'p@0.6', without a name; write",
        ("--model", "p@0.6"),
    ),
    (
        "--model must be NAME=.*: got 'v1=p', without a threshold or predictions; write --model v1=p@0.5, or --help",
        ("--model", "v1=p"),
    ),
    (
        "--model must be .*finite number as threshold: got 'half' in 'v1=p@half'; write a number",
        ("--model", "v1=p@half"),
    ),
    ("--model must be .*finite number as threshold: got 'nan'", ("--model", "v1=p@nan")),
    ("--model must be .*finite number as threshold: got '0,6'", ("--model", "v1=p@0,6")),
    ("--model must be .*: got 'v1=@0.6', where the name of a column is empty", ("--model", "v1=@0.6")),
    ("--model must be .*: got 'v1=p,', where the name of a column is empty", ("--model", "v1=p,")),
    ("names of --model must be texts that are not empty: got ''", ("--model", "=p@0.6")),
    ("names of --model must not be 'each' or 'best', which are goals: got 'each'", ("--model", "each=p@0.6")),
    ("names of --model must not be 'each' or 'best', which are goals: got 'best'", ("--model", "best=p@0.6")),
    ("names of --model must not contain ',': got 'v1,v2'; choose another name", ("--model", "v1,v2=p@0.6")),
    ("--model must have a name of its own each time: got 'v1' twice", (*V1, "--model", "v1=q@0.6")),
    (
        "--model v1 must be a column of .*models.parquet, one of path, p, .*: got 'pp', which does not occur",
        ("--model", "v1=pp@0.6"),
    ),
    ("--model v2 must be a column of .*: got 'crows', which does not occur", (*V1, "--model", "v2=q,crows")),
    ("--model v1 must be a column of numbers: 'path' holds string", ("--model", "v1=path@0.6")),
    (r"predictions\['v2'\] must be 0 or 1: 400 of 400 are not", (*V1, "--model", "v2=q,p")),
    (
        r"--model v1 must predict some items positive: it predicts none, and its scores go from 0\.\d+ to 0",
        ("--model", "v1=p@60"),
    ),
    (r"--model v2 must predict some items positive", (*V1, "--model", "v2=q@60")),
    ("--model v1 must have a value in every row: 8 of 400 in 'clip' have none", ("--model", "v1=clip@1")),
    ("--helper must be a column of .*: got 'clop', which does not occur", (*V1, "--helper", "clop")),
    ("--helper must be a column of .*: got 'clop'", (*V1, "--helper", "clip=clop")),
    ("--helper must be COLUMN or NAME=COLUMN: got '=clip'", (*V1, "--helper", "=clip")),
    ("--helper must be COLUMN or NAME=COLUMN: got 'clip='", (*V1, "--helper", "clip=")),
    (
        "--helper must have a name of its own each time: got 'clip' twice",
        (*V1, "--helper", "clip", "--helper", "clip=junk"),
    ),
    ("names of --helper must not be 'each' or 'best'", (*V1, "--helper", "best=clip")),
    ("--helper must have a name of its own: 'v1' is a model; write --helper NAME=clip", (*V1, "--helper", "v1=clip")),
    (
        "--helper must have a name of its own: 'model' is a model",
        ("--score", "p", "--threshold", "0.6", "--helper", "model=clip"),
    ),
    ("--helper must be a column of numbers: 'path' holds string", (*V1, "--helper", "path")),
    ("give either --model or --score: got --model and --score", (*V1, "--score", "p")),
    (
        "give either --model or --score: got --model and --threshold, --prediction",
        (*V1, "--threshold", "1", "--prediction", "crow"),
    ),
    ("give either --score or --model: got neither", ()),
    ("for a classifier with many categories, --classes names the columns of scores", ()),
    ("give either --score or --model: got neither", ("--threshold", "0.5")),
    ("--goal must be a model .v1., 'each', 'best', a pair .*: got 'v3'", (*V1, "--goal", "v3")),
    ("--goal must be a model of the pool, one of v1: got 'v3'", (*V1, "--goal", "v1,v3")),
    (
        "--goal must be a model, each, best or BASELINE,CANDIDATE: got 'v1,v2,v3'; name two models",
        (*V1, "--goal", "v1,v2,v3"),
    ),
    ("--goal 'best' needs at least two models", (*V1, "--goal", "best")),
    (
        "--sampler must be 'curve' where a pool has several models or helpers",
        (*V1, "--helper", "clip", "--sampler", "acis"),
    ),
    (
        "--field must not be the score or the prediction, which influence people: 'p' is the score",
        (*V1, "--field", "p"),
    ),
    ("--field must not be .*: 'crow_v2' is the prediction", (*V1, "--model", "v2=q,crow_v2", "--field", "crow_v2")),
    ("--field must not be .*: 'clip' is a score that helps", (*V1, "--helper", "clip", "--field", "clip")),
]


@pytest.mark.parametrize(("message", "arguments"), TYPOS)
def test_start_refuses(message: str, arguments: tuple[str, ...]) -> None:
    """And no store is left behind."""
    refused(message, "start", "new.db", *WITHOUT, *arguments)
    assert not Path("new.db").exists()


def test_a_cell_of_a_helper_that_is_no_number() -> None:
    words = [None if number == 1 else "NA" if number == 4 else str(number) for number in range(ITEMS)]
    pyarrow.csv.write_csv(models_table().append_column("words", arrow.array(words)), "models.csv")
    message = "--helper must be a column of numbers: 1 of 400 in 'words' are not .first in row 5: 'NA'"
    refused(message, "start", "new.db", "--pool", "models.csv", *MODELS[2:], "--helper", "words")


@pytest.mark.slow
def test_rows_that_stay_where_they_are() -> None:
    """The same items and numbers as `open_pool` gives."""
    good("start", "birds.db", *MODELS, "--helper", "clip", "--engine")
    label_everything(2)
    columns = {"score": {"v1": "p", "v2": "q"}, "threshold": {"v1": 0.6}, "prediction": {"v2": "crow_v2"}}
    pool = lowshot.open_pool("models.parquet", id="path", helpers=["clip"], **columns)
    expected = answer(lowshot.Evaluation(pool), 2)
    assert good("table", "birds.db").stdout == f"{expected.table()}\nfrom {expected.labels} labels\n"
    assert "helpers: clip (missing for 8 items" in good("status", "birds.db").stdout


def test_estimates_of_one_of_the_models() -> None:
    good("start", "birds.db", *MODELS)
    label_everything(3)
    memory = answer(lowshot.Evaluation(models_pool()), 3)
    message = "--model must say which model: the evaluation judges v1, v2; `lowshot table` shows all of them"
    refused(message, "estimate", "birds.db")
    refused("--model must be a model of the pool, one of v1, v2: got 'v3'", "estimate", "birds.db", "--model", "v3")
    one = ("estimate", "birds.db", "--model", "v2")
    expected = memory.estimate("recall", model="v2", confidence=0.9)
    assert good(*one, "--metric", "recall", "--confidence", "0.9").stdout == f"{expected}\n"
    interval = memory.estimate(model="v2").interval
    assert interval is not None
    assert invoke(*one, "--at-least", str((interval.high + 1) / 2)).exit_code == 3
    other = memory.estimate(predictions=models_table()["q"].to_numpy() >= 2)
    assert good(*one, "--threshold", "2").stdout == f"{other}\n"
    assert good("estimate", "birds.db", "--score", "q", "--threshold", "2").stdout == f"{other}\n"
    refused(
        "--threshold must come with --model or --score, because the evaluation judges v1, v2",
        "estimate",
        "birds.db",
        "--threshold",
        "2",
    )
    for option, value in (("--score", "q"), ("--predictions", "models.parquet")):
        refused(f"give either --model or {option}: got both", *one, "--threshold", "2", option, value)
    refused("give either --model or --prediction: got both", *one, "--prediction", "crow")
    refused("--model must be a model of the pool.*'v3'", "estimate", "birds.db", "--model", "v3", "--threshold", "2")


def test_a_plan_for_a_verdict() -> None:
    good("start", "birds.db", *MODELS)
    message = "--verdict needs an evaluation with goal BASELINE,CANDIDATE, best or a threshold: its goal is each model"
    refused(message, "plan", "birds.db", "--verdict")
    refused("--margin must come with --verdict: got 0.1 without it", "plan", "birds.db", "--margin", "0.1")
    refused("give either --half-width or --verdict: got both", "plan", "birds.db", "--verdict", "--half-width", "0.1")
    good("start", "birds.db", *MODELS, "--name", "pair", "--goal", "best")
    plan = found("plan", "birds.db", "--name", "pair", "--verdict", "--margin", "0.1")
    assert (plan["half_width"], plan["margin"]) == (None, 0.1)
    refused("--margin must be a number from 0 to 1", "plan", "birds.db", "--name", "pair", "--verdict", "--margin", "2")


def test_a_folder_that_is_moved(here: Path) -> None:
    Path("work").mkdir()
    shutil.move("models.parquet", "work/models.parquet")
    good("start", "work/birds.db", "--pool", "work/models.parquet", *MODELS[2:], "--helper", "clip")
    label_everything(1, "work/birds.db")
    before = good("table", "work/birds.db").stdout
    Path("work").rename("moved")
    assert good("table", "moved/birds.db").stdout == before
    Path("moved/models.parquet").rename("elsewhere.parquet")
    refused("--pool must be an existing file", "table", "moved/birds.db")
    (one,) = found("status", "moved/birds.db")["evaluations"]
    assert "must be an existing file" in one["problem"]
    assert (one["models"], one["goal"], one["table"]) == ([], "each", None)
    assert good("table", "moved/birds.db", "--pool", "elsewhere.parquet").stdout == before


@pytest.mark.slow
def test_labels_that_are_known_already() -> None:
    rows = "".join(f'"{item.replace(chr(34), chr(34) * 2)}",{truth()[item]}\n' for item in IDS[::40])
    Path("known.csv").write_text(f"path,label\n{rows}")
    good("start", "birds.db", *MODELS, "--known", "known.csv", "--known-drawn", "uniform", "--prevalence", "0.05:0.2")
    assert found("status", "birds.db")["evaluations"][0]["known"] == 10
    refused("--recall must be that of the only model", "start", "b.db", *MODELS, "--recall", "0.5:0.9")


def examples() -> list[tuple[str, str]]:
    """The examples of the help that are about several models, with the command."""
    about = re.compile("--model|--helper|--verdict|^lowshot (compare|table|add-model)")
    found = []
    for command in ("start", "estimate", "plan", "compare", "table", "add-model"):
        lines = [line.strip() for line in load(command).epilog.split("\n")]
        found += [(command, line) for line in lines if about.search(line) and not re.search("camera|category", line)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("command", "line"), examples())
def test_an_example_of_the_help_runs(command: str, line: str) -> None:
    """With files that have the columns which it names."""
    names = {"p": "score_v1", "q": "score_v2", "crow_v2": "pred_v2"}
    table = models_table().rename_columns([names.get(name, name) for name in models_table().column_names])
    table = table.append_column("p", table["score_v1"]).append_column("is_crow", table["pred_v2"])
    for file in ("scores", "new"):
        pyarrow.parquet.write_table(table, f"{file}.parquet")
        pyarrow.csv.write_csv(table, f"{file}.csv")
    columns = ("--pool", "scores.parquet", "--id", "path")
    if command == "add-model":
        good("start", "birds.db", *columns, "--score", "p", "--threshold", "0.6")
    elif command != "start":
        good("start", "birds.db", *columns, "--model", "v1=score_v1@0.6", "--model", "v2=score_v2@2", "--goal", "v1,v2")
    program, *arguments = shlex.split(line.partition("&&")[0])
    assert program == "lowshot"
    assert invoke(*arguments).exit_code in (0, 4)
