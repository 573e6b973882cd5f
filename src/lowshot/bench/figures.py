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


def draw(experiment: Experiment, cells: Cells) -> Figure:
    """The figure of an experiment."""
    drawings: dict[str, Callable[[Cells], Figure]] = {
        "error": errors,
        "variance": variances,
        "finite": finite,
        "transfer": transfers,
        "thresholds": transfers,
    }
    figure = drawings[experiment.drawing](cells)
    figure.suptitle(experiment.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def save(experiment: Experiment, cells: Cells, path: Path) -> None:
    draw(experiment, cells).savefig(path, dpi=110, bbox_inches="tight")


def errors(cells: Cells) -> Figure:
    """Mean squared error (top) and mean estimate (bottom) against labels, a column a family."""
    families, methods = _values(cells, 0), _values(cells, 1)
    figure, axes = _grid(2, len(families))
    for column, family in enumerate(families):
        top, bottom = axes[0][column], axes[1][column]
        for number, method in enumerate(methods):
            found = _line(cells, family, method)
            _curve(top, found, number, method, lambda c: c.square, lambda c: c.square_error)
            _curve(bottom, found, number, method, lambda c: c.mean)
        truth = next(cell.truth for key, cell in cells.items() if key[0] == family)
        bottom.axhline(truth, color="black", linestyle="--", linewidth=1, label="truth")
        _dress(top, family, "mean squared error", log=True)
        _dress(bottom, "", "mean estimate of F1")
        bottom.set_ylim(0, 1)
    return _legend(figure, axes)


def coverages(cells: Cells) -> Figure:
    """How often the 95 % interval holds the truth (top) and how wide it is (bottom), a column a family."""
    families = _values(cells, 0)
    methods = [m for m in _values(cells, 1) if any(c.coverage is not None for k, c in cells.items() if k[1] == m)]
    figure, axes = _grid(2, len(families))
    for column, family in enumerate(families):
        top, bottom = axes[0][column], axes[1][column]
        for number, method in enumerate(methods):
            found = _line(cells, family, method)
            _curve(top, found, number, method, lambda c: c.coverage, lambda c: c.coverage_error)
            _curve(bottom, found, number, method, lambda c: c.width)
        top.axhline(0.95, color="black", linestyle="--", linewidth=1, label="nominal")
        _dress(top, family, "truth in interval")
        _dress(bottom, "", "width of the interval")
        top.set_ylim(0, 1.02)
        bottom.set_ylim(0, 1.02)
    return _legend(figure, axes)


def variances(cells: Cells) -> Figure:
    """The mean estimated variance of each combination, and the empirical variance over repetitions."""
    families, methods = _values(cells, 0), _values(cells, 1)
    figure, axes = _grid(1, len(families))
    for column, family in enumerate(families):
        axis = axes[0][column]
        for number, method in enumerate(methods):
            _curve(axis, _line(cells, family, method), number, f"estimated: {method}", lambda c: c.variance)
        _curve(axis, _line(cells, family, methods[0]), 8, "empirical", lambda c: c.empirical)
        _dress(axis, family, "variance", log=True)
    return _legend(figure, axes)


def finite(cells: Cells) -> Figure:
    """Estimated and empirical variance of fully labelled subsets against their size."""
    families = _values(cells, 0)
    figure, axes = _grid(1, len(families))
    for column, family in enumerate(families):
        found = _line(cells, family, "subset")
        _curve(axes[0][column], found, 0, "estimated (Eq. 6)", lambda c: c.variance)
        _curve(axes[0][column], found, 8, "empirical", lambda c: c.empirical)
        _dress(axes[0][column], family, "variance of F1", log=True, labels="items, all labelled")
    return _legend(figure, axes)


def transfers(cells: Cells) -> Figure:
    """Error for each target from the sets drawn for the others, a column a family that the sets were drawn for."""
    families, targets = _values(cells, 0), _values(cells, 2)
    figure, axes = _grid(1, len(families))
    for column, family in enumerate(families):
        for number, target in enumerate(targets):
            found = _line(cells, family, "acis", target)
            _curve(axes[0][column], found, number, target, lambda c: c.square, lambda c: c.square_error)
        _dress(axes[0][column], f"drawn for {family}", "mean squared error", log=True)
    return _legend(figure, axes)


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


def _grid(rows: int, columns: int) -> tuple[Figure, list[list[Axes]]]:
    figure = Figure(figsize=(PANEL[0] * columns, PANEL[1] * rows + 0.8), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).tolist()


def _legend(figure: Figure, axes: list[list[Axes]]) -> Figure:
    """One legend for all panels, below them."""
    every = [axis.get_legend_handles_labels() for row in axes for axis in row]
    found = {label: handle for handles, labels in every for handle, label in zip(handles, labels, strict=True)}
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=min(7, len(found)), frameon=False)
    return figure
