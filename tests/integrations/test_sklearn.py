"""A chosen threshold as scikit-learn's `FixedThresholdClassifier`."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from lowshot import Evaluation, InputError, Pool, ThresholdChoice
from lowshot.core.types import Flags, Floats
from lowshot.goal import Threshold
from lowshot.integrations.sklearn import fixed_threshold
from lowshot.tasks import finish


def data(items: int = 2000, seed: int = 0) -> tuple[Floats, Flags]:
    random = np.random.default_rng(seed)
    truth = random.random(items) < 0.05
    return random.normal(size=(items, 3)) + 2.5 * truth[:, None], truth


def chosen(scores: Floats, truth: Flags, **wanted: Any) -> ThresholdChoice:
    evaluation = finish(Evaluation(Pool(scores, threshold=float(np.quantile(scores, 0.95)))), truth, 60)
    return evaluation.choose_threshold(**wanted)


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        RandomForestClassifier(20, random_state=0),  # few distinct scores: many items are exactly at the threshold
        make_pipeline(StandardScaler(), LogisticRegression()),
        CalibratedClassifierCV(LinearSVC(), cv=2),
    ],
    ids=lambda one: type(one).__name__,
)
def test_it_keeps_what_the_threshold_keeps(classifier: Any) -> None:
    features, truth = data()
    fitted = classifier.fit(*data(seed=1))
    scores = fitted.predict_proba(features)[:, 1]
    choice = chosen(scores, truth, recall=0.9, reading="bare")
    found = choice.classifier(fitted)
    assert isinstance(found, FixedThresholdClassifier)
    assert choice.bare is not None
    assert choice.threshold in scores, "an item is exactly at the threshold"
    assert found.predict(features).tolist() == (scores >= choice.threshold).tolist()
    assert found.predict(features).sum() == choice.bare.kept
    assert (found.predict_proba(features)[:, 1] == scores).all()


def test_decision_functions() -> None:
    features, truth = data()
    fitted = LinearSVC().fit(*data(seed=1))
    scores = fitted.decision_function(features)
    choice = chosen(scores, truth, recall=0.9)
    assert choice.threshold is not None
    assert choice.threshold < 0
    assert choice.classifier(fitted).predict(features).tolist() == (scores >= choice.threshold).tolist()
    both = LogisticRegression().fit(*data(seed=1))
    with pytest.raises(
        InputError, match=r"threshold must be from 0 to 1 for probabilities: it is -.* those of predict_proba"
    ):
        choice.classifier(both)
    scores = both.decision_function(features)
    found = fixed_threshold(both, -3.0, {"response_method": "decision_function"})
    assert found.predict(features).tolist() == (scores >= -3.0).tolist()


def test_thresholds_at_the_ends_of_probabilities() -> None:
    """A forest has scores of exactly 0 and 1."""
    features, _ = data()
    fitted = RandomForestClassifier(5, random_state=0).fit(*data(seed=1))
    scores = fitted.predict_proba(features)[:, 1]
    assert fixed_threshold(fitted, 1.0, {}).predict(features).sum() == (scores == 1).sum() > 0
    assert fixed_threshold(fitted, 0.0, {}).predict(features).all()


def test_it_counts_as_fitted_and_is_not_trained_again() -> None:
    features, truth = data()
    fitted = LogisticRegression().fit(*data(seed=1))
    found = fixed_threshold(fitted, 0.3, {})
    check_is_fitted(found)
    assert found.n_features_in_ == 3
    before = found.predict(features)
    for again in (found.fit(features[:50], ~truth[:50] | (np.arange(50) < 25)), clone(found)):
        assert (again.predict(features) == before).all()


@pytest.mark.parametrize(("positive", "place"), [("crow", 0), ("other", 1)])
def test_classes_with_names(positive: str, place: int) -> None:
    features, truth = data()
    fitted = LogisticRegression().fit(features, np.where(truth, "crow", "other"))
    found = fixed_threshold(fitted, 0.3, {"pos_label": positive})
    kept = fitted.predict_proba(features)[:, place] >= 0.3
    assert ((found.predict(features) == positive) == kept).all()
    with pytest.raises(InputError, match="pos_label must be given, because the classes are 'crow' and 'other'"):
        fixed_threshold(fitted, 0.3, {})
    with pytest.raises(InputError, match="pos_label must be a class of the classifier, 'crow' and 'other': got 'jay'"):
        fixed_threshold(fitted, 0.3, {"pos_label": "jay"})


def test_what_cannot_be_used() -> None:
    features, truth = data()
    fitted = LogisticRegression().fit(features, truth)
    for bad, options, message in (
        (LogisticRegression(), {}, r"fitted must be a fitted classifier: LogisticRegression\(\) is not; call its fit"),
        (LogisticRegression, {}, "fitted must be a classifier of scikit-learn: got <class"),
        (LinearRegression().fit(features, truth), {}, "fitted must be a classifier of scikit-learn"),
        (0.5, {}, "fitted must be a classifier of scikit-learn: got 0.5"),
        (LogisticRegression().fit(features, np.arange(2000) % 3), {}, "two classes apart: it has 3 classes"),
        (Perceptron().fit(features, truth), {"response_method": "predict_proba"}, "fitted must have predict_proba"),
        (fitted, {"response_method": "predict"}, "response_method must be one of auto, predict_proba, decision_fun"),
        (fitted, {"threshold": 0.1}, r"options of classifier\(\) must be one of pos_label, response_method: got"),
    ):
        with pytest.raises(InputError, match=message):
            fixed_threshold(bad, 0.3, options)


def test_without_a_threshold() -> None:
    nothing = ThresholdChoice(Threshold(recall=0.9), None, False, None, None, 0, reason="no labels yet")
    with pytest.raises(InputError, match="there is no threshold to use: no labels yet"):
        nothing.classifier(LogisticRegression())
