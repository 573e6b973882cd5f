"""Certificates that hold for every pool: against all counts one by one, and on pools at the boundary of the promise."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import hypergeom

from lowshot.core.betting import Bets, Draws, Known, precision_evidence, recall_evidence

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
