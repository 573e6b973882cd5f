"""What one item more of some class would change, and which items are worth a label.

With tp and P positives per class, n_c predicted ones and the F of a class F_c = tp_c / D_c,
D_c = alpha n_c + (1 - alpha) P_c, every average M is to first order

    dM = sum_c A_c dtp_c + B_c dP_c

and so an item of weight w that is predicted p and turns out to be of class y counts v(y) = w (A_p [y = p] + B_y).
Labels are drawn in proportion to the standard deviation of v(y) under the beliefs (Neyman allocation).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lowshot.core.classes.beliefs import (
    Beliefs,
    Counts,
    Layout,
    Spread,
    expected_counts,
    spread,
    spread_out,
    unlisted_sum,
)
from lowshot.core.classes.labelled import Labelled
from lowshot.core.classes.table import ClassTable, Some, class_sums
from lowshot.core.types import Flags, Floats, Integers

UNIFORM = 0.1  # the share of draws that are made with equal chances: no item is ruled out, whatever is believed
Average = Literal["macro", "weighted", "items"]


@dataclass(frozen=True)
class Aim:
    """What is to be known: the average of an F over all classes, or the F of each of some classes."""

    alpha: float = 0.5  # of F: 1 is precision, 0 is recall
    average: Average = "macro"  # the plain mean, the mean weighted with positives, or the share of right predictions
    wanted: tuple[int, ...] | None = None  # places of classes: the sum of their variances; None: the average


def counts_of(table: ClassTable, beliefs: Beliefs, labelled: Labelled, part: Flags | None = None) -> Counts:
    """Per class, what is expected of all items of a part of the pool. Labels count as what they are."""
    weight = table.weight if part is None else np.where(part, table.weight, 0.0)
    open_weight = weight.copy()
    open_weight[labelled.item] = 0.0
    found = expected_counts(table, beliefs.parameters, open_weight)
    return found + _settled(table, labelled, weight) + _refused(table, beliefs, labelled, weight)


def _settled(table: ClassTable, labelled: Labelled, weight: Floats) -> Counts:
    item, code = labelled.item[labelled.settled], labelled.code[labelled.settled]
    count, predicted, mine = table.categories, table.predicted[item], weight[item]
    right, named, zero = code == predicted, code >= 0, np.zeros(table.categories)
    return Counts(
        tp=class_sums(predicted[right], mine[right], count),
        positives=class_sums(code[named], mine[named], count),
        predicted=class_sums(predicted, mine, count),
        tp_variance=zero,
        positives_variance=zero,
        total=float(mine.sum()),
    )


def _refused(table: ClassTable, beliefs: Beliefs, labelled: Labelled, weight: Floats) -> Counts:
    """Items that are known not to be of one class: what the beliefs say about the others, made to sum to 1."""
    item, refused = labelled.item[~labelled.settled], labelled.refused[~labelled.settled]
    some, mine, predicted = spread(table, beliefs.parameters, item), weight[item], table.predicted[item]
    chance = some.wrong[:, None] * spread_out(table, some, item)
    every = np.arange(len(item))
    chance[every, predicted] = some.right
    left = 1 - chance[every, refused]
    chance[every, refused] = 0.0
    chance /= np.maximum(left, 1e-9)[:, None]
    right = chance[every, predicted]

    def by_predicted(values: Floats) -> Floats:
        return class_sums(predicted, values, table.categories)

    return Counts(
        tp=by_predicted(right * mine),
        positives=mine @ chance,
        predicted=by_predicted(mine),
        tp_variance=by_predicted(right * (1 - right) * mine**2),
        positives_variance=mine**2 @ (chance * (1 - chance)),
        total=float(mine.sum()),
    )


def denominators(counts: Counts, alpha: float) -> Floats:
    """D of every class."""
    return alpha * counts.predicted + (1 - alpha) * counts.positives


def values(counts: Counts, alpha: float) -> Floats:
    """F of every class; NaN where it does not exist, as precision without any prediction.

    >>> one, zero = np.array([1.0, 0.0]), np.zeros(2)
    >>> values(Counts(one, np.array([2.0, 1.0]), one, zero, zero, 4.0), alpha=1.0)
    array([ 1., nan])
    """
    below = denominators(counts, alpha)
    found = np.full(len(below), np.nan)
    np.divide(counts.tp, below, out=found, where=below > 0)
    return found


def average_of(counts: Counts, aim: Aim) -> float:
    """The average itself. A class without a value counts as 0, as in scikit-learn."""
    if aim.average == "items":
        return float(counts.tp.sum() / counts.total)
    each = np.nan_to_num(values(counts, aim.alpha))
    if aim.average == "macro":
        return float(each.mean())
    return float(each @ counts.positives / max(counts.positives.sum(), 1e-12))


def coefficients(counts: Counts, aim: Aim) -> tuple[Floats, Floats]:
    """A and B of every class."""
    count = len(counts.tp)
    if aim.wanted is None and aim.average == "items":
        return np.full(count, 1 / counts.total), np.zeros(count)
    # A class of less than one item would have an influence beyond all bounds.
    below = np.maximum(denominators(counts, aim.alpha), 1.0)
    each = counts.tp / below
    by_tp, by_positives = 1 / below, -(1 - aim.alpha) * each / below
    if aim.wanted is not None:
        mine = np.isin(np.arange(count), aim.wanted)
        return by_tp * mine, by_positives * mine
    if aim.average == "macro":
        return by_tp / count, by_positives / count
    total = max(float(counts.positives.sum()), 1e-12)
    share = counts.positives / total
    return by_tp * share, by_positives * share + (each - each @ share) / total


def design_parameters(table: ClassTable, beliefs: Beliefs, labelled: Labelled, aim: Aim) -> Floats:
    """The numbers from which the probabilities of the next draws can be computed, now and later.

    The parameters of the beliefs, A and B of every class, and 1 if the classes are wanted one by one.
    """
    by_tp, by_positives = coefficients(counts_of(table, beliefs, labelled), aim)
    return np.concatenate([beliefs.parameters, by_tp, by_positives, [float(aim.wanted is not None)]])


def draw_probabilities(table: ClassTable, parameters: Floats, closed: Integers) -> tuple[Floats, Floats]:
    """Of every item: the probability to be drawn, and the probability that its prediction is right.

    `parameters` are those of `design_parameters`; `closed` are the items that cannot be drawn.
    """
    wanted, right = spreads(table, parameters)
    return mixed(wanted, closed), right


def spreads(table: ClassTable, parameters: Floats) -> tuple[Floats, Floats]:
    """Of every item: the standard deviation of v(y), and the probability that its prediction is right."""
    start, count = Layout(table.categories).total, table.categories
    by_tp, by_positives = parameters[start : start + count], parameters[start + count : start + 2 * count]
    found, right = np.empty(len(table)), np.empty(len(table))
    for items in table.chunks:
        some = spread(table, parameters[:start], items)
        worth = _separate if parameters[-1] else variance
        found[items] = np.sqrt(worth(table, some, items, by_tp, by_positives)) * table.weight[items]
        right[items] = some.right
    return found, right


def mixed(wanted: Floats, closed: Integers) -> Floats:
    """Probabilities in proportion to what is wanted, with a uniform part; 0 for items that cannot be drawn.

    >>> mixed(np.array([3.0, 1.0, 5.0]), closed=np.array([2]))
    array([0.725, 0.275, 0.   ])
    """
    open_ = np.ones(len(wanted))
    open_[closed] = 0.0
    wanted = wanted * open_
    total, even = wanted.sum(), open_ / max(open_.sum(), 1.0)
    found: Floats = even if total <= 0 else (1 - UNIFORM) * wanted / total + UNIFORM * even
    return np.minimum(found, 1.0)  # the sum of the two parts of a single item may be rounded up


def variance(table: ClassTable, some: Spread, items: Some, by_tp: Floats, by_positives: Floats) -> Floats:
    """The variance of v(y), without the weight of the item."""
    right = (by_tp + by_positives)[table.predicted[items]]
    square = some.right * right**2 + some.wrong * _other_mean(table, some, items, by_positives**2)
    return np.maximum(square - expected(table, some, items, by_tp, by_positives) ** 2, 0.0)


def _separate(table: ClassTable, some: Spread, items: Some, by_tp: Floats, by_positives: Floats) -> Floats:
    """The sum over classes of the variances of their parts of v(y)."""
    right = (by_tp + by_positives)[table.predicted[items]]
    chance = some.candidate * some.wrong[:, None]
    found = some.right * (1 - some.right) * right**2
    found += some.wrong * _other_mean(table, some, items, by_positives**2)
    found -= (chance**2 * by_positives[table.candidate[items]] ** 2).sum(axis=1)
    return np.maximum(found, 0.0)


def expected(table: ClassTable, some: Spread, items: Some, by_tp: Floats, by_positives: Floats) -> Floats:
    """The mean of v(y) under the beliefs, without the weight of the item."""
    right = (by_tp + by_positives)[table.predicted[items]]
    return some.right * right + some.wrong * _other_mean(table, some, items, by_positives)


def _other_mean(table: ClassTable, some: Spread, items: Some, values: Floats) -> Floats:
    """The mean of a number per class over the classes other than the predicted one."""
    listed: Floats = (some.candidate * values[table.candidate[items]]).sum(axis=1)
    tail = some.tail * values
    unlisted: Floats = some.unlisted * (tail.sum() - unlisted_sum(table, tail, items))
    return listed + unlisted
