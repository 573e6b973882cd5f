"""A chosen threshold as a classifier of scikit-learn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lowshot import checks
from lowshot.errors import InputError

OPTIONS = ("pos_label", "response_method")
METHODS = ("predict_proba", "decision_function")  # in the order in which scikit-learn's "auto" looks for them
POSITIVE = ([0, 1], [-1, 1])  # classes of which scikit-learn takes the second as positive


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
    classes = _classes(fitted)
    _refuse_class(classes, options.get("pos_label"))
    method = _method(fitted, options.get("response_method", "auto"))
    if method == "predict_proba" and not 0 <= threshold <= 1:
        raise InputError(
            f"threshold must be from 0 to 1 for probabilities: it is {threshold:g}, so the scores of the pool were not"
            " those of predict_proba; give response_method='decision_function' if they were those of that method"
        )
    found = FixedThresholdClassifier(FrozenEstimator(fitted), threshold=threshold, **options)
    # A frozen classifier ignores the data of `fit`; scikit-learn regards the outer one as fitted afterwards.
    return found.fit(np.zeros((2, 1)), classes)


def _classes(fitted: Any) -> Any:
    from sklearn.base import is_classifier
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if isinstance(fitted, type) or not (hasattr(fitted, "fit") and is_classifier(fitted)):
        raise InputError(f"fitted must be a classifier of scikit-learn: got {fitted!r}")
    try:
        check_is_fitted(fitted)
    except NotFittedError:
        raise InputError(f"fitted must be a fitted classifier: {fitted!r} is not; call its fit() first") from None
    classes = np.asarray(fitted.classes_)
    if classes.ndim != 1 or len(classes) != 2:
        came = f"{len(classes)} classes" if classes.ndim == 1 else "several outputs"
        raise InputError(
            f"fitted must tell two classes apart: it has {came}; a threshold is for one class against the rest, so give"
            " a classifier of that class, such as one of OneVsRestClassifier's estimators_"
        )
    return classes


def _refuse_class(classes: Any, positive: Any) -> None:
    """Which of the two classes is the positive one must be known, or given."""
    if positive is None and classes.tolist() not in POSITIVE:
        raise InputError(
            f"pos_label must be given, because the classes are {_listed(classes)} and not 0 and 1: got none; name the"
            " class that the scores are for"
        )
    if positive is not None and positive not in classes.tolist():
        raise InputError(f"pos_label must be a class of the classifier, {_listed(classes)}: got {positive!r}")


def _listed(classes: Any) -> str:
    return " and ".join(map(repr, classes.tolist()))


def _method(fitted: Any, wanted: Any) -> str:
    """The method whose values are compared with the threshold."""
    checks.choice("response_method", wanted, ("auto", *METHODS))
    there = [method for method in METHODS if hasattr(fitted, method)]
    if not there or wanted not in ("auto", *there):
        needed = " or ".join(METHODS) if wanted == "auto" else wanted
        raise InputError(f"fitted must have {needed}: {fitted!r} has {' and '.join(there) or 'neither'}")
    return there[0] if wanted == "auto" else str(wanted)
