"""The random numbers of the generator: an independent stream per family, class, use and model."""

from dataclasses import dataclass
from enum import IntEnum
from typing import overload

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]


class Use(IntEnum):
    """What a stream is used for; letters are those of the formulas in `generator.py`.

    The numbers are part of the seeds: changing one changes the simulated data.
    """

    LABELS = 0  # how many positives a class has, and at which positions
    CLASS = 1  # g
    SPREAD = 2  # d
    WIDTH = 3  # w
    SKEW = 4  # k
    REACH = 5  # m
    SCALE = 6  # a
    OWN = 7  # o
    CLOSE = 8  # x of negatives
    RIVAL = 9  # r1
    SECOND = 10  # r2
    STREWN = 11  # which positives are moved down the ranking, and where to


@dataclass(frozen=True)
class Streams:
    """The streams of one class and one model. Models are correlated, because part of each normal is shared.

    >>> a, b = Streams((7, 0), 1).normal(Use.OWN, 10_000, 0.6), Streams((7, 0), 2).normal(Use.OWN, 10_000, 0.6)
    >>> round(float(np.corrcoef(a, b)[0, 1]), 1), round(float(a.std()), 1)
    (0.6, 1.0)
    """

    seed: tuple[int, int]  # seed of the family, number of the class
    model: int  # number of the model, from 1; 0 is the stream that all models share

    def stream(self, use: Use, model: int = 0) -> np.random.Generator:
        """A new generator. It depends on family, class, use and model only, and not on what was drawn before."""
        return np.random.default_rng((*self.seed, int(use), model))

    def normal(self, use: Use, size: int, shared: float) -> Singles:
        """Standard normals; those of any two models have the correlation `shared`."""
        common = self.stream(use).standard_normal(size, dtype=np.float32)
        own = self.stream(use, self.model).standard_normal(size, dtype=np.float32)
        common *= shared**0.5
        own *= (1 - shared) ** 0.5
        return np.add(common, own, out=common)

    def one_normal(self, use: Use, shared: float) -> float:
        return float(self.normal(use, 1, shared)[0])

    def exponential(self, use: Use, size: int) -> Singles:
        """Standard exponentials, independent between models."""
        return self.stream(use, self.model).standard_exponential(size, dtype=np.float32)


@overload
def skewed(normal: float, skew: float) -> float: ...
@overload
def skewed(normal: Singles, skew: float) -> Singles: ...
def skewed(normal: float | Singles, skew: float) -> float | Singles:
    """A standard normal n transformed to have this skew (Cornish-Fisher expansion): h(n, k) = n + k/6 (n^2 - 1).

    >>> skewed(2.0, 0.3)
    2.15
    """
    return normal + skew / 6 * (normal * normal - 1)


@overload
def mixed(first: float, second: float, correlation: float) -> float: ...
@overload
def mixed(first: Singles, second: Singles, correlation: float) -> Singles: ...
def mixed(first: float | Singles, second: float | Singles, correlation: float) -> float | Singles:
    """A standard normal that has this correlation with the first of two independent standard normals.

    >>> mixed(1.0, 0.0, 0.8)
    0.8
    """
    return correlation * first + float((1 - correlation**2) ** 0.5) * second
