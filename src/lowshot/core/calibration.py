"""c(s): the probability that an item with score s is positive, from labels or from predictions."""

import numpy as np
from sklearn.isotonic import IsotonicRegression, isotonic_regression
from sklearn.linear_model import LogisticRegression

from lowshot.core.cells import Cells
from lowshot.core.magnitude import divided, exponent_of
from lowshot.core.types import Floats

FAR = 1e50  # standard deviations: scores are clipped to this distance, where the logistic curve is 0 or 1 anyway


def prior(cells: Cells) -> Floats:
    """c_0 (Algorithm 1, line 7) of each cell: isotonic regression of the predictions on the scores.

    Isotonic regression is constant on a run of equal values, so runs are fitted instead of items. That is exact, and a
    classifier with a threshold has only two runs, whatever the size of its pool.

    >>> import numpy as np
    >>> from lowshot.core.ranking import rank
    >>> prior(rank(np.array([0.9, 0.8, 0.7, 0.1]), np.array([True, False, True, False]))).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    first = np.concatenate([[True], cells.above[1:] != cells.above[:-1]])
    level = np.cumsum(first) - 1
    mass = np.bincount(level, weights=cells.mass)
    # Exactly 1 where all items of the level are predicted positive: a rounded share would split runs.
    positive = np.bincount(level, weights=np.where(cells.prediction, cells.mass, 0.0))
    pure = np.bincount(level, weights=cells.prediction) == np.bincount(level)
    share = np.where(pure, 1.0, positive / mass)
    run = np.concatenate([[0], np.cumsum(share[1:] != share[:-1])])
    start = np.flatnonzero(np.concatenate([[True], run[1:] != run[:-1]]))
    fitted = isotonic_regression(share[start], sample_weight=np.bincount(run, weights=mass), increasing=False)
    calibrated: Floats = np.asarray(fitted, dtype=np.float64)[run[level]]
    return calibrated


def isotonic(midrank: Floats, labels: Floats, at: Floats, weight: Floats | None = None) -> Floats:
    """Isotonic regression of the labels on the midranks, read at other midranks (clipped at the ends).

    On midranks instead of scores, so that no strictly increasing change of the scores matters.

    >>> import numpy as np
    >>> isotonic(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.5, 9.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    order = np.lexsort((labels, midrank))  # sums over ties must not depend on the order of rows
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    model.fit(midrank[order], labels[order], None if weight is None else weight[order])
    return np.asarray(model.predict(at), dtype=np.float64)


def platt(coordinate: Floats, labels: Floats, at: Floats, weight: Floats | None = None) -> Floats:
    """Platt scaling with Platt's own smoothed targets, (n1+1)/(n1+2) and 1/(n0+2).

    The targets keep the fit finite when the labels are all equal or perfectly separated.

    >>> import numpy as np
    >>> platt(np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]), np.array([-1.0, 1.0])).round(2).tolist()
    [0.4, 0.81]
    """
    order, exponent = np.lexsort((labels, coordinate)), exponent_of(coordinate)
    coordinate, labels, at = divided(coordinate[order], exponent), labels[order], divided(at, exponent)
    weight = np.ones(len(order)) if weight is None else weight[order] / weight.mean()
    positives, total = labels.sum(), len(labels)
    high, low = (positives + 1) / (positives + 2), 1 / (total - positives + 2)
    if len(np.unique(coordinate)) < 2:  # one value only, so no slope can be fitted: the mean target
        return np.full(len(at), (positives * high + (total - positives) * low) / total)
    target = np.where(labels > 0.5, high, low)
    centre, spread = coordinate.mean(), coordinate.std()
    x = ((coordinate - centre) / spread)[:, None]
    model = LogisticRegression(C=np.inf, solver="newton-cholesky").fit(
        np.concatenate([x, x]),
        np.repeat([1, 0], total),
        sample_weight=np.concatenate([target * weight, (1 - target) * weight]),
    )
    far = FAR * spread
    steps = (np.clip(at, centre - far, centre + far) - centre) / spread
    return np.asarray(model.predict_proba(steps[:, None])[:, 1], dtype=np.float64)


def rescale(calibrated: Floats, epsilon: float) -> Floats:
    """From [0, 1] to [epsilon, 1 - epsilon], so that every item can be drawn (paper, section 3.3)."""
    return epsilon + (1 - 2 * epsilon) * calibrated
