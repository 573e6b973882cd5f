"""Bins of scores that every engine computes alike."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lowshot.core.types import Floats

FINE = 2**16  # the most bins between the lowest and the highest score
ROOTS = 2**14  # bins between 0 and 1 on the scale of fourth roots
LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Grid:
    """The bin of a score, as a whole number.

    Every engine must find the same bins, so only operations are used that IEEE 754 rounds in one way: a product with a
    power of two, square roots, floor. Probabilities are binned by their fourth root: if positives are rare, most
    probabilities are close to 0, and bins of equal width would not tell them apart.

    roots     floor(score ** 0.25 * factor), for scores between 0 and 1
    even      floor(score * factor)
    distinct  the score itself: every score is a bin

    >>> grid = Grid.of(0.0, 1.0)
    >>> grid.kind, grid.bin(np.array([1e-8, 0.5])).tolist()
    ('roots', [163.0, 13777.0])
    >>> Grid.of(-3.0, 5.0)
    Grid(kind='even', factor=8192.0)
    """

    kind: Literal["roots", "even", "distinct"]
    factor: float = 1.0

    @classmethod
    def of(cls, low: float, high: float) -> "Grid":
        """A grid for scores between these limits."""
        if low >= 0 and high <= 1:
            return cls("roots", float(ROOTS))
        half = max(
            high / 2 - low / 2, abs(high) * 2.0**-41, 2.0**-901
        )  # bins of less than 2**-41 of the largest score are not needed
        return cls("even", 2.0 ** math.floor(math.log2(FINE / 2 / half)))

    def bin(self, scores: Floats) -> Floats:
        if self.kind == "distinct":
            return scores + 0.0  # -0.0 is 0.0
        found: Floats = np.floor((np.sqrt(np.sqrt(scores)) if self.kind == "roots" else scores) * self.factor) + 0.0
        return found

    def lowest(self, bins: Floats) -> Floats:
        """The lowest score of each bin: score >= lowest(b) exactly if bin(score) >= b."""
        if self.kind == "distinct":
            return bins
        if self.kind == "even":
            return self._divided(bins)
        edge = (bins / self.factor) ** 4
        for _ in range(64):  # the power is rounded: step to a neighbouring float until the bin is right
            high, low = self.bin(edge) >= bins, self.bin(np.nextafter(edge, 0.0)) >= bins
            if not (low & (edge > 0)).any() and high.all():
                return edge
            edge = np.where(low & (edge > 0), np.nextafter(edge, 0.0), np.where(high, edge, np.nextafter(edge, 2.0)))
        raise AssertionError("the edge of a bin is within a few steps of its power")

    def middle(self, bins: Floats) -> Floats:
        """A score that stands for each bin."""
        if self.kind == "distinct":
            return bins
        middle = self._divided(bins + 0.5)
        return middle**4 if self.kind == "roots" else middle

    def _divided(self, bins: Floats) -> Floats:
        """Divided by the factor; the outermost bins may reach beyond the largest float."""
        with np.errstate(over="ignore"):
            return np.clip(bins / self.factor, -LARGEST, LARGEST)
