"""Statistics, with seeds, many repetitions, and tolerances from their own standard errors."""

import numpy as np
import pytest

from lowshot import Evaluation
from lowshot.sampler import Acis, Rand, Sampler, Sawade
from lowshot.testing import Task, finish, simulated

pytestmark = pytest.mark.slow

TASK = simulated(items=3000, positives=150, seed=5, separation=2.5)
WHOLE = Acis(top_k=None)


def runs(sampler: Sampler, labels: int, repetitions: int, task: Task = TASK, metric: str = "f1") -> np.ndarray:
    """Value and variance of independent runs, one row each."""
    rows = []
    for seed in range(repetitions):
        estimate = finish(Evaluation(task.pool, sampler=sampler, seed=seed), task.labels, labels).estimate(metric)
        rows.append((estimate.value, estimate.variance))
    return np.array(rows)


@pytest.mark.parametrize("sampler", [WHOLE, Acis(top_k=None, reuse="none"), Sawade(), Rand()], ids=repr)
def test_consistent_on_a_known_pool(sampler: Sampler) -> None:
    """At 600 labels the mean is the truth, up to four standard errors and the bias of order 1/n of any ratio."""
    values = runs(sampler, 600, 150)[:, 0]
    spread = values.std(ddof=1)
    # |bias| of a ratio of means is at most its deviation times the relative deviation of its denominator
    # (Hartley & Ross 1954); with 600 labels the latter is 0.05 (SAWADE) to 0.12 (RAND) here.
    assert abs(values.mean() - TASK.truth()) < 4 * spread / np.sqrt(len(values)) + 0.15 * spread


@pytest.mark.parametrize("sampler", [WHOLE, Sawade(), Rand()], ids=repr)
def test_estimated_variance_is_the_empirical_one(sampler: Sampler) -> None:
    """With the whole pool as domain and 600 labels; at few labels it is known to be low."""
    rows = runs(sampler, 600, 300)
    empirical, estimated = rows[:, 0].var(ddof=1), rows[:, 1]
    error = np.hypot(empirical * np.sqrt(2 / (len(rows) - 1)), estimated.std(ddof=1) / np.sqrt(len(rows)))
    assert abs(estimated.mean() - empirical) < 4 * error


def test_the_stopping_rule_is_unbiased() -> None:
    """Repeats count up to the next new item. Stopping at the last new item itself would be biased.

    Prevalence has a known denominator, so its estimate is unbiased at any fixed number of draws; here the
    number of distinct labels is fixed instead, on a pool so small that repeats are common.
    """
    task = simulated(items=40, positives=12, seed=2)
    kept, cut = [], []
    for seed in range(2000):
        evaluation = finish(Evaluation(task.pool, sampler=Sawade(), seed=seed), task.labels, 12)
        kept.append(evaluation.estimate("prevalence").value)
        round_ = evaluation.history["rounds"][0]
        items = round_["items"]
        end = 1 + max(items.index(item) for item in evaluation.history["labels"])
        ratio = 1 / (40 * np.array(round_["probabilities"][:end]))
        cut.append(np.mean(ratio * task.labels[items[:end]]))
    truth = task.truth("prevalence")
    error = np.std(kept, ddof=1) / np.sqrt(len(kept))
    assert abs(np.mean(kept) - truth) < 4 * error
    difference = np.array(cut) - kept
    assert abs(difference.mean()) > 4 * difference.std(ddof=1) / np.sqrt(len(difference))


def test_intervals_hold_more_often_with_more_confidence() -> None:
    truth = TASK.truth()
    inside = {0.5: 0, 0.95: 0}
    for seed in range(100):
        evaluation = finish(Evaluation(TASK.pool, sampler=WHOLE, seed=seed), TASK.labels, 310)
        for confidence in inside:
            interval = evaluation.estimate(confidence=confidence).interval
            assert interval is not None
            inside[confidence] += truth in interval
    # Four binomial standard errors around the nominal shares.
    assert abs(inside[0.5] / 100 - 0.5) < 4 * np.sqrt(0.25 / 100)
    assert inside[0.95] / 100 > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 100)
