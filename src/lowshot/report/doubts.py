"""The answers that move the result most: each label turned around, one at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from lowshot.history import History
from lowshot.report.labelled import Labelled
from lowshot.report.path import Estimator
from lowshot.result import Estimate

CANDIDATES = 60  # labels that are tried
SHOWN = 10


@dataclass(frozen=True)
class Doubt:
    """One label, and what the estimate would be if it were the other one."""

    row: Labelled
    value: float
    change: float


def candidates(rows: list[Labelled], most: int = CANDIDATES) -> list[Labelled]:
    """Labels that can matter: false positives, missed positives far down, unlikely draws; in turn, until there are
    enough.
    """
    told = [row for row in rows if row.label is not None]
    false = [row for row in told if row.predicted and row.label == 0]
    missed = sorted((row for row in told if not row.predicted and row.label == 1), key=lambda row: -row.rank)
    unlikely = sorted(told, key=lambda row: (1.0 if row.probability is None else row.probability, -row.rank))
    in_turn = (row for row in chain.from_iterable(zip_longest(unlikely, missed, false)) if row is not None)
    return list(dict.fromkeys(in_turn))[:most]


def doubts(estimator: Estimator, history: History, tried: list[Labelled], now: Estimate) -> Iterator[Doubt]:
    """Each candidate the other way round; as `correct` would do it: draws and their probabilities stay."""
    for row in tried:
        assert row.label is not None
        other = estimator.estimate(history.labelling(row.position, 1 - row.label))
        yield Doubt(row, other.value, other.value - now.value)


def largest(found: list[Doubt], shown: int = SHOWN) -> list[Doubt]:
    """The largest changes; a change of nothing, or into nothing defined, is none."""
    real = [doubt for doubt in found if abs(doubt.change) > 1e-9]  # NaN is not
    return sorted(real, key=lambda doubt: (-abs(doubt.change), doubt.row.rank))[:shown]
