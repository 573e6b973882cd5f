"""One forecast: `plan` and `budgets` are the same simulated evaluations, read in two directions."""

from typing import Any

import numpy as np
import pytest

from lowshot import Evaluation, Pool
from lowshot.demo import data
from lowshot.result import Budget, Plan
from lowshot.sampler.curve_forecast import HIGH, LIKELY, LOW, Path
from lowshot.testing import finish, simulated


def of_two(goal: Any, labels: int = 0, metric: str = "f1") -> Evaluation:
    one, two = (simulated(items=2000, positives=50, seed=seed, separation=4.0) for seed in (3, 4))
    scores = {"v1": one.pool.scores, "v2": np.where(one.labels == two.labels, two.pool.scores, one.pool.scores)}
    evaluation = Evaluation(Pool(scores, threshold=0.5), metric, goal=goal)
    return finish(evaluation, one.labels, labels) if labels else evaluation


def of_one(labels: int = 0, skipped: int = 0, **options: Any) -> Evaluation:
    task = simulated(items=2000, positives=50, seed=3)
    evaluation = Evaluation(task.pool, sampler="curve", **options)
    if skipped:
        evaluation.tell(evaluation.ask(skipped), [None] * skipped)
    return finish(evaluation, task.labels, labels) if labels else evaluation


CASES = {
    "real, fresh": lambda: Evaluation(data.load().pool),
    "real, with labels": lambda: finish(Evaluation(data.load(109).pool), data.load(109).labels, 40),
    "fresh": of_one,
    "in a round": lambda: of_one(33),
    "nobody could tell": lambda: of_one(40, skipped=2),
    "every look": lambda: of_one(settings={"anytime": True}),
    "precision": lambda: of_one(metric="precision"),
    "each of two": lambda: of_two("each"),
    "a pair with labels": lambda: of_two(("v1", "v2"), 10),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_both_directions_are_inverse_functions(case: str) -> None:
    """If nine of ten runs are at most so wide with so many labels, nine of ten need at most so many for that width."""
    check_inverse(CASES[case](), "likely", "high")


def test_what_nine_of_ten_need_is_what_nine_of_ten_have() -> None:
    """The same on one pool, but quickly."""
    check_inverse(of_one(33, settings={"curves": 50}), "high")


def check_inverse(evaluation: Evaluation, *ends: str) -> None:
    now, *budgets = evaluation.budgets([evaluation.labels + 1, 75, 200])  # 200 is between the ends of two rounds
    for end in ends:
        budget = next(one for one in budgets if getattr(one, end) < 0.98 * now.low)
        width = getattr(budget, end)
        needed = getattr(evaluation.plan(width * (1 + 1e-9)), end)
        assert evaluation.labels + 1 < needed <= budget.labels
        before, there = evaluation.budgets([needed - 1, needed])
        assert getattr(there, end) <= width * (1 + 1e-6) < getattr(before, end)


def test_labels_that_a_precision_cannot_use_are_left_out() -> None:
    """Only predicted positives are asked; all of them labelled, nothing is left, and the estimate is exact."""
    evaluation = of_one(metric="precision", settings={"curves": 50})
    most = evaluation.pool.predicted_positives
    assert [budget.labels for budget in evaluation.budgets([most - 1, most, most + 1, 1000])] == [most - 1]
    both = of_two("each", metric="precision")
    every = sum(both.pool.view(model).predicted_positives for model in both.pool.models)
    assert [budget.labels for budget in both.budgets([5, every])] == [5]


def test_a_path_is_read_as_far_as_it_goes() -> None:
    path = Path((0, 0.4), iter([(10, 0.2), (20, 0.1)]))
    assert path.labels(0.5) == 0
    assert path.goes_on(0.1)
    assert path.labels(0.1) == np.inf, "nobody knows yet"
    assert path.width(20) == path.width(99) == pytest.approx(0.1)
    assert not path.goes_on(0.05)
    assert path.labels(0.05) == 20, "no item is left"


def test_what_nine_of_ten_runs_stay_below() -> None:
    """One more run is below the k-th of 20 numbers with a probability of k / 21."""
    assert [round((place + 1) / 21, 2) for place in (LOW, LIKELY, HIGH)] == [0.1, 0.52, 0.9]


@pytest.mark.slow
def test_labels_that_nobody_could_give_widen_what_is_forecast() -> None:
    """As they widen the interval: more labels do not help there."""
    sure, unsure = (of_one(40, skipped, settings={"curves": 50}).budgets([300])[0] for skipped in (0, 2))
    assert unsure.low > 0.02 > sure.low


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Budget(1, 0.001, 0.002, 0.02), "1 label: typically ± 0.002, nine of ten runs at most ± 0.020"),
        (Budget(1000, 0.1, 0.2, 0.3), "1,000 labels: typically ± 0.20, nine of ten runs at most ± 0.30"),
        (
            Plan(0.05, 900, 1200, 2000, labels=1, most=3000),
            "typically 1,200 labels, nine of ten runs at most 2,000, for an interval of ± 0.05; 1 label so far",
        ),
    ],
)
def test_the_words_are_the_same(result: Budget | Plan, text: str) -> None:
    assert str(result) == text
