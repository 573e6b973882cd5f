"""Metrics: the F family against scikit-learn, counts and prevalence against counting, names and errors."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score, precision_score, recall_score

from lowshot import Evaluation, FBeta, InputError, Pool
from lowshot.metric import Metric, f_metric, metric

repeatable = settings(derandomize=True, deadline=None, max_examples=50)

BETAS = [0.0, 0.1, 0.5, 1.0, 2.0, 3.5, 10.0]
AMOUNTS = ["tp", "fp", "fn", "prevalence"]


@st.composite
def labelled_sets(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, predictions and positive weights; sets without positives or predictions included."""
    size = draw(st.integers(1, 30))
    flags = st.lists(st.booleans(), min_size=size, max_size=size)
    weights = draw(st.lists(st.floats(0.01, 100), min_size=size, max_size=size))
    return np.array(draw(flags)), np.array(draw(flags)), np.array(weights)


every_set = given(labelled_sets())


def counts(labels: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None = None) -> dict[str, float]:
    w = np.ones(len(labels)) if weights is None else weights
    return {
        "tp": float(w[labels & predictions].sum()),
        "fp": float(w[~labels & predictions].sum()),
        "fn": float(w[labels & ~predictions].sum()),
        "total": float(w.sum()),
    }


def scikit_learn(name: str, labels: np.ndarray, predictions: np.ndarray, weights: np.ndarray | None = None) -> float:
    """NaN where scikit-learn would divide by zero."""
    options: dict[str, Any] = {"sample_weight": weights, "zero_division": math.nan}
    if name == "precision":
        return float(precision_score(labels, predictions, **options))
    if name == "recall":
        return float(recall_score(labels, predictions, **options))
    return float(fbeta_score(labels, predictions, beta=float(name[1:]), **options))


def exists(name: str, labels: np.ndarray, predictions: np.ndarray) -> bool:
    """Whether the metric has a denominator."""
    return bool({"precision": predictions, "recall": labels}.get(name, labels | predictions).any())


@pytest.mark.parametrize("name", ["f1", "f2", "f0.5", "f3.25", "f0.1", "precision", "recall"])
@repeatable
@every_set
def test_of_counts_is_scikit_learn(name: str, case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    labels, predictions, weights = case
    value = metric(name).of_counts(**counts(labels, predictions))
    weighted = metric(name).of_counts(**counts(labels, predictions, weights))
    if exists(name, labels, predictions):
        assert value == pytest.approx(scikit_learn(name, labels, predictions))
        assert weighted == pytest.approx(scikit_learn(name, labels, predictions, weights))
    else:
        assert math.isnan(value)
        assert math.isnan(weighted)


@pytest.mark.parametrize("name", ["f1", "f2", "f0.5", "precision", "recall"])
@repeatable
@every_set
def test_terms_add_up_to_scikit_learn(name: str, case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    labels, predictions, weights = case
    terms = metric(name).terms(labels.astype(float), predictions.astype(float), weights)
    assert terms.weight.tolist() == weights.tolist()
    numerator, denominator = weights @ terms.numerator, weights @ terms.denominator
    if exists(name, labels, predictions):
        assert numerator / denominator == pytest.approx(scikit_learn(name, labels, predictions, weights))
    else:
        assert denominator == 0


@pytest.mark.parametrize("beta", BETAS)
def test_terms_are_the_method(beta: float) -> None:
    """v = alpha yhat + (1-alpha) y, and v l is 1 on a true positive and 0 elsewhere."""
    labels, predictions = np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])
    alpha = 1 / (1 + beta**2)
    terms = FBeta(beta).terms(labels, predictions, np.ones(4))
    assert terms.denominator == pytest.approx(alpha * predictions + (1 - alpha) * labels)
    assert terms.numerator.tolist() == [1, 0, 0, 0]


