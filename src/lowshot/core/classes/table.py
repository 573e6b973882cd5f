"""The scores of a pool in the form that the beliefs about its classes are computed from.

For each item the predicted class stands alone and every other candidate beside it: the beliefs first ask whether the
prediction is right, and then which other class it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lowshot.core.classes.scores import SMALLEST, ClassScores, Logs, Places
from lowshot.core.types import Flags, Floats, Integers

CHUNK = 1 << 14  # items per step of a pass over the pool: its arrays fit into the cache of a processor
ABSENT = np.float32(-1e5)  # the score of a place in the list of candidates that holds none: exp(slope * ABSENT) is 0
ENOUGH_CLASSES = 10  # with fewer classes the shape of a class says nothing: there is nothing to compare it with
RUNNERS_UP = 4  # candidates after the best one that count as places of honour
SURE = 0.8  # the predictions above this quantile of the scores count as sure ones
FEW = 5.0  # added to a count before its logarithm is taken: a class with no such item is not infinitely far away
SHAPES = 3  # columns of `ClassTable.shape`

Some = slice | Integers  # items of a pool


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Scores of N items for K classes, made ready for the beliefs.

    >>> table = ClassTable.of(ClassScores.of([np.log([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])], kept=2))
    >>> table.candidate.tolist(), table.listed.tolist(), table.predicted.tolist()
    ([[0, 1], [2, 1]], [[False, True], [False, True]], [0, 2])
    """

    categories: int  # K
    candidate: Places  # [item, kept]
    listed: Flags  # [item, kept]: whether that candidate is a class of its own beside the predicted one
    score: Logs  # [item, kept]: the natural logarithm of its probability; ABSENT where it is not listed
    predicted: Places  # [item]
    predicted_score: Logs  # [item]
    unlisted_score: Logs  # [item]: the logarithm of the mean probability of the classes that are not listed
    margin: Logs  # [item]: the predicted score minus the best other one, with mean 0 and standard deviation 1
    tail: Floats  # [class]: the logarithm of its share among the classes that are not listed, relative to the mean
    shape: Floats  # [class, SHAPES]: see `_shape`
    weight: Floats  # [item]

    def __len__(self) -> int:
        return len(self.predicted)

    @property
    def chunks(self) -> Iterator[slice]:
        """The items in steps."""
        return (slice(start, start + CHUNK) for start in range(0, len(self), CHUNK))

    @classmethod
    def of(cls, scores: ClassScores) -> "ClassTable":
        listed = np.isfinite(scores.score) & (scores.candidate != scores.predicted[:, None])
        score = np.where(listed, np.maximum(scores.score, np.log(SMALLEST)), ABSENT).astype(np.float32)
        others = np.maximum(scores.categories - 1 - listed.sum(axis=1), 1)
        unlisted = np.log(np.maximum(scores.rest, SMALLEST) / others).astype(np.float32)
        predicted_score = np.maximum(scores.predicted_score, np.log(SMALLEST)).astype(np.float32)
        best = np.where(listed.any(axis=1), score.max(axis=1, initial=ABSENT), unlisted)
        tail = np.maximum(scores.tail, SMALLEST)
        return cls(
            categories=scores.categories,
            candidate=scores.candidate,
            listed=listed,
            score=score,
            predicted=scores.predicted,
            predicted_score=predicted_score,
            unlisted_score=unlisted,
            margin=_standard(predicted_score - best).astype(np.float32),
            tail=np.log(tail / tail.mean()),
            shape=_shape(scores, listed),
            weight=scores.weight,
        )


def _shape(scores: ClassScores, listed: Flags) -> Floats:
    """Three numbers per class that scores tell without any label, each with mean 0 and standard deviation 1.

    The logarithms of: its sure predictions, its places of honour right after the best class, its predictions. A class
    that is often predicted for sure and seldom a runner-up is usually larger than it seems, and its predictions are
    more often right. How much that is worth is learned from the labels.
    """
    count = scores.categories
    if count < ENOUGH_CLASSES:
        return np.zeros((count, SHAPES))
    sure = scores.predicted_score >= np.quantile(scores.predicted_score, SURE)
    honoured = listed & (np.cumsum(listed, axis=1) <= RUNNERS_UP)
    kinds = (scores.predicted[sure], scores.candidate[honoured], scores.predicted)
    return np.column_stack([_standard(np.log(np.bincount(kind, minlength=count) + FEW)) for kind in kinds])


def class_sums(place: Places | Integers, numbers: Floats, categories: int) -> Floats:
    """Numbers summed per class.

    >>> class_sums(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 3)
    array([4., 0., 2.])
    """
    return np.bincount(place, weights=numbers, minlength=categories).astype(np.float64)


def _standard(values: Floats | Logs) -> Floats:
    """Moved and scaled to mean 0 and standard deviation 1; all 0 where they do not differ."""
    centred = np.asarray(values, dtype=np.float64) - np.mean(values, dtype=np.float64)
    spread = centred.std()
    return centred / spread if spread > SMALLEST else np.zeros(len(centred))
