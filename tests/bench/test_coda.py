"""CODA's strategy on cases that are small enough to be computed another way."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from lowshot_bench.several.coda import RATE, TEMPERATURE, TRUST, Coda, densities, largest

# Three models and six items: all say yes, the first two, the first, the last, none, none.
PREDICTIONS = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0]], dtype=bool)


def coda(predictions: np.ndarray = PREDICTIONS, seed: int = 0) -> Coda:
    return Coda(predictions, np.random.default_rng(seed))


def test_the_first_parameters_are_those_of_the_consensus() -> None:
    """The consensus is yes for the first two items. The first model says yes to one of the other four, too."""
    shares = [[[3 / 4, 1 / 4], [0, 1]], [[1, 0], [0, 1]], [[3 / 4, 1 / 4], [1 / 2, 1 / 2]]]
    np.testing.assert_allclose(coda().parameters, TEMPERATURE * (1 + TRUST * np.array(shares)))


def test_chances_of_an_item_are_the_votes_weighted_by_the_confusion() -> None:
    found = coda()
    theta = found.parameters
    for item in range(PREDICTIONS.shape[1]):
        votes = [sum(theta[m, c, int(PREDICTIONS[m, item])] for m in range(3)) for c in (0, 1)]
        np.testing.assert_allclose(found.chances()[:, found.pattern[item]], np.array(votes) / sum(votes))


def test_the_probability_of_being_the_largest_is_the_integral() -> None:
    right, wrong = np.array([2.0, 3.5, 5.0]), np.array([2.0, 2.5, 6.0])
    found = largest(*densities(right, wrong))

    def at(x: float, model: int) -> float:
        others = [beta.cdf(x, right[k], wrong[k]) for k in range(3) if k != model]
        return float(beta.pdf(x, right[model], wrong[model]) * np.prod(others))

    # The grid has 256 points: the trapezoidal rule is exact to about the square of their distance.
    expected = [quad(at, 0, 1, args=(model,))[0] for model in range(3)]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def best(parameters: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """The probability of each model to be the best one, from a confusion matrix of its own per model."""
    found = np.zeros(len(parameters))
    for c in (0, 1):
        right, wrong = parameters[:, c, c], parameters[:, c, 1 - c]
        found += frequency[c] * largest(*densities(right, wrong))
    return found


def bits(chance: np.ndarray) -> float:
    return float(-(chance * np.log2(chance)).sum())


def test_the_next_item_has_the_largest_expected_drop_of_entropy() -> None:
    """By trying every item and label, with parameters that are changed one by one."""
    found = coda()
    frequency = found.chances() @ found.share
    expected = []
    for item in range(4):
        left = 0.0
        for label in (0, 1):
            after = found.parameters.copy()
            for model in range(3):
                after[model, label, int(PREDICTIONS[model, item])] += 1
            left += found.chances()[label, found.pattern[item]] * bits(best(after, frequency))
        expected.append(left)
    disputed = [1, 2, 3]
    assert {coda(seed=seed).ask() for seed in range(20)} == {min(disputed, key=lambda item: expected[item])}


def test_a_label_adds_the_rate_to_what_each_model_said() -> None:
    found = coda()
    before = found.parameters.copy()
    found.tell(1, 1)
    change = found.parameters - before
    assert change[:, 0].sum() == 0
    np.testing.assert_allclose(change[:, 1], [[0, RATE], [0, RATE], [RATE, 0]])
    assert [coda.ask() for coda in [found] * 5].count(1) == 0, "a labelled item is not asked about again"


def test_items_on_which_models_agree_come_last() -> None:
    found, asked = coda(), []
    for _ in range(6):
        asked.append(found.ask())
        found.tell(asked[-1], 0)
    assert set(asked[:3]) == {1, 2, 3}
    assert sorted(asked) == list(range(6))


@pytest.mark.parametrize("good", [0, 1, 2])
def test_the_model_that_is_always_right_is_found(good: int) -> None:
    """Positives are those of the good model; the others err on half of the items on which they differ."""
    random = np.random.default_rng(good)
    truth = random.random(400) < 0.3
    predictions = np.stack([truth ^ (random.random(400) < (0 if model == good else 0.2)) for model in range(3)])
    found = coda(predictions)
    for _ in range(60):
        item = found.ask()
        found.tell(item, int(truth[item]))
    assert found.highest_f1() == found.most_probable() == good


def test_f1_and_accuracy_choose_differently_where_positives_are_rare() -> None:
    """Never saying yes is the most accurate, but it has no recall."""
    found = coda(np.array([[0] * 8, [1] * 4 + [0] * 4], dtype=bool))
    for item, label in ((0, 1), (1, 0), (2, 0), (3, 0)):
        for _ in range(200):  # as if each label counted twice: the rate is small
            found.tell(item, label)
    assert (found.most_probable(), found.highest_f1()) == (0, 1)
