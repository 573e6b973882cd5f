"""Certificates that hold for every pool: the bound against all that can happen, on small pools, one by one."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom

from lowshot.core.certificate import (
    LOOKS,
    SHARES,
    Drawn,
    best_case,
    chance_of_at_most,
    misses_allowed,
    most,
    share_of,
    shares_of_recall,
    surely_at_most,
    surely_precise,
)


def exact_chance(seen: int, items: int, marked: int, drawn: int) -> Fraction:
    ways = sum(comb(marked, number) * comb(items - marked, drawn - number) for number in range(min(seen, drawn) + 1))
    return Fraction(ways, comb(items, drawn))


def test_the_chance_and_the_bound_are_those_of_all_draws_that_can_be_made() -> None:
    for items in range(1, 10):
        for drawn, share in product(range(items + 1), (0.31, 0.051, 0.011)):  # no chance is exactly this
            for seen in range(drawn + 1):
                chances = [exact_chance(seen, items, marked, drawn) for marked in range(items + 1)]
                found = [chance_of_at_most(seen, items, marked, drawn) for marked in range(items + 1)]
                assert np.allclose(found, [float(one) for one in chances], atol=1e-12)
                possible = range(seen, items - (drawn - seen) + 1)
                assert most(items, drawn, seen, share) == max(one for one in possible if chances[one] > share)


@pytest.mark.parametrize(("items", "marked", "drawn"), [(50_000, 400, 300), (10**6, 5000, 900), (10**8, 10**6, 500)])
def test_the_chance_in_large_pools(items: int, marked: int, drawn: int) -> None:
    for seen in (0, 1, 3, 10):
        expected = hypergeom.cdf(seen, items, marked, drawn)
        assert chance_of_at_most(seen, items, marked, drawn) == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize(("drawn", "may"), [(4, 0), (6, 1), (7, 2)])
def test_a_draw_below_a_cut_certifies_too_much_as_rarely_as_promised(drawn: int, may: int) -> None:
    """All places of the positives and all draws: whichever cut is certified on the way, too many misses are rare.

    The items are in the order in which they are labelled, lowest first. The share is the smallest that lets the draw
    certify at all, so that the promise is just kept.
    """
    items, allowed = 9, 3
    share = float(exact_chance(may, items, allowed + 1, drawn)) * (1 + 1e-4)
    assert surely_at_most(allowed, items, drawn, may, share)
    assert not surely_at_most(allowed, items, drawn, may, share * 0.99)
    draws = list(combinations(range(items), drawn))
    worst = 0.0
    for number in range(items + 1):
        for positives in combinations(range(items), number):
            wrong = 0
            for draw in draws:
                found = [item for item in draw if item in positives]
                ends = found[may] if len(found) > may else items  # items below the cut that is certified
                wrong += sum(item < ends for item in positives) > allowed
            worst = max(worst, wrong / len(draws))
    assert share / 1.001 < worst <= share


def test_a_precision_is_certified_wrongly_as_rarely_as_promised() -> None:
    """All draws from all sets above a cut; two labelled positives belong to the set, and one skipped item."""
    share, target = 0.2, 0.6
    for items, drawn in product(range(1, 13), range(13)):
        for negative in range(items + 1) if drawn <= items else ():
            size = items + 3
            wrong = Fraction(0)
            for seen in range(min(negative, drawn) + 1):
                chance = exact_chance(seen, items, negative, drawn)
                chance -= exact_chance(seen - 1, items, negative, drawn) if seen else Fraction(0)
                told = Drawn(items, drawn, drawn - seen, seen)
                left, kept = negative + 1 - seen, size - seen
                if surely_precise(2, 1, told, target, share) and kept - left < Fraction(3, 5) * kept:
                    wrong += chance
            assert wrong <= share


def test_what_is_compared_is_exact() -> None:
    assert misses_allowed(9, 0.9) == 1  # 9 of 10 is 0.9
    assert misses_allowed(8, 0.9) == 0
    assert misses_allowed(10**15, 0.999) == (10**15) // 999
    assert surely_precise(27, 0, Drawn(3, 3, 0, 0), 0.9, 0.0)  # 27 of 30, whose others were skipped
    assert not surely_precise(27, 0, Drawn(4, 4, 0, 0), 0.9, 0.0)
    assert not surely_precise(0, 0, Drawn(0), 0.9, 0.0)  # an empty set has no precision


def test_a_recall_of_one_needs_all_labels_below() -> None:
    assert not surely_at_most(0, 7, 6, 0, 0.1)  # the last item is the miss with a chance of 1 / 7
    assert surely_at_most(0, 7, 7, 0, 0.0)


def test_shares_sum_to_the_failure_probability() -> None:
    assert sum(share_of(0.1, failed) for failed in range(LOOKS + 3)) == pytest.approx(0.1)
    assert sum(SHARES) == pytest.approx(1)
    assert shares_of_recall(0.05, top=False) == (0.0, 0.05)
    assert sum(shares_of_recall(0.05, top=True)) == pytest.approx(0.05)


def test_no_draw_does_better_than_the_best_case() -> None:
    """One stratum below a cut, nothing missed, and a share of everything: what a draw lets go is the best case."""
    let_go = best_case(50_000, 50, 200, 0.9, 0.1)
    allowed = misses_allowed(50, 0.9)
    assert surely_at_most(allowed, let_go, 200, 0, 0.1)
    assert not surely_at_most(allowed, let_go + 10, 200, 0, 0.1)
