"""Scales numbers so that their sums and squares neither overflow nor vanish.

For computations that do not depend on the unit of the numbers: standardising, distances in units of a deviation.
"""

import numpy as np

from lowshot.core.types import Floats

ORDINARY = (1e-100, 1e100)  # squares of these, summed over any pool, are far from both ends of float64


def exponent_of(values: Floats) -> int:
    """The exponent of the power of two to divide these numbers by; 0 if the largest is of an ordinary magnitude.

    >>> exponent_of(np.array([0.1, -3.0])), exponent_of(np.array([1e308, 1.0])), exponent_of(np.zeros(2))
    (0, 1024, 0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or ORDINARY[0] <= largest <= ORDINARY[1]:
        return 0
    return int(np.frexp(largest)[1])


def divided(values: Floats, exponent: int) -> Floats:
    """The numbers divided by 2**exponent: exact, except where the result is too small or too large for float64.

    >>> divided(np.array([1e308, -5e307]), 1024).round(3).tolist()
    [0.556, -0.278]
    """
    if exponent == 0:
        return values
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(values, -exponent)
