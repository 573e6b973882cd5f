"""Metrics of a classifier with many categories: averages of the F of each category, by the names of scikit-learn.

f1_macro, f2_macro, precision_macro, recall_macro   the plain mean over all categories
balanced_accuracy                                   recall_macro
f1_weighted                                         the mean, weighted with how many items each category has
accuracy                                            the share of the items whose prediction is right
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from lowshot.errors import InputError
from lowshot.metric import FBeta, Metric, f_metric

Average = Literal["macro", "weighted", "items"]
KNOWN = "f1_macro, f1_weighted, precision_macro, recall_macro, balanced_accuracy, accuracy, or f2_macro (any beta)"


@dataclass(frozen=True, init=False)
class AveragedMetric(FBeta):
    """The average of an F over all categories.

    >>> average("f1_macro").alpha, average("balanced_accuracy").each.name, average("accuracy").average
    (0.5, 'recall', 'items')
    """

    average: Average = "macro"

    def __init__(self, name: str, each: FBeta, average: Average) -> None:
        super().__init__(alpha=each.alpha, name=name)
        object.__setattr__(self, "average", average)
        object.__setattr__(self, "_each", each)

    @property
    def each(self) -> FBeta:
        """The metric of one category."""
        found: FBeta = self._each  # type: ignore[attr-defined]
        return found


def average(name: Any) -> AveragedMetric:
    """The metric of this name.

    >>> average("f1")
    Traceback (most recent call last):
    lowshot.errors.InputError: metric must be an average over all classes, ...
    """
    if isinstance(name, AveragedMetric):
        return name
    plain = name.name if isinstance(name, Metric) else name
    if isinstance(plain, str):
        if plain.lower() == "accuracy":
            return AveragedMetric("accuracy", f_metric("recall"), "items")
        if plain.lower() == "balanced_accuracy":
            return AveragedMetric("balanced_accuracy", f_metric("recall"), "macro")
        if found := re.fullmatch(r"(f[0-9]+(?:\.[0-9]+)?|precision|recall)_(macro|weighted)", plain.lower()):
            return AveragedMetric(plain.lower(), f_metric(found[1]), "macro" if found[2] == "macro" else "weighted")
    raise InputError(
        f"metric must be an average over all classes, one of {KNOWN}: got {plain!r};"
        " metrics such as 'f1' are for one category: estimate takes them together with category="
    )


def is_average(name: Any) -> bool:
    """Whether a name is one of these metrics, so that somebody who uses it with one category can be told why not.

    >>> is_average("f1_macro"), is_average("f1")
    (True, False)
    """
    try:
        average(name)
    except InputError:
        return False
    return True