@repeatable
@every_set
def test_terms_are_linear_in_the_label(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """A label that nobody can tell enters as a probability: the expectation of 0 and 1."""
    _, predictions, weights = case
    yhat, share = predictions.astype(float), weights / 100
    for name in ("f1", "recall", "precision", *AMOUNTS):
        zero, one, between = (metric(name).terms(y, yhat, weights) for y in (0 * share, 0 * share + 1, share))
        assert between.numerator == pytest.approx((1 - share) * zero.numerator + share * one.numerator)
        assert between.denominator == pytest.approx((1 - share) * zero.denominator + share * one.denominator)


@repeatable
@every_set
def test_counts_and_prevalence(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    labels, predictions, weights = case
    for given_weights in (None, weights):
        expected = counts(labels, predictions, given_weights)
        for name in ("tp", "fp", "fn"):
            assert metric(name).of_counts(**expected) == expected[name]
        share = (expected["tp"] + expected["fn"]) / expected["total"]
        assert metric("prevalence").of_counts(**expected) == pytest.approx(share)


@repeatable
@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.floats(0, 1))
def test_f_is_a_share_between_precision_and_recall(tp: int, fp: int, fn: int, alpha: float) -> None:
    values = [FBeta(alpha=a).of_counts(tp, fp, fn, 1000) for a in (0.0, alpha, 1.0)]
    if tp:
        assert all(0 <= value <= 1 for value in values)
        assert min(values[0], values[2]) - 1e-12 <= values[1] <= max(values[0], values[2]) + 1e-12
    else:
        assert all(value == 0 or math.isnan(value) for value in values)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "alpha"),
    [("f1", 0.5), ("f2", 0.2), ("f0.5", 0.8), ("f0", 1.0), ("f10", 1 / 101), ("precision", 1.0), ("recall", 0.0)],
)
def test_names(name: str, alpha: float) -> None:
    found = metric(name)
    assert isinstance(found, FBeta)
    assert found.alpha == pytest.approx(alpha)
    assert found.name == name
    assert metric(found) is found
    assert f_metric(name) == found


@pytest.mark.parametrize("beta", BETAS)
def test_beta_and_alpha(beta: float) -> None:
    found = FBeta(beta)
    assert found.alpha == pytest.approx(1 / (1 + beta**2))
    assert found.name == f"f{beta:g}"
    assert metric(found.name).alpha == found.alpha  # type: ignore[attr-defined]
    by_alpha = FBeta(alpha=found.alpha)
    assert by_alpha.of_counts(7, 3, 2, 100) == pytest.approx(found.of_counts(7, 3, 2, 100))


@pytest.mark.parametrize("alpha", [0, 0.0, 0.25, 0.5, 1, 1.0])
def test_alpha(alpha: float) -> None:
    found = FBeta(alpha=alpha)
    assert found.alpha == alpha
    assert found.of_counts(6, 2, 4, 100) == pytest.approx(6 / (alpha * 8 + (1 - alpha) * 10))
    assert f_metric("f1", alpha) == found
    assert f"{alpha:g}" in found.name


def test_names_of_our_own() -> None:
    assert FBeta(2, name="strict").name == "strict"
    assert FBeta(alpha=0.3, name="lenient").name == "lenient"


def test_equal_metrics_are_equal() -> None:
    assert FBeta(1) == FBeta(1.0) == metric("f1")
    assert hash(FBeta(1)) == hash(metric("f1"))
    assert FBeta(1) != FBeta(2)
    assert metric("recall") != metric("precision")


def test_metrics_are_frozen() -> None:
    with pytest.raises(AttributeError):
        FBeta(1).alpha = 0.1  # type: ignore[misc]


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int64, np.uint8])
def test_numpy_numbers_are_numbers(number: type) -> None:
    assert FBeta(number(2)).alpha == pytest.approx(0.2)
    assert FBeta(number(2)).name == "f2"
    assert FBeta(alpha=number(1)).alpha == 1
    assert isinstance(FBeta(alpha=number(1)).alpha, float)


@pytest.mark.parametrize("beta", [1e200, "9" * 200])
def test_huge_beta_is_recall(beta: float | str) -> None:
    found = metric(f"f{beta}") if isinstance(beta, str) else FBeta(beta)
    assert found.of_counts(6, 2, 4, 100) == pytest.approx(0.6)


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "f", "f-1", "f1 ", " f1", "f1.", "fbeta", "f1e3", "accuracy", "tpr", "fnan", "finf"]
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match=r"metric must be one of f1, .*precision, recall, tp, fp, fn, prev") as error:
        metric(name)
    assert str(error.value).endswith(f"got {name!r}")


@pytest.mark.parametrize("name", [None, 1, 0.5, ["f1"], FBeta, b"f1"])
def test_what_is_no_name(name: Any) -> None:
    with pytest.raises(InputError, match="metric must be one of"):
        metric(name)


@pytest.mark.parametrize("beta", [-1, -0.001, math.nan, math.inf, -math.inf, "2", [2]])
def test_bad_beta(beta: Any) -> None:
    with pytest.raises(InputError, match="beta must be a finite number of at least 0: got") as error:
        FBeta(beta)
    assert repr(beta) in str(error.value)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan, math.inf, "0.5", [0.5]])
