"""What the sampler `curve` promises: its intervals, plans and warnings, also for every look."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import lowshot
from lowshot import Evaluation, InputError, Pool
from lowshot.core.curve.bands import Bands
from lowshot.core.curve.summary import Summary
from lowshot.core.interval import Interval
from lowshot.core.ranking import rank
from lowshot.history import History
from lowshot.metric import f_metric
from lowshot.sampler import Curve
from lowshot.testing import Task, finish, simulated


def test_nothing_is_certain_while_items_are_unlabelled() -> None:
    task = simulated()
    evaluation = finish(Evaluation(task.pool, sampler="curve"), task.labels, 40)
    interval = evaluation.estimate().interval
    assert interval is not None
    assert 0 <= interval.low < interval.high <= 1


@pytest.mark.parametrize("metric", ["precision", "recall", "f2", "f0.5"])
def test_other_metrics(metric: str) -> None:
    task = simulated(items=2000, positives=60, seed=3)
    evaluation = finish(Evaluation(task.pool, metric, sampler="curve"), task.labels, 150)
    found = evaluation.estimate()
    assert found.interval is not None
    assert found.interval.low <= task.truth(metric) <= found.interval.high
    assert found.interval.high - found.interval.low < 0.5


def test_counts_and_another_model() -> None:
    task = simulated(items=2000, positives=60, seed=3)
    evaluation = finish(Evaluation(task.pool, sampler="curve"), task.labels, 200)
    for name in ("tp", "fp", "fn", "prevalence"):
        found = evaluation.estimate(name)
        assert found.interval is not None
        assert found.interval.low <= task.truth(name) <= found.interval.high
    other = task.columns["scores"] > 0.95
    found = evaluation.estimate(predictions=other)
    assert found.interval is not None
    assert found.interval.low <= task.truth(predictions=other) <= found.interval.high


@pytest.mark.parametrize("power", [1, 3])
def test_a_monotone_change_of_the_scores_changes_little(power: int) -> None:
    """Ranks are the same; only the components along the score see a difference."""
    task = simulated(items=2000, positives=60, seed=3)
    margin = task.columns["features"][:, 0]
    pool = Pool(np.sign(margin) * np.abs(margin) ** power, task.columns["predictions"])
    evaluation = finish(Evaluation(pool, sampler="curve"), task.labels, 150)
    assert evaluation.estimate().value == pytest.approx(task.truth(), abs=0.1)


def test_coverage_and_error_on_simulated_pools() -> None:
    """At 95 %, fewer than 16 of 20 inside has a probability of 0.3 %; and a lower error than ACIS."""
    inside, mine, theirs = 0, [], []
    for seed in range(20):
        task = simulated(items=3000, positives=40, seed=seed, separation=2.5)
        found = finish(Evaluation(task.pool, sampler="curve", seed=seed), task.labels, 70).estimate()
        other = finish(Evaluation(task.pool, sampler="acis", seed=seed), task.labels, 70).estimate()
        assert found.interval is not None
        inside += found.interval.low <= task.truth() <= found.interval.high
        mine.append((found.value - task.truth()) ** 2)
        theirs.append((other.value - task.truth()) ** 2)
    assert inside >= 16
    assert np.mean(mine) < np.mean(theirs)


@pytest.mark.slow
def test_a_plan_from_the_scores_alone_holds_what_it_takes_in_the_end() -> None:
    """Eight in ten are promised; fewer than 4 of 8 would come with a probability of 1 %."""
    inside = 0
    for seed in range(8):
        task = simulated(items=3000, positives=60, seed=seed)
        evaluation = Evaluation(task.pool, sampler="curve", seed=seed)
        plan, before = evaluation.plan(0.1), 0
        assert 10 <= plan.low <= plan.likely <= plan.high
        while not evaluation.stop_when(0.1):
            before, items = evaluation.labels, evaluation.ask(1000)  # a round
            evaluation.tell(items, task.answer(items))
        inside += before <= plan.high and plan.low <= evaluation.labels
    assert inside >= 4
    done = evaluation.plan(0.1)
    assert done.low == done.high == evaluation.labels
    assert "are enough" in str(done)


def test_a_plan_with_another_sampler_needs_labels() -> None:
    task = simulated(items=3000, positives=60, seed=1)
    with pytest.raises(InputError, match="a plan needs an interval"):
        Evaluation(task.pool, sampler="acis").plan(0.05)
    with pytest.raises(InputError, match="a plan needs an interval, and topk has none"):
        finish(Evaluation(task.pool, sampler="topk"), task.labels, 50).plan(0.05)
    plan = finish(Evaluation(task.pool, sampler="acis"), task.labels, 70).plan(0.05)
    assert 70 < plan.low <= plan.likely <= plan.high <= plan.most
    with pytest.raises(InputError, match="half_width must be"):
        Evaluation(task.pool, sampler="curve").plan(0)


def test_an_interval_for_every_look_is_wider_and_costs_labels() -> None:
    task = simulated(items=3000, positives=60, seed=1)
    usual, always = (
        finish(Evaluation(task.pool, sampler=Curve(anytime=anytime)), task.labels, 100).estimate().interval
        for anytime in (False, True)
    )
    assert usual is not None
    assert always is not None
    assert always.low < usual.low < usual.high < always.high
    assert 1.2 < (always.high - always.low) / (usual.high - usual.low) < 2.2
    plans = [Evaluation(task.pool, sampler=Curve(anytime=anytime)).plan(0.1).likely for anytime in (False, True)]
    assert plans[0] < plans[1]


def test_an_interval_for_every_look_is_the_ratio_of_two_normal_densities() -> None:
    """At its ends the prior density is 20 times the posterior one."""
    half = 1.959964
    before = Summary(0.5, 0.04, Interval(0.5 - 0.2 * half, 0.5 + 0.2 * half), 0.5)
    after = Summary(0.5, 0.0004, Interval(0.5 - 0.02 * half, 0.5 + 0.02 * half), 0.5)
    high = after.anytime(before, 1.0).interval.high
    assert norm.pdf(high, 0.5, 0.2) / norm.pdf(high, 0.5, 0.02) == pytest.approx(20, rel=0.1)


def test_positives_anywhere_are_allowed_for_when_the_user_says_so() -> None:
    """Four positives in five have ordinary scores. 10 of 10 by chance at 50 % coverage: 0.1 %."""
    inside = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        labels = np.zeros(5000, dtype=np.bool_)
        labels[:30] = True
        scores = random.normal(size=5000)
        scores[:6] += 5
        pool = Pool(scores, scores > 3, scale="logit")
        interval = finish(Evaluation(pool, sampler=Curve(background=4.0), seed=seed), labels, 60).estimate().interval
        assert interval is not None
        inside += interval.low <= Task(pool, labels).truth() <= interval.high
    assert inside >= 9


def test_one_label_in_twenty_comes_from_the_whole_pool() -> None:
    task = simulated(items=20_000, positives=40, seed=2)
    evaluation = finish(Evaluation(task.pool, sampler="curve"), task.labels, 400)
    random = from_the_whole_pool(evaluation)
    assert len(random) == 20
    ranks = [int((task.pool.scores > task.pool.scores[item]).sum()) for item in random]
    error = 20_000 / np.sqrt(12 * len(ranks))
    assert np.mean(ranks) == pytest.approx(10_000, abs=3 * error)
    assert not from_the_whole_pool(finish(Evaluation(task.pool, sampler=Curve(insurance=0)), task.labels, 400))


def from_the_whole_pool(evaluation: Evaluation) -> list[int]:
    """Items whose probability was that of an item among all, not inside a group. The last draw is not handed out."""
    pairs = [[*zip(each["items"], each["probabilities"], strict=True)][: each["asked"]]
             for each in evaluation.history["rounds"]]  # fmt: skip
    return [item for pair in pairs for item, probability in pair if probability < 1.1 / (20_000 - 400)]


def test_surprises_are_told() -> None:
    """From the third round on, every item that is not predicted is positive."""
    task = simulated(items=5000, positives=40, seed=2)
    evaluation = Evaluation(task.pool, sampler="curve")
    for number in range(5):
        items = np.array(evaluation.ask(1000))
        evaluation.tell(items, np.where(number < 2, task.labels[items], ~task.pool.predictions[items]))
    found = evaluation.estimate()
    assert "missed positives were found where" in found.warning
    assert str(found).endswith(f"careful: {found.warning}")
    assert not finish(Evaluation(task.pool, sampler="curve"), task.labels, 200).estimate().warning


def test_the_same_predictions_are_not_another_model() -> None:
    task = simulated(items=3000, positives=60, seed=1)
    evaluation = finish(Evaluation(task.pool, sampler="curve"), task.labels, 100)
    assert evaluation.estimate(predictions=task.pool.predictions.copy()) == evaluation.estimate()


@pytest.mark.slow
def test_intervals_for_another_model_cover_the_truth() -> None:
    """Another threshold, from labels that were drawn for the first: 24 pools, of which 95 % should be covered.

    Fewer than 19 are covered with a probability of 0.2 % if each is covered with 95 %.
    """
    covered = 0
    for seed in range(24):
        task = simulated(items=3000, positives=60, seed=seed)
        evaluation = finish(Evaluation(task.pool, sampler="curve"), task.labels, 70)
        other = task.pool.scores > np.quantile(task.pool.scores, 0.96)
        truth = 2 * float((other & task.labels).sum()) / float(other.sum() + task.labels.sum())
        found = evaluation.estimate(predictions=other).interval
        assert found is not None
        covered += truth in found
    assert covered >= 19


def test_half_of_the_pool_predicted() -> None:
    """Depth 0 is the median: the score has no scale there."""
    scores = np.linspace(3, -3, 1000)
    bands = Bands.of(rank(scores, scores > 0))
    assert bands.scaled is bands.normal
    assert np.isfinite(bands.gap)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"anytime": "yes"}, "anytime must be"),
        ({"background": -1}, "background must be"),
        ({"insurance": 0.9}, "insurance must be"),
        ({"curves": 3}, "curves must be"),
    ],
)
def test_bad_settings(settings: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Evaluation(simulated().pool, sampler="curve", settings=settings)


def test_groups_are_chosen_so_there_are_no_weights() -> None:
    task = simulated()
    with pytest.raises(InputError, match="weights need draws with known probabilities: curve"):
        finish(Evaluation(task.pool, sampler="curve"), task.labels, 30).weights()


def test_nothing_to_stop_for_without_labels() -> None:
    assert not Evaluation(simulated().pool, sampler="curve").stop_when(0.5)


def test_the_sampler_is_listed() -> None:
    assert "curve" in lowshot.samplers


def good_model(seed: int) -> Task:
    """Nearly all that it flags is positive, and it misses 4 to 15 of 48 positives."""
    random, positive = np.random.default_rng(seed), np.arange(5000) < 48
    scores = np.where(positive, random.normal(2, 2.2, 5000), random.normal(-6, 1.6, 5000))
    return Task(Pool(scores, threshold=0.0), positive.astype(np.int64))


def test_who_asks_again_before_answering_does_not_get_predicted_positives_only(tmp_path: Path) -> None:
    """In the order of the first round alone, all 30 were predicted, and no interval of these runs held."""
    held = 0
    for seed in range(8):
        task = good_model(seed)
        evaluation = Evaluation(task.pool)
        asked = [item for _ in range(3) for item in evaluation.ask(10)]
        below = task.pool.predictions[asked] == 0
        assert below[:10].sum() == 0
        assert below[10:].sum() >= 5
        evaluation.tell(asked, task.labels[asked])
        held += task.truth() in finished(evaluation)
    assert held >= 6  # of 8: at 35 labels, round by round, 7 hold

    stored = Evaluation(task.pool, store=tmp_path / "birds.db")
    first = stored.ask(10)
    again = Evaluation(task.pool, store=tmp_path / "birds.db")
    assert [*first, *again.ask(10), *again.ask(10)] == asked


def finished(evaluation: Evaluation) -> Interval:
    interval = evaluation.estimate().interval
    assert interval is not None
    return interval


def test_draws_in_pieces_are_the_draws_at_once() -> None:
    """Also where groups are used up, and with draws from the whole pool."""
    task = simulated(items=300, positives=20, seed=4)
    history, metric, sampler = History(), f_metric("f1"), Curve(insurance=0.5)
    whole = sampler.propose(task.pool.view(), history, metric).draw(7, 1, 0, 300)
    design = sampler.propose(task.pool.view(), history, metric)
    for start, count in ((0, 1), (1, 63), (64, 100), (10, 20), (164, 200)):
        part = design.draw(7, 1, start, count)
        assert np.array_equal(part.items, whole.items[start : start + count])
        assert np.array_equal(part.probability, whole.probability[start : start + count])
    assert sorted(whole.items) == list(range(300))
