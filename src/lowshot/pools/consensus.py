"""One ranking out of several scores: the weighted sum of their numbers.

The number of an item says how high it is in the ranking by one score: a power of -log(rank / items), less its mean.
With power 1 this is about what a usual calibration curve makes of a rank, and evidence of models whose errors are
independent adds up. Normal quantiles of ranks do not: at the top of the ranking they hardly differ. The errors of real
models depend on each other, and the best power is somewhat smaller.

The best weights are not known before labels are seen. So several rankings are made, and sampler `curve` learns from the
labels which of them is right: a hidden Markov model along each of them, weighed by its evidence.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.special import gamma

from lowshot.core.types import Flags, Floats, Integers, Scores
from lowshot.pools.models import Models

# Numbers are whole numbers of 1/UNIT, so that sums are exact and every engine finds the same order.
UNIT = 1024
PARTS = 4  # two scores: weights of 4:0, 3:1, 2:2, 1:3 and 0:4
# Numbers are this power of -log(rank / items): 1/2 gives about normal quantiles, 1 what adds up if errors are
# independent. Source: real pairs, where 0.7 and 0.85 are as good, and simulated independent errors, where 0.85 and 1
# are (docs/research.md).
POWER = 0.85
# A score with at most so many values is a flag: it ranks nothing, and says no more than predictions do.
FLAG = 2
# A helper is left out if the items that a model predicts positive have, on its scale, less than this share of their
# mean on the scale of the model. It is 0 +- 0.04 for a useless helper; the scores of other real models have 0.4 or more
# in 95 % of pairs, and at least 0.16.
LEAST_LIFT = 0.1
SLOPE_UNIT = 2**16  # the unit of a slope, as a whole number
MOST_ALONE = 6  # with more scores than this, no ranking leaves one of them out

Weights = dict[str, int]  # by the name of the score; scores that are not named have none


class Ranking(NamedTuple):
    """A ranking of the items, and the weights of the scores in it."""

    weights: Weights
    level: Scores
    own: bool  # whether the level is a model's own score, and not a sum of numbers


class Consensus(NamedTuple):
    """All rankings of a pool."""

    rankings: tuple[Ranking, ...]
    start: int  # the ranking that is used before any label is seen
    left_out: tuple[str, ...]  # helpers that do not help
    flags: tuple[str, ...]  # scores of models that rank nothing


def consensus(models: Models) -> Consensus:
    """The rankings of several scores.

    >>> models = Models.of({"v1": [0.9, 0.7, 0.2, 0.1], "v2": [5.0, 1.0, 4.0, 0.0]}, None, {"v1": 0.5, "v2": 3})
    >>> found = consensus(models)
    >>> [list(ranking.weights.values()) for ranking in found.rankings]
    [[1], [3, 1], [2, 2], [1, 3], [1]]
    >>> found.rankings[2].level.tolist()
    [3760.0, -780.0, -780.0, -3132.0]
    """
    judged = {model.score: numbers(models.scores[model.score]) for model in models.judged if model.score is not None}
    kept, left_out = dict(judged), []
    for name in models.helpers:
        known = ~np.isnan(models.scores[name])
        found = numbers(models.scores[name][known])
        if helps(_totals(found, known, judged, models)):
            kept[name] = _filled(found, known, list(judged.values()))
        else:
            left_out.append(name)
    values = {name: len(np.unique(models.scores[name])) for name in judged}
    flags = flags_of(values)
    distinct = _distinct({name: each for name, each in kept.items() if name not in flags})
    every, start = grid(list(distinct), models.helpers)
    return Consensus(tuple(_ranking(weights, distinct, models) for weights in every), start, tuple(left_out), flags)


def flags_of(values: Mapping[str, int]) -> tuple[str, ...]:
    """The scores that rank nothing, out of the number of values that each has; none if there is no other score.

    >>> flags_of({"rule": 2, "network": 4711}), flags_of({"rule": 2})
    (('rule',), ())
    """
    found = tuple(name for name, count in values.items() if count <= FLAG)
    return found if len(found) < len(values) else ()


def numbers(scores: Scores) -> Integers:
    """The number of each score, in units of 1/UNIT.

    >>> numbers(np.array([0.5, 0.1, 0.9])).tolist()
    [-218, -727, 713]
    """
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    found: Integers = number_at(np.cumsum(count) - count / 2, len(scores))[place]  # the middle of those that are tied
    return found


def number_at(below: Floats, total: int) -> Integers:
    """The numbers, in units of 1/UNIT, of items that have so many of all items below them."""
    power = (-np.log1p(-below / total)) ** POWER
    found: Integers = np.rint(UNIT * (power - gamma(1 + POWER))).astype(np.int64)  # which is the mean
    return found


def grid(names: Sequence[str], helpers: Sequence[str] = ()) -> tuple[list[Weights], int]:
    """The weights of each ranking, and which of them comes first.

    A helper may be weak: beside one model, the first ranking has three parts of the model's own score.

    >>> grid(["a", "b", "c"])[0][:3]
    [{'a': 1, 'b': 1, 'c': 1}, {'a': 1}, {'b': 1}]
    """
    if len(names) == 1:
        return [{names[0]: 1}], 0
    if len(names) == 2:
        one, two = names
        between: list[Weights] = [{one: PARTS - part, two: part} for part in range(1, PARTS)]
        return [{one: 1}, *between, {two: 1}], 1 if two in helpers else PARTS // 2
    every = dict.fromkeys(names, 1)
    without = [{name: 1 for name in names if name != left} for left in names] if len(names) <= MOST_ALONE else []
    return [every, *({name: 1} for name in names), *without], 0


def _ranking(weights: Weights, known: dict[str, Integers], models: Models) -> Ranking:
    if len(weights) == 1 and (name := next(iter(weights))) not in models.helpers:
        return Ranking(weights, models.scores[name], True)  # the distances of its scores say more than ranks
    total = sum(weight * known[name] for name, weight in weights.items())
    return Ranking(weights, np.asarray(total, dtype=np.float64), False)


class Sums(NamedTuple):
    """What a straight line is fitted to: sums over the items that have a value of the helper."""

    items: int
    helper: int  # the sum of the helper's numbers
    mean: int  # of the mean numbers of the models
    squares: int  # of the squares of these means
    products: int  # of mean times helper

    @classmethod
    def of(cls, helper: Integers, mean: Integers) -> "Sums":
        """Of items with these numbers."""
        parts = (helper, mean, mean * mean, mean * helper)
        return cls(len(helper), *(int(each.sum()) for each in parts))


class Line(NamedTuple):
    """Where a helper has no value: (offset + slope * mean number of the models) / SLOPE_UNIT, floored.

    All of it is whole numbers, so that every engine fills in the same.

    >>> line = Line.of(Sums(items=2, helper=30, mean=20, squares=1000, products=900))
    >>> line, line.at(np.array([10, 21])).tolist()
    (Line(offset=491520, slope=49152), [15, 23])
    """

    offset: int
    slope: int

    @classmethod
    def of(cls, sums: Sums) -> "Line":
        """By least squares."""
        if not sums.items:
            return cls(0, 0)
        below = sums.items * sums.squares - sums.mean**2
        slope = Fraction(sums.items * sums.products - sums.mean * sums.helper, below) if below else Fraction(0)
        offset = (sums.helper - slope * sums.mean) / sums.items
        return cls(round(SLOPE_UNIT * offset), round(SLOPE_UNIT * slope))

    def at(self, mean: Integers) -> Integers:
        found: Integers = (self.offset + self.slope * mean) // SLOPE_UNIT
        return found


def mean_number(numbers: Sequence[Integers]) -> Integers:
    """The mean number of several models, floored.

    >>> mean_number([np.array([3, -3]), np.array([4, -4])]).tolist()
    [3, -4]
    """
    found: Integers = np.sum(numbers, axis=0) // len(numbers)
    return found


def _filled(found: Integers, known: Flags, judged: list[Integers]) -> Integers:
    """The numbers of a helper. Where it has no value: what a linear regression on the mean of the models predicts."""
    if known.all():
        return found
    mean = mean_number(judged)
    filled = Line.of(Sums.of(found, mean[known])).at(mean)
    filled[known] = found
    return filled


class Total(NamedTuple):
    """A sum of numbers, and of how many."""

    items: int
    sum: int

    @property
    def mean(self) -> float:
        return self.sum / self.items


def helps(pairs: Sequence[tuple[Total, Total]]) -> bool:
    """Whether a helper puts the items that models predict positive far enough up, relative to the models' own scores.

    This is the mean over the models of a ratio of means, over the items that each predicts positive: of the helper,
    where it is known, and of the model's own score. Models that predict no item positive do not count. The ratio of a
    useless helper has a standard deviation of 1 / (mean of the model * sqrt(items)), so that it must be above twice
    that if the items are few.

    >>> helps([(Total(100, 50_000), Total(200, 200_000)), (Total(0, 0), Total(3, 900))])
    True
    >>> helps([(Total(100, 10_000), Total(200, 200_000))])
    False
    """
    known = [(one, own) for one, own in pairs if one.items and own.items and own.sum > 0]
    if not known:
        return False
    ratio = float(np.mean([one.mean / own.mean for one, own in known]))
    error = float(np.mean([UNIT / own.mean / one.items**0.5 for one, own in known]))
    return ratio >= max(LEAST_LIFT, 2 * error)


def _totals(found: Integers, known: Flags, judged: dict[str, Integers], models: Models) -> list[tuple[Total, Total]]:
    """Of each model, over the items that it predicts positive: the helper's numbers, and its own."""
    pairs = []
    for model in models.judged:
        if model.score is not None:
            helper, own = found[model.predictions[known]], judged[model.score][model.predictions]
            pairs.append((Total(len(helper), int(helper.sum())), Total(len(own), int(own.sum()))))
    return pairs


def _distinct(numbers: dict[str, Integers]) -> dict[str, Integers]:
    """Without scores that rank the items exactly as an earlier one does: such a score counts once."""
    found: dict[str, Integers] = {}
    for name, each in numbers.items():
        if not any(np.array_equal(each, other) for other in found.values()):
            found[name] = each
    return found
