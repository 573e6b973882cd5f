"""Evaluations of twelve items: small enough to be labelled to the end with every sampler."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import Estimate, Evaluation, InputError, Pool

SCORES = [0.95, 0.9, 0.8, 0.65, 0.6, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05]
TRUTH = [1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0]
SIZE = len(SCORES)
SAMPLERS = list(lowshot.samplers)
SHARES = ["f1", "f2", "precision", "recall"]
AMOUNTS = ["tp", "fp", "fn", "prevalence"]
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS)


def pool_of(scores: Any = SCORES, predictions: Any = None, **columns: Any) -> Pool:
    """A pool that every sampler can work with, predicted at 0.5 unless told otherwise."""
    if predictions is None:
        columns.setdefault("threshold", 0.5)
    rows = np.asarray(scores, dtype=float)
    return Pool(scores, predictions, **{"scale": "probability", "features": np.stack([rows, rows**2], 1), **columns})


def under_way(**options: Any) -> Evaluation:
    """Six items asked, four of them answered."""
    evaluation = Evaluation(pool_of(), **options)
    items = evaluation.ask(6)
    evaluation.tell(items[:4], [TRUTH[item] for item in items[:4]])
    return evaluation


def state(evaluation: Evaluation) -> tuple[Any, ...]:
    return evaluation.history, evaluation.pending, evaluation.labels


@contextmanager
def refused(evaluation: Evaluation, message: str) -> Iterator[None]:
    """The body raises InputError and leaves the evaluation as it was."""
    before = state(evaluation)
    with pytest.raises(InputError, match=message):
        yield
    assert state(evaluation) == before


def label_everything(evaluation: Evaluation, truth: Any, step: int = 1) -> Iterator[int]:
    """Ask and tell to the end, `step` items, then twice as many; yields the number of labels after each tell."""
    while items := evaluation.ask(step):
        assert len(items) == len(set(items)) <= step
        evaluation.tell(items, [truth[item] for item in items])
        yield evaluation.labels
        step *= 2


def exact(truth: Any, predictions: Any, beta: float = 1.0) -> float:
    y, yhat = np.asarray(truth, dtype=bool), np.asarray(predictions, dtype=bool)
    alpha = 1 / (1 + beta**2)
    denominator = alpha * yhat.sum() + (1 - alpha) * y.sum()
    return float((y & yhat).sum() / denominator) if denominator else math.nan


def assert_sane(answer: Estimate, highest: float = 1.0) -> None:
    """A value in its range and in its own interval, or none with the reason in words."""
    if not answer.defined:
        assert len(answer.reason.split()) > 3
        return
    assert 0 <= answer.value <= highest + 1e-9
    assert answer.variance is None or 0 <= answer.variance < math.inf
    if answer.interval is not None:
        assert -1e-9 <= answer.interval.low <= answer.value + 1e-9
        assert answer.value - 1e-9 <= answer.interval.high <= highest + 1e-9


TOP = [score >= 0.5 for score in SCORES]
