"""Arguments of an evaluation and of its estimates: bad ones are refused in words and change nothing."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import lowshot
from lowshot import Evaluation, InputError, Pool

from .small_evaluations import (
    AMOUNTS,
    SAMPLERS,
    SCORES,
    SHARES,
    SIZE,
    TRUTH,
    assert_sane,
    every_sampler,
    exact,
    label_everything,
    pool_of,
    refused,
    under_way,
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "accuracy"}, "metric must be one of f1.*precision, recall.*got 'accuracy'"),
        ({"metric": "accuracy"}, "metric must be one of f1.*got 'accuracy'"),
        ({"metric": 1}, "metric must be one of.*got 1"),
        ({"metric": "tp"}, "metric must be of the F family.*got 'tp'.*estimate"),
        ({"metric": "recall", "alpha": 0.5}, "either metric or alpha.*'recall'.*0.5"),
        ({"alpha": 1.5}, "alpha must be a number from 0.*to 1.*got 1.5"),
        ({"sampler": "acid"}, "sampler must be one of curve, acis, .*herding.*got 'acid'"),
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


@every_sampler
@pytest.mark.parametrize("metric", SHARES + AMOUNTS)
def test_estimate_before_any_label(sampler: str, metric: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    for _ in range(2):
        answer = evaluation.estimate(metric)
        assert math.isnan(answer.value)
        assert answer.labels == 0
        assert "no labels yet" in answer.reason
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


def test_herding_without_features_says_so_and_takes_the_scores() -> None:
    with pytest.warns(UserWarning, match=r"no features.*scores"):
        fallen_back = Evaluation(Pool(SCORES, threshold=0.5), sampler="herding").ask(5)
    column = np.array(SCORES)[:, None]
    assert fallen_back == Evaluation(Pool(SCORES, threshold=0.5, features=column), sampler="herding").ask(5)


IDS = [f"{number:02}.jpg" for number in (7, 3, 9, 1, 5, 0, 2, 8, 6, 4)]
SERIES = pd.Series([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], index=IDS)
HEIGHTS = np.linspace(1, 0, 10)


def all_asked(pool: Pool) -> tuple[Evaluation, list[Any]]:
    evaluation = Evaluation(pool, sampler="topk")
    return evaluation, evaluation.ask(10)


def test_labels_in_another_order_are_refused() -> None:
    evaluation, items = all_asked(Pool(HEIGHTS, threshold=0.5, ids=IDS))
    before = evaluation.history
    with pytest.raises(InputError, match=r"labels must be in the order of items: the index has .* labels.loc\[items\]"):
        evaluation.tell(items[:5], SERIES[items[:5]].sort_index())
    assert evaluation.history == before
    evaluation.tell(items[:5], SERIES[items[:5]])
    evaluation.tell(pd.Series(items[5:]), SERIES[items[5:]])
    assert evaluation.history["labels"] == SERIES.to_dict()


def test_labels_are_compared_with_the_index_of_the_pool() -> None:
    """Without ids, items are positions: the index says nothing about them, but that of the pool's columns does."""
    frame = pd.DataFrame({"score": HEIGHTS, "truth": SERIES.to_numpy()}, index=IDS)
    for pool in (Pool(frame["score"], threshold=0.5), Pool.from_frame(frame, score="score", threshold=0.5)):
        evaluation, items = all_asked(pool)
        with pytest.raises(InputError, match="labels must be in the order of items"):
            evaluation.tell(items, frame["truth"].iloc[items].sort_index())
        evaluation.tell(items, frame["truth"].iloc[items])
        assert evaluation.labels == 10


