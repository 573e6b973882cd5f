"""The table of labelled items, and the labels that would change the estimate most if they were wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, zip_longest

import numpy as np

from lowshot.charts.along_ranking import rounds_of
from lowshot.charts.estimate_path import Compute
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.history import History
from lowshot.pools.base import View
from lowshot.report.models import Answers


@dataclass(frozen=True)
class Labelled:
    """One labelled item. For a label that was known beforehand `round` is 0 and `probability` is None."""

    item: Id
    position: int
    rank: int
    predicted: bool  # positive, by the model that is judged; if the goal is about several, by one of them
    predicted_by: tuple[str, ...]  # the models that the goal is about and that predict it positive
    label: int | None
    round: int
    probability: float | None  # of the draw that first chose it
    calibration: float | None  # c(s), its expected label, when it was drawn
    weight: float | None  # in the last round
    item_weight: float  # of the item in the pool, in units of an average item


def table(evaluation: Evaluation, history: History, ranking: View, views: Mapping[str, View]) -> list[Labelled]:
    """Every labelled item, in the order of the ranking.

    views  of the models that the goal is about, by name
    """
    rounds, drawn, weight = rounds_of(history), first_draws(history), weights(evaluation)
    rows = []
    positions = history.labelled[np.argsort(ranking.rank(history.labelled))]
    ranks, items = ranking.rank(positions).tolist(), positions.tolist()
    own = (ranking.p(positions) * ranking.total).tolist()
    flags = np.stack([view.predicted(positions) == 1 for view in views.values()], axis=1).tolist()
    names = evaluation.pool.names(items)
    for position, name, rank, predicted, item_weight in zip(items, names, ranks, flags, own, strict=True):
        probability, calibration = drawn.get(position, (None, None))
        rows.append(
            Labelled(
                item=name,
                position=position,
                rank=rank,
                predicted=any(predicted),
                predicted_by=tuple(compress(views, predicted)),
                label=history.labels[position],
                round=rounds.get(position, 0),
                probability=probability,
                calibration=calibration,
                weight=weight.get(name),
                item_weight=item_weight,
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


EXAMPLES = 8  # missed positives and false alarms in the report, each


@dataclass(frozen=True)
class Mistake:
    """A labelled item that models predict wrongly, and these models."""

    row: Labelled
    models: tuple[str, ...]


def false_alarms(rows: list[Labelled]) -> list[Mistake]:
    """Items that are predicted positive and are not, the best rank first: the model was most sure of these."""
    return [Mistake(row, row.predicted_by) for row in rows if row.label == 0 and row.predicted_by]


def misses(rows: list[Labelled], models: Sequence[str]) -> list[Mistake]:
    """Positives that are not predicted, the last rank first: the model was most sure that these are none.

    models  those that the goal is about
    """
    found = [(row, tuple(name for name in models if name not in row.predicted_by)) for row in reversed(rows)]
    return [Mistake(row, missing) for row, missing in found if row.label == 1 and missing]


@dataclass(frozen=True)
class Doubt:
    """One label, and the estimate if it had the opposite value."""

    row: Labelled
    value: float
    change: float
    of: str  # of several numbers, the one that changes most: see `Answers.numbers`


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


def doubts(compute: Compute[Answers], history: History, tried: list[Labelled], now: Answers) -> Iterator[Doubt]:
    """The estimate with the opposite value of each label. Draws and probabilities stay, as after `correct`."""
    before = {name: found.value for name, found in now.numbers.items()}
    for row in tried:
        assert row.label is not None
        other = compute(history.labelling(row.position, 1 - row.label)).numbers
        change = {name: found.value - before[name] for name, found in other.items()}
        most = max(change, key=lambda name: np.nan_to_num(abs(change[name]), nan=-1.0))
        yield Doubt(row, other[most].value, change[most], most)


def largest(found: list[Doubt], shown: int = SHOWN) -> list[Doubt]:
    """The largest changes, without those that are 0 or that make the estimate undefined."""
    real = [doubt for doubt in found if abs(doubt.change) > 1e-9]  # also leaves out NaN
    return sorted(real, key=lambda doubt: (-abs(doubt.change), doubt.row.rank))[:shown]
