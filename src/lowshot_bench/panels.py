"""The parts of all figures: curves with bands, axes in one style, and one column of panels per family."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot_bench.summary import Cell

COLOURS = ("#1f5fa8", "#d1495b", "#2a9134", "#e39b26", "#7b4fa3", "#3aa6a6", "#8c564b", "#d96fb0", "#5f6b76", "#b5b000")
MARKERS = "osD^vPX*hd<>p"
PANEL = (4.2, 3.1)  # width and height in inches
COLUMNS = 4  # panels side by side at most


Value = Callable[[Cell], float | None]


def curve(axis: Axes, found: Sequence[Cell], number: int, label: str, value: Value, error: Value | None = None) -> None:
    """Draw one line with a band of one standard error; values that are not positive are left out.

    `number` is that of the line in the panel and chooses its colour and marker.
    """
    points = [(cell.labels, value(cell), error(cell) if error else None) for cell in found]
    known = [(x, y, e) for x, y, e in points if y is not None and y > 0]
    if not known:
        return
    x, y = [point[0] for point in known], [point[1] for point in known]
    colour = COLOURS[number % len(COLOURS)]
    dashes = "-" if number < len(COLOURS) else "--"  # the colours are used a second time
    marker = MARKERS[number % len(MARKERS)]
    axis.plot(x, y, dashes, color=colour, marker=marker, markersize=4, linewidth=1.5, label=label)
    if error:
        low = [max(v - (e or 0), v / 10) for _, v, e in known]
        axis.fill_between(x, low, [v + (e or 0) for _, v, e in known], color=colour, alpha=0.15, linewidth=0)


def style(axis: Axes, title: str, y: str, log: bool = False, labels: str = "labels") -> None:
    """Set scales, ticks, titles and grid of a panel, after its curves were drawn."""
    axis.set_xscale("log")
    if log:
        axis.set_yscale("log")
    drawn = np.concatenate([np.asarray(line.get_xdata(), dtype=np.float64) for line in axis.lines] or [np.empty(0)])
    # axhline has the x positions 0 and 1, which are not numbers of labels.
    ticks = np.unique(drawn[drawn > 1]).astype(int).tolist()
    shown = _spaced(ticks)
    axis.set_xticks(shown, [f"{tick:,}" for tick in shown], fontsize=8)
    axis.minorticks_off()
    axis.set_title(title, fontsize=10)
    axis.set_xlabel(labels)
    axis.set_ylabel(y)
    axis.grid(alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)


def _spaced(ticks: Sequence[int]) -> list[int]:
    """The ticks whose labels do not overlap on a logarithmic axis; the last tick is always among them.

    >>> _spaced([5000, 10000, 20000, 30000, 40000, 50000])
    [5000, 10000, 20000, 30000, 50000]
    """
    kept: list[int] = []
    room = 0.12 * np.log(ticks[-1] / ticks[0]) if ticks else 0  # a label of 6 characters takes 12 % of a panel
    for tick in reversed(ticks):
        if not kept or np.log(kept[-1] / tick) >= room:
            kept.append(tick)
    return kept[::-1]


def panels(families: Sequence[str], *rows: Callable[[Axes, str], None]) -> Figure:
    """One column of panels per family, at most COLUMNS side by side, and one legend for all below them."""
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
