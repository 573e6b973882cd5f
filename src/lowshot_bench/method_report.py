"""Tables about one method, as Markdown: `lowshot bench report --compare`, `--held`, `--stopping` and `--floor`.

The tables of `--trust` and `--zoo` are in `zoo_report`.
`TABLES` maps the name of each option to a function from the finished experiments of a folder to tables.
"""

import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lowshot.errors import InputError
from lowshot_bench.experiment import Experiment, Finished
from lowshot_bench.experiment_report import table_head, table_row
from lowshot_bench.rows import FLOOR, methods_in, read
from lowshot_bench.summary import (
    BASELINES,
    Cell,
    Cells,
    families,
    methods,
    paired,
    ratio,
    share_error,
    summarise,
    targets,
)
from lowshot_bench.zoo_report import trust, zoo

COMPARED = (20, 30, 70, 150, 310, 600)  # numbers of labels in the table of --compare
MANY = 20  # an experiment with more numbers of labels than this was made for --stopping
NORMAL_WIDTH = 3.92  # width of a normal 95 % interval in standard deviations: 2 * 1.96
HALF_WIDTHS = (0.15, 0.1, 0.05)  # at which people stop in the table of --stopping
WIDTH_AT = (70, 150, 300)  # numbers of labels at which that table shows the mean width


def method_tables(option: str, found: Finished, method: str) -> str:
    """The tables of one option for one method."""
    tables = TABLES[option](found, method)
    if not tables:
        there = ", ".join(methods_in(read([path for _, path in found])))
        raise InputError(
            f"--{option} must name a method that was run for this table: the folder has no such rows of {method!r},"
            f" and it has rows of {there}; docs/bench.md names the experiments that the table needs"
        )
    return "\n\n".join(tables)


def compare(found: Finished, method: str) -> list[str]:
    """The error relative to ACIS and to the best other method, from the experiments that have several methods."""
    # Those of pools have report --zoo, those of several models report --models.
    several = [(e, path) for e, path in found if method in _methods(e) and not (e.of_pools or e.by_group)]
    read_all = [(e, _cells(path)) for e, path in several]
    chosen = [(e, cells) for e, cells in read_all if {*BASELINES} & {*methods(cells)} - {method}]
    return [table for e, cells in chosen for table in _compare_targets(e, cells, method)]


def held(found: Finished, method: str) -> list[str]:
    """Coverage of the intervals, from the experiments that have this method only, with many repetitions."""
    return [coverage_by_family(_cells(path), method) for e, path in found if _methods(e) == [method]]


def stopping(found: Finished, method: str) -> list[str]:
    """Coverage when people stop at the first narrow interval, from experiments with many numbers of labels."""
    chosen = [path for e, path in found if method in _methods(e) and len(e.budgets) > MANY]
    return [stopping_table(read([path]), method) for path in chosen]


def floor(found: Finished, method: str) -> list[str]:
    """The error beside the floor of the error."""
    alone = [path for e, path in found if _methods(e) == [method]]
    known = [path for e, path in found if e.kind == "floor"]
    return [floor_table(_cells(alone[0]), _cells(known[0]), method)] if alone and known else []


TABLES: dict[str, Callable[[Finished, str], list[str]]] = {
    "compare": compare,
    "held": held,
    "stopping": stopping,
    "floor": floor,
    "trust": trust,
    "zoo": zoo,
}


def _methods(experiment: Experiment) -> list[str]:
    return [method.name for method in experiment.methods]


def _cells(path: Path) -> Cells:
    return summarise(read([path]))


# ---- --compare -------------------------------------------------------------------------------------------------------


def _compare_targets(experiment: Experiment, cells: Cells, method: str) -> list[str]:
    """One table per model whose predictions were evaluated, with a title unless it is F1 of the own predictions."""
    found = []
    for target in targets(cells):
        whose = "" if target == "own" else f" of {target}, from labels that were chosen for another model"
        title = "" if experiment.metric == "f1" and not whose else f"For {experiment.metric}{whose}:\n\n"
        found.append(f"{title}{compare_table(cells, method, target)}")
    return found


def compare_table(cells: Cells, method: str, target: str = "own") -> str:
    """One row per family; each entry has the error / ACIS's error, the error / the best other error, and the coverage.

    ACIS is the better one of BASELINES, which is named. The last row has the means over families of the first number.
    """
    lines = table_head(["family (tasks)", *(f"{budget} labels" for budget in COMPARED)])
    ratios: dict[int, list[float]] = {budget: [] for budget in COMPARED}
    for family in [family for family in families(cells) if (family, method, target, COMPARED[0]) in cells]:
        entries = []
        for budget in COMPARED:
            mine = cells[family, method, target, budget]
            baseline = _best(cells, mine, BASELINES)
            if baseline.square:
                ratios[budget].append(mine.square / baseline.square)
            best = _best(cells, mine)
            entries.append("; ".join([_against(mine, baseline), _against(mine, best), _coverage(mine)]))
        lines.append(table_row([f"{family} ({cells[family, method, target, COMPARED[0]].tasks})", *entries]))
    average = [f"{fmean(ratios[budget]):.2f}" if ratios[budget] else "-" for budget in COMPARED]
    return "\n".join([*lines, table_row(["mean over families", *average])])


def _best(cells: Cells, mine: Cell, among: tuple[str, ...] = ()) -> Cell:
    """The cell of the best other method: of these methods, or of all."""
    key = (mine.family, mine.target, mine.labels)
    others = [c for (f, m, t, n), c in cells.items() if (f, t, n) == key and m != mine.method]
    return min((c for c in others if not among or c.method in among), key=lambda cell: cell.square)


