"""From beliefs and labels to values with intervals: of every class, and of an average over all of them.

tp and positives of a class are sums over items. Their uncertainty has two parts: the parameters of the beliefs, by the
derivatives of the sums (delta method), and chance, since an item is of a class or not.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky
from scipy.sparse import csr_array
from scipy.special import ndtr

from lowshot.core.classes.beliefs import OTHER, REST, SHARED, SLOPE, Beliefs, Counts, Layout, spread
from lowshot.core.classes.fit import local
from lowshot.core.classes.influence import (
    Aim,
    average_of,
    coefficients,
    counts_of,
    denominators,
    expected,
    values,
    variance,
)
from lowshot.core.classes.labelled import Labelled
from lowshot.core.classes.table import ClassTable
from lowshot.core.interval import normal_quantile
from lowshot.core.types import Flags, Floats, Integers

LARGEST_WORK = 6e9  # items times classes squared: beyond it the derivatives are those of every second, third, ... item
DENSE = 1 << 20  # numbers of an array of items and classes
# The correction by the draws is mostly noise where the beliefs fit. It is used as far as its square exceeds TRUSTED
# times the variance: draws that the beliefs cannot explain. In a part of the pool labels are fewer and the correction
# is noisier than the fit, so more must be seen there; the interval still allows for it.
TRUSTED, TRUSTED_PART = 0.5, 4.0
SECOND_ORDER = 2.0  # by how much of the squared coefficient of variation of its denominator a variance grows
ALLOWANCE = 1.15  # the variance of an average is multiplied by this: beliefs fit only nearly


@dataclass(frozen=True, eq=False)
class ClassEstimates:
    """The F of every class."""

    value: Floats  # [class]; NaN where it does not exist
    sd: Floats

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """The ends of the interval of every class: normal, cut at 0 and 1.

        >>> low, high = ClassEstimates(np.array([0.5, 0.1]), np.array([0.1, 0.1])).interval()
        >>> low.round(3), high.round(3)
        (array([0.304, 0.   ]), array([0.696, 0.296]))
        """
        half = normal_quantile(confidence) * self.sd
        return np.maximum(self.value - half, 0.0), np.minimum(self.value + half, 1.0)

    def below(self, line: float) -> Floats:
        """The probability that the value is below a line, per class.

        >>> ClassEstimates(np.array([0.5, 0.1]), np.array([0.1, 0.0])).below(0.4).round(3)
        array([0.159, 1.   ])
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = ndtr((line - self.value) / self.sd)
        return np.where(self.sd > 0, chance, np.where(np.isnan(self.value), np.nan, self.value < line))


@dataclass(frozen=True)
class AverageEstimate:
    """An average over all classes."""

    value: float
    sd: float
    beliefs: float  # the value that the beliefs alone give
    correction: float  # what the draws say about the error of that value, weighed by their probabilities

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Its ends: normal, cut at 0 and 1.

        >>> AverageEstimate(0.5, 0.1, 0.5, 0.0).interval(0.9)
        (0.335..., 0.664...)
        """
        half = normal_quantile(confidence) * self.sd
        return max(self.value - half, 0.0), min(self.value + half, 1.0)


@dataclass(frozen=True, eq=False)
class Posterior(ABC):
    """What beliefs and labels say about a part of a pool. Values of any F, and of any average, are computed from it."""

    part: Flags | None  # the items; None: all of them
    counts: Counts
    tp_error: Floats  # [class, direction]: how tp moves along independent directions of the parameters, each of size 1
    positives_error: Floats

    @property
    @abstractmethod
    def labels(self) -> Integers:
        """[class]: how many labels say something about it."""

    @abstractmethod
    def _correction(self, by_tp: Floats, by_positives: Floats) -> tuple[float, float]:
        """The error of the beliefs' value as the draws estimate it, and the variance of that estimate."""

    def classes(self, alpha: float = 0.5) -> ClassEstimates:
        """F of every class."""
        counts, value = self.counts, values(self.counts, alpha)
        below = np.maximum(denominators(counts, alpha), 1e-9)
        by_positives = -(1 - alpha) * np.nan_to_num(value)
        error = (self.tp_error + by_positives[:, None] * self.positives_error) / below[:, None]
        chance = (1 + 2 * by_positives) * counts.tp_variance + by_positives**2 * counts.positives_variance
        first = (error**2).sum(axis=1) + np.maximum(chance, 0.0) / below**2
        # A ratio varies more than its first-order variance says if its denominator is unsure, as that of recall is.
        unsure = (1 - alpha) ** 2 * ((self.positives_error**2).sum(axis=1) + counts.positives_variance) / below**2
        return ClassEstimates(value, np.sqrt(first * (1 + SECOND_ORDER * unsure)))

    def average(self, aim: Aim) -> AverageEstimate:
        """An average over all classes.

        Its value is that of the beliefs. How far off it is can be estimated from the draws alone: the sum of what the
        labels changed, each divided by its probability. The larger of both variances counts.
        """
        by_tp, by_positives = coefficients(self.counts, aim)
        plain = average_of(self.counts, aim)
        direction = by_tp @ self.tp_error + by_positives @ self.positives_error
        chance = (by_tp**2 + 2 * by_tp * by_positives) * self.counts.tp_variance
        chance = chance + by_positives**2 * self.counts.positives_variance
        correction, by_draws = self._correction(by_tp, by_positives)
        square = ALLOWANCE * max(float(direction @ direction + chance.sum()), by_draws)
        needed = (TRUSTED if self.part is None else TRUSTED_PART) * square
        used = max(0.0, 1 - needed / correction**2) if correction else 0.0
        value = min(max(plain + used * correction, 0.0), 1.0)
        return AverageEstimate(value, float(np.sqrt(square + (1 - used) * correction**2)), plain, correction)


