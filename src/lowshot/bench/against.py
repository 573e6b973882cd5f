"""One method against the others: its error over ACIS's and over the best one's, coverage and width of its interval."""

import math

import numpy as np

from lowshot.bench.check import families
from lowshot.bench.report import row
from lowshot.bench.summary import Cell, Cells, paired, ratio

BUDGETS = (20, 30, 70, 150, 310, 600)
BASELINE = "acis"


def against_table(cells: Cells, method: str) -> str:
    """A row a family; the last one has the means over families of the first number."""
    head = ["family (tasks)", *(f"{budget} labels" for budget in BUDGETS)]
    lines = [row(head), row(["---"] * len(head))]
    means: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for family in families(cells):
        shown = []
        for budget in BUDGETS:
            mine = cells[family, method, "own", budget]
            value, error = ratio(*paired(mine, cells[family, BASELINE, "own", budget]))
            means[budget].append(value)
            shown.append(f"{value:.2f} ± {error:.2f}; {_to_best(cells, mine)}; {_interval(mine)}")
        lines.append(row([f"{family} ({cells[family, method, 'own', BUDGETS[0]].tasks})", *shown]))
    return "\n".join([*lines, row(["mean over families", *(f"{np.mean(means[budget]):.2f}" for budget in BUDGETS)])])


def _to_best(cells: Cells, mine: Cell) -> str:
    """The ratio to the best of the others, by name."""
    key = (mine.family, mine.target, mine.labels)
    others = [c for (f, m, t, n), c in cells.items() if (f, t, n) == key and m != mine.method]
    best = min(others, key=lambda cell: cell.square)
    if best.square == 0:
        return f"{best.method} has no error, mine is {mine.square:.1g}"
    value, error = ratio(*paired(mine, best))
    return f"{value:.2f} ± {error:.2f} {best.method}"


def _interval(mine: Cell) -> str:
    """Coverage and width; how wide a normal interval with the method's true spread would be."""
    spread = math.sqrt(max(mine.square - mine.bias**2, 0))
    return f"{mine.coverage or 0:.0%} ± {mine.coverage_error or 0:.0%}, {mine.width or 0:.2f} ({3.92 * spread:.2f})"
