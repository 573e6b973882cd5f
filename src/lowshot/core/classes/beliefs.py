"""What is believed about the class of every item: first whether its prediction is right, then which other class it is.

With the scores z (logarithms of probabilities), the predicted class p of an item and the parameters of `Layout`:

    h_c     = slope * z_c + size_c                               a candidate c
    h_c     = slope * z_rest + rest + tail_c + size_c            a class that is not listed for this item
    logit r = h_p - log sum_{c != p} exp(h_c) + shift + margin * margin_i + right_p
    P(p)    = r,   P(none of the classes) = (1 - r) o,   P(c) = (1 - r) (1 - o) q_c,   q = softmax of h without p

size_c allows for classes that are more or less frequent than where the classifier was trained (a change of class
frequencies multiplies probabilities by exp(size_c)), right_c for classes whose predictions are better or worse than
their scores say. Both are drawn towards what the shape of the class tells, as far as the labels bear that out.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from lowshot.core.classes.scores import SMALLEST
from lowshot.core.classes.table import ClassTable, Some, class_sums
from lowshot.core.types import Floats

# The first parameters, which all classes share; then one `right` and one `size` per class.
SLOPE, SHIFT, MARGIN, REST, OTHER = range(5)
RIGHT_SHAPE, SIZE_SHAPE = slice(5, 8), slice(8, 11)
SHARED = 11
SMALLEST_SLOPE = 0.05
LARGEST_LOGIT = 30.0


class Layout(NamedTuple):
    """Where the parameters of K classes stand.

    >>> Layout(4).right, Layout(4).size, Layout(4).total
    (slice(11, 15, None), slice(15, 19, None), 19)
    """

    categories: int

    @property
    def right(self) -> slice:
        return slice(SHARED, SHARED + self.categories)

    @property
    def size(self) -> slice:
        return slice(SHARED + self.categories, SHARED + 2 * self.categories)

    @property
    def total(self) -> int:
        return SHARED + 2 * self.categories


class Spread(NamedTuple):
    """The distribution of the class of some items."""

    logit: Floats  # [item]: of r
    right: Floats  # [item]: r, the probability that the prediction is right
    candidate: Floats  # [item, kept]: q of the candidates; 0 where none is listed
    unlisted: Floats  # [item]: q of a class that is not listed is this times `tail`
    tail: Floats  # [class]: exp(tail + size)
    known: float  # 1 - o: the probability that an item that is not of the predicted class is of any class

    @property
    def wrong(self) -> Floats:
        """The probability of all other classes together."""
        return (1.0 - self.right) * self.known


def spread(table: ClassTable, parameters: Floats, items: Some) -> Spread:
    """The distribution of the class of each of these items."""
    layout = Layout(table.categories)
    slope, size = parameters[SLOPE], parameters[layout.size]
    candidate, listed, predicted = table.candidate[items], table.listed[items], table.predicted[items]
    tail = np.exp(table.tail + size)
    height = slope * table.score[items].astype(np.float64) + size[candidate]
    left = np.maximum(tail.sum() - unlisted_sum(table, tail, items), 0.0)
    rest = slope * table.unlisted_score[items].astype(np.float64) + parameters[REST]
    top = np.maximum(height.max(axis=1, initial=-1e4), rest)
    chance = np.exp(height - top[:, None]) * listed
    unlisted = np.exp(rest - top)
    total = chance.sum(axis=1) + unlisted * left + SMALLEST
    own = slope * table.predicted_score[items] + size[predicted]
    logit = own - top - np.log(total) + parameters[SHIFT] + parameters[MARGIN] * table.margin[items]
    logit = np.clip(logit + parameters[layout.right][predicted], -LARGEST_LOGIT, LARGEST_LOGIT)
    chance /= total[:, None]
    return Spread(logit, expit(logit), chance, unlisted / total, tail, float(expit(-parameters[OTHER])))


def unlisted_sum(table: ClassTable, values: Floats, items: Some) -> Floats:
    """Per item the sum of a number per class over the classes that are not unlisted: predicted, or a candidate."""
    found: Floats = (values[table.candidate[items]] * table.listed[items]).sum(axis=1)
    return found + values[table.predicted[items]]


def spread_out(table: ClassTable, some: Spread, items: Some) -> Floats:
    """[item, class]: q of every class, 0 for the predicted one. For few items only."""
    full = some.unlisted[:, None] * some.tail
    row, place = np.nonzero(table.listed[items])
    full[row, table.candidate[items][row, place]] = some.candidate[row, place]
    full[np.arange(len(full)), table.predicted[items]] = 0.0
    return full


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Parameters as they were fitted to labels, and how sure they are."""

    parameters: Floats  # [Layout.total]: the most likely ones
    covariance: Floats  # of the normal distribution around them
    scale: tuple[float, float]  # the standard deviations of `right` and `size` between classes


@dataclass(frozen=True, eq=False)
class Counts:
    """Per class, summed over items with their weights: what is expected, and the variance that chance adds.

    >>> counts = Counts.none(2)
    >>> counts.tp.tolist(), counts.predicted.tolist()
    ([0.0, 0.0], [0.0, 0.0])
    """

    tp: Floats
    positives: Floats
    predicted: Floats
    tp_variance: Floats  # also the covariance of tp and positives, since an item that is a tp is a positive
    positives_variance: Floats
    total: float  # the weight of all items

    @classmethod
    def none(cls, categories: int) -> "Counts":
        zero = np.zeros(categories)
        return cls(zero, zero, zero, zero, zero, 0.0)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.tp + other.tp,
            self.positives + other.positives,
            self.predicted + other.predicted,
            self.tp_variance + other.tp_variance,
            self.positives_variance + other.positives_variance,
            self.total + other.total,
        )


def expected_counts(table: ClassTable, parameters: Floats, counted: Floats) -> Counts:
    """The counts of all items, of which `counted` says the weight: 0 for those that are left out."""
    found = Counts.none(table.categories)
    for items in table.chunks:
        if counted[items].any():
            found += _expected(table, spread(table, parameters, items), items, counted[items])
    return found


def _expected(table: ClassTable, some: Spread, items: slice, weight: Floats) -> Counts:
    count, predicted = table.categories, table.predicted[items]
    chance, unlisted, square = some.candidate * some.wrong[:, None], some.unlisted * some.wrong, weight**2
    tp = class_sums(predicted, some.right * weight, count)
    tp_variance = class_sums(predicted, some.right * (1 - some.right) * square, count)
    positives = tp + _by_class(table, items, chance * weight[:, None], unlisted * weight, some.tail)
    # p (1 - p) is taken as p for classes that are not listed: their p is small.
    noise = _by_class(table, items, chance * (1 - chance) * square[:, None], unlisted * square, some.tail)
    every = class_sums(predicted, weight, count)
    return Counts(tp, positives, every, tp_variance, tp_variance + noise, float(weight.sum()))


def _by_class(table: ClassTable, items: slice, chance: Floats, unlisted: Floats, tail: Floats) -> Floats:
    """Sums per class, over candidates and over items for which the class is not listed."""
    count, candidate, listed = table.categories, table.candidate[items], table.listed[items]
    found = class_sums(candidate.ravel(), chance.ravel(), count)
    there = class_sums(candidate.ravel(), (listed * unlisted[:, None]).ravel(), count)
    there += class_sums(table.predicted[items], unlisted, count)
    further: Floats = tail * np.maximum(unlisted.sum() - there, 0.0)
    return found + further
