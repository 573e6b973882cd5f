"""The table of labelled items, and the labels that would change the estimate most if they were wrong."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np

from lowshot.charts.along_ranking import rounds_of
from lowshot.charts.estimate_path import Estimator
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.result import Estimate


@dataclass(frozen=True)
class Labelled:
    """One labelled item. For a label that was known beforehand `round` is 0 and `probability` is None."""

    item: Id
    position: int
    rank: int
    predicted: bool
    label: int | None
    round: int
    probability: float | None  # of the draw that first chose it
    calibration: float | None  # c(s), its expected label, when it was drawn
    weight: float | None


def table(evaluation: Evaluation, history: History) -> list[Labelled]:
    """Every labelled item, in the order of the ranking."""
    rounds, drawn, weight = rounds_of(history), first_draws(history), weights(evaluation)
    rows = []
    pool, view = evaluation.pool, evaluation.pool.view()
    positions = history.labelled[np.argsort(view.rank(history.labelled))]
    ranks, predicted = view.rank(positions).tolist(), (view.predicted(positions) == 1).tolist()
    for place, position in enumerate(positions.tolist()):
        name = pool.names([position])[0]
        probability, calibration = drawn.get(position, (None, None))
        rows.append(
            Labelled(
                item=name,
                position=position,
                rank=ranks[place],
                predicted=predicted[place],
                label=history.labels[position],
                round=rounds.get(position, 0),
                probability=probability,
                calibration=calibration,
                weight=weight.get(name),
            )
        )
    return rows


def first_draws(history: History) -> dict[int, tuple[float, float]]:
    """Probability and c(s) of the draw that first chose each item."""
    found: dict[int, tuple[float, float]] = {}
    for round_ in history.rounds:
        places = round_.new[: round_.asked]
        items, columns = round_.draws.items[places], (round_.draws.probability, round_.draws.calibration)
        for item, probability, calibration in zip(items.tolist(), *(c[places].tolist() for c in columns), strict=True):
            found.setdefault(item, (probability, calibration))
    return found


def weights(evaluation: Evaluation) -> dict[Id, float]:
    """The weights of the last round that has weights; empty for samplers without weights."""
    try:
        found = evaluation.weights()
    except InputError:  # the sampler draws without weights, or none of its draws counts yet
        return {}
    names, place = np.unique(evaluation.pool.positions(found.items), return_inverse=True)
    sums = np.bincount(place, found.weights)  # an item answered "cannot tell" is listed once per label
    return dict(zip(evaluation.pool.names(names), sums.tolist(), strict=True))


CANDIDATES = 60  # labels that are tried with the opposite value; each costs one estimate
SHOWN = 10  # doubts in the report


@dataclass(frozen=True)
class Doubt:
    """One label, and the estimate if it had the opposite value."""

    row: Labelled
    value: float
    change: float


def candidates(rows: list[Labelled], most: int = CANDIDATES) -> list[Labelled]:
    """The labels that can change the estimate most: unlikely draws, missed positives far down, false positives.

    They are taken from the three lists in turn, until there are `most`.
    """
    told = [row for row in rows if row.label is not None]
    false = [row for row in told if row.predicted and row.label == 0]
    missed = sorted((row for row in told if not row.predicted and row.label == 1), key=lambda row: -row.rank)
    unlikely = sorted(told, key=lambda row: (1.0 if row.probability is None else row.probability, -row.rank))
    in_turn = (row for row in chain.from_iterable(zip_longest(unlikely, missed, false)) if row is not None)
    return list(dict.fromkeys(in_turn))[:most]


def doubts(estimator: Estimator, history: History, tried: list[Labelled], now: Estimate) -> Iterator[Doubt]:
    """The estimate with the opposite value of each label. Draws and probabilities stay, as after `correct`."""
    for row in tried:
        assert row.label is not None
        other = estimator.estimate(history.labelling(row.position, 1 - row.label))
        yield Doubt(row, other.value, other.value - now.value)


def largest(found: list[Doubt], shown: int = SHOWN) -> list[Doubt]:
    """The largest changes, without those that are 0 or that make the estimate undefined."""
    real = [doubt for doubt in found if abs(doubt.change) > 1e-9]  # also leaves out NaN
    return sorted(real, key=lambda doubt: (-abs(doubt.change), doubt.row.rank))[:shown]
