"""Every sampler where no item is predicted positive, by the model or by another one."""

import math

import pytest

from lowshot import Evaluation

from ..small_evaluations import (
    SIZE,
    TRUTH,
    every_sampler,
    pool_of,
    state,
    under_way,
)


@every_sampler
def test_no_predicted_positives(sampler: str) -> None:
    evaluation = Evaluation(pool_of(threshold=2), sampler=sampler)
    assert evaluation.ask(5) == []
    assert "no item is predicted positive" in evaluation.reason
    for metric in ("f1", "f2", "recall"):
        answer = evaluation.estimate(metric)
        assert answer.value == 0
        assert f"no item is predicted positive: {metric} is exactly 0 if any positive exists" in answer.reason
        assert "no item is predicted positive" in str(answer)
    assert evaluation.history["rounds"] == []
    assert evaluation.labels == 0


def test_no_precision_without_predicted_positives() -> None:
    answer = Evaluation(pool_of(threshold=2), "precision").estimate()
    assert math.isnan(answer.value)
    assert "no item is predicted positive: precision does not exist" in answer.reason


@pytest.mark.parametrize(("metric", "value"), [("tp", 0), ("fp", 0), ("fn", 5), ("prevalence", 5 / 12)])
def test_amounts_without_predicted_positives(metric: str, value: float) -> None:
    """tp and fp are 0 whatever the labels; fn and prevalence are known once every label is."""
    pool = pool_of(threshold=2)
    if value == 0:
        assert Evaluation(pool).estimate(metric).value == 0
    known = Evaluation(pool, known=dict(enumerate(TRUTH)))
    assert known.estimate(metric).value == pytest.approx(value)


@every_sampler
def test_prevalence_does_not_depend_on_predictions(sampler: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    items = evaluation.ask(6)
    evaluation.tell(items, [TRUTH[item] for item in items])
    own = evaluation.estimate("prevalence")
    none = evaluation.estimate("prevalence", predictions=[0] * SIZE)
    assert own.defined
    assert none.defined
    if sampler not in ("curve", "gmm"):  # their models know the predictions
        assert none.value == pytest.approx(own.value)


@every_sampler
def test_another_model_without_predicted_positives(sampler: str) -> None:
    evaluation = under_way(sampler=sampler)
    before = state(evaluation)
    assert evaluation.estimate(predictions=[0] * SIZE).value == 0
    assert math.isnan(evaluation.estimate("precision", predictions=[0] * SIZE).value)
    assert state(evaluation) == before
