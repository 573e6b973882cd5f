"""Several scores, one set of labels: pools, goals, comparisons, and models that come later."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowshot
from lowshot import Evaluation, InputError, Pool
from lowshot.core.types import Flags, Floats
from lowshot.pools.consensus import consensus, numbers
from lowshot.pools.models import Models
from lowshot.sampler import curve_joint

TOLD = {"v1": 0.5, "v2": 0.5}


def scores_of(
    seed: int = 0, items: int = 4000, share: float = 0.02, lifts: tuple[float, ...] = (2.0, 3.0)
) -> tuple[dict[str, Floats], Flags]:
    """Scores of models v1, v2, ... that are normal, and higher for positives by these lifts."""
    random = np.random.default_rng(seed)
    truth = random.random(items) < share
    found = {f"v{place + 1}": random.normal(size=items) + lift * truth for place, lift in enumerate(lifts)}
    return found, truth


def f1(predictions: Flags, truth: Flags) -> float:
    return 2 * float((predictions & truth).sum()) / float(predictions.sum() + truth.sum())


def finish(evaluation: Evaluation, truth: Flags, labels: int) -> Evaluation:
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, truth[items])
    return evaluation


# ---- pools -----------------------------------------------------------------------------------------------------------


def test_scores_with_a_rule_are_judged_and_the_others_help() -> None:
    pool = Pool(
        {"v1": [3, 2, 1], "v2": [1, 2, 3], "clip": [9, 5, 1]}, threshold={"v1": 2}, predictions={"v2": [0, 1, 1]}
    )
    assert pool.models == ("v1", "v2")
    assert pool.helpers == ("clip",)
    assert pool.view("v2").predicted(np.arange(3)).tolist() == [0, 1, 1]
    assert pool.view("v1").joint.patterns.tolist() == [[True, True], [True, False], [False, True]]


def test_one_score_at_several_thresholds_counts_once() -> None:
    scores, _ = scores_of()
    pool = Pool(scores["v1"], threshold={"strict": 2.5, "lax": 1.5})
    assert pool.models == ("strict", "lax")
    assert len(pool.view().joint.rankings) == 1
    assert pool.view().joint.patterns.tolist() == [[True, True], [False, True], [False, False]]
    twice = Pool({"strict": scores["v1"], "lax": np.exp(scores["v1"])}, threshold={"strict": 2.5, "lax": np.exp(1.5)})
    assert len(twice.view().joint.rankings) == 1, "a monotone function of a score ranks alike"


def test_a_score_of_two_values_ranks_nothing() -> None:
    """It says what predictions say, so the model is treated as one of which only predictions are known."""
    scores, truth = scores_of()
    rules = scores["v2"] > 2.0
    flagged = Pool({"v1": scores["v1"], "rules": rules.astype(float)}, threshold={"v1": 2.0, "rules": 0.5})
    joint = flagged.view().joint
    assert len(joint.rankings) == 1
    assert joint.scored.tolist() == [True, False]
    told = Pool({"v1": scores["v1"]}, threshold=2.0).with_model("rules", predictions=rules)
    found = [
        finish(Evaluation(pool, goal=("v1", "rules")), truth, 60).compare("v1", "rules") for pool in (flagged, told)
    ]
    assert found[0] == found[1]
    alone = Pool(rules.astype(float), threshold=0.5)
    assert alone.view().joint.scored.tolist() == [True], "the only score is used, whatever it is"


def test_models_that_hardly_agree_are_told() -> None:
    scores, truth = scores_of()
    close, far = scores["v1"] + 0.01 * scores["v2"], -scores["v1"]
    evaluation = finish(Evaluation(Pool({"v1": scores["v1"], "near": close, "far": far}, threshold=2.0)), truth, 30)
    assert evaluation.compare("v1", "near").agreement == ""
    told = evaluation.compare("v1", "far")
    counts = [int((each >= 2.0).sum()) for each in (scores["v1"], far)]
    assert told.agreement.startswith(
        f"the models v1 and far hardly agree, both predict 0 items, of {counts[0]} and {counts[1]}: "
    )
    assert str(told).endswith(f"\nnote: {told.agreement}")
    assert told.agreement in told._repr_html_()
    assert told.to_dict()["agreement"] == told.agreement
    table = evaluation.table()
    assert [text.split(" hardly")[0] for text in table.agreement] == [
        "the models v1 and far",
        "the models near and far",
    ]
    assert str(table).endswith(table.agreement[-1])
    assert table.agreement[0] in table.to_html()


@pytest.mark.parametrize(
    ("kind", "left_out"),
    [
        ("random", True),
        ("constant", True),
        ("reversed", True),
        ("noisy copy", False),
        ("other model", False),
        ("0 or 1", False),
        ("1 to 5", False),
    ],
)
def test_useless_helpers_are_left_out(kind: str, left_out: bool) -> None:
    scores, _ = scores_of()
    random = np.random.default_rng(5)
    helper = {
        "random": random.normal(size=4000),
        "constant": np.ones(4000),
        "reversed": -scores["v1"],
        "noisy copy": scores["v1"] + random.normal(size=4000),
        "other model": scores["v2"],
        "0 or 1": scores["v2"] > 1.5,
        "1 to 5": np.digitize(scores["v2"], [0, 1, 2, 3]) + 1,
    }[kind]
    pool = Pool(scores["v1"], threshold=2.0, helpers={"help": helper})
    assert (pool.left_out == ("help",)) is left_out
    assert ("left out" in repr(pool)) is left_out
    assert len(pool.view().joint.rankings) == (1 if left_out else 5)


def test_a_useless_helper_changes_nothing() -> None:
    scores, truth = scores_of()
    alone = Pool(scores["v1"], threshold=2.0)
    helped = Pool(scores["v1"], threshold=2.0, helpers={"noise": np.random.default_rng(1).random(4000)})
    found = [finish(Evaluation(pool), truth, 60) for pool in (alone, helped)]
    assert found[0].estimate() == found[1].estimate()
    assert found[0].history["rounds"] == found[1].history["rounds"]


def test_missing_values_of_a_helper_are_filled_by_the_other_scores() -> None:
    scores, _ = scores_of()
    holes = scores["v2"].copy()
    holes[::3] = np.nan
    pool = Pool(scores["v1"], threshold=2.0, helpers={"help": holes})
    assert "missing for 1,334 items" in repr(pool)
    models = Models.of({"v1": scores["v1"], "help": holes}, None, {"v1": 2.0})
    alone = consensus(models).rankings[-1].level
    there = ~np.isnan(holes)
    assert alone[there].tolist() == numbers(holes[there]).tolist()
    between = np.corrcoef(alone[~there], numbers(scores["v1"])[~there])[0, 1]
    assert between == pytest.approx(1, abs=1e-3), "a straight line through the model's own numbers"


def test_rankings_do_not_depend_on_the_order_of_rows() -> None:
    scores, truth = scores_of()
    order = np.random.default_rng(2).permutation(4000)
    ids = [f"item {number}" for number in range(4000)]
    one = Pool(scores, threshold=2.0, ids=ids)
    two = Pool({name: each[order] for name, each in scores.items()}, threshold=2.0, ids=[ids[i] for i in order])
    assert one.fingerprint == two.fingerprint
    found = []
    for pool in (one, two):
        evaluation = Evaluation(pool, goal=("v1", "v2"))
        asked: list[Any] = []
        while evaluation.labels < 40:
            items = evaluation.ask(10)
            asked += items
            evaluation.tell(items, [truth[int(str(item).split()[1])] for item in items])
        found.append((asked, evaluation.compare("v1", "v2")))
    assert found[0] == found[1]


def test_every_column_is_in_the_fingerprint() -> None:
    scores, _ = scores_of(items=50)
    pools = [
        Pool(scores, threshold=2.0),
        Pool(scores, threshold={"v1": 2.0, "v2": 1.0}),
        Pool(scores, threshold={"v1": 2.0}),
        Pool({"v1": scores["v1"], "v3": scores["v2"]}, threshold=2.0),
        Pool({"v1": scores["v1"], "v2": scores["v2"] + (np.arange(50) == 3)}, threshold=2.0),
        Pool(scores["v1"], threshold=2.0),
    ]
    assert len({pool.fingerprint for pool in pools}) == len(pools)


S, T = [0.9, 0.2, 0.4], [0.1, 0.8, 0.3]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            {"scores": {"v1": S, "v2": T[:2]}, "threshold": TOLD},
            r"scores\['v2'\] must be one for each item: got 2 for 3",
        ),
        (
            {"scores": {"v1": S}, "threshold": {"v3": 0.5}},
            "threshold must be for one of the scores v1: got one for 'v3'",
        ),
        ({"scores": {"": S}, "threshold": 0.5}, "names of scores must be texts that are not empty: got ''"),
        ({"scores": {3: S}, "threshold": 0.5}, "names of scores must be texts that are not empty: got 3"),
        ({"scores": {"each": S}, "threshold": 0.5}, "must not be 'each' or 'best', which are goals: got 'each'"),
        ({"scores": {"best": S}, "threshold": 0.5}, "which are goals: got 'best'"),
        ({"scores": {}, "threshold": 0.5}, "scores must hold at least one model"),
        ({"scores": {"v1": S, "v2": T}}, "at least one must be judged"),
        ({"scores": {"v1": S, "v2": T}, "threshold": {}}, "at least one must be judged"),
        ({"scores": {"v1": [0.1, np.nan, 0.2]}, "threshold": 0.5}, r"scores\['v1'\] must be finite: 1 of 3 are not"),
        ({"scores": {"v1": S}, "threshold": 0.5, "helpers": {"v1": T}}, "helpers must have names of their own: 'v1'"),
        ({"scores": S, "threshold": 0.5, "helpers": [T]}, "helpers must be a mapping from name to scores: got list"),
        ({"scores": S, "threshold": 0.5, "helpers": {"h": T[:1]}}, r"helpers\['h'\] must be one for each item: got 1"),
        ({"scores": S, "threshold": 0.5, "helpers": {"h": [np.inf, 0, 1]}}, "must be finite or missing"),
        (
            {"scores": S, "threshold": {"a": 0.5}, "predictions": {"a": [0, 1, 1]}},
            "either predictions or threshold for 'a'",
        ),
        ({"scores": {"v1": S, "v2": T}, "predictions": [0, 1, 1]}, "predictions must be a mapping"),
        ({"scores": {f"m{i}": S for i in range(31)}, "threshold": 0.5}, "models must be at most 30: got 31"),
        ({"scores": S, "threshold": {"a": float("nan")}}, r"threshold\['a'\] must be a finite number: got nan"),
    ],
)
def test_bad_columns(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Pool(**arguments)


def test_a_helper_may_be_called_score() -> None:
    pool = Pool([0.9, 0.8, 0.2], threshold=0.5, helpers={"score": [3.0, 2.0, 1.0]})
    assert pool.helpers == ("score",)
    assert pool.scores.tolist() == [0.9, 0.8, 0.2]


def test_only_a_pool_of_one_score_can_be_given_to_other_samplers() -> None:
    with pytest.raises(InputError, match="sampler must be 'curve' where a pool has several models or helpers"):
        Evaluation(Pool({"v1": S, "v2": T}, threshold=0.5), sampler="acis")


# ---- goals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("v9", "goal must be a model"),
        (("v1", "v9"), "goal must be a model of the pool, one of v1, v2: got 'v9'"),
        (("v1", "v1"), "goal must name two different models"),
        (("v1",), "goal must name two models"),
        (3, "goal must be a model"),
    ],
)
def test_bad_goals(goal: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Evaluation(Pool({"v1": S, "v2": T}, threshold=0.5), goal=goal)
    with pytest.raises(InputError, match="goal must be"):
        Evaluation(Pool(S, threshold=0.5), goal="v1")
    with pytest.raises(InputError, match="goal 'best' needs at least two models"):
        Evaluation(Pool(S, threshold=0.5), goal="best")


def test_labels_for_a_difference_go_to_items_on_which_models_disagree() -> None:
    scores, truth = scores_of()
    pool = Pool(scores, threshold=2.0)
    differ = (scores["v1"] >= 2) != (scores["v2"] >= 2)
    share = {}
    for goal in ("each", ("v1", "v2")):
        evaluation = finish(Evaluation(pool, goal=goal), truth, 100)
        share[goal] = differ[np.array(evaluation.history["rounds"][-1]["items"])].mean()
    assert share["v1", "v2"] > 0.8 > differ.mean() * 5  # and some where they agree: all positives scale a difference
    assert share["v1", "v2"] > share["each"]


def test_many_rankings_that_explain_the_labels_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them has a share below the least one that counts; the next round is drawn all the same."""
    scores, truth = scores_of()
    evaluation = finish(Evaluation(Pool(scores, threshold=dict.fromkeys(scores, 2.0)), goal="best"), truth, 10)
    monkeypatch.setattr(curve_joint, "LEAST", 1.1)
    assert len(evaluation.ask(10)) == 10


