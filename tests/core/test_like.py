"""Earlier curves as a belief: how they are carried over, and their evidence in the units of the default belief."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.like import KEPT, SCALE, SHIFT, TILT, TRUST, Carried, Profile, Weighed, representatives
from lowshot.core.curve.posterior import Curves, Model
from lowshot.core.curve.ranges import Seen
from lowshot.core.ranking import rank
from lowshot.core.types import Floats

BANDS = Bands.of(rank(np.linspace(1, 0, 2000), np.arange(2000) < 100))
SHAPE = BANDS.count.shape
PROFILE = Profile(BANDS.score, BANDS.depth)
CURVES = 4 - np.linspace(0, 12, SHAPE[1]) + np.random.default_rng(0).normal(0, 0.3, (5, *SHAPE))


def seen(told: Floats, positive: Floats) -> Seen:
    return Seen(told, positive, BANDS.count - told, positive.sum(axis=1))


def test_curves_stay_where_the_pool_is_the_same() -> None:
    carried = Carried.of(CURVES, PROFILE, PROFILE).log_odds.reshape(3, 2, *CURVES.shape)  # [tilt, coordinate, ...]
    for tilt, found in zip((0, TILT, -TILT), carried, strict=True):
        assert np.allclose(found, CURVES + tilt * PROFILE.depth)


def test_curves_follow_the_scores_or_the_depths() -> None:
    """Twice as many items are predicted with the same scores: depths fall by log 2, scores stay."""
    now = Profile(PROFILE.score, PROFILE.depth - np.log(2))
    carried = Carried.of(CURVES, PROFILE, now).log_odds
    assert np.allclose(carried[:5], CURVES)
    assert carried[5, 0, 4] == pytest.approx(np.interp(now.depth[4], PROFILE.depth, CURVES[0, 0]))


def all_labels() -> list[tuple[Floats, Floats, int]]:
    """Every outcome of three labels in one group and two in another, and in how many orders it occurs."""
    found = []
    for first, second in product(range(4), range(3)):
        told, positive = np.zeros(SHAPE), np.zeros(SHAPE)
        told[0, 3], told[1, -4] = 3, 2
        positive[0, 3], positive[1, -4] = first, second
        found.append((told, positive, comb(3, first) * comb(2, second)))
    return found


def test_both_evidences_are_probabilities_of_the_labels() -> None:
    """So they can be compared: each sums to 1 over everything that labels can be."""
    model, carried = Model.of(BANDS), Carried.of(CURVES, PROFILE, PROFILE)
    nothing = float(logsumexp(model.posterior(np.zeros(SHAPE), np.zeros(SHAPE)).evidence))
    default = sum(
        ways * np.exp(logsumexp(model.posterior(told, positive).evidence) - nothing)
        for told, positive, ways in all_labels()
    )
    earlier = sum(
        ways * np.exp(logsumexp(carried.log_posterior(seen(told, positive)))) for told, positive, ways in all_labels()
    )
    assert default == pytest.approx(1, abs=1e-9)
    assert earlier == pytest.approx(1, abs=1e-9)


def test_the_posterior_against_a_loop() -> None:
    told, positive, _ = all_labels()[7]
    carried = Carried(CURVES)
    cauchy = 1 / (1 + (SHIFT / SCALE) ** 2)
    for curve, shift in ((0, 50), (3, 20)):
        chance = expit(CURVES[curve] + SHIFT[shift])
        likelihood = np.prod(chance**positive * (1 - chance) ** (told - positive))
        found = carried.log_posterior(seen(told, positive))[curve, shift]
        assert np.exp(found) == pytest.approx(likelihood * cauchy[shift] / cauchy.sum() / 5)


def test_labels_find_the_shift_and_decide_between_the_beliefs() -> None:
    """Labels as often positive as a shifted curve says; the shift is found up to its standard error."""
    chance = expit(CURVES[2] - 1.0)
    told = np.full(SHAPE, 20.0)
    labels = seen(told, np.round(told * chance))
    carried = Carried(CURVES)
    drawn = carried.draw(carried.log_posterior(labels), 400)
    error = 1 / np.sqrt((told * chance * (1 - chance)).sum())  # of a shift that is fitted to all labels
    shift = np.log(drawn / (1 - drawn))[:, 0, 5] - CURVES[2, 0, 5]
    assert shift.mean() == pytest.approx(-1, abs=4 * error)
    default = Curves(np.full((10, *SHAPE), 0.5), np.full(10, 0.1))
    evidence = float(logsumexp(carried.log_posterior(labels)))
    for worse, expected in ((0.0, TRUST), (np.log(4), 0.5), (100.0, 0.0)):
        found = Weighed.of(carried, labels, evidence + worse)
        assert found.probability == pytest.approx(expected)
        assert found.doubted is (expected == 0)
        mixed = found.mixed(default)
        assert mixed.weight.sum() == pytest.approx(1)
        assert mixed.weight[-10:].sum() == pytest.approx(1 - expected)


def test_a_few_curves_represent_all() -> None:
    """Evenly by their weights, along what is missed."""
    missed = np.random.default_rng(1).permutation(1000).astype(np.float64)
    curves = Curves(expit(missed / 1000)[:, None, None], np.where(missed < 500, 1.5, 0.5) / 1000)
    kept = representatives(curves, missed).ravel()
    assert len(kept) == KEPT
    assert (kept < 0.5).mean() == pytest.approx(0.75)
    assert np.array_equal(kept, np.sort(kept))
