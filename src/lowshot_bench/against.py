"""One method against the others: its error over ACIS's and over the best one's, and how often its interval holds."""

from statistics import fmean

from lowshot_bench.check import families
from lowshot_bench.report import row
from lowshot_bench.summary import Cell, Cells, paired, ratio

BUDGETS = (20, 30, 70, 150, 310, 600)
BASELINE = "acis"


def against_table(cells: Cells, method: str, target: str = "own") -> str:
    """A row a family; the last one has the means over families of the first number."""
    head = ["family (tasks)", *(f"{budget} labels" for budget in BUDGETS)]
    lines = [row(head), row(["---"] * len(head))]
    means: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for family in [family for family in families(cells) if (family, method, target, BUDGETS[0]) in cells]:
        shown = []
        for budget in BUDGETS:
            mine = cells[family, method, target, budget]
            baseline = cells[family, BASELINE, target, budget]
            if baseline.square:
                means[budget].append(mine.square / baseline.square)
            shown.append(f"{_over(mine, baseline)}; {_to_best(cells, mine)}; {_held(mine)}")
        lines.append(row([f"{family} ({cells[family, method, target, BUDGETS[0]].tasks})", *shown]))
    average = [f"{fmean(means[budget]):.2f}" if means[budget] else "-" for budget in BUDGETS]
    return "\n".join([*lines, row(["mean over families", *average])])


def _to_best(cells: Cells, mine: Cell) -> str:
    """The ratio to the best of the others, by name."""
    key = (mine.family, mine.target, mine.labels)
    others = [c for (f, m, t, n), c in cells.items() if (f, t, n) == key and m != mine.method]
    best = min(others, key=lambda cell: cell.square)
    return f"{_over(mine, best)} {best.method}"


def _over(mine: Cell, other: Cell) -> str:
    """The ratio of two mean squared errors with its standard error over tasks."""
    if other.square == 0:
        return f"{mine.square:.1g} to 0"
    value, error = ratio(*paired(mine, other))
    return f"{value:.2f} ± {error:.2f}"


def _held(mine: Cell) -> str:
    return "-" if mine.coverage is None else f"{mine.coverage:.0%}"
