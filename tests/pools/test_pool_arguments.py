"""Columns that cannot be a pool: the error says which one, what is needed and what came."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lowshot import Evaluation, InputError, Pool

from ..small_evaluations import (
    SCORES,
    SIZE,
    pool_of,
    refused,
)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
@pytest.mark.parametrize(
    "column",
    [list, np.array, lambda v: np.array(v, dtype=np.float32), pd.Series, lambda v: pd.Series(v, dtype="Float64")],
    ids=["list", "numpy", "float32", "pandas", "pandas nullable"],
)
def test_scores_must_be_finite(column: Callable[[Any], Any], bad: float | None) -> None:
    with pytest.raises(InputError, match=r"scores must be finite: 1 of 4 are not \(first at position 2: -?(nan|inf)\)"):
        Pool(column([0.9, 0.8, bad, 0.1]), threshold=0.5)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], "scores must hold at least one item.*empty"),
        (np.empty(0), "scores must hold at least one item.*empty"),
        (0.5, r"scores must be one column: got shape \(\)"),
        (None, "scores must be"),
        ([[0.5, 0.1], [0.3, 0.2]], r"scores must be one column: got shape \(2, 2\)"),
        ([[0.5], [0.3, 0.2]], "scores must be"),
        (["high", "low"], "scores must be numbers.*high"),
        ([1j, 0.5], "scores must be numbers.*complex"),
    ],
)
def test_scores_must_be_a_column_of_numbers(scores: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(scores, threshold=0.5)


@pytest.mark.parametrize("wrong", [SIZE - 1, SIZE + 1, 0])
@pytest.mark.parametrize("name", ["predictions", "ids", "weights", "features"])
def test_columns_must_be_as_long_as_the_scores(name: str, wrong: int) -> None:
    columns: dict[str, Any] = {
        "predictions": [0, 1] * SIZE,
        "ids": list(range(2 * SIZE)),
        "weights": [1.0] * 2 * SIZE,
        "features": np.ones((2 * SIZE, 2)),
    }
    columns = {name: columns[name][:wrong]}
    with pytest.raises(InputError, match=f"{name} must be one for each item: got {wrong} for {SIZE}"):
        Pool(SCORES, **({"threshold": 0.5} | columns if name != "predictions" else columns))


@pytest.mark.parametrize("bad", [2, -1, 0.5, math.nan, None, "yes"])
def test_predictions_must_be_0_or_1(bad: Any) -> None:
    predictions = [1, bad, 0, 0]
    with pytest.raises(InputError, match=r"predictions must be 0 or 1: (1 of 4 .*position 1|.*yes.*; use threshold=)"):
        Pool(SCORES[:4], predictions)
    evaluation = Evaluation(pool_of(SCORES[:4]))
    with refused(evaluation, "predictions must be"):
        evaluation.estimate(predictions=predictions)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", "b", "a", "c"], r"ids must be distinct: 1 of 4 repeat another \(for example 'a'\)"),
        ([7, 7, 7, 8], r"ids must be distinct: 2 of 4 repeat another \(for example 7\)"),
        (np.array([7, 7, 1, 2]), "ids must be distinct.*7"),
        (["a", 1, "b", 2], "ids must be all strings or all integers: got int, str"),
        (["a", None, "b", "c"], "ids must be all strings or all integers: got NoneType, str"),
        ([0.0, 1.0, 2.0, 3.0], "ids must be all strings or all integers: got float"),
        ([True, False, 2, 3], "ids must be all strings or all integers: got bool"),
        ([[0], [1], [2], [3]], "ids must be"),
        (5, "ids must be"),
    ],
)
def test_ids_must_be_distinct_strings_or_integers(ids: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(SCORES[:4], threshold=0.5, ids=ids)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either predictions or threshold: got neither"),
        ({"predictions": [1] * SIZE, "threshold": 0.5}, "either predictions or threshold: got both"),
        ({"threshold": math.nan}, "threshold must be a finite number: got nan"),
        ({"threshold": math.inf}, "threshold must be a finite number: got inf"),
        ({"threshold": "0.5"}, "threshold must be a finite number: got '0.5'"),
        ({"threshold": [0.5]}, "threshold must be a finite number"),
    ],
)
def test_predictions_or_a_threshold(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(SCORES, **options)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"weights": [1, 1, 0, 1]}, r"weights must be positive: 1 of 4 are not \(first at position 2: 0.0\)"),
        ({"weights": [1, -2, 1, -1]}, r"weights must be positive: 2 of 4 are not \(first at position 1: -2.0\)"),
        ({"weights": [1, 1, 1, math.nan]}, "weights must be finite: 1 of 4.*position 3"),
        ({"weights": ["heavy"] * 4}, "weights must be numbers.*heavy"),
        ({"features": [1, 2, 3, 4]}, r"features must be numbers in two dimensions.*got shape \(4,\)"),
        ({"features": [["a"], ["b"], ["c"], ["d"]]}, "features must be numbers"),
        ({"features": [[1], [2, 3], [4], [5]]}, "features must be"),
        ({"features": [[1], [math.inf], [3], [4]]}, "features must be finite: 1 row.*position 1"),
        ({"scale": "percent"}, "scale must be one of probability, log, logit: got 'percent'"),
    ],
)
def test_weights_features_and_scale(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(SCORES[:4], threshold=0.5, **columns)


def test_weights_of_any_size_are_shares() -> None:
    """p is proportional to the weights, also where their sum is beyond a float."""
    assert Pool([0.9, 0.1], threshold=0.5, weights=[1e308, 1e308]).view().p(np.arange(2)).tolist() == [0.5, 0.5]
