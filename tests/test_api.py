"""The loop in one call, `lowshot.estimate`, and `lowshot.finite_pool_variance`."""

from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import InputError

from .small_evaluations import SCORES, SIZE, TOP, TRUTH, every_sampler, exact


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": SIZE + 1}, f"budget must be at most the number of items: got {SIZE + 1} for a pool of {SIZE}"),
        ({"budget": 0}, "budget must be a whole number at least 1: got 0"),
        ({"budget": 2.5}, "budget must be a whole number at least 1: got 2.5"),
        ({"budget": 3, "metric": "accuracy"}, "metric must be one of"),
        ({"budget": 3, "sampler": "acid"}, "sampler must be one of"),
        ({"budget": 3, "settings": {"epsilom": 1}}, "settings of sampler 'acis'.*'epsilom'"),
        ({"budget": 3, "predictions": [1] * SIZE}, "either predictions or threshold: got both"),
        ({"budget": 3, "ids": [0] * SIZE}, "ids must be distinct"),
    ],
)
def test_the_loop_in_one_call_asks_nobody_on_bad_input(options: dict[str, Any], message: str) -> None:
    def oracle(ids: list[Any]) -> list[int]:
        raise AssertionError(f"asked for {ids}")

    with pytest.raises(InputError, match=message):
        lowshot.estimate(SCORES, oracle=oracle, threshold=0.5, **{"sampler": "acis", **options})


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (None, "oracle must be a function.*got None"),
        ([1, 0], r"oracle must be a function.*got \[1, 0\]"),
        (lambda ids: [1], "labels must be one for each item: got 1 labels"),
        (lambda ids: None, "labels must be"),
        (lambda ids: ["perhaps" for _ in ids], "labels must be 0, 1 or None.*'perhaps'"),
    ],
)
def test_the_oracle_must_answer(oracle: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lowshot.estimate(SCORES, oracle=oracle, budget=3, threshold=0.5)


@pytest.mark.parametrize(
    ("labels", "predictions", "metric", "message"),
    [
        ([1, 0], [1], "f1", "predictions must be one for each.*: got 1 for 2"),
        ([1, 2], [1, 0], "f1", r"labels must be 0 or 1: 1 of 2 are not \(first at position 1: 2\)"),
        ([1, 0], [1, 0.5], "f1", "predictions must be 0 or 1"),
        ([1, 0], [1, 0], "tp", "metric must be of the F family"),
    ],
)
def test_finite_pool_variance_of_what_is_no_labelled_set(
    labels: Any, predictions: Any, metric: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        lowshot.finite_pool_variance(labels, predictions, metric)


@every_sampler
def test_the_loop_in_one_call_with_budget_equal_to_the_pool(sampler: str) -> None:
    asked: list[Any] = []

    def oracle(ids: list[Any]) -> list[int]:
        asked.extend(ids)
        return [TRUTH[item] for item in ids]

    columns = {"features": np.eye(SIZE), "scale": "probability"}
    answer = lowshot.estimate(SCORES, TOP, oracle, budget=SIZE, sampler=sampler, **columns)
    assert sorted(asked) == list(range(SIZE))
    assert answer.value == pytest.approx(exact(TRUTH, TOP))
    assert answer.labels == SIZE


@pytest.mark.parametrize("metric", ["f1", "precision", "recall"])
def test_no_predicted_positives_in_one_call(metric: str) -> None:
    def oracle(ids: list[Any]) -> list[int]:
        raise AssertionError(f"asked for {ids}")

    answer = lowshot.estimate(SCORES, [0] * SIZE, oracle, budget=5, metric=metric)
    assert "no item is predicted positive" in answer.reason
    assert answer.labels == 0
