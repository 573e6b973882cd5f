"""Bad input gives an error that says what is needed and what came, and changes nothing; odd input is answered."""

import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import lowshot
from lowshot import Estimate, Evaluation, FBeta, InputError, Pool

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


# --- the pool ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
@pytest.mark.parametrize(
    "column",
    [list, np.array, lambda v: np.array(v, dtype=np.float32), pd.Series, lambda v: pd.Series(v, dtype="Float64")],
    ids=["list", "numpy", "float32", "pandas", "pandas nullable"],
)
def test_scores_must_be_finite(column: Callable[[Any], Any], bad: float | None) -> None:
    with pytest.raises(InputError, match=r"scores must be finite: 1 of 4 are not \(first at position 2: -?(nan|inf)\)"):
        Pool(column([0.9, 0.8, bad, 0.1]), threshold=0.5)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], "scores must hold at least one item.*empty"),
        (np.empty(0), "scores must hold at least one item.*empty"),
        (0.5, r"scores must be one column: got shape \(\)"),
        (None, "scores must be"),
        ([[0.5, 0.1], [0.3, 0.2]], r"scores must be one column: got shape \(2, 2\)"),
        ([[0.5], [0.3, 0.2]], "scores must be"),
        (["high", "low"], "scores must be numbers.*high"),
        ([1j, 0.5], "scores must be numbers.*complex"),
    ],
)
def test_scores_must_be_a_column_of_numbers(scores: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(scores, threshold=0.5)


@pytest.mark.parametrize("wrong", [SIZE - 1, SIZE + 1, 0])
@pytest.mark.parametrize("name", ["predictions", "ids", "weights", "features"])
def test_columns_must_be_as_long_as_the_scores(name: str, wrong: int) -> None:
    columns: dict[str, Any] = {
        "predictions": [0, 1] * SIZE,
        "ids": list(range(2 * SIZE)),
        "weights": [1.0] * 2 * SIZE,
        "features": np.ones((2 * SIZE, 2)),
    }
    columns = {name: columns[name][:wrong]}
    with pytest.raises(InputError, match=f"{name} must be one for each item: got {wrong} for {SIZE}"):
        Pool(SCORES, **({"threshold": 0.5} | columns if name != "predictions" else columns))


@pytest.mark.parametrize("bad", [2, -1, 0.5, math.nan, None, "yes"])
def test_predictions_must_be_0_or_1(bad: Any) -> None:
    predictions = [1, bad, 0, 0]
    with pytest.raises(InputError, match=r"predictions must be (0 or 1: 1 of 4 are not.*position 1|numbers.*yes)"):
        Pool(SCORES[:4], predictions)
    evaluation = Evaluation(pool_of(SCORES[:4]))
    with refused(evaluation, "predictions must be"):
        evaluation.estimate(predictions=predictions)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", "b", "a", "c"], r"ids must be distinct: 1 of 4 repeat another \(for example 'a'\)"),
        ([7, 7, 7, 8], r"ids must be distinct: 2 of 4 repeat another \(for example 7\)"),
        (np.array([7, 7, 1, 2]), "ids must be distinct.*7"),
        (["a", 1, "b", 2], "ids must be all strings or all integers: got int, str"),
        (["a", None, "b", "c"], "ids must be all strings or all integers: got NoneType, str"),
        ([0.0, 1.0, 2.0, 3.0], "ids must be all strings or all integers: got float"),
        ([True, False, 2, 3], "ids must be all strings or all integers: got bool"),
        ([[0], [1], [2], [3]], "ids must be"),
        (5, "ids must be"),
    ],
)
def test_ids_must_be_distinct_strings_or_integers(ids: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(SCORES[:4], threshold=0.5, ids=ids)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either predictions or threshold: got neither"),
        ({"predictions": [1] * SIZE, "threshold": 0.5}, "either predictions or threshold: got both"),
        ({"threshold": math.nan}, "threshold must be a finite number: got nan"),
        ({"threshold": math.inf}, "threshold must be a finite number: got inf"),
        ({"threshold": "0.5"}, "threshold must be a finite number: got '0.5'"),
        ({"threshold": [0.5]}, "threshold must be a finite number"),
    ],
)
def test_predictions_or_a_threshold(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(SCORES, **options)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"weights": [1, 1, 0, 1]}, r"weights must be positive: 1 of 4 are not \(first at position 2: 0.0\)"),
        ({"weights": [1, -2, 1, -1]}, r"weights must be positive: 2 of 4 are not \(first at position 1: -2.0\)"),
        ({"weights": [1, 1, 1, math.nan]}, "weights must be finite: 1 of 4.*position 3"),
        ({"weights": ["heavy"] * 4}, "weights must be numbers.*heavy"),
        ({"features": [1, 2, 3, 4]}, r"features must be numbers in two dimensions.*got shape \(4,\)"),
        ({"features": [["a"], ["b"], ["c"], ["d"]]}, "features must be numbers"),
        ({"features": [[1], [2, 3], [4], [5]]}, "features must be"),
        ({"features": [[1], [math.inf], [3], [4]]}, "features must be finite: 1 row.*position 1"),
        ({"scale": "percent"}, "scale must be one of probability, log, logit: got 'percent'"),
    ],
)
def test_weights_features_and_scale(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(SCORES[:4], threshold=0.5, **columns)


def test_weights_of_any_size_are_shares() -> None:
    """p is proportional to the weights, also where their sum is beyond a float."""
    assert Pool([0.9, 0.1], threshold=0.5, weights=[1e308, 1e308]).view().p(np.arange(2)).tolist() == [0.5, 0.5]


# --- what an evaluation is made of ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "accuracy"}, "metric must be one of f1.*precision, recall.*got 'accuracy'"),
        ({"metric": "accuracy"}, "metric must be one of f1.*got 'accuracy'"),
        ({"metric": None}, "metric must be one of.*got None"),
        ({"metric": 1}, "metric must be one of.*got 1"),
        ({"metric": "tp"}, "metric must be of the F family.*got 'tp'.*estimate"),
        ({"metric": "recall", "alpha": 0.5}, "either metric or alpha.*'recall'.*0.5"),
        ({"alpha": 1.5}, "alpha must be a number from 0.*to 1.*got 1.5"),
        ({"sampler": "acid"}, "sampler must be one of curve, acis, .*herding.*got 'acid'"),
        ({"sampler": None}, "sampler must be.*got None"),
        ({"settings": {"epsilom": 0.1}}, "settings of sampler 'acis' must be among first, .*epsilon.*got 'epsilom'"),
        ({"sampler": "rand", "settings": {"first": 5}}, "sampler 'rand' has no settings: got 'first'"),
        ({"sampler": lowshot.samplers["rand"](), "settings": {"first": 5}}, "settings.*got both"),
        ({"settings": ["first"]}, "settings"),
        ({"settings": {"first": 0}}, "first must be a whole number at least 1: got 0"),
        ({"settings": {"first": 2.5}}, "first must be a whole number at least 1: got 2.5"),
        ({"settings": {"growth": 0.5}}, "growth must be a number from 1.*got 0.5"),
        ({"settings": {"top_k": -1}}, "top_k must be a number.*got -1"),
        ({"settings": {"epsilon": 0.7}}, "epsilon must be a number from 0 to 0.5: got 0.7"),
        ({"settings": {"epsilon": "small"}}, "epsilon must be a number.*got 'small'"),
        ({"settings": {"prior_rounds": -1}}, "prior_rounds must be a whole number at least 0: got -1"),
        ({"settings": {"calibration": "spline"}}, "calibration must be one of isotonic, platt: got 'spline'"),
        ({"settings": {"reuse": "all"}}, "reuse must be one of stratum, paper, none: got 'all'"),
        ({"settings": {"average": 0}}, "average must be a whole number at least 1: got 0"),
        ({"settings": {"combine": "sum"}}, "combine must be one of independent, worst_case, literal: got 'sum'"),
        ({"settings": {"clip": (0.9, 0.1)}}, "clip must be two numbers.*the lower first"),
        ({"settings": {"clip": ("low", "high")}}, "clip must be two numbers"),
        ({"settings": {"defensive": 2}}, "defensive must be a number from 0 to 1: got 2"),
        ({"settings": {"partial": "no"}}, "partial"),
        ({"sampler": "sawade", "settings": {"lowest": 0}}, "lowest must be a number.*got 0"),
        ({"seed": -1}, "seed must be a whole number from 0.*got -1"),
        ({"seed": 2**64}, "seed must be a whole number from 0"),
        ({"seed": 0.5}, "seed must be a whole number.*got 0.5"),
        ({"seed": None}, "seed must be a whole number.*got None"),
        ({"known": {99: 1}}, "items must be ids of the pool: got 99"),
        ({"known": {0: 2}}, "labels must be 0, 1.*got 2 for item 0"),
        ({"known": {0: None}}, "known labels must be 0 or 1: got None"),
        ({"known": [0, 1]}, "known"),
    ],
)
def test_parts_of_an_evaluation(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Evaluation(pool_of(), **{"sampler": "acis", **options})


@pytest.mark.parametrize("pool", [SCORES, np.array(SCORES), None])
def test_pool_must_be_a_pool(pool: Any) -> None:
    with pytest.raises(InputError, match=r"pool must be a lowshot.Pool: got (list|ndarray|NoneType)"):
        Evaluation(pool)


@pytest.mark.parametrize("sampler", ["sawade", "gmm"])
@pytest.mark.parametrize(
    ("scores", "scale", "message"),
    [
        ([0.9, 0.1], None, "scale must be given.*'probability', 'log' or 'logit'"),
        ([1.1, 0.1], "probability", "scores must be from 0 to 1 on the scale 'probability': got 0.1 to 1.1"),
        ([0.9, -0.1], "probability", "scores must be from 0 to 1 on the scale 'probability': got -0.1 to 0.9"),
        ([0.9, -0.1], "log", "scores must be at most 0 on the scale 'log': got -0.1 to 0.9"),
        ([1000.0, -0.1], "log", "scores must be at most 0 on the scale 'log': got -0.1 to 1000"),
    ],
)
def test_probabilities_are_needed(sampler: str, scores: list[float], scale: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Evaluation(Pool(scores, [1, 0], scale=scale), sampler=sampler)


@pytest.mark.parametrize("sampler", [name for name in SAMPLERS if name not in ("sawade", "gmm")])
def test_others_take_scores_of_any_scale(sampler: str) -> None:
    scores = [250.0, 3.0, -1.0, -90.0]
    evaluation = Evaluation(Pool(scores, [1, 1, 0, 0], features=np.eye(4)), sampler=sampler)
    assert list(label_everything(evaluation, TRUTH))[-1] == 4
    assert evaluation.estimate().value == exact(TRUTH[:4], [1, 1, 0, 0])


@pytest.mark.parametrize("scale", ["probability", "log"])
def test_a_scale_that_is_impossible_is_refused_before_a_label_is_bought(scale: Any) -> None:
    with pytest.raises(InputError, match=f"scores must be .* on the scale {scale!r}: got -90 to 250"):
        pool_of([250.0, 3.0, -1.0, -90.0], [1, 1, 0, 0], scale=scale)


@every_sampler
@pytest.mark.parametrize(
    ("scores", "scale"),
    [([0.9, 0.8, 0.2, 0.1], "logit"), ([250.0, 3.0, -1.0, -90.0], "logit"), ([-0.5, -3.0, -40.0, -900.0], "log")],
)
def test_a_scale_that_is_possible_and_wrong_does_not_make_a_result_wrong(
    sampler: str, scores: list[float], scale: Any
) -> None:
    evaluation = Evaluation(pool_of(scores, [1, 1, 0, 0], scale=scale), sampler=sampler)
    for _ in label_everything(evaluation, TRUTH):
        assert_sane(evaluation.estimate())
    assert evaluation.labels == 4
    assert evaluation.estimate().value == exact(TRUTH[:4], [1, 1, 0, 0])


# --- ask and tell -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, -1, 2.0, "3", None, True])
def test_ask_needs_a_whole_number(n: Any) -> None:
    evaluation = under_way()
    with refused(evaluation, f"n must be a whole number at least 1: got {n!r}"):
        evaluation.ask(n)


@every_sampler
def test_ask_for_more_than_there_is(sampler: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    handed_out: list[Any] = []
    while items := evaluation.ask(10**14):
        handed_out += items
    assert sorted(handed_out) == list(range(SIZE))
    assert "12 are pending" in evaluation.reason


def test_tell_an_item_never_asked() -> None:
    evaluation = under_way()
    answered, pending = list(evaluation.history["labels"]), evaluation.pending
    never = next(item for item in range(SIZE) if item not in answered + pending)
    with refused(evaluation, f"items must have been asked: {never} never was"):
        evaluation.tell([pending[0], never], [1, 1])


@pytest.mark.parametrize("item", [99, -1, SIZE, "0", 0.5, None, (0,), [0]])
@pytest.mark.parametrize("ids", [None, list(range(SIZE)), [f"item {i}" for i in range(SIZE)]])
def test_tell_or_correct_what_is_no_item(item: Any, ids: Any) -> None:
    evaluation = Evaluation(pool_of(ids=ids))
    asked = evaluation.ask(SIZE)
    evaluation.tell(asked[:1], [1])
    with refused(evaluation, "items? must be.*not in it"):
        evaluation.tell([asked[1], item], [1, 1])
    with refused(evaluation, "items? must be.*not in it"):
        evaluation.correct(item, 1)


@pytest.mark.parametrize("item", [1.0, True, np.float64(1), np.bool_(True)])
def test_what_looks_like_an_integer_id_is_treated_alike(item: Any) -> None:
    """With positions as ids and with the same integers given: taken in both, or in neither."""
    taken = []
    for ids in (None, list(range(SIZE))):
        evaluation = Evaluation(pool_of(ids=ids))
        evaluation.ask(SIZE)
        try:
            evaluation.tell([item], [1])
        except InputError:
            taken.append(False)
        else:
            taken.append(True)
    assert taken[0] == taken[1]


@pytest.mark.parametrize("old", [0, 1, None])
@pytest.mark.parametrize("new", [0, 1, None])
def test_tell_twice(old: int | None, new: int | None) -> None:
    evaluation = under_way()
    item = evaluation.pending[0]
    evaluation.tell([item], [old])
    if old == new:
        before = state(evaluation)
        evaluation.tell([item], [new])
        assert state(evaluation) == before
        return
    with refused(evaluation, rf"{item} was answered {old} before and now {new}; use correct\(\)"):
        evaluation.tell([item], [new])
    evaluation.correct(item, new)
    assert evaluation.history["labels"][item] == new
    assert [answer["label"] for answer in evaluation.history["answers"] if answer["item"] == item] == [old, new]


def test_tell_twice_in_one_call() -> None:
    evaluation = under_way()
    item = evaluation.pending[0]
    with refused(evaluation, f"{item} was answered 1 before and now 0"):
        evaluation.tell([item, item], [1, 0])
    evaluation.tell([item, item], [1, 1])
    assert [answer["item"] for answer in evaluation.history["answers"]].count(item) == 1


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1], "labels must be one for each item: got 1 labels for 2 items"),
        ([1, 0, 1], "labels must be one for each item: got 3 labels for 2 items"),
        ([], "labels must be one for each item: got 0 labels for 2 items"),
        (1, "labels must be"),
        (None, "labels must be"),
        ([1, 2], "labels must be 0, 1 or None.*got 2 for item"),
        ([1, -1], "labels must be 0, 1 or None.*got -1 for item"),
        ([1, 0.5], "labels must be 0, 1 or None.*got 0.5 for item"),
        ([1, math.nan], "labels must be 0, 1 or None.*got nan for item"),
        ([1, "1"], "labels must be 0, 1 or None.*got '1' for item"),
        ([1, [0]], r"labels must be 0, 1 or None.*got \[0\] for item"),
    ],
)
def test_tell_labels_that_are_none(labels: Any, message: str) -> None:
    evaluation = under_way()
    with refused(evaluation, message):
        evaluation.tell(evaluation.pending, labels)


