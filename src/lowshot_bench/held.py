"""How often the intervals of a method hold the truth, and how much wider they are than they would have to be."""

import math

from lowshot_bench.check import families
from lowshot_bench.report import row
from lowshot_bench.summary import Cell, Cells

NORMAL = 3.92  # standard deviations from end to end of a normal 95 % interval


def held_table(cells: Cells, method: str) -> str:
    """A row a family: coverage with its standard error over tasks, mean width, and that over a normal interval's."""
    budgets = sorted({key[3] for key in cells if key[1] == method})
    head = ["family (tasks)", *(f"{budget} labels" for budget in budgets)]
    lines = [row(head), row(["---"] * len(head))]
    for family in families(cells):
        mine = [cells[family, method, "own", budget] for budget in budgets]
        lines.append(row([f"{family} ({mine[0].tasks})", *map(_held, mine)]))
    return "\n".join(lines)


def _held(cell: Cell) -> str:
    """A normal interval has the method's true standard deviation over all runs of a family.

    >>> _held(Cell("f", "m", "own", 10, 2, 0.0025, 0, 0.5, 0.0, 0, 0.4, 0, 0.01, None, 0.975, 0.012, 0.294, 0.1))
    '97.5 % ± 1.2 %, 0.29 (1.5)'
    """
    coverage, error, width = cell.coverage or 0, cell.coverage_error or 0, cell.width or 0
    spread = math.sqrt(max(cell.square - cell.bias**2, 0))
    times = f"{width / (NORMAL * spread):.1f}" if spread > 0 else "-"
    return f"{100 * coverage:.1f} % ± {100 * error:.1f} %, {width:.2f} ({times})"
