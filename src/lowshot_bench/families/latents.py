"""The random numbers behind a simulated task: one stream for each family, class, use and model."""

from dataclasses import dataclass
from enum import IntEnum
from typing import overload

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]


class Part(IntEnum):
    """What random numbers are for: each use has streams of its own."""

    LABELS = 0  # how many positives there are, and where
    CLASS = 1
    SPREAD = 2
    WIDTH = 3
    SKEW = 4
    REACH = 5
    SCALE = 6
    OWN = 7
    CLOSE = 8
    RIVAL = 9
    SECOND = 10
    STREWN = 11


@dataclass(frozen=True)
class Latents:
    """Standard normals of one class: the part that all models share, and the part of one model alone.

    >>> a, b = Latents((7, 0), 1).normal(Part.OWN, 10_000, 0.6), Latents((7, 0), 2).normal(Part.OWN, 10_000, 0.6)
    >>> round(float(np.corrcoef(a, b)[0, 1]), 1), round(float(a.std()), 1)
    (0.6, 1.0)
    """

    seed: tuple[int, int]  # of the family, and the class
    model: int  # from 1; 0 is what all models share

    def stream(self, part: Part, model: int = 0) -> np.random.Generator:
        """Depends on family, class, part and model alone: the same in every process, whatever was drawn before."""
        return np.random.default_rng((*self.seed, int(part), model))

    def normal(self, part: Part, size: int, shared: float) -> Singles:
        """Normals that have the correlation `shared` between any two models."""
        common = self.stream(part).standard_normal(size, dtype=np.float32)
        own = self.stream(part, self.model).standard_normal(size, dtype=np.float32)
        common *= shared**0.5
        own *= (1 - shared) ** 0.5
        return np.add(common, own, out=common)

    def one(self, part: Part, shared: float) -> float:
        return float(self.normal(part, 1, shared)[0])

    def exponential(self, part: Part, size: int) -> Singles:
        """Exponentials of this model alone."""
        return self.stream(part, self.model).standard_exponential(size, dtype=np.float32)


@overload
def skewed(normal: float, skew: float) -> float: ...
@overload
def skewed(normal: Singles, skew: float) -> Singles: ...
def skewed(normal: float | Singles, skew: float) -> float | Singles:
    """Standard normals made skew (Cornish-Fisher): h(n, k) = n + k/6 (n^2 - 1).

    >>> skewed(2.0, 0.3)
    2.15
    """
    return normal + skew / 6 * (normal * normal - 1)


@overload
def mixed(first: float, second: float, correlation: float) -> float: ...
@overload
def mixed(first: Singles, second: Singles, correlation: float) -> Singles: ...
def mixed(first: float | Singles, second: float | Singles, correlation: float) -> float | Singles:
    """A standard normal that has this correlation with the first, from two independent ones.

    >>> mixed(1.0, 0.0, 0.8)
    0.8
    """
    return correlation * first + float((1 - correlation**2) ** 0.5) * second
