"""When it is enough: what is said for each kind of goal, and how often somebody looks."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lowshot
from lowshot import Evaluation, InputError, Threshold
from lowshot.history import History
from lowshot.labelling.enough import RESTS, Watch, found, watched
from lowshot.testing import simulated

from ..web.classes import birds


def labelled(evaluation: Evaluation, answer: Any, labels: int) -> Evaluation:
    while evaluation.labels < labels:
        items = evaluation.ask(10)
        evaluation.tell(items, answer(evaluation.pool.positions(items)))
    return evaluation


def models(goal: Any) -> Evaluation:
    task = simulated(items=400, positives=60, seed=4)
    pool = lowshot.Pool({"v1": task.pool.scores, "v2": 1 - task.pool.scores}, threshold=0.5)
    return labelled(Evaluation(pool, goal=goal), task.answer, 60)


def test_of_one_model() -> None:
    task = simulated(items=400, positives=60, seed=4)
    evaluation = labelled(Evaluation(task.pool), task.answer, 60)
    estimate = evaluation.estimate()
    assert estimate.interval is not None
    width = estimate.interval.width / 2
    said = f"F1 is {estimate.value:.3f}, 95 % interval {estimate.interval.low:.3f} to {estimate.interval.high:.3f}"
    assert found(evaluation) == (f"{said}, from 60 labels.",)
    assert found(evaluation, 0.3)[1] == f"± {width:.3f} is reached, ± 0.3 was wanted."
    reached, missed = watched(evaluation, width + 1e-6), watched(evaluation, width - 1e-6)
    assert reached is not None
    assert missed is not None
    assert reached.look(evaluation.snapshot()) == found(evaluation, width + 1e-6)
    assert missed.look(evaluation.snapshot()) is None
    assert watched(evaluation) is None, "nothing was wanted"
    with pytest.raises(InputError, match="half_width must be"):
        watched(evaluation, 2)


def test_a_warning_is_said_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval may be too narrow: nobody should stop without knowing."""
    task = simulated(items=400, positives=60, seed=4)
    evaluation = labelled(Evaluation(task.pool), task.answer, 10)
    doubtful = replace(evaluation.estimate(), warning="the scores mislead")
    monkeypatch.setattr(Evaluation, "estimate", lambda self: doubtful)
    assert found(evaluation)[-1] == "Careful: the scores mislead."


def test_of_several_models() -> None:
    pair, best, each = models(("v1", "v2")), models("best"), models("each")
    assert found(pair)[0].startswith("v2 is worse than v1: ")
    assert found(best)[0].startswith("v1 is the best of 2 models with probability ")
    assert [line.partition(":")[0] for line in found(each)[:2]] == ["v1", "v2"]
    assert found(each)[0].startswith("v1: F1 is 0.")
    assert watched(each) is None
    for evaluation in (pair, best):
        watch = watched(evaluation)
        assert watch is not None, "a verdict is wanted, whatever the width"
        assert watch.look(evaluation.snapshot()) == found(evaluation)


def test_of_a_threshold() -> None:
    task = simulated(items=400, positives=60, seed=4)
    evaluation = labelled(Evaluation(task.pool, goal=Threshold(recall=0.5)), task.answer, 100)
    watch = watched(evaluation)
    assert watch is not None
    assert evaluation.choose_threshold().certified
    said = watch.look(evaluation.snapshot())
    assert said is not None
    assert "\n".join(said) == str(evaluation.choose_threshold())
    assert watched(Evaluation(task.pool, goal=Threshold(maximise="f1"))) is None, "no target"


@pytest.mark.parametrize(
    ("goal", "begins"), [(None, "Macro F1 is "), (["heron", "crow"], "heron: F1 is "), ("each", "heron: F1 is ")]
)
def test_of_classes(tmp_path: Path, goal: Any, begins: str) -> None:
    evaluation, _ = birds(tmp_path, labels=40, goal=goal)
    said = found(evaluation)
    assert said[0].startswith(begins)
    assert said[8:9] == (("And 4 more.",) if goal == "each" else ())


def test_a_look_that_takes_long_is_followed_by_a_rest() -> None:
    """In 20 times as long as a look takes there is no other one, however many answers come."""
    time = [0.0]

    def reached(history: History) -> bool:
        time[0] += 2.0
        return False

    evaluation = Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    watch = Watch(reached, lambda history: (), clock=lambda: time[0])
    assert not watch.due(0), "nothing was answered"
    evaluation.tell(evaluation.ask(1), [1])
    assert watch.due(1)
    watch.look(evaluation.snapshot())
    evaluation.tell(evaluation.ask(1), [1])
    assert not watch.due(2)
    time[0] += 2.0 * RESTS
    assert not watch.due(1), "nothing has changed"
    assert watch.due(2)
