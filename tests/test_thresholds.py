"""Curves along the ranking and the choice of a threshold, from the evaluation's side."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowshot
from lowshot import Evaluation, InputError, Pool, Threshold
from lowshot.core.types import Flags, Floats
from lowshot.threshold_result import BandKind

from .programs import run


def ranked(items: int = 20_000, positives: int = 200, seed: int = 0, apart: float = 4.0) -> tuple[Floats, Flags]:
    """Scores and labels of a classifier for something rare."""
    random = np.random.default_rng(seed)
    truth = np.arange(items) < positives
    return random.normal(size=items) + apart * truth, truth


def labelled(pool: Pool, truth: Flags, labels: int, goal: Threshold | None = None, seed: int = 0) -> Evaluation:
    evaluation = Evaluation(pool, goal=goal, seed=seed)
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, truth[items].astype(int).tolist())
    return evaluation


def kept_by(choice: lowshot.ThresholdChoice, scores: Floats) -> Flags:
    """The returned set."""
    assert choice.threshold is not None
    kept = scores >= choice.threshold
    kept[list(choice.added)], kept[list(choice.removed)] = True, False
    return kept


def test_with_all_labels_everything_is_exact() -> None:
    scores, truth = ranked(300, 30)
    found = labelled(Pool(scores, threshold=2.0), truth, 300).thresholds()
    for place in range(0, len(found), 7):
        kept = scores >= found.threshold[place]
        assert found.kept[place] == kept.sum()
        for name, value in (("precision", truth[kept].mean()), ("recall", truth[kept].sum() / 30)):
            row = found.row(place)
            assert [row[name], row[f"{name}_low"], row[f"{name}_high"]] == pytest.approx([value] * 3)
    assert found.average_precision.low == pytest.approx(found.average_precision.high)


def test_the_curve_at_the_present_threshold_is_the_estimate() -> None:
    scores, truth = ranked()
    evaluation = labelled(Pool(scores, threshold=2.5), truth, 120)
    found = evaluation.thresholds()
    assert found.present is not None
    assert found.kept[found.present] == evaluation.pool.predicted_positives
    for metric in ("precision", "recall", "f1"):
        estimate, row = evaluation.estimate(metric), found.row(found.present)
        assert estimate.interval is not None
        assert row[metric] == pytest.approx(estimate.value, abs=0.02)  # another draw of 400 curves' items
        assert row[f"{metric}_low"] == pytest.approx(estimate.interval.low, abs=0.05)


def test_bands() -> None:
    scores, truth = ranked()
    evaluation = labelled(Pool(scores, threshold=2.5), truth, 120)
    one, all_ = evaluation.thresholds(), evaluation.thresholds(band="simultaneous")
    inside = all_.kept >= 10
    for name in ("precision", "recall", "f1"):
        narrow, wide = getattr(one, name), getattr(all_, name)
        assert np.all(narrow.low <= narrow.value)
        assert np.all(narrow.value <= narrow.high)
        assert np.mean(wide.low[inside] <= narrow.low[inside] + 1e-9) > 0.95
        assert np.mean(wide.high[inside] >= narrow.high[inside] - 1e-9) > 0.95
    assert np.all(np.diff(all_.recall.low) >= 0)
    assert np.all(np.diff(one.recall.value) >= -1e-12)
    assert evaluation.thresholds(confidence=0.5).recall.low[50] >= one.recall.low[50]


@pytest.mark.slow
def test_a_simultaneous_band_holds_the_whole_curve() -> None:
    """30 pools; the standard error of a share of 95 % is 4.0 %, so that less than 83 % would be three of them off."""
    held = 0
    for seed in range(30):
        scores, truth = ranked(5000, 60, seed, apart=2.5)
        found = labelled(Pool(scores, threshold=2.5), truth, 100, seed=seed).thresholds(band="simultaneous")
        use = found.kept >= 10
        hits = np.array([truth[scores >= threshold].sum() for threshold in found.threshold[use]])
        precision, recall = hits / found.kept[use], hits / 60
        inside = [
            (band.low[use] <= true + 1e-9) & (true <= band.high[use] + 1e-9)
            for band, true in ((found.precision, precision), (found.recall, recall))
        ]
        held += bool(np.all(inside))
    assert held >= 25


@pytest.mark.slow
@pytest.mark.parametrize("goal", [Threshold(recall=0.9, confidence=0.9), Threshold(precision=0.9, confidence=0.9)])
def test_what_is_certified_holds(goal: Threshold) -> None:
    """20 pools: with a probability of 90 % each, fewer than 14 have a probability of 0.2 %."""
    held, certified = 0, 0
    for seed in range(20):
        scores, truth = ranked(20_000, 200, seed, apart=5.5)
        choice = labelled(Pool(scores, threshold=2.5), truth, 150, goal, seed).choose_threshold()
        kept = kept_by(choice, scores)
        reached = truth[kept].sum() / 200 if goal.recall else truth[kept].mean()
        assert choice.set is not None
        assert choice.set.kept == kept.sum()
        held, certified = held + (reached >= 0.9), certified + choice.certified
    assert held >= 14
    assert certified >= 10


def test_labels_for_a_threshold_are_near_it() -> None:
    """Labels for recall are spent on what may be missed, more than labels for F1."""
    scores, truth = ranked()
    pool = Pool(scores, threshold=2.5)
    below = []
    for goal in (None, Threshold(recall=0.9)):
        items = np.array(list(labelled(pool, truth, 150, goal)._history.labels))
        below.append(int((scores[items] < 2.5).sum()))
    assert below[1] > below[0] + 15


PROCESSOR = """
import json, lowshot
from lowshot.testing import simulated
for seed in range(2):
    task = simulated(items=800, positives=30, seed=seed)
    evaluation = lowshot.Evaluation(task.pool, goal=lowshot.Threshold(precision=0.9, reading="bare"))
    while evaluation.labels < 60 and (items := evaluation.ask(60 - evaluation.labels)):
        evaluation.tell(items, task.labels[items].tolist())
    print(json.dumps(items))
