"""A history for other programs: labels with weights, for scikit-learn; and everything as plain data."""

from typing import Any, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.types import Floats
from lowshot.errors import InputError
from lowshot.history import History, Round
from lowshot.markup import html_table, note
from lowshot.pools.base import BasePool
from lowshot.result import data_frame, short
from lowshot.sampler.base import Sampler
from lowshot.sampler.rounds import factor_of

SHOWN = 10  # items that a notebook shows of a sample


class Weighted(NamedTuple):
    """The labelled items of one round as an ordinary weighted sample."""

    items: list[Id]
    labels: Floats
    predictions: Floats
    weights: Floats

    def to_dict(self) -> dict[str, Any]:
        """As plain data: one list per column."""
        columns = {"labels": self.labels, "predictions": self.predictions, "weights": self.weights}
        return {"items": list(self.items), **{name: column.tolist() for name, column in columns.items()}}

    def to_frame(self) -> Any:
        """As a pandas DataFrame with a row per item and label. Extra `[notebook]`."""
        names = ("item", "label", "prediction", "weight")
        return data_frame(dict(zip(names, self, strict=True)), "use .to_dict()")

    def _repr_html_(self) -> str:
        """The first rows, and how many there are."""
        columns = (self.items, self.labels.tolist(), self.predictions.tolist(), map(short, self.weights.tolist()))
        rows = [
            [str(item), f"{label:g}", f"{prediction:g}", weight]
            for item, label, prediction, weight in zip(*(list(column)[:SHOWN] for column in columns), strict=True)
        ]
        left = len(self.items) - len(rows)
        more = note(f"{left:,} more row{'s' * (left != 1)}: see to_frame()" if left else "")
        return html_table(["item", "label", "prediction", "weight"], rows) + more


def weights(sampler: Sampler, pool: BasePool, history: History, round_number: int | None) -> Weighted:
    """The labelled items of one round with their weights; None: the last round that the estimate uses."""
    usable = {r.number: r for r in history.rounds if history.prefix(r)}
    last = max((r.number for r in sampler.counting(history) if r.number in usable), default=1)
    number = last if round_number is None else checks.whole_number("round_number", round_number, 1)
    if number not in usable:
        raise InputError(f"weights need a labelled draw: round {number} has none; rounds with one: {[*usable]}")
    if not usable[number].design.weighted:
        raise InputError(f"weights need draws with known probabilities: {sampler.name} chooses items or groups")
    return _weighted(pool, history, usable[number], literal=sampler.settings.get("reuse") == "paper")


def _weighted(pool: BasePool, history: History, round_: Round, literal: bool) -> Weighted:
    """Weights (times drawn) p/(m q) for draws, p for reused items.

    An item answered "cannot tell" occurs twice, once with each label; c(s) says how its weight is divided.
    """
    m, view = history.prefix(round_), pool.view()
    drawn, known = round_.draws.items[:m], round_.design.known
    ratio = view.p(drawn) / round_.draws.probability[:m]
    positions, place = np.unique(np.concatenate([drawn, known]), return_inverse=True)
    shares = np.concatenate([ratio / m, view.p(known) * factor_of(history, round_, literal)])
    weights = np.bincount(place, shares, len(positions)).astype(np.float64)
    predictions = view.predicted(positions)
    labels = history.values(positions, predictions)
    both = np.concatenate([positions, positions])
    shares = np.concatenate([weights * labels, weights * (1 - labels)])
    kept = np.flatnonzero(shares > 0)
    kept = kept[np.argsort(both[kept], kind="stable")]
    label = np.repeat([1.0, 0.0], len(positions))[kept]
    return Weighted(pool.names(both[kept]), label, view.predicted(both[kept]), shares[kept])


def plain(pool: BasePool, history: History) -> dict[str, Any]:
    """Rounds with their draws, all answers in the order they came, and the current labels; items by id."""
    value = pool.answers.value
    return {
        "rounds": [_plain_round(pool, round_) for round_ in history.rounds],
        "answers": [{"item": pool.names([a.item])[0], "label": value(a.label)} for a in history.answers],
        "labels": dict(zip(pool.names(list(history.labels)), map(value, history.labels.values()), strict=True)),
    }


def _plain_round(pool: BasePool, round_: Round) -> dict[str, Any]:
    return {
        "number": round_.number,
        "size": round_.design.size,
        "asked": round_.asked,
        "known": sorted(pool.names(round_.design.known)),
        "items": pool.names(round_.draws.items),
        "probabilities": round_.draws.probability.tolist(),
        "calibration": round_.draws.calibration.tolist(),
    }
