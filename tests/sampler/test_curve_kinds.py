"""The sampler `curve` on kinds of pools that are far from ordinary: nearly perfect, screening, useless, unlike all."""

import numpy as np
import pytest

from lowshot import Evaluation, Pool
from lowshot.core.types import Flags, Floats
from lowshot.result import Estimate
from lowshot.testing import finish

RANK = np.arange(20_000)
FIRST = RANK < 200
SCORES = np.linspace(1, 0, 20_000) ** 3


def estimated(truth: Flags, labels: int, *, scores: Floats = SCORES, metric: str = "f1", seed: int = 0) -> Estimate:
    pool = Pool(scores, FIRST)
    return finish(Evaluation(pool, metric, seed=seed), truth.astype(np.int64), labels).estimate()


def f1(truth: Flags) -> float:
    return float(2 * np.sum(truth & FIRST) / (200 + truth.sum()))


@pytest.mark.slow
@pytest.mark.parametrize("saturated", [False, True], ids=["a smooth score", "scores of 0 and 1 only"])
@pytest.mark.parametrize("mistakes", [0, 2])
def test_nearly_perfect(mistakes: int, saturated: bool) -> None:
    """The interval holds in all of 24 runs, and answers are within 0.02 on average after 60 labels."""
    truth = FIRST.copy()
    truth[100 : 100 + mistakes] = False
    scores = FIRST.astype(np.float64) if saturated else SCORES
    found = [estimated(truth, 60, scores=scores, seed=seed) for seed in range(24)]
    assert np.sqrt(np.mean([(one.value - f1(truth)) ** 2 for one in found])) < 0.02
    for one in found:
        assert one.interval is not None
        assert one.interval.low <= f1(truth) <= one.interval.high


@pytest.mark.slow
def test_one_predicted_positive_says_little_about_the_others() -> None:
    """60 positives with scores that are higher by 3 standard deviations, and a threshold that only one item passes.

    A binomial test: with a coverage of 80 % or more, fewer than 14 of 24 intervals hold with a probability below 1 %.
    """
    held = 0
    for seed in range(24):
        random = np.random.default_rng(seed)
        truth = random.permutation(RANK < 60)
        scores = random.normal(size=len(RANK)) + 3 * truth
        evaluation = Evaluation(Pool(scores, threshold=scores.max()), seed=seed)
        interval = finish(evaluation, truth.astype(np.int64), 100).estimate().interval
        assert interval is not None
        held += interval.low <= 2 / 61 * truth[scores.argmax()] <= interval.high
    assert held >= 14


def test_one_stays_possible_until_a_label_contradicts_a_prediction() -> None:
    found = estimated(FIRST, 40)
    assert found.interval is not None
    assert found.interval.high == 1
    wrong = FIRST & (RANK % 2 == 0)  # half of the predicted positives are none
    found = estimated(wrong, 40)
    assert found.interval is not None
    assert found.interval.high < 1


def test_zero_stays_possible_until_a_true_positive_is_found() -> None:
    truth = (RANK > 300) & (RANK % 50 == 0)  # none is predicted
    found = estimated(truth, 60)
    assert found.interval is not None
    assert found.interval.low == 0
    assert found.value < 0.05


@pytest.mark.slow
def test_flagging_many_items_is_not_taken_for_missing_many() -> None:
    """A screening model: 5 % of the items are flagged, 17 for each positive, and 97 % of the positives are found."""
    held, truths = 0, []
    for seed in range(24):
        random = np.random.default_rng(seed)
        truth = RANK < 60
        scores = random.normal(size=20_000) + 3.5 * truth
        predicted = scores > 1.645
        truths.append(np.mean(predicted[truth]))
        found = finish(Evaluation(Pool(scores, predicted), "recall", seed=seed), truth.astype(np.int64), 100).estimate()
        assert found.interval is not None
        held += found.interval.low <= truths[-1] <= found.interval.high
    assert np.mean(truths) == pytest.approx(0.97, abs=0.01)
    assert held >= 20  # at a coverage of 95 % fewer come once in 150 such tests


def test_labels_unlike_all_known_pools_widen_the_interval_and_say_so() -> None:
    """Positives in every other band of ranks: no score does that."""
    band = np.floor(2 * np.log(np.maximum(RANK, 1) / 200) + 1e-9)  # bands are 0.5 wide in log rank
    truth = FIRST & np.isin(band, [-1, -3, -5])
    found = estimated(truth, 60)
    assert found.interval is not None
    assert "unlike those of the pools that lowshot learned from" in found.warning
    assert found.interval.low <= f1(truth) <= found.interval.high
    assert "unlike" not in estimated(RANK < 120, 60).warning
