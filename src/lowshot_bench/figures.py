"""Figures from rows only. One function a drawing; each gets the cells of an experiment and returns a figure."""

from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot_bench.choice import candidates, choose, halves
from lowshot_bench.experiment import Experiment
from lowshot_bench.panels import curve, dress, panels, values
from lowshot_bench.summary import Cells, line
from lowshot_bench.widths import widths


def draw(experiment: Experiment, cells: Cells) -> Figure:
    """The figure of an experiment."""
    drawings: dict[str, Callable[[Cells], Figure]] = {
        "error": errors,
        "variance": variances,
        "finite": finite,
        "transfer": transfers,
        "thresholds": transfers,
        "choice": choices,
        "cost": costs,
        "width": widths,
    }
    figure = drawings[experiment.drawing](cells)
    figure.suptitle(experiment.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def save(experiment: Experiment, cells: Cells, folder: Path) -> list[Path]:
    """The figure of an experiment, and one of its intervals where error is drawn."""
    drawn = {experiment.name: draw(experiment, cells)}
    if experiment.drawing == "error" and any(cell.coverage is not None for cell in cells.values()):
        drawn[f"{experiment.name}-intervals"] = coverages(cells)
    paths = {folder / f"{name}.png": figure for name, figure in drawn.items()}
    for path, figure in paths.items():
        figure.savefig(path, dpi=90, bbox_inches="tight")
    return list(paths)


def errors(cells: Cells) -> Figure:
    """Mean squared error (top) and mean estimate (bottom) against labels, a column a family."""
    methods = values(cells, 1)

    def above(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            curve(axis, line(cells, family, method), number, method, lambda c: c.square, lambda c: c.square_error)
        dress(axis, family, "mean squared error", log=True)

    def below(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            curve(axis, line(cells, family, method), number, method, lambda c: c.mean)
        truth = next(cell.truth for key, cell in cells.items() if key[0] == family)
        axis.axhline(truth, color="black", linestyle="--", linewidth=1, label="truth")
        dress(axis, "", "mean estimate of F1")
        axis.set_ylim(0, 1)

    return panels(values(cells, 0), above, below)


def choices(cells: Cells) -> Figure:
    """The default and the chosen settings, and what they are compared with, on the classes that did not choose."""
    odd, best = halves(cells)[1], choose(cells)
    shown = [method for method in values(cells, 1) if method not in candidates(cells)] + [best]
    return errors({key: odd[key] for method in shown for key in odd if key[1] == method})


def coverages(cells: Cells) -> Figure:
    """How often the 95 % interval holds the truth (top) and how wide it is (bottom), a column a family."""
    methods = [m for m in values(cells, 1) if any(c.coverage is not None for k, c in cells.items() if k[1] == m)]

    def above(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            curve(axis, line(cells, family, method), number, method, lambda c: c.coverage, lambda c: c.coverage_error)
        axis.axhline(0.95, color="black", linestyle="--", linewidth=1, label="nominal")
        dress(axis, family, "truth in interval")
        axis.set_ylim(0, 1.02)

    def below(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            curve(axis, line(cells, family, method), number, method, lambda c: c.width)
        dress(axis, "", "width of the interval")
        axis.set_ylim(0, 1.02)

    return panels(values(cells, 0), above, below)


def variances(cells: Cells) -> Figure:
    """The mean estimated variance of each combination, and the empirical variance over repetitions."""
    methods = values(cells, 1)

    def panel(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            curve(axis, line(cells, family, method), number, f"estimated: {method}", lambda c: c.variance)
        curve(axis, line(cells, family, methods[0]), 8, "empirical", lambda c: c.empirical)
        dress(axis, family, "variance", log=True)

    return panels(values(cells, 0), panel)


def costs(cells: Cells) -> Figure:
    """Seconds from the start of a run to an estimate with so many labels."""

    def panel(axis: Axes, family: str) -> None:
        for number, method in enumerate(values(cells, 1)):
            curve(axis, line(cells, family, method), number, method, lambda c: c.seconds)
        dress(axis, family, "seconds", log=True)

    return panels(values(cells, 0), panel)


def finite(cells: Cells) -> Figure:
    """Estimated and empirical variance of fully labelled subsets against their size."""

    def panel(axis: Axes, family: str) -> None:
        found = line(cells, family, "subset")
        curve(axis, found, 0, "estimated (Eq. 6)", lambda c: c.variance)
        curve(axis, found, 8, "empirical", lambda c: c.empirical)
        dress(axis, family, "variance of F1", log=True, labels="items, all labelled")

    return panels(values(cells, 0), panel)


def transfers(cells: Cells) -> Figure:
    """Error for each target from the sets drawn for the others, a panel a family that the sets were drawn for."""
    targets = values(cells, 2)

    def panel(axis: Axes, family: str) -> None:
        for number, target in enumerate(targets):
            found = line(cells, family, "acis", target)
            curve(axis, found, number, target, lambda c: c.square, lambda c: c.square_error)
        dress(axis, f"drawn for {family}", "mean squared error", log=True)

    return panels(values(cells, 0), panel)
