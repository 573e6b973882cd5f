"""One ranking out of several scores: the weighted sum of their normal quantiles, as whole numbers.

The best weights are not known before labels are seen. So several rankings are made, and sampler `curve` learns from the
labels which of them is right: a hidden Markov model along each of them, weighed by its evidence.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from lowshot.core.types import Flags, Floats, Integers, Scores
from lowshot.pools.models import Models

# Quantiles are rounded to 1/UNIT, so that sums are exact and every engine finds the same order.
UNIT = 1024
PARTS = 4  # two scores: weights of 4:0, 3:1, 2:2, 1:3 and 0:4
# A helper is left out if the items that a model predicts positive have, on its scale, less than this share of their
# mean on the scale of the model. It is 0 +- 0.04 for a useless helper, and 0.4 or more for real ones.
LEAST_LIFT = 0.15
MOST_ALONE = 6  # with more scores than this, no ranking leaves one of them out

Weights = dict[str, int]  # by the name of the score; scores that are not named have none


class Ranking(NamedTuple):
    """A ranking of the items, and the weights of the scores in it."""

    weights: Weights
    level: Scores
    own: bool  # whether the level is a model's own score, and not a sum of quantiles


class Consensus(NamedTuple):
    """All rankings of a pool."""

    rankings: tuple[Ranking, ...]
    start: int  # the ranking that is used before any label is seen
    left_out: tuple[str, ...]  # helpers that do not help


def consensus(models: Models) -> Consensus:
    """The rankings of several scores.

    >>> models = Models.of({"v1": [0.9, 0.7, 0.2, 0.1], "v2": [5.0, 1.0, 4.0, 0.0]}, None, {"v1": 0.5, "v2": 3})
    >>> found = consensus(models)
    >>> [list(ranking.weights.values()) for ranking in found.rankings]
    [[1], [3, 1], [2, 2], [1, 3], [1]]
    >>> found.rankings[2].level.tolist()
    [4712.0, 0.0, 0.0, -4712.0]
    """
    judged = {model.score: normal(models.scores[model.score]) for model in models.judged if model.score is not None}
    kept, left_out = dict(judged), []
    for name in models.helpers:
        filled = _filled(models.scores[name], list(judged.values()))
        if _lift(filled, judged, models) < LEAST_LIFT:
            left_out.append(name)
        else:
            kept[name] = filled
    distinct = _distinct(kept)
    every, start = grid(list(distinct))
    if len(judged) == 1 and len(distinct) == 2:
        start = 1  # a helper may be weak: three parts of the model's own score, one of the helper's
    return Consensus(tuple(_ranking(weights, distinct, models) for weights in every), start, tuple(left_out))


def normal(scores: Scores) -> Integers:
    """The rank of each score as a normal quantile, in units of 1/UNIT.

    >>> normal(np.array([0.5, 0.1, 0.9])).tolist()
    [0, -991, 991]
    """
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    quantile = ndtri((np.cumsum(count) - count / 2) / len(scores))  # of the middle of those with the same score
    found: Integers = np.rint(UNIT * quantile).astype(np.int64)[place]
    return found


def grid(names: Sequence[str]) -> tuple[list[Weights], int]:
    """The weights of each ranking, and which of them comes first.

    >>> grid(["a", "b", "c"])[0][:3]
    [{'a': 1, 'b': 1, 'c': 1}, {'a': 1}, {'b': 1}]
    """
    if len(names) == 1:
        return [{names[0]: 1}], 0
    if len(names) == 2:
        one, two = names
        between: list[Weights] = [{one: PARTS - part, two: part} for part in range(1, PARTS)]
        return [{one: 1}, *between, {two: 1}], PARTS // 2
    every = dict.fromkeys(names, 1)
    without = [{name: 1 for name in names if name != left} for left in names] if len(names) <= MOST_ALONE else []
    return [every, *({name: 1} for name in names), *without], 0


def _ranking(weights: Weights, numbers: dict[str, Integers], models: Models) -> Ranking:
    if len(weights) == 1 and (name := next(iter(weights))) not in models.helpers:
        return Ranking(weights, models.scores[name], True)  # the distances of its scores say more than ranks
    total = sum(weight * numbers[name] for name, weight in weights.items())
    return Ranking(weights, np.asarray(total, dtype=np.float64), False)


def _filled(helper: Scores, judged: list[Integers]) -> Integers:
    """The quantiles of a helper. Where it has no value: what a linear regression on the other scores predicts."""
    known = ~np.isnan(helper)
    if known.all():
        return normal(helper)
    found = np.zeros(len(helper), dtype=np.int64)
    if known.any():
        found[known] = normal(helper[known])
        inputs = np.column_stack([np.ones(len(helper)), *judged])
        coefficients = np.linalg.lstsq(inputs[known], found[known].astype(np.float64), rcond=None)[0]
        found[~known] = np.rint(inputs[~known] @ coefficients).astype(np.int64)
    return found


def _lift(helper: Integers, judged: dict[str, Integers], models: Models) -> float:
    """How far up a helper puts the items that models predict positive, relative to the models' own scores.

    The mean over models that predict any item positive.
    """
    found = [_relative(helper, judged[m.score], m.predictions) for m in models.judged if m.score is not None]
    known = [each for each in found if each is not None]
    return float(np.mean(known)) if known else 0.0


def _relative(helper: Integers, own: Integers, predictions: Flags) -> float | None:
    if not predictions.any():
        return None
    mean = float(own[predictions].mean())
    return float(helper[predictions].mean()) / mean if mean > 0 else None


def _distinct(numbers: dict[str, Integers]) -> dict[str, Integers]:
    """Without scores that rank the items exactly as an earlier one does: such a score counts once."""
    found: dict[str, Integers] = {}
    for name, each in numbers.items():
        if not any(np.array_equal(each, other) for other in found.values()):
            found[name] = each
    return found


def shares(rankings: Sequence[Ranking], weight: Floats) -> dict[str, float]:
    """The share of each score in the consensus, if each ranking has this weight."""
    found: dict[str, float] = {}
    for ranking, share in zip(rankings, weight.tolist(), strict=True):
        for name, part in ranking.weights.items():
            found[name] = found.get(name, 0.0) + share * part / sum(ranking.weights.values())
    return found
