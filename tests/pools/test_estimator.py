"""Pools from fitted classifiers of scikit-learn, and the way back to a classifier with a chosen threshold."""

from typing import Any

import numpy as np
import pandas
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier, StackingClassifier
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from lowshot import ClassPool, Evaluation, InputError, Pool
from lowshot.core.types import Floats, Integers
from lowshot.tasks import finish


def data(items: int = 600, seed: int = 0, classes: int = 2) -> tuple[Floats, Integers]:
    random = np.random.default_rng(seed)
    truth = (random.random(items) < 0.1) * random.integers(1, classes, items)
    return random.normal(size=(items, 3)) + 2.5 * truth[:, None], truth


X, Y = data()
FITTED = LogisticRegression().fit(*data(seed=1))


def same(pool: Pool, scores: Any, predictions: Any) -> None:
    assert pool.scores.tolist() == list(scores)
    assert pool.predictions.tolist() == [bool(one) for one in predictions]


@pytest.mark.parametrize(
    ("classifier", "method"),
    [
        (LogisticRegression(), "predict_proba"),
        (RandomForestClassifier(10, random_state=0), "predict_proba"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "predict_proba"),
        (LinearSVC(), "decision_function"),
        (RidgeClassifier(), "decision_function"),
        (FixedThresholdClassifier(LogisticRegression(), threshold=0.2), "predict_proba"),
        (FixedThresholdClassifier(LinearSVC(), threshold=-1.0), "decision_function"),
        (
            FixedThresholdClassifier(LogisticRegression(), threshold=-2.0, response_method="decision_function"),
            "decision_function",
        ),
        (TunedThresholdClassifierCV(LogisticRegression(), scoring="f1", cv=2), "predict_proba"),
    ],
    ids=str,
)
def test_scores_and_predictions_are_those_of_the_classifier(classifier: Any, method: str) -> None:
    fitted = classifier.fit(*data(seed=1))
    found = getattr(fitted, method)(X)
    pool = Pool.from_estimator(fitted, X)
    same(pool, found if found.ndim == 1 else found[:, 1], fitted.predict(X))
    assert pool.scale == ("probability" if method == "predict_proba" else None)


def test_a_threshold_instead_of_the_predictions() -> None:
    scores = FITTED.predict_proba(X)[:, 1]
    same(Pool.from_estimator(FITTED, X, threshold=0.2), scores, scores >= 0.2)
    two = Pool.from_estimator(FITTED, X, threshold={"strict": 0.7, "lax": 0.2})
    assert two.models == ("strict", "lax")
    assert two.view("lax").predicted_positives == (scores >= 0.2).sum()


def test_several_models_and_helpers() -> None:
    forest = RandomForestClassifier(10, random_state=0).fit(*data(seed=1))
    models = {"linear": FITTED, "forest": forest}
    pool = Pool.from_estimator(
        models, X, threshold={"forest": 0.3}, helpers={"svm": LinearSVC().fit(X, Y), "x": X[:, 0]}
    )
    assert (pool.models, pool.helpers, pool.scale) == (("linear", "forest"), ("svm", "x"), "probability")
    assert pool.view("linear").predicted_positives == FITTED.predict(X).sum()
    assert pool.view("forest").predicted_positives == (forest.predict_proba(X)[:, 1] >= 0.3).sum()
    mixed = Pool.from_estimator({"linear": FITTED, "svm": LinearSVC().fit(X, Y)}, X)
    assert mixed.scale is None
    assert Evaluation(mixed, goal=("linear", "svm")).ask(1)


def test_the_index_of_a_frame_gives_the_ids() -> None:
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    fitted = LogisticRegression().fit(frame, Y)
    assert Pool.from_estimator(fitted, frame).ids is None
    named = frame.set_axis([f"{number}.jpg" for number in range(len(X))]).rename_axis("path")
    pool = Pool.from_estimator(fitted, named)
    assert pool.ids is not None
    assert pool.ids.tolist() == named.index.tolist()
    assert ClassPool.from_estimator(fitted, named).ids.tolist() == named.index.tolist()  # type: ignore[union-attr]
    given = Pool.from_estimator(fitted, named, ids=range(5, 5 + len(X)))
    assert given.ids is not None
    assert given.ids[0] == 5
    with pytest.raises(InputError, match=r"ids \(index 'path' of X\) must be distinct"):
        Pool.from_estimator(fitted, named.rename({"1.jpg": "0.jpg"}))
    with pytest.raises(InputError, match="ids must be one for each item: got 2 for 600 items"):
        Pool.from_estimator(fitted, frame, ids=["a", "b"])


