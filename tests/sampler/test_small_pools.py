"""Small pools of every kind, labelled to the last item with answers of every kind: nothing fails on the way."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lowshot import Estimate, Evaluation, InputError, Pool, samplers
from lowshot.estimation import estimate as estimate_of

METRICS = ("f1", "precision", "recall", "f2", "tp", "fp", "fn", "prevalence")
QUIET = settings(derandomize=True, deadline=None, max_examples=30)
THIRD = 3


@pytest.mark.parametrize("seed", range(15))
def test_every_third_answer_is_cannot_tell(seed: int) -> None:
    """The default sampler must not count such items as open: near the end of the pool it drew from empty groups."""
    random = np.random.default_rng(seed)
    truth = random.random(80) < 0.2
    pool = Pool(random.normal(size=80) + 2 * truth, threshold=1.5)
    evaluation = Evaluation(pool, seed=seed)
    while items := evaluation.ask():
        skip = evaluation.labels % THIRD == 0
        evaluation.tell(items, [None if skip else truth[item] for item in items])
    assert evaluation.labels == len(pool)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """1 to 10 items: tied or not, weighted, grouped or plain, predicted in any way."""
    size = draw(st.integers(1, 10))
    scores = draw(st.lists(st.sampled_from([0.05, 0.1, 0.35, 0.6, 0.8, 0.99]), min_size=size, max_size=size))
    distinct = np.array(scores) + (np.arange(size) / 1000 if draw(st.booleans()) else 0)
    flags = st.sampled_from([st.just(True), st.just(False), st.booleans()]).flatmap(
        lambda flag: st.lists(flag, min_size=size, max_size=size)
    )
    columns: dict[str, Any] = {"scores": distinct, "predictions": draw(flags), "scale": "probability"}
    kind = draw(st.sampled_from(["plain", "weighted", "grouped"]))
    if kind == "weighted":
        columns["weights"] = draw(st.lists(st.floats(1e-6, 1e6), min_size=size, max_size=size))
    if kind == "grouped":
        columns |= {"levels": draw(st.integers(1, 4)), "head": draw(st.integers(0, 4))}
    return Pool(**columns)


def check(estimate: Estimate, highest: float) -> None:
    """A value in its range and in its interval, or the reason why there is none; no number that is not one."""
    assert estimate.variance is None or 0 <= estimate.variance < math.inf
    low, high = (0.0, highest) if estimate.interval is None else (estimate.interval.low, estimate.interval.high)
    assert 0 <= low <= high <= highest * (1 + 1e-12)  # sums of weights are rounded
    if estimate.defined:
        assert low <= estimate.value <= high * (1 + 1e-12)
    else:
        assert estimate.reason
        assert estimate.variance is None


def refusal(call: Callable[[], object]) -> str:
    """What is said against it; nothing, if it works. Any other error than lowshot's own fails the test."""
    try:
        call()
    except InputError as error:
        return str(error)
    return ""


def check_every_metric(evaluation: Evaluation, pool: Pool) -> None:
    predicted = pool.view().predicted_weight
    most = {"tp": predicted, "fp": predicted, "fn": max(0.0, len(pool) - predicted)}
    for metric in METRICS:
        refused = refusal(lambda metric=metric: check(evaluation.estimate(metric), most.get(metric, 1.0)))
        assert not refused or (evaluation.metric.name == "precision" and "draws made for precision" in refused)


def check_plan(evaluation: Evaluation, pool: Pool) -> None:
    plan = evaluation.plan(0.1)
    assert plan.labels <= plan.low <= plan.likely <= plan.high <= max(plan.labels, len(pool))
    assert evaluation.stop_when(0.1) == (plan.high <= plan.labels)