def test_a_model_has_to_be_named_unless_the_goal_names_one() -> None:
    scores, truth = scores_of()
    pool = Pool(scores, threshold=2.0)
    evaluation = finish(Evaluation(pool), truth, 20)
    assert evaluation.goal == "each"
    with pytest.raises(InputError, match="model must be given, because the evaluation judges several: v1, v2"):
        evaluation.estimate()
    with pytest.raises(InputError, match="model must be a model of the pool, one of v1, v2: got 'v3'"):
        evaluation.estimate(model="v3")
    with pytest.raises(InputError, match="give either model or predictions"):
        evaluation.estimate(model="v1", predictions=scores["v1"] > 1)
    one = finish(Evaluation(pool, goal="v2"), truth, 20)
    assert one.estimate() == one.estimate(model="v2") != one.estimate(model="v1")


# ---- answers ---------------------------------------------------------------------------------------------------------


def test_the_better_model_is_named() -> None:
    scores, truth = scores_of(lifts=(1.5, 3.0))
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0), goal=("v1", "v2")), truth, 150)
    found, back = evaluation.compare("v1", "v2"), evaluation.compare("v2", "v1")
    gap = f1(scores["v2"] >= 2, truth) - f1(scores["v1"] >= 2, truth)
    assert (found.verdict, back.verdict) == ("better", "worse")
    assert found.interval is not None
    assert found.interval.low <= gap <= found.interval.high
    assert found.probability == pytest.approx(1 - (back.probability or 0))
    assert str(found).startswith("v2 is better than v1: f1 is 0.")
    assert evaluation.compare("v1", "v2", margin=0.9).verdict == "tied"
    assert evaluation.compare("v1", "v2", margin=gap).verdict == "undecided"
    assert json.loads(json.dumps(found.to_dict()))["verdict"] == "better"
    assert "v2 is better than v1" in found._repr_html_()
    assert evaluation.stop_when(verdict=True)
    assert "labels are enough for a verdict" in str(evaluation.plan(verdict=True))


