"""What a method returns that chooses a threshold, and how the algorithms of others reach the labels."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lowshot.core.types import Flags, Floats, Integers

Oracle = Callable[[Integers], Flags]  # from positions of items to their labels
NONE = float("inf")  # the threshold that keeps no item


class Chosen(NamedTuple):
    """The returned set, and the threshold that it is made from."""

    kept: Flags  # [item] items above the threshold, with labelled positives below it
    threshold: float
    certified: bool  # whether the method says that the set meets the target without keeping everything


Choose = Callable[[Floats, Oracle, int, float, float, np.random.Generator], Chosen]


def best_first(scores: Floats) -> Integers:
    """The positions of items, best score first. Items of the same score stay in their order.

    >>> best_first(np.array([0.2, 0.9, 0.2])).tolist()
    [1, 0, 2]
    """
    order: Integers = np.argsort(-scores, kind="stable")
    return order


def first_items(scores: Floats, order: Integers, count: int, positives: Integers, certified: bool = True) -> Chosen:
    """The first `count` items of the order, and items that are known to be positive.

    >>> scores = np.array([0.2, 0.9, 0.4, 0.1])
    >>> first_items(scores, best_first(scores), 2, np.array([3])).kept.tolist()
    [False, True, True, True]
    """
    kept = np.zeros(len(scores), dtype=np.bool_)
    kept[order[:count]] = True
    kept[positives] = True
    threshold = float(scores[order[count - 1]]) if count else NONE
    return Chosen(kept, threshold, certified)


def everything(scores: Floats) -> Chosen:
    """All items, which is no certificate."""
    return Chosen(np.ones(len(scores), dtype=np.bool_), float(scores.min()), False)
