"""What both kinds of figures need: marks for labelled items, and the points that have an interval."""

from dataclasses import dataclass

import numpy as np

from lowshot.charts.style import BLUE, GREEN, ORANGE
from lowshot.core.types import Floats
from lowshot.report.facts import Facts
from lowshot.report.labelled import Labelled


@dataclass(frozen=True, eq=False)
class Kind:
    """Labelled items that look the same: a colour a label, filled if predicted."""

    name: str
    colour: str
    filled: bool
    rows: list[Labelled]
    height: Floats  # near 1 or 0, strewn a little so that points do not hide each other

    @property
    def symbol(self) -> str:
        return "circle" if self.filled else "circle-open"


def kinds(facts: Facts) -> list[Kind]:
    """Positive and negative, predicted and not; without those that have no item."""
    found = []
    for label, word, colour in ((1, "positive", GREEN), (0, "negative", BLUE), (None, "cannot tell", ORANGE)):
        for filled in (True, False):
            rows = [row for row in facts.table if row.label == label and row.predicted is filled]
            name = f"{word}, {'predicted' if filled else 'not predicted'}"
            if rows:
                found.append(Kind(name, colour, filled, rows, _heights(rows, 0.5 if label is None else label)))
    return found


def _heights(rows: list[Labelled], middle: float) -> Floats:
    """The golden ratio spreads points evenly, and the same way every time."""
    places = np.array([row.rank for row in rows]) * 0.618034 % 1
    found: Floats = middle + (places - 0.5) * 0.2
    return found


def with_interval(facts: Facts) -> tuple[list[int], list[float], list[float]]:
    """Labels, low and high of the points that have an interval."""
    pairs = [(point.labels, found) for point in facts.path if (found := point.estimate.interval) is not None]
    return [labels for labels, _ in pairs], [found.low for _, found in pairs], [found.high for _, found in pairs]
