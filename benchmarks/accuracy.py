"""The error of every sampler on the six categories of the demo's data: `make bench-accuracy`.

Each category is thinned to one positive in 1,000 items. Squared errors are averaged over runs with the seeds 0, 1, ...,
then over the six categories; the standard error is over categories. A run without an estimate counts as F1 = 0, and the
share of such runs is printed. ACIS is there as printed and with its deviation, and the last line says what that costs.
The data is part of the package, so this runs anywhere; `lowshot bench` compares samplers on many classes and models.
"""

import platform
import warnings
from dataclasses import dataclass
from datetime import date

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import lowshot
from lowshot.api import run
from lowshot.demo.data import CATEGORIES, Task, load
from lowshot.sampler import Acis
from lowshot_bench.summary import ratio

BUDGETS = (30, 70, 150, 310, 600)  # labels: the ends of ACIS's rounds, and 600
RUNS = 40  # seeds per category
STRATUM = 'acis, reuse="stratum"'


@dataclass(frozen=True)
class Cell:
    """One sampler on one category: one value per number of labels in BUDGETS."""

    square: np.ndarray  # mean squared error
    inside: np.ndarray  # share of intervals that contain the truth; NaN if the sampler has no intervals
    undefined: np.ndarray  # share of runs without an estimate


def one_run(task: Task, name: str, seed: int) -> np.ndarray:
    """Three rows, as in `Cell`, of one run: squared error, truth in interval, undefined."""
    sampler = Acis(reuse="stratum") if name == STRATUM else name
    evaluation = lowshot.Evaluation(task.pool, sampler=sampler, seed=seed)
    rows = []
    for budget in BUDGETS:
        estimate = run(evaluation, task.answer, budget).estimate()
        error = (estimate.value if estimate.defined else 0.0) - task.truth()
        inside = np.nan if estimate.interval is None else task.truth() in estimate.interval
        rows.append((error**2, inside, not estimate.defined))
    return np.array(rows, dtype=float).T


def measure(task: Task, name: str) -> Cell:
    """Means over runs."""
    runs = RUNS if name == STRATUM or lowshot.samplers[name].random else 1
    return Cell(*np.mean([one_run(task, name, seed) for seed in range(runs)], axis=0))


def ratios(above: list[Cell], below: list[Cell]) -> str:
    """The squared errors of one method divided by another's; the standard error is over categories."""
    squares = [np.array([cell.square for cell in cells]).T for cells in (above, below)]
    found = [ratio(*pair) for pair in zip(*squares, strict=True)]
    return ", ".join(f"{value:.2f} ± {error:.2f}" for value, error in found)


def texts(cells: list[Cell]) -> list[str]:
    """The row of the table of one sampler, from its cells of all categories."""
    square = np.array([cell.square for cell in cells])
    inside = np.array([cell.inside for cell in cells]).mean(axis=0)
    root = np.sqrt(square.mean(axis=0))
    # Delta method: the standard error of a square root is that of the mean, divided by twice the root.
    error = square.std(axis=0, ddof=1) / np.sqrt(len(cells)) / (2 * root)
    undefined = np.array([cell.undefined for cell in cells]).mean(axis=0)
    return [
        f"{r:.3f} ± {e:.3f}" + ("" if np.isnan(i) else f", {i:.0%}") + (f" ({u:.0%} none)" if u else "")
        for r, e, i, u in zip(root, error, inside, undefined, strict=True)
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # herding warns that it has no features
    console = Console(width=130)
    tasks = [load(category) for category in CATEGORIES]
    table = Table("sampler", *(f"{budget} labels" for budget in BUDGETS))
    table.title = "root mean squared error of F1 ± standard error, share of 95 % intervals that contain the truth"
    found = {}
    for name in track([*lowshot.samplers, STRATUM], description="samplers", console=console, transient=True):
        found[name] = [measure(task, name) for task in tasks]
        table.add_row(name, *texts(found[name]))
    console.print(f"{date.today()}, lowshot {lowshot.__version__}, NumPy {np.__version__}, {platform.machine()}")
    console.print(f"categories {', '.join(map(str, CATEGORIES))} of the demo's data, seeds 0 to {RUNS - 1}", table)
    budgets = ", ".join(map(str, BUDGETS))
    console.print(f"squared error of acis / {STRATUM} at {budgets} labels: {ratios(found['acis'], found[STRATUM])}")
