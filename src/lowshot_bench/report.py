"""Rows into tables that people read: Markdown, one section an experiment, one table a family and question."""

from collections.abc import Callable, Iterable

from lowshot_bench.choice import choice_table
from lowshot_bench.experiment import Experiment
from lowshot_bench.summary import Cell, Cells

Show = Callable[[Cell], str]


def section(experiment: Experiment, cells: Cells, command: str) -> str:
    """Everything that the rows of one experiment say.

    >>> from lowshot_bench.experiment import find
    >>> cell = Cell("easy", "acis", "own", 10, 2, 0.04, 0.01, 0.5, 0.1, 0.05, 0.4, 0, 0.01, None, 0.9, 0.1, 0.4, 0.1)
    >>> print(section(find("hard"), {("easy", "acis", "own", 10): cell}, "lowshot bench run hard"))
    ## Very easy, under-confident and strewn pools (beyond the paper)
    <BLANKLINE>
    `lowshot bench run hard`, seed 2
    <BLANKLINE>
    ### easy, 2 tasks, mean F1 0.400
    ...
    """
    lines = [f"## {experiment.title} ({experiment.paper})", "", f"`{command}`, seed {experiment.seed}", ""]
    if experiment.drawing == "choice":
        return "\n".join([*lines, *choice_table(cells), ""])
    for family in dict.fromkeys(key[0] for key in cells):
        mine = [cell for key, cell in cells.items() if key[0] == family]
        lines += [f"### {family}, {mine[0].tasks} tasks, mean F1 {_truth(mine):.3f}", ""]
        for title, show in questions(mine):
            lines += [*_table(title, mine, show), ""]
    return "\n".join(lines)


def coverage_table(results: Iterable[Cells], budgets: tuple[int, ...] = (10, 30, 70, 150, 310, 600)) -> str:
    """How often the 95 % interval holds the truth, its mean width and the bias, of every sampler on every family."""
    lines = [row(["family", "sampler", *(f"{b} labels" for b in budgets)]), row(["---"] * (len(budgets) + 2))]
    for cells in results:
        for family, method in dict.fromkeys(key[:2] for key in cells):
            found = [cells.get((family, method, "own", budget)) for budget in budgets]
            lines.append(row([family, method, *("-" if cell is None else _covered(cell) for cell in found)]))
    return "\n".join(lines)


def _covered(cell: Cell) -> str:
    """Coverage, width, bias; a dash for what the sampler does not have."""
    coverage = "-" if cell.coverage is None else f"{cell.coverage:.0%}"
    return f"{coverage} / {_number(cell.width, 2)} / {cell.bias:+.2f}"


def questions(cells: list[Cell]) -> list[tuple[str, Show]]:
    """What can be asked of these cells."""
    asked: list[tuple[str, Show]] = [
        ("mean squared error ± standard error", lambda c: f"{c.square:.5f} ± {c.square_error:.5f}"),
        ("bias ± standard error", lambda c: f"{c.bias:+.3f} ± {c.bias_error:.3f}"),
    ]
    if any(cell.undefined for cell in cells):
        asked.append(("share of runs without an answer (counted as 0)", lambda c: f"{c.undefined:.1%}"))
    if any(cell.coverage is not None for cell in cells):
        asked.append(("truth in the 95 % interval ± standard error", lambda c: _share(c.coverage, c.coverage_error)))
        asked.append(("mean width of the interval", lambda c: _number(c.width, 3)))
    if any(cell.empirical is not None for cell in cells):
        asked.append(
            ("estimated / empirical variance", lambda c: f"{_number(c.variance, 5)} / {_number(c.empirical, 5)}")
        )
    asked.append(("seconds to this estimate", lambda c: f"{c.seconds:.2g}"))
    return asked


def _table(title: str, cells: list[Cell], show: Show) -> list[str]:
    budgets = sorted({cell.labels for cell in cells})
    targets = dict.fromkeys(cell.target for cell in cells)
    lines = [row([title, *(f"{budget:,}" for budget in budgets)]), row(["---"] * (len(budgets) + 1))]
    for method in dict.fromkeys(cell.method for cell in cells):
        for target in targets:
            found = {c.labels: show(c) for c in cells if (c.method, c.target) == (method, target)}
            name = method if len(targets) == 1 else f"{method}, for {target}"
            lines.append(row([name, *(found.get(budget, "-") for budget in budgets)]))
    return lines


def _truth(cells: list[Cell]) -> float:
    return next(cell.truth for cell in cells if cell.target == "own")


def row(values: Iterable[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(values)} |"


def _share(value: float | None, error: float | None) -> str:
    return "-" if value is None else f"{value:.0%} ± {error or 0:.0%}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