def _against(mine: Cell, other: Cell) -> str:
    """The ratio to the error of another method, and the name of that method."""
    return f"{_error_ratio(mine, other)} {other.method}"


def _error_ratio(mine: Cell, other: Cell) -> str:
    """The ratio of two mean squared errors with its standard error over tasks."""
    if other.square == 0:
        return f"{mine.square:.1g} to 0"
    value, error = ratio(*paired(mine, other))
    return f"{value:.2f} ± {error:.2f}"


def _coverage(mine: Cell) -> str:
    return "-" if mine.coverage is None else f"{mine.coverage:.0%}"


# ---- --held ----------------------------------------------------------------------------------------------------------


def coverage_by_family(cells: Cells, method: str) -> str:
    """One row per family; each entry has the coverage, the mean width, and the width / that of a normal interval."""
    budgets = sorted({key[3] for key in cells if key[1] == method})
    lines = table_head(["family (tasks)", *(f"{budget} labels" for budget in budgets)])
    for family in families(cells):
        mine = [cells[family, method, "own", budget] for budget in budgets]
        lines.append(table_row([f"{family} ({mine[0].tasks})", *map(_coverage_and_width, mine)]))
    return "\n".join(lines)


def _coverage_and_width(cell: Cell) -> str:
    """The normal interval has the standard deviation of the method's errors over all runs of the family.

    >>> cell = Cell("f", "m", "own", 10, 2, 0.0025, 0, 0.5, 0.0, 0, 0.4, 0, 0.01, None, 0.975, 0.012, 0.294, 0.1)
    >>> _coverage_and_width(cell)
    '97.5 % ± 1.2 %, 0.29 (1.5)'
    """
    coverage, error, width = cell.coverage or 0, cell.coverage_error or 0, cell.width or 0
    spread = math.sqrt(max(cell.square - cell.bias**2, 0))
    times = f"{width / (NORMAL_WIDTH * spread):.1f}" if spread > 0 else "-"
    return f"{100 * coverage:.1f} % ± {100 * error:.1f} %, {width:.2f} ({times})"


# ---- --floor ---------------------------------------------------------------------------------------------------------


def floor_table(cells: Cells, floor: Cells, method: str) -> str:
    """One row per family: the mean squared error of the method / the floor (`task_rows.floors`)."""
    budgets = sorted({key[3] for key in floor})
    lines = table_head(["family", *(f"{budget} labels" for budget in budgets)])
    for family in families(floor):
        pairs = [(cells[family, method, "own", b].square, floor[family, FLOOR, "own", b].variance) for b in budgets]
        lines.append(table_row([family, *(f"{mine:.5f} / {known:.5f}" for mine, known in pairs)]))
    return "\n".join(lines)


# ---- --stopping ------------------------------------------------------------------------------------------------------

Look = tuple[int, float, float, float]  # an interval that a person sees: labels, low, high; and the truth
Runs = dict[tuple[int, int], list[Look]]  # by class and repetition


def stopping_table(table: pa.Table, method: str) -> str:
    """One row per family: what people get who stop as soon as the interval is narrow enough; and mean widths."""
    head = [
        "family",
        *(f"stop at ± {wanted:g}" for wanted in HALF_WIDTHS),
        f"mean width at {', '.join(map(str, WIDTH_AT))}",
    ]
    lines = table_head(head)
    for family, runs in _runs(table, method).items():
        lines.append(table_row([family, *(_stopped(runs, wanted) for wanted in HALF_WIDTHS), _widths(runs)]))
    return "\n".join(lines)


def _runs(table: pa.Table, method: str) -> dict[str, Runs]:
    """The intervals of every run, by family."""
    mine = table.filter(pc.and_(pc.equal(table["method"], method), pc.equal(table["target"], "own")))
    found: dict[str, Runs] = defaultdict(lambda: defaultdict(list))
    for row in mine.to_pylist():
        look = (row["labels"], row["low"], row["high"], row["truth"])
        found[row["family"]][row["category"], row["repetition"]].append(look)
    return found


def _widths(runs: Runs) -> str:
    """The mean width at each number of labels in WIDTH_AT."""
    looks = [look for each in runs.values() for look in each]
    widths = [[high - low for labels, low, high, _ in looks if labels == wanted] for wanted in WIDTH_AT]
    return ", ".join(f"{np.mean(found):.2f}" if found else "-" for found in widths)


def _stopped(runs: Runs, wanted: float) -> str:
    """Coverage at the first narrow interval ± standard error over tasks, mean labels, share of runs that stopped."""
    inside: dict[int, list[bool]] = defaultdict(list)
    labels = []
    for (category, _), looks in runs.items():
        narrow = [look for look in sorted(looks) if (look[2] - look[1]) / 2 <= wanted + 1e-9]  # 1e-9: rounded rows
        if narrow:
            count, low, high, truth = narrow[0]
            inside[category].append(low <= truth <= high)
            labels.append(count)
    if not labels:
        return "never"
    share = np.array([np.mean(values) for values in inside.values()])
    error = share.std(ddof=1) / math.sqrt(len(share)) if len(share) > 1 else math.nan
    stopped = "" if len(labels) == len(runs) else f", {len(labels) / len(runs):.0%} of runs"
    spread = "" if math.isnan(error) else f" ± {share_error(share.mean(), error, len(labels)):.0%}"
    return f"{share.mean():.0%}{spread} at {np.mean(labels):.0f} labels{stopped}"
