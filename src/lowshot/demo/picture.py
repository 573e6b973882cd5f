"""The demo as a picture: one evaluation against its labels, and where the runs of each sampler end."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lowshot import checks
from lowshot.charts.estimate_path import EstimatePath, Point
from lowshot.charts.style import BLUE, GREEN, GREY
from lowshot.demo.outcome import Outcome
from lowshot.demo.words import rarity, title
from lowshot.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".pdf", ".svg")


def check(path: Path) -> Path:
    """The path as an absolute one, if a picture can be saved there.

    >>> check(Path("demo.gif"))
    Traceback (most recent call last):
    lowshot.errors.InputError: picture must end in .png, .pdf or .svg: got 'demo.gif'
    """
    return checks.new_file("picture", path, FORMATS)


def save(outcome: Outcome, path: Path) -> None:
    """Draw and write the figure, in the format of the file's ending."""
    try:
        drawn = draw(outcome)
    except ImportError:
        raise MissingExtra("no picture: pip install 'lowshot[plots]'") from None
    try:
        drawn.savefig(path, dpi=150)
    except OSError as error:
        raise InputError(f"picture must be a file that can be written: got {str(path)!r} ({error.strerror})") from None


def draw(outcome: Outcome) -> "Figure":
    """The two panels side by side, on the same scale of F1."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    draw_run(left, outcome)
    draw_comparison(right, outcome)
    left.set_ylim(-0.02, top(outcome))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False)
    task = outcome.task
    what = f"F1 for a category that {rarity(task)} pictures shows (class {task.category}, {len(task.pool):,} pictures)"
    figure.suptitle(what, x=0.01, ha="left", weight="bold")
    return figure


def draw_run(ax: "Axes", outcome: Outcome) -> None:
    """The estimate with its interval as the labels come in."""
    from lowshot.charts.png import draw_path

    points = [Point(row.labels, row.estimate) for row in outcome.rows]
    draw_path(ax, EstimatePath("f1", 0.95, points), f"estimate ({title(outcome.sampler)})")
    truth = outcome.task.truth()
    ax.axhline(truth, color=GREEN, lw=1.5, ls="--", label=f"truth, from all labels: {truth:.3f}", zorder=1)
    ax.set_xlim(0, outcome.labels * 1.02)
    ax.set_title("One evaluation, as labels come in", loc="left", fontsize=11)


def draw_comparison(ax: "Axes", outcome: Outcome) -> None:
    """One dot per run; runs without an estimate are hollow."""
    from lowshot.charts.png import quiet

    spread = np.random.default_rng(0)
    for place, one in enumerate(outcome.comparisons):
        across = place + spread.uniform(-0.25, 0.25, one.runs) * (one.runs > 1)
        defined = np.array([estimate.defined for estimate in one.estimates])
        ax.scatter(across[defined], one.values[defined], s=24, color=BLUE, alpha=0.6, lw=0)
        ax.scatter(across[~defined], one.values[~defined], s=20, facecolors="none", edgecolors=GREY, lw=0.8)
    names = [f"{title(one.sampler)}\n± {one.typical_error:.3f}" for one in outcome.comparisons]
    ax.set_xticks(range(len(names)), names)
    ax.axhline(outcome.task.truth(), color=GREEN, lw=1.5, ls="--", zorder=1)
    hollow = "; hollow: no estimate" if any(one.undefined for one in outcome.comparisons) else ""
    ax.set_title(f"Where runs end after {outcome.labels} labels", loc="left", fontsize=11)
    ax.set_xlabel(f"sampler and its typical error{hollow}")
    quiet(ax)


def top(outcome: Outcome) -> float:
    """The upper limit of the axis: 10 % above the highest value drawn."""
    highs = [row.estimate.interval.high for row in outcome.rows if row.estimate.interval is not None]
    values = [float(one.values.max()) for one in outcome.comparisons]
    return min(1.05, 1.1 * max([outcome.task.truth(), *highs, *values]))
