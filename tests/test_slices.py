"""Slices: estimates of parts of a pool from the labels of all of it."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

import lowshot
from lowshot import Estimate, Evaluation, InputError, Pool, Table
from lowshot.core.types import Flags, Floats
from lowshot.history import History
from lowshot.slicing import OTHERS, WIDE, WIDER

N = 8_000


def simulated(seed: int = 0, items: int = N) -> tuple[Floats, Flags]:
    """Scores, and labels with 1 % positives."""
    random = np.random.default_rng(seed)
    truth = random.random(items) < 0.01
    return random.normal(size=items) + 3 * truth, truth


def cameras(seed: int = 1, items: int = N, names: tuple[str, ...] = ("east", "north", "south")) -> Any:
    return np.random.default_rng(seed).choice(names, items)


def labelled(pool: Pool, truth: Flags, labels: int, **options: Any) -> Evaluation:
    """An evaluation after so many labels."""
    evaluation = Evaluation(pool, **options)
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, truth[pool.positions(items)].astype(int))
    return evaluation


def three(labels: int = 120, **options: Any) -> Evaluation:
    scores, truth = simulated()
    return labelled(Pool(scores, threshold=2.2, slices={"camera": cameras()}), truth, labels, **options)


def same(one: Estimate, two: Estimate) -> bool:
    assert one.interval is not None
    assert two.interval is not None
    found = one.value, one.interval.low, one.interval.high
    return found == pytest.approx((two.value, two.interval.low, two.interval.high), abs=1e-12)


def rows(table: Table) -> dict[Any, dict[str, Any]]:
    return dict(zip(table.names, table.rows, strict=True))


def test_a_pool_that_is_one_slice_has_the_estimate_of_the_pool() -> None:
    scores, truth = simulated()
    evaluation = labelled(Pool(scores, threshold=2.2, slices={"camera": ["north"] * N}), truth, 80)
    for metric in ("f1", "recall", "precision", "fn", "prevalence"):
        assert same(evaluation.estimate(metric, where={"camera": "north"}), evaluation.estimate(metric))


def test_a_row_of_the_table_is_the_estimate_of_the_slice() -> None:
    evaluation = three()
    table = evaluation.table(by="camera", metric="recall", confidence=0.9)
    assert (table.by, table.metric, table.confidence, table.labels) == ("camera", "recall", 0.9, 120)
    for name, row in rows(table).items():
        found = evaluation.estimate("recall", where={"camera": name}, confidence=0.9)
        assert found.interval is not None
        assert (row["value"], row["low"], row["high"]) == (found.value, found.interval.low, found.interval.high)
        assert row["labels"] == found.labels
    assert sum(row["labels"] for row in table.rows) == 120
    assert sum(row["items"] for row in table.rows) == N
    assert sum(row["predicted"] for row in table.rows) == evaluation.pool.predicted_positives


def test_slices_sum_to_the_pool() -> None:
    evaluation = three()
    for metric in ("tp", "fn"):
        found = [evaluation.estimate(metric, where={"camera": name}) for name in ("east", "north", "south")]
        whole = evaluation.estimate(metric)
        # Each is a mean of 400 draws with chance of its own; the curves behind them are the same. The value is midway
        # between mean and median, which differ by less than a fifth of the standard deviation in such draws.
        variances = [one.variance or 0.0 for one in (*found, whole)]
        allowed = 4 * math.sqrt(sum(variances) / 400) + 0.2 * max(map(math.sqrt, variances))
        assert abs(sum(one.value for one in found) - whole.value) < allowed


def test_all_values_together_are_about_the_pool() -> None:
    evaluation = three()
    whole, every = evaluation.estimate(), evaluation.estimate(where={"camera": ["east", "north", "south"]})
    assert every.labels == whole.labels == 120
    assert every.value == pytest.approx(whole.value, abs=4 * math.sqrt(2 * (whole.variance or 0) / 400))


def test_columns_together_mean_and() -> None:
    scores, truth = simulated()
    month = np.arange(N) % 4
    evaluation = labelled(Pool(scores, threshold=2.2, slices={"camera": cameras(), "month": month}), truth, 120)
    found = evaluation.estimate("prevalence", where={"camera": "north", "month": [1, 2]})
    inside = (cameras() == "north") & ((month == 1) | (month == 2))
    assert found.reach.total == inside.sum()
    labels = [item for item in evaluation.snapshot().labels if inside[item]]
    assert found.labels == len(labels)


def different() -> tuple[Floats, Flags, Any]:
    """In one of four cameras the model is blind: positives have the scores of negatives, and some negatives theirs."""
    random = np.random.default_rng(3)
    scores, truth = simulated(3)
    camera = cameras(3, names=("a", "b", "c", "d"))
    blind = (camera == "d") & truth
    scores[blind] = random.normal(size=int(blind.sum()))
    flood = (camera == "d") & ~truth & (random.random(N) < 0.03)
    scores[flood] += 3
    return scores, truth, camera


def test_a_slice_that_differs_is_found() -> None:
    scores, truth, camera = different()
    pool = Pool(scores, threshold=2.2, slices={"camera": camera})
    evaluation = labelled(pool, truth, 250)
    found = rows(evaluation.table(by="camera", below=0.3))
    true = {name: f1_score(truth[camera == name], pool.predictions[camera == name]) for name in "abcd"}
    assert true["d"] < 0.1 < 0.4 < min(true[name] for name in "abc")
    assert found["d"]["below"] > 0.99
    assert max(found[name]["below"] for name in "abc") < 0.2
    assert abs(found["d"]["value"] - true["d"]) < 0.02
    for name in "abc":
        assert found[name]["low"] <= true[name] <= found[name]["high"]


def test_few_labels_of_a_slice_borrow_from_the_others() -> None:
    """With slices that are alike, an interval is narrower than one from the labels of the slice alone."""
    evaluation = three(150)
    north = rows(evaluation.table(by="camera"))["north"]
    inside = np.flatnonzero(cameras() == "north")
    history = evaluation.snapshot()
    known = {place: history.labels[item] for place, item in enumerate(inside.tolist()) if item in history.labels}
    there = frozenset(known)
    alone = Evaluation(Pool(simulated()[0][inside], threshold=2.2)).at(
        History(labels=known, known=there, uniform=there)
    )
    found = alone.estimate()
    assert found.interval is not None
    assert north["labels"] == len(known)
    assert north["high"] - north["low"] < 0.9 * found.interval.width


def test_a_slice_without_labels_rests_on_the_others() -> None:
    scores, truth = simulated()
    camera = cameras().astype(object)
    evaluation = labelled(Pool(scores, threshold=2.2), truth, 100)
    asked = evaluation.snapshot().labels
    free = [item for item in range(N) if item not in asked]
    best = sorted(free, key=lambda item: -scores[item])[:5]
    camera[best + free[:200]] = "new"
    again = Evaluation(Pool(scores, threshold=2.2, slices={"camera": camera}))
    again = again.at(evaluation.snapshot())
    new = rows(again.table(by="camera", below=0.5))["new"]
    assert (new["labels"], new["reason"]) == (0, OTHERS)
    assert new["low"] == 0.0  # no true positive was seen in it
    assert 0 < new["below"] < 1
    pool = again.estimate()
    assert pool.interval is not None
    assert new["high"] - new["low"] > pool.interval.width
    assert OTHERS in str(again.estimate(where={"camera": "new"}))


def test_a_slice_is_noted_if_its_interval_is_wide() -> None:
    """However many labels are in it: readers see the width, to which "cannot tell" adds."""
    scores, truth = simulated()
    pool = Pool(scores, threshold=2.2, slices={"camera": cameras(names=("a", "b", "c", "d"))})
    evaluation = Evaluation(pool)
    for _ in range(10):
        first, *others = evaluation.ask(10)
        evaluation.tell([first, *others], [None, *truth[others].astype(int)])
    found = evaluation.table(by="camera").rows
    wide = [row["high"] - row["low"] > WIDE for row in found]
    assert [row["reason"] == WIDER for row in found] == wide
    assert {True, False} == set(wide), "or nothing is tested"


def test_a_slice_without_predicted_positives_is_said_to_be_0() -> None:
    scores, truth = simulated()
    camera = np.where(scores < 0, "dark", "bright")
    evaluation = labelled(Pool(scores, threshold=2.2, slices={"camera": camera}), truth, 60)
    found = evaluation.estimate("recall", where={"camera": "dark"})
    assert (found.value, found.reason) == (
        0.0,
        "no item of it is predicted positive: recall is exactly 0 if any positive exists",
    )
    precision = evaluation.estimate("precision", where={"camera": "dark"})
    assert math.isnan(precision.value)
    assert "precision does not exist" in precision.reason
    row = rows(evaluation.table(by="camera", below=0.5))["dark"]
    assert (row["value"], row["predicted"], row["below"]) == (0.0, 0, 1.0)
    assert evaluation.estimate("prevalence", where={"camera": "dark"}).value < 0.01
    undefined = rows(evaluation.table(by="camera", metric="precision", below=0.5))["dark"]
    assert (undefined["value"], undefined["below"]) == (None, None)


def test_before_the_first_label_nothing_is_known() -> None:
    evaluation = three(0)
    row = evaluation.table(by="camera", below=0.5).rows[0]
    assert (row["value"], row["low"], row["below"]) == (None, None, None)
    assert row["reason"] == "f1 is not known: no labels yet; label more items"


def test_a_slice_that_is_all_labelled_is_known_exactly() -> None:
    scores, truth = simulated(5, 60)
    truth[:6] = [1, 1, 1, 0, 1, 0]
    camera = np.where(np.arange(60) % 2, "odd", "even")
    evaluation = labelled(Pool(scores, threshold=0.5, slices={"camera": camera}), truth, 60)
    for name in ("odd", "even"):
        found = evaluation.estimate(where={"camera": name})
        inside = camera == name
        assert found.value == pytest.approx(f1_score(truth[inside], scores[inside] >= 0.5))
        assert found.interval is not None
        assert found.interval.width == 0
        assert found.variance == 0.0


def test_a_slice_per_item() -> None:
    scores, truth = simulated(6, 400)
    pool = Pool(scores, threshold=1.5, slices={"item": np.arange(400)})
    table = labelled(pool, truth, 40).table(by="item")
    assert len(table.rows) == 400
    for row in table.rows:
        assert row["items"] == 1
        assert row["value"] is None or 0 <= row["low"] <= row["value"] <= row["high"] <= 1


@pytest.mark.parametrize("scores", [np.zeros(300), np.repeat([0.0, 1.0], 150)], ids=["all equal", "two levels"])
def test_ties(scores: Floats) -> None:
    truth = np.random.default_rng(7).random(300) < 0.3
    predictions = np.arange(300) % 3 == 0
    pool = Pool(scores, predictions, slices={"camera": np.arange(300) % 5})
    for row in labelled(pool, truth, 60).table(by="camera", below=0.5).rows:
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert 0 < row["below"] < 1


def test_a_slice_with_no_positives_has_an_estimate_near_0() -> None:
    scores, truth = simulated(8)
    camera = cameras(8)
    truth = truth & (camera != "south")
    pool = Pool(scores, threshold=1.8, slices={"camera": camera})
    row = rows(labelled(pool, truth, 300).table(by="camera"))["south"]
    assert row["low"] < 0.02
    assert row["value"] < 0.15


def test_weights_count() -> None:
    """Items of the north that count twice are as many items: the same shares of a slice, other shares of the pool."""
    scores, truth = simulated()
    weights = np.where(cameras() == "north", 2.0, 1.0)
    pool = Pool(scores, threshold=2.2, weights=weights, slices={"camera": cameras()})
    plain = labelled(Pool(scores, threshold=2.2, slices={"camera": cameras()}), truth, 120)
    heavy = Evaluation(pool).at(plain.snapshot())
    one, two = (each.estimate("tp", where={"camera": "north"}) for each in (plain, heavy))
    factor = 2 * N / weights.sum()
    assert two.value == pytest.approx(factor * one.value, rel=0.05)
    one, two = (each.estimate(where={"camera": "north"}) for each in (plain, heavy))
    assert two.value == pytest.approx(one.value, abs=3 * math.sqrt(2 * (one.variance or 0) / 400) + 0.02)


def test_cannot_tell_widens_the_interval_of_its_slice() -> None:
    scores, truth = simulated()
    pool = Pool(scores, threshold=2.2, slices={"camera": cameras()})
    sure, unsure = labelled(pool, truth, 100), Evaluation(pool)
    while unsure.labels < 100:
        items = unsure.ask(100 - unsure.labels)
        north = [bool(cameras()[item] == "north" and scores[item] > 2.2) for item in items]
        unsure.tell(items, [None if skip else int(truth[item]) for item, skip in zip(items, north, strict=True)])
    one, two = (rows(each.table(by="camera", below=0.5)) for each in (sure, unsure))
    assert two["north"]["high"] - two["north"]["low"] > one["north"]["high"] - one["north"]["low"]
    assert 0 < two["north"]["below"] < 1
    found = unsure.estimate(where={"camera": "north"})
    assert found.skipped > 0
    assert found.labels < one["north"]["labels"]
    only = Evaluation(pool)
    only.tell(only.ask(3), [None] * 3)
    assert "all answers so far are 'cannot tell'" in only.table(by="camera").rows[0]["reason"]


def test_a_restart_gives_the_same_table_and_slices_may_come_later(tmp_path: Path) -> None:
    scores, truth = simulated()
    store = tmp_path / "birds.db"
    evaluation = labelled(Pool(scores, threshold=2.2), truth, 60, store=store)
    pool = Pool(scores, threshold=2.2, slices={"camera": cameras()})
    again = Evaluation(pool, store=store)
    assert again.labels == evaluation.labels == 60
    assert again.table(by="camera").rows == three(60).table(by="camera").rows


def test_the_order_of_rows_does_not_matter() -> None:
    scores, truth = simulated()
    names = np.array([f"item {number}" for number in range(N)])
    order = np.random.default_rng(9).permutation(N)
    found = []
    for place in (np.arange(N), order):
        pool = Pool(scores[place], threshold=2.2, ids=names[place], slices={"camera": cameras()[place]})
        found.append(labelled(pool, truth[place], 60).table(by="camera").rows)
    for one, two in zip(*found, strict=True):
        assert one["value"] == pytest.approx(two["value"], abs=1e-9)


def test_several_models_are_sliced_one_at_a_time() -> None:
    scores, truth = simulated()
    noisy = scores + np.random.default_rng(2).normal(size=N)
    pool = Pool({"v1": scores, "v2": noisy}, threshold=2.2, slices={"camera": cameras()})
    evaluation = labelled(pool, truth, 60)
    with pytest.raises(InputError, match="model must be given"):
        evaluation.table(by="camera")
    for model in ("v1", "v2"):
        for name, row in rows(evaluation.table(by="camera", model=model)).items():
            found = evaluation.estimate(model=model, where={"camera": name})
            assert row["value"] == found.value
            inside = cameras() == name
            assert row["predicted"] == int((inside & ({"v1": scores, "v2": noisy}[model] >= 2.2)).sum())
    assert evaluation.table().by == "model"


def two_models(camera: Any) -> tuple[Pool, Flags]:
    """The second model is as good as the first one, but in the south it is noise."""
    scores, truth = simulated()
    other = simulated(4)[0] * 0.5 + 3 * truth
    south = camera == "south"
    other[south] = np.random.default_rng(4).normal(size=N)[south]
    return Pool({"v1": scores, "v2": other}, threshold={"v1": 2.2, "v2": 1.7}, slices={"camera": camera}), truth


def test_models_are_compared_in_a_slice() -> None:
    pool, truth = two_models(cameras())
    evaluation = labelled(pool, truth, 200, goal=("v1", "v2"))
    found = {name: evaluation.compare("v1", "v2", where={"camera": name}) for name in ("east", "south")}
    assert found["south"].verdict == "worse"
    assert found["east"].verdict != "worse"
    for name, one in found.items():
        inside = cameras() == name
        first, second = (f1_score(truth[inside], judged.predictions[inside]) for judged in pool.columns.judged)
        assert one.value == pytest.approx(second - first, abs=0.1)
        assert one.labels == evaluation.estimate(model="v1", where={"camera": name}).labels
    whole = evaluation.compare("v1", "v2", where={"camera": ["east", "north", "south"]})
    assert whole.value == pytest.approx(evaluation.compare("v1", "v2").value, abs=0.02)


def test_models_are_compared_exactly_where_nothing_is_left_to_label() -> None:
    camera = np.where(np.arange(N) < 30, "small", "large")
    pool, truth = two_models(camera)
    known = {item: int(truth[item]) for item in range(30)}
    truth[:3] = True
    known |= dict.fromkeys(range(3), 1)
    evaluation = Evaluation(pool, known=known)
    found = evaluation.compare("v1", "v2", where={"camera": "small"})
    first, second = (f1_score(truth[:30], judged.predictions[:30]) for judged in pool.columns.judged)
    assert found.value == pytest.approx(second - first)
    assert found.interval is not None
    assert found.interval.width == 0
    assert found.labels == 30


def test_models_that_predict_the_same_in_a_slice_are_tied_there() -> None:
    scores, truth = simulated()
    other = np.where(cameras() == "north", scores, -scores)
    pool = Pool({"v1": scores, "v2": other}, threshold=2.2, slices={"camera": cameras()})
    evaluation = labelled(pool, truth, 40)
    assert evaluation.compare("v1", "v2", where={"camera": "north"}).verdict == "tied"
    with pytest.raises(InputError, match="the nearest is 'north'"):
        evaluation.compare("v1", "v2", where={"camera": "nort"})


def test_other_predictions_can_be_sliced() -> None:
    evaluation = three()
    scores, truth = simulated()
    found = evaluation.estimate(predictions=scores >= 2.8, where={"camera": "north"})
    assert found.interval is not None
    inside = cameras() == "north"
    assert found.interval.low <= f1_score(truth[inside], scores[inside] >= 2.8) <= found.interval.high


def test_known_labels_that_were_chosen_count_but_do_not_teach() -> None:
    scores, truth = simulated()
    pool = Pool(scores, threshold=2.2, slices={"camera": cameras()})
    north = np.flatnonzero((cameras() == "north") & truth & (scores >= 2.2)).tolist()
    evaluation = labelled(pool, truth, 40, known=dict.fromkeys(north, 1))
    found = evaluation.estimate("tp", where={"camera": "north"})
    assert found.interval is not None
    assert found.interval.high >= found.value >= len(north) - 1e-9


def test_intervals_for_any_time_are_wider() -> None:
    usual, anytime = three(60), three(60, settings={"anytime": True})
    one, two = usual.table(by="camera").rows[0], anytime.at(usual.snapshot()).table(by="camera").rows[0]
    assert two["low"] < one["low"]
    assert two["high"] > one["high"]


@pytest.mark.parametrize("sampler", ["acis", "rand", "sawade"])
def test_other_samplers_refuse(sampler: str) -> None:
    scores, truth = simulated()
    pool = Pool(scores, threshold=2.2, slices={"camera": cameras()}, scale="logit")
    evaluation = labelled(pool, truth, 20, sampler=sampler)
    with pytest.raises(InputError, match="slices need sampler 'curve'"):
        evaluation.estimate(where={"camera": "north"})
    with pytest.raises(InputError, match="slices need sampler 'curve'"):
        evaluation.table(by="camera")


def test_bad_questions() -> None:
    evaluation = three(20)
    with pytest.raises(InputError, match="by must be 'model' or a column of slices: got 'camra'; the nearest is"):
        evaluation.table(by="camra")
    with pytest.raises(InputError, match="the nearest is 'north'"):
        evaluation.estimate(where={"camera": "Nort"})
    with pytest.raises(InputError, match="below must be a finite number"):
        evaluation.table(by="camera", below=math.nan)
    with pytest.raises(InputError, match="confidence must be a number"):
        evaluation.table(by="camera", confidence=2)
    with pytest.raises(InputError, match="below must be left out with by='model'"):
        evaluation.table(below=0.5)
    with pytest.raises(InputError, match="target must be 'pool'"):
        evaluation.estimate(where={"camera": "north"}, target="population")
    with pytest.raises(InputError, match="metric must be one of"):
        evaluation.table(by="camera", metric="accuracy")
    with pytest.raises(InputError, match="this pool has no slices"):
        Evaluation(Pool([0.9, 0.1], threshold=0.5)).estimate(where={"camera": "north"})


def test_draws_made_for_precision_say_nothing_about_recall() -> None:
    evaluation = three(40, metric="precision")
    assert evaluation.table(by="camera").metric == "precision"
    with pytest.raises(InputError, match="cannot be estimated from draws made for precision"):
        evaluation.table(by="camera", metric="recall")


def test_the_table_is_plain_data() -> None:
    table = three(40).table(by="camera", below=0.5)
    assert table.to_dict()["below"] == 0.5
    assert list(table.to_frame().columns) == [
        "camera", "value", "low", "high", "labels", "reason", "warning", "items", "predicted", "below",
    ]  # fmt: skip
    assert "below 0.5" in str(table)
    assert ">below 0.5</th>" in table._repr_html_()


def test_what_labels_have_been_bought_does_not_depend_on_slices() -> None:
    scores, truth = simulated()
    one = labelled(Pool(scores, threshold=2.2), truth, 80)
    assert one.snapshot().labels == three(80).snapshot().labels
    assert lowshot.Table is Table
