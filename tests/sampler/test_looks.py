"""Promise "design": what is certified holds for every pool, at every look, in memory and in a store."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lowshot import Evaluation, InputError, Pool, Threshold, open_pool
from lowshot.charts.threshold_page import choice_in_words
from lowshot.core.types import Flags, Floats
from lowshot.sampler.looks import RECALL as RECALL_PLANNED
from lowshot.sampler.looks import Look, LookDesign, looks_of, proven

RECALL = Threshold(recall=0.9, promise="design", confidence=0.9)
PRECISION = Threshold(precision=0.9, promise="design", confidence=0.9)


def pool_of(items: int, positives: int, apart: float, seed: int) -> tuple[Floats, Flags]:
    random = np.random.default_rng(seed)
    truth = np.arange(items) < positives
    return random.normal(size=items) + apart * truth, truth


def label(evaluation: Evaluation, truth: Flags, labels: int) -> None:
    while evaluation.labels < labels and (items := evaluation.ask(min(7, labels - evaluation.labels))):
        evaluation.tell(items, truth[items].astype(int).tolist())


def looks(evaluation: Evaluation) -> list[Look]:
    return looks_of(evaluation.view, evaluation._history)


def asked_below(evaluation: Evaluation, truth: Flags) -> LookDesign:
    """Label until a draw below a cut has begun."""
    while not (looks(evaluation) and looks(evaluation)[-1].design.below):
        label(evaluation, truth, evaluation.labels + 1)
    return looks(evaluation)[-1].design


# ---- the promise -----------------------------------------------------------------------------------------------------


def scattered(random: np.random.Generator) -> tuple[Floats, Flags]:
    return random.normal(size=400), np.arange(400) < 60


def inverted(random: np.random.Generator) -> tuple[Floats, Flags]:
    truth = np.arange(400) < 60
    return random.normal(size=400) - 1.5 * truth, truth


def hidden(random: np.random.Generator) -> tuple[Floats, Flags]:
    """A good ranking of 40 positives, and as many more as break the promise just below where a cut would be."""
    scores = np.sort(random.normal(size=400))[::-1]
    truth = np.arange(400) < 40
    truth[random.choice(np.arange(250, 400), 6, replace=False)] = True
    return scores.copy(), truth


def rare(random: np.random.Generator) -> tuple[Floats, Flags]:
    truth = np.arange(400) < 9
    return random.normal(size=400) + 2 * (np.arange(400) < 7), truth


@pytest.mark.slow
@pytest.mark.parametrize("make", [scattered, inverted, hidden, rare])
@pytest.mark.parametrize("kind", ["recall", "precision"])
def test_what_is_certified_holds_at_every_look(
    make: Callable[[np.random.Generator], tuple[Floats, Flags]], kind: str
) -> None:
    """With a failure probability of 0.4, so that a broken promise would show. 40 runs: 3 standard errors above it."""
    delta, runs, broken = 0.4, 40, 0
    goal = Threshold(**{kind: 0.8}, promise="design", confidence=1 - delta)
    for run in range(runs):
        scores, truth = make(np.random.default_rng([11, run]))
        evaluation = Evaluation(Pool(scores, threshold=float(np.sort(scores)[-45])), goal=goal, seed=run)
        wrong = False
        while evaluation.labels < 200 and (items := evaluation.ask(7)):
            evaluation.tell(items, truth[items].astype(int).tolist())
            kept = proven(evaluation.view, evaluation._history, goal).kept
            chosen = np.argsort(np.argsort(-scores)) < kept
            labelled = np.array(list(evaluation._history.labels))
            chosen[labelled] = truth[labelled]
            value = truth[chosen].sum() / truth.sum() if kind == "recall" else truth[chosen].mean() if kept else 1.0
            wrong |= bool(value < 0.8 - 1e-9)
        broken += wrong
    assert broken / runs <= delta + 3 * np.sqrt(delta * (1 - delta) / runs)


def test_a_good_ranking_is_certified() -> None:
    """About as much is let go as labels allow, and what is certified grows while a draw below a cut goes on."""
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=RECALL)
    let_go = []
    for labels in (120, 160, 200):
        label(evaluation, truth, labels)
        choice = evaluation.choose_threshold()
        assert choice.certified
        let_go.append(3000 - choice.bare.kept if choice.bare else 0)
    assert let_go[0] < let_go[1] < let_go[2]
    assert let_go[2] > 500
    enforcing = Evaluation(Pool(scores, threshold=2.5), goal=PRECISION)
    label(enforcing, truth, 100)
    assert enforcing.choose_threshold().certified


def test_labels_come_from_the_bottom_and_a_cut_is_certified_when_all_draws_below_it_are_labelled() -> None:
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=RECALL)
    design = asked_below(evaluation, truth)
    label(evaluation, truth, evaluation.labels + 30)
    look, rank = looks(evaluation)[-1], np.argsort(np.argsort(-scores))
    depth = rank[look.items]
    assert (np.diff(depth) < 0).all()
    assert depth.min() >= design.cut
    kept = proven(evaluation.view, evaluation._history, RECALL).kept
    assert depth[-1] < kept <= depth[-2] + 60  # the next cut above the last label but one; cuts are 2 % apart


def test_a_draw_that_finds_too_many_ends_and_what_it_certified_before_stays() -> None:
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=RECALL)
    design = asked_below(evaluation, truth)
    label(evaluation, truth, evaluation.labels + 30)
    before = proven(evaluation.view, evaluation._history, RECALL)
    for _ in range(design.may + 1):
        evaluation.tell(evaluation.ask(1), [1])
    after = proven(evaluation.view, evaluation._history, RECALL)
    assert looks(evaluation)[-1].over
    assert (before.failed, after.failed) == (0, 1)
    assert after.kept <= before.kept
    assert after.missing == 0
    evaluation.ask(1)
    assert evaluation._history.rounds[-1].design is not design


def test_after_the_last_look_that_may_fail_there_is_none_and_the_reason_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lowshot.core.certificate.LOOKS", 1)
    monkeypatch.setattr("lowshot.thresholding.LOOKS", 1)
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=RECALL)
    design = asked_below(evaluation, truth)
    items = evaluation.ask(design.may + 1)
    evaluation.tell(items, [1] * len(items))
    choice = evaluation.choose_threshold()
    assert not choice.certified
    assert choice.reason.endswith(
        "; all 1 looks that the failure probability is shared between have failed, and one more would break the"
        " promise: begin a new evaluation, or ask one with promise 'posterior'"
    )
    label(evaluation, truth, evaluation.labels + 30)
    assert not isinstance(evaluation._history.rounds[-1].design, LookDesign)


# ---- stores, people, labels of all kinds -----------------------------------------------------------------------------


@pytest.mark.parametrize("goal", [RECALL, PRECISION])
def test_a_store_gives_the_same_draws_and_certificates(goal: Threshold, tmp_path: Path) -> None:
    scores, truth = pool_of(2000, 100, 4.0, 0)
    pool = Pool(scores, threshold=2.0)
    memory = Evaluation(pool, goal=goal, seed=3)
    label(memory, truth, 130)
    store = str(tmp_path / "birds.db")
    for labels in (30, 75, 130):  # opened again each time
        label(Evaluation(pool, goal=goal, seed=3, store=store), truth, labels)
    again = Evaluation(pool, store=store)
    assert again.goal == goal
    assert list(again._history.labels) == list(memory._history.labels)
    assert again.choose_threshold() == memory.choose_threshold()
    assert [look.design.decided["look"].tolist() for look in looks(again)] == [
        look.design.decided["look"].tolist() for look in looks(memory)
    ]


def test_draws_that_wait_do_not_count() -> None:
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=RECALL)
    asked_below(evaluation, truth)
    before = proven(evaluation.view, evaluation._history, RECALL)
    items = evaluation.ask(30)
    evaluation.tell(items[1:], truth[items[1:]].astype(int).tolist())  # the first one waits
    assert proven(evaluation.view, evaluation._history, RECALL) == before
    evaluation.tell(items[:1], truth[items[:1]].astype(int).tolist())
    assert proven(evaluation.view, evaluation._history, RECALL).kept < before.kept


def test_draws_beyond_a_look_do_not_count() -> None:
    """Several people label at once: of a draw above a cut just as many count as were planned."""
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=PRECISION)
    while not looks(evaluation):
        label(evaluation, truth, evaluation.labels + 1)
    design = looks(evaluation)[-1].design
    items = evaluation.ask(design.drawn)
    extra = [item for _ in range(10) for item in evaluation.ask(1)]  # all are handed out
    evaluation.tell(extra, truth[extra].astype(int).tolist())
    evaluation.tell(items, truth[items].astype(int).tolist())
    assert len(extra) == 10
    assert len(looks(evaluation)[-1].items) == design.drawn
    assert not set(extra) & set(looks(evaluation)[-1].items.tolist())


def test_answers_out_of_order_survive_a_restart(tmp_path: Path) -> None:
    scores, truth = pool_of(600, 60, 2.0, 0)
    pool = Pool(scores, threshold=2.0)
    memory, stored = Evaluation(pool, goal=RECALL), Evaluation(pool, goal=RECALL, store=str(tmp_path / "birds.db"))
    for evaluation in (memory, stored):
        label(evaluation, truth, 25)
        items = evaluation.ask(12)
        evaluation.tell(items[::-2], truth[items[::-2]].astype(int).tolist())
        evaluation.tell(items[-2::-2], truth[items[-2::-2]].astype(int).tolist())
    again = Evaluation(pool, store=str(tmp_path / "birds.db"))
    label(memory, truth, 150)
    label(again, truth, 150)
    assert again._history.labels == memory._history.labels
    assert again.choose_threshold() == memory.choose_threshold()


@pytest.mark.parametrize("skipped", ["before", "drawn"])
def test_skipped_items_below_a_cut_count_as_missed(skipped: str) -> None:
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=RECALL)
    design = asked_below(evaluation, truth)
    label(evaluation, truth, evaluation.labels + 40)
    look, sure = looks(evaluation)[-1], proven(evaluation.view, evaluation._history, RECALL).kept
    rank = np.argsort(np.argsort(-scores))
    chosen = look.labelled[rank[look.labelled] >= design.cut] if skipped == "before" else look.items[: design.may + 1]
    assert len(chosen)
    for item in chosen.tolist():
        evaluation.correct(item, None)
    assert proven(evaluation.view, evaluation._history, RECALL).kept > sure


def test_skipped_items_above_a_cut_count_as_negative() -> None:
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=PRECISION)
    label(evaluation, truth, 100)
    sure = proven(evaluation.view, evaluation._history, PRECISION)
    for item in looks(evaluation)[-1].items[:40].tolist():
        evaluation.correct(item, None)
    unsure = proven(evaluation.view, evaluation._history, PRECISION)
    assert unsure.kept < sure.kept
    assert (sure.failed, unsure.failed) == (0, 1)


def test_a_corrected_label_counts_as_it_is_now() -> None:
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=RECALL)
    asked_below(evaluation, truth)
    label(evaluation, truth, evaluation.labels + 40)
    first = proven(evaluation.view, evaluation._history, RECALL)
    positive = [item for item, label in evaluation._history.labels.items() if label == 1]
    for item in positive:
        evaluation.correct(item, 0)
    assert proven(evaluation.view, evaluation._history, RECALL).kept == 3000
    for item in positive:
        evaluation.correct(item, 1)
    assert proven(evaluation.view, evaluation._history, RECALL) == first


def test_known_labels_count() -> None:
    scores, truth = pool_of(1000, 100, 5.0, 0)
    best = np.argsort(-scores)[:60].tolist()
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL, known={item: int(truth[item]) for item in best})
    design = asked_below(evaluation, truth)
    assert not set(looks(evaluation)[0].design.can_draw(np.array(best)).tolist()) & {True}
    assert looks(evaluation)[0].labelled.tolist() == sorted(best)  # they are enough to plan the first look
    label(evaluation, truth, 100)
    assert design.cut >= 100
    assert evaluation.choose_threshold().certified


def test_labels_of_an_earlier_evaluation_count_as_known() -> None:
    scores, truth = pool_of(1000, 100, 5.0, 0)
    earlier = Evaluation(Pool(scores, threshold=2.0))
    label(earlier, truth, 60)
    later = earlier.with_model("v2", scores - 0.1, threshold=2.0, goal=replace(RECALL, model="v2"))
    label(later, truth, 150)
    assert looks(later)[0].labelled.tolist() == sorted(earlier._history.labels)
    assert later.choose_threshold().certified


def test_ties_and_predictions_of_any_kind() -> None:
    scores, truth = pool_of(1000, 100, 3.0, 0)
    rounded = np.round(scores)
    evaluation = Evaluation(Pool(rounded, predictions=np.random.default_rng(1).random(1000) < 0.1), goal=RECALL)
    label(evaluation, truth, 150)
    for look in looks(evaluation):
        assert (rounded >= np.sort(rounded)[-look.design.cut]).sum() == look.design.cut
    choice = evaluation.choose_threshold()
    assert choice.bare is not None
    assert choice.bare.kept == (rounded >= (choice.threshold or 0)).sum()


@pytest.mark.parametrize("goal", [RECALL, PRECISION])
def test_scores_that_are_all_equal(goal: Threshold) -> None:
    truth = np.arange(200) % 4 == 0
    evaluation = Evaluation(Pool(np.zeros(200), predictions=truth), goal=goal)
    label(evaluation, truth, 80)
    choice = evaluation.choose_threshold()
    assert not choice.certified
    if goal.recall:
        assert choice.reason == "all scores are equal: the only threshold keeps everything"


@pytest.mark.parametrize("goal", [RECALL, PRECISION])
def test_a_grouped_pool(goal: Threshold) -> None:
    import pyarrow as pa

    scores, truth = pool_of(5000, 150, 4.0, 0)
    pool = open_pool(pa.table({"id": np.arange(5000), "score": scores}), id="id", score="score", threshold=2.0)
    evaluation = Evaluation(pool, goal=goal)
    label(evaluation, truth, 150)
    choice = evaluation.choose_threshold()
    assert choice.certified
    assert choice.bare is not None
    assert choice.threshold is not None
    assert choice.bare.kept == (scores >= choice.threshold).sum()
    assert proven(evaluation.view, evaluation._history, goal).kept == choice.bare.kept


def test_a_pool_with_all_labels_is_certain_in_whatever_order_they_came() -> None:
    scores, truth = pool_of(60, 20, 6.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    while items := evaluation.ask(9):
        evaluation.tell(items[::-1], truth[items[::-1]].astype(int).tolist())
    assert evaluation.labels == 60
    choice = evaluation.choose_threshold()
    assert choice.certified
    assert choice.kept == 20


def test_a_certified_precision_stays_when_the_rest_of_the_pool_is_labelled() -> None:
    scores, truth = pool_of(120, 40, 3.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=replace(PRECISION, precision=0.7))
    certified = []
    while items := evaluation.ask(5):
        evaluation.tell(items, truth[items].astype(int).tolist())
        certified.append(evaluation.choose_threshold().certified)
    assert evaluation.labels == 120
    assert any(certified)
    assert certified == sorted(certified)
    assert evaluation.stop_when(verdict=True)


@pytest.mark.parametrize("target", [1e-6, 1e-7, 1e-300])
def test_a_target_of_almost_nothing(target: float) -> None:
    """Targets are fractions with denominators up to a million; these were 0, and divided by."""
    scores, truth = pool_of(60, 20, 3.0, 0)
    for name in ("recall", "precision"):
        evaluation = Evaluation(Pool(scores, threshold=2.0), goal=Threshold(**{name: target}, promise="design"))
        assert not evaluation.choose_threshold().certified
        label(evaluation, truth, 30)
        assert evaluation.choose_threshold().certified


def test_without_positives_there_is_no_recall_to_certify() -> None:
    evaluation = Evaluation(Pool(np.arange(60), threshold=30), goal=RECALL)
    label(evaluation, np.zeros(60, dtype=np.bool_), 60)
    choice = evaluation.choose_threshold()
    assert evaluation.labels == 60
    assert not choice.certified
    assert choice.reason == "no positive was found so far"


def test_before_the_first_label_it_says_what_can_be_certified_at_best() -> None:
    scores, _ = pool_of(1000, 100, 5.0, 0)
    reason = Evaluation(Pool(scores, threshold=2.0), goal=RECALL).choose_threshold().reason
    assert reason.startswith("no labels yet; if there are as many positives as predicted ones (1")
    assert "items can be let go, whatever the scores are: with 100 labels at most" in reason


def test_what_it_does_not_promise() -> None:
    scores, truth = pool_of(500, 50, 3.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    label(evaluation, truth, 10)
    with pytest.raises(InputError, match=r"drawn to certify recall of at least 0\.9 by design"):
        evaluation.choose_threshold(recall=0.8)
    with pytest.raises(InputError, match="promise 'design' certifies one target"):
        Threshold(recall=0.9, precision=0.9, promise="design")
    with pytest.raises(InputError, match="reading must be 'set' with promise 'design'"):
        evaluation.choose_threshold(reading="bare")
    choice = evaluation.choose_threshold()
    assert not choice.certified
    assert "labels let at most" in choice.reason
    assert choice.set is not None
    assert choice.set.probability is None
    assert choice.set.recall.value == 1


def test_a_precision_is_certified_at_the_end_of_a_look_and_the_reason_says_when() -> None:
    scores, truth = pool_of(3000, 200, 5.0, 0)
    goal = replace(PRECISION, precision=0.95)  # which the first 20 labels alone do not prove
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=goal)
    while not looks(evaluation):
        label(evaluation, truth, evaluation.labels + 1)
    design, missing = looks(evaluation)[-1].design, looks(evaluation)[-1].missing
    choice = evaluation.choose_threshold()
    assert not choice.certified
    assert choice.reason.endswith(f"; the look under way ends after {missing} more labels")
    assert choice.more == missing
    label(evaluation, truth, evaluation.labels + missing - 1)
    assert proven(evaluation.view, evaluation._history, goal).kept < design.cut
    label(evaluation, truth, evaluation.labels + 1)
    assert proven(evaluation.view, evaluation._history, goal).kept == design.cut


@pytest.mark.parametrize("goal", [RECALL, PRECISION])
def test_it_is_enough_when_a_look_has_had_the_labels_that_it_was_planned_for(goal: Threshold) -> None:
    """Labels alone certify a set that is nearly everything, or nearly nothing, by arithmetic, long before."""
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation, told = Evaluation(Pool(scores, threshold=2.5), goal=goal), []
    while not evaluation.stop_when(verdict=True):
        told.append(evaluation.choose_threshold())
        likely = evaluation.plan(verdict=True).likely
        label(evaluation, truth, evaluation.labels + 5)
    look = next(look for look in looks(evaluation) if look.design.below == (goal is RECALL) and not look.short)
    first, chosen = next(choice for choice in told if choice.certified), evaluation.choose_threshold()
    assert evaluation.labels - 5 < likely <= evaluation.labels
    assert likely == len(look.labelled) + min(look.design.drawn, RECALL_PLANNED)
    assert first.labels < evaluation.labels - 30
    assert f"not enough yet: about {first.more} more labels are planned, with which a " in str(first)
    assert str(first.ahead).capitalize() in choice_in_words(first)
    assert chosen.enough
    assert "not enough yet" not in str(chosen)
    assert chosen.kept < first.kept if goal is RECALL else chosen.kept > first.kept


def test_if_no_look_is_left_a_certificate_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowshot.core.certificate.LOOKS", 1)
    scores, truth = pool_of(3000, 200, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.5), goal=replace(RECALL, recall=0.5))
    design = asked_below(evaluation, truth)
    evaluation.tell(early := evaluation.ask(20), [0] * len(early))
    assert evaluation.choose_threshold().certified
    assert not evaluation.stop_when(verdict=True)
    items = evaluation.ask(design.may + 1)
    evaluation.tell(items, [1] * len(items))
    assert evaluation.choose_threshold().certified == evaluation.stop_when(verdict=True)


def test_another_model_than_that_of_the_draws() -> None:
    scores, truth = pool_of(500, 50, 3.0, 0)
    goal = Threshold(recall=0.9, promise="design", model="v1")
    evaluation = Evaluation(Pool({"v1": scores, "v2": -scores}, threshold=1.0), goal=goal)
    label(evaluation, truth, 5)
    with pytest.raises(InputError, match=r"model must be 'v1', along whose ranking .* got 'v2'"):
        evaluation.choose_threshold(model="v2")


def test_weights_are_refused() -> None:
    """Looks count items."""
    with pytest.raises(InputError, match="goal must have promise 'posterior' where items have weights"):
        Evaluation(Pool([0.9, 0.8, 0.1], threshold=0.5, weights=[1.0, 2.0, 3.0]), goal=RECALL)