def check_what_else_can_be_asked(evaluation: Evaluation, pool: Pool) -> None:
    """The plan, the weights, and what the estimate was after each answer so far."""
    assert re.match("$|a plan needs|half_width must be more than", refusal(lambda: check_plan(evaluation, pool)))
    assert re.match("$|weights need", refusal(evaluation.weights))
    past = evaluation.snapshot()
    for answers in range(len(past.answers)):  # what the report draws
        then = past.until(answers)
        check(
            estimate_of(evaluation.sampler, evaluation.pool.view(), then, evaluation.metric, 0.95, "pool"), highest=1.0
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the pool has no features")
@pytest.mark.parametrize("sampler", [*samplers])
@QUIET
@given(pool=pools(), metric=st.sampled_from(["f1", "precision", "recall"]), data=st.data())
def test_any_answers_to_the_last_item(sampler: str, pool: Pool, metric: str, data: st.DataObject) -> None:
    assume(pool.levels is None or sampler != "herding")  # which is refused: grouped items have no features
    answers = st.sampled_from([0, 1, None])
    known = data.draw(st.dictionaries(st.integers(0, len(pool) - 1), st.sampled_from([0, 1])), label="known")
    evaluation = Evaluation(pool, metric, sampler, data.draw(st.integers(0, 3), label="seed"), known=known)
    while items := evaluation.ask(data.draw(st.integers(1, 4), label="ask")):
        evaluation.tell(items, [data.draw(answers, label=f"answer to {item}") for item in items])
        if data.draw(st.booleans(), label="whether to correct"):
            evaluation.correct(items[0], data.draw(answers, label=f"correction of {items[0]}"))
        check_every_metric(evaluation, pool)
    check_what_else_can_be_asked(evaluation, pool)
    answered = np.array([*evaluation.history["labels"]], dtype=np.int64)
    matters = pool.predictions if metric == "precision" else np.ones(len(pool), dtype=np.bool_)
    assert pool.predicted_positives == 0 or matters[answered].sum() == matters.sum()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the pool has no features")
@pytest.mark.parametrize("sampler", [*samplers])
@settings(QUIET, max_examples=5)
@given(pool=pools(), metric=st.sampled_from(["f1", "precision", "recall"]), data=st.data())
def test_what_can_be_asked_on_the_way(sampler: str, pool: Pool, metric: str, data: st.DataObject) -> None:
    assume(pool.levels is None or sampler != "herding")
    evaluation = Evaluation(pool, metric, sampler)
    check_what_else_can_be_asked(evaluation, pool)
    while items := evaluation.ask():
        evaluation.tell(items, [data.draw(st.sampled_from([0, 1, None]), label=f"answer to {items[0]}")])
        check_what_else_can_be_asked(evaluation, pool)


# --- what has no variance, no plan or no room for an interval ---------------------------------------------------------


@pytest.mark.parametrize("sampler", ["rand", "acis", "sawade"])
def test_one_draw_has_no_variance_but_an_interval(sampler: str) -> None:
    evaluation = Evaluation(Pool([0.9, 0.8, 0.7, 0.6, 0.2], [1, 1, 1, 1, 1], scale="probability"), "precision", sampler)
    evaluation.tell(evaluation.ask(), [1])
    estimate = evaluation.estimate()
    assert (estimate.value, estimate.variance, estimate.standard_error) == (1.0, None, None)
    assert estimate.interval is not None


@pytest.mark.parametrize("target", ["pool", "population"])
def test_every_item_answered_and_some_of_them_cannot_tell_has_no_variance(target: Any) -> None:
    evaluation = Evaluation(Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5))
    items = evaluation.ask(5)
    evaluation.tell(items, [None if item == 2 else int(item < 2) for item in items])
    estimate = evaluation.estimate(target=target)
    assert estimate.variance is None
    assert estimate.interval is not None
    assert estimate.interval.low <= 0.8 < 1.0 <= estimate.interval.high  # F1 if item 2 is negative, if it is positive


@pytest.mark.parametrize("sampler", ["rand", "curve"])
def test_no_missed_positive_where_all_is_predicted(sampler: str) -> None:
    """The weights of all items sum to a little more than 1 here: the highest fn must not be below 0."""
    weights = next(w for w in _weights() if Pool(np.arange(7.0), np.ones(7), weights=w).view().predicted_weight > 7)
    evaluation = Evaluation(Pool(np.arange(7.0), np.ones(7), weights=weights), sampler=sampler)
    evaluation.tell(evaluation.ask(3), [1, 0, 1])
    interval = evaluation.estimate("fn").interval
    assert interval is not None
    assert (interval.low, interval.high) == (0, 0)


def test_no_missed_positive_where_all_is_predicted_at_any_time() -> None:
    evaluation = Evaluation(Pool(np.arange(7.0), np.ones(7)), sampler="curve", settings={"anytime": True})
    evaluation.tell(evaluation.ask(3), [1, 0, 1])
    interval = evaluation.estimate("fn").interval
    assert interval is not None
    assert (interval.low, interval.high) == (0, 0)


def _weights() -> list[Any]:
    random = np.random.default_rng(0)
    return [random.random(7) for _ in range(100)]


@pytest.mark.parametrize("sampler", ["curve", "rand", "topk"])
def test_a_plan_where_nothing_is_predicted_positive(sampler: str) -> None:
    pool = Pool([0.9, 0.8, 0.2], np.zeros(3))
    assert Evaluation(pool, "f1", sampler).plan().high == 0  # F1 is exactly 0, whatever the labels
    with pytest.raises(InputError, match="a plan needs a metric that exists: no item is predicted positive"):
        Evaluation(pool, "precision", sampler).plan()


@pytest.mark.parametrize("metric", ["f1", "precision"])
def test_a_plan_where_nobody_could_tell_anything(metric: str) -> None:
    random = np.random.default_rng(0)
    pool = Pool(random.normal(size=60), threshold=1.0)
    for sampler in ("curve", "rand"):
        evaluation = Evaluation(pool, metric, sampler)
        items = evaluation.ask(5)
        evaluation.tell(items, [None] * 5)
        if sampler == "curve":
            assert 5 == evaluation.plan().labels < evaluation.plan().likely <= 60
        else:
            with pytest.raises(InputError, match="label some items first"):
                evaluation.plan()
        while items := evaluation.ask(10):
            evaluation.tell(items, [None] * len(items))
        with pytest.raises(InputError, match="a plan needs a metric that exists: all answers so far"):
            evaluation.plan()


def test_a_plan_that_skipped_items_forbid() -> None:
    """Every item is answered, and the interval holds whatever the skipped ones are: no label makes it narrower."""
    evaluation = Evaluation(Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5))
    items = evaluation.ask(5)
    evaluation.tell(items, [None if item == 2 else int(item < 2) for item in items])
    assert not evaluation.stop_when(0.05)
    with pytest.raises(InputError, match=r"half_width must be more than 0\.1 for now: got 0\.05"):
        evaluation.plan(0.05)


def test_a_plan_is_no_longer_than_the_pool() -> None:
    evaluation = Evaluation(Pool(np.linspace(0, 1, 40), threshold=0.5), sampler="rand")
    evaluation.tell(items := evaluation.ask(10), [item % 2 for item in items])
    assert evaluation.plan(0.01).high == 40
