"""Ranges for prevalence and recall: against normal distributions, where everything is known, and plain loops."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm

from lowshot.core.curve.posterior import Curves
from lowshot.core.curve.ranges import DOUBTED, SMOOTH, TRUST, Range, Ranges, Seen, Source, scattered, truncated, within
from lowshot.core.types import Floats

ITEMS = 100_000
BEFORE = (float(np.log(0.001)), 1.5)  # mean and standard deviation of the log prevalence of curves without labels
ONE_GROUP = np.array([True])
PREVALENCE = Range("prevalence", 0.01, 0.04)
COUNT = 4000  # curves


def seen(shape: tuple[int, int] = (1, 1)) -> Seen:
    return Seen(np.zeros(shape), np.zeros(shape), np.full(shape, ITEMS / np.prod(shape)), np.zeros(shape[0]))


def labelled(at: float, error: float) -> Source:
    """Curves of one group whose log prevalence is normal, after a label that measured it with a normal error."""

    def draw(_: Seen, count: int, random: np.random.Generator) -> Curves:
        value = random.normal(*BEFORE, count)
        weight = norm.pdf(at, value, error)
        return Curves(np.exp(np.minimum(value, -1e-6))[:, None, None], weight / weight.sum())

    return draw


def unlabelled() -> Source:
    return labelled(0.0, 1e9)


def product(*normals: tuple[float, float]) -> tuple[float, float]:
    """Mean and standard deviation of a product of normal densities; a negative deviation divides by the density."""
    weight = [np.sign(spread) / spread**2 for _, spread in normals]
    mean = sum(each * one[0] for each, one in zip(weight, normals, strict=True)) / sum(weight)
    return float(mean), float(sum(weight) ** -0.5)


# What a range makes of curves without labels: their density, divided by itself after smoothing, times the range.
SMOOTHED = float(-np.hypot(BEFORE[1], SMOOTH))
WITH_RANGE = product(PREVALENCE.normal, BEFORE, (BEFORE[0], SMOOTHED))


def trusted(at: float, error: float) -> float:
    """The probability of the range given the label."""
    with_range, without = (norm.pdf(at, mean, np.hypot(spread, error)) for mean, spread in (WITH_RANGE, BEFORE))
    return float(TRUST * with_range / (TRUST * with_range + (1 - TRUST) * without))


@pytest.mark.parametrize(("at", "error"), [(0.0, 1e9), (np.log(0.02), 0.3), (np.log(0.01), 0.3), (np.log(0.06), 0.5)])
def test_a_range_replaces_what_curves_believe(at: float, error: float) -> None:
    """The posterior is that of a normal prior with the quantiles of the range, and no longer that of the curves."""
    ranges = Ranges.of([PREVALENCE], unlabelled(), seen(), ONE_GROUP, COUNT)
    curves, contradictions = ranges.apply(labelled(at, error), seen(), COUNT, np.random.default_rng(1))
    value, trust = np.log(curves.chance[:, 0, 0]), trusted(at, error)
    (inside, spread), (outside, _) = product(WITH_RANGE, (at, error)), product(BEFORE, (at, error))
    assert contradictions == ()
    # Of the 12,000 curves that are drawn, at least 300 carry the weight: four standard errors of their mean.
    assert value.mean() == pytest.approx(trust * inside + (1 - trust) * outside, abs=4 * spread / np.sqrt(300))
    assert len(value) == COUNT
    assert np.allclose(curves.weight, 1 / COUNT)


def test_a_range_that_labels_contradict_is_left_out() -> None:
    at, error = np.log(0.2), 0.1
    assert trusted(at, error) < DOUBTED
    ranges = Ranges.of([PREVALENCE], unlabelled(), seen(), ONE_GROUP, COUNT)
    curves, (found,) = ranges.apply(labelled(at, error), seen(), COUNT, np.random.default_rng(1))
    mean, spread = product(BEFORE, (at, error))
    assert found.range == PREVALENCE
    assert np.log(found.suggested) == pytest.approx(mean, abs=3 * spread)
    assert np.log(curves.chance).mean() == pytest.approx(mean, abs=3 * spread)


def two_groups(random: np.random.Generator, count: int) -> Floats:
    """Predicted and other items, a thousand of the first; prevalence and recall vary independently."""
    prevalence, recall = np.exp(random.normal(np.log(0.005), 0.5, count)), random.uniform(0.1, 0.9, count)
    positives = np.minimum(prevalence * ITEMS, 1000)
    return np.stack([positives * recall / 1000, positives * (1 - recall) / (ITEMS - 1000)], axis=1)[:, :, None]


def source(after: Callable[[Floats], Floats]) -> Source:
    """Curves of two groups, weighed by a function of their chances."""

    def draw(_: Seen, count: int, random: np.random.Generator) -> Curves:
        chance = two_groups(random, count)
        weight = after(chance)
        return Curves(chance, weight / weight.sum())

    return draw


SIZES = Seen(np.zeros((2, 1)), np.zeros((2, 1)), np.array([[1000.0], [ITEMS - 1000.0]]), np.zeros(2))
FLAT = source(lambda chance: np.ones(len(chance)))


def shares(curves: Curves) -> tuple[Floats, Floats]:
    """Prevalence and recall of each curve."""
    hit, missed = curves.chance[:, 0, 0] * 1000, curves.chance[:, 1, 0] * (ITEMS - 1000)
    return (hit + missed) / ITEMS, hit / (hit + missed)


def test_two_ranges_hold_both() -> None:
    """Without labels 95 % of the curves are in each range, and 5 % of the rest are as before."""
    both = [Range("prevalence", 0.004, 0.012), Range("recall", 0.5, 0.8)]
    predicted = np.array([True, False])
    ranges = Ranges.of(both, FLAT, SIZES, predicted, COUNT)
    curves, contradictions = ranges.apply(FLAT, SIZES, COUNT, np.random.default_rng(2))
    assert contradictions == ()
    for one, share in zip(both, shares(curves), strict=True):
        inside = float(np.mean((one.low <= share) & (share <= one.high)))
        # About 300 of the 3000 curves carry the weight, so that a share of 0.93 has a standard error of 0.015.
        assert inside == pytest.approx(TRUST * 0.95 + (1 - TRUST) * 0.4, abs=0.06)


@pytest.mark.parametrize(("low", "high"), [(0.6, 1.0), (0.0, 0.3)])
def test_an_open_range_keeps_the_rest_of_the_belief(low: float, high: float) -> None:
    one, predicted = Range("recall", low, high), np.array([True, False])
    ranges = Ranges.of([one], FLAT, SIZES, predicted, COUNT)
    curves, _ = ranges.apply(FLAT, SIZES, COUNT, np.random.default_rng(3))
    recall = shares(curves)[1]
    inside = (low <= recall) & (recall <= high)
    assert inside.mean() == pytest.approx(TRUST * 0.95 + (1 - TRUST) * 0.35, abs=0.03)
    first, last = max(low, 0.1), min(high, 0.9)  # recall is uniform between 0.1 and 0.9 without the range
    assert recall[inside].mean() == pytest.approx((first + last) / 2, abs=4 * (last - first) / np.sqrt(12 * 300))


@pytest.mark.parametrize(("low", "high", "truth"), [(0.8, 1.0, 0.3), (0.0, 0.2, 0.7)])
def test_an_open_range_that_labels_contradict_is_left_out(low: float, high: float, truth: float) -> None:
    """The labels say what the recall is, with a standard error of 0.05: ten standard errors outside of the range.

    2000 labels of items that are not predicted are negative, so that there is no background either.
    """
    one, predicted = Range("recall", low, high), np.array([True, False])

    def near(chance: Floats) -> Floats:
        recall = shares(Curves(chance, np.ones(len(chance))))[1]
        return np.exp(-0.5 * ((recall - truth) / 0.05) ** 2)

    ranges = Ranges.of([one], FLAT, SIZES, predicted, COUNT)
    now = SIZES._replace(told=np.array([[0.0], [2000.0]]))
    curves, (found,) = ranges.apply(source(near), now, COUNT, np.random.default_rng(3))
    assert found.range == one
    # About 1000 of the 12,000 curves carry the weight: four standard errors of their mean.
    assert found.suggested == pytest.approx(truth, abs=4 * 0.05 / np.sqrt(1000))
    assert shares(curves)[1].mean() == pytest.approx(truth, abs=4 * 0.05 / np.sqrt(1000))


@pytest.mark.parametrize("at", [0.58, 0.7])
def test_an_open_range_that_labels_allow_is_used(at: float) -> None:
    """Labels that suggest a recall at the end of the range, or inside of it, do not contradict it."""

    def near(chance: Floats) -> Floats:
        return np.exp(-0.5 * ((shares(Curves(chance, np.ones(len(chance))))[1] - at) / 0.05) ** 2)

    ranges = Ranges.of([Range("recall", 0.6, 1.0)], FLAT, SIZES, np.array([True, False]), COUNT)
    assert ranges.apply(source(near), SIZES, COUNT, np.random.default_rng(3))[1] == ()


def test_ranges_that_labels_contradict_together() -> None:
    """Each range alone fits the labels, but no curve that fits them has both."""
    both = [Range("prevalence", 0.006, 0.009), Range("recall", 0.7, 0.85)]

    def few(chance: Floats) -> Floats:
        """A label says that about 250 predicted positives are right, and another that there are no other positives."""
        hit = chance[:, 0, 0] * 1000
        return np.exp(-0.5 * ((hit - 250) / 5) ** 2)

    predicted = np.array([True, False])
    ranges = Ranges.of(both, FLAT, SIZES, predicted, COUNT)
    _, contradictions = ranges.apply(source(few), SIZES, COUNT, np.random.default_rng(4))
    assert {one.range.name for one in contradictions} == {"prevalence", "recall"}


def test_the_background_is_weighed_by_the_labels_of_each_band() -> None:
    """Against a loop over curves, bands and labels."""
    random = np.random.default_rng(5)
    curves = Curves(random.uniform(1e-4, 0.02, (6, 2, 3)), np.full(6, 1 / 6))
    told, positive = np.array([[3.0, 2, 0], [4, 5, 6]]), np.array([[1.0, 0, 0], [1, 0, 2]])
    weight = np.array([[100.0, 50, 0], [0, 500, 5000]])
    now = Seen(told, positive, weight, np.array([1.0, 3.0]))
    one, predicted = Range("prevalence", 0.01, 0.1), np.array([True, False])
    found = scattered(curves, one, now, predicted, 6000.0, np.random.default_rng(6))
    wanted = one.draw(6, np.random.default_rng(6)) * 6000
    ratios = np.full(6, 1 / 6)
    for number, (before, after) in enumerate(zip(curves.chance, found.chance, strict=True)):
        positives = 4 + (after * weight).sum()
        assert np.array_equal(before[0], after[0]), "predicted items have no background"
        assert positives == pytest.approx(max(wanted[number], 4 + (before * weight).sum()))
        for band in range(3):
            ratios[number] *= (after[1, band] / before[1, band]) ** positive[1, band]
            ratios[number] *= ((1 - after[1, band]) / (1 - before[1, band])) ** (told - positive)[1, band]
    assert found.weight == pytest.approx(truncated(ratios))


def test_within() -> None:
    one = Range("recall", 0.5, 0.9)
    assert within(one, one.scaled(np.array([0.4, 0.6, 0.95]))).tolist() == [False, True, False]
