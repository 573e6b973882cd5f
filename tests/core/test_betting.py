"""Certificates that hold for every pool: against all counts one by one, and on pools at the boundary of the promise."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.stats import hypergeom

from lowshot.core.betting import Bets, Draws, Known, best_case, precision_evidence, recall_evidence
from lowshot.core.betting_plan import Plan, group_edges, plan_precision, plan_recall

SIZES = np.array([4, 6, 7])


def some_draws(random: np.random.Generator, skips: bool = False) -> Draws:
    """Draws from three small groups with tilts of either sign and of any size."""
    labels = [random.permutation(np.arange(size) < random.integers(0, size + 1)) for size in SIZES]
    order = random.permutation(np.repeat(np.arange(3), [random.integers(0, size + 1) for size in SIZES]))
    place = [int(np.sum(order[:t] == group)) for t, group in enumerate(order)]
    sure = np.array([labels[group][at] for group, at in zip(order, place, strict=True)], dtype=np.int64)
    skipped = random.random(len(order)) < (0.3 if skips else 0.0)
    return Draws(
        order,
        np.where(skipped, 0, sure),
        np.where(skipped, 1, sure),
        random.choice([-12, -2, -0.5, 0, 0.3, 2], len(order)),
    )


def breaking(draws: Draws, target: float, promise: str, cut: int) -> list[tuple[int, ...]]:
    """All counts that agree with the answers and break the promise."""
    found = np.bincount(draws.group, draws.sure, 3)
    negative = np.bincount(draws.group, 1 - draws.possible, 3)
    guesses = product(*(range(int(low), int(high) + 1) for low, high in zip(found, SIZES - negative, strict=True)))
    chosen = []
    for guess in guesses:
        inside = sum(guess[:cut]) + found[cut:].sum()
        size = SIZES[:cut].sum() - negative[:cut].sum() + found[cut:].sum()
        whole, good = (sum(guess), inside) if promise == "recall" else (size, inside)
        if good < target * whole - 1e-9:
            chosen.append(guess)
    return chosen


@pytest.mark.parametrize("promise", ["recall", "precision"])
@pytest.mark.parametrize("target", [0.5, 0.75, 0.9])
def test_the_evidence_is_the_smallest_wealth_of_the_counts_that_break_the_promise(promise: str, target: float) -> None:
    evidence_of = recall_evidence if promise == "recall" else precision_evidence
    tight = []
    for seed in range(60):
        draws = some_draws(np.random.default_rng([1, seed]))
        evidence, bets = evidence_of(draws, SIZES, target), Bets(draws, SIZES)
        for cut in range(1 if promise == "precision" else 0, 4):
            guesses = breaking(draws, target, promise, cut)
            if not guesses:
                assert np.isinf(evidence[cut])  # nothing can break it, or the set is empty
                continue
            least = bets.log_wealth(np.array(guesses, dtype=np.float64).T).sum(axis=0).min()
            assert evidence[cut] <= least + 1e-6
            tight.append(least - evidence[cut])
    assert (
        np.median(tight) < 0.05
    )  # counts inside the groups need not be integers in the bound, so it is a little lower


def test_negatives_alone_give_the_exact_hypergeometric_test() -> None:
    """All 18 positives are known; 3 misses among 400 items break a recall of .9, whatever the group they are in."""
    labels = np.zeros(80, dtype=np.int64)
    draws = Draws(np.repeat([1, 2], 40), labels, labels, np.full(80, -np.inf))
    known = Known(np.array([18, 0, 0]), np.zeros(3, dtype=np.int64))
    evidence = recall_evidence(draws, np.array([0, 200, 200]), 0.9, known)
    exact = -np.log(hypergeom.pmf(0, 400, 3, 80))
    assert 0.98 * exact < evidence[1] < exact  # the misses need not be integers in each group, so it is a little lower


DELTA = 0.1
LOOK = np.log(1 / DELTA)


def rare(errors: int, runs: int) -> bool:
    """The share of errors is at most DELTA, up to three standard errors."""
    return errors / runs <= DELTA + 3 * np.sqrt(DELTA * (1 - DELTA) / runs)


GROUP = np.tile([1, 2], 70)  # 140 of 200 items are drawn, from both groups in turn
BOUNDARY, KEPT = np.array([0, 100, 100]), Known(np.array([18, 0, 0]), np.zeros(3, dtype=np.int64))


def answers_at_the_boundary(run: int) -> np.ndarray:
    """Three misses of 200 items break a recall of .9 by one, as 18 positives are kept."""
    random = np.random.default_rng([2, run])
    labels = [random.permutation(np.arange(100) < misses) for misses in (2, 1)]
    return np.array([labels[group - 1][place // 2] for place, group in enumerate(GROUP)], dtype=np.int64)


@pytest.mark.parametrize("tilt", [-12.0, -1.5])
def test_at_the_boundary_a_false_certificate_is_as_rare_as_promised_with_a_look_after_every_draw(tilt: float) -> None:
    """A miss that is found is kept, and the promise is met from then on: a certificate is false before that alone."""
    nothing = np.zeros_like(GROUP)
    draws = Draws(GROUP, nothing, nothing, np.full(len(GROUP), tilt))
    looks = [recall_evidence(Draws(*(one[:look] for one in draws)), BOUNDARY, 0.9, KEPT)[1] for look in range(141)]
    certified = int(np.argmax(np.array(looks) >= LOOK))  # draws without any positive until the first certificate
    false = sum(not answers_at_the_boundary(run)[:certified].any() for run in range(1000))
    assert rare(false, 1000)
    if tilt == -12:  # the exact test uses nearly all of the chance of error that it may have
        assert false / 1000 > DELTA / 2


def test_at_the_boundary_misses_that_are_skipped_count_as_misses() -> None:
    """Whoever labels says "cannot tell" to exactly the positives."""
    false = 0
    for run in range(200):
        hidden = answers_at_the_boundary(run)
        draws = Draws(GROUP, np.zeros_like(GROUP), hidden, np.full(len(GROUP), -1.5))
        at = (Draws(*(column[:look] for column in draws)) for look in (90, 120, 140))
        false += any(recall_evidence(one, BOUNDARY, 0.9, KEPT)[1] >= LOOK for one in at)
    assert rare(false, 200)


@pytest.mark.parametrize("promise", ["recall", "precision"])
def test_beliefs_that_are_wrong_in_every_way_do_not_break_the_promise(promise: str) -> None:
    """Scores say nothing, and the plan believes in a perfect ranking, so that it bets on what is false."""
    edges = group_edges(240)
    sizes, groups = np.diff(edges), len(edges) - 1
    evidence_of, plan = (recall_evidence, plan_recall) if promise == "recall" else (precision_evidence, plan_precision)
    chance = np.where(np.arange(groups) < 3, 0.95, 0.001)
    false = 0
    for run in range(50):
        random = np.random.default_rng([3, run])
        labels = [random.random(size) < 0.4 for size in sizes]
        draws = Draws.none()
        while len(draws.group) < 80:
            planned = plan(draws, sizes, chance, 0.5, DELTA, 20)
            draws = answered(draws, planned, labels)
            certified = np.flatnonzero(evidence_of(draws, sizes, 0.5) >= LOOK)
            if any(value(labels, draws, int(cut), promise) < 0.5 for cut in certified):
                false += 1
                break
    assert rare(false, 50)


def answered(draws: Draws, planned: Plan, labels: list[np.ndarray]) -> Draws:
    """The planned draws with their answers; items of a group are in random order already."""
    used = np.bincount(draws.group, minlength=len(labels))
    answers = []
    for group in planned.group:
        answers.append(int(labels[group][used[group]]))
        used[group] += 1
    both = [np.concatenate([old, np.array(answers, dtype=np.int64)]) for old in (draws.sure, draws.possible)]
    return Draws(np.concatenate([draws.group, planned.group]), *both, np.concatenate([draws.tilt, planned.tilt]))


def value(labels: list[np.ndarray], draws: Draws, cut: int, promise: str) -> float:
    """The recall or precision of the set of a cut."""
    sure = np.bincount(draws.group, draws.sure, len(labels))
    negative = np.bincount(draws.group, 1 - draws.possible, len(labels))
    good = sum(one.sum() for one in labels[:cut]) + sure[cut:].sum()
    if promise == "recall":
        return float(good / sum(one.sum() for one in labels))
    size = sum(len(one) for one in labels[:cut]) - negative[:cut].sum() + sure[cut:].sum()
    return float(good / size)


def test_a_good_ranking_is_certified_close_to_the_best_case() -> None:
    """300 positives at the top of 3,000 items: 200 labels let at least half of the best case go."""
    edges = group_edges(3000)
    sizes = np.diff(edges)
    labels = [np.arange(low, high) < 300 for low, high in pairwise(edges)]
    chance = np.clip([one.mean() for one in labels], 0.001, 0.999)
    draws = Draws.none()
    random = np.random.default_rng(4)
    labels = [random.permutation(one) for one in labels]
    while len(draws.group) < 200:
        draws = answered(draws, plan_recall(draws, sizes, chance, 0.9, DELTA, 20), labels)
    kept = edges[np.flatnonzero(recall_evidence(draws, sizes, 0.9) >= LOOK)[0]]
    assert 3000 - kept >= 0.5 * best_case(3000, 300, 200, 0.9, DELTA)


def test_a_pool_that_is_labelled_completely_is_certain() -> None:
    labels = [np.array([True] * 18 + [False] * 2), np.array([True, True] + [False] * 18), np.zeros(20, dtype=np.bool_)]
    sizes = np.full(3, 20)
    plan = Plan(np.repeat([0, 1, 2], 20), np.full(60, 0.5))
    draws = answered(Draws.none(), plan, labels)
    assert np.isinf(recall_evidence(draws, sizes, 0.9)).all()  # every positive is found, so every set holds them all
    assert np.isinf(precision_evidence(draws, sizes, 1.0)).all()
    assert plan_recall(draws, sizes, np.full(3, 0.5), 0.9, DELTA, 5).group.tolist() == []


def test_nothing_is_certified_without_labels_but_keeping_everything() -> None:
    assert recall_evidence(Draws.none(), SIZES, 0.9).tolist() == [0.0, 0.0, 0.0, np.inf]
    assert (precision_evidence(Draws.none(), SIZES, 0.9) <= 0).all()


def test_a_recall_of_one_needs_all_labels_below() -> None:
    labels = [np.ones(4), np.zeros(6), np.zeros(7)]
    most = answered(Draws.none(), Plan(np.repeat([1, 2], [6, 6]), np.full(12, -12.0)), labels)
    full = answered(most, Plan(np.array([2]), np.array([-12.0])), labels)
    assert recall_evidence(most, SIZES, 1.0)[1] == pytest.approx(np.log(7), rel=0.01)  # the one miss is the last item
    assert recall_evidence(full, SIZES, 1.0)[1] == np.inf
