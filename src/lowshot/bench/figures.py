"""Figures from rows only. One function a drawing; each gets the cells of an experiment and returns a figure."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot.bench.experiment import Experiment
from lowshot.bench.summary import Cell, Cells

COLOURS = ("#1f5fa8", "#d1495b", "#2a9134", "#e39b26", "#7b4fa3", "#3aa6a6", "#8c564b", "#d96fb0", "#5f6b76", "#b5b000")
MARKERS = "osD^vPX*hd<>p"
PANEL = (4.2, 3.1)  # inches
COLUMNS = 4


def draw(experiment: Experiment, cells: Cells) -> Figure:
    """The figure of an experiment."""
    drawings: dict[str, Callable[[Cells], Figure]] = {
        "error": errors,
        "variance": variances,
        "finite": finite,
        "transfer": transfers,
        "thresholds": transfers,
        "choice": errors,
        "cost": costs,
    }
    figure = drawings[experiment.drawing](cells)
    figure.suptitle(experiment.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def save(experiment: Experiment, cells: Cells, path: Path) -> None:
    draw(experiment, cells).savefig(path, dpi=110, bbox_inches="tight")


def errors(cells: Cells) -> Figure:
    """Mean squared error (top) and mean estimate (bottom) against labels, a column a family."""
    methods = _values(cells, 1)

    def above(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            _curve(axis, _line(cells, family, method), number, method, lambda c: c.square, lambda c: c.square_error)
        _dress(axis, family, "mean squared error", log=True)

    def below(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            _curve(axis, _line(cells, family, method), number, method, lambda c: c.mean)
        truth = next(cell.truth for key, cell in cells.items() if key[0] == family)
        axis.axhline(truth, color="black", linestyle="--", linewidth=1, label="truth")
        _dress(axis, "", "mean estimate of F1")
        axis.set_ylim(0, 1)

    return _panels(_values(cells, 0), above, below)


def coverages(cells: Cells) -> Figure:
    """How often the 95 % interval holds the truth (top) and how wide it is (bottom), a column a family."""
    methods = [m for m in _values(cells, 1) if any(c.coverage is not None for k, c in cells.items() if k[1] == m)]

    def above(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            _curve(axis, _line(cells, family, method), number, method, lambda c: c.coverage, lambda c: c.coverage_error)
        axis.axhline(0.95, color="black", linestyle="--", linewidth=1, label="nominal")
        _dress(axis, family, "truth in interval")
        axis.set_ylim(0, 1.02)

    def below(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            _curve(axis, _line(cells, family, method), number, method, lambda c: c.width)
        _dress(axis, "", "width of the interval")
        axis.set_ylim(0, 1.02)

    return _panels(_values(cells, 0), above, below)


def variances(cells: Cells) -> Figure:
    """The mean estimated variance of each combination, and the empirical variance over repetitions."""
    methods = _values(cells, 1)

    def panel(axis: Axes, family: str) -> None:
        for number, method in enumerate(methods):
            _curve(axis, _line(cells, family, method), number, f"estimated: {method}", lambda c: c.variance)
        _curve(axis, _line(cells, family, methods[0]), 8, "empirical", lambda c: c.empirical)
        _dress(axis, family, "variance", log=True)

    return _panels(_values(cells, 0), panel)


def costs(cells: Cells) -> Figure:
    """Seconds from the start of a run to an estimate with so many labels."""

    def panel(axis: Axes, family: str) -> None:
        for number, method in enumerate(_values(cells, 1)):
            _curve(axis, _line(cells, family, method), number, method, lambda c: c.seconds)
        _dress(axis, family, "seconds", log=True)

    return _panels(_values(cells, 0), panel)


def finite(cells: Cells) -> Figure:
    """Estimated and empirical variance of fully labelled subsets against their size."""

    def panel(axis: Axes, family: str) -> None:
        found = _line(cells, family, "subset")
        _curve(axis, found, 0, "estimated (Eq. 6)", lambda c: c.variance)
        _curve(axis, found, 8, "empirical", lambda c: c.empirical)
        _dress(axis, family, "variance of F1", log=True, labels="items, all labelled")

    return _panels(_values(cells, 0), panel)


def transfers(cells: Cells) -> Figure:
    """Error for each target from the sets drawn for the others, a panel a family that the sets were drawn for."""
    targets = _values(cells, 2)

    def panel(axis: Axes, family: str) -> None:
        for number, target in enumerate(targets):
            found = _line(cells, family, "acis", target)
            _curve(axis, found, number, target, lambda c: c.square, lambda c: c.square_error)
        _dress(axis, f"drawn for {family}", "mean squared error", log=True)

    return _panels(_values(cells, 0), panel)


def _values(cells: Cells, place: int) -> list[Any]:
    return list(dict.fromkeys(key[place] for key in cells))


def _line(cells: Cells, family: str, method: str, target: str = "own") -> list[Cell]:
    found = [cell for key, cell in cells.items() if key[:3] == (family, method, target)]
    return sorted(found, key=lambda cell: cell.labels)


Value = Callable[[Cell], float | None]


def _curve(
    axis: Axes, found: Sequence[Cell], number: int, label: str, value: Value, error: Value | None = None
) -> None:
    """One line with a band of one standard error."""
    points = [(cell.labels, value(cell), error(cell) if error else None) for cell in found]
    known = [(x, y, e) for x, y, e in points if y is not None and y > 0]
    if not known:
        return
    x, y = [point[0] for point in known], [point[1] for point in known]
    colour = COLOURS[number % len(COLOURS)]
    axis.plot(x, y, color=colour, marker=MARKERS[number % len(MARKERS)], markersize=4, linewidth=1.5, label=label)
    if error:
        low = [max(v - (e or 0), v / 10) for _, v, e in known]
        axis.fill_between(x, low, [v + (e or 0) for _, v, e in known], color=colour, alpha=0.15, linewidth=0)


def _dress(axis: Axes, title: str, y: str, log: bool = False, labels: str = "labels") -> None:
    axis.set_xscale("log")
    if log:
        axis.set_yscale("log")
    drawn = np.concatenate([np.asarray(line.get_xdata(), dtype=np.float64) for line in axis.lines] or [np.empty(0)])
    ticks = np.unique(drawn[drawn > 1]).astype(int).tolist()  # the line of the truth ends at 0 and 1
    shown = [tick for i, tick in enumerate(ticks) if len(ticks) < 8 or i % 2 == 0 or tick == ticks[-1]]
    axis.set_xticks(shown, [f"{tick:,}" for tick in shown], fontsize=8)
    axis.minorticks_off()
    axis.set_title(title, fontsize=10)
    axis.set_xlabel(labels)
    axis.set_ylabel(y)
    axis.grid(alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)


def _panels(families: Sequence[str], *rows: Callable[[Axes, str], None]) -> Figure:
    """A column of panels for each family, at most COLUMNS beside each other; one legend for all, below them."""
    columns = min(COLUMNS, len(families))
    bands = -(-len(families) // columns)
    figure = Figure(figsize=(PANEL[0] * columns, PANEL[1] * len(rows) * bands + 0.8), layout="constrained")
    axes = figure.subplots(len(rows) * bands, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_visible(False)
    for number, family in enumerate(families):
        band, column = divmod(number, columns)
        for row, draw_panel in enumerate(rows):
            axes[band * len(rows) + row][column].set_visible(True)
            draw_panel(axes[band * len(rows) + row][column], family)
    every = [axis.get_legend_handles_labels() for axis in axes.flat]
    found = {label: handle for handles, labels in every for handle, label in zip(handles, labels, strict=True)}
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=min(7, len(found)), frameon=False)
    return figure