def test_bad_alpha(alpha: Any) -> None:
    for make in (lambda: FBeta(alpha=alpha), lambda: f_metric("f1", alpha), lambda: evaluation_of(alpha=alpha)):
        with pytest.raises(InputError, match=r"alpha must be a number from 0.*to 1.*got") as error:
            make()
        assert repr(alpha) in str(error.value)


def test_beta_or_alpha() -> None:
    with pytest.raises(InputError, match=r"either beta or alpha: got beta=None and alpha=None"):
        FBeta()
    with pytest.raises(InputError, match=r"either beta or alpha: got beta=2 and alpha=0.2"):
        FBeta(2, alpha=0.2)


@pytest.mark.parametrize("name", ["recall", "f2", FBeta(2)])
def test_metric_or_alpha(name: Any) -> None:
    with pytest.raises(InputError, match=r"either metric or alpha.*0.3"):
        f_metric(name, 0.3)


@pytest.mark.parametrize("name", AMOUNTS)
def test_labels_are_chosen_for_the_f_family_only(name: str) -> None:
    with pytest.raises(InputError, match=f"F family.*got '{name}'.*estimate"):
        f_metric(name)
    with pytest.raises(InputError, match=f"F family.*got '{name}'"):
        f_metric(metric(name))


# --- in an evaluation -------------------------------------------------------------------------------------------------

SCORES = np.linspace(1, 0, 40)
PREDICTIONS = SCORES > 0.6
LABELS = np.random.default_rng(3).random(40) < SCORES**2


def evaluation_of(**options: Any) -> Evaluation:
    return Evaluation(Pool(SCORES, PREDICTIONS), **options)


@pytest.mark.parametrize("name", ["f1", "f2", "f0.5", "precision", "recall"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_fully_labelled_pool_has_the_metric_of_scikit_learn(name: str, weighted: bool) -> None:
    weights = np.linspace(1, 3, 40) if weighted else None
    known = {i: bool(label) for i, label in enumerate(LABELS)}
    evaluation = Evaluation(Pool(SCORES, PREDICTIONS, weights=weights), name, known=known)
    assert evaluation.estimate().metric == name
    assert evaluation.estimate().value == pytest.approx(scikit_learn(name, LABELS, PREDICTIONS, weights))
    other = SCORES > 0.3
    assert evaluation.estimate(predictions=other).value == pytest.approx(scikit_learn(name, LABELS, other, weights))


@pytest.mark.parametrize("found", [metric("f2"), "f2", FBeta(2), FBeta(alpha=0.2)])
def test_one_metric_under_many_names(found: str | Metric) -> None:
    plain, other = evaluation_of(metric="f2"), evaluation_of(metric=found)
    for evaluation in (plain, other):
        items = evaluation.ask(10)
        evaluation.tell(items, LABELS[items])
    assert plain.history["rounds"] == other.history["rounds"]
    assert plain.estimate().value == other.estimate().value == plain.estimate(found).value
    assert plain.history["labels"] == other.history["labels"]


def test_alpha_of_an_evaluation() -> None:
    assert evaluation_of(alpha=0.3).metric == FBeta(alpha=0.3)
    assert evaluation_of(alpha=0.3).history["header"]["alpha"] == 0.3
    assert evaluation_of().metric == FBeta(1)


def test_counts_of_a_fully_labelled_pool() -> None:
    evaluation = evaluation_of(known={i: bool(label) for i, label in enumerate(LABELS)})
    expected = counts(LABELS, PREDICTIONS)
    for name in ("tp", "fp", "fn"):
        assert evaluation.estimate(name).value == expected[name]
    assert evaluation.estimate("prevalence").value == pytest.approx(LABELS.mean())


@pytest.mark.parametrize("sampler", ["acis", "rand"])
def test_counts_from_a_part_of_the_labels_fit_together(sampler: str) -> None:
    """tp + fp is the number of predicted positives, which is known."""
    evaluation = evaluation_of(sampler=sampler)
    items = evaluation.ask(10)
    evaluation.tell(items, LABELS[items])
    tp, fp = evaluation.estimate("tp"), evaluation.estimate("fp")
    assert tp.value + fp.value == pytest.approx(PREDICTIONS.sum())
    assert tp.value / PREDICTIONS.sum() == pytest.approx(evaluation.estimate("precision").value)
    assert tp.interval is not None
    assert 0 <= tp.interval.low <= tp.value <= tp.interval.high <= PREDICTIONS.sum()
