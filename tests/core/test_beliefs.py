"""What is believed before the first label: weights of the kinds of pool, and labels unlike all of them."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp

from lowshot.core.curve.bands import FROM_SCORE, TO_RANK, Bands
from lowshot.core.curve.beliefs import KINDS, WIDEST, weights
from lowshot.core.curve.posterior import Model
from lowshot.core.ranking import rank
from lowshot.core.types import Floats

JUMPS = np.array([kind.component.jump for kind in KINDS])


def bands(scores: Floats, predicted: int) -> Bands:
    return Bands.of(rank(scores, np.arange(len(scores)) < predicted))


@pytest.mark.parametrize("gap", [-1.0, 0.0, 0.3, 1.0, 5.0])
def test_weights_are_probabilities(gap: float) -> None:
    assert weights(gap).sum() == pytest.approx(1)
    assert (weights(gap) > 0).all()


def test_the_wider_the_gap_the_more_is_expected_of_the_predictions() -> None:
    clean = [weights(gap)[JUMPS >= 7].sum() for gap in (0.0, 0.5, 1.0, 1.5, 2.0)]
    assert clean == sorted(clean)
    assert clean[0] < 0.02 < 0.8 < clean[-1]
    assert weights(100.0).tolist() == weights(WIDEST).tolist()


@pytest.mark.parametrize("lowest", [0.0, -1e3, -1e300])
def test_curves_follow_the_score_near_the_threshold_and_the_rank_far_below(lowest: float) -> None:
    scores = np.random.default_rng(2).normal(size=20_000) ** 3
    scores[scores.argmin()] += lowest
    found = bands(-np.sort(-scores), 100)
    near, far = found.depth < FROM_SCORE, found.depth > TO_RANK
    assert found.blended[near] == pytest.approx(found.scaled[near])
    assert np.diff(found.blended[far]) == pytest.approx(np.diff(found.normal[far]))
    assert (np.diff(found.blended) < 0).all()


def test_equal_scores_far_below_the_threshold_do_not_keep_positives_likely() -> None:
    """A forest that gives nearly the same small score to most items; the rank goes on."""
    place = np.linspace(0, 1, 20_000)
    steady = bands(-np.log(place + 1e-4), 200)
    ended = bands(np.maximum(-np.log(place + 1e-4), 3.0 - 1e-6 * place), 200)
    nothing = np.zeros(steady.count.shape)
    missed = [
        Model.of(one).posterior(nothing, nothing).draw(2000, np.random.default_rng(0)).mean[1, -1] * one.total
        for one in (steady, ended)
    ]
    assert missed[1] < 2 * missed[0]


def test_every_level_is_possible_everywhere() -> None:
    """Whatever the labels of one group are, no belief excludes them."""
    model = Model.of(bands(np.linspace(1, 0, 500), 40))
    for kind, band in np.argwhere(model.bands.count >= 5):
        for positive in (0, 5):
            told, found = np.zeros(model.bands.count.shape), np.zeros(model.bands.count.shape)
            told[kind, band], found[kind, band] = 5, positive
            assert np.isfinite(model.posterior(told, found).evidence).all()


def test_surprise_is_a_bayes_factor_against_a_share_of_its_own_for_every_group() -> None:
    """By numerical integration over Jeffreys' prior, p^(-1/2) (1-p)^(-1/2) / pi."""
    model = Model.of(bands(np.linspace(1, 0, 500), 40))
    told, positive = np.zeros(model.bands.count.shape), np.zeros(model.bands.count.shape)
    told[0, 3], positive[0, 3], told[1, -1], positive[1, -1] = 2, 1, 6, 4
    posterior = model.posterior(told, positive)
    alone = 0.0
    for labels, found in ((2, 1), (6, 4)):  # with p = sin(a)^2 the prior is uniform in a
        shares = quad(lambda a, k=found, n=labels: np.sin(a) ** (2 * k) * np.cos(a) ** (2 * (n - k)), 0, np.pi / 2)[0]
        alone += np.log(shares * 2 / np.pi)
    assert posterior.surprise(told, positive) == pytest.approx(alone - logsumexp(posterior.evidence))