"""


@pytest.mark.slow
def test_the_labels_do_not_depend_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what is above the threshold is known, sums that should be 0 are not, and each processor has its own."""
    here = run(PROCESSOR).stdout
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")  # that of NumPy for processors from before 2011
    assert run(PROCESSOR).stdout == here


def test_a_set_keeps_what_was_found() -> None:
    scores, truth = ranked()
    evaluation = labelled(Pool(scores, threshold=2.5), truth, 150)
    choice = evaluation.choose_threshold(recall=0.8, confidence=0.8)
    assert choice.threshold is not None
    assert choice.set is not None
    assert choice.bare is not None
    assert all(truth[item] and scores[item] < choice.threshold for item in choice.added)
    assert all(not truth[item] and scores[item] >= choice.threshold for item in choice.removed)
    assert choice.removed
    assert choice.set.kept == choice.bare.kept + len(choice.added) - len(choice.removed)
    assert choice.set.recall.value >= choice.bare.recall.value
    assert choice.set.precision.value >= choice.bare.precision.value
    bare = evaluation.choose_threshold(recall=0.8, confidence=0.8, reading="bare")
    assert bare.threshold is not None
    assert bare.threshold <= choice.threshold
    assert bare.probability == bare.bare.probability if bare.bare else False


def test_targets_order_the_choices() -> None:
    scores, truth = ranked()
    evaluation = labelled(Pool(scores, threshold=2.5), truth, 200)
    kept = [evaluation.choose_threshold(recall=target).kept for target in (0.5, 0.8, 0.9, 0.99)]
    assert kept == sorted(kept)
    kept = [evaluation.choose_threshold(precision=target).kept for target in (0.99, 0.9, 0.5)]
    assert kept == sorted(kept)
    surer = [evaluation.choose_threshold(recall=0.9, confidence=sure).kept for sure in (0.6, 0.9, 0.99)]
    assert surer == sorted(surer)
    best, f1 = evaluation.choose_threshold(maximise="f1"), evaluation.thresholds().best()
    assert best.threshold == f1.threshold
    assert f1.low <= f1.threshold <= f1.high
    both = evaluation.choose_threshold(recall=0.6, precision=0.6)
    assert both.set is not None
    assert both.set.recall.value > 0.6
    assert both.set.precision.value > 0.6


def test_reasons() -> None:
    scores, truth = ranked(2000, 40)
    pool = Pool(scores, threshold=2.5)
    nothing = Evaluation(pool)
    assert nothing.choose_threshold(recall=0.9).reason == "no labels yet"
    assert nothing.thresholds().reason == "no labels yet"
    assert len(nothing.thresholds()) == 0
    assert str(nothing.thresholds()) == "no curve: no labels yet"
    with pytest.raises(InputError, match="the best threshold needs labels: no labels yet"):
        nothing.thresholds().best()
    skipped = Evaluation(pool)
    skipped.tell(skipped.ask(3), [None] * 3)
    assert "cannot tell" in skipped.choose_threshold(recall=0.9).reason
    waiting = Evaluation(pool)
    items = waiting.ask(10)
    waiting.tell(items[1:], truth[items[1:]].astype(int).tolist())
    assert waiting.thresholds().reason == waiting.estimate().reason
    assert waiting.choose_threshold(recall=0.9).reason == waiting.estimate().reason
    none = labelled(pool, np.zeros(2000, dtype=np.bool_), 30)
    assert none.choose_threshold(recall=0.9).reason == "no positive was found so far"
    assert not none.choose_threshold(recall=0.9).certified
    assert "at least 0.999" in labelled(pool, truth, 80).choose_threshold(recall=0.999, precision=0.999).reason
    assert "no target that could be certified" in labelled(pool, truth, 80).choose_threshold(maximise="f1").reason
    early = labelled(pool, truth, 20).choose_threshold(recall=0.5, confidence=0.5)
    assert not early.certified
    assert early.more is None or early.more > 0