def test_anytime_intervals_are_wider() -> None:
    scores, truth = scores_of()
    found = []
    for anytime in (False, True):
        evaluation = Evaluation(Pool(scores, threshold=2.0), goal=("v1", "v2"), settings={"anytime": anytime})
        found.append(finish(evaluation, truth, 100).compare("v1", "v2").interval)
    usual, wider = found
    assert usual is not None
    assert wider is not None
    assert wider.low < usual.low < usual.high < wider.high


def test_a_pool_of_one_named_model() -> None:
    scores, truth = scores_of()
    named = finish(Evaluation(Pool({"v1": scores["v1"]}, threshold=2.0)), truth, 40)
    plain = finish(Evaluation(Pool(scores["v1"], threshold=2.0)), truth, 40)
    assert named.goal == named.model == "v1"
    assert named.estimate() == plain.estimate() == named.estimate(model="v1")
    assert named.history["rounds"] == plain.history["rounds"]


@pytest.mark.slow
def test_a_plan_asks_for_more_labels_while_there_is_no_verdict() -> None:
    """Seeds at which a simulation from the best ranking alone says that the labels suffice."""
    for seed in range(6):
        scores, truth = scores_of(seed, lifts=(2.0, 2.6))
        evaluation = finish(Evaluation(Pool(scores, threshold=2.0), goal=("v1", "v2")), truth, 35)
        if not evaluation.stop_when(verdict=True):
            plan = evaluation.plan(verdict=True)
            assert plan.labels < plan.low <= plan.likely <= plan.high


