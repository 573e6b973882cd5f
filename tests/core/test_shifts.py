"""Shifts of slices: the numerical core."""

import numpy as np
import pytest

from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.shifts import SPREADS, Parts, learned_spreads, totals_by_slice
from lowshot.core.types import Floats

IS_PREDICTED = np.array([True, False])
CHANCE = np.array([0.6, 0.3, 0.05, 0.01])  # of four groups: two patterns of two bands


def curves(count: int = 300) -> Curves:
    return Curves(np.tile(CHANCE.reshape(1, 2, 2), (count, 1, 1)), np.full(count, 1 / count))


def parts(told: Floats, share: Floats, items: int = 100) -> Parts:
    """So many items in each slice and group; `told` labels of each slice and group, of which a share is positive."""
    slices, groups = told.shape
    positive = np.round(told * share)
    weight = items - told.ravel()
    return Parts(
        slice=np.repeat(np.arange(slices), groups),
        group=np.tile(np.arange(groups), slices),
        weight=weight,
        squares=weight,
        told=told.ravel(),
        positive=positive.ravel(),
        positives=positive.reshape(slices, 2, groups // 2).sum(axis=2),
    )


def mean_spread(some: Parts) -> float:
    """The mean of the spreads of both shifts, under their posterior."""
    log_odds = np.log(CHANCE / (1 - CHANCE))[None, :]
    found = learned_spreads(log_odds, np.ones(1), some, some.kinds(IS_PREDICTED, 2))
    pairs = np.array([(one, two) for one in SPREADS for two in SPREADS])
    return float(found.share @ pairs.mean(axis=1))


def test_the_slices_of_a_group_sum_to_what_the_curve_says() -> None:
    """However they are shifted: without labels, shifts are drawn from the prior."""
    drawn = totals_by_slice(curves(), parts(np.zeros((4, 4)), np.zeros((4, 4))), IS_PREDICTED)
    expected = 400 * CHANCE.reshape(2, 2).sum(axis=1)
    error = np.sqrt(400 * (CHANCE * (1 - CHANCE)).reshape(2, 2).sum(axis=1) / 300)  # each item is positive by chance
    assert (abs(drawn.sum(axis=1).mean(axis=0) - expected) < 4 * error).all()


def test_a_slice_where_all_labels_are_positive_has_more_positives() -> None:
    told, share = np.full((4, 4), 20.0), np.tile(CHANCE, (4, 1))
    share[0] = 1
    drawn = totals_by_slice(curves(), parts(told, share), IS_PREDICTED).mean(axis=0)
    assert (drawn[0] > drawn[1:].max(axis=0)).all()


def test_slices_that_are_alike_have_a_small_spread() -> None:
    alike = parts(np.full((10, 4), 20.0), np.tile(CHANCE, (10, 1)))
    differ = np.tile(CHANCE, (10, 1))
    differ[:5] = [0.95, 0.8, 0.4, 0.2]
    differ[5:] = [0.2, 0.05, 0.0, 0.0]
    assert mean_spread(alike) < 0.2
    assert mean_spread(parts(np.full((10, 4), 20.0), differ)) > 0.8


def test_without_labels_the_spread_is_that_of_the_prior_and_slices_are_like_the_pool() -> None:
    nothing = parts(np.zeros((3, 4)), np.zeros((3, 4)))
    assert 0.1 < mean_spread(nothing) < 0.5
    drawn = totals_by_slice(curves(2000), nothing, IS_PREDICTED).mean(axis=0)
    expected = np.array([90.0, 6.0])
    assert drawn == pytest.approx(np.tile(expected, (3, 1)), rel=0.1)


def test_more_labels_of_a_slice_move_it_further() -> None:
    share = np.tile(CHANCE, (6, 1))
    share[0, :2] = [0.9, 0.7]
    means = []
    for labels in (0.0, 10.0, 30.0):
        told = np.full((6, 4), 20.0)
        told[0] = labels
        drawn = totals_by_slice(curves(2000), parts(told, share), IS_PREDICTED)
        means.append(float(drawn[:, 0, 0].mean()))
    assert means[0] < means[1] < means[2]


@pytest.mark.slow
def test_the_same_labels_give_the_same_draws_however_many_curves_are_worked_on_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = parts(np.full((3, 4), 10.0), np.tile(CHANCE, (3, 1)))
    one = totals_by_slice(curves(), some, IS_PREDICTED)
    assert np.array_equal(one, totals_by_slice(curves(), some, IS_PREDICTED))
    monkeypatch.setattr("lowshot.core.curve.shifts.AT_ONCE", 12 * 50)
    blocks = totals_by_slice(curves(), some, IS_PREDICTED)
    assert blocks.shape == one.shape
    assert blocks.mean(axis=0) == pytest.approx(one.mean(axis=0), rel=0.1)


def test_chances_of_0_and_1_stay_numbers() -> None:
    sure = Curves(np.tile([[[1.0, 1.0], [0.0, 0.0]]], (50, 1, 1)), np.full(50, 0.02))
    drawn = totals_by_slice(sure, parts(np.full((2, 4), 5.0), np.full((2, 4), 0.4)), IS_PREDICTED)
    assert np.isfinite(drawn).all()
    assert (drawn >= 0).all()
