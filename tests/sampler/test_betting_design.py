"""Promise "design": what is certified holds for every pool, at every look, in memory and in a store."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lowshot import Evaluation, InputError, Pool, Threshold, open_pool
from lowshot.core.types import Flags, Floats
from lowshot.sampler.betting_design import BettingDesign, Drawn, Groups

pytestmark = pytest.mark.slow

RECALL = Threshold(recall=0.9, promise="design", confidence=0.9)
PRECISION = Threshold(precision=0.9, promise="design", confidence=0.9)


def pool_of(items: int, positives: int, apart: float, seed: int) -> tuple[Floats, Flags]:
    random = np.random.default_rng(seed)
    truth = np.arange(items) < positives
    return random.normal(size=items) + apart * truth, truth


def label(evaluation: Evaluation, truth: Flags, labels: int) -> None:
    while evaluation.labels < labels and (items := evaluation.ask(min(7, labels - evaluation.labels))):
        evaluation.tell(items, truth[items].astype(int).tolist())


@pytest.mark.parametrize("goal", [RECALL, PRECISION])
@pytest.mark.parametrize("apart", [4.0, 0.0, -1.0])
def test_what_is_certified_holds_at_every_look(goal: Threshold, apart: float) -> None:
    """Useless and reversed scores, too. 8 pools: broken with a probability of at most 10 % each, more than 4 have one
    of 0.04 %."""
    broken, certified = 0, 0
    items, positives = (600, 60) if goal.recall else (2000, 300)  # what is kept must be more than what is labelled
    for seed in range(8):
        scores, truth = pool_of(items, positives, apart, seed)
        evaluation, wrong = Evaluation(Pool(scores, threshold=2.0), goal=goal, seed=seed), False
        for labels in (60, 160):
            label(evaluation, truth, labels)
            choice = evaluation.choose_threshold()
            if choice.certified:
                kept = scores >= (choice.threshold or 0)
                kept[list(choice.added)], kept[list(choice.removed)] = True, False
                reached = truth[kept].sum() / positives if goal.recall else truth[kept].mean()
                wrong |= bool(reached < 0.9 - 1e-9)
        broken, certified = broken + wrong, certified + choice.certified
    assert broken <= 4
    if apart == 4.0:
        assert certified >= 6


def test_a_store_gives_the_same_draws_and_certificates(tmp_path: Path) -> None:
    scores, truth = pool_of(2000, 100, 4.0, 0)
    pool = Pool(scores, threshold=2.0)
    memory = Evaluation(pool, goal=RECALL, seed=3)
    label(memory, truth, 130)
    store = str(tmp_path / "birds.db")
    for labels in (30, 75, 130):  # opened again each time
        label(Evaluation(pool, goal=RECALL, seed=3, store=store), truth, labels)
    again = Evaluation(pool, store=store)
    assert again.goal == RECALL
    assert list(again._history.labels) == list(memory._history.labels)
    assert again.choose_threshold() == memory.choose_threshold()
    design = again._history.rounds[-1].design
    assert isinstance(design, BettingDesign)
    assert np.array_equal(design.tilt, memory._history.rounds[-1].design.tilt)


def test_draws_that_wait_do_not_count() -> None:
    scores, truth = pool_of(2000, 100, 4.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    label(evaluation, truth, 20)
    items = [*evaluation.ask(5), *evaluation.ask(9)]  # the round is extended beyond its size
    groups = Groups.of(evaluation.view)
    before = Drawn.of(groups, evaluation._history)
    evaluation.tell(items[1:], truth[items[1:]].astype(int).tolist())  # the first one waits
    assert len(Drawn.of(groups, evaluation._history).items) == len(before.items) == 20
    evaluation.tell(items[:1], truth[items[:1]].astype(int).tolist())
    after = Drawn.of(groups, evaluation._history)
    assert len(after.items) == 34
    assert np.count_nonzero(after.draws.tilt) == 25  # draws beyond the size of the round bet nothing


def test_skipped_items_count_against_the_promise() -> None:
    scores, truth = pool_of(1000, 100, 5.0, 0)
    sure, unsure = (Evaluation(Pool(scores, threshold=2.0), goal=RECALL) for _ in range(2))
    label(sure, truth, 200)
    label(unsure, truth, 200)
    low = [item for item in unsure._history.labels if scores[item] < 1][:10]
    for item in low:
        unsure.correct(item, None)
    assert len(low) == 10
    assert sure.choose_threshold().certified
    assert unsure.choose_threshold().kept > sure.choose_threshold().kept


def test_known_labels_count() -> None:
    scores, truth = pool_of(1000, 100, 5.0, 0)
    best = np.argsort(-scores)[:60].tolist()
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL, known={item: int(truth[item]) for item in best})
    drawn = Drawn.of(Groups.of(evaluation.view), evaluation._history)
    assert drawn.known.positive.sum() == truth[best].sum()
    assert drawn.sizes.sum() == 940
    label(evaluation, truth, 100)
    assert not set(evaluation._history.rounds[0].draws.items.tolist()) & set(best)
    assert evaluation.choose_threshold().certified


def test_labels_of_an_earlier_evaluation_are_known() -> None:
    scores, truth = pool_of(1000, 100, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0))
    label(evaluation, truth, 60)
    later = evaluation.with_model("v2", scores - 0.1, threshold=2.0, goal=replace(RECALL, model="v2"))
    drawn = Drawn.of(Groups.of(later.view), later._history)
    assert drawn.known.positive.sum() + drawn.known.negative.sum() == 60
    label(later, truth, 120)
    drawn = Drawn.of(Groups.of(later.view), later._history)
    assert len(drawn.items) == 60
    assert drawn.sizes.sum() == 940


def test_before_the_first_label_it_says_what_can_be_certified_at_best() -> None:
    scores, _ = pool_of(1000, 100, 5.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    reason = evaluation.choose_threshold().reason
    assert reason.startswith("no labels yet; with as many positives as are predicted, 1")
    assert "100, 200 and 400 labels let at most" in reason


def test_ties_and_predictions_of_any_kind() -> None:
    scores, truth = pool_of(1000, 100, 3.0, 0)
    rounded = np.round(scores)
    pool = Pool(rounded, predictions=np.random.default_rng(1).random(1000) < 0.1)
    groups = Groups.of(pool.view())
    assert groups.sizes.sum() == 1000
    assert len(groups.sizes) <= len(np.unique(rounded))
    evaluation = Evaluation(pool, goal=RECALL)
    label(evaluation, truth, 150)
    choice = evaluation.choose_threshold()
    assert choice.bare is not None
    assert choice.bare.kept == (rounded >= (choice.threshold or 0)).sum()


def test_a_grouped_pool() -> None:
    import pyarrow as pa

    scores, truth = pool_of(5000, 150, 4.0, 0)
    pool = open_pool(pa.table({"id": np.arange(5000), "score": scores}), id="id", score="score", threshold=2.0)
    evaluation = Evaluation(pool, goal=RECALL)
    label(evaluation, truth, 150)
    choice = evaluation.choose_threshold()
    assert choice.bare is not None
    assert choice.threshold is not None
    assert choice.bare.kept == (scores >= choice.threshold).sum()


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


def answers_out_of_order(evaluation: Evaluation, truth: Flags, further: int) -> list[int]:
    """The first round is extended; of the further items the negatives are answered at once, all but the first one.

    The items that wait are returned.
    """
    first = evaluation.ask(5)
    extra = [item for _ in range(further) for item in evaluation.ask()]
    evaluation.tell(first, truth[first].astype(int).tolist())
    quick = [item for item in extra[1:] if not truth[item]]
    evaluation.tell(quick, [0] * len(quick))
    return [item for item in extra if item not in quick]


def assert_draws_have_the_chances_that_bets_assume(evaluation: Evaluation) -> None:
    """An item of a group is drawn from as many as the bets say are left."""
    drawn = Drawn.of(Groups.of(evaluation.view), evaluation._history)
    design = evaluation.sampler.propose(evaluation.view, evaluation._history, evaluation.metric)
    assert isinstance(design, BettingDesign)
    left = drawn.sizes - np.bincount(drawn.draws.group, minlength=len(drawn.sizes))
    assert design.open_counts(design.labelled).tolist() == left.tolist()


def test_items_that_were_answered_out_of_order_can_still_be_drawn() -> None:
    """Otherwise quick negatives would leave the groups, and the rest would look better than it is."""
    scores, truth = pool_of(600, 60, 2.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    answers_out_of_order(evaluation, truth, 150)
    assert_draws_have_the_chances_that_bets_assume(evaluation)


def test_draws_that_were_answered_after_the_next_round_was_opened_do_not_count() -> None:
    """Whether they count must not depend on what their answers are."""
    scores, truth = pool_of(600, 60, 2.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    late = answers_out_of_order(evaluation, truth, 30)
    groups = Groups.of(evaluation.view)
    label(evaluation, truth, evaluation.labels + 5)
    assert len(evaluation._history.rounds) == 2
    before = Drawn.of(groups, evaluation._history).items.tolist()
    open_ = [item for item in late if item not in evaluation._history.labels]
    evaluation.tell(open_, truth[open_].astype(int).tolist())
    assert Drawn.of(groups, evaluation._history).items.tolist()[: len(before)] == before
    assert_draws_have_the_chances_that_bets_assume(evaluation)


def test_answers_out_of_order_survive_a_restart(tmp_path: Path) -> None:
    scores, truth = pool_of(600, 60, 2.0, 0)
    pool = Pool(scores, threshold=2.0)
    memory, stored = Evaluation(pool, goal=RECALL), Evaluation(pool, goal=RECALL, store=str(tmp_path / "birds.db"))
    for evaluation in (memory, stored):
        answers_out_of_order(evaluation, truth, 100)
        label(evaluation, truth, evaluation.labels + 7)
    again = Evaluation(pool, store=str(tmp_path / "birds.db"))
    label(memory, truth, 150)
    label(again, truth, 150)
    found = [Drawn.of(Groups.of(one.view), one._history) for one in (memory, again)]
    assert found[0].items.tolist() == found[1].items.tolist()
    assert found[0].draws.tilt.tolist() == found[1].draws.tilt.tolist()


def test_a_pool_with_all_labels_is_certain_in_whatever_order_they_came() -> None:
    scores, truth = pool_of(60, 20, 6.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    answers_out_of_order(evaluation, truth, 40)
    label(evaluation, truth, 60)
    waiting = evaluation.pending
    evaluation.tell(waiting, truth[waiting].astype(int).tolist())
    assert evaluation.labels == 60
    choice = evaluation.choose_threshold()
    assert choice.certified
    assert choice.kept == 20


def test_labels_of_an_earlier_evaluation_are_known_before() -> None:
    """They were drawn in another way, and some were skipped."""
    scores, truth = pool_of(600, 60, 2.0, 0)
    earlier = Evaluation(Pool(scores, threshold=2.0))
    label(earlier, truth, 100)
    items = list(earlier._history.labels)
    earlier.correct(items[0], None)
    goal = Threshold(recall=0.9, promise="design", model="new")
    evaluation = earlier.with_model("new", scores + 1, threshold=2.0, goal=goal)
    assert_draws_have_the_chances_that_bets_assume(evaluation)
    drawn = Drawn.of(Groups.of(evaluation.view), evaluation._history)
    assert drawn.known.positive.sum() + drawn.known.negative.sum() == 99
    assert drawn.items.tolist() == items[:1]
    label(evaluation, truth, 130)
    assert_draws_have_the_chances_that_bets_assume(evaluation)


def test_another_model_than_that_of_the_draws() -> None:
    scores, truth = pool_of(500, 50, 3.0, 0)
    goal = Threshold(recall=0.9, promise="design", model="v1")
    evaluation = Evaluation(Pool({"v1": scores, "v2": -scores}, threshold=1.0), goal=goal)
    label(evaluation, truth, 5)
    with pytest.raises(InputError, match=r"model must be 'v1', along whose ranking .* got 'v2'"):
        evaluation.choose_threshold(model="v2")


def test_weights_are_refused() -> None:
    """The bets count items."""
    with pytest.raises(InputError, match="goal must have promise 'posterior' where items have weights"):
        Evaluation(Pool([0.9, 0.8, 0.1], threshold=0.5, weights=[1.0, 2.0, 3.0]), goal=RECALL)


def test_without_positives_there_is_no_recall_to_certify() -> None:
    evaluation = Evaluation(Pool(np.arange(60), threshold=30), goal=RECALL)
    label(evaluation, np.zeros(60, dtype=np.bool_), 60)
    choice = evaluation.choose_threshold()
    assert evaluation.labels == 60
    assert not choice.certified
    assert choice.reason == "no positive was found so far"


def test_rounds_are_longer_where_several_people_label() -> None:
    """What is drawn while others wait bets nothing, and comes at the end of every round."""
    scores, truth = pool_of(2000, 100, 4.0, 0)
    evaluation = Evaluation(Pool(scores, threshold=2.0), goal=RECALL)
    first = evaluation.ask(5)
    waiting = [item for _ in range(6) for item in evaluation.ask()]
    evaluation.tell(first, truth[first].astype(int).tolist())
    evaluation.ask()
    assert len(waiting) == 6
    assert [round_.design.size for round_ in evaluation._history.rounds] == [5, 30]