def test_any_metric_of_the_f_family_can_be_compared() -> None:
    scores, truth = scores_of()
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0)), truth, 150)
    for name, truths in (("precision", (0, 1)), ("recall", (1, 0))):
        found = evaluation.compare("v1", "v2", metric=name)
        tp, predicted = (
            [float((flags & by).sum()) for flags in (scores[m] >= 2 for m in ("v1", "v2"))]
            for by in (truth, np.ones_like(truth))
        )
        below = predicted if truths == (0, 1) else [float(truth.sum())] * 2
        assert found.interval is not None
        assert found.interval.low <= tp[1] / below[1] - tp[0] / below[0] <= found.interval.high
    with pytest.raises(InputError, match="models are compared by a metric of the F family"):
        evaluation.compare("v1", "v2", metric="tp")


def test_identical_models_are_tied_at_once() -> None:
    evaluation = Evaluation(Pool({"v1": S, "v2": T, "v3": S}, threshold=0.5))
    found = evaluation.compare("v1", "v3")
    assert (found.verdict, found.value, found.labels) == ("tied", 0.0, 0)
    assert "predict the same items positive" in str(found)
    assert evaluation.compare("v1", "v2").reason == "no labels yet"
    assert evaluation.compare("v1", "v2").verdict == "undecided"


