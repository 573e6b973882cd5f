"""The ranking in bands of ranks that grow geometrically, each split into a group per pattern."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from lowshot.core.cells import Cells
from lowshot.core.magnitude import divided, exponent_of
from lowshot.core.types import Flags, Floats, Integers

WIDTH = 0.5  # of a band, in log rank; 0.25 and 0.35 gave the same errors and took longer (docs/research.md)
NEAR_MEDIAN = 0.1  # normal quantiles: closer to the median than this, the score cannot be scaled by both places
# Depths between which curves change from the score to the rank: 4.5 and 20 times n_pred. Source: docs/research.md.
FROM_SCORE, TO_RANK = 1.5, 3.0
FAR = 1e150  # limit of u, for scores with extreme outliers: squares stay finite, and curves reach their end long before


@dataclass(frozen=True, eq=False)
class Bands:
    """Band j holds the ranks from edge[j] to edge[j+1]; ties are wholly in one band.

    >>> from lowshot.core.ranking import rank
    >>> scores = np.linspace(1, 0, 1000)
    >>> bands = Bands.of(rank(scores, scores > 0.9))
    >>> len(bands), bands.edge[:5].tolist(), bands.count.sum(axis=1).tolist()
    (15, [0, 1, 2, 3, 5], [100, 900])
    """

    edge: Integers
    place: Integers  # of each band: items[place[j]:place[j+1]] of the cells
    count: Integers  # [pattern, band]; with one model pattern 0 is predicted positive, 1 is not
    patterns: Floats  # [pattern, model]: the share of such items that the model predicts positive, usually 0 or 1
    each: Integers  # [model]: items that it predicts positive
    total: int  # items of the pool
    score: Floats  # mean log-odds or raw score of each band
    median: float  # the score of the item in the middle of the pool

    @classmethod
    def of(cls, cells: Cells, score: Floats | None = None, patterns: Floats | None = None) -> "Bands":
        """From a whole ranking.

        score     one value per cell, on a scale where distances matter; None: the level
        patterns  those of the cells if they are not given
        """
        patterns = cells.patterns.astype(np.float64) if patterns is None else patterns
        by_pattern = np.bincount(cells.pattern, cells.count, len(cells.patterns))
        each = np.round(by_pattern @ patterns).astype(np.int64)
        wanted = edges(cells.total, max(mean_predicted(each), 1))
        first = np.unique(np.searchsorted(cells.above, wanted, side="left"))  # ties of the last rank included
        first = first[first < len(cells)]
        edge = np.append(cells.above[first], cells.total)
        of_cell = np.searchsorted(first, np.arange(len(cells)), side="right") - 1
        size = len(first)
        kinds = range(len(cells.patterns))
        count = np.stack([np.bincount(of_cell, cells.count * (cells.pattern == kind), size) for kind in kinds])
        value = cells.level if score is None else score
        value = divided(value, exponent_of(value))  # `scaled` does not depend on the unit
        mean = np.bincount(of_cell, cells.count * value, size) / np.diff(edge)
        middle = value[np.searchsorted(cells.above, cells.total // 2, side="right") - 1]
        return cls(
            edge,
            np.append(cells.start[first], cells.start[-1]),
            count.astype(np.int64),
            patterns,
            each,
            cells.total,
            mean,
            float(middle),
        )

    def __len__(self) -> int:
        return len(self.edge) - 1

    @cached_property
    def predicted(self) -> int:
        """n_pred: items that a model predicts positive; with several models, their mean."""
        return mean_predicted(self.each)

    @cached_property
    def rank(self) -> Floats:
        """The middle rank of each band."""
        return (self.edge[:-1] + self.edge[1:]) / 2

    @cached_property
    def depth(self) -> Floats:
        """log(rank / n_pred). It is 0 where the predicted positives end if they are the best items."""
        return np.log(self.rank / max(self.predicted, 1))

    @cached_property
    def normal(self) -> Floats:
        """z: the rank as a normal quantile. Along z the log-odds of real pools fall almost in a straight line."""
        found: Floats = ndtri(1 - self.rank / self.total)
        return found

    @cached_property
    def scaled(self) -> Floats:
        """u: the score, shifted and scaled so that it equals z at depth 0 and at the median of the pool.

        If depth 0 is at the median, or all scores in between are equal, there is no such scale and u is z.
        """
        at, level = float(np.interp(0, self.depth, self.normal)), float(np.interp(0, self.depth, self.score))
        if at < NEAR_MEDIAN or level <= self.median:
            return self.normal
        with np.errstate(over="ignore"):
            return np.clip(at + (self.score - level) * at / (level - self.median), -FAR, FAR)

    @cached_property
    def blended(self) -> Floats:
        """w: falls as u does down to depth FROM_SCORE, as z does below TO_RANK, and as a mixture in between.

        Far below the threshold many models give nearly the same score to everything, and the rank says more.
        """
        share = np.clip(((self.depth[1:] + self.depth[:-1]) / 2 - FROM_SCORE) / (TO_RANK - FROM_SCORE), 0, 1)
        first = int(np.count_nonzero(share == 0))  # down to this band w is u: differences of outliers stay exact
        fall = (1 - share) * np.diff(self.scaled) + share * np.diff(self.normal)
        found = self.scaled.copy()
        found[first + 1 :] = found[first] + np.cumsum(fall[first:])
        return found

    def along(self, coordinate: str) -> Floats:
        """The place of each band on a coordinate: "rank" (z), "score" (u) or "both" (w)."""
        return {"rank": self.normal, "score": self.scaled, "both": self.blended}[coordinate]

    @cached_property
    def gap(self) -> float:
        """How far u falls between depths -0.35 and 0.35, from 0.7 n_pred to 1.4 n_pred.

        A large gap means that the scores separate positives from negatives: `beliefs.weights`.
        """
        high, low = np.interp((-0.35, 0.35), self.depth, self.scaled)
        return float(high - low)

    @property
    def is_predicted(self) -> Flags:
        """[pattern]: whether some model predicts items of this pattern positive."""
        found: Flags = np.any(self.patterns, axis=1)
        return found

    def find(self, above: Integers) -> Integers:
        """The band of items that have `above` items above them."""
        return np.searchsorted(self.edge, above, side="right") - 1


def mean_predicted(each: Integers) -> int:
    """The mean number of predicted positives of several models, as a whole number.

    >>> mean_predicted(np.array([10, 21]))
    16
    """
    return int(each.mean() + 0.5)


def edges(total: int, predicted: int) -> Integers:
    """The ranks at which bands begin: 0, and n_pred exp(WIDTH k) for all whole k.

    >>> edges(100, 10)[-5:].tolist()
    [10, 16, 27, 45, 74]
    """
    low, high = np.ceil(np.log(predicted) / WIDTH), np.ceil(np.log(total / predicted) / WIDTH)
    ranks = np.round(predicted * np.exp(WIDTH * np.arange(-low, high + 1))).astype(np.int64)
    return np.unique(np.append(ranks[ranks < total], 0))
