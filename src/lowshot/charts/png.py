"""Charts drawn with Matplotlib, on axes of the caller or as PNG files. Extra `[plots]`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot.charts.along_ranking import Line
from lowshot.charts.dots import Dot, axis, limit, shorter
from lowshot.charts.estimate_path import EstimatePath
from lowshot.charts.model_paths import BANDS, DifferencePath, ModelPath
from lowshot.charts.report_charts import ReportCharts
from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, percent, shades, title
from lowshot.charts.threshold_curve import curves, lines
from lowshot.result import Table
from lowshot.threshold_result import ThresholdChoice, Thresholds

INK = "#3c4450"
NO_NAME = "_"  # Matplotlib leaves such names out of legends
WIDEST = 80  # characters of a title on one line


def draw_path(ax: Axes, path: EstimatePath, name: str = "estimate") -> None:
    """Draw the estimate and its interval against the number of labels."""
    draw_band(ax, *path.band, f"{percent(path.confidence)} interval")
    _line(ax, path, BLUE, name)
    ax.set_ylabel(title(path.metric))


def draw_difference(ax: Axes, path: DifferencePath) -> None:
    """Draw the difference of two models and its interval against the number of labels, with a line at 0."""
    draw_band(ax, *path.band, f"{percent(path.confidence)} interval")
    _line(ax, path, BLUE, "difference")
    for level, name in path.levels.items():
        colour, style = (INK, "-") if level == 0 else (ORANGE, "--")
        ax.axhline(level, zorder=1, lw=1.3, color=colour, ls=style, label=name if level >= 0 else NO_NAME)
    ax.set_ylabel(_plain(path.axis))


def draw_models(ax: Axes, paths: Sequence[ModelPath]) -> None:
    """Draw the estimate of each model and its interval against the number of labels.

    The bands of many models would hide each other: then the intervals are beside the last points.
    """
    for place, one in enumerate(paths):
        name = NO_NAME if place else f"{percent(one.path.confidence)} intervals"
        if len(paths) <= BANDS:
            draw_band(ax, *one.path.band, NO_NAME, one.colour)
        elif (labels := one.path.band[0]) and labels[-1]:
            low, high = one.path.band[1][-1], one.path.band[2][-1]
            ax.vlines(labels[-1] * (1.02 + 0.012 * place), low, high, color=one.colour, lw=2, label=name)
        _line(ax, one.path, one.colour, _plain(one.name))
    ax.set_ylabel(title(paths[0].path.metric))


def draw_band(
    ax: Axes, labels: Sequence[int], low: Sequence[float], high: Sequence[float], name: str, colour: str = BLUE
) -> None:
    """Draw intervals against the number of labels."""
    if len(labels) == 1:  # an area between single points has no width
        ax.vlines(labels, low, high, color=colour, alpha=0.4, lw=6, label=name)
    elif labels:
        ax.fill_between(labels, low, high, color=colour, alpha=0.2, lw=0, label=name)


def _line(ax: Axes, path: EstimatePath, colour: str, name: str) -> None:
    ax.plot(*path.line, "o-", color=colour, lw=2, ms=4, label=name)
    ax.set_xlabel("labels")
    quiet(ax)


def _plain(text: str) -> str:
    """A name as Matplotlib shows it unchanged: two $ would begin a formula, and a leading _ leaves it out of a legend.

    >>> _plain("_a$b")
    ' _a\\\\$b'
    """
    return f"{' ' * text.startswith('_')}{text}".replace("$", r"\$")


def plot_path(path: EstimatePath, ax: Axes | None = None) -> Axes:
    """Draw the path on `ax`, or on new axes of pyplot, which a notebook shows by itself."""
    ax = _axes(ax)
    draw_path(ax, path)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax


def plot_difference(path: DifferencePath, ax: Axes | None = None) -> Axes:
    """The same for the difference of two models."""
    ax = _axes(ax)
    draw_difference(ax, path)
    ax.legend(frameon=False)
    return ax


def plot_models(paths: Sequence[ModelPath], ax: Axes | None = None) -> Axes:
    """The same for several models."""
    ax = _axes(ax)
    draw_models(ax, paths)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax


def draw_thresholds(ax: Axes, found: Thresholds, choice: ThresholdChoice | None) -> None:
    """Draw precision and recall against the number of kept items, with bands, and mark thresholds."""
    ax.set_xscale("log")
    ax.set_xlim(0.9, 1.1 * float(found.kept[-1]))  # before anything is drawn: a single point has no range of its own
    for name, colour, band in curves(found):
        draw_band(ax, found.kept.tolist(), band.low.tolist(), band.high.tolist(), NO_NAME, colour)
        ax.plot(found.kept, band.value, "o" if len(found) == 1 else "-", color=colour, lw=2, label=name)
    for mark in lines(found, choice):
        ax.axvline(mark.kept, zorder=1.5, lw=1.6, color=mark.colour, ls=mark.style, label=_plain(mark.name))
    ax.set_ylim(0, 1.02)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else "")
    ax.set_xlabel("items kept, best first")
    at_once = " at all thresholds at once" if found.band == "simultaneous" else ""
    ax.set_ylabel(f"precision and recall, {percent(found.confidence)} bands{at_once}")
    quiet(ax)


def plot_thresholds(found: Thresholds, ax: Axes | None, choice: ThresholdChoice | None) -> Axes:
    """The same on `ax`, or on new axes of pyplot."""
    ax = _axes(ax)
    draw_thresholds(ax, found, choice)
    ax.legend(frameon=False)
    return ax


def thresholds(found: Thresholds, heading: str, choice: ThresholdChoice | None) -> Figure:
    """The same as a figure under a heading."""
    figure, ax = _figure(_plain(heading))
    draw_thresholds(ax, found, choice)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower left", ncols=2, frameon=False)
    return figure


def draw_dots(ax: Axes, found: Sequence[Dot], table: Table) -> None:
    """Draw a dot and an interval per row, the first one at the top; grey where it says little."""
    for place, dot in enumerate(found):
        colour = GREY if dot.weak else BLUE
        ax.hlines(place, dot.low, dot.high, color=colour, lw=2)
        ax.plot(dot.value, place, "o", color=colour, ms=5)
    if table.below is not None:
        ax.axvline(table.below, color=ORANGE, ls="--", lw=1.3)
    ax.set_yticks(range(len(found)), [_plain(shorter(dot.name)) for dot in found])
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.set_xlim(0, limit(found))
    ax.set_xlabel(axis(table))
    quiet(ax)


def plot_dots(found: Sequence[Dot], table: Table, ax: Axes | None) -> Axes:
    """The same on `ax`, or on new axes of pyplot."""
    ax = _axes(ax)
    draw_dots(ax, found, table)
    return ax


def dots(found: Sequence[Dot], table: Table, heading: str) -> Figure:
    """The same as a figure under a heading, as high as the rows need."""
    figure, ax = _figure(_plain(heading))
    figure.set_size_inches(8, 1.5 + 0.25 * len(found))
    draw_dots(ax, found, table)
    return figure


def _axes(ax: Axes | None) -> Axes:
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(layout="constrained")
    return ax


def save(charts: ReportCharts, page: Path) -> list[Path]:
    """Write the figures beside report.html: report-estimate.png, report-calibration.png, report-draws.png.

    If the goal is about several models: report-models.png instead of the first, and report-difference.png for two.
    """
    drawings: dict[str, tuple[bool, Callable[[ReportCharts], Figure]]] = {
        "difference": (charts.difference is not None, difference),
        "estimate": (charts.path is not None, estimate),
        "models": (bool(charts.models), models),
        "calibration": (True, calibration),
        "draws": (True, draws),
    }
    paths = []
    for name, draw in ((name, draw) for name, (there, draw) in drawings.items() if there):
        paths.append(page.with_name(f"{page.stem}-{name}.png"))
        draw(charts).savefig(paths[-1], dpi=150)
    return paths


def estimate(charts: ReportCharts) -> Figure:
    """The estimate and its interval against the number of labels, under the heading of the report."""
    assert charts.path is not None
    return path_figure(charts.path, charts.heading)


def path_figure(path: EstimatePath, heading: str) -> Figure:
    """One path under a heading."""
    figure, ax = _figure(_plain(heading))
    draw_path(ax, path)
    ax.set_ylim(bottom=0)
    _legend(figure, ax)
    return figure


def difference(charts: ReportCharts) -> Figure:
    """The difference of two models and its interval against the number of labels, under the heading of the report."""
    assert charts.difference is not None
    figure, ax = _figure(_plain(charts.heading))
    draw_difference(ax, charts.difference)
    _legend(figure, ax)
    return figure


def models(charts: ReportCharts) -> Figure:
    """The estimate of each model against the number of labels."""
    metric = charts.models[0].path.metric
    figure, ax = _figure(f"{title(metric)} of each model against the number of labels")
    draw_models(ax, charts.models)
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
        value, name = np.where(line.value > 0, line.value, np.nan), f"{what}, {line.kind.name}"
        ax.plot(line.rank, value, color=line.kind.colour, lw=2, label=_plain(name))


def _ranks(ax: Axes, charts: ReportCharts) -> None:
    ax.set_xscale("log")
    ax.set_xlim(0.5, 1.2 * charts.items)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else "")
    ax.set_xlabel("rank")


def _figure(name: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 4.5), layout="constrained", facecolor="white")
    ax = figure.subplots()
    ax.set_title(fill(name, WIDEST), loc="left", weight="bold", fontsize=12)
    quiet(ax)
    return figure, ax


def quiet(ax: Axes) -> None:
    """Remove the frame at the top and right, and add a faint horizontal grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e4e7eb", lw=0.8)
    ax.set_axisbelow(True)


def _legend(figure: Figure, ax: Axes) -> None:
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