def test_everything_labelled_is_exact() -> None:
    scores, truth = scores_of(items=60, share=0.3)
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0)), truth, 60)
    gap = f1(scores["v2"] >= 2, truth) - f1(scores["v1"] >= 2, truth)
    found = evaluation.compare("v1", "v2")
    assert found.value == pytest.approx(gap)
    assert found.interval is not None
    assert found.interval.width == 0
    assert {row["best"] for row in evaluation.table().rows} == {0.0, 1.0}


def test_skipped_items_widen_the_difference() -> None:
    scores, truth = scores_of()
    pool = Pool(scores, threshold=2.0)
    whole, holes = Evaluation(pool, goal=("v1", "v2")), Evaluation(pool, goal=("v1", "v2"))
    while whole.labels < 100:
        items = whole.ask(100 - whole.labels)
        whole.tell(items, truth[items])
        same = holes.ask(len(items))
        holes.tell(same, [None if item % 5 == 0 else int(truth[item]) for item in same])
    without, with_ = whole.compare("v1", "v2"), holes.compare("v1", "v2")
    assert without.interval is not None
    assert with_.interval is not None
    assert with_.skipped > 0
    assert with_.interval.width > without.interval.width
    only = Evaluation(pool)
    only.tell(only.ask(3), [None] * 3)
    assert "cannot tell" in only.compare("v1", "v2").reason