def test_constant_scores_have_one_threshold() -> None:
    truth = np.arange(500) < 100
    evaluation = labelled(Pool(np.full(500, 0.5), threshold=0.5), truth, 80)
    found = evaluation.thresholds()
    assert found.threshold.tolist() == [0.5]
    assert found.kept.tolist() == [500]
    choice = evaluation.choose_threshold(recall=0.9)
    assert not choice.certified
    assert choice.reason == "all scores are equal: the only threshold keeps everything"


def test_keeping_much_of_the_pool_is_no_certificate() -> None:
    scores, truth = ranked(2000, 100, apart=0.2)
    choice = labelled(Pool(scores, threshold=1.0), truth, 200).choose_threshold(recall=0.9)
    assert not choice.certified
    assert "of the pool" in choice.reason


def test_skips_count_against_the_promise() -> None:
    """The same labels, but some of the negatives below the threshold are "cannot tell"."""
    scores, truth = ranked()
    pool = Pool(scores, threshold=2.5)
    sure, unsure = labelled(pool, truth, 150), labelled(pool, truth, 150)
    before = sure.choose_threshold(recall=0.9)
    assert before.threshold is not None
    low = [item for item in unsure._history.labels if scores[item] < before.threshold][:12]
    for item in low:
        unsure.correct(item, None)
    after = unsure.choose_threshold(recall=0.9)
    assert after.skipped == len(low) > 3
    assert after.kept > before.kept or (after.probability or 0) < (before.probability or 0)
    place = len(sure.thresholds()) // 2
    assert unsure.thresholds().recall.low[place] < sure.thresholds().recall.low[place]


def test_several_models() -> None:
    scores, truth = ranked(4000, 80)
    other = scores + np.random.default_rng(1).normal(size=4000)
    pool = Pool({"v1": scores, "v2": other}, threshold={"v1": 2.5, "v2": 2.5})
    evaluation = labelled(pool, truth, 120, Threshold(recall=0.8, model="v2"))
    assert evaluation.model == "v2"
    choice = evaluation.choose_threshold(confidence=0.8)
    assert choice.model == "v2"
    assert choice.threshold is not None
    kept = other >= choice.threshold
    assert choice.bare is not None
    assert choice.bare.kept == kept.sum()
    first, second = evaluation.thresholds(model="v1"), evaluation.thresholds()
    assert first.kept[first.present or 0] == (scores >= 2.5).sum()
    at = int(np.searchsorted(second.kept, 100))
    true = truth[other >= second.threshold[at]].sum() / 80
    assert second.recall.low[at] <= true <= second.recall.high[at]
    with pytest.raises(InputError, match="goal needs model= where a pool has several models"):
        Evaluation(pool, goal=Threshold(recall=0.9))


def test_a_model_without_a_score_has_no_thresholds() -> None:
    scores, truth = ranked(1000, 50)
    pool = Pool({"v1": scores}, threshold={"v1": 2.0}).with_model("v2", predictions=scores > 2.2)
    evaluation = labelled(pool, truth, 60)
    with pytest.raises(InputError, match="predictions only"):
        evaluation.thresholds(model="v2")


def test_other_samplers_and_draws_for_precision() -> None:
    scores, truth = ranked(1000, 50)
    evaluation = Evaluation(Pool(scores, threshold=2.0), sampler="acis")
    evaluation.tell(items := evaluation.ask(20), truth[items].astype(int).tolist())
    with pytest.raises(InputError, match="thresholds need sampler 'curve'"):
        evaluation.thresholds()
    precise = Evaluation(Pool(scores, threshold=2.0), metric="precision")
    precise.tell(items := precise.ask(20), truth[items].astype(int).tolist())
    with pytest.raises(InputError, match="cannot be estimated from draws made for precision"):
        precise.choose_threshold(recall=0.9)


