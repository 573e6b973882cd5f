"""With a level for every score nothing is lost; with fewer, a little, and no item of a level is preferred."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from lowshot import Evaluation, Pool
from lowshot.checks import Id
from lowshot.design import CellDesign
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.grouped import GroupedPool
from lowshot.testing import Task, finish, simulated

pytestmark = pytest.mark.slow

GROWTH = 1.2
CELLS = ["acis", "curve", "rand", "sawade", "iso", "platt", "gmm"]


def ungrouped(task: Task) -> Pool:
    return Pool(task.pool.scores, task.pool.predictions, scale="probability")


def by_score(task: Task, head: int, seed: int = 0) -> GroupedPool:
    """A level for every score that there is."""
    engine = ArrayEngine(np.arange(len(task.pool)), task.pool.scores, task.pool.predictions)
    return GroupedPool(engine, head=head, levels=None, scale="probability", seed=seed)


@pytest.mark.parametrize("head", [0, 50, 1000])
@pytest.mark.parametrize("sampler", [*CELLS, "topk"])
def test_distinct_scores_lose_nothing(sampler: str, head: int) -> None:
    task = simulated(items=700, positives=40, seed=12)
    assert len(np.unique(task.pool.scores)) == 700
    one = finish(Evaluation(ungrouped(task), sampler=sampler, seed=2), task.labels, 80)
    two = finish(Evaluation(by_score(task, head), sampler=sampler, seed=2), task.labels, 80)
    for mine, theirs in zip(one.history["rounds"], two.history["rounds"], strict=True):
        assert mine["items"] == theirs["items"]
        np.testing.assert_allclose(mine["probabilities"], theirs["probabilities"], rtol=1e-9)
    for metric in ("f1", "precision", "recall", "prevalence", "fn"):
        left, right = one.estimate(metric), two.estimate(metric)
        assert left.value == pytest.approx(right.value, abs=1e-9)
        assert (left.interval is None) == (right.interval is None)
        if left.interval is not None and right.interval is not None:
            assert left.interval.low == pytest.approx(right.interval.low, abs=1e-9)
            assert left.interval.high == pytest.approx(right.interval.high, abs=1e-9)


@pytest.mark.parametrize("head", [0, 60])
@pytest.mark.parametrize("sampler", CELLS)
def test_ties_are_as_likely_as_in_memory(sampler: str, head: int) -> None:
    """Which of several equal items is drawn is another matter, so labels are given: the same to both."""
    task = simulated(items=500, positives=40, seed=13, ties=True)
    known = {item: int(task.labels[item]) for item in range(0, 500, 7)}
    found = [
        probabilities(Evaluation(pool, sampler=sampler, known=known))
        for pool in (ungrouped(task), by_score(task, head))
    ]
    assert found[0].keys() == found[1].keys()
    np.testing.assert_allclose([found[0][item] for item in found[0]], [found[1][item] for item in found[0]], rtol=1e-9)


def probabilities(evaluation: Evaluation) -> dict[Id, float]:
    """Of each item, by id, in the round that is opened with what is known."""
    pool = evaluation.pool
    design = evaluation.sampler.propose(pool.view(), evaluation.snapshot(), evaluation.metric)
    items = np.arange(len(pool))
    found = design.probability_of(items) if isinstance(design, CellDesign) else np.ones(len(items))
    assert found is not None
    return {name: value for name, value in zip(pool.names(items), found.tolist(), strict=True) if value > 0}


def squared_errors(task: Task, repeats: int, **grouped: int) -> Any:
    pool, truth = Pool(task.pool.scores, task.pool.predictions, **grouped), task.truth()
    runs = (finish(Evaluation(pool, sampler="acis", seed=seed), task.labels, 100) for seed in range(repeats))
    return np.array([(run.estimate().value - truth) ** 2 for run in runs])


def test_what_grouping_loses() -> None:
    """The mean squared error of F1 from 100 labels hardly grows: 300 runs each measured a factor of 1.08 +- 0.12."""
    task = simulated(items=20_000, positives=200, seed=1)
    plain = squared_errors(task, 100)
    grouped = squared_errors(task, 100, head=200, levels=64)
    error = np.sqrt((plain.var(ddof=1) + grouped.var(ddof=1)) / len(plain))
    assert grouped.mean() < GROWTH * plain.mean() + 3 * error


KEYS = {
    "in a row": np.arange(30),
    "far apart": np.arange(30) * 2**20 - 2**24,
    "a part and a number in it": np.array([(part << 32) + number for part in range(5) for number in range(6)]),
    "texts": np.array([f"clip {number}" for number in range(30)], dtype=object),
}
SEEDS = 2500


@pytest.mark.parametrize("kind", KEYS)
def test_no_item_of_a_level_is_preferred(kind: str) -> None:
    """Over seeds: which comes first, which last, and which two come first."""
    keys = KEYS[kind]
    count = len(keys)
    engine = ArrayEngine(keys, np.full(count, 0.5), np.zeros(count, dtype=np.bool_))
    place = {name: number for number, name in enumerate(keys.tolist())}
    orders = [GroupedPool(engine, head=0, levels=1, seed=seed).names([0, 1, count - 1]) for seed in range(SEEDS)]
    first, second, last = np.array([[place[name] for name in order] for order in orders]).T
    for column in (first, second, last):
        assert stats.chisquare(np.bincount(column, minlength=count)).pvalue > 1e-6
    assert stats.chisquare(np.bincount((second - first) % count, minlength=count)[1:]).pvalue > 1e-6
    pairs = np.bincount(first * count + second, minlength=count**2).reshape(count, count)
    assert stats.chisquare(pairs[~np.eye(count, dtype=np.bool_)]).pvalue > 1e-6


def test_no_pair_across_rounds_is_preferred() -> None:
    """The first item of a level in one round, and its first new one in the next."""
    count, head = 80, 20
    scores = np.concatenate([np.linspace(0.6, 0.9, head), np.full(count - head, 0.1)])
    pool = Pool(scores, scores > 0.7, levels=1, head=head)
    pairs = []
    for seed in range(1000):
        evaluation = finish(Evaluation(pool, sampler="acis", seed=seed, settings={"first": 6}), scores > 0.8, 14)
        tail = [[item for item in round_["items"] if item >= head] for round_ in evaluation.history["rounds"]]
        fresh = [item for item in tail[1] if item not in tail[0]] if len(tail) > 1 else []
        pairs += [(tail[0][0] - head, fresh[0] - head)] if tail[0] and fresh else []
    assert len(pairs) > 300, "or nothing is tested"
    first, second = np.array(pairs).T
    size = count - head
    for column in (first, second):
        assert stats.chisquare(np.bincount(column, minlength=size)).pvalue > 1e-6
    assert stats.chisquare(np.bincount((second - first) % size, minlength=size)[1:]).pvalue > 1e-6