def test_positions_are_no_index() -> None:
    """Of a shuffled table without ids, `labels.loc[items]` has the labels of other items, under the right numbers."""
    frame = pd.DataFrame({"score": HEIGHTS, "truth": SERIES.to_numpy()}, index=[15, 3, 1, 0, 2, 4, 9, 8, 7, 6])
    pool = Pool.from_frame(frame, score="score", threshold=0.5)
    evaluation, items = all_asked(pool)
    truth, some = frame["truth"], items[:4]
    with pytest.raises(InputError, match=r"items are positions in the pool.* labels.loc\[pool.index\[items\]\]"):
        evaluation.tell(some, pd.Series([1, 0, 1, 0], index=some))
    with pytest.raises(InputError, match=r"in another order; reorder them with labels.loc\[pool.index\[items\]\]"):
        evaluation.tell(some, truth.iloc[some].sort_index())
    assert not evaluation.labels
    evaluation.tell(some, truth.loc[pool.index[some]])
    evaluation.tell(pd.Series(items[4:], index=items[4:]), truth.iloc[items[4:]].set_axis(items[4:]))
    assert evaluation.history["labels"] == dict(zip(items, truth.iloc[items], strict=True))


def test_whole_numbers_of_another_type_are_the_same_index() -> None:
    """pandas does not call an index of int64 and one of Int64 equal."""
    scores = pd.Series([0.9, 0.8, 0.1], index=[5, 6, 7])
    flags = pd.Series([1, 0, 1], index=pd.Index([5, 6, 7], dtype="Int64"))
    pool = Pool(scores, threshold=0.5, helpers={"clip": flags})
    assert pool.with_predictions(flags).predictions.tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="predictions must be in the order of the pool"):
        pool.with_predictions(flags.iloc[::-1])


@pytest.mark.parametrize("index", [None, range(10, 20), list("abcdefghij"), ["a"] * 10, [None, *"abcdefghi"]])
@pytest.mark.parametrize("ids", [None, [5, 3, 1, 0, 2, 4, 9, 8, 7, 6], IDS])
def test_an_index_that_has_no_ids_means_positions(index: Any, ids: Any) -> None:
    evaluation, items = all_asked(Pool(HEIGHTS, threshold=0.5, ids=ids))
    values = pd.Series([1, 0] * 5, index=index)
    evaluation.tell(items, values)
    assert evaluation.history["labels"] == dict(zip(items, [1, 0] * 5, strict=True))
    assert evaluation.estimate(predictions=values) == evaluation.estimate(predictions=[1, 0] * 5)


def test_labels_and_items_of_one_shuffled_table() -> None:
    """Its index is a permutation of the positions by chance; that of the items says that rows belong together."""
    evaluation, items = all_asked(Pool(HEIGHTS, threshold=0.5))
    table = pd.DataFrame({"item": items, "label": [1, 0] * 5}, index=[5, 3, 1, 0, 2, 4, 9, 8, 7, 6])
    with pytest.raises(InputError, match="labels must be in the order of items"):
        evaluation.tell(table["item"], table["label"].iloc[::-1])
    evaluation.tell(table["item"], table["label"])
    assert evaluation.history["labels"] == dict(zip(items, [1, 0] * 5, strict=True))


def test_predictions_in_another_order_are_refused() -> None:
    evaluation, items = all_asked(Pool(HEIGHTS, threshold=0.5, ids=IDS))
    evaluation.tell(items, SERIES[items])
    assert evaluation.estimate("f1", predictions=SERIES).value == 1
    with pytest.raises(InputError, match="predictions must be in the order of the pool: the index has the same"):
        evaluation.estimate("f1", predictions=SERIES.sort_index())


def test_predictions_are_compared_with_the_index_of_the_pool() -> None:
    """A shuffled table without ids has a permutation of the positions as its index; its columns are in order."""
    places = [5, 3, 1, 0, 2, 4, 9, 8, 7, 6]
    table = pd.DataFrame({"score": HEIGHTS, "truth": SERIES.to_numpy()}, index=places)
    evaluation, items = all_asked(Pool(table["score"], threshold=0.5))
    evaluation.tell(items, table["truth"].iloc[items])
    assert evaluation.estimate("f1", predictions=table["truth"]).value == 1
    with pytest.raises(InputError, match="predictions must be in the order of the pool"):
        evaluation.estimate("f1", predictions=table["truth"].sort_index())
