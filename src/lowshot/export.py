"""A history for other programs: weighted items for scikit-learn, and everything as plain data."""

from typing import Any, NamedTuple

import numpy as np

from lowshot.checks import Id
from lowshot.core.types import Floats
from lowshot.history import History, Round
from lowshot.pool import Pool


class Weighted(NamedTuple):
    """Labelled items of one round with the weights that make it an ordinary weighted sample."""

    items: list[Id]
    labels: Floats
    predictions: Floats
    weights: Floats


def weighted(pool: Pool, history: History, round_: Round) -> Weighted:
    """(times drawn) p/(m q) for draws, p for reused items."""
    m = history.prefix(round_)
    drawn, known = round_.draws.items[:m], round_.design.known
    ratio = pool.p(drawn) / round_.draws.probability[:m]
    positions, place = np.unique(np.concatenate([drawn, known]), return_inverse=True)
    shares = np.concatenate([ratio / m, pool.p(known)])
    weights = np.bincount(place, shares, len(positions)).astype(np.float64)
    predictions = pool.predicted(positions)
    return Weighted(pool.names(positions), history.values(positions, predictions), predictions, weights)


def plain(pool: Pool, history: History) -> dict[str, Any]:
    """Rounds with their draws, every answer in the order it came, and the labels as they are now; by id."""
    return {
        "rounds": [_plain_round(pool, round_) for round_ in history.rounds],
        "answers": [{"item": pool.names([a.item])[0], "label": a.label} for a in history.answers],
        "labels": dict(zip(pool.names(list(history.labels)), history.labels.values(), strict=True)),
    }


def _plain_round(pool: Pool, round_: Round) -> dict[str, Any]:
    return {
        "number": round_.number,
        "size": round_.design.size,
        "asked": round_.asked,
        "known": pool.names(round_.design.known),
        "items": pool.names(round_.draws.items),
        "probabilities": round_.draws.probability.tolist(),
        "calibration": round_.draws.calibration.tolist(),
    }
