"""What the scores are: probabilities, their logarithms, or log-odds."""

from typing import Literal

import numpy as np
from scipy.special import expit

from lowshot.core.types import Floats
from lowshot.errors import InputError

Scale = Literal["probability", "log", "logit"]
SCALES = ("probability", "log", "logit")


def probabilities(levels: Floats, scale: str | None) -> Floats:
    """Scores as probabilities.

    >>> import numpy as np
    >>> probabilities(np.array([0.0, -0.6931471805599453]), "log").tolist()
    [1.0, 0.5]
    >>> probabilities(np.array([0.5, 1.5]), "probability")
    Traceback (most recent call last):
    lowshot.errors.InputError: scores must be from 0 to 1 on the scale 'probability': got 0.5 to 1.5; ...
    """
    if scale is None:
        raise InputError(
            "scale must be given to Pool where probabilities are needed (SAWADE, GMM):"
            " scale='probability', 'log' or 'logit' says what the scores are"
        )
    if scale == "logit":
        return np.asarray(expit(levels), dtype=np.float64)
    values = np.exp(np.minimum(levels, 1.0)) if scale == "log" else levels
    if ((values < 0) | (values > 1)).any():
        bounds = "at most 0" if scale == "log" else "from 0 to 1"
        raise InputError(
            f"scores must be {bounds} on the scale {scale!r}:"
            f" got {levels.min():g} to {levels.max():g}; give the scale they are on"
        )
    return np.asarray(values, dtype=np.float64)


def logits(levels: Floats, scale: str | None) -> Floats:
    """Scores as finite log-odds. Tiny probabilities keep their differences: a floor would look like a cluster.

    >>> import numpy as np
    >>> logits(np.array([0.5, 0.0]), "probability").round(1).tolist()
    [0.0, -708.4]
    """
    if scale == "logit":
        return levels
    values = np.minimum(probabilities(levels, scale), 1 - 1e-7)
    logs = levels if scale == "log" else np.log(np.maximum(values, np.finfo(np.float64).tiny))
    return np.asarray(logs - np.log1p(-values), dtype=np.float64)
