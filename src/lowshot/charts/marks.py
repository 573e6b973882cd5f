"""Labelled items along the ranking, as groups of marks that look the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lowshot.charts.style import BLUE, GREEN, ORANGE
from lowshot.checks import Id
from lowshot.core.types import Floats


class LabelledItem(Protocol):
    """What a mark shows of an item."""

    @property
    def item(self) -> Id: ...
    @property
    def rank(self) -> int: ...
    @property
    def predicted(self) -> bool: ...
    @property
    def label(self) -> int | None: ...


@dataclass(frozen=True, eq=False)
class Marks:
    """Labelled items that look the same: one colour per label, filled if predicted."""

    name: str
    colour: str
    filled: bool
    rows: Sequence[LabelledItem]
    height: Floats  # near 1 or 0, spread a little so that points do not hide each other

    @property
    def symbol(self) -> str:
        return "circle" if self.filled else "circle-open"


def marks(rows: Sequence[LabelledItem]) -> list[Marks]:
    """Positive and negative, predicted and not; without those that have no item."""
    found = []
    for label, word, colour in ((1, "positive", GREEN), (0, "negative", BLUE), (None, "cannot tell", ORANGE)):
        for filled in (True, False):
            mine = [row for row in rows if row.label == label and row.predicted is filled]
            name = f"{word}, {'predicted' if filled else 'not predicted'}"
            if mine:
                found.append(Marks(name, colour, filled, mine, _heights(mine, 0.5 if label is None else label)))
    return found


def _heights(rows: Sequence[LabelledItem], middle: float) -> Floats:
    """The golden ratio spreads points evenly, and the same way every time."""
    places = np.array([row.rank for row in rows]) * 0.618034 % 1
    found: Floats = middle + (places - 0.5) * 0.2
    return found
