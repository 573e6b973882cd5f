"""The truth about a ranking: precision and recall of every threshold and set, and what an oracle would keep."""

from functools import cached_property

import numpy as np

from lowshot.core.types import Flags, Floats, Integers
from lowshot_bench.choosing.chosen import best_first

EQUAL = 1e-9  # shares that are closer are the same: 0.9 * 30 positives must be 27 of them


class Ranking:
    """All labels of a pool in the order of its scores.

    >>> ranking = Ranking(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, True]))
    >>> ranking.kept.tolist(), ranking.recall.round(2).tolist(), ranking.precision.round(2).tolist()
    ([1, 3, 4], [0.33, 0.67, 1.0], [1.0, 0.67, 0.75])
    >>> ranking.smallest(0.6), ranking.largest(0.7), ranking.largest(0.8)
    (3, 4, 1)
    """

    def __init__(self, scores: Floats, labels: Flags) -> None:
        self.scores, self.labels = scores, labels
        self.positives = int(np.count_nonzero(labels))

    @cached_property
    def _order(self) -> Integers:
        return best_first(self.scores)

    @cached_property
    def kept(self) -> Integers:
        """[threshold] the number of items from each score on, best score first. Equal scores stay together."""
        ordered = self.scores[self._order]
        ends: Integers = np.append(np.flatnonzero(np.diff(ordered)) + 1, len(ordered))
        return ends

    @cached_property
    def hits(self) -> Integers:
        """[number of items] the positives among so many of the best items, from 0 items on."""
        found: Integers = np.append(0, np.cumsum(self.labels[self._order]))
        return found

    @property
    def recall(self) -> Floats:
        """[threshold]"""
        found: Floats = self.hits[self.kept] / self.positives
        return found

    @property
    def precision(self) -> Floats:
        """[threshold]"""
        found: Floats = self.hits[self.kept] / self.kept
        return found

    def smallest(self, recall: float) -> int:
        """The number of items from the highest threshold on that has this recall."""
        return int(self.kept[np.argmax(self.recall >= recall - EQUAL)])

    def largest(self, precision: float) -> int:
        """The number of items from the lowest threshold on that has this precision; 0 if none has."""
        return int(self.kept[self.precision >= precision - EQUAL].max(initial=0))

    def recall_of(self, kept: Flags) -> float:
        """Of a set of items."""
        return float(np.count_nonzero(kept & self.labels) / self.positives)

    def precision_of(self, kept: Flags) -> float:
        """Of a set of items; an empty set has no false positive, so it counts as 1."""
        size = int(np.count_nonzero(kept))
        return float(np.count_nonzero(kept & self.labels) / size) if size else 1.0
