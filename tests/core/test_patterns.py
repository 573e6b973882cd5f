"""Shifts of patterns: draws of them against sums over all of them, and what labels of a pattern say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from lowshot import Pool
from lowshot.core.curve.patterns import REACH, Belief, Likelihood
from lowshot.core.curve.posterior import Model, Posterior
from lowshot.core.types import Floats
from lowshot.sampler.curve_fit import Believed
from lowshot.sampler.curve_joint import Fitters

PAIR = 1  # the place of the ranking by both scores
BOTH, ONE, OTHER, NONE = range(4)  # patterns


@pytest.fixture(scope="module")
def model() -> Model:
    """400 items, two models that predict 20 each, and no doubt of items that are not predicted."""
    random = np.random.default_rng(3)
    truth = np.arange(400) < 20
    scores = {name: random.normal(size=400) + 2 * truth for name in ("v1", "v2")}
    predicted = {name: np.argsort(np.argsort(-each)) < 20 for name, each in scores.items()}
    pool = Pool(scores, predictions=predicted)
    found = Fitters.of(pool.view(), Believed(None, 0.0), 400).every[PAIR].model
    certain = tuple(replace(component, doubt=0.0) for component in found.prior.components)
    return Model(found.bands, replace(found.prior, components=certain))


def labels_of(model: Model, pattern: int, labelled: int, positive: int) -> tuple[Floats, Floats]:
    """So many labels of a pattern, in the band that has most items of it."""
    found = np.zeros((2, *model.bands.count.shape))
    band = int(np.argmax(model.bands.count[pattern]))
    found[:, pattern, band] = labelled, positive
    return found[0], found[1]


def given(model: Model, labelled: Floats, positive: Floats, pattern: int, shift: int) -> Posterior:
    """The posterior if the only pattern with labels has this shift."""
    believed = np.exp(model.shifts.log_prior)
    believed[pattern] = np.arange(2 * REACH + 1) == shift
    found = model._filtered(replace(model.shifts.likelihood(labelled, positive), believed=believed))
    return replace(found, evidence=found.evidence - model.unlabelled.evidence + np.log(model.prior.column("weight")))


def exact(model: Model, labelled: Floats, positive: Floats, pattern: int) -> tuple[Floats, float]:
    """The posterior of the shift of the only pattern with labels, and its evidence: a forward pass for each shift."""
    every = [given(model, labelled, positive, pattern, shift).evidence for shift in range(2 * REACH + 1)]
    log = logsumexp(np.stack(every), axis=1)
    return np.exp(log - logsumexp(log)), float(logsumexp(log))


@pytest.mark.parametrize(("pattern", "labelled", "positive"), [(BOTH, 6, 1), (ONE, 8, 7), (NONE, 30, 0), (NONE, 9, 4)])
def test_draws_are_those_of_the_exact_posterior(
    model: Model, pattern: int, labelled: int, positive: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean of P(positive) over weighed draws, against the sum over all shifts. The prior on the number of positives
    is part of the weights of draws, and no part of the sum, so it is made flat.
    """
    monkeypatch.setattr("lowshot.core.curve.components.Ratio.log_density", lambda self, ratio: 0.0 * ratio)
    monkeypatch.setattr("lowshot.core.curve.posterior.SMALL_SHARE", 0.0)
    told = labels_of(model, pattern, labelled, positive)
    believed, _ = exact(model, *told, pattern)
    wanted = 0.0
    band = int(np.argmax(model.bands.count[pattern]))
    for shift in range(len(believed)):
        found = given(model, *told, pattern, shift)
        levels = model._smoothed(found)[:, band]
        chance = expit(model.shifts.level[pattern, :, shift : shift + levels.shape[1]])
        wanted += believed[shift] * float(found.share @ (levels * chance).sum(axis=1))
    posterior, means = model.posterior(*told), []
    for seed in range(10):  # a few curves may have most of the weight, so the error is seen in means of several draws
        drawn = posterior.draw(20_000, np.random.default_rng(seed))
        means.append(drawn.weight @ drawn.chance[:, pattern, band])
    error = np.std(means, ddof=1) / np.sqrt(len(means))
    assert np.mean(means) == pytest.approx(wanted, abs=4 * error)
    assert error < 0.01


def test_the_evidence_is_at_most_the_exact_one_and_near_it(model: Model) -> None:
    """Evidence decides between rankings. The mean-field approximation is a lower bound of it."""
    for pattern, labelled, positive in ((BOTH, 6, 1), (ONE, 8, 7), (NONE, 9, 4)):
        told = labels_of(model, pattern, labelled, positive)
        bound = float(logsumexp(model.posterior(*told).evidence))
        wanted = exact(model, *told, pattern)[1]
        assert wanted - 0.7 < bound < wanted + 0.05


def test_a_pattern_without_labels_stays_uncertain(model: Model) -> None:
    """Labels of what both predict say little of what only one predicts, and nothing of its shift."""

    def spread(pattern: int, told: tuple[Floats, Floats]) -> float:
        curves = model.posterior(*told).draw(4000, np.random.default_rng(0))
        log_odds = np.log(curves.chance[:, pattern] / curves.chance[:, BOTH])[:, int(model.crossing)]
        mean = curves.weight @ log_odds
        return float(np.sqrt(curves.weight @ (log_odds - mean) ** 2))

    before = spread(ONE, labels_of(model, BOTH, 0, 0))
    assert spread(ONE, labels_of(model, BOTH, 15, 12)) > 0.95 * before
    both = tuple(
        one + two for one, two in zip(labels_of(model, BOTH, 15, 12), labels_of(model, ONE, 15, 3), strict=True)
    )
    assert spread(ONE, (both[0], both[1])) < 0.85 * before


def test_one_model_has_no_shifts() -> None:
    pool = Pool(np.arange(50.0), threshold=40)
    alone = Fitters.of(pool.view(), Believed(None, 0.0), 400).every[0].model
    assert alone.shifts.log_prior.shape == (2, 1)
    likelihood: Likelihood = alone.unlabelled.likelihood
    assert likelihood.divergence == 0
    assert not alone.shifts.several


def test_a_belief_is_a_probability() -> None:
    steps = np.arange(-8, 9) / 2
    found = np.exp(Belief(0.5, 0.4).log_chance(steps))
    assert found.sum() == pytest.approx(1)
    assert steps[found.argmax()] == 0.5
    assert found[0] > 1e-4, "tails are heavy"
