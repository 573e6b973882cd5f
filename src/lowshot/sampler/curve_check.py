"""Was the curve badly wrong? Its own predictions against the labels that came afterwards."""

import numpy as np
from scipy.special import pdtrc

from lowshot.history import History
from lowshot.pools.base import View

RARE = 1e-3  # such a surprise, or a larger one, comes once in a thousand evaluations if the curve is right


def warning(pool: View, history: History) -> str:
    """Labels of items that were not predicted had far more positives than was expected when they were drawn.

    The first round is left out: nothing was known then.
    """
    found, expected = 0.0, 0.0
    for each in history.rounds[1:]:
        items = each.draws.items
        told = np.array([history.labels.get(item) is not None for item in items.tolist()], dtype=np.bool_)
        counted = told & (pool.predicted(items) == 0)
        found += sum(history.labels[item] or 0 for item in items[counted].tolist())
        expected += float(each.draws.calibration[counted].sum())
    if found == 0 or pdtrc(found - 1, expected) >= RARE:
        return ""
    return (
        f"{found:.0f} missed positives were found where {expected:.1f} were expected: the scores mislead,"
        " and the interval may be too narrow; label more, or use sampler 'sawade'"
    )
