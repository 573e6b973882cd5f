"""What the user knows beforehand: refused in words if it cannot be right, kept by stores, and shown in warnings."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import Evaluation, InputError, Pool, Prior
from lowshot.core.types import Floats
from lowshot.sampler.curve import Curve
from lowshot.store import Store
from lowshot.tasks import Task, finish, simulated

TASK = simulated(5000, 50)
RANGES = Prior(prevalence=(0.005, 0.02), recall=(0.3, 0.9))


@pytest.mark.parametrize("name", ["prevalence", "recall"])
@pytest.mark.parametrize(
    "ends",
    [
        (0.2, 0.1),
        (0.1, 0.1),
        (-0.1, 0.5),
        (0.5, 1.1),
        (math.nan, 0.5),
        (0.1, math.inf),
        (0.1, 10**400),
        (0.1,),
        (0.1, 0.2, 0.3),
        (),
        "ab",
        ("0.1", "0.2"),
        (None, 0.2),
        (True, 0.2),
        ([0.1], 0.2),
        0.1,
        {0.1, 0.2},
        np.array([0.1, 0.2]),
    ],
    ids=str,
)
def test_ranges_that_are_none(name: str, ends: Any) -> None:
    with pytest.raises(InputError, match=rf"^{name} must be two shares from 0 to 1, the lower first: got .*write \("):
        Prior(**{name: ends})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prevalence": (0, 0.1)}, "prevalence must be above 0: got 0 to 0.1; give the smallest share"),
        ({"recall": (0, 1)}, "recall must say something: got 0 to 1, which is always true; leave it out"),
        ({}, "prior must say something: got an empty one"),
    ],
)
def test_ranges_that_say_nothing(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Prior(**given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Prior(prevalence=(1e-6, 9e-5)), r"prevalence must be possible: got 1e-06 to 9e-05, less than one of 10,000"),
        (
            Prior(prevalence=(0.05, 0.2), recall=(0.5, 0.9)),
            r"recall must be possible: got 0.5 to 0.9, prevalence 0.05 to 0.2; 10 items are predicted positive and at"
            r" least 500 of 10,000 items are positive, so that recall is at most 0.02; change one of them",
        ),
        ({"prevalence": (0.2, 0.1)}, "prevalence must be two shares"),
        ({"precision": (0.2, 0.1)}, "prior must be among prevalence, recall.*: got 'precision'"),
        ((0.1, 0.2), "prior must be a lowshot.Prior: got \\(0.1, 0.2\\); write lowshot.Prior"),
    ],
)
def test_what_the_pool_makes_impossible(given: Any, message: str, tmp_path: Path) -> None:
    """And no store is left behind."""
    pool = Pool(np.arange(10_000), threshold=9_990)
    for where in (None, tmp_path / "new.db"):
        with pytest.raises(InputError, match=message):
            Evaluation(pool, prior=given, store=where)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("threshold", "message"),
    [(0, "every item is predicted positive, so that recall is 1"), (101, "0 items are predicted positive.*at most 0")],
)
def test_a_recall_that_is_known(threshold: int, message: str) -> None:
    pool = Pool(np.arange(100), threshold=threshold)
    with pytest.raises(InputError, match=f"recall must be possible: got 0.5 to 0.9.*{message}"):
        Evaluation(pool, prior=Prior(recall=(0.5, 0.9)))


@pytest.mark.parametrize("sampler", [name for name in lowshot.samplers if name != "curve"])
def test_other_samplers_refuse_it(sampler: str) -> None:
    message = f"prior must be left out with sampler '{sampler}', which cannot use it: use sampler 'curve'"
    with pytest.raises(InputError, match=message):
        Evaluation(TASK.pool, sampler=sampler, prior=RANGES)


def test_it_is_given_once() -> None:
    sampler = lowshot.samplers["curve"].with_settings({"prior": RANGES})
    assert Evaluation(TASK.pool, sampler=sampler, prior=RANGES).prior == RANGES
    with pytest.raises(InputError, match=r"prior must be given once: got .*0.5.* and .*0.005"):
        Evaluation(TASK.pool, sampler=sampler, prior=Prior(recall=(0.5, 1)))


def test_a_store_keeps_it(tmp_path: Path) -> None:
    """Restarts, other arguments and another journal change nothing; another prior is refused."""
    birds = tmp_path / "birds.db"
    kept, memory = Evaluation(TASK.pool, prior=RANGES, store=birds), Evaluation(TASK.pool, prior=RANGES)
    for evaluation in (kept, memory):
        finish(evaluation, TASK.labels, 40)
    again = Evaluation(TASK.pool, store=birds)
    assert again.prior == Evaluation(TASK.pool, "f1", "curve", store=birds, prior=RANGES).prior == RANGES
    assert again.estimate() == kept.estimate() == memory.estimate()
    assert again.ask(20) == memory.ask(20)
    assert Store(birds).headers()[0].prior == RANGES
    before = again.history
    other = Prior(prevalence=(0.001, 0.02), recall=(0.3, 0.9))
    with pytest.raises(InputError, match=r"prior must be as evaluation 'evaluation' began, .*0.005.*: got .*0.001"):
        Evaluation(TASK.pool, store=birds, prior=other)
    with pytest.raises(InputError, match="prior must be as evaluation 'evaluation' began"):
        Evaluation(TASK.pool, store=birds, settings={"prior": other.plain()})
    assert Evaluation(TASK.pool, store=birds).history == before


def test_an_evaluation_without_one_gets_none_later(tmp_path: Path) -> None:
    Evaluation(TASK.pool, store=tmp_path / "birds.db")
    with pytest.raises(InputError, match="prior must be as evaluation 'evaluation' began, None: got"):
        Evaluation(TASK.pool, store=tmp_path / "birds.db", prior=RANGES)


def test_the_loop_in_one_call_takes_it() -> None:
    def found(prior: Prior | None) -> lowshot.Estimate:
        return lowshot.estimate(
            TASK.pool.scores,
            TASK.pool.predictions,
            lambda ids: [TASK.labels[item] for item in ids],
            budget=20,
            prior=prior,
        )

    wide, narrow = found(None).interval, found(RANGES).interval
    assert wide is not None
    assert narrow is not None
    assert narrow.width < wide.width


def split(seed: int, thinned: bool = False) -> tuple[Any, Any]:
    """Last month's task and this month's: other items, the same classifier; perhaps half of the positives are gone."""
    task, random = simulated(8000, 80, seed=seed, separation=2.5), np.random.default_rng(seed)
    half = random.random(8000) < 0.5
    now = ~half & ~(task.labels & thinned & (random.random(8000) < 0.5))
    return tuple(
        Task(Pool(task.pool.scores[rows], task.pool.predictions[rows], scale="probability"), task.labels[rows])
        for rows in (half, now)
    )


def last_month(labels: int = 60, **options: Any) -> Evaluation:
    task = split(0)[0]
    return finish(Evaluation(task.pool, **options), task.labels, labels)


def test_an_earlier_evaluation_is_copied(tmp_path: Path) -> None:
    """Nothing depends on it afterwards, and a store keeps its numbers exactly."""
    earlier, task = last_month(), split(0)[1]
    prior = Prior(like=earlier, prevalence=(0.005, 0.02))
    assert str(prior).startswith("prevalence 0.005 to 0.02, like an evaluation of f1 with 60 labels (")
    birds = tmp_path / "birds.db"
    kept, memory = Evaluation(task.pool, prior=prior, store=birds), Evaluation(task.pool, prior=prior)
    finish(earlier, split(0)[0].labels, 100)
    for evaluation in (kept, memory):
        finish(evaluation, task.labels, 40)
    again = Evaluation(task.pool, store=birds)
    assert again.prior == prior != Prior(like=earlier, prevalence=(0.005, 0.02))
    assert again.estimate() == kept.estimate() == memory.estimate()
    assert again.ask(20) == memory.ask(20)
    with pytest.raises(InputError, match="prior must be as evaluation 'evaluation' began"):
        Evaluation(task.pool, store=birds, prior=Prior(like=earlier))


@pytest.mark.parametrize(
    ("like", "message"),
    [
        ("birds.db", "like must be a lowshot.Evaluation: got 'birds.db'; a store does not contain the scores"),
        (3, "like must be a lowshot.Evaluation: got 3"),
        ({"labels": 40}, "like must be a lowshot.Evaluation: got {'labels': 40}"),
        (Evaluation, "like must be a lowshot.Evaluation: got <class"),
        (lambda: last_month(29), "like must be an evaluation with at least 30 labels: got one with 29; leave it out"),
        (lambda: last_month(sampler="acis"), "like must be an evaluation of sampler 'curve': got one of 'acis'"),
        (lambda: last_month(metric="recall"), "like must be an evaluation of the same metric, f1: got one of recall"),
    ],
    ids=["a path", "a number", "plain data", "a class", "few labels", "another sampler", "another metric"],
)
def test_earlier_evaluations_that_say_nothing(like: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        Evaluation(
            TASK.pool,
            prior=Prior(like=like() if callable(like) and like is not Evaluation else like),
            store=tmp_path / "new.db",
        )
    assert not [*tmp_path.iterdir()]


def test_labels_that_taught_an_earlier_evaluation_nothing_do_not_count() -> None:
    """Known labels teach its curve only if they were drawn uniformly."""
    items = np.random.default_rng(1).choice(len(TASK.pool), 50, replace=False).tolist()
    known = dict(zip(items, TASK.answer(items), strict=True))
    with pytest.raises(InputError, match="like must be an evaluation with at least 30 labels: got one with 20; leave"):
        Prior(like=finish(Evaluation(TASK.pool, known=known), TASK.labels, 20))
    uniform = finish(Evaluation(TASK.pool, known=lowshot.Known(known, drawn="uniform")), TASK.labels, 20)
    remembered = Prior(like=uniform).remembered
    assert remembered is not None
    assert remembered.labels == 70


def test_another_number_of_models() -> None:
    earlier = last_month().remembered()
    with pytest.raises(InputError, match="like must be an evaluation of as many models, 1: got one of 2"):
        Evaluation(TASK.pool, prior=Prior(like=replace(earlier, models=2)))


def errors(
    tasks: Callable[[int], Task], prior: Callable[[int], Prior | None], runs: int = 16
) -> tuple[Floats, Floats, Floats]:
    """Of evaluations with 30 labels: squared errors of F1, whether the interval holds the truth, and its width."""
    found = []
    for seed in range(runs):
        task = tasks(seed)
        estimate = finish(Evaluation(task.pool, prior=prior(seed)), task.labels, 30).estimate()
        assert estimate.interval is not None
        holds = estimate.interval.low <= task.truth() <= estimate.interval.high
        found.append(((estimate.value - task.truth()) ** 2, holds, estimate.interval.width))
    squared, held, width = np.array(found, dtype=np.float64).T
    return squared, held, width


def assert_better(tasks: Callable[[int], Task], prior: Callable[[int], Prior]) -> None:
    """The mean gain is positive by more than its standard error, and intervals hold."""
    without, (found, held, _) = errors(tasks, lambda seed: None)[0], errors(tasks, prior)
    gain = without - found
    assert gain.mean() > gain.std() / np.sqrt(len(gain))
    assert held.sum() >= 13  # with a coverage of 95 % fewer hold in one case of a thousand


@pytest.mark.slow
@pytest.mark.parametrize("thinned", [False, True])
def test_an_earlier_evaluation_helps(thinned: bool) -> None:
    def like(seed: int) -> Prior:
        task = split(seed, thinned)[0]
        return Prior(like=finish(Evaluation(task.pool), task.labels, 200))

    def now(seed: int) -> Task:
        return split(seed, thinned)[1]

    (without, _, wide), (found, held, narrow) = errors(now, lambda seed: None, 32), errors(now, like, 32)
    assert narrow.mean() < 0.9 * wide.mean()
    error = (without - found).std() / np.sqrt(len(found))
    assert (without - found).mean() > -2 * error  # not worse by two standard errors
    assert held.sum() >= 27  # with a coverage of 95 % fewer hold in one case of 300


@pytest.mark.slow
def test_a_prevalence_helps_where_scores_do_not_see_the_positives() -> None:
    """Three positives in four are anywhere in the ranking: 30 labels cannot find them, and the user knows of them."""

    def blind(seed: int) -> Task:
        task = simulated(6000, 60, seed=seed, separation=4)
        return Task(task.pool, task.labels | (np.random.default_rng(seed).random(6000) < 0.03))

    def known(seed: int) -> Prior:
        share = float(blind(seed).labels.mean())
        return Prior(prevalence=(share / 1.5, share * 2.5))

    assert_better(blind, known)


@pytest.mark.parametrize("width", [1e-9, 1e-3, 0.05])
def test_a_prevalence_that_is_known_almost_exactly(width: float) -> None:
    """A range may be narrower than curves can tell: it is not taken for a contradiction."""
    task = simulated(6000, 60, seed=1)
    prior = Prior(prevalence=(0.01 / (1 + width), 0.01 * (1 + width)))
    evaluation = Evaluation(task.pool, prior=prior)
    for budget in (10, 30, 100):
        estimate = finish(evaluation, task.labels, budget).estimate("prevalence")
        assert estimate.warning == ""
        assert estimate.value == pytest.approx(0.01, rel=0.25)  # 60 positives: two standard errors of their number


def test_a_prevalence_that_labels_contradict_is_reported() -> None:
    task = simulated(2000, 200, separation=4)
    evaluation = finish(Evaluation(task.pool, prior=Prior(prevalence=(0.001, 0.004))), task.labels, 150)
    assert re.search(
        r"the labels contradict the range that was given for prevalence, 0\.001 to 0\.004: they suggest about"
        r" 0\.[01]\d*; the range was not used",
        evaluation.estimate().warning,
    )
    plain = Curve().estimate(task.pool.view(), evaluation.snapshot(), evaluation.metric, 0.95)
    assert evaluation.estimate().value == pytest.approx(plain.value, abs=0.3 * (plain.standard_error or 0))


@pytest.mark.parametrize(("low", "high", "shown"), [(0.9, 1, "0.9 to 1"), (0.9, 0.99, "0.9 to 0.99")])
def test_a_recall_that_labels_contradict_is_reported(low: float, high: float, shown: str) -> None:
    """A recall of 0.3, and a range that begins at 0.9, whether it is open or closed."""
    task = simulated(3000, 300, separation=4)
    strict = float(np.quantile(task.pool.scores[task.labels.astype(bool)], 0.7))
    pool = Pool(task.pool.scores, threshold=strict)
    evaluation = finish(Evaluation(pool, prior=Prior(recall=(low, high))), task.labels, 150)
    assert re.search(
        rf"the labels contradict the range that was given for recall, {shown}: they suggest about 0\.[234]\d*;"
        " the range was not used",
        evaluation.estimate().warning,
    )


def test_another_model_uses_the_prevalence_only() -> None:
    """What is known about the recall is about the predictions that the evaluation began with."""
    task = split(3)[1]
    evaluation = finish(Evaluation(task.pool), task.labels, 40)
    samplers = [Curve(prior=Prior(prevalence=(0.005, 0.02), recall=recall)) for recall in ((0.1, 0.2), None)]
    other = task.pool.with_predictions(task.pool.scores > np.quantile(task.pool.scores, 0.97))
    for pool, same in ((task.pool, False), (other, True)):
        first, second = (one.estimate(pool.view(), evaluation.snapshot(), evaluation.metric, 0.95) for one in samplers)
        assert (first.value == second.value) is same


ODD_POOLS = {
    "two items": Pool([0.9, 0.1], threshold=0.5),
    "ties": Pool([0.9] * 30 + [0.1] * 70, threshold=0.5),
    "all the same": Pool(np.zeros(50), np.arange(50) < 5),
    "every item predicted": Pool(np.arange(40), threshold=0),
    "no item predicted": Pool(np.arange(40), threshold=99),
    "weights": Pool(np.arange(200), threshold=180, weights=np.arange(1, 201)),
    "huge scores": Pool(np.linspace(-1, 1, 100) * 1.7e308, threshold=1e308),
    "groups": Pool(np.linspace(0, 1, 300), threshold=0.9, levels=64),
}


@pytest.mark.slow
@pytest.mark.parametrize("pool", ODD_POOLS.values(), ids=ODD_POOLS)
@pytest.mark.parametrize(
    "prior",
    [
        {"prevalence": (0.3, 0.6)},
        {"prevalence": (0.01, 1)},
        {"recall": (0, 0.3)},
        {"recall": (0.1, 1)},
        {"prevalence": (0.1, 0.5), "recall": (0.05, 0.2)},
        {"like": last_month().remembered(), "prevalence": (0.1, 0.5)},
        {"like": last_month().remembered()},
    ],
    ids=lambda prior: "-".join(prior),
)
def test_odd_pools(pool: Pool, prior: dict[str, Any]) -> None:
    """Until every item is labelled; a recall that the predictions make impossible is refused."""
    low, high = prior.get("recall", (0, 1))
    if (pool.predicted_positives == 0 and low > 0) or (pool.predicted_positives == len(pool) and high < 1):
        with pytest.raises(InputError, match="recall must be possible"):
            Evaluation(pool, prior=Prior(**prior))
        return
    evaluation = Evaluation(pool, prior=Prior(**prior))
    while items := evaluation.ask(10):
        evaluation.tell(items, [item % 3 == 0 for item in items])
        estimate = evaluation.estimate()
        if estimate.interval is not None:
            assert 0 <= estimate.interval.low <= estimate.interval.high <= 1
    assert evaluation.labels == (len(pool) if pool.predicted_positives else 0)


def test_labels_that_teach_nothing_still_count_in_a_range() -> None:
    """Known labels were not learned from, but they say how many positives there are: nothing old may be reused."""
    scores, known = np.linspace(1, 0, 400), dict.fromkeys(range(300, 380), 0)
    one, other = (
        Evaluation(Pool(scores, threshold=0.9), prior=Prior(prevalence=(0.05, 0.3)), known=known) for _ in range(2)
    )
    one.estimate()
    for evaluation in (one, other):
        for item in known:
            evaluation.correct(item, 1)
    assert one.estimate() == other.estimate()
    assert one.ask(5) == other.ask(5)


def test_a_recall_is_that_of_the_own_predictions() -> None:
    """For other predictions it is not used, whether the labels were asked or known."""
    other = TASK.pool.scores >= np.quantile(TASK.pool.scores, 0.9)
    known = lowshot.Known(dict(enumerate(TASK.answer(list(range(60))))), drawn="uniform")
    plain, prior = (
        Evaluation(TASK.pool, known=known),
        Evaluation(TASK.pool, known=known, prior=Prior(recall=(0.1, 0.2))),
    )
    assert prior.estimate("recall") != plain.estimate("recall")
    assert prior.estimate("recall", predictions=other) == plain.estimate("recall", predictions=other)