def test_verdicts_hold_whatever_the_skipped_labels_are() -> None:
    """Eight items, four of them skipped: every way to label these gives a difference inside of the interval."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        scores = {"v1": random.random(8), "v2": random.random(8)}
        truth, skipped = random.random(8) < 0.5, random.permutation(8)[:4]
        evaluation = Evaluation(Pool(scores, threshold=0.5), goal=("v1", "v2"))
        while items := evaluation.ask(8):
            evaluation.tell(items, [None if item in skipped else int(truth[item]) for item in items])
        found, gaps = evaluation.compare("v1", "v2"), []
        for number in range(16):
            labels = truth.copy()
            labels[skipped] = [bool(number >> bit & 1) for bit in range(4)]
            if labels.any():
                gaps.append(f1(scores["v2"] >= 0.5, labels) - f1(scores["v1"] >= 0.5, labels))
        if found.interval is None or not (scores["v1"] >= 0.5).any() or not (scores["v2"] >= 0.5).any():
            continue
        if found.verdict == "better":
            assert min(gaps) > 0
        if found.verdict == "worse":
            assert max(gaps) < 0
        assert not found.certain or len(set(gaps)) == 1
        assert max(row["best"] for row in evaluation.table().rows) < 1 or len(set(np.sign(gaps))) == 1


def test_what_is_not_known_exactly_is_not_tied() -> None:
    """A model that predicts two more items, far down the ranking: recall is hardly ever different, but it may be."""
    score = np.linspace(0, 1, 2000)
    flags = {"a": score > 0.98, "b": (score > 0.98) | (score < 0.001)}
    evaluation = Evaluation(Pool({"a": score, "b": score}, predictions=flags), goal="a")
    found = finish(evaluation, score > 0.985, 60).compare("a", "b", metric="recall")
    assert found.verdict == "undecided"
    assert found.interval is not None
    assert found.interval.low <= found.value <= found.interval.high
    assert found.interval.width > 0


def test_no_positive_at_all() -> None:
    scores, _ = scores_of(items=20)
    evaluation = Evaluation(Pool(scores, threshold=0.5), "recall", goal=("v1", "v2"))
    found = finish(evaluation, np.zeros(20, dtype=np.bool_), 20).compare("v1", "v2")
    assert (found.interval, found.probability) == (None, None)
    assert "none is positive" in found.reason


def test_precision_is_exact_if_every_predicted_item_is_labelled() -> None:
    scores, truth = scores_of(items=400, share=0.1)
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0), "precision", goal=("v1", "v2")), truth, 400)
    found = evaluation.compare("v1", "v2")
    exact = [float((truth & (scores[m] >= 2)).sum() / (scores[m] >= 2).sum()) for m in ("v1", "v2")]
    assert evaluation.labels < 400
    assert found.certain
    assert found.value == pytest.approx(exact[1] - exact[0])


def test_the_scale_is_that_of_every_model() -> None:
    scores, _ = scores_of(items=50)
    logs = -np.log1p(np.exp(-scores["v1"]))
    told = r"scores\['v2'\] must be at most 0 on the scale 'log'"
    with pytest.raises(InputError, match=told):
        Pool({"v1": logs, "v2": scores["v2"]}, threshold={"v1": -0.3, "v2": 1.5}, scale="log")
    with pytest.raises(InputError, match=told):
        Evaluation(Pool(logs, threshold=-0.3, scale="log")).with_model("v2", scores["v2"], threshold=1.5)


@pytest.mark.slow
def test_other_predictions_of_thirty_models() -> None:
    scores, truth = scores_of(items=300, lifts=(2.0,) * 30)
    evaluation = finish(Evaluation(Pool(scores, threshold=1.0)), truth, 20)
    assert evaluation.estimate(predictions=scores["v1"] > 1.5).defined


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("v1", "v1"), "candidate must be another model"),
        (("v1", "v9"), "candidate must be a model of the pool"),
        (("v9", "v1"), "baseline must be a model of the pool"),
    ],
)
def test_bad_comparisons(arguments: tuple[str, str], told: str) -> None:
    evaluation = Evaluation(Pool({"v1": S, "v2": T}, threshold=0.5))
    with pytest.raises(InputError, match=told):
        evaluation.compare(*arguments)
    with pytest.raises(InputError, match="margin must be a number from 0 to 1"):
        evaluation.compare("v1", "v2", margin=-0.1)
    with pytest.raises(InputError, match="a verdict needs goal"):
        evaluation.stop_when(verdict=True)
    with pytest.raises(InputError, match="by must be 'model' or a column of slices"):
        evaluation.table("camera")


def test_the_table_says_which_is_the_best() -> None:
    scores, truth = scores_of(lifts=(1.0, 2.0, 3.5))
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0), goal="best"), truth, 100)
    table = evaluation.table()
    assert [row["model"] for row in table.rows] == ["v1", "v2", "v3"]
    assert sum(row["best"] for row in table.rows) == pytest.approx(1)
    assert table.rows[2]["best"] > 0.95
    assert table.to_frame().shape[0] == 3
    assert "v3" in str(table)
    assert evaluation.stop_when(verdict=True)


# ---- old labels, new model -------------------------------------------------------------------------------------------


def test_a_model_that_comes_later_inherits_rounds_and_labels() -> None:
    scores, truth = scores_of()
    old = finish(Evaluation(Pool(scores["v1"], threshold=2.0)), truth, 100)
    new = old.with_model("v2", scores["v2"], threshold=2.0)
    assert new.labels == old.labels == 100
    assert new.history["rounds"] == old.history["rounds"]
    assert new.goal == ("model", "v2")
    assert new.with_model("v3", scores["v1"] + scores["v2"], threshold=4.0).goal == ("v2", "v3")
    found = new.estimate(model="v2").interval
    assert found is not None
    assert found.low <= f1(scores["v2"] >= 2, truth) <= found.high
    finish(new, truth, 160)
    assert new.labels == 160
    assert old.labels == 100, "the old one goes on by itself"
    assert not set(new.history["rounds"][-1]["items"]) & set(old.history["labels"])


def test_a_model_that_comes_later_in_a_store(tmp_path: Path) -> None:
    scores, truth = scores_of()
    store = tmp_path / "birds.db"
    old = finish(Evaluation(Pool(scores["v1"], threshold=2.0), store=store, name="birds"), truth, 50)
    pending = old.ask(3)
    new = old.with_model("v2", scores["v2"], threshold=2.0, goal=("model", "v2"))
    assert new.name == "birds with v2"
    assert new.pending == pending
    memory = finish(Evaluation(Pool(scores["v1"], threshold=2.0)), truth, 50)
    memory.ask(3)
    memory = memory.with_model("v2", scores["v2"], threshold=2.0, goal=("model", "v2"))
    both = {"model": scores["v1"], "v2": scores["v2"]}
    again = Evaluation(
        Pool(scores["v1"], threshold=2.0).with_model("v2", scores["v2"], threshold=2.0),
        store=store,
        name="birds with v2",
    )
    for labels in (70, 110):
        for evaluation in (again, memory):
            finish(evaluation, truth, labels)
        assert again.compare("model", "v2") == memory.compare("model", "v2") == new.compare("model", "v2")
        assert again.history["rounds"] == memory.history["rounds"]
    with pytest.raises(InputError, match="pool must be the one that evaluation 'birds with v2' began with"):
        Evaluation(Pool(both, threshold=2.5), store=store, name="birds with v2")
    with pytest.raises(InputError, match="as_name must be that of a new evaluation: the store has 'birds with v2'"):
        old.with_model("v2", scores["v2"], threshold=2.0, goal=("model", "v2"))
    with pytest.raises(InputError, match="goal must be as evaluation 'birds with v2' began"):
        Evaluation(again.pool, store=store, name="birds with v2", goal="each")


def test_a_process_that_dies_while_a_model_is_added_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new evaluation and what it inherits are written in one transaction."""
    scores, truth = scores_of()
    old = finish(Evaluation(Pool(scores["v1"], threshold=2.0), store=tmp_path / "birds.db"), truth, 20)

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lowshot.store.sql_journal.inherit", dies)
        with pytest.raises(KeyboardInterrupt):
            old.with_model("v2", scores["v2"], threshold=2.0)
    assert old.store is not None
    assert [header.name for header in old.store.headers()] == ["evaluation"]
    assert old.with_model("v2", scores["v2"], threshold=2.0).labels == 20


