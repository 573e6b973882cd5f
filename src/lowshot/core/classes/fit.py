"""The beliefs that labels lead to: the most likely parameters, and a normal distribution around them.

The parameters are those of `beliefs`. Newton's method with the expected second derivatives (Fisher scoring) climbs the
logarithm of likelihood times prior; the standard deviations between classes are learned in between, by the expected
squares of what they describe (an EM step, made longer, since plain EM steps are short where labels are few).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from lowshot.core.classes.beliefs import (
    MARGIN,
    OTHER,
    REST,
    RIGHT_SHAPE,
    SHARED,
    SHIFT,
    SIZE_SHAPE,
    SLOPE,
    SMALLEST_SLOPE,
    Beliefs,
    Layout,
    Spread,
    spread,
    spread_out,
)
from lowshot.core.classes.labelled import NONE_OF_THEM, Labelled
from lowshot.core.classes.table import ClassTable
from lowshot.core.types import Flags, Floats, Integers

# Mean and standard deviation of the prior of the shared parameters. Networks are over-confident, so slopes below 1 are
# the rule. The effects of shapes are those of two image models with 200 classes; docs/research.md.
PRIOR_MEAN = np.array([0.5, 0.0, 0.1, -0.4, -4.0, 0.07, -0.13, 0.06, 0.0, -0.26, 0.16])
PRIOR_SD = np.array([0.4, 0.7, 0.3, 0.7, 1.5, *[0.12] * 6])
PRIOR_SCALE = (0.4, 0.5)  # of `right` and `size` between classes
PRIOR_CLASSES = 10  # the prior of the scale weighs as much as so many classes
FEW_CLASSES = 2.0  # with K classes the prior scale is larger by 1 + FEW_CLASSES / K: two classes cannot teach a scale
STEPS = 14  # of Newton's method at most
FIRST_SCALE_STEP = 2  # from this step on the scale is learned
STRETCH = 3.0  # how much longer than an EM step
LARGEST_CHANGE = 1.4  # of a scale in one step
CLOSE = 2e-3  # a step that changes no parameter by more is the last one
TINY = 1e-300


def prior_beliefs(table: ClassTable) -> Beliefs:
    """What is believed before the first label."""
    nothing = np.zeros(0, dtype=np.int64)
    return fit(table, Labelled.of(nothing, nothing))


def fit(table: ClassTable, labelled: Labelled) -> Beliefs:
    """The beliefs after these labels. They depend on nothing else: neither on order nor on what was believed before."""
    problem = _Problem.of(table, labelled)
    parameters, scale = problem.start, problem.first_scale
    for step in range(STEPS):
        gradient, information = problem.derivatives(parameters, scale)
        covariance = inverse(information, problem.layout.right)
        moved = problem.climb(parameters, scale, covariance @ gradient)
        change, parameters = np.abs(moved - parameters).max(), moved
        if step >= FIRST_SCALE_STEP and step < STEPS - 1:
            before = scale
            scale = problem.learned_scale(parameters, scale, covariance)
            change = max(change, *(abs(new - old) for new, old in zip(scale, before, strict=True)))
        if change < CLOSE:
            break
    _, information = problem.derivatives(parameters, scale)
    return Beliefs(parameters, inverse(information, problem.layout.right), scale)


def inverse(matrix: Floats, alone: slice) -> Floats:
    """The inverse of a symmetric positive definite matrix of which a block is diagonal.

    No label says anything about two `right` at once, so that block is, and the effort is that of half as many rows.

    >>> matrix = np.array([[2.0, 0.5, 0.5], [0.5, 1.0, 0.0], [0.5, 0.0, 4.0]])
    >>> (inverse(matrix, slice(1, 3)) @ matrix).round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    others = np.r_[0 : alone.start, alone.stop : len(matrix)]
    diagonal = 1 / np.diag(matrix)[alone]
    across = matrix[others, alone] * diagonal
    core = matrix[np.ix_(others, others)] - across @ matrix[alone][:, others]
    core = cho_solve(cho_factor(core), np.eye(len(others)))
    mixed = core @ across
    found = np.empty_like(matrix)
    found[np.ix_(others, others)] = core
    found[others, alone], found[alone, others] = -mixed, -mixed.T
    found[alone, alone] = across.T @ mixed + np.diag(diagonal)
    return found


