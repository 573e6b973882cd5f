"""The hidden Markov model of the curve against plain matrices, the greedy choice of groups, and quantiles of draws."""

import numpy as np
import pytest
from scipy.special import expit

from lowshot.core.curve.bands import Bands
from lowshot.core.curve.components import LEVELS, RISING, SLOPES, STEP
from lowshot.core.curve.greedy import greedy
from lowshot.core.curve.posterior import Model
from lowshot.core.curve.summary import quantiles
from lowshot.core.ranking import rank
from lowshot.core.types import Floats

STATES = len(SLOPES), len(LEVELS)


@pytest.fixture(scope="module")
def model() -> Model:
    """60 items, 12 predicted positive."""
    scores = np.linspace(3, -3, 60) ** 3
    return Model.of(Bands.of(rank(scores, np.arange(60) < 12)))


def moves(model: Model, component: int, band: int) -> Floats:
    """P(state in the next band | state in this one), state by state."""
    slopes, levels = STATES
    coordinate = model.bands.along(model.prior.components[component].along)
    matrix = np.zeros((levels * slopes, levels * slopes))
    for level in range(levels):
        for before in range(slopes):
            for after in range(slopes):
                chance = model.switch[band, component, after, before]
                fall = np.clip(
                    (coordinate[band] - coordinate[band + 1]) * SLOPES[after] / STEP, -levels - 1, levels + 1
                )
                for step, share in ((int(np.floor(fall)), 1 - fall % 1), (int(np.floor(fall)) + 1, fall % 1)):
                    there = min(max(level + step, 0), levels - 1)
                    matrix[before * levels + level, after * levels + there] += chance * share
    return matrix


def seen(model: Model, component: int, band: int, labelled: Floats, positive: Floats) -> Floats:
    """The likelihood of each level, with the prior's own factors."""
    half = model.prior.components[component].jump / 2
    result = np.ones(len(LEVELS))
    for kind, shift in ((0, half), (1, -half)):
        chance = 1 / (1 + np.exp(-(LEVELS + shift)))
        result *= chance ** positive[kind, band] * (1 - chance) ** (labelled - positive)[kind, band]
        if kind == 1:
            doubt = model.prior.components[component].doubt
            result *= np.exp(-doubt * model.bands.count[1, band] * chance / model.bands.predicted)
    return result * (model.prior.at_crossing[component] if band == model.crossing else 1)


def test_forward_pass_and_draws_equal_plain_matrices(model: Model) -> None:
    labelled, positive = np.zeros((2, len(model.bands))), np.zeros((2, len(model.bands)))
    labelled[0, 2], positive[0, 2], labelled[1, -2], positive[1, -2] = 3, 2, 4, 1
    posterior = model.posterior(labelled, positive)
    steps = [moves(model, 1, band) for band in range(len(model.bands) - 1)]
    look = [np.tile(seen(model, 1, band, labelled, positive), STATES[0]) for band in range(len(model.bands))]
    start = np.outer(model.prior.components[1].head.weight, model.prior.at_start).ravel()
    ahead = [start * look[0]]
    for step, likelihood in zip(steps, look[1:], strict=True):
        ahead.append(ahead[-1] @ step * likelihood)
    back = [np.ones(len(start))]
    for step, likelihood in zip(reversed(steps), reversed(look), strict=False):
        back.append(step @ (likelihood * back[-1]))
    evidence = np.log(ahead[-1].sum()) - model.unlabelled.evidence[1] + np.log(model.prior.components[1].weight)
    assert posterior.evidence[1] == pytest.approx(evidence, abs=1e-9)
    states = posterior._states(np.ones(4000, dtype=np.int64), np.random.default_rng(0))
    drawn = expit(model.prior.level[1, 1])[states % STATES[1]]
    for band, (one, two) in enumerate(zip(ahead, reversed(back), strict=True)):
        level = (one * two).reshape(STATES).sum(axis=0)
        level /= level.sum()
        chance = expit(model.prior.level[1, 1])
        mean = level @ chance
        error = np.sqrt(level @ (chance - mean) ** 2 / 4000)
        assert drawn[:, band].mean() == pytest.approx(mean, abs=5 * error + 1e-12)


def test_what_would_leave_the_levels_stays_at_their_end(model: Model) -> None:
    after = np.zeros((len(model.prior.components), *STATES))
    after[:, :, -1] = 1  # the lowest level
    after[:, :RISING, 0] = 1  # the highest one, going up
    moved = model.falls.apply(0, after)
    assert moved.sum() == pytest.approx(after.sum())
    assert moved[:, RISING:, -1] == pytest.approx(1)
    assert moved[:, :RISING, 0] == pytest.approx(1)


def test_greedy_does_not_follow_rounding() -> None:
    """F is known, but for the last bits, which differ between processors: the most uncertain labels come first."""
    random = np.random.default_rng(1)
    curves = random.beta([2, 5, 1], [9, 5, 40], size=(2000, 3))
    for last_bits in range(3):
        value = 0.9 + np.random.default_rng(last_bits).normal(scale=1e-16, size=(2000, 1))
        effect = np.random.default_rng(last_bits).normal(scale=1e-17, size=(1, 3))
        picks = greedy(curves, np.full(2000, 1 / 2000), np.array([2.0, 3.0, 9.0]), value, effect, 7)
        assert picks == [1, 1, 1, 0, 0, 2, 2]


def test_greedy_takes_first_what_settles_most() -> None:
    """Two groups of which nothing is known; one has five times the effect."""
    random = np.random.default_rng(0)
    curves = random.beta(1, 1, size=(4000, 2))
    value = 0.1 * curves[:, 0] + 0.5 * curves[:, 1]
    picks = greedy(curves, np.full(4000, 1 / 4000), np.array([10.0, 3.0]), value[:, None], np.array([[0.01, 0.05]]), 6)
    assert picks[:3] == [1, 1, 1], "three items are there, all worth more than any of the other group"
    assert picks[3:] == [0, 0, 0]


def test_equal_draws_keep_their_order() -> None:
    """NumPy's default sort orders equal numbers as the processor's instructions do, and their weights differ: the same
    labels would give another estimate on another machine."""
    random = np.random.default_rng(0)
    shares = (0.025, 0.5, 0.975)
    for _ in range(20):
        draws, weight = random.integers(0, 30, 400) / 30, random.dirichlet(np.ones(400))
        order = sorted(range(400), key=draws.tolist().__getitem__)  # Python's sort keeps the order of equal ones
        middle = weight[order].cumsum() - weight[order] / 2
        assert quantiles(draws, weight, shares).tolist() == np.interp(shares, middle, draws[order]).tolist()
