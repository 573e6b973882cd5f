"""The central object: rounds, batches, corrections, skips, other models, other metrics, targets."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

import lowshot
from lowshot import FBeta, InputError, Pool
from lowshot.history import History
from lowshot.sampler import Acis
from lowshot.testing import finish, simulated

TASK = simulated(items=2000, positives=40, seed=3)


class Evaluation(lowshot.Evaluation):
    """With ACIS unless another sampler is named: most of these tests look at its rounds."""

    def __init__(self, pool: Pool, metric: Any = "f1", sampler: Any = "acis", *arguments: Any, **options: Any) -> None:
        super().__init__(pool, metric, sampler, *arguments, **options)


def test_rounds_double_and_a_round_ends_the_batch() -> None:
    evaluation, sizes = Evaluation(TASK.pool), []
    while evaluation.labels < 310:
        items = evaluation.ask(1000)
        evaluation.tell(items, TASK.labels[items])
        sizes.append(len(items))
    assert sizes == [10, 20, 40, 80, 160]
    assert [r["number"] for r in evaluation.history["rounds"]] == [1, 2, 3, 4, 5]


def test_several_batches_outstanding_extend_the_round() -> None:
    evaluation = Evaluation(TASK.pool)
    first, second, third = evaluation.ask(10), evaluation.ask(5), evaluation.ask(5)
    assert len(first) == 10
    assert len(set(first + second + third)) == 20
    assert evaluation.pending == first + second + third
    evaluation.tell(third + first, TASK.labels[third + first])
    assert evaluation.pending == second
    assert len(evaluation.history["rounds"]) == 1
    next_items = evaluation.ask(100)
    rounds = evaluation.history["rounds"]
    assert len(rounds) == 2
    assert set(rounds[1]["known"]) == set(first + third), "items outstanding are not in the known set"
    assert not set(next_items) & set(second), "an item that somebody has is not handed out again"


def test_late_answers_still_count_for_their_round() -> None:
    evaluation = Evaluation(TASK.pool)
    first, second = evaluation.ask(10), evaluation.ask(10)
    evaluation.tell(first, TASK.labels[first])
    evaluation.ask(10)
    before = evaluation.estimate().rounds[0].draws
    evaluation.tell(second, TASK.labels[second])
    assert evaluation.estimate().rounds[0].draws > before


def test_extension_gives_the_draws_that_a_larger_round_would_have() -> None:
    one, two = Evaluation(TASK.pool), Evaluation(TASK.pool, settings={"first": 20})
    assert one.ask(10) + one.ask(10) == two.ask(20)


def test_a_correction_changes_the_answer_but_no_past_draw() -> None:
    evaluation = finish(Evaluation(TASK.pool), TASK.labels, 70)
    before, value = evaluation.history, evaluation.estimate().value
    item = next(i for i in before["rounds"][0]["items"] if TASK.labels[i])
    evaluation.correct(item, 0)
    after = evaluation.history
    assert after["rounds"] == before["rounds"]
    assert evaluation.estimate().value != value
    assert after["answers"][-1] == {"item": item, "label": 0}
    assert {"item": item, "label": 1} in after["answers"]
    evaluation.correct(item, 1)
    assert evaluation.estimate().value == value


def test_history_is_plain_data() -> None:
    evaluation = finish(Evaluation(TASK.pool, known={5: 0}), TASK.labels, 30)
    history = json.loads(json.dumps(evaluation.history))
    assert history["header"]["seed"] == 0
    assert history["header"]["settings"]["epsilon"] == 0.01
    assert len(history["rounds"][0]["items"]) == len(history["rounds"][0]["probabilities"])
    assert len(history["labels"]) == 31


def test_estimate_before_any_label_says_why() -> None:
    estimate = Evaluation(TASK.pool).estimate()
    assert np.isnan(estimate.value)
    assert "no labels yet" in estimate.reason
    assert estimate.interval == lowshot.Interval(0, 1, 0.95)


def skipping(item: int) -> Evaluation:
    """Everything labelled but one predicted positive among the first draws, which nobody can tell."""
    evaluation = Evaluation(TASK.pool)
    items = evaluation.ask(10)
    labels = [None if i == items[item] else TASK.labels[i] for i in items]
    evaluation.tell(items, labels)
    return evaluation


def test_a_skip_takes_the_calibrated_value_and_widens_the_interval() -> None:
    evaluation = skipping(0)
    history = evaluation.history
    item = next(i for i, label in history["labels"].items() if label is None)
    estimate = evaluation.estimate()
    bounds, values = [], []
    for label in (0, 1):
        evaluation.correct(item, label)
        bounds.append(evaluation.estimate().interval)
        values.append(evaluation.estimate().value)
        evaluation.correct(item, None)
    assert estimate.interval is not None
    assert estimate.interval.low == min(b.low for b in bounds if b)
    assert estimate.interval.high == max(b.high for b in bounds if b)
    assert min(values) <= estimate.value <= max(values)
    weighted = evaluation.weights()
    calibration = dict(zip(history["rounds"][0]["items"], history["rounds"][0]["calibration"], strict=True))
    mine = np.flatnonzero(np.array(weighted.items) == item)
    positive = weighted.weights[mine][weighted.labels[mine] == 1].sum()
    assert positive / weighted.weights[mine].sum() == pytest.approx(calibration[item])
    score = f1_score(weighted.labels, weighted.predictions, sample_weight=weighted.weights)
    assert score == pytest.approx(estimate.value)
    assert estimate.labels == 10
    assert estimate.skipped == 1


def test_a_skipped_item_is_not_asked_again() -> None:
    evaluation = Evaluation(TASK.pool)
    asked: list[int] = []
    for _ in range(4):
        items = evaluation.ask(100)
        asked += items
        evaluation.tell(items, [None] * len(items))
    assert len(asked) == len(set(asked)) == evaluation.labels == 150


def test_another_model_from_the_same_labels() -> None:
    evaluation = finish(Evaluation(TASK.pool, settings={"top_k": None}), TASK.labels, 600)
    other = TASK.columns["scores"] > 0.95
    truth = TASK.truth(predictions=other)
    estimate = evaluation.estimate(predictions=other)
    assert estimate.value == pytest.approx(truth, abs=4 * (estimate.standard_error or 0))
    assert estimate.value != evaluation.estimate().value
    assert estimate.reach.unreachable_predictions == 0


def test_unreachable_predictions_of_another_model_are_counted() -> None:
    evaluation = finish(Evaluation(TASK.pool), TASK.labels, 10)
    reach = evaluation.estimate(predictions=np.ones(2000, dtype=bool)).reach
    domain = 6 * TASK.pool.predicted_positives
    assert reach.items < 2000
    assert domain <= reach.items <= domain + 5, "the best 6 n_pred and the strays"
    assert reach.unreachable_predictions == 2000 - reach.items
    assert evaluation.estimate().reach.unreachable_predictions == 0


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "tp", "fp"])
def test_the_interval_allows_for_predictions_that_could_not_be_drawn(metric: str) -> None:
    """Whether they are all true or all false: the printed estimate says so, and the truth is inside."""
    everything = np.ones(2000, dtype=bool)
    truth = {"f1": 80 / 2040, "precision": 40 / 2000, "recall": 1.0, "tp": 40, "fp": 1960}[metric]
    for seed in range(20):
        evaluation = finish(Evaluation(TASK.pool, seed=seed), TASK.labels, 30)
        estimate = evaluation.estimate(metric, predictions=everything)
        assert "could not be drawn" in str(estimate)
        assert estimate.interval is not None
        assert estimate.interval.low <= estimate.value <= estimate.interval.high
        assert truth in estimate.interval


def test_a_design_for_precision_refuses_what_it_cannot_see() -> None:
    evaluation = finish(Evaluation(TASK.pool, metric="precision"), TASK.labels, 30)
    assert all(TASK.pool.predictions[r["items"]].all() for r in evaluation.history["rounds"])
    for arguments in ({"metric": "recall"}, {"metric": "fn"}, {"predictions": TASK.columns["scores"] > 0.2}):
        with pytest.raises(InputError, match=r"predicted negatives had probability 0.*defensive"):
            evaluation.estimate(**arguments)
    assert evaluation.estimate("tp").defined
    defensive = Evaluation(TASK.pool, metric="precision", settings={"defensive": 0.2})
    assert finish(defensive, TASK.labels, 30).estimate("recall").metric == "recall"


def test_counts_agree_with_each_other_and_with_f1() -> None:
    evaluation = finish(Evaluation(TASK.pool), TASK.labels, 10)
    tp, fp, fn = (evaluation.estimate(name).value for name in ("tp", "fp", "fn"))
    assert tp + fp == pytest.approx(TASK.pool.predicted_positives)
    assert 2 * tp / (2 * tp + fp + fn) == pytest.approx(evaluation.estimate().value)


@pytest.mark.parametrize("metric", ["tp", "fp", "fn", "prevalence"])
def test_counts_come_with_an_interval(metric: str) -> None:
    estimate = finish(Evaluation(TASK.pool, settings={"top_k": None}), TASK.labels, 300).estimate(metric)
    assert estimate.interval is not None
    assert estimate.interval.low <= estimate.value <= estimate.interval.high
    assert TASK.truth(metric) == pytest.approx(estimate.value, abs=5 * (estimate.standard_error or 0))


def test_population_adds_the_variance_of_the_pool() -> None:
    evaluation = finish(Evaluation(TASK.pool), TASK.labels, 2000)
    pool, population = evaluation.estimate(), evaluation.estimate(target="population")
    assert pool.variance == 0
    assert population.value == pool.value == TASK.truth()
    expected = lowshot.finite_pool_variance(TASK.labels, TASK.pool.predictions)
    assert population.variance == pytest.approx(expected)
    assert population.interval is not None
    assert population.interval.low < pool.value < population.interval.high


@pytest.mark.parametrize("reuse", ["paper", "stratum"])
def test_labels_known_before_are_a_stratum_and_those_of_earlier_rounds_as_set(reuse: str) -> None:
    """Weights p of one item in 2,000: the paper prints |L| p in a sum over m draws, for labels of earlier rounds."""
    known = {i: int(TASK.labels[i]) for i in np.flatnonzero(TASK.pool.predictions)[:20].tolist()}
    evaluation = finish(Evaluation(TASK.pool, known=known, settings={"reuse": reuse}), TASK.labels, 25)
    first, second = evaluation.history["rounds"]
    assert set(first["known"]) == set(known)
    assert evaluation.estimate().labels == 45
    weighted = evaluation.weights(2)
    weight = dict(zip(weighted.items, weighted.weights.tolist(), strict=True))
    draws = evaluation.estimate().rounds[1].draws
    earlier = set(first["items"]) & set(second["known"])
    expected = len(earlier) / draws / 2000 if reuse == "paper" else 1 / 2000
    assert [weight[item] for item in known] == [1 / 2000] * 20
    assert [weight[item] for item in earlier] == [pytest.approx(expected)] * 10


def test_labels_are_no_larger_share_of_the_pool_than_they_are() -> None:
    """After two draws of the second round, the printed weight of the ten labels before is five times their share, which
    divides out of F1 and would not out of the prevalence.
    """
    values = {}
    for reuse in ("paper", "stratum"):
        evaluation = finish(Evaluation(TASK.pool, settings={"reuse": reuse}), TASK.labels, 12)
        values[reuse] = [evaluation.estimate(metric).rounds[1].value for metric in ("prevalence", "f1")]
    assert values["paper"][0] == values["stratum"][0]
    assert values["paper"][1] != values["stratum"][1]


def test_acis_last_uses_the_last_complete_round() -> None:
    evaluation = finish(Evaluation(TASK.pool, sampler="acis_last"), TASK.labels, 35)
    averaged = finish(Evaluation(TASK.pool), TASK.labels, 35).estimate().rounds
    estimate = evaluation.estimate()
    assert [r.draws for r in averaged][1:2] == [r.draws for r in estimate.rounds]
    assert estimate.value == averaged[1].value


def test_a_pool_that_ends_is_labelled_to_its_end() -> None:
    task = simulated(items=45, positives=10)
    evaluation = finish(Evaluation(task.pool), task.labels, 45)
    assert evaluation.labels == 45
    assert evaluation.ask(1) == []
    assert "every item that matters" in evaluation.reason
    assert evaluation.estimate().value == task.truth()


def test_precision_needs_only_the_predicted_positives() -> None:
    evaluation = finish(Evaluation(TASK.pool, metric="precision"), TASK.labels, 2000)
    assert evaluation.labels == TASK.pool.predicted_positives
    assert evaluation.estimate().value == TASK.truth("precision")
    assert evaluation.estimate().variance == 0


def test_one_call_equals_the_loop() -> None:
    evaluation = finish(Evaluation(TASK.pool, metric=FBeta(2), seed=9), TASK.labels, 50)
    estimate = lowshot.estimate(
        TASK.columns["scores"],
        TASK.columns["predictions"],
        lambda ids: TASK.labels[ids],
        budget=50,
        metric="f2",
        sampler="acis",
        seed=9,
    )
    assert repr(estimate) == repr(evaluation.estimate())


def test_a_long_seed_and_another_seed_draw_differently() -> None:
    asked = {tuple(Evaluation(TASK.pool, seed=seed).ask(10)) for seed in (0, 1, 2**64 - 1)}
    assert len(asked) == 3


@pytest.mark.parametrize("sampler", ["acis_last", "sawade"])
@pytest.mark.parametrize("budget", [30, 41, 70])  # acis_last: a round is complete, or only begun
def test_weights_are_those_of_the_estimate(sampler: str, budget: int) -> None:
    evaluation = finish(Evaluation(TASK.pool, sampler=sampler), TASK.labels, budget)
    weighted = evaluation.weights()
    score = f1_score(weighted.labels, weighted.predictions, sample_weight=weighted.weights)
    assert score == pytest.approx(evaluation.estimate().value)


def test_what_cannot_be_drawn_has_no_calibration() -> None:
    design = Evaluation(TASK.pool, sampler="acis").sampler.propose(TASK.pool.view(), History(), FBeta(1))
    outside = np.setdiff1d(np.arange(len(TASK.pool)), design.items)[:1]
    assert np.all(design.calibrated(design.items) > 0)
    with pytest.raises(KeyError, match=str(outside[0])):
        design.calibrated(np.concatenate([design.items[:3], outside]))


def test_weights_of_items_steer_the_estimate() -> None:
    """Items that weigh ten times as much count ten times as much."""
    weights = np.where(TASK.labels, 10.0, 1.0)
    pool = Pool(**TASK.columns, weights=weights)
    y, yhat = TASK.labels, pool.predictions
    truth = 2 * weights[y & yhat].sum() / (weights[y].sum() + weights[yhat].sum())
    values = [
        finish(Evaluation(pool, seed=s, sampler=Acis(top_k=None)), TASK.labels, 150).estimate().value for s in range(40)
    ]
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert abs(np.mean(values) - truth) < 4 * error + 0.15 * np.std(values)
    assert finish(Evaluation(pool), TASK.labels, 2000).estimate().value == pytest.approx(truth)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_population_asks_only_for_what_the_metric_needs(metric: str) -> None:
    evaluation = finish(Evaluation(TASK.pool, metric=metric), TASK.labels, 40)
    pool, population = evaluation.estimate(), evaluation.estimate(target="population")
    assert population.variance is not None
    assert pool.variance is not None
    assert population.variance >= pool.variance
    assert population.interval != pool.interval or population.value == 1


def test_population_allows_for_skips() -> None:
    evaluation = skipping(0)
    item = next(i for i, label in evaluation.history["labels"].items() if label is None)
    interval = evaluation.estimate(target="population").interval
    assert interval is not None
    for label in (0, 1):
        evaluation.correct(item, label)
        other = evaluation.estimate(target="population").interval
        evaluation.correct(item, None)
        assert other is not None
        assert interval.low <= other.low
        assert other.high <= interval.high


def test_no_positive_among_many_random_labels_bounds_the_prevalence() -> None:
    evaluation = finish(Evaluation(TASK.pool, sampler="rand"), np.zeros(2000), 1000)
    interval = evaluation.estimate("prevalence").interval
    assert interval is not None
    assert interval.low == 0
    assert 0 < interval.high < 0.01


def test_known_labels_do_not_make_an_interval_narrow() -> None:
    """A round whose draws say nothing: known positives cannot speak for the rest of the pool."""
    known = dict.fromkeys(np.flatnonzero(TASK.labels & TASK.pool.predictions)[:20].tolist(), 1)
    evaluation = Evaluation(TASK.pool, sampler="rand", known=known)
    finish(evaluation, TASK.labels, 5)
    assert all(r.informative == 0 for r in evaluation.estimate().rounds)
    assert evaluation.estimate().interval == lowshot.Interval(0, 1, 0.95)


def test_labels_behind_an_unanswered_draw_say_so() -> None:
    evaluation = Evaluation(TASK.pool)
    items = evaluation.ask(10)
    evaluation.tell(items[1:], TASK.labels[items[1:]])
    assert "wait for items that were drawn before them" in evaluation.estimate().reason


@pytest.mark.parametrize("sampler", ["curve", "acis", "rand", "topk"])
def test_an_estimate_says_how_many_labels_wait_and_for_what(sampler: str) -> None:
    """Two of ten have no answer: what was drawn before the first of them counts, the rest waits for one or both."""
    task = simulated(items=2000, positives=60, seed=2)
    evaluation = Evaluation(task.pool, sampler=sampler)
    items = evaluation.ask(10)
    told = [item for item in items if item not in (items[3], items[6])]
    evaluation.tell(told, task.answer(told))
    found = evaluation.estimate()
    assert (found.labels, found.waiting, found.waiting_for) == (3, 5, 2)
    assert str(found).endswith("; 5 more labels wait for 2 items without a label")
    evaluation.tell([items[3]], task.answer([items[3]]))
    found = evaluation.estimate()
    assert (found.labels, found.waiting, found.waiting_for) == (6, 3, 1)
    evaluation.tell([items[6]], [None])
    found = evaluation.estimate()
    assert (found.waiting, found.waiting_for) == (0, 0), "cannot tell is an answer, too"
    assert "wait" not in str(found)


def test_only_skips_are_no_estimate() -> None:
    evaluation = Evaluation(TASK.pool)
    items = evaluation.ask(10)
    evaluation.tell(items, [None] * 10)
    estimate = evaluation.estimate()
    assert np.isnan(estimate.value)
    assert "all answers so far" in estimate.reason


@pytest.mark.parametrize("sampler", ["acis", "curve", "topk"])
def test_what_the_pool_did_before_changes_no_bit(sampler: str) -> None:
    """Rankings that were made for others are kept, deeper ones too: sums over their cells have other last bits."""
    task = simulated(items=5000, positives=20, separation=5)  # so few predictions that ACIS ranks a part of the pool
    fresh, used = Pool(**task.columns), Pool(**task.columns)
    used.view().cells()
    for other in ("acis", "curve", "topk"):
        finish(Evaluation(used, "recall", other, seed=1), task.labels, 40).estimate("f2")
    one, two = (finish(Evaluation(pool, sampler=sampler), task.labels, 70) for pool in (fresh, used))
    assert one.history == two.history
    assert repr(one.estimate()) == repr(two.estimate())


def test_a_plan_does_not_call_labels_enough_that_are_not() -> None:
    random = np.random.default_rng(1)
    scores = random.normal(size=20_000)
    truth = random.random(20_000) < 1 / (1 + np.exp(9 - 3 * scores))
    known = {int(item): int(truth[item]) for item in random.choice(20_000, 3200, replace=False)}
    evaluation = lowshot.Evaluation(Pool(scores, threshold=3.0), known=known)
    assert not evaluation.stop_when(0.01)
    with pytest.raises(InputError, match=r"half_width must be one that fewer than 3,000 labels can reach: got 0\.01"):
        evaluation.plan(0.01)