class Local(NamedTuple):
    """Some items with the derivatives of their distribution: log q_c = h_c - log sum exp h, logit r of `beliefs`."""

    some: Spread
    other: Floats  # [item, class]: q
    score: Floats  # [item, class]: what the slope multiplies
    unlisted: Floats  # [item, class]: 1 where the class is not listed
    mean_score: Floats  # [item]: under q
    mean_unlisted: Floats
    shared: Floats  # [item, SHARED]: derivatives of logit r by the shared parameters
    size: Floats  # [item, class]: derivatives of logit r by `size`; those by `right` are 1 for the predicted class


def local(table: ClassTable, parameters: Floats, items: Integers) -> Local:
    """The derivatives at some items; [item, class] arrays, so for few items at once."""
    some = spread(table, parameters, items)
    other = spread_out(table, some, items)
    row, place = np.nonzero(table.listed[items])
    column, predicted = table.candidate[items][row, place], table.predicted[items]
    score = np.repeat(table.unlisted_score[items].astype(np.float64)[:, None], table.categories, axis=1)
    score[row, column] = table.score[items][row, place]
    unlisted = np.ones_like(score)
    unlisted[row, column] = 0.0
    every = np.arange(len(items))
    unlisted[every, predicted] = 0.0
    mean_score, mean_unlisted = (other * score).sum(axis=1), (other * unlisted).sum(axis=1)
    shared = np.zeros((len(items), SHARED))
    shared[:, SLOPE] = table.predicted_score[items] - mean_score
    shared[:, SHIFT], shared[:, MARGIN], shared[:, REST] = 1.0, table.margin[items], -mean_unlisted
    size = -other
    size[every, predicted] += 1.0
    return Local(some, other, score, unlisted, mean_score, mean_unlisted, shared, size)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Likelihood and prior of the parameters."""

    table: ClassTable
    item: Integers
    code: Integers
    right: Flags  # the prediction is known to be right
    wrong: Flags  # it is known to be wrong
    place: Integers  # labels that name a class other than the predicted one
    refused: Integers  # labels that say "not class c", with c not predicted

    @classmethod
    def of(cls, table: ClassTable, labelled: Labelled) -> "_Problem":
        item, code = labelled.item[labelled.teaches], labelled.code[labelled.teaches]
        refused, predicted = labelled.refused[labelled.teaches], table.predicted[item]
        right = code == predicted
        unsure = (refused >= 0) & (refused != predicted)
        named = np.flatnonzero((code >= 0) & ~right)
        return cls(table, item, code, right, ~right & ~unsure, named, np.flatnonzero(unsure))

    @property
    def layout(self) -> Layout:
        return Layout(self.table.categories)

    @property
    def first_scale(self) -> tuple[float, float]:
        larger = 1 + FEW_CLASSES / self.table.categories
        return PRIOR_SCALE[0] * larger, PRIOR_SCALE[1] * larger

    @property
    def start(self) -> Floats:
        shape = self.table.shape
        return np.concatenate([PRIOR_MEAN, shape @ PRIOR_MEAN[RIGHT_SHAPE], shape @ PRIOR_MEAN[SIZE_SHAPE]])

    @property
    def _kinds(self) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
        return (self.layout.right, RIGHT_SHAPE), (self.layout.size, SIZE_SHAPE)

    def value(self, parameters: Floats, scale: tuple[float, float]) -> float:
        """The logarithm of likelihood times prior, up to a constant."""
        some = spread(self.table, parameters, self.item)
        found = -np.logaddexp(0, -some.logit)[self.right].sum() - np.logaddexp(0, some.logit)[self.wrong].sum()
        other = spread_out(self.table, some, self.item)
        none = np.count_nonzero(self.code == NONE_OF_THEM)
        found += np.log(other[self.place, self.code[self.place]] + TINY).sum()
        # From the parameter, not from `known`: that is exactly 0 or 1 where a step went too far.
        found -= len(self.place) * np.logaddexp(0, parameters[OTHER]) + none * np.logaddexp(0, -parameters[OTHER])
        found += np.log1p(-self._refused_chance(some, other)).sum()
        found -= 0.5 * (((parameters[:SHARED] - PRIOR_MEAN) / PRIOR_SD) ** 2).sum()
        for (own, shape), width in zip(self._kinds, scale, strict=True):
            found -= 0.5 * ((parameters[own] - self.table.shape @ parameters[shape]) ** 2).sum() / width**2
        return float(found)

    def _refused_chance(self, some: Spread, other: Floats) -> Floats:
        """The probabilities of classes that were answered with "no", below 1."""
        chance = some.wrong[self.refused] * other[self.refused, -2 - self.code[self.refused]]
        return np.minimum(chance, 0.999)

    def climb(self, parameters: Floats, scale: tuple[float, float], step: Floats) -> Floats:
        """A step of Newton's method, shortened until it leads upwards."""
        before = self.value(parameters, scale)
        for _ in range(10):
            moved = parameters + step
            moved[SLOPE] = max(moved[SLOPE], SMALLEST_SLOPE)
            if self.value(moved, scale) >= before - 1e-9:
                return moved
            step = step / 2
        return parameters

    def derivatives(self, parameters: Floats, scale: tuple[float, float]) -> tuple[Floats, Floats]:
        """The gradient, and the expected negative second derivatives."""
        gradient, information = np.zeros(self.layout.total), np.zeros((self.layout.total,) * 2)
        if len(self.item):
            near = local(self.table, parameters, self.item)
            self._of_right(near, gradient, information)
            self._of_place(near, gradient, information)
            self._of_refused(near, gradient, information)
            self._of_none(near, gradient, information)
        self._of_prior(parameters, scale, gradient, information)
        return gradient, information

    def _of_right(self, near: Local, gradient: Floats, information: Floats) -> None:
        """Whether predictions are right: a logistic regression on the derivatives of logit r."""
        layout, told = self.layout, (self.right | self.wrong).astype(np.float64)
        right, predicted = near.some.right, self.table.predicted[self.item]
        residual, weight = (self.right - right) * told, right * (1 - right) * told
        plain = np.concatenate([near.shared, near.size], axis=1)
        columns = np.r_[0:SHARED, layout.size]
        of_class = csr_array(
            (np.ones(len(predicted)), (predicted, np.arange(len(predicted)))), (layout.categories, len(predicted))
        )
        gradient[columns] += plain.T @ residual
        gradient[layout.right] += of_class @ residual
        information[np.ix_(columns, columns)] += (plain * weight[:, None]).T @ plain
        mixed = of_class @ (plain * weight[:, None])
        information[layout.right, columns] += mixed
        information[columns, layout.right] += mixed.T
        places = np.arange(layout.right.start, layout.right.stop)
        information[places, places] += of_class @ weight

    def _of_place(self, near: Local, gradient: Floats, information: Floats) -> None:
        """Which other class it is: a softmax regression."""
        place, size = self.place, self.layout.size
        code, other = self.code[place], near.other[place]
        score, unlisted = near.score[place], near.unlisted[place]
        every = np.arange(len(place))
        gradient[SLOPE] += (score[every, code] - near.mean_score[place]).sum()
        gradient[REST] += (unlisted[every, code] - near.mean_unlisted[place]).sum()
        gradient[size] += np.bincount(code, minlength=self.layout.categories) - other.sum(axis=0)
        information[size, size] += np.diag(other.sum(axis=0)) - other.T @ other
        by_slope = other * (score - near.mean_score[place][:, None])
        by_rest = other * (unlisted - near.mean_unlisted[place][:, None])
        information[SLOPE, SLOPE] += (by_slope * score).sum()
        information[REST, REST] += (by_rest * unlisted).sum()
        information[[SLOPE, REST], [REST, SLOPE]] += (by_slope * unlisted).sum()
        for shared, by in ((SLOPE, by_slope), (REST, by_rest)):
            information[shared, size] += by.sum(axis=0)
            information[size, shared] += by.sum(axis=0)

    def _of_refused(self, near: Local, gradient: Floats, information: Floats) -> None:
        """ "Not class c": the probability 1 - p with log p = log (1 - r) + log (1 - o) + log q_c."""
        place = self.refused
        if len(place) == 0:
            return
        code, every = -2 - self.code[place], np.arange(len(place))
        chance = self._refused_chance(near.some, near.other)
        rows = np.zeros((len(place), self.layout.total))
        right = near.some.right[place]
        rows[:, :SHARED] = -right[:, None] * near.shared[place]
        rows[:, SLOPE] += near.score[place, code] - near.mean_score[place]
        rows[:, REST] += near.unlisted[place, code] - near.mean_unlisted[place]
        rows[:, OTHER] -= 1 - near.some.known
        rows[every, self.layout.right.start + self.table.predicted[self.item[place]]] = -right
        rows[:, self.layout.size] = -right[:, None] * near.size[place] - near.other[place]
        rows[every, self.layout.size.start + code] += 1.0
        odds = chance / (1 - chance)
        gradient -= rows.T @ odds
        information += (rows * odds[:, None]).T @ rows

    def _of_none(self, near: Local, gradient: Floats, information: Floats) -> None:
        """Whether an item is of any class at all."""
        none = np.count_nonzero(self.code == NONE_OF_THEM)
        total, share = none + len(self.place), 1 - near.some.known
        gradient[OTHER] += none - total * share
        information[OTHER, OTHER] += total * share * (1 - share)

    def _of_prior(self, parameters: Floats, scale: tuple[float, float], gradient: Floats, information: Floats) -> None:
        first = np.arange(SHARED)
        gradient[:SHARED] -= (parameters[:SHARED] - PRIOR_MEAN) / PRIOR_SD**2
        information[first, first] += 1 / PRIOR_SD**2
        shape = self.table.shape
        for (own, effect), width in zip(self._kinds, scale, strict=True):
            apart, precision = parameters[own] - shape @ parameters[effect], 1 / width**2
            gradient[own] -= apart * precision
            gradient[effect] += shape.T @ apart * precision
            places = np.arange(own.start, own.stop)
            information[places, places] += precision
            information[effect, effect] += shape.T @ shape * precision
            information[effect, own] -= shape.T * precision
            information[own, effect] -= shape * precision

    def learned_scale(self, parameters: Floats, scale: tuple[float, float], covariance: Floats) -> tuple[float, float]:
        """The standard deviations between classes, after a step towards what the parameters say."""
        shape, found = self.table.shape, []
        for (own, effect), width, first in zip(self._kinds, scale, self.first_scale, strict=True):
            apart = parameters[own] - shape @ parameters[effect]
            variance = np.diag(covariance)[own] - 2 * (covariance[own, effect] * shape).sum(axis=1)
            variance = variance + ((shape @ covariance[effect, effect]) * shape).sum(axis=1)
            square = (apart**2 + variance).sum() + PRIOR_CLASSES * first**2
            new = np.sqrt(square / (len(apart) + PRIOR_CLASSES))
            found.append(width * float(np.clip((new / width) ** STRETCH, 1 / LARGEST_CHANGE, LARGEST_CHANGE)))
        return found[0], found[1]
