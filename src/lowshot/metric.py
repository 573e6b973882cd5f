"""Metrics: F_alpha and what can be counted, each a ratio of sums over true and false positives and negatives."""

import math
import re
from dataclasses import dataclass

import numpy as np

from lowshot import checks
from lowshot.core.ratio import Terms
from lowshot.core.types import Floats
from lowshot.errors import InputError

Coefficients = tuple[float, float, float]  # of tp, fp, fn


@dataclass(frozen=True)
class Metric:
    """A metric as a ratio: coefficients of (tp, fp, fn) in the numerator and in the denominator.

    denominator     None: the number of items of the pool
    per_prediction  for counts: the ratio is per predicted positive, and is multiplied by their number, which is known
                    exactly

    >>> metric("f1").of_counts(tp=30, fp=10, fn=20, total=1000)
    0.6666666666666666
    >>> metric("prevalence").of_counts(tp=30, fp=10, fn=20, total=1000)
    0.05
    """

    name: str
    numerator: Coefficients
    denominator: Coefficients | None
    per_prediction: bool = False

    @property
    def ignores_negatives(self) -> bool:
        """Whether labels of predicted negatives cannot change the metric, as with precision."""
        return self.denominator is not None and self.numerator[2] == 0 == self.denominator[2]

    @property
    def is_share(self) -> bool:
        """Whether the ratio is between 0 and 1 in every weighted sample. It is not for fn and prevalence."""
        if self.denominator is None:
            return False
        return all(above <= below for above, below in zip(self.numerator, self.denominator, strict=True))

    def terms(self, labels: Floats, predictions: Floats, weight: Floats) -> Terms:
        """What each item adds to numerator and denominator: linear in the label, so a label may be a probability."""
        parts = (labels * predictions, (1 - labels) * predictions, labels * (1 - predictions))
        numerator = sum(c * part for c, part in zip(self.numerator, parts, strict=True))
        if self.denominator is None:
            return Terms(np.asarray(numerator), np.ones(len(labels)), weight)
        denominator = sum(c * part for c, part in zip(self.denominator, parts, strict=True))
        return Terms(np.asarray(numerator), np.asarray(denominator), weight)

    def of_counts(self, tp: float, fp: float, fn: float, total: float) -> float:
        """The metric of exact or expected counts; NaN if its denominator is 0."""
        parts = (tp, fp, fn)
        numerator = sum(c * part for c, part in zip(self.numerator, parts, strict=True))
        if self.per_prediction:
            return numerator
        if self.denominator is None:
            return numerator / total
        denominator = sum(c * part for c, part in zip(self.denominator, parts, strict=True))
        return numerator / denominator if denominator > 0 else math.nan


@dataclass(frozen=True, init=False)
class FBeta(Metric):
    """F_alpha = tp / (alpha (tp+fp) + (1-alpha) (tp+fn)) (Eq. 1), with alpha = 1/(1+beta^2).

    >>> FBeta(2).alpha, FBeta(alpha=0.25).name
    (0.2, 'f(alpha=0.25)')
    """

    alpha: float = 0.5

    def __init__(self, beta: float | None = None, *, alpha: float | None = None, name: str | None = None) -> None:
        if (beta is None) == (alpha is None):
            raise InputError(f"give FBeta either beta or alpha: got beta={beta!r} and alpha={alpha!r}")
        share = _alpha(beta, alpha)
        label = name or (f"f{beta:g}" if beta is not None else f"f(alpha={share:g})")
        object.__setattr__(self, "name", label)
        object.__setattr__(self, "alpha", share)
        object.__setattr__(self, "numerator", (1.0, 0.0, 0.0))
        object.__setattr__(self, "denominator", (1.0, share, 1.0 - share))
        object.__setattr__(self, "per_prediction", False)


def _alpha(beta: float | None, alpha: float | None) -> float:
    if beta is not None:
        square = checks.finite("beta", beta, least=0) * float(beta)
        return 1 / (1 + square)
    return checks.number("alpha", alpha, 0, 1)


F_METRICS = {
    "precision": FBeta(alpha=1.0, name="precision"),
    "recall": FBeta(alpha=0.0, name="recall"),
}
COUNTS = {
    "tp": Metric("tp", (1, 0, 0), (1, 1, 0), per_prediction=True),
    "fp": Metric("fp", (0, 1, 0), (1, 1, 0), per_prediction=True),
    "fn": Metric("fn", (0, 0, 1), (1, 1, 0), per_prediction=True),
    "prevalence": Metric("prevalence", (1, 0, 1), None),
}
KNOWN = "f1, f2, f0.5 (any f followed by beta), precision, recall, tp, fp, fn, prevalence, or FBeta(...)"


def metric(name: str | Metric) -> Metric:
    """The metric of that name.

    >>> metric("f0.5").alpha
    0.8
    >>> metric("accuracy")
    Traceback (most recent call last):
    lowshot.errors.InputError: metric must be one of f1, f2, f0.5 (any f followed by beta), ...
    """
    if isinstance(name, Metric):
        return name
    if isinstance(name, str):
        plain = name.lower()
        if found := F_METRICS.get(plain) or COUNTS.get(plain):
            return found
        if re.fullmatch(r"f[0-9]+(\.[0-9]+)?", plain):
            return FBeta(float(plain[1:]), name=plain)
    raise InputError(f"metric must be one of {KNOWN}: got {name!r}")


def f_metric(name: str | Metric, alpha: float | None = None) -> FBeta:
    """A metric that labels can be chosen for: one of the F family, by name or by alpha.

    >>> f_metric("f1", alpha=0.3).name
    'f(alpha=0.3)'
    """
    if alpha is not None:
        if name != "f1":
            raise InputError(f"give either metric or alpha, not both: got metric={name!r} and alpha={alpha!r}")
        return FBeta(alpha=alpha)
    found = metric(name)
    if not isinstance(found, FBeta):
        raise InputError(
            f"metric must be of the F family when an evaluation starts: got {found.name!r};"
            f" start with 'f1' and ask for estimate(metric={found.name!r}) from its labels"
        )
    return found
