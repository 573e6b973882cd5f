"""Labels that exist already: how they were drawn, what samplers learn from them, and what cannot have been drawn so."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import lowshot
from lowshot import Evaluation, InputError, Known, Pool
from lowshot.api import run
from lowshot.known import doubts
from lowshot.testing import Task, simulated

from .small_evaluations import pool_of, state, under_way

DOUBTED = "known labels given as drawn uniformly do not look like it"


@pytest.fixture(scope="module")
def task() -> Task:
    return simulated(items=5000, positives=100, seed=5)


def drawn(task: Task, count: int = 200, seed: int = 0) -> dict[Any, int]:
    """Labels of items that are drawn uniformly."""
    items = np.random.default_rng(seed).choice(len(task.pool), count, replace=False).tolist()
    return dict(zip(items, task.answer(items), strict=True))


def best(task: Task, count: int = 200) -> dict[Any, int]:
    """Labels of the items with the highest scores."""
    items = np.argsort(-task.pool.scores, kind="stable")[:count].tolist()
    return dict(zip(items, task.answer(items), strict=True))


def width(evaluation: Evaluation) -> float:
    interval = evaluation.estimate().interval
    assert interval is not None
    return interval.high - interval.low


def test_the_curve_learns_from_uniform_labels(task: Task) -> None:
    """Alone, and together with labels that were bought: the interval is narrower and the draws are others."""
    plain = Evaluation(task.pool, known=drawn(task))
    uniform = Evaluation(task.pool, known=Known(drawn(task), drawn="uniform"))
    assert plain.labels == uniform.labels == 0
    assert plain.estimate().labels == uniform.estimate().labels == 200
    assert width(uniform) < 0.9 * width(plain)
    run(plain, task.answer, 70)
    run(uniform, task.answer, 70)
    assert width(uniform) < width(plain)
    assert uniform.history["rounds"][0]["items"] != plain.history["rounds"][0]["items"]
    assert not set(uniform.history["rounds"][0]["items"]) & drawn(task).keys(), "a known item is not asked"


def test_the_interval_from_uniform_labels_alone_holds() -> None:
    """In 60 pools; a 95 % interval fails so often in less than one of a thousand such tests."""
    held = 0
    for seed in range(60):
        task = simulated(items=3000, positives=90, seed=seed)
        evaluation = Evaluation(task.pool, known=Known(drawn(task, 300, seed), drawn="uniform"))
        interval = evaluation.estimate().interval
        assert interval is not None
        held += interval.low <= task.truth() <= interval.high
    assert held >= binom(60, 0.95).ppf(0.001)


@pytest.mark.parametrize("how", [None, "any"])
@pytest.mark.parametrize("sampler", list(lowshot.samplers))
def test_drawn_in_any_way_is_a_plain_mapping(task: Task, how: Any, sampler: str) -> None:
    both = [Evaluation(task.pool, sampler=sampler, known=known) for known in (drawn(task), Known(drawn(task), how))]
    one, other = (run(evaluation, task.answer, 25) for evaluation in both)
    assert one.history == other.history
    assert repr(one.estimate()) == repr(other.estimate())


@pytest.mark.parametrize("sampler", [name for name in lowshot.samplers if name not in ("curve", "rand")])
def test_other_samplers_use_uniform_labels_as_any_known_labels(task: Task, sampler: str) -> None:
    knowns = (drawn(task), Known(drawn(task), drawn="uniform"))
    one, other = (run(Evaluation(task.pool, sampler=sampler, known=known), task.answer, 25) for known in knowns)
    assert one.history == other.history
    assert repr(one.estimate()) == repr(other.estimate())


@pytest.mark.parametrize("levels", [None, 50])
def test_rand_counts_uniform_labels_as_draws(task: Task, levels: int | None) -> None:
    """The estimate is the metric of all labelled items, as if they had been drawn together; and so say its weights."""
    pool = Pool(task.pool.scores, task.pool.predictions, levels=levels)
    known = drawn(task, 400)
    evaluation = Evaluation(pool, sampler="rand", known=Known(known, drawn="uniform"))
    run(evaluation, task.answer, 200)
    items = [*known, *(item for item in evaluation.history["labels"] if item not in known)]
    labels, predictions = np.array(task.answer(items)), task.pool.predictions[items]
    f1 = 2 * (labels * predictions).sum() / (labels.sum() + predictions.sum())
    found = evaluation.estimate()
    assert found.value == pytest.approx(f1)
    assert (found.labels, evaluation.labels) == (600, 200)
    weighted = evaluation.weights()
    assert np.allclose(weighted.weights, 1 / 600)
    assert not known.keys() & set(evaluation.ask(50))


def test_a_corrected_label_stays_uniform(task: Task) -> None:
    """The evaluation is then that which had begun with the other label."""
    labels = drawn(task)
    item = next(item for item, label in labels.items() if label == 1)
    corrected = Evaluation(task.pool, known=Known(labels, drawn="uniform"))
    corrected.correct(item, 0)
    assert item in corrected.snapshot().uniform
    begun = Evaluation(task.pool, known=Known({**labels, item: 0}, drawn="uniform"))
    assert repr(corrected.estimate()) == repr(begun.estimate())
    assert corrected.ask(10) == begun.ask(10)


def test_labels_of_both_kinds(task: Task) -> None:
    uniform, chosen = drawn(task), best(task, 20)
    both = Evaluation(task.pool, known=[Known(uniform, drawn="uniform"), chosen])
    history = both.snapshot()
    assert history.uniform == uniform.keys()
    assert history.known == uniform.keys() | chosen.keys()
    assert not history.doubted
    other = Evaluation(task.pool, known=(Known(chosen), Known(uniform, drawn="uniform")))
    assert repr(other.estimate()) == repr(both.estimate())


def test_in_one_call(task: Task) -> None:
    def found(known: Any) -> lowshot.Estimate:
        return lowshot.estimate(
            task.pool.scores, task.pool.predictions, lambda ids: task.answer(ids), budget=20, known=known
        )

    uniform = Evaluation(task.pool, known=Known(drawn(task), drawn="uniform"))
    assert repr(found(Known(drawn(task), drawn="uniform"))) == repr(run(uniform, task.answer, 20).estimate())
    assert found(Known(drawn(task), drawn="uniform")) != found(drawn(task))


def test_the_order_of_rows_does_not_matter(task: Task) -> None:
    ids = np.arange(len(task.pool))
    turned = Pool(task.pool.scores[::-1], task.pool.predictions[::-1], ids=ids[::-1], scale=task.pool.scale)
    known = Known(drawn(task), drawn="uniform")
    plain = Pool(task.pool.scores, task.pool.predictions, ids=ids, scale=task.pool.scale)
    one, other = (Evaluation(pool, known=known) for pool in (plain, turned))
    assert one.ask(20) == other.ask(20)
    assert one.estimate().value == other.estimate().value


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("best", r"their ranks are not .* draw, half of them are among the 2\.0 % of the pool with the highest scores"),
        ("worst", "their ranks are not .* half of them are among the .* % of the pool with the lowest scores"),
        ("with the predicted", "[0-9]+ of them are predicted positive, where 13.[0-9] are expected"),
        ("positive", "all 20 of them are positive"),
    ],
)
def test_labels_that_cannot_be_uniform_are_doubted(task: Task, labels: str, told: str) -> None:
    """A warning says why; the estimate has one, too; and nothing relies on them."""
    predicted = np.flatnonzero(task.pool.predictions)[:24].tolist()
    given = {
        "best": best(task),
        "worst": dict.fromkeys(np.argsort(task.pool.scores)[:300].tolist(), 0),
        "with the predicted": {**drawn(task), **dict(zip(predicted, task.answer(predicted), strict=True))},
        "positive": dict.fromkeys(drawn(task, 20), 1),
    }[labels]
    with pytest.warns(UserWarning, match=f"known labels that are drawn uniformly must look like it: {told}") as caught:
        doubted = Evaluation(task.pool, known=Known(given, drawn="uniform"))
    assert caught[0].filename == __file__
    plain = Evaluation(task.pool, known=given)
    assert doubted.snapshot().doubted == given.keys()
    assert run(doubted, task.answer, 15).history == run(plain, task.answer, 15).history
    assert doubted.estimate().interval == plain.estimate().interval
    assert DOUBTED in doubted.estimate().warning
    assert DOUBTED not in plain.estimate().warning


@pytest.mark.slow
@pytest.mark.parametrize("ties", [None, 10, 2], ids=["no ties", "ties", "two scores"])
@pytest.mark.parametrize("count", [5, 50, 400])
def test_uniform_draws_are_rarely_doubted(ties: int | None, count: int) -> None:
    """At most one in a thousand. More than 8 of 2000 come once in 4000 such tests at that rate."""
    random = np.random.default_rng(count)
    scores = random.random(4000)
    scores = scores if ties is None else np.floor(scores * ties)
    view = Pool(scores, random.random(4000) < 0.03).view()
    none = np.zeros(count, dtype=np.int64)
    found = [doubts(view, random.choice(4000, count, replace=False), none) for _ in range(2000)]
    assert sum(map(bool, found)) <= 8


def test_every_item_and_no_item_are_uniform_draws() -> None:
    everything = dict(enumerate([1] * 12))
    assert not Evaluation(pool_of(), known=Known(everything, drawn="uniform")).snapshot().doubted
    assert not Evaluation(pool_of(), known=Known({}, drawn="uniform")).snapshot().known


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (lambda: Known([3, 4]), "known must be a mapping from id to label: got .3, 4."),  # type: ignore[arg-type]
        (lambda: Known({}, drawn="top"), "drawn must be one of uniform, any: got 'top'"),  # type: ignore[arg-type]
        (lambda: Known({3: 1, 4: None}, drawn="uniform"), "known labels must be 0 or 1: got None; leave out"),
        (lambda: Known({3: 1, 99: 1}, drawn="uniform"), "items must be ids of the pool: got 99"),
        (
            lambda: [Known({3: 1}, drawn="uniform"), {3: 0}],
            "known must have one label for each item.*for 3",
        ),
        (lambda: [Known({3: 1}), 7], "known must be a mapping from id to label"),
        (lambda: "3", "known must be a mapping from id to label"),
    ],
)
def test_known_labels_that_are_refused(known: Any, told: str, tmp_path: Any) -> None:
    """And no store is left behind."""
    with pytest.raises(InputError, match=told):
        Evaluation(pool_of(), known=known(), store=tmp_path / "birds.db")
    assert not (tmp_path / "birds.db").exists()


def test_a_warning_that_is_an_error_leaves_nothing_behind(task: Task, tmp_path: Any) -> None:
    """No file; and a file that was there before stays as it was."""
    from lowshot.store import Store

    def begin() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="must look like it"):
                Evaluation(task.pool, known=Known(best(task), drawn="uniform"), store=tmp_path / "birds.db")

    begin()
    assert not [*tmp_path.iterdir()]
    Evaluation(task.pool, store=tmp_path / "birds.db", name="other")
    begin()
    assert [header.name for header in Store(tmp_path / "birds.db").headers()] == ["other"]


@pytest.mark.parametrize("url", ["{}", "sqlite:///{}"])
def test_doubts_are_told_once_for_a_new_file(task: Task, tmp_path: Any, url: str) -> None:
    where = url.format(tmp_path / "birds.db")
    with pytest.warns(UserWarning, match="must look like it") as caught:
        Evaluation(task.pool, known=Known(best(task), drawn="uniform"), store=where)
    assert [one.filename for one in caught] == [__file__]


def test_nobody_can_take_back_a_uniform_label() -> None:
    evaluation = under_way(known=Known({11: 0}, drawn="uniform"))
    before = state(evaluation)
    with pytest.raises(InputError, match="known labels must be 0 or 1: got None for 11"):
        evaluation.correct(11, None)
    assert state(evaluation) == before
