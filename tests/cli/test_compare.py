"""`lowshot compare`: which models it compares, and the exit codes of --require."""

import json
from pathlib import Path

import pytest

from lowshot import Interval
from lowshot.cli.compare import Require, required
from lowshot.cli.gate import Verdict
from lowshot.result import Comparison

from ..helpers import found, good, invoke, refused
from .birds import MODELS, label_everything, write_models


@pytest.fixture(autouse=True)
def _models(here: Path) -> None:
    write_models()


@pytest.mark.slow
def test_the_gate() -> None:
    good("start", "birds.db", *MODELS, "--goal", "v1,v2")
    for require in Require:
        undecided = invoke("compare", "birds.db", "--require", require.value)
        assert undecided.exit_code == 4
        assert undecided.stdout.split("\n")[1].startswith("undecided: v2 may be")
        assert "next: `lowshot label`" in undecided.stderr
    assert invoke("compare", "birds.db").exit_code == 0
    label_everything(4)
    now = found("compare", "birds.db")
    assert 0 < now["low"] < now["high"] < 1
    assert (now["baseline"], now["candidate"], now["verdict"]) == ("v1", "v2", "better")
    for arguments, code, word in (
        (("v1", "v2", "--require", "better"), 0, "reached: v2 is better than v1"),
        (("v2", "v1", "--require", "better"), 3, "missed: v1 is not better than v2"),
        (
            ("v1", "v2", "--require", "better", "--margin", "0.9"),
            3,
            "missed: v2 is not better than v1 by more than 0.9",
        ),
        (("--require", "better", "--margin", str(now["value"])), 4, "undecided: v2 may be better than v1 by more than"),
        (("--require", "not-worse"), 0, "reached: v2 is not worse than v1"),
        (("v2", "v1", "--require", "not-worse"), 3, "missed: v1 is worse than v2"),
        (
            ("v2", "v1", "--require", "not-worse", "--margin", "0.9"),
            0,
            "reached: v1 is not worse than v2 by more than 0.9",
        ),
        (
            ("v2", "v1", "--require", "not-worse", "--margin", str(now["value"])),
            4,
            "undecided: v1 may be worse than v2",
        ),
    ):
        result = invoke("compare", "birds.db", *arguments)
        assert result.exit_code == code, arguments
        assert result.stdout.split("\n")[1].startswith(word), arguments
        plain = invoke("compare", "birds.db", *arguments, "--json")
        assert plain.exit_code == code
        assert word.startswith(json.loads(plain.stdout)["required"])


def comparison(low: float, high: float, margin: float) -> Comparison:
    return Comparison("v1", "v2", "f1", (low + high) / 2, Interval(low, high), 0.5, margin, 70)


@pytest.mark.parametrize(
    ("low", "high", "margin", "better", "not_worse"),
    [
        (0.01, 0.1, 0.0, Verdict.REACHED, Verdict.REACHED),
        (0.0, 0.1, 0.0, Verdict.UNDECIDED, Verdict.REACHED),
        (-0.1, -0.01, 0.0, Verdict.MISSED, Verdict.MISSED),
        (0.0, 0.0, 0.0, Verdict.MISSED, Verdict.REACHED),  # the same predictions
        (-0.01, 0.1, 0.02, Verdict.UNDECIDED, Verdict.REACHED),
        (-0.02, 0.1, 0.02, Verdict.UNDECIDED, Verdict.REACHED),
        (-0.01, 0.01, 0.02, Verdict.MISSED, Verdict.REACHED),
        (-0.1, -0.01, 0.02, Verdict.MISSED, Verdict.UNDECIDED),
        (-0.1, -0.03, 0.02, Verdict.MISSED, Verdict.MISSED),
    ],
)
def test_the_gate_at_its_edges(low: float, high: float, margin: float, better: Verdict, not_worse: Verdict) -> None:
    found = comparison(low, high, margin)
    assert (required(found, Require.BETTER), required(found, Require.NOT_WORSE)) == (better, not_worse)


def test_models_with_the_same_predictions_are_tied_at_once() -> None:
    same = ("--model", "v1=p@0.6", "--model", "v2=p,crow")
    good("start", "birds.db", *MODELS[:4], *same)
    assert good("compare", "birds.db", "v1", "v2", "--require", "not-worse").stdout.startswith("v2 and v1 are tied")
    assert invoke("compare", "birds.db", "v1", "v2", "--require", "better").exit_code == 3


def test_which_models() -> None:
    good("start", "birds.db", *MODELS)
    message = "BASELINE and CANDIDATE must be given, because the goal is each model: got neither; name two of v1, v2"
    refused(message, "compare", "birds.db")
    refused("CANDIDATE must come with BASELINE: got 'v1' alone; name two of v1, v2", "compare", "birds.db", "v1")
    refused("candidate must be a model of the pool, one of v1, v2: got 'v3'", "compare", "birds.db", "v1", "v3")
    refused("candidate must be another model than the baseline: got 'v1'", "compare", "birds.db", "v1", "v1")
    refused("--margin must be a number from 0 to 1", "compare", "birds.db", "v1", "v2", "--margin", "-1")
    refused("--confidence must be a number", "compare", "birds.db", "v1", "v2", "--confidence", "2")
    refused("models are compared by a metric of the F family", "compare", "birds.db", "v1", "v2", "--metric", "tp")
    assert invoke("compare", "birds.db", "v1", "v2", "--require", "best").exit_code == 2


def test_one_model_has_a_table_and_no_comparison() -> None:
    good("start", "birds.db", *MODELS[:4], "--score", "p", "--threshold", "0.6")
    assert found("table", "birds.db")["rows"][0]["best"] == 1
    refused("compare needs two models: this evaluation has one, model; add another with", "compare", "birds.db")
