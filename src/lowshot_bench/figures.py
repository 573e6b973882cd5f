"""The figures of experiments: one function per kind of drawing, from cells to a figure."""

from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot_bench.experiment import Experiment
from lowshot_bench.panels import curve, panels, style
from lowshot_bench.settings_choice import candidates, choose, halves
from lowshot_bench.summary import Cell, Cells, families, line, methods, targets

HALF_WIDTHS = (0.05, 0.1, 0.2)  # half-widths of intervals that are marked in the figure of widths


def draw(experiment: Experiment, cells: Cells) -> Figure:
    """The figure of an experiment, with its title."""
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
    """Save the figure of an experiment as PNG and, if it shows errors, one of the intervals. Returns the paths."""
    drawn = {experiment.name: draw(experiment, cells)}
    if experiment.drawing == "error" and any(cell.coverage is not None for cell in cells.values()):
        drawn[f"{experiment.name}-intervals"] = coverages(cells)
    paths = {folder / f"{name}.png": figure for name, figure in drawn.items()}
    for path, figure in paths.items():
        figure.savefig(path, dpi=90, bbox_inches="tight")
    return list(paths)


def errors(cells: Cells) -> Figure:
    """Mean squared error (top) and mean estimate (bottom) against labels, one column per family."""
    shown = methods(cells)

    def above(axis: Axes, family: str) -> None:
        for number, method in enumerate(shown):
            curve(axis, line(cells, family, method), number, method, lambda c: c.square, lambda c: c.square_error)
        style(axis, family, "mean squared error", log=True)

    def below(axis: Axes, family: str) -> None:
        for number, method in enumerate(shown):
            curve(axis, line(cells, family, method), number, method, lambda c: c.mean)
        truth = next(cell.truth for key, cell in cells.items() if key[0] == family)
        axis.axhline(truth, color="black", linestyle="--", linewidth=1, label="truth")
        style(axis, "", "mean estimate of F1")
        axis.set_ylim(0, 1)

    return panels(families(cells), above, below)


def choices(cells: Cells) -> Figure:
    """Errors on odd classes of the default settings, the chosen settings and the other methods."""
    odd, best = halves(cells)[1], choose(cells)
    shown = [method for method in methods(cells) if method not in candidates(cells)] + [best]
    return errors({key: odd[key] for method in shown for key in odd if key[1] == method})


def coverages(cells: Cells) -> Figure:
    """Coverage (top) and mean width (bottom) of the 95 % interval against labels, one column per family."""
    shown = [m for m in methods(cells) if any(c.coverage is not None for k, c in cells.items() if k[1] == m)]

    def above(axis: Axes, family: str) -> None:
        for number, method in enumerate(shown):
            curve(axis, line(cells, family, method), number, method, lambda c: c.coverage, lambda c: c.coverage_error)
        axis.axhline(0.95, color="black", linestyle="--", linewidth=1, label="nominal")
        style(axis, family, "truth in interval")
        axis.set_ylim(0, 1.02)

    def below(axis: Axes, family: str) -> None:
        for number, method in enumerate(shown):
            curve(axis, line(cells, family, method), number, method, lambda c: c.width)
        style(axis, "", "width of the interval")
        axis.set_ylim(0, 1.02)

    return panels(families(cells), above, below)


def variances(cells: Cells) -> Figure:
    """The mean estimated variance of each method, and the empirical variance over the repetitions of the first one."""
    shown = methods(cells)

    def panel(axis: Axes, family: str) -> None:
        for number, method in enumerate(shown):
            curve(axis, line(cells, family, method), number, f"estimated: {method}", lambda c: c.variance)
        curve(axis, line(cells, family, shown[0]), 8, "empirical", lambda c: c.empirical)
        style(axis, family, "variance", log=True)

    return panels(families(cells), panel)


def costs(cells: Cells) -> Figure:
    """Seconds from the start of a run to the estimate, against labels."""

    def panel(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods(cells)):
            curve(axis, line(cells, family, method), number, method, lambda c: c.seconds)
        style(axis, family, "seconds", log=True)

    return panels(families(cells), panel)


def finite(cells: Cells) -> Figure:
    """Estimated and empirical variance of fully labelled subsets against their size."""

    def panel(axis: Axes, family: str) -> None:
        found = line(cells, family, "subset")
        curve(axis, found, 0, "estimated (Eq. 6)", lambda c: c.variance)
        curve(axis, found, 8, "empirical", lambda c: c.empirical)
        style(axis, family, "variance of F1", log=True, labels="items, all labelled")

    return panels(families(cells), panel)


def transfers(cells: Cells) -> Figure:
    """Error for each target, one panel per family that the sets were drawn for."""
    shown = targets(cells)

    def panel(axis: Axes, family: str) -> None:
        for number, target in enumerate(shown):
            found = line(cells, family, "acis", target)
            curve(axis, found, number, target, lambda c: c.square, lambda c: c.square_error)
        style(axis, f"drawn for {family}", "mean squared error", log=True)

    return panels(families(cells), panel)


def widths(cells: Cells) -> Figure:
    """Mean half-width of the 95 % interval of the first method against labels, one line per family.

    The legend lists the family with the widest interval first. Readers can look up the pool most like theirs.
    """
    figure = Figure(figsize=(9, 5), layout="constrained")
    axis = figure.subplots()
    widest_first = sorted(families(cells), key=lambda family: -(_first_method(cells, family)[-1].width or 0))
    for number, family in enumerate(widest_first):
        curve(axis, _first_method(cells, family), number, family, lambda cell: (cell.width or 0) / 2)
    style(axis, "", "mean half-width of the 95 % interval", log=True)
    axis.set_yticks(HALF_WIDTHS, [f"± {wanted:g}" for wanted in HALF_WIDTHS])
    for wanted in HALF_WIDTHS:
        axis.axhline(wanted, color="black", linestyle="--", linewidth=0.8)
    figure.legend(loc="outside right center", frameon=False, fontsize=9)
    return figure


def _first_method(cells: Cells, family: str) -> list[Cell]:
    return line(cells, family, methods(cells)[0])