def test_slices_and_what_is_shown_are_columns_of_the_frame() -> None:
    frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(camera=np.where(X[:, 0] > 0, "north", "south"))
    numbers = FunctionTransformer(lambda table: table[["a", "b", "c"]])
    fitted = make_pipeline(numbers, LogisticRegression()).fit(frame, Y)
    pool = Pool.from_estimator(fitted, frame, slices=["camera"], show=["camera"])
    assert pool.slices.by("camera").names == ("north", "south")
    assert pool.shown([0]) == [{"camera": frame["camera"][0]}]
    assert ClassPool.from_estimator(fitted, frame, slices=["camera"]).slices.names == ("camera",)
    given = Pool.from_estimator(fitted, frame, slices={"month": [1] * len(frame)})
    assert given.slices.names == ("month",)
    with pytest.raises(InputError, match="slices must be a column of the frame: got 'camra'; the nearest is 'camera'"):
        Pool.from_estimator(fitted, frame, slices=["camra"])
    with pytest.raises(InputError, match="show must be left out, because X has no columns with names"):
        Pool.from_estimator(FITTED, X, show=["camera"])


@pytest.mark.parametrize(
    ("kind", "keyword"),
    [
        *((Pool, keyword) for keyword in ("ids", "weights", "slices", "helpers", "features")),
        *((ClassPool, keyword) for keyword in ("ids", "weights", "slices")),
    ],
)
def test_columns_in_another_order_than_the_data_are_refused(kind: Any, keyword: str) -> None:
    frame = pandas.DataFrame(X, columns=["a", "b", "c"], index=pandas.Index(range(700, 100, -1)))
    fitted = LogisticRegression().fit(frame, Y)
    column: Any = pandas.Series(range(1, 601), index=frame.index)
    given = column.to_frame() if keyword == "features" else column
    good, bad = ({"x": one} if keyword in ("slices", "helpers") else one for one in (given, given.sort_index()))
    assert len(kind.from_estimator(fitted, frame, **{keyword: good})) == 600
    with pytest.raises(InputError, match=f"{keyword} must have the same index as X: they differ"):
        kind.from_estimator(fitted, frame, **{keyword: bad})


@pytest.mark.parametrize("classifier", [LogisticRegression(), LinearSVC()], ids=str)
@pytest.mark.parametrize("positive", ["crow", "other"])
def test_names_of_classes(classifier: Any, positive: str) -> None:
    fitted = classifier.fit(X, np.where(Y, "crow", "other"))
    pool = Pool.from_estimator(fitted, X, pos_label=positive)
    assert (pool.predictions == (fitted.predict(X) == positive)).all()
    inside, outside = pool.scores[pool.predictions], pool.scores[~pool.predictions]
    assert inside.min() >= outside.max(), "scores are for the positive class"
    with pytest.raises(InputError, match="pos_label must be given, because the classes are 'crow' and 'other'"):
        Pool.from_estimator(fitted, X)
    own = FixedThresholdClassifier(fitted, pos_label="crow").fit(X, np.where(Y, "crow", "other"))
    assert (Pool.from_estimator(own, X).predictions == (own.predict(X) == "crow")).all()


WORDS = np.where(Y, "crow", "other")
THRESHOLD = FixedThresholdClassifier(
    LogisticRegression(), threshold=-2.0, pos_label="crow", response_method="decision_function"
)