@dataclass(frozen=True, eq=False)
class ClassPosterior(Posterior):
    """The same where every item has one class, or none of them."""

    table: ClassTable
    beliefs: Beliefs
    labelled: Labelled

    @cached_property
    def labels(self) -> Integers:
        """[class]: how many labels say something about it: predicted, named or refused."""
        item, code = self._mine
        predicted, refused = self.table.predicted[item], -2 - code
        found = np.bincount(predicted, minlength=self.table.categories)
        for place in (code, refused):
            further = place[(place >= 0) & (place != predicted)]
            found = found + np.bincount(further, minlength=self.table.categories)
        return found

    @property
    def _mine(self) -> tuple[Integers, Integers]:
        item, code = self.labelled.item, self.labelled.code
        if self.part is None:
            return item, code
        there = self.part[item]
        return item[there], code[there]

    def _correction(self, by_tp: Floats, by_positives: Floats) -> tuple[float, float]:
        labelled, table = self.labelled, self.table
        there = labelled.settled if self.part is None else labelled.settled & self.part[labelled.item]
        item, code, standing = labelled.item[there], labelled.code[there], np.maximum(labelled.expansion[there], 0.0)
        mine = len(table) if self.part is None else int(np.count_nonzero(self.part))
        missing = mine - len(self._mine[0])
        if not standing.any() or missing <= 0:
            return 0.0, 0.0
        standing = standing * min(1.0, missing / standing.sum())
        some = spread(table, self.beliefs.parameters, item)
        right = code == table.predicted[item]
        found = np.where(code >= 0, by_positives[code], 0.0) + np.where(right, by_tp[table.predicted[item]], 0.0)
        change = (found - expected(table, some, item, by_tp, by_positives)) * table.weight[item]
        # A few labels may agree with the beliefs by chance. Half of what the beliefs expect steadies their variance.
        square = (change**2 + variance(table, some, item, by_tp, by_positives) * table.weight[item] ** 2) / 2
        return float(standing @ change), float((standing * (standing + 1)) @ square)


def posterior(table: ClassTable, beliefs: Beliefs, labelled: Labelled, part: Flags | None = None) -> ClassPosterior:
    """What is believed about a part of a pool; None: all of it."""
    counted = table.weight.copy() if part is None else np.where(part, table.weight, 0.0)
    counted[labelled.item] = 0.0
    counts = counts_of(table, beliefs, labelled, part)
    root = cholesky(beliefs.covariance, lower=True)
    by_tp, by_positives = _derivatives(table, beliefs.parameters, counted)
    return ClassPosterior(part, counts, by_tp @ root, by_positives @ root, table, beliefs, labelled)


def _derivatives(table: ClassTable, parameters: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """[class, parameter]: the derivatives of expected tp and positives."""
    layout, there = Layout(table.categories), np.flatnonzero(weight)
    step = max(1, int(np.ceil(len(there) * float(table.categories) ** 2 / LARGEST_WORK)))
    some, size = there[::step], max(DENSE // table.categories, 64)
    factor = weight[there].sum() / weight[some].sum() if len(some) else 1.0
    tp, positives = np.zeros((layout.categories, layout.total)), np.zeros((layout.categories, layout.total))
    for start in range(0, len(some), size):
        items = some[start : start + size]
        _add_derivatives(table, parameters, items, weight[items] * factor, (tp, positives))
    return tp, positives


def _add_derivatives(
    table: ClassTable, parameters: Floats, items: Integers, weight: Floats, found: tuple[Floats, Floats]
) -> None:
    """What some items add to the derivatives of (tp, positives)."""
    layout, near, predicted = Layout(table.categories), local(table, parameters, items), table.predicted[items]
    positives = found[1]
    known, other = near.some.known, near.other
    slant = near.some.right * (1 - near.some.right) * weight
    plain = np.concatenate([near.shared, near.size], axis=1) * slant[:, None]
    columns, places = np.r_[0:SHARED, layout.size], np.arange(layout.categories)
    of_class = csr_array((np.ones(len(items)), (predicted, np.arange(len(items)))), (layout.categories, len(items)))
    for one in found:
        one[:, columns] += of_class @ plain
        one[places, layout.right.start + places] += of_class @ slant
    positives[:, columns] -= known * (other.T @ plain)
    positives[:, layout.right] -= known * (of_class @ (other * slant[:, None])).T
    chance = other * (near.some.wrong * weight)[:, None]
    total = chance.sum(axis=0)
    positives[:, SLOPE] += (chance * (near.score - near.mean_score[:, None])).sum(axis=0)
    positives[:, REST] += (chance * (near.unlisted - near.mean_unlisted[:, None])).sum(axis=0)
    positives[:, OTHER] -= total * (1 - known)
    positives[:, layout.size] += np.diag(total) - chance.T @ other
