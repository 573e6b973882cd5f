"""Every sampler on odd pools and odd labels: one item, all scores equal, all labels equal, nobody can tell."""

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation, FBeta

from ..small_evaluations import (
    AMOUNTS,
    SCORES,
    SHARES,
    SIZE,
    TOP,
    TRUTH,
    assert_sane,
    every_sampler,
    exact,
    label_everything,
    pool_of,
)

ONE = [position == 3 for position in range(SIZE)]
SITUATIONS: dict[str, tuple[Any, Any, Any]] = {
    "plain": (SCORES, TOP, TRUTH),
    "every item predicted positive": (SCORES, [1] * SIZE, TRUTH),
    "one item predicted positive": (SCORES, ONE, TRUTH),
    "lowest item alone predicted positive": (SCORES, [0] * (SIZE - 1) + [1], TRUTH),
    "all scores equal": ([0.5] * SIZE, TOP, TRUTH),
    "all scores equal, all predicted positive": ([0.5] * SIZE, [1] * SIZE, TRUTH),
    "scores of 0 and 1 only": ([1.0] * 5 + [0.0] * 7, TOP, TRUTH),
    "one positive, predicted": (SCORES, TOP, ONE),
    "one positive, missed": (SCORES, TOP, ONE[::-1]),
    "one positive, the only one predicted": (SCORES, ONE, ONE),
    "all labels 0": (SCORES, TOP, [0] * SIZE),
    "all labels 1": (SCORES, TOP, [1] * SIZE),
    "all labels 1, all predicted positive": (SCORES, [1] * SIZE, [1] * SIZE),
    "one item": ([0.7], [1], [1]),
    "two items": ([0.7, 0.2], [1, 0], [0, 1]),
}
every_situation = pytest.mark.parametrize("situation", list(SITUATIONS))


@every_sampler
@every_situation
def test_shares_stay_shares(sampler: str, situation: str) -> None:
    scores, predictions, truth = SITUATIONS[situation]
    evaluation = Evaluation(pool_of(scores, predictions), sampler=sampler)
    for labels in label_everything(evaluation, truth):
        for metric in SHARES:
            answer = evaluation.estimate(metric)
            assert_sane(answer)
            assert answer.labels <= labels


@every_sampler
@every_situation
def test_amounts_stay_in_the_pool(sampler: str, situation: str) -> None:
    scores, predictions, truth = SITUATIONS[situation]
    evaluation = Evaluation(pool_of(scores, predictions), sampler=sampler)
    positives = float(np.sum(predictions))
    highest = {"tp": positives, "fp": positives, "fn": len(scores) - positives, "prevalence": 1.0}
    for _ in label_everything(evaluation, truth):
        for metric, limit in highest.items():
            assert_sane(evaluation.estimate(metric), limit)


@every_sampler
@every_situation
def test_budget_equal_to_the_pool_is_exact(sampler: str, situation: str) -> None:
    scores, predictions, truth = SITUATIONS[situation]
    evaluation = Evaluation(pool_of(scores, predictions), FBeta(0.5), sampler)
    assert list(label_everything(evaluation, truth, step=5))[-1] == len(scores)
    answer = evaluation.estimate()
    assert answer.value == pytest.approx(exact(truth, predictions, beta=0.5), abs=1e-12)
    assert answer.variance == 0
    assert answer.interval is not None
    assert (answer.interval.low, answer.interval.high) == (answer.value, answer.value)
    assert answer.reach.share == 1
    assert evaluation.ask(1) == []
    assert "labelled" in evaluation.reason
    true, predicted = np.asarray(truth, dtype=bool), np.asarray(predictions, dtype=bool)
    amounts = [(true & predicted).sum(), (~true & predicted).sum(), (true & ~predicted).sum(), true.mean()]
    for metric, amount in zip(AMOUNTS, amounts, strict=True):
        assert evaluation.estimate(metric).value == pytest.approx(amount, abs=1e-9)


@every_sampler
@pytest.mark.parametrize("label", [0, 1])
def test_all_labels_so_far_equal(sampler: str, label: int) -> None:
    """Equal labels prove nothing about the rest: an interval, where there is one, has a width."""
    evaluation = Evaluation(pool_of(), sampler=sampler)
    for labels in label_everything(evaluation, [label] * SIZE):
        answer = evaluation.estimate()
        assert_sane(answer)
        if labels < SIZE and answer.interval is not None:
            assert answer.interval.low < answer.interval.high
        if answer.defined and label == 0 and sampler not in ("curve", "gmm", "platt"):  # these believe in a model
            assert answer.value == pytest.approx(0, abs=0.05)


@every_sampler
@pytest.mark.parametrize("metric", ["recall", "f1"])
def test_no_positive_in_the_pool(sampler: str, metric: str) -> None:
    """F1 is 0 as long as there is a false positive; recall does not exist, and words say so."""
    evaluation = Evaluation(pool_of(), metric, sampler)
    assert list(label_everything(evaluation, [0] * SIZE))[-1] == SIZE
    answer = evaluation.estimate()
    if metric == "f1":
        assert answer.value == 0
    else:
        assert math.isnan(answer.value)
        assert "none is positive" in answer.reason
        assert "recall does not exist" in answer.reason


@every_sampler
def test_nobody_can_tell_anything(sampler: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    for labels in label_everything(evaluation, [None] * SIZE):
        answer = evaluation.estimate()
        assert_sane(answer)
        assert answer.skipped == labels
        if answer.interval is not None:
            assert answer.interval.width > 0.5


@pytest.mark.parametrize("sampler", ["acis", "acis_platt"])
@pytest.mark.parametrize("metric", ["f1", "recall", "precision"])
@pytest.mark.parametrize("first", [1, 10, 1000])
@pytest.mark.parametrize("top_k", [0.1, 3.0, None])
def test_domain_with_fewer_items_than_the_round_needs(
    sampler: str, metric: str, first: int, top_k: float | None
) -> None:
    """The domain grows down the ranking; at the end of the pool everything that matters is labelled."""
    evaluation = Evaluation(pool_of(), metric, sampler, settings={"first": first, "top_k": top_k})
    *_, labels = label_everything(evaluation, TRUTH, step=4)
    assert labels == (sum(TOP) if metric == "precision" else SIZE)
    beta = {"f1": 1.0, "recall": 1e9, "precision": 0.0}[metric]
    assert evaluation.estimate().value == pytest.approx(exact(TRUTH, TOP, beta))
    assert "labelled" in evaluation.reason


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    previous = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.parametrize("sampler", ["acis", "sawade", "rand"])
def test_an_item_of_tiny_weight_does_not_stop_the_loop(sampler: str) -> None:
    """Drawn with replacement it would come up once in ten million draws."""
    pool = pool_of(weights=[1.0] * (SIZE - 1) + [1e-7])
    evaluation = Evaluation(pool, sampler=sampler)
    with at_most(300):  # so that it fails instead of going on for ever
        *_, labels = label_everything(evaluation, TRUTH, step=5)
    assert labels == SIZE
    assert sum(len(each.draws.items) for each in evaluation._history.rounds) < 100_000
