"""The demo with many classes as a picture: the average against the labels, and every class with its truth."""

from pathlib import Path
from typing import TYPE_CHECKING

from lowshot.charts.dots import dots
from lowshot.charts.estimate_path import EstimatePath, Point
from lowshot.charts.style import BLUE, GREEN
from lowshot.demo.classes.outcome import Outcome
from lowshot.demo.picture import headline, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def save(outcome: Outcome, path: Path) -> None:
    """Draw and write the figure, in the format of the file's ending."""
    write(lambda: draw(outcome), path)


def draw(outcome: Outcome) -> "Figure":
    """The two panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 1.5 + 0.2 * outcome.task.categories), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1))
    draw_average(left, outcome)
    draw_classes(right, outcome)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=2, frameon=False)
    headline(
        figure, f"{outcome.task.categories} classes from {outcome.labels} labels of {len(outcome.task.pool):,} pictures"
    )
    return figure


def draw_average(ax: "Axes", outcome: Outcome) -> None:
    """The macro F1 with its interval as the labels come in."""
    from lowshot.charts.png import draw_path

    points = [Point(row.labels, row.estimate) for row in outcome.rows]
    draw_path(ax, EstimatePath("f1_macro", 0.95, points), "estimate")
    truth = outcome.task.truth
    ax.axhline(truth, color=GREEN, lw=1.5, ls="--", label=f"truth, from all labels: {truth:.3f}", zorder=1)
    ax.set_xlim(0, outcome.labels * 1.02)
    ax.set_ylabel("macro F1")
    ax.set_title("The mean F1 of all classes, as labels come in", loc="left", fontsize=11)


def draw_classes(ax: "Axes", outcome: Outcome) -> None:
    """A dot and an interval per class, the lowest at the top, with the truth as a cross."""
    from lowshot.charts.png import draw_dots

    found = dots(outcome.table)
    draw_dots(ax, found, outcome.table)
    truths = {str(name): truth for name, truth in outcome.task.truths.items()}
    places = range(len(found))
    ax.plot([truths[dot.name] for dot in found], places, "x", color=GREEN, ms=6, mew=2, label="truth", zorder=4)
    ax.plot([], [], "o-", color=BLUE, ms=5, label="estimate with 95 % interval")
    ax.set_ylabel("class")
    ax.tick_params(axis="y", labelsize=7)
    ax.set_title(f"The F1 of each class after {outcome.labels} labels", loc="left", fontsize=11)
