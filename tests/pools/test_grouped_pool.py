"""Whatever the pool: ties, a handful of items, one score for all; any head and any number of levels."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowshot import Evaluation, Pool, open_pool
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.grouped import GroupedPool

from .places import table

QUIET = settings(derandomize=True, deadline=None, max_examples=60)
FEWER = settings(derandomize=True, deadline=None, max_examples=12)
SAMPLERS = ["acis", "curve", "rand", "topk", "iso", "platt"]
# beyond these, squares overflow and products with the width of a bin underflow
finite = st.floats(-1e100, 1e100).map(lambda score: score if abs(score) > 1e-200 else 0.0)
scores = st.one_of(
    st.lists(finite, min_size=1, max_size=20),
    st.lists(st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=20),
    st.builds(lambda score, count: [score] * count, finite, st.integers(1, 20)),
)
heads = st.sampled_from([0, 1, 3, 10, 20, 1000])
levels = st.sampled_from([1, 2, 5, 64])


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[float], list[bool], list[int]]:
    found = draw(scores)
    flags = st.lists(st.booleans(), min_size=len(found), max_size=len(found))
    return found, draw(flags), draw(flags.map(lambda drawn: [int(one) for one in drawn]))


def exact(truth: list[int], predictions: list[bool]) -> float:
    hits = sum(one and two for one, two in zip(truth, predictions, strict=True))
    both = sum(truth) + sum(predictions)
    return 2 * hits / both if both else float("nan")


@QUIET
@given(given_=columns(), head=heads, groups=levels, sampler=st.sampled_from(SAMPLERS), seed=st.integers(0, 99))
def test_every_item_once_and_then_the_exact_value(
    given_: tuple[Any, ...], head: int, groups: int, sampler: str, seed: int
) -> None:
    found, predictions, truth = given_
    pool = Pool(found, predictions, head=head, levels=groups)
    evaluation = Evaluation(pool, sampler=sampler, seed=seed)
    asked: list[Any] = []
    while items := evaluation.ask(3):
        asked += items
        evaluation.tell(items, [truth[item] for item in items])
    if not any(predictions):
        assert evaluation.reason.startswith("no item is predicted positive")
        return
    assert len(asked) == len(set(asked))
    assert sorted(asked) == list(range(len(found)))
    assert evaluation.estimate().value == pytest.approx(exact(truth, predictions), abs=1e-9, nan_ok=True)


@QUIET
@given(given_=columns(), head=heads, groups=levels, seed=st.integers(0, 99))
def test_positions_and_names_are_one_to_one(given_: tuple[Any, ...], head: int, groups: int, seed: int) -> None:
    found, predictions, _ = given_
    pool = Pool(found, predictions, head=head, levels=groups).bind(seed)
    assert isinstance(pool, GroupedPool)
    names = pool.names(range(len(pool)))
    assert sorted(names) == list(range(len(pool)))
    assert pool.positions(names) == list(range(len(pool)))
    again = GroupedPool(pool.engine, head=head, levels=groups, seed=seed)  # looks up what it has not fetched
    assert again.positions(names[::-1]) == list(range(len(pool)))[::-1]
    assert pool.view().predicted(np.arange(len(pool))).tolist() == [predictions[name] for name in names]
    assert (np.diff(pool.view().level(np.arange(len(pool)))) <= 0).all(), "best first"
    cells = pool.view().cells()
    assert int(cells.count.sum()) == len(found)
    assert int(cells.count[cells.prediction].sum()) == sum(predictions)


@FEWER
@given(given_=columns(), head=heads, groups=levels, seed=st.integers(0, 99))
def test_duckdb_ranks_them_the_same(given_: tuple[Any, ...], head: int, groups: int, seed: int) -> None:
    found, predictions, _ = given_
    ids = np.arange(len(found))
    here = GroupedPool(ArrayEngine(ids, np.array(found), np.array(predictions)), head=head, levels=groups, seed=seed)
    rows = table(ids, found, predictions)
    pool = open_pool(rows, id="id", score="score", prediction="predicted", head=head, levels=groups).bind(seed)
    everything = range(len(found))
    assert pool.names(everything) == here.names(everything)
    assert pool.fingerprint == here.fingerprint
