"""A pool from a fitted classifier of scikit-learn, and a chosen threshold as such a classifier.

outputs          scores and predictions of a classifier for one class    `Pool.from_estimator`
class_outputs    the same for all its classes                            `ClassPool.from_estimator`
fixed_threshold  a classifier with another threshold                     `ThresholdChoice.classifier`
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.errors import InputError

OPTIONS = ("pos_label", "response_method")
METHODS = ("predict_proba", "decision_function")  # in the order in which scikit-learn's "auto" looks for them
MOST_NAMED = 5  # classes that an error lists
POSITIVE = ([0, 1], [-1, 1])  # classes of which scikit-learn takes the second as positive
# Where classifiers keep the one whose decision_function they give: searches, stacks, selections of features
PASSED_ON = ("best_estimator_", "final_estimator_", "estimator_")


def fixed_threshold(fitted: Any, threshold: float, options: Mapping[str, Any]) -> Any:
    """scikit-learn's `FixedThresholdClassifier` around a fitted classifier, ready to predict.

    >>> from sklearn.linear_model import LogisticRegression
    >>> fitted = LogisticRegression().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> fixed_threshold(fitted, 0.2, {}).predict([[0], [1], [2], [3]])
    array([0, 1, 1, 1])

    options  pos_label= and response_method=, as scikit-learn has them

    It keeps scores of at least the threshold, as lowshot does. The classifier is frozen: `fit` does not train it again,
    because the threshold was chosen for the scores that it gives now.
    """
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import FixedThresholdClassifier

    for name in options:
        checks.choice("options of classifier()", name, OPTIONS)
    classes = _two_classes(fitted)
    _positive(classes, options.get("pos_label"))
    method = _method(fitted, options.get("response_method", "auto"))
    if method == "predict_proba" and not 0 <= threshold <= 1:
        raise InputError(
            f"threshold must be from 0 to 1 for probabilities: it is {threshold:g}, so the scores of the pool were not"
            " those of predict_proba; give response_method='decision_function' if they were those of that method"
        )
    found = FixedThresholdClassifier(FrozenEstimator(fitted), threshold=threshold, **options)
    # A frozen classifier ignores the data of `fit`; scikit-learn regards the outer one as fitted afterwards.
    return found.fit(np.zeros((2, 1)), classes)


class Outputs(NamedTuple):
    """What a classifier says about one class."""

    scores: Any  # one per item, of the class that is looked for
    predictions: Any  # per item, whether it is predicted to be of that class
    probabilities: bool  # whether the scores are probabilities


class ClassOutputs(NamedTuple):
    """The same for all classes of a classifier."""

    scores: Any  # a row per item and a column per class
    classes: list[Any]
    predictions: Any  # the name of a class per item; a row of 0/1 if any number of classes apply
    several: bool  # whether any number of classes apply


def outputs(fitted: Any, data: Any, positive: Any, wanted: Any = "auto", name: str = "fitted") -> Outputs:
    """Scores of the positive class, and which items the classifier itself predicts to be of that class.

    >>> from sklearn.linear_model import LogisticRegression
    >>> fitted = LogisticRegression().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> outputs(fitted, [[0], [3]], None).predictions
    array([False,  True])

    positive  the class that is looked for; 1 if the classes are 0 and 1
    wanted    the method that gives the scores: "predict_proba", "decision_function", or "auto" for the one that the
              classifier compares with its threshold, or else the first that it has
    name      what the classifier is called in errors
    """
    classes = _classes(fitted, name)
    found = _positive(classes, _own(fitted, "pos_label") if positive is None else positive)
    method = _method(fitted, _own_method(fitted) if wanted == "auto" else wanted, name)
    scores = np.asarray(_called(fitted, method, data, name))
    place = classes.tolist().index(found)
    if scores.ndim == 2:
        scores = _of_classes(fitted, scores, classes, method)[:, place]
    elif place == 0:  # decision_function of two classes is for the second one
        scores = -scores
    predictions = np.asarray(_called(fitted, "predict", data, name))
    if predictions.ndim != 1:
        raise InputError(
            f"{name} must predict one class per item: it predicts any number of them; make a pool of all classes with"
            " ClassPool.from_estimator, or give a classifier of one class, such as one of OneVsRestClassifier's"
            " estimators_"
        )
    return Outputs(scores, predictions == found, method == "predict_proba")


def class_outputs(fitted: Any, data: Any, wanted: Any = "auto") -> ClassOutputs:
    """Scores of all classes, and the class that the classifier itself predicts.

    >>> from sklearn.linear_model import LogisticRegression
    >>> fitted = LogisticRegression().fit([[0], [1], [2], [3], [4], [5]], ["a", "a", "b", "b", "c", "c"])
    >>> class_outputs(fitted, [[0], [5]]).predictions
    array(['a', 'c'], ...)
    """
    classes = _classes(fitted, "fitted")
    method = _method(fitted, wanted, "fitted")
    scores = _of_classes(fitted, np.asarray(_called(fitted, method, data, "fitted")), classes, method)
    if scores.ndim != 2:
        raise InputError(
            f"response_method must give a score per class: {method} of two classes gives one; make a lowshot.Pool of"
            " the class that you look for with Pool.from_estimator"
        )
    predictions = _called(fitted, "predict", data, "fitted")
    predictions = np.asarray(predictions.toarray() if hasattr(predictions, "toarray") else predictions)
    return ClassOutputs(scores, classes.tolist(), predictions, predictions.ndim == 2)


def _of_classes(fitted: Any, scores: Any, classes: Any, method: str) -> Any:
    """The same scores, if they are one per class and not one per pair of classes."""
    if scores.ndim != 2:
        return scores
    pairs = method == "decision_function" and _of_pairs(fitted)  # three classes have three pairs
    if pairs or scores.shape[1] != len(classes):
        raise InputError(
            f"response_method must give a score per class: {method} gives {scores.shape[1]} for {len(classes)} classes"
            f"{', one per pair of them' if pairs else ''}; fit with decision_function_shape='ovr', or use predict_proba"
        )
    return scores


def _of_pairs(fitted: Any) -> bool:
    """Whether decision_function gives a score per pair of classes, as an SVC is asked to by "ovo"."""
    while fitted is not None and not hasattr(fitted, "decision_function_shape"):
        fitted = _passed_on(fitted)
    return getattr(fitted, "decision_function_shape", None) == "ovo"


def _passed_on(fitted: Any) -> Any:
    """The classifier in this one whose decision_function it gives; None if it has one of its own."""
    from sklearn.ensemble import BaggingClassifier, BaseEnsemble
    from sklearn.frozen import FrozenEstimator
    from sklearn.pipeline import Pipeline

    if isinstance(fitted, FrozenEstimator):
        return fitted.estimator
    if isinstance(fitted, Pipeline):
        return fitted.steps[-1][1]
    if isinstance(fitted, BaggingClassifier):  # gives the mean of what its classifiers give
        return fitted.estimators_[0]
    if isinstance(fitted, BaseEnsemble):  # boosting counts votes; its estimator_ is what was copied
        return None
    return next((getattr(fitted, name) for name in PASSED_ON if hasattr(fitted, name)), None)


def is_estimator(value: Any) -> bool:
    """Whether this has the methods of a classifier, and is no column of scores."""
    return hasattr(value, "fit") and hasattr(value, "predict")


def _called(fitted: Any, method: str, data: Any, name: str) -> Any:
    """What a method of the classifier says; its errors are about the data."""
    call: Callable[[Any], Any] = getattr(fitted, method)
    try:
        return call(data)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise InputError(f"X must be data for which {name} can predict: {method} says: {error}") from error


def _own_method(fitted: Any) -> str:
    """A classifier with a threshold says which values it compares with it."""
    own = _own(fitted, "response_method")
    return str(own) if own in METHODS else "auto"


def _own(fitted: Any, name: str) -> Any:
    """What a classifier says about itself, or the one in it whose predictions it gives; None if neither does."""
    from sklearn.ensemble import BaggingClassifier

    while fitted is not None and not hasattr(fitted, name):
        # Bagging predicts by the mean of what its classifiers give, not by the threshold of one of them.
        fitted = None if isinstance(fitted, BaggingClassifier) else _passed_on(fitted)
    return getattr(fitted, name, None)


def _two_classes(fitted: Any) -> Any:
    classes = _classes(fitted, "fitted")
    if len(classes) != 2:
        raise InputError(
            f"fitted must tell two classes apart: it has {len(classes)} classes; a threshold is for one class against"
            " the rest, so give a classifier of that class, such as one of OneVsRestClassifier's estimators_"
        )
    return classes


def _classes(fitted: Any, name: str) -> Any:
    from sklearn.base import is_classifier
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if isinstance(fitted, type) or not (hasattr(fitted, "fit") and is_classifier(fitted)):
        raise InputError(f"{name} must be a classifier of scikit-learn: got {fitted!r}")
    try:
        check_is_fitted(fitted)
    except NotFittedError:
        raise InputError(f"{name} must be a fitted classifier: {fitted!r} is not; call its fit() first") from None
    if not hasattr(fitted, "classes_"):
        raise InputError(
            f"{name} must have classes_, as fitted classifiers of scikit-learn have: {fitted!r} has none; give the"
            " classifier that was fitted itself"
        )
    if any(np.ndim(one) for one in fitted.classes_):
        raise InputError(
            f"{name} must have one output: it has several outputs; give one of them, such as one of"
            " MultiOutputClassifier's estimators_"
        )
    return np.asarray(fitted.classes_)


def _positive(classes: Any, positive: Any) -> Any:
    """The class that is looked for: it must be known, or given."""
    names = classes.tolist()
    if positive is None and names not in POSITIVE:
        raise InputError(
            f"pos_label must be given, because the classes are {_listed(names)} and not 0 and 1: got none; name the"
            " class that the scores are for"
        )
    if positive is not None and (np.ndim(positive) or positive not in names):
        raise InputError(f"pos_label must be a class of the classifier, {_listed(names)}: got {positive!r}")
    return names[1] if positive is None else positive


def _listed(names: list[Any]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return " and ".join(map(repr, names)) if len(names) == 2 else ", ".join(map(repr, names[:MOST_NAMED])) + more


def _method(fitted: Any, wanted: Any, name: str = "fitted") -> str:
    """The method whose values are compared with the threshold."""
    checks.choice("response_method", wanted, ("auto", *METHODS))
    there = [method for method in METHODS if hasattr(fitted, method)]
    if not there or wanted not in ("auto", *there):
        needed = " or ".join(METHODS) if wanted == "auto" else wanted
        raise InputError(f"{name} must have {needed}: {fitted!r} has {' and '.join(there) or 'neither'}")
    return there[0] if wanted == "auto" else str(wanted)
