"""The same pool, seed and labels give the same items, estimates and fingerprint, wherever the rows are."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lowshot import Evaluation, Pool
from lowshot.checks import Id
from lowshot.testing import finish, simulated

from .places import ENGINES, Place, table
from .rows import numbers, texts

SAMPLERS = ["acis", "curve", "rand", "sawade", "topk", "iso", "platt", "gmm"]
ITEMS, HEAD, LEVELS = 1500, 100, 16
Draws = list[tuple[list[Id], list[float]]]


def rows_and_labels(names: str) -> tuple[pa.Table, dict[Id, int]]:
    task = simulated(items=ITEMS, positives=60, seed=8)
    ids: list[Any] = numbers(ITEMS) if names == "integer" else texts(ITEMS)
    rows = table(ids, task.pool.scores, task.pool.predictions)
    return rows, dict(zip(ids, task.labels.astype(int).tolist(), strict=True))


def in_memory(rows: pa.Table) -> Pool:
    """The definition."""
    scores, predictions = rows["score"].to_numpy(), rows["predicted"].to_numpy(zero_copy_only=False)
    return Pool(scores, predictions, ids=rows["id"].to_pylist(), scale="probability", levels=LEVELS, head=HEAD)


def draws(evaluation: Evaluation) -> Draws:
    return [(round_["items"], round_["probabilities"]) for round_ in evaluation.history["rounds"]]


@pytest.mark.parametrize("place", ENGINES, indirect=True)
@pytest.mark.parametrize("names", ["integer", "text"])
def test_every_sampler_draws_and_says_the_same(place: Place, names: str) -> None:
    rows, labels = rows_and_labels(names)
    pool = place.open(rows, prediction="predicted", scale="probability", levels=LEVELS, head=HEAD)
    for sampler in SAMPLERS:
        here = finish(Evaluation(in_memory(rows), sampler=sampler, seed=3), labels, 80)
        there = finish(Evaluation(pool, sampler=sampler, seed=3), labels, 80)
        assert there.labels == 80
        assert draws(here) == draws(there), sampler
        assert here.history == there.history, sampler
        assert repr(here.estimate()) == repr(there.estimate()), sampler
        assert repr(here.estimate("prevalence")) == repr(there.estimate("prevalence")), sampler


@pytest.mark.parametrize("place", ENGINES, indirect=True)
@pytest.mark.parametrize("seed", [0, 11])
def test_the_order_of_rows_does_not_matter(place: Place, seed: int) -> None:
    """Engines promise none; every score is there several times."""
    rows, labels = rows_and_labels("text")
    rows = rows.set_column(1, "score", pa.array(np.round(rows["score"].to_numpy(), 1)))
    shuffled = rows.take(np.random.default_rng(1).permutation(ITEMS))
    here = finish(Evaluation(in_memory(rows), "recall", "acis", seed), labels, 60)
    pool = place.open(shuffled, prediction="predicted", scale="probability", levels=LEVELS, head=HEAD)
    there = finish(Evaluation(pool, "recall", "acis", seed), labels, 60)
    assert here.history == there.history
    assert here.history["header"]["pool"] == pool.fingerprint