@pytest.mark.parametrize(
    "classifier",
    [
        THRESHOLD,
        FrozenEstimator(clone(THRESHOLD).fit(X, WORDS)),
        make_pipeline(StandardScaler(), THRESHOLD),
        GridSearchCV(THRESHOLD, {"threshold": [-2.0]}, cv=2, scoring="accuracy"),
        GridSearchCV(make_pipeline(StandardScaler(), THRESHOLD), {}, cv=2, scoring="accuracy"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_threshold_inside_another_classifier(classifier: Any) -> None:
    """Its class and its method are those of the predictions."""
    fitted = classifier.fit(X, WORDS)
    same(Pool.from_estimator(fitted, X), -fitted.decision_function(X), fitted.predict(X) == "crow")
    other = Pool.from_estimator(fitted, X, pos_label="other", response_method="predict_proba")
    same(other, fitted.predict_proba(X)[:, 1], fitted.predict(X) == "other")


def test_the_threshold_of_what_is_averaged_decides_nothing() -> None:
    inside = FixedThresholdClassifier(LogisticRegression(), threshold=-2.0, response_method="decision_function")
    fitted = BaggingClassifier(inside, n_estimators=2, random_state=0).fit(X, Y)
    same(Pool.from_estimator(fitted, X), fitted.predict_proba(X)[:, 1], fitted.predict(X))


def test_one_class_of_many() -> None:
    features, truth = data(classes=4)
    fitted = LogisticRegression().fit(features, truth)
    same(
        Pool.from_estimator(fitted, features, pos_label=2),
        fitted.predict_proba(features)[:, 2],
        fitted.predict(features) == 2,
    )
    with pytest.raises(InputError, match="pos_label must be given, because the classes are 0, 1, 2, 3 and not 0 and 1"):
        Pool.from_estimator(fitted, features)
    pairs = SVC(decision_function_shape="ovo").fit(features, truth)
    with pytest.raises(InputError, match="decision_function gives 6 for 4 classes, one per pair of them; fit"):
        Pool.from_estimator(pairs, features, pos_label=2)


PAIRS = SVC(decision_function_shape="ovo")


@pytest.mark.parametrize(
    "classifier",
    [
        PAIRS,
        make_pipeline(StandardScaler(), PAIRS),
        GridSearchCV(make_pipeline(StandardScaler(), PAIRS), {"svc__C": [1]}, cv=2),
        StackingClassifier([("linear", LogisticRegression())], PAIRS, cv=2),
        RFE(SVC(kernel="linear", decision_function_shape="ovo"), n_features_to_select=2),
        BaggingClassifier(PAIRS, n_estimators=2, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_scores_of_pairs_are_no_scores_of_classes(classifier: Any) -> None:
    """Three classes have three pairs, so the number of scores does not tell."""
    features, truth = data(classes=3)
    for fitted in (classifier.fit(features, truth), FrozenEstimator(classifier)):
        assert fitted.decision_function(features).shape == (len(features), 3)
        message = (
            "decision_function gives 3 for 3 classes, one per pair of them; fit with decision_function_shape='ovr'"
        )
        with pytest.raises(InputError, match=message):
            Pool.from_estimator(fitted, features, pos_label=2, response_method="decision_function")
        with pytest.raises(InputError, match=message):
            ClassPool.from_estimator(fitted, features, response_method="decision_function")


@pytest.mark.parametrize(
    "classifier",
    [
        SVC(),
        OneVsRestClassifier(PAIRS),  # of two classes each
        OneVsOneClassifier(PAIRS),  # which makes one score per class of them
        StackingClassifier([("svc", PAIRS)], LogisticRegression(), cv=2),
        AdaBoostClassifier(PAIRS, n_estimators=2, random_state=0),
        GridSearchCV(PAIRS, {"decision_function_shape": ["ovr"]}, cv=2),
    ],
    ids=lambda one: type(one).__name__,
)
def test_scores_of_classes_that_are_made_of_pairs(classifier: Any) -> None:
    features, truth = data(classes=3)
    PAIRS.fit(features, truth)  # what is only copied does not matter, fitted or not
    fitted = classifier.fit(features, truth)
    pool = Pool.from_estimator(fitted, features, pos_label=2, response_method="decision_function")
    assert pool.scores.tolist() == fitted.decision_function(features)[:, 2].tolist()


def test_all_classes() -> None:
    features, truth = data(classes=4)
    names = np.array(["none", "crow", "heron", "wren"])
    fitted = LogisticRegression().fit(features, names[truth])
    pool = ClassPool.from_estimator(fitted, features)
    assert pool.categories == ("crow", "heron", "none", "wren")
    assert [name for (name,) in pool.predicted_names(np.arange(len(pool)))] == fitted.predict(features).tolist()
    german = ClassPool.from_estimator(fitted, features, classes=["Krähe", "Reiher", "nichts", "Zaunkönig"])
    assert german.predicted_counts.tolist() == pool.predicted_counts.tolist()
    svm = SVC().fit(features, truth)
    assert ClassPool.from_estimator(svm, features).categories == (0, 1, 2, 3)
    with pytest.raises(InputError, match="classes must be one name per class of fitted: got 2 names for 4 classes"):
        ClassPool.from_estimator(fitted, features, classes=["a", "b"])
    with pytest.raises(InputError, match=r"decision_function of two classes gives one; make a lowshot\.Pool"):
        ClassPool.from_estimator(LinearSVC().fit(X, Y), X)


def test_any_number_of_classes_per_item() -> None:
    features, truth = data(classes=4)
    applies = np.stack([truth == 1, truth >= 2, features[:, 0] > 1], axis=1).astype(int)
    fitted = OneVsRestClassifier(LogisticRegression()).fit(features, applies)
    pool = ClassPool.from_estimator(fitted, features, classes=["a", "b", "c"])
    assert pool.answers.kind == "multilabel"
    assert pool.predicted_counts.tolist() == fitted.predict(features).sum(axis=0).tolist()
    several = MultiOutputClassifier(LogisticRegression()).fit(features, applies)
    with pytest.raises(InputError, match="fitted must have one output: it has several outputs"):
        ClassPool.from_estimator(several, features)


def test_from_a_classifier_to_labels_to_a_classifier() -> None:
    """Estimator, pool, labels, threshold, classifier: it predicts what the choice kept."""
    frame = pandas.DataFrame(X, columns=["a", "b", "c"], index=pandas.Index(range(100, 700), name="item"))
    fitted = LogisticRegression().fit(pandas.DataFrame(data(seed=1)[0], columns=["a", "b", "c"]), data(seed=1)[1])
    pool = Pool.from_estimator(fitted, frame)
    evaluation = finish(Evaluation(pool), dict(zip(frame.index, Y.tolist(), strict=True)), 150)
    choice = evaluation.choose_threshold(recall=0.9, reading="bare")
    assert choice.threshold is not None
    assert choice.bare is not None
    classifier = choice.classifier(fitted)
    assert classifier.predict(frame).tolist() == (pool.scores >= choice.threshold).astype(int).tolist()
    assert classifier.predict(frame).sum() == choice.bare.kept
    again = Pool.from_estimator(classifier, frame)
    same(again, pool.scores, pool.scores >= choice.threshold)


@pytest.mark.parametrize(
    ("fitted", "options", "message"),
    [
        (LogisticRegression(), {}, r"fitted must be a fitted classifier: LogisticRegression\(\) is not; call its fit"),
        (LinearRegression().fit(X, Y), {}, "fitted must be a classifier of scikit-learn"),
        (0.5, {}, "fitted must be a classifier of scikit-learn: got 0.5"),
        ({}, {}, "fitted must be a classifier, or {name: classifier}: got none"),
        ({"v1": FITTED, "v2": LogisticRegression()}, {}, r"fitted\['v2'\] must be a fitted classifier"),
        ({"v1": FITTED}, {"threshold": {"v2": 0.5}}, "threshold must be of models in fitted, v1: got one of 'v2'"),
        (FITTED, {"helpers": {"h": LogisticRegression()}}, r"helpers\['h'\] must be a fitted classifier"),
        (FITTED, {"pos_label": "crow"}, "pos_label must be a class of the classifier, 0 and 1: got 'crow'"),
        (FITTED, {"pos_label": np.array([0, 1])}, "pos_label must be a class of the classifier, 0 and 1: got array"),
        (
            GridSearchCV(LogisticRegression(), {"C": [1]}, refit=False).fit(X, Y),
            {},
            "fitted must have classes_.* has none",
        ),
        (
            OneVsRestClassifier(LogisticRegression()).fit(X, X > 0),
            {"pos_label": 1},
            "fitted must predict one class per item: .* ClassPool.from_estimator",
        ),
        (FITTED, {"response_method": "predict"}, "response_method must be one of auto, predict_proba, decision_func"),
        (LinearSVC().fit(X, Y), {"response_method": "predict_proba"}, "fitted must have predict_proba"),
        (
            LogisticRegression().fit(X[:, :2], Y),
            {},
            "X must be data for which fitted can predict: predict_proba says: X",
        ),
    ],
    ids=lambda one: one[:40] if isinstance(one, str) else "",
)
def test_what_cannot_be_used(fitted: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool.from_estimator(fitted, X, **options)


def test_any_number_of_classes_per_item_in_a_sparse_matrix() -> None:
    """Which `predict` gives where the labels for training were one."""
    fitted = OneVsRestClassifier(LogisticRegression()).fit(X, csr_matrix((X > 0).astype(int)))
    plain = OneVsRestClassifier(LogisticRegression()).fit(X, (X > 0).astype(int))
    assert ClassPool.from_estimator(fitted, X).fingerprint == ClassPool.from_estimator(plain, X).fingerprint
