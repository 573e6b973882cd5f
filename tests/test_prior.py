"""What the user knows beforehand: refused in words if it cannot be right, kept by stores, and shown in warnings."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import Evaluation, InputError, Pool, Prior
from lowshot.store import Store
from lowshot.tasks import finish, simulated

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
