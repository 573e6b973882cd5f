"""The importance distribution that minimises the variance of the estimate."""

import numpy as np

from lowshot.core.types import Flags, Floats


def density(calibrated: Floats, prediction: Flags, value: float, alpha: float) -> Floats:
    """q(x)/p(x) of Eq. 3 and 4, up to a constant.

    >>> import numpy as np
    >>> density(np.array([0.5, 0.25]), np.array([True, False]), value=0.5, alpha=0.5).round(4).tolist()
    [0.3953, 0.125]
    """
    c, g = calibrated, value
    positive = np.sqrt(c * (1 - g) ** 2 + alpha**2 * (1 - c) * g**2)
    negative = (1 - alpha) * np.sqrt(c) * g
    return np.where(prediction, positive, negative)


def expected_value(probabilities: Floats, prediction: Flags, count: Floats, alpha: float) -> float:
    """The expectation of G if the model's probabilities are right (SAWADE).

    >>> import numpy as np
    >>> expected_value(np.array([0.75, 0.25]), np.array([True, False]), np.ones(2), alpha=0.5)
    0.75
    """
    tp = np.sum(count * probabilities * prediction)
    denominator = alpha * np.sum(count * prediction) + (1 - alpha) * np.sum(count * probabilities)
    return float(tp / denominator) if denominator > 0 else 0.5
