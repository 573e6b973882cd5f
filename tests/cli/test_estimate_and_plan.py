"""`lowshot estimate` and `lowshot plan`: other metrics, models and thresholds; the exit codes of --at-least."""

import json

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot
from lowshot.cli.estimate import verdict
from lowshot.cli.gate import Verdict
from lowshot.result import Estimate, Reach

from ..helpers import found, good, invoke, refused
from .birds import IDS, ITEMS, begin, label_everything, pool_table

pytestmark = pytest.mark.usefixtures("birds")


def test_other_metrics_models_and_thresholds() -> None:
    begin()
    label_everything()
    table = pool_table()
    evaluation = lowshot.Evaluation(lowshot.Pool(table["p"], threshold=0.6, ids=IDS), store="birds.db")
    recall = evaluation.estimate("recall", confidence=0.9)
    assert good("estimate", "birds.db", "--metric", "recall", "--confidence", "0.9").stdout == f"{recall}\n"
    other = evaluation.estimate(predictions=table["other"])
    shuffled = table.take(np.random.default_rng(1).permutation(ITEMS)).rename_columns(
        ["name", "q", "title", "crow", "mine", "weight"]
    )
    pyarrow.parquet.write_table(shuffled, "other.parquet")
    pyarrow.csv.write_csv(shuffled, "other.csv")
    for arguments in (
        ("--threshold", "0.4"),
        ("--prediction", "other"),
        ("--predictions", "other.parquet", "--id", "name", "--prediction", "mine"),
        ("--predictions", "other.csv", "--id", "name", "--prediction", "mine"),
        ("--predictions", "other.csv", "--id", "name", "--score", "q", "--threshold", "0.4"),
    ):
        assert good("estimate", "birds.db", *arguments).stdout == f"{other}\n", arguments
    file = ("estimate", "birds.db", "--predictions", "other.csv")
    refused("give either --threshold or --prediction: got neither", *file)
    nowhere = ("estimate", "birds.db", "--predictions", "nowhere.csv", "--prediction", "mine")
    refused("--predictions must be an existing file: nowhere.csv does not exist", *nowhere)
    refused("--id must be a column of other.csv, one of name, q,", *file, "--prediction", "mine")
    refused("--score and --id must come with", "estimate", "birds.db", "--score", "p")
    refused("confidence must be a number", "estimate", "birds.db", "--confidence", "2")
    refused("metric must be one of", "estimate", "birds.db", "--metric", "accuracy")
    pyarrow.parquet.write_table(table.slice(1), "less.parquet")
    less = ("--predictions", "less.parquet", "--prediction", "other")
    refused("must hold every item of the pool: 1 of 400 are missing", "estimate", "birds.db", *less)


def test_another_model_by_position() -> None:
    good("start", "birds.db", "--pool", "pool.parquet", "--score", "p", "--threshold", "0.6")
    before = found("estimate", "birds.db", "--threshold", "0.4", "--metric", "tp")
    assert before["labels"] == 0
    pyarrow.parquet.write_table(pool_table().slice(1), "less.parquet")
    less = ("--predictions", "less.parquet", "--prediction", "other")
    refused("predictions must be one for each item: got 399 for 400", "estimate", "birds.db", *less)


def test_the_gate() -> None:
    begin()
    undecided = invoke("estimate", "birds.db", "--at-least", "0.8")
    assert undecided.exit_code == 4
    assert "undecided: f1 may be below 0.8 or not; label more items\n" in undecided.stdout
    label_everything(3)
    now = found("estimate", "birds.db")
    assert 0 < now["low"] < now["high"] < 1
    for limit, code, word in ((now["low"], 0, "reached"), (now["high"] + 0.001, 3, "missed"), (now["value"], 4, "und")):
        result = invoke("estimate", "birds.db", "--at-least", str(limit))
        assert result.exit_code == code
        assert result.stdout.split("\n")[1].startswith(word)
        plain = invoke("estimate", "birds.db", "--at-least", str(limit), "--json")
        assert plain.exit_code == code
        assert json.loads(plain.stdout)["verdict"].startswith(word)
    refused("--at-least must be a finite number", "estimate", "birds.db", "--at-least", "nan")


def test_the_gate_at_its_edges() -> None:
    def estimate(low: float, high: float) -> Estimate:
        return Estimate("f1", 0.5, 0.01, lowshot.Interval(low, high), 30, Reach(600, 600))

    assert verdict(estimate(0.8, 0.9), 0.8) is Verdict.REACHED
    assert verdict(estimate(0.7, 0.8), 0.8) is Verdict.UNDECIDED
    assert verdict(estimate(0.7, 0.79), 0.8) is Verdict.MISSED


def test_a_warning_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    label_everything(1)
    monkeypatch.setattr("lowshot.sampler.curve.warning", lambda *_: "positives lie far down")
    assert "careful: positives lie far down" in good("estimate", "birds.db").stdout
    assert found("estimate", "birds.db")["warning"] == "positives lie far down"


def test_plan() -> None:
    begin()
    plan = found("plan", "birds.db", "--half-width", "0.2")
    assert plan["low"] <= plan["likely"] <= plan["high"]
    assert plan["half_width"] == 0.2
    refused("--half-width must be a number", "plan", "birds.db", "--half-width", "7")