def test_weights() -> None:
    """Items that weigh nothing hardly matter: those of the lower half of the ranking."""
    scores, truth = ranked(2000, 200, apart=2.0)
    weights = np.where(scores > np.median(scores), 1.0, 1e-6)
    evaluation = labelled(Pool(scores, threshold=1.5, weights=weights), truth, 2000)
    found = evaluation.thresholds()
    half = int(np.searchsorted(found.kept, 1000))
    assert found.recall.value[half] == pytest.approx(1.0, abs=1e-3)
    place = int(np.searchsorted(found.kept, 100))
    kept = scores >= found.threshold[place]
    assert found.recall.value[place] == pytest.approx((weights * truth)[kept].sum() / (weights * truth).sum())


def test_large_pools_cut_between_groups() -> None:
    scores, truth = ranked(20_000, 200)
    pool = Pool(scores, threshold=2.5, levels=100)
    evaluation = Evaluation(pool)
    while evaluation.labels < 120 and (items := evaluation.ask(120 - evaluation.labels)):
        evaluation.tell(items, truth[items].astype(int).tolist())
    found = evaluation.thresholds()
    for place in (0, len(found) // 3, 2 * len(found) // 3, len(found) - 1):
        assert found.kept[place] == (scores >= found.threshold[place]).sum()
    choice = evaluation.choose_threshold(recall=0.8, confidence=0.8)
    assert choice.set is not None
    assert choice.set.kept == kept_by(choice, scores).sum()


@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60), st.sampled_from(["recall", "precision"]), st.floats(0.05, 1))
def test_whatever_the_pool(seed: int, items: int, name: str, target: float) -> None:
    random = np.random.default_rng(seed)
    scores, truth = np.round(random.normal(size=items), 1), random.random(items) < random.random()
    pool = Pool(scores, threshold=float(np.median(scores)))
    evaluation = labelled(pool, truth, int(random.integers(1, items + 1)))
    choice = evaluation.choose_threshold(**{name: target})
    assert choice.threshold is not None
    assert choice.set is not None
    assert choice.bare is not None
    assert choice.set.kept == kept_by(choice, scores).sum()
    assert 0 <= choice.set.recall.low <= choice.set.recall.value <= choice.set.recall.high <= 1
    if choice.certified and evaluation.labels == items:
        kept = kept_by(choice, scores)
        reached = truth[kept].sum() / truth.sum() if name == "recall" else truth[kept].mean()
        assert reached >= target - 1e-9


@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
def test_values_lie_inside_their_bands_and_recall_rises(band: BandKind) -> None:
    """Few labels, many of them skipped, and few curves, whose weights are then very uneven; or all labels positive."""
    random = np.random.default_rng(0)
    unsure = Evaluation(Pool(random.random(150), threshold=0.3), goal=Threshold(recall=0.9), settings={"curves": 50})
    sure = Evaluation(Pool(np.full(25, 0.7), threshold=0.5), settings={"curves": 50})
    while (items := unsure.ask(30)) and unsure.labels < 60:
        unsure.tell(items, [None if random.random() < 0.5 else 0 for _ in items])
        sure.tell(positive := sure.ask(3), [1] * len(positive))
        for found in (unsure.thresholds(band=band), sure.thresholds(band=band)):
            for value, low, high in (found.precision, found.recall, found.f1):
                assert (low <= value).all()
                assert (value <= high).all()
            assert (np.diff(found.recall.value) >= 0).all()


def test_labelled_items_alone_are_no_certificate_of_a_precision() -> None:
    """With useless scores the only precise set is that of the positives that were found."""
    random = np.random.default_rng(0)
    truth = random.random(5000) < 0.05
    evaluation = labelled(Pool(random.normal(size=5000), threshold=1.5), truth, 150, Threshold(precision=0.9))
    choice = evaluation.choose_threshold()
    assert not choice.certified
    assert choice.reason
    bare = evaluation.choose_threshold(precision=0.9, reading="bare")
    assert not bare.certified
    assert bare.kept < 500  # the most precise part of the ranking, and not everything


def test_ties_are_named() -> None:
    scores, truth = ranked(5000, 300, apart=2.0)
    tied = np.where(scores < 2.5, 0.0, scores)
    choice = labelled(Pool(tied, threshold=2.6), truth, 100, Threshold(recall=0.9)).choose_threshold()
    assert not choice.certified
    assert "items have the same score" in choice.reason
    assert "best items reach the target with a probability of" in choice.reason


def test_a_classifier_warns_if_only_the_set_is_certified() -> None:
    sklearn = pytest.importorskip("sklearn.linear_model")
    scores, truth = ranked(20_000, 200, apart=6.0)
    fitted = sklearn.LogisticRegression().fit(scores[:, None], truth)
    pool = Pool(fitted.predict_proba(scores[:, None])[:, 1], threshold=0.5)
    choice = labelled(pool, truth, 200, Threshold(precision=0.8)).choose_threshold()
    assert choice.certified
    with pytest.warns(UserWarning, match="choose with reading='bare'"):
        choice.classifier(fitted)
