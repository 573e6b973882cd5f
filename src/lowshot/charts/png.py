"""Charts drawn with Matplotlib, on axes of the caller or as PNG files. Extra `[plots]`."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot.charts.along_ranking import Line
from lowshot.charts.estimate_path import EstimatePath
from lowshot.charts.report_charts import ReportCharts
from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, percent, shades, title


def draw_path(ax: Axes, path: EstimatePath, name: str = "estimate") -> None:
    """Draw the estimate and its interval against the number of labels."""
    draw_band(ax, *path.band, f"{percent(path.confidence)} interval")
    ax.plot(*path.line, "o-", color=BLUE, lw=2, ms=4, label=name)
    ax.set_xlabel("labels")
    ax.set_ylabel(title(path.metric))
    quiet(ax)


def draw_band(ax: Axes, labels: Sequence[int], low: Sequence[float], high: Sequence[float], name: str) -> None:
    """Draw intervals against the number of labels."""
    if len(labels) == 1:  # an area between single points has no width
        ax.vlines(labels, low, high, color=BLUE, alpha=0.4, lw=6, label=name)
    elif labels:
        ax.fill_between(labels, low, high, color=BLUE, alpha=0.2, lw=0, label=name)


def plot_path(path: EstimatePath, ax: Axes | None = None) -> Axes:
    """Draw the path on `ax`, or on new axes of pyplot, which a notebook shows by itself."""
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(layout="constrained")
    draw_path(ax, path)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax


def save(charts: ReportCharts, page: Path) -> list[Path]:
    """Write the figures beside report.html: report-estimate.png, report-calibration.png, report-draws.png."""
    drawings: dict[str, Callable[[ReportCharts], Figure]] = {
        "estimate": estimate,
        "calibration": calibration,
        "draws": draws,
    }
    paths = []
    for name, draw in drawings.items():
        paths.append(page.with_name(f"{page.stem}-{name}.png"))
        draw(charts).savefig(paths[-1], dpi=150)
    return paths


def estimate(charts: ReportCharts) -> Figure:
    """The estimate and its interval against the number of labels, under the heading of the report."""
    figure, ax = _figure(charts.heading)
    draw_path(ax, charts.path)
    ax.set_ylim(bottom=0)
    _legend(figure, ax)
    return figure


def calibration(charts: ReportCharts) -> Figure:
    """c(s), the expected label, along the ranking, and the labelled items."""
    figure, ax = _figure("Expected and actual labels along the ranking")
    _lines(ax, charts.calibration, "expected")
    for marks in charts.marks:
        face = marks.colour if marks.filled else "none"
        ranks = [row.rank for row in marks.rows]
        ax.scatter(ranks, marks.height, s=26, facecolors=face, edgecolors=marks.colour, lw=1, label=marks.name)
    _ranks(ax, charts)
    ax.set_ylim(-0.14, 1.14)
    ax.set_ylabel("probability of being positive")
    _legend(figure, ax)
    return figure


def draws(charts: ReportCharts) -> Figure:
    """Labels per bin of ranks, and the probability of an item in one draw."""
    figure = Figure(figsize=(8, 6), layout="constrained", facecolor="white")
    top, bottom = figure.subplots(2, 1, sharex=True)
    edges, names = charts.histogram.edges, charts.histogram.rounds
    below = np.zeros(len(edges) - 1)
    for name, count, colour in zip(names, charts.histogram.counts, shades(len(names)), strict=True):
        top.bar(edges[:-1], count, np.diff(edges), below, align="edge", color=colour, ec="white", lw=0.5, label=name)
        below = below + count
    top.set_ylabel("labels")
    top.set_title("Labels along the ranking", loc="left", weight="bold", fontsize=12)
    _probability(bottom, charts)
    for ax in (top, bottom):
        quiet(ax)
    _ranks(bottom, charts)
    _legend(figure, top)
    return figure


def _probability(ax: Axes, charts: ReportCharts) -> None:
    ax.set_yscale("log")
    if charts.probabilities:
        _lines(ax, charts.probabilities, "one draw of an item")
        ax.legend(frameon=False)
        ax.set_ylabel("probability")
        return
    edges, share = charts.histogram.edges, charts.histogram.share
    there = share > 0
    ax.plot(np.sqrt(edges[1:] * edges[:-1])[there], share[there], "o-", color=GREEN, lw=2, ms=4)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}\N{NO-BREAK SPACE}%")
    ax.set_ylabel("share labelled")


def _lines(ax: Axes, lines: Sequence[Line], what: str) -> None:
    for line in lines:
        kind, colour = ("predicted", ORANGE) if line.predicted else ("not predicted", GREY)
        ax.plot(line.rank, np.where(line.value > 0, line.value, np.nan), color=colour, lw=2, label=f"{what}, {kind}")


def _ranks(ax: Axes, charts: ReportCharts) -> None:
    ax.set_xscale("log")
    ax.set_xlim(0.5, 1.2 * charts.items)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else "")
    ax.set_xlabel("rank")


def _figure(name: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 4.5), layout="constrained", facecolor="white")
    ax = figure.subplots()
    ax.set_title(name, loc="left", weight="bold", fontsize=12)
    quiet(ax)
    return figure, ax


def quiet(ax: Axes) -> None:
    """Remove the frame at the top and right, and add a faint horizontal grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e4e7eb", lw=0.8)
    ax.set_axisbelow(True)


def _legend(figure: Figure, ax: Axes) -> None:
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
