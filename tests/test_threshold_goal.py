"""Evaluations whose goal is a threshold: what is refused at the beginning, when to stop, and plans."""

from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import Evaluation, InputError, Pool, Threshold
from lowshot.core.types import Flags, Floats
from lowshot.tasks import finish


def ranked(items: int = 3000, seed: int = 0) -> tuple[Floats, Flags]:
    random = np.random.default_rng(seed)
    truth = random.random(items) < 0.03
    return random.normal(size=items) + 4 * truth, truth


def labelled(goal: Threshold, labels: int) -> Evaluation:
    scores, truth = ranked()
    return finish(Evaluation(Pool(scores, threshold=2.0), goal=goal), truth, labels)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"metric": "precision"},
            r"goal Threshold\(recall=0.9\) needs labels of items that are not predicted positive",
        ),
        ({"alpha": 1.0}, r"and metric 'f\(alpha=1\)' needs none: leave out metric"),
        ({"sampler": "acis"}, "sampler must be 'curve' where the goal is a threshold, because .*: got 'acis'"),
        ({"sampler": "topk"}, "sampler must be 'curve' where the goal is a threshold"),
    ],
)
def test_goals_that_contradict_the_rest(arguments: dict[str, Any], message: str) -> None:
    pool = Pool(ranked()[0], threshold=2.0)
    with pytest.raises(InputError, match=message):
        Evaluation(pool, goal=Threshold(recall=0.9), **arguments)
    for metric in ("f1", "recall", "f0.5"):
        assert Evaluation(pool, metric, goal=Threshold(recall=0.9)).ask(3)


def test_a_threshold_needs_a_first_guess() -> None:
    message = (
        "pool must predict some items positive, as a first guess .* it predicts none; give threshold= .* from 0.1 to"
    )
    with pytest.raises(InputError, match=message):
        Evaluation(Pool([0.1, 0.2, 0.9], threshold=2.0), goal=Threshold(recall=0.9))
    several = Pool({"v1": [0.1, 0.2, 0.9], "v2": [0.1, 0.2, 0.9]}, threshold={"v1": 0.5, "v2": 2.0})
    with pytest.raises(InputError, match=message):
        Evaluation(several, goal=Threshold(recall=0.9, model="v2"))
    assert Evaluation(several, goal=Threshold(recall=0.9, model="v1")).ask()


def test_a_threshold_needs_scores() -> None:
    scores, truth = ranked()
    pool = Pool(scores, threshold=2.0).with_model("v2", predictions=truth)
    with pytest.raises(
        InputError, match="goal must be a threshold of a model with a score: this one has predictions only"
    ):
        Evaluation(pool, goal=Threshold(recall=0.9, model="v2"))
    assert Evaluation(pool, goal=Threshold(recall=0.9, model="model")).ask()


def test_labelling_stops_when_the_threshold_is_certified() -> None:
    goal = Threshold(precision=0.9, confidence=0.9, reading="bare")
    evaluation, looks = Evaluation(Pool(ranked()[0], threshold=2.0), goal=goal), []
    truth = ranked()[1]
    while not evaluation.stop_when(verdict=True):
        looks.append(evaluation.choose_threshold().certified)
        finish(evaluation, truth, evaluation.labels + 10)
        assert evaluation.labels < 300
    assert looks
    assert not any(looks)
    assert evaluation.choose_threshold().certified
    assert str(evaluation.plan(verdict=True)) == f"{evaluation.labels} labels are enough for a certified threshold"


def test_the_confidence_is_that_of_the_goal_unless_given() -> None:
    evaluation = labelled(Threshold(precision=0.9, confidence=0.8, reading="bare"), 60)
    for confidence in (None, 0.8, 0.9, 0.99, 0.9999):
        choice = evaluation.choose_threshold(confidence=confidence)
        assert evaluation.stop_when(verdict=True, confidence=confidence) == choice.certified
    assert evaluation.stop_when(verdict=True)
    assert not evaluation.stop_when(verdict=True, confidence=0.9999)


def test_a_plan_is_from_what_is_missing() -> None:
    evaluation = labelled(Threshold(recall=0.9, precision=0.3, reading="bare"), 60)
    choice = evaluation.choose_threshold()
    assert choice.more is not None
    plan = evaluation.plan(verdict=True)
    assert (plan.likely, plan.labels) == (min(60 + choice.more, plan.most), 60)
    assert plan.low <= plan.likely <= plan.high
    assert evaluation.plan(0.1).half_width == 0.1, "other plans are those of the estimate"


def test_plans_that_cannot_be_made() -> None:
    for goal, labels, message in (
        (Threshold(recall=0.9), 0, "cannot be told yet: no labels yet"),
        (Threshold(maximise="f1"), 60, "cannot be told yet: f1 is maximised: there is no target"),
    ):
        evaluation = labelled(goal, labels)
        assert not evaluation.stop_when(verdict=True)
        with pytest.raises(InputError, match=message):
            evaluation.plan(verdict=True)
        with pytest.raises(InputError, match=r"margin must be left out where the goal is a threshold: got 0\.1"):
            evaluation.plan(verdict=True, margin=0.1)
        with pytest.raises(InputError, match="give either half_width or verdict"):
            evaluation.stop_when(0.1, verdict=True)
    with pytest.raises(
        InputError, match=r"a verdict needs goal \(baseline, candidate\), 'best' or a threshold: the goal"
    ):
        Evaluation(evaluation.pool).stop_when(verdict=True)


def test_goals_are_plain_data_in_a_history() -> None:
    goal = Threshold(recall=0.9, confidence=0.8)
    header = labelled(goal, 0).history["header"]
    assert Threshold(**header["settings"]["goal"]) == goal
    assert lowshot.Threshold.of(goal.to_dict()) == goal
