"""What the scores are: probabilities, their logarithms, or log-odds."""

from typing import Any, Literal

import numpy as np
from scipy.special import expit

from lowshot import checks
from lowshot.core.types import Floats, Scores
from lowshot.errors import InputError

Scale = Literal["probability", "log", "logit"]
LIMITS = {  # lowest, highest, in words
    "probability": (0.0, 1.0, "from 0 to 1"),
    "log": (-np.inf, 0.0, "at most 0"),
    "logit": (-np.inf, np.inf, "finite"),
}


def known_scale(scale: Any) -> Scale | None:
    """The scale, checked; None stays None."""
    if scale is None:
        return None
    found: Scale = checks.choice("scale", scale, tuple(LIMITS))  # type: ignore[assignment]
    return found


def check_scale(levels: Scores, scale: str | None, name: str = "scores") -> None:
    """Refuse scores that cannot be on that scale.

    >>> import numpy as np
    >>> check_scale(np.array([0.5, 1.5]), "probability")
    Traceback (most recent call last):
    lowshot.errors.InputError: scores must be from 0 to 1 on the scale 'probability': got 0.5 to 1.5; ...
    """
    if scale is None:
        raise InputError(
            "scale must be given to Pool where probabilities are needed (SAWADE, GMM):"
            " scale='probability', 'log' or 'logit' says what the scores are"
        )
    least, most, words = LIMITS[scale]
    if len(levels) and not least <= levels.min() <= levels.max() <= most:
        raise InputError(
            f"{name} must be {words} on the scale {scale!r}:"
            f" got {levels.min():g} to {levels.max():g}; give the scale they are on"
        )


def probabilities(levels: Floats, scale: str | None) -> Floats:
    """Scores as probabilities.

    >>> import numpy as np
    >>> probabilities(np.array([0.0, -0.6931471805599453]), "log").tolist()
    [1.0, 0.5]
    """
    check_scale(levels, scale)
    values = {"probability": np.asarray, "log": np.exp, "logit": expit}[scale or ""](levels)
    return np.asarray(values, dtype=np.float64)


def logits(levels: Floats, scale: str | None) -> Floats:
    """Scores as finite log-odds. Tiny probabilities stay distinct: with a common floor they would form a cluster.

    >>> import numpy as np
    >>> logits(np.array([0.5, 0.0]), "probability").round(1).tolist()
    [0.0, -708.4]
    """
    if scale == "logit":
        return levels
    values = np.minimum(probabilities(levels, scale), 1 - 1e-7)
    logs = levels if scale == "log" else np.log(np.maximum(values, np.finfo(np.float64).tiny))
    return np.asarray(logs - np.log1p(-values), dtype=np.float64)


def log_odds(probabilities: Floats) -> Floats:
    """Probabilities as log-odds. 0 counts as half of the smallest other score, and 1 likewise.

    Many scores are exactly 0 or 1 because they were rounded or saturated; they are not infinitely far from the others.

    >>> import numpy as np
    >>> log_odds(np.array([1.0, 0.8, 0.5, 0.0])).round(2).tolist()
    [2.3, 1.39, 0.0, -1.39]
    """
    tiny = np.finfo(np.float64).tiny
    parts = []
    for share in (probabilities, 1 - probabilities):
        least = share.min(initial=1.0, where=share > 0)
        parts.append(np.log(np.maximum(share, max(least / 2, tiny))))
    found: Floats = parts[0] - parts[1]
    return found