@pytest.mark.parametrize("scalar", [int, np.int64, np.uint8])
def test_tell_one_item_without_a_list(scalar: Callable[[Any], Any]) -> None:
    evaluation = under_way()
    with refused(evaluation, "items must be a list: got"):
        evaluation.tell(scalar(evaluation.pending[0]), 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("label", [2, "1", 0.5, math.nan])
def test_correct_needs_a_label(label: Any) -> None:
    evaluation = under_way()
    with refused(evaluation, "labels must be 0, 1 or None"):
        evaluation.correct(next(iter(evaluation.history["labels"])), label)


def test_correct_what_was_never_answered() -> None:
    evaluation = under_way()
    with refused(evaluation, "must have been answered.*was not; use tell"):
        evaluation.correct(evaluation.pending[0], 1)


def test_known_labels_stay_labels() -> None:
    evaluation = under_way(known={11: 0})
    with refused(evaluation, "known labels must be 0 or 1: got None for 11"):
        evaluation.correct(11, None)
    with refused(evaluation, "11 was answered 0 before and now 1"):
        evaluation.tell([11], [1])
    evaluation.correct(11, 1)
    assert evaluation.history["labels"][11] == 1


def test_history_is_a_copy() -> None:
    evaluation = under_way()
    before = state(evaluation)
    history = evaluation.history
    history["labels"].clear()
    history["answers"].clear()
    history["rounds"][0]["items"].clear()
    history["header"]["settings"]["first"] = 99
    evaluation.pending.clear()
    assert state(evaluation) == before


# --- estimate ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "accuracy"}, "metric must be one of f1.*got 'accuracy'"),
        ({"confidence": 95}, "confidence must be a number.*got 95"),
        ({"confidence": 1}, "confidence must be a number.*got 1"),
        ({"confidence": 0}, "confidence must be a number.*got 0"),
        ({"confidence": math.nan}, "confidence must be a number.*got nan"),
        ({"target": "world"}, "target must be one of pool, population: got 'world'"),
        ({"predictions": [1]}, f"predictions must be one for each item: got 1 for {SIZE}"),
        ({"predictions": {0: 1}}, f"predictions must hold every item.*{SIZE - 1} of {SIZE} are missing"),
        ({"predictions": dict.fromkeys(range(SIZE + 2), 1)}, "predictions must hold every item.*2 are not in the pool"),
        ({"predictions": dict.fromkeys(range(SIZE), 3)}, f"predictions must be 0 or 1: {SIZE} of {SIZE} are not"),
    ],
)
def test_arguments_of_estimate(options: dict[str, Any], message: str) -> None:
    evaluation = under_way()
    with refused(evaluation, message):
        evaluation.estimate(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": SIZE + 1}, f"budget must be at most the number of items: got {SIZE + 1} for a pool of {SIZE}"),
        ({"budget": 0}, "budget must be a whole number at least 1: got 0"),
        ({"budget": 2.5}, "budget must be a whole number at least 1: got 2.5"),
        ({"budget": 3, "metric": "accuracy"}, "metric must be one of"),
        ({"budget": 3, "sampler": "acid"}, "sampler must be one of"),
        ({"budget": 3, "settings": {"epsilom": 1}}, "settings of sampler 'acis'.*'epsilom'"),
        ({"budget": 3, "predictions": [1] * SIZE}, "either predictions or threshold: got both"),
        ({"budget": 3, "ids": [0] * SIZE}, "ids must be distinct"),
    ],
)
def test_the_loop_in_one_call_asks_nobody_on_bad_input(options: dict[str, Any], message: str) -> None:
    def oracle(ids: list[Any]) -> list[int]:
        raise AssertionError(f"asked for {ids}")

    with pytest.raises(InputError, match=message):
        lowshot.estimate(SCORES, oracle=oracle, threshold=0.5, **{"sampler": "acis", **options})


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (None, "oracle must be a function.*got None"),
        ([1, 0], r"oracle must be a function.*got \[1, 0\]"),
        (lambda ids: [1], "labels must be one for each item: got 1 labels"),
        (lambda ids: None, "labels must be"),
        (lambda ids: ["yes" for _ in ids], "labels must be 0, 1 or None.*'yes'"),
    ],
)
def test_the_oracle_must_answer(oracle: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lowshot.estimate(SCORES, oracle=oracle, budget=3, threshold=0.5)


@pytest.mark.parametrize(
    ("labels", "predictions", "metric", "message"),
    [
        ([1, 0], [1], "f1", "predictions must be one for each.*: got 1 for 2"),
        ([1, 2], [1, 0], "f1", r"labels must be 0 or 1: 1 of 2 are not \(first at position 1: 2\)"),
        ([1, 0], [1, 0.5], "f1", "predictions must be 0 or 1"),
        ([1, 0], [1, 0], "tp", "metric must be of the F family"),
    ],
)
def test_finite_pool_variance_of_what_is_no_labelled_set(
    labels: Any, predictions: Any, metric: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        lowshot.finite_pool_variance(labels, predictions, metric)


@every_sampler
@pytest.mark.parametrize("metric", SHARES + AMOUNTS)
def test_estimate_before_any_label(sampler: str, metric: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    for _ in range(2):
        answer = evaluation.estimate(metric)
        assert math.isnan(answer.value)
        assert answer.labels == 0
        assert "no label yet" in answer.reason
        assert "undefined" in str(answer)
        evaluation.ask(3)


@every_sampler
def test_estimate_before_any_usable_label(sampler: str) -> None:
    """The first draw is not answered: nothing after it can be used yet."""
    evaluation = Evaluation(pool_of(), sampler=sampler)
    items = evaluation.ask(4)
    evaluation.tell(items[1:], [1, 1, 1])
    answer = evaluation.estimate()
    assert math.isnan(answer.value)
    assert answer.labels == 0
    assert "label" in answer.reason
    evaluation.tell(items[:1], [1])
    assert evaluation.estimate().labels == 4


# --- odd pools and odd labels -----------------------------------------------------------------------------------------

TOP = [score >= 0.5 for score in SCORES]
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
def test_the_loop_in_one_call_with_budget_equal_to_the_pool(sampler: str) -> None:
    asked: list[Any] = []

    def oracle(ids: list[Any]) -> list[int]:
        asked.extend(ids)
        return [TRUTH[item] for item in ids]

    columns = {"features": np.eye(SIZE), "scale": "probability"}
    answer = lowshot.estimate(SCORES, TOP, oracle, budget=SIZE, sampler=sampler, **columns)
    assert sorted(asked) == list(range(SIZE))
    assert answer.value == pytest.approx(exact(TRUTH, TOP))
    assert answer.labels == SIZE


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


@every_sampler
def test_no_predicted_positives(sampler: str) -> None:
    evaluation = Evaluation(pool_of(threshold=2), sampler=sampler)
    assert evaluation.ask(5) == []
    assert "no item is predicted positive" in evaluation.reason
    for metric in ("f1", "f2", "recall"):
        answer = evaluation.estimate(metric)
        assert answer.value == 0
        assert f"no item is predicted positive: {metric} is exactly 0 if any positive exists" in answer.reason
        assert "no item is predicted positive" in str(answer)
    assert evaluation.history["rounds"] == []
    assert evaluation.labels == 0


def test_no_precision_without_predicted_positives() -> None:
    answer = Evaluation(pool_of(threshold=2), "precision").estimate()
    assert math.isnan(answer.value)
    assert "no item is predicted positive: precision does not exist" in answer.reason


@pytest.mark.parametrize("metric", ["f1", "precision", "recall"])
def test_no_predicted_positives_in_one_call(metric: str) -> None:
    def oracle(ids: list[Any]) -> list[int]:
        raise AssertionError(f"asked for {ids}")

    answer = lowshot.estimate(SCORES, [0] * SIZE, oracle, budget=5, metric=metric)
    assert "no item is predicted positive" in answer.reason
    assert answer.labels == 0


@pytest.mark.parametrize(("metric", "value"), [("tp", 0), ("fp", 0), ("fn", 5), ("prevalence", 5 / 12)])
def test_amounts_without_predicted_positives(metric: str, value: float) -> None:
    """tp and fp are 0 whatever the labels; fn and prevalence are known once every label is."""
    pool = pool_of(threshold=2)
    if value == 0:
        assert Evaluation(pool).estimate(metric).value == 0
    known = Evaluation(pool, known=dict(enumerate(TRUTH)))
    assert known.estimate(metric).value == pytest.approx(value)


@every_sampler
def test_prevalence_does_not_depend_on_predictions(sampler: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    items = evaluation.ask(6)
    evaluation.tell(items, [TRUTH[item] for item in items])
    own = evaluation.estimate("prevalence")
    none = evaluation.estimate("prevalence", predictions=[0] * SIZE)
    assert own.defined
    assert none.defined
    if sampler not in ("curve", "gmm"):  # their models know the predictions
        assert none.value == pytest.approx(own.value)


@every_sampler
def test_another_model_without_predicted_positives(sampler: str) -> None:
    evaluation = under_way(sampler=sampler)
    before = state(evaluation)
    assert evaluation.estimate(predictions=[0] * SIZE).value == 0
    assert math.isnan(evaluation.estimate("precision", predictions=[0] * SIZE).value)
    assert state(evaluation) == before


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


@every_sampler
def test_asking_on_while_answers_are_pending(sampler: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    items: list[Any] = []
    while further := evaluation.ask(3):
        items += further
    assert sorted(items) == list(range(SIZE))
    assert evaluation.pending == items
    assert f"{SIZE} are pending" in evaluation.reason
    evaluation.tell(items[::-1], [TRUTH[item] for item in items[::-1]])
    assert evaluation.estimate().value == pytest.approx(exact(TRUTH, TOP))
    assert evaluation.ask(3) == []
    assert evaluation.pending == []


def test_herding_without_features_says_so_and_takes_the_scores() -> None:
    with pytest.warns(UserWarning, match=r"no features.*scores"):
        fallen_back = Evaluation(Pool(SCORES, threshold=0.5), sampler="herding").ask(5)
    column = np.array(SCORES)[:, None]
    assert fallen_back == Evaluation(Pool(SCORES, threshold=0.5, features=column), sampler="herding").ask(5)


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
    with at_most(2):
        *_, labels = label_everything(evaluation, TRUTH, step=5)
    assert labels == SIZE
