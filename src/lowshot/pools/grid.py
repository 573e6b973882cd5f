"""Bins of scores that every engine computes alike."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lowshot.core.types import Floats

FINE = 2**16  # bins between the lowest and the highest score, at most
LARGEST = float(np.finfo(np.float64).max)
ROOTS = 2**14  # bins between the fourth roots 0 and 1


@dataclass(frozen=True)
class Grid:
    """Which bin a score is in, as a whole number.

    Only operations that IEEE 754 rounds in one way everywhere: a product with a power of two, square roots, floor.
    Probabilities are binned by their fourth root, as those of something rare crowd near 0.

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
        """For scores between these."""
        if low >= 0 and high <= 1:
            return cls("roots", float(ROOTS))
        half = max(high / 2 - low / 2, abs(high) * 2.0**-41, 2.0**-901)  # beyond 40 bits there is nothing to tell apart
        return cls("even", 2.0 ** math.floor(math.log2(FINE / 2 / half)))

    def bin(self, scores: Floats) -> Floats:
        if self.kind == "distinct":
            return scores + 0.0  # -0.0 is 0.0
        found: Floats = np.floor((np.sqrt(np.sqrt(scores)) if self.kind == "roots" else scores) * self.factor) + 0.0
        return found

    def lowest(self, bins: Floats) -> Floats:
        """The lowest score of each bin: comparing with it is the same as comparing bins."""
        if self.kind == "distinct":
            return bins
        if self.kind == "even":
            return self._divided(bins)
        edge = (bins / self.factor) ** 4
        for _ in range(64):  # a power is rounded, so its neighbours are tried
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
        """By the factor; the outermost bins may reach beyond the largest number that there is."""
        with np.errstate(over="ignore"):
            return np.clip(bins / self.factor, -LARGEST, LARGEST)
