"""The demo with two models as a picture: the difference against the labels, and where the runs on each class end."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE
from lowshot.demo.data import BASELINE, CANDIDATE
from lowshot.demo.pair.outcome import Outcome, Summary
from lowshot.demo.picture import headline, write
from lowshot.demo.words import rarity
from lowshot.result import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HALF = 0.36  # of the width of a class: runs to the left of its middle, separate evaluations to the right


def save(outcome: Outcome, path: Path) -> None:
    """Draw and write the figure, in the format of the file's ending."""
    write(lambda: draw(outcome), path)


def draw(outcome: Outcome) -> "Figure":
    """The two panels side by side, on the same scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1))
    draw_rows(left, outcome)
    draw_classes(right, outcome)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=2, frameon=False)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=1, frameon=False)
    rare = rarity(outcome.pair.candidate)
    headline(figure, f"Is {CANDIDATE} better than {BASELINE}, for categories that {rare} pictures shows?")
    return figure


def draw_rows(ax: "Axes", outcome: Outcome) -> None:
    """The difference with its interval as the labels come in; hollow where there is no verdict."""
    from lowshot.charts.png import draw_band, quiet

    rows, truth = [row for row in outcome.rows if row.comparison.interval is not None], outcome.truth.value
    intervals = [row.comparison.interval for row in rows if row.comparison.interval is not None]
    labels, values = [row.labels for row in rows], [row.comparison.value for row in rows]
    draw_band(ax, labels, [one.low for one in intervals], [one.high for one in intervals], "95 % interval")
    ax.plot(labels, values, color=BLUE, lw=2, label="estimated difference")
    for row in rows:
        dot(ax, row.labels, row.comparison, outcome.truth, BLUE, 5)
    ax.axhline(truth, color=GREEN, lw=1.5, ls="--", label=f"truth, from all labels: {truth:+.3f}", zorder=1)
    ax.axhline(0, color="black", lw=1, zorder=1)
    ax.set_xlim(0, outcome.rows[-1].labels * 1.02)
    ax.set_xlabel("labels (filled: a verdict; hollow: undecided)")
    ax.set_ylabel(f"F1 of {CANDIDATE} - F1 of {BASELINE}")
    ax.set_title(f"Class {outcome.pair.category}, as labels come in", loc="left", fontsize=11)
    quiet(ax)


def draw_classes(ax: "Axes", outcome: Outcome) -> None:
    """The intervals with which the runs on each class end, beside those of separate evaluations."""
    from lowshot.charts.png import quiet

    for place, one in enumerate(outcome.summaries):
        whiskers(ax, place - HALF, one.found, one, BLUE)
        whiskers(ax, place + HALF / len(one.trials), one.own, one, GREY)
        ax.hlines(one.truth.value, place - HALF, place + HALF, color=GREEN, lw=1.5, ls="--", zorder=3)
    ax.plot([], [], "o-", color=BLUE, ms=4, label="one set of labels for both")
    ax.plot([], [], "o-", color=GREY, ms=4, label="half of them for each, separately")
    if any(one.counts()[way].wrong for one in outcome.summaries for way in ("pair", "own")):
        ax.plot([], [], "x", color=ORANGE, ms=6, label="wrong verdict")
    names = [f"{one.pair.category}\n{one.labels:g}" for one in outcome.summaries]
    ax.set_xticks(range(len(names)), names)
    ax.axhline(0, color="black", lw=1, zorder=1)
    ax.set_xlabel("class, and the median number of labels of its runs")
    ax.set_title(f"Where runs end: at a verdict, or after {outcome.most} labels", loc="left", fontsize=11)
    quiet(ax)


def whiskers(ax: "Axes", start: float, found: Sequence[Comparison], one: Summary, colour: str) -> None:
    """One line and one dot per run, from `start` to the right."""
    for number, comparison in enumerate(found):
        across = start + number * HALF / len(found)
        if comparison.interval is not None:
            ax.vlines(across, comparison.interval.low, comparison.interval.high, color=colour, lw=1.5, alpha=0.5)
            dot(ax, across, comparison, one.truth, colour, 3.5)


def dot(ax: "Axes", across: float, found: Comparison, truth: Comparison, colour: str, size: float) -> None:
    """Filled for a right verdict, hollow for none, a cross for a wrong one."""
    if found.decided and found.verdict != truth.verdict:
        ax.plot(across, found.value, "x", color=ORANGE, ms=size + 2, mew=2, zorder=4)
        return
    face = colour if found.decided else "white"
    ax.plot(across, found.value, "o", color=colour, mfc=face, ms=size, zorder=4)