def test_a_model_that_comes_later_may_have_predictions() -> None:
    scores, truth = scores_of()
    flags = scores["v2"] >= 0.0
    old = finish(Evaluation(Pool(scores["v1"], threshold=2.0)), truth, 60)
    by_rule = old.with_model("v2", scores["v2"], threshold=0.0)  # 0 is a threshold, too
    assert by_rule.estimate(model="v2") == old.with_model("v2", scores["v2"], predictions=flags).estimate(model="v2")
    alone = old.with_model("v2", predictions=flags)
    assert alone.estimate(model="v2") == old.estimate(predictions=flags)


def test_bad_models_that_come_later() -> None:
    evaluation = Evaluation(Pool(S, threshold=0.5))
    for arguments, told in (
        (("model", T, 0.5), "name must be that of a new model"),
        (("each", T, 0.5), "which are goals"),
        (("v2", T[:2], 0.5), r"scores\['v2'\] must be one for each item"),
        (("v2", T, None), "give either predictions or threshold"),
        (("v2", None, 0.5), "give scores with threshold or predictions, or predictions alone, of 'v2': got neither"),
    ):
        with pytest.raises(InputError, match=told):
            evaluation.with_model(*arguments[:2], threshold=arguments[2])
    with pytest.raises(InputError, match="a model can be added with sampler 'curve' only"):
        Evaluation(Pool(S, threshold=0.5), sampler="acis").with_model("v2", T, threshold=0.5)


