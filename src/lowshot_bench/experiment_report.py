"""Tables about all methods of an experiment, as Markdown: `lowshot bench report` without an option for one method."""

from collections.abc import Callable, Iterable

from lowshot_bench.experiment import Experiment
from lowshot_bench.settings_choice import choice_table
from lowshot_bench.summary import Cell, Cells, families

Show = Callable[[Cell], str]


def section(experiment: Experiment, cells: Cells, command: str) -> str:
    """All tables of one experiment.

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
    for family in families(cells):
        mine = [cell for key, cell in cells.items() if key[0] == family]
        lines += [f"### {family}, {mine[0].tasks} tasks, mean F1 {_truth(mine):.3f}", ""]
        for title, show in quantities(mine):
            lines += [*_table(title, mine, show), ""]
    return "\n".join(lines)


def coverage_table(results: Iterable[Cells], budgets: tuple[int, ...] = (10, 30, 70, 150, 310, 600)) -> str:
    """Per family and sampler: coverage of the 95 % interval, its mean width, and the bias."""
    lines = table_head(["family", "sampler", *(f"{b} labels" for b in budgets)])
    for cells in results:
        for family, method in dict.fromkeys(key[:2] for key in cells):
            found = [cells.get((family, method, "own", budget)) for budget in budgets]
            lines.append(table_row([family, method, *("-" if cell is None else _coverage(cell) for cell in found)]))
    return "\n".join(lines)


def _coverage(cell: Cell) -> str:
    """Coverage, width and bias, with a dash for what the sampler does not have."""
    coverage = "-" if cell.coverage is None else f"{cell.coverage:.0%}"
    return f"{coverage} / {_number(cell.width, 2)} / {cell.bias:+.2f}"


def quantities(cells: list[Cell]) -> list[tuple[str, Show]]:
    """The tables that can be made from these cells: a title, and the text of one cell."""
    found: list[tuple[str, Show]] = [
        ("mean squared error ± standard error", lambda c: f"{c.square:.5f} ± {c.square_error:.5f}"),
        ("bias ± standard error", lambda c: f"{c.bias:+.3f} ± {c.bias_error:.3f}"),
    ]
    if any(cell.undefined for cell in cells):
        found.append(("share of runs without an answer (counted as 0)", lambda c: f"{c.undefined:.1%}"))
    if any(cell.coverage is not None for cell in cells):
        found.append(("truth in the 95 % interval ± standard error", lambda c: _share(c.coverage, c.coverage_error)))
        found.append(("mean width of the interval", lambda c: _number(c.width, 3)))
    if any(cell.empirical is not None for cell in cells):
        found.append(
            ("estimated / empirical variance", lambda c: f"{_number(c.variance, 5)} / {_number(c.empirical, 5)}")
        )
    found.append(("seconds to this estimate", lambda c: f"{c.seconds:.2g}"))
    return found


def _table(title: str, cells: list[Cell], show: Show) -> list[str]:
    """One row per method and target, one column per number of labels."""
    budgets = sorted({cell.labels for cell in cells})
    targets = dict.fromkeys(cell.target for cell in cells)
    lines = table_head([title, *(f"{budget:,}" for budget in budgets)])
    for method in dict.fromkeys(cell.method for cell in cells):
        for target in targets:
            found = {c.labels: show(c) for c in cells if (c.method, c.target) == (method, target)}
            name = method if len(targets) == 1 else f"{method}, for {target}"
            lines.append(table_row([name, *(found.get(budget, "-") for budget in budgets)]))
    return lines


def _truth(cells: list[Cell]) -> float:
    return next(cell.truth for cell in cells if cell.target == "own")


def table_head(names: list[str]) -> list[str]:
    """The first two lines of a Markdown table.

    >>> table_head(["family", "10 labels"])
    ['| family | 10 labels |', '| --- | --- |']
    """
    return [table_row(names), table_row(["---"] * len(names))]


def table_row(values: Iterable[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(values)} |"


def _share(value: float | None, error: float | None) -> str:
    return "-" if value is None else f"{value:.0%} ± {error or 0:.0%}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
