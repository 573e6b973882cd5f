"""The figures as PNG files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowshot.charts.along_ranking import Line
from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, shades
from lowshot.report.facts import Facts
from lowshot.report.marks import kinds, with_interval
from lowshot.report.words import headline, percent, title


def save(facts: Facts, page: Path) -> list[Path]:
    """report.html -> report-estimate.png, report-calibration.png, report-draws.png."""
    drawings: dict[str, Callable[[Facts], Figure]] = {
        "estimate": estimate,
        "calibration": calibration,
        "draws": draws,
    }
    paths = []
    for name, draw in drawings.items():
        paths.append(page.with_name(f"{page.stem}-{name}.png"))
        draw(facts).savefig(paths[-1], dpi=150)
    return paths


def estimate(facts: Facts) -> Figure:
    """The estimate with its interval as the labels came in."""
    figure, ax = _figure(headline(facts))
    labels, low, high = with_interval(facts)
    if labels:
        ax.fill_between(labels, low, high, color=BLUE, alpha=0.2, lw=0, label=f"{percent(facts)} interval")
    values = [point.estimate.value for point in facts.path]
    ax.plot([point.labels for point in facts.path], values, "o-", color=BLUE, lw=2, ms=4, label="estimate")
    ax.set_xlabel("labels")
    ax.set_ylabel(title(facts.estimate.metric))
    ax.set_ylim(bottom=0)
    _legend(figure, ax)
    return figure


def calibration(facts: Facts) -> Figure:
    """c(s) along the ranking, and the labelled items."""
    figure, ax = _figure("What the last round expected along the ranking, and the labels")
    _lines(ax, facts.calibration, "expected")
    for kind in kinds(facts):
        face = kind.colour if kind.filled else "none"
        ranks = [row.rank for row in kind.rows]
        ax.scatter(ranks, kind.height, s=26, facecolors=face, edgecolors=kind.colour, lw=1, label=kind.name)
    _ranks(ax, facts)
    ax.set_ylim(-0.14, 1.14)
    ax.set_ylabel("chance of being positive")
    _legend(figure, ax)
    return figure


def draws(facts: Facts) -> Figure:
    """How many labels fell where, and how likely items were drawn."""
    figure = Figure(figsize=(8, 6), layout="constrained", facecolor="white")
    top, bottom = figure.subplots(2, 1, sharex=True)
    edges, names = facts.histogram.edges, facts.histogram.rounds
    below = np.zeros(len(edges) - 1)
    for name, count, colour in zip(names, facts.histogram.counts, shades(len(names)), strict=True):
        top.bar(edges[:-1], count, np.diff(edges), below, align="edge", color=colour, ec="white", lw=0.5, label=name)
        below = below + count
    top.set_ylabel("labels")
    top.set_title("Where the labels fell", loc="left", weight="bold", fontsize=12)
    _probability(bottom, facts)
    for ax in (top, bottom):
        _plain(ax)
    _ranks(bottom, facts)
    _legend(figure, top)
    return figure


def _probability(ax: Axes, facts: Facts) -> None:
    ax.set_yscale("log")
    if facts.probabilities:
        _lines(ax, facts.probabilities, "one draw of an item")
        ax.legend(frameon=False)
        ax.set_ylabel("probability")
        return
    edges, share = facts.histogram.edges, facts.histogram.share
    there = share > 0
    ax.plot(np.sqrt(edges[1:] * edges[:-1])[there], share[there], "o-", color=GREEN, lw=2, ms=4)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}\N{NO-BREAK SPACE}%")
    ax.set_ylabel("share labelled")


def _lines(ax: Axes, lines: list[Line], what: str) -> None:
    for line in lines:
        kind, colour = ("predicted", ORANGE) if line.predicted else ("not predicted", GREY)
        ax.plot(line.rank, np.where(line.value > 0, line.value, np.nan), color=colour, lw=2, label=f"{what}, {kind}")


def _ranks(ax: Axes, facts: Facts) -> None:
    ax.set_xscale("log")
    ax.set_xlim(0.5, 1.2 * facts.origin.items)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else "")
    ax.set_xlabel("rank")


def _figure(name: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 4.5), layout="constrained", facecolor="white")
    ax = figure.subplots()
    ax.set_title(name, loc="left", weight="bold", fontsize=12)
    _plain(ax)
    return figure, ax


def _plain(ax: Axes) -> None:
    """Only the lines that help."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e4e7eb", lw=0.8)
    ax.set_axisbelow(True)


def _legend(figure: Figure, ax: Axes) -> None:
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