def test_a_store_gives_the_same_rounds_as_memory(tmp_path: Path) -> None:
    scores, truth = scores_of(lifts=(2.0, 3.0, 2.5))
    pool = Pool(scores, threshold={"v1": 2.0, "v2": 2.2})
    memory = finish(Evaluation(pool, goal="best", seed=3), truth, 110)
    store = tmp_path / "birds.db"
    for labels in (20, 37, 60, 110):  # opened anew each time
        stored = finish(
            Evaluation(Pool(scores, threshold={"v1": 2.0, "v2": 2.2}), goal="best", seed=3, store=store), truth, labels
        )
    assert stored.history["rounds"] == memory.history["rounds"]
    assert stored.table() == memory.table()
    assert lowshot.Evaluation(pool, store=store).goal == "best"


def test_what_is_known_about_one_model_is_refused_for_several() -> None:
    scores, _ = scores_of()
    with pytest.raises(InputError, match="recall must be that of the only model: got it with 2, v1, v2"):
        Evaluation(Pool(scores, threshold=2.0), prior=lowshot.Prior(recall=(0.5, 0.9)))
    Evaluation(Pool(scores, threshold=2.0), prior=lowshot.Prior(prevalence=(0.01, 0.04))).ask(5)


def test_known_labels_and_weights_with_several_models() -> None:
    scores, truth = scores_of()
    weights = np.random.default_rng(0).uniform(0.5, 2, 4000)
    known = lowshot.Known({int(i): int(truth[i]) for i in range(0, 4000, 40)}, drawn="uniform")
    evaluation = finish(Evaluation(Pool(scores, threshold=2.0, weights=weights), known=known), truth, 150)
    for model in ("v1", "v2"):
        flags = scores[model] >= 2
        exact = 2 * (weights * flags * truth).sum() / ((weights * flags).sum() + (weights * truth).sum())
        found = evaluation.estimate(model=model).interval
        assert found is not None
        assert found.low <= exact <= found.high
