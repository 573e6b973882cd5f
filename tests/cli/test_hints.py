"""What `lowshot start` says about a pool before labels are spent on it: what labels buy, and what looks wrong."""

from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.parquet
import pytest

import lowshot

from ..helpers import found, good
from .birds import BEGIN, IDS, ITEMS, MODELS, begin, pool_table, truth, write_models

pytestmark = pytest.mark.usefixtures("birds")
QUESTION = ("--question", "A crow?")


def with_column(name: str, values: Any) -> None:
    pyarrow.parquet.write_table(pool_table().append_column(name, arrow.array(values)), "pool.parquet")


def hints(*changes: str) -> list[str]:
    """What `start` says if these options replace others or are added."""
    given = dict(zip(BEGIN[::2], BEGIN[1::2], strict=True)) | dict(zip(changes[::2], changes[1::2], strict=True))
    if "--prediction" in given:
        del given["--threshold"]
    arguments = [part for pair in given.items() for part in pair if pair[1]]
    said: list[str] = found("start", "new.db", *arguments)["hints"]
    return said


def test_a_good_pool_has_no_hints() -> None:
    result = begin(*QUESTION)
    assert result.stderr == ""
    assert hints(*QUESTION) == []


def test_people_need_a_question_and_something_to_see() -> None:
    assert "hint: no --question: people would read 'evaluation' as the question" in begin().stderr
    assert hints("--field", "", *QUESTION) == [
        "no --field: people would judge items by their ids alone; name the columns that they are to see"
    ]


def test_scores_in_per_cent() -> None:
    with_column("percent", 100 * np.array(pool_table()["p"]))
    said = hints("--score", "percent", "--threshold", "0.5", *QUESTION)
    assert said[0].startswith("--threshold 0.5 may be on another scale: the scores go from ")
    assert said[1].endswith(
        "of the items are predicted positive: is --threshold right? lowshot is made for positives that are rare"
    )
    assert hints("--score", "percent", "--threshold", "60", "--name", "b", *QUESTION) == []


def test_scores_that_are_inverted() -> None:
    with_column("inverted", 1 - np.array(pool_table()["p"]))
    (one,) = hints("--score", "inverted", "--prediction", "crow", *QUESTION)
    assert one.startswith("the items that are predicted positive have lower scores than the others")


def test_scores_that_do_not_rank() -> None:
    with_column("flat", np.full(ITEMS, 0.25))
    (one,) = hints("--score", "flat", "--prediction", "crow", *QUESTION)
    assert one.startswith("all 400 items have the score 0.25")


@pytest.mark.parametrize("kind", ["prediction", "score", "known"])
def test_a_field_that_gives_the_answer_away(kind: str) -> None:
    score = np.array(pool_table()["p"])
    values = {
        "prediction": ["crow" if one >= 0.6 else "no crow" for one in score],
        "score": [f"{100 * one:.2f} %".removesuffix(" %") for one in score],
        "known": ["bird of prey" if truth()[item] else "other" for item in IDS],
    }
    with_column("note", values[kind])
    known = arrow.table({"id": IDS[:60], "label": [truth()[item] for item in IDS[:60]]})
    pyarrow.parquet.write_table(known, "known.parquet")
    said = hints("--field", "note", *QUESTION, *(("--known", "known.parquet") if kind == "known" else ()))
    words = {"prediction": "tells people what the model predicts", "score": "tells people the score"}
    assert [one.partition(": ")[0] for one in said] == [
        f"--field 'note' {words.get(kind, 'equals the labels of --known')}"
    ]


def test_the_model_is_named() -> None:
    write_models()
    arguments = list(MODELS)
    arguments[arguments.index("v1=p@0.6")] = "v1=p@0.001"
    said = found("start", "new.db", *arguments, "--field", "title", *QUESTION)["hints"]
    assert [one.split(":")[0] for one in said] == ["v1"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", [(), ("--engine",)])
def test_models_that_predict_the_same(engine: tuple[str, ...]) -> None:
    """Often a slip of the hand; one score with two thresholds is none."""
    write_models()
    arguments = [*MODELS, "--model", "v3=p@0.6", "--model", "v4=p@0.7", "--field", "title", *QUESTION, *engine]
    (said,) = found("start", "new.db", *arguments)["hints"]
    assert said.startswith("v1 and v3 predict the same items positive: no label can tell them apart")


def test_a_pool_whose_rows_stay_where_they_are() -> None:
    pytest.importorskip("ibis")
    with_column("note", ["crow" if one >= 0.6 else "no crow" for one in np.array(pool_table()["p"])])
    said = found("start", "new.db", *BEGIN[:-1], "note", "--engine", *QUESTION)["hints"]
    assert [one.partition(": ")[0] for one in said] == ["--field 'note' tells people what the model predicts"]


# ---- what labels buy -------------------------------------------------------------------------------------------------


def test_what_labels_buy() -> None:
    text = begin(*QUESTION).stdout
    budgets = found("start", "other.db", *BEGIN, *QUESTION)["budgets"]
    assert [one["labels"] for one in budgets] == [50, 100, 300]
    lines = "\n".join(f"  {one['text']}" for one in budgets)
    assert f"forecast from the scores; `lowshot plan` learns from labels):\n{lines}\n" in text
    widths = [one["high"] for one in budgets]
    assert widths == sorted(widths, reverse=True)
    assert all(one["low"] <= one["likely"] <= one["high"] for one in budgets)


@pytest.mark.slow
def test_a_budget_depends_on_no_other_and_does_not_grow_with_labels() -> None:
    """The pool of docs/how-to/large-pools.md: of 20 simulations, some find out late that they have missed positives."""
    random = np.random.default_rng(0)
    truth = random.random(400_000) < 0.002
    scores = (1 / (1 + np.exp(6 - 1.5 * random.normal(size=400_000) - 7 * truth))).round(6)
    evaluation = lowshot.Evaluation(lowshot.Pool(scores, threshold=0.5, levels=256))
    every = evaluation.budgets([20, 50, 100, 130, 165, 300, 600])
    for name in ("low", "likely", "high"):
        widths = [getattr(one, name) for one in every]
        assert widths == sorted(widths, reverse=True)
    for one in every[1::2]:
        assert evaluation.budgets([one.labels]) == (one,)


def test_budgets_that_exist_already_or_cannot_exist_are_left_out() -> None:
    evaluation = lowshot.Evaluation(lowshot.Pool(np.linspace(0, 1, 80), threshold=0.9))
    assert [one.labels for one in evaluation.budgets([10, 50, 80, 300])] == [10, 50]
    evaluation.tell(items := evaluation.ask(10), [1] * len(items))
    assert [one.labels for one in evaluation.budgets([10, 50])] == [50]


@pytest.mark.parametrize("goal", ["best", lowshot.Threshold(recall=0.9, model="v1")])
def test_goals_without_a_width(goal: Any) -> None:
    scores = {"v1": np.linspace(0, 1, 80), "v2": np.linspace(0, 1, 80)[::-1]}
    evaluation = lowshot.Evaluation(lowshot.Pool(scores, threshold=0.9), goal=goal)
    with pytest.raises(lowshot.InputError, match="half-widths are not what this goal is about"):
        evaluation.budgets()


def test_other_samplers_have_a_plan_or_none() -> None:
    assert "Plan: a plan needs an interval" in good("start", "rand.db", *BEGIN, "--sampler", "rand").stdout
    assert found("start", "acis.db", *BEGIN, "--sampler", "acis")["budgets"] == []
