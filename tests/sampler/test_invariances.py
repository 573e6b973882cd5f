"""Properties that hold for every pool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowshot import Evaluation, FBeta, Pool, samplers
from lowshot.testing import Task, finish, simulated

QUIET = settings(derandomize=True, deadline=None, max_examples=25)
tasks = st.builds(
    simulated,
    items=st.integers(40, 300),
    positives=st.integers(1, 30),
    seed=st.integers(0, 10**6),
    separation=st.floats(0, 5),
    strays=st.integers(1, 5),
    ties=st.booleans(),
)


def draws(evaluation: Evaluation) -> list[list[int]]:
    return [round_["items"] for round_ in evaluation.history["rounds"]]


@QUIET
@given(task=tasks, sampler=st.sampled_from(["acis", "acis_last", "iso", "topk", "rand"]), data=st.data())
def test_a_strictly_increasing_change_of_scores_changes_nothing(task: Task, sampler: str, data: st.DataObject) -> None:
    """The distinct scores are replaced by any other numbers in the same order."""
    distinct, place = np.unique(task.columns["scores"], return_inverse=True)
    steps = data.draw(st.lists(st.floats(1e-6, 1e6), min_size=len(distinct), max_size=len(distinct)))
    moved = np.cumsum(steps)[place]
    one = finish(Evaluation(task.pool, sampler=sampler), task.labels, 40)
    two = finish(Evaluation(Pool(moved, task.columns["predictions"]), sampler=sampler), task.labels, 40)
    assert draws(one) == draws(two)
    assert repr(one.estimate()) == repr(two.estimate())


@QUIET
@given(task=tasks, sampler=st.sampled_from(list(samplers)), alpha=st.floats(0, 1), budget=st.integers(1, 80))
def test_estimates_stay_in_range(task: Task, sampler: str, alpha: float, budget: int) -> None:
    estimate = finish(Evaluation(task.pool, alpha=alpha, sampler=sampler), task.labels, budget).estimate()
    if not estimate.defined:
        assert estimate.reason
        return
    assert 0 <= estimate.value <= 1
    if estimate.interval is not None:
        assert 0 <= estimate.interval.low <= estimate.value <= estimate.interval.high <= 1


@QUIET
@given(task=tasks, budget=st.integers(1, 60), chunk=st.integers(1, 9))
def test_asking_in_small_steps_draws_the_same_items(task: Task, budget: int, chunk: int) -> None:
    at_once = finish(Evaluation(task.pool), task.labels, budget)
    stepwise = Evaluation(task.pool)
    while stepwise.labels < budget and (items := stepwise.ask(min(chunk, budget - stepwise.labels))):
        stepwise.tell(items, task.labels[items])
    assert at_once.history["labels"].keys() == stepwise.history["labels"].keys()
    assert repr(at_once.estimate()) == repr(stepwise.estimate())


@QUIET
@given(task=tasks, sampler=st.sampled_from(["acis", "sawade", "rand"]), data=st.data())
def test_weights_reproduce_each_round_with_scikit_learn(task: Task, sampler: str, data: st.DataObject) -> None:
    from sklearn.metrics import f1_score

    evaluation = finish(Evaluation(task.pool, sampler=sampler), task.labels, data.draw(st.integers(2, 60)))
    for number, round_ in enumerate(evaluation.estimate().rounds, start=1):
        if round_.draws == 0 or round_.variance == 0:
            continue
        weighted = evaluation.weights(number)
        assert (weighted.weights > 0).all()
        score = f1_score(weighted.labels, weighted.predictions, sample_weight=weighted.weights, zero_division=np.nan)
        assert score == pytest.approx(round_.value, abs=1e-12, nan_ok=True)


@QUIET
@given(task=tasks, factor=st.floats(0.1, 100))
def test_equal_weights_are_no_weights(task: Task, factor: float) -> None:
    plain = finish(Evaluation(task.pool), task.labels, 40)
    weighted = finish(Evaluation(Pool(**task.columns, weights=np.full(len(task.labels), factor))), task.labels, 40)
    assert draws(plain) == draws(weighted)
    assert weighted.estimate().value == pytest.approx(plain.estimate().value, abs=1e-9, nan_ok=True)


@QUIET
@given(task=tasks, beta=st.floats(0.1, 4))
def test_a_metric_asked_for_later_equals_one_asked_for_first(task: Task, beta: float) -> None:
    """On the same draws: the metric of an evaluation only steers the draws."""
    evaluation = finish(Evaluation(task.pool, metric=FBeta(beta)), task.labels, 30)
    assert repr(evaluation.estimate(FBeta(beta))) == repr(evaluation.estimate())
