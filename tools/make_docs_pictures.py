"""Make the pictures of docs/how-it-works.md and docs/many-classes.md from real scores that are shipped with lowshot:
`make pictures`.

    python tools/make_docs_pictures.py docs

Each picture has a white, rounded background of its own, so that it can be read on light and on dark pages. The numbers
that the page quotes from the pictures are printed. Needs `pip install 'lowshot[plots]'`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import FancyBboxPatch
from scipy.stats import hypergeom

import lowshot
from lowshot import api
from lowshot.charts.dots import dots
from lowshot.charts.png import draw_dots
from lowshot.charts.style import BLUE, GREEN, GREY, ORANGE, PURPLE
from lowshot.core.types import Flags, Floats, Integers
from lowshot.demo import data
from lowshot.sampler.curve import Curve

CATEGORY = 193  # of Tiny-ImageNet: one of the six that are shipped
LABELS = 100
RUNS = 40  # repeated evaluations of the last picture, seeds 0 to 39
SHOWN = 60  # curves of the third picture; more would be a blot
WIDTH, HEIGHT = 9.2, 3.7  # inches
INK, MISS = "#3c4450", "#c0392b"
EDGES = (1, 11, 31, 101, 301, 1001, 3001, 10001)  # ranks at which the groups of the first picture begin


class Ranking:
    """The items of the task from the best score to the worst, with the truth that only this program knows."""

    def __init__(self, task: data.Task) -> None:
        self.task = task
        order = np.argsort(-np.asarray(task.pool.scores, dtype=np.float64), kind="stable")
        self.rank: Integers = np.empty(len(order), dtype=np.int64)
        self.rank[order] = np.arange(1, len(order) + 1)
        self.positive: Flags = np.array(task.answer(range(len(order))), dtype=np.bool_)
        self.predicted: Flags = np.asarray(task.pool.predictions, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.rank)


def main(folder: Path) -> None:
    ranking = Ranking(data.load(CATEGORY))
    evaluation = run("curve", ranking.task, seed=0)
    print(f"{len(ranking):,} items, {ranking.positive.sum()} positives, {ranking.predicted.sum()} predicted")
    print(f"true F1 {ranking.task.truth():.3f}; {evaluation.estimate()}")
    save(why_not_at_random(ranking), folder / "how-it-works-random.png")
    save(which_items(ranking, evaluation), folder / "how-it-works-chosen.png")
    save(curves_and_f1(ranking, evaluation), folder / "how-it-works-curve.png")
    save(by_rounds(ranking), folder / "how-it-works-rounds.png")
    save(many_runs(ranking), folder / "how-it-works-trust.png")
    save(every_class(), folder / "many-classes.png")


def run(sampler: str, task: data.Task, seed: int, labels: int = LABELS) -> lowshot.Evaluation:
    return api.run(lowshot.Evaluation(task.pool, sampler=sampler, seed=seed), task.answer, budget=labels)


def why_not_at_random(ranking: Ranking) -> Figure:
    """How many positives 100 random labels find; and how many there are along the ranking."""
    figure, (left, right) = panels(2)
    found = np.arange(3)
    chance = hypergeom(len(ranking), int(ranking.positive.sum()), LABELS).pmf(found)
    print(f"random labels find no positive with probability {chance[0]:.3f}")
    left.bar(found, 100 * chance, color=BLUE, width=0.6)
    for number, share in zip(found, chance, strict=True):
        left.annotate(percent(share), (number, 100 * share), ha="center", va="bottom", color=INK, fontsize=9)
    left.set_xticks(found, ["none", "1", "2"])
    left.set(xlabel=f"positives among {LABELS} random labels", ylabel="chance, %", ylim=(0, 105))
    left.set_title("Labels at random: mostly nothing found", fontsize=11, loc="left")

    last = [*(edge - 1 for edge in EDGES[1:]), len(ranking)]
    inside = [(ranking.rank >= a) & (ranking.rank <= b) for a, b in zip(EDGES, last, strict=True)]
    positives = [int(ranking.positive[group].sum()) for group in inside]
    share = [ranking.positive[group].mean() for group in inside]
    places = np.arange(len(inside))
    right.bar(places, 100 * np.array(share), color=ORANGE, width=0.7)
    for place, (many, group) in enumerate(zip(positives, inside, strict=True)):
        text = f"{many} of\n{group.sum():,}"
        right.annotate(text, (place, 100 * share[place]), ha="center", va="bottom", color=INK, fontsize=7.5)
    names = [f"{a:,}–\n{b:,}" for a, b in zip(EDGES, last, strict=True)]
    right.set_xticks(places, names, fontsize=7.5)
    right.set(xlabel="rank by score, best first", ylabel="positives, %", ylim=(0, 118), yticks=range(0, 101, 25))
    right.set_title("By score: most positives are near the top", fontsize=11, loc="left")
    return figure


def which_items(ranking: Ranking, evaluation: lowshot.Evaluation) -> Figure:
    """Positives, random labels and those of lowshot along the ranking."""
    figure, (ax,) = panels(1)
    random = np.random.default_rng(0).choice(len(ranking), LABELS, replace=False)
    chosen = np.array(list(evaluation.history["labels"]), dtype=np.int64)
    rows = {
        f"all {ranking.positive.sum()} positives\n(nobody knows them)": np.flatnonzero(ranking.positive),
        f"{LABELS} labels\nat random": random,
        f"{LABELS} labels\nchosen by lowshot": chosen,
    }
    for place, (name, items) in enumerate(rows.items()):
        height = -place + jitter(len(items))
        hit = ranking.positive[items]
        ax.scatter(ranking.rank[items][~hit], height[~hit], s=17, color=GREY, alpha=0.75, lw=0)
        ax.scatter(ranking.rank[items][hit], height[hit], s=24, color=ORANGE, lw=0)
        print(f"{name.splitlines()[0]}: {hit.sum()} positives, {(~ranking.predicted[items]).sum()} not predicted")
        ax.annotate(
            f"{hit.sum()} positive", (1.012, -place), xycoords=("axes fraction", "data"), va="center", color=INK
        )
    border = ranking.predicted.sum() + 0.5
    ax.axvline(border, color=PURPLE, ls="--", lw=1.2)
    ax.annotate("predicted positive ", (border, 0.52), ha="right", va="center", color=PURPLE, fontsize=9)
    ax.annotate(" not predicted", (border, 0.52), ha="left", va="center", color=PURPLE, fontsize=9)
    ax.set_xscale("log")
    ax.set_yticks([0, -1, -2], list(rows))
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="rank by score, best first (logarithmic: each step is ten times as deep)", ylim=(-2.5, 0.75))
    ax.set_xticks([1, 10, 100, 1000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    return figure


def curves_and_f1(ranking: Ranking, evaluation: lowshot.Evaluation) -> Figure:
    """Curves that fit the labels, and the F1 that each of them means."""
    figure, (left, right) = panels(2)
    sampler, view, history = evaluation.sampler, evaluation.view, evaluation._history
    assert isinstance(sampler, Curve)
    fitter, state = sampler._fitters(view).every[0], sampler._states(view, history)[0]
    bands = fitter.bands
    curves = fitter.fit(state, sampler.curves).curves
    middle = np.sqrt((bands.edge[:-1] + 1) * bands.edge[1:])
    count = bands.count.sum(axis=0)
    chance = (curves.chance * bands.count).sum(axis=1) / count  # [curve, band]; predicted items and others together
    for curve in chance[:SHOWN]:
        left.plot(middle, 100 * curve, color=BLUE, lw=0.7, alpha=0.25)
    left.plot([], [], color=BLUE, lw=1, label="curves that fit the labels")
    left.plot(middle, 100 * (curves.mean * bands.count).sum(axis=0) / count, color=BLUE, lw=2.2, label="their average")
    truth = [ranking.positive[(ranking.rank > a) & (ranking.rank <= b)].mean() for a, b in neighbours(bands.edge)]
    left.plot(middle, 100 * np.array(truth), "o", color=INK, ms=3.5, label="the truth, which nobody knows")
    items = np.array(list(evaluation.history["labels"]), dtype=np.int64)
    for value, colour, place in ((True, ORANGE, 106), (False, GREY, -6)):
        there = ranking.rank[items[ranking.positive[items] == value]]
        left.plot(there, place + 2.5 * jitter(len(there)), ".", color=colour, ms=4, label=f"label {int(value)}")
    left.set_xscale("log")
    left.set_xticks([1, 10, 100, 1000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    left.set(xlabel="rank by score, best first", ylabel="chance of being positive, %", ylim=(-11, 111))
    left.legend(fontsize=8, frameon=False, loc="upper right", bbox_to_anchor=(1, 0.93))
    left.set_title("Curves through the labels ...", fontsize=11, loc="left")

    drawn = sampler.several(view, history, evaluation.metric, [evaluation.pool.models[0]])
    found = evaluation.estimate()
    assert found.interval is not None
    right.hist(drawn.values[:, 0], bins=np.arange(0, 0.62, 0.02).tolist(), weights=drawn.weight, color=BLUE, alpha=0.75)
    top = right.get_ylim()[1]
    right.set_ylim(0, 1.3 * top)
    right.axvline(ranking.task.truth(), color=INK, lw=1.5, ls=":")
    right.annotate(
        f" truth {ranking.task.truth():.2f}", (ranking.task.truth(), 1.24 * top), va="center", color=INK, fontsize=9
    )
    right.plot([found.interval.low, found.interval.high], [1.08 * top] * 2, color=GREEN, lw=3, solid_capstyle="butt")
    right.plot(found.value, 1.08 * top, "o", color=GREEN, ms=7)
    text = f"estimate {found.value:.2f}, 95 % interval {found.interval.low:.2f} to {found.interval.high:.2f}"
    right.annotate(text, (0.01, 1.16 * top), va="center", ha="left", color=GREEN, fontsize=9)
    right.set(xlabel="F1", yticks=[], xlim=(0, 0.6))
    right.set_title("... and the F1 that each of them means", fontsize=11, loc="left")
    return figure


def by_rounds(ranking: Ranking) -> Figure:
    """The estimate after each round."""
    figure, (ax,) = panels(1)
    task = ranking.task
    evaluation = lowshot.Evaluation(task.pool, seed=0)
    labels, estimates, positives = [], [], []
    while evaluation.labels < 600 and (items := evaluation.ask(600 - evaluation.labels)):
        evaluation.tell(items, task.answer(items))
        labels.append(evaluation.labels)
        estimates.append(evaluation.estimate())
        positives.append(sum(task.answer(list(evaluation.history["labels"]))))
    value = [one.value for one in estimates]
    low, high = zip(*((one.interval.low, one.interval.high) for one in estimates if one.interval), strict=True)
    for count, one in zip(labels, estimates, strict=True):
        print(f"round ends: {one} ({count})")
    ax.fill_between(labels, low, high, color=BLUE, alpha=0.18, lw=0, label="95 % interval")
    ax.plot(labels, value, "o-", color=BLUE, ms=5, label="estimate at the end of each round")
    ax.axhline(task.truth(), color=INK, ls=":", lw=1.5, label="the truth, from all labels")
    ax.set_xscale("log")
    ax.set_xticks(labels, [f"{one:,}\n({found})" for one, found in zip(labels, positives, strict=True)])
    ax.minorticks_off()
    ax.set(xlabel="labels (positives among them)", ylabel="F1", ylim=(0, 0.62))
    ax.legend(fontsize=9, frameon=False, loc="upper right")
    return figure


def many_runs(ranking: Ranking) -> Figure:
    """The intervals of repeated evaluations: by the default, by the paper's method, by labels at random."""
    samplers = {"curve": "curve, the default", "acis": "ACIS, the paper's method", "rand": "labels at random"}
    figure, axes = panels(3)
    truth = ranking.task.truth()
    for ax, (sampler, name) in zip(axes, samplers.items(), strict=True):
        low, high, value = intervals([run(sampler, ranking.task, seed) for seed in range(RUNS)])
        order = np.argsort(value)
        holds = ((low <= truth) & (truth <= high))[order]
        for place, (one, right) in enumerate(zip(order, holds, strict=True)):
            ax.plot([low[one], high[one]], [place, place], color=BLUE if right else MISS, lw=2.2)
            ax.plot(value[one], place, "o", ms=2.6, color=INK)
        ax.axvline(truth, color=INK, ls=":", lw=1.3)
        width = float(np.mean(high - low))
        print(f"{sampler}: {holds.sum()} of {RUNS} intervals hold, mean width {width:.2f}")
        ax.set_title(f"{name}:\n{holds.sum()} of {RUNS} hold, mean width {width:.2f}", fontsize=10, loc="left")
        ax.set(xlabel=f"F1 from {LABELS} labels", yticks=[], xlim=(-0.02, 1.02), ylim=(-1, RUNS))
    return figure


def every_class() -> Figure:
    """F1 of each class with its interval, as docs/many-classes.md has it, and the truth."""
    task = data.load_classes()
    evaluation = lowshot.Evaluation(task.pool, metric="f1_macro", seed=0)
    table = api.run(evaluation, task.answer, budget=250).table()
    figure, (ax,) = panels(1, height=7.0)
    draw_dots(ax, shown := dots(table), table)
    truths = {str(name): truth for name, truth in task.truths.items()}
    ax.plot([truths[dot.name] for dot in shown], range(len(shown)), "x", color=GREEN, ms=6, mew=2, label="truth")
    ax.plot([], [], "o-", color=BLUE, ms=5, label="estimate with 95 % interval")
    ax.set_ylabel("class")
    ax.tick_params(axis="y", labelsize=7)
    ax.legend(fontsize=9, frameon=False, loc="lower left")
    return figure


def intervals(evaluations: Sequence[lowshot.Evaluation]) -> tuple[Floats, Floats, Floats]:
    """Low and high ends and values. A run without an estimate knows nothing: its value is NaN."""
    found = [one.estimate() for one in evaluations]
    ends = [(one.interval.low, one.interval.high) if one.interval else (0.0, 1.0) for one in found]
    low, high = np.array(ends).T
    return low, high, np.array([one.value for one in found])


def neighbours(edge: Integers) -> list[tuple[int, int]]:
    return list(zip(edge[:-1].tolist(), edge[1:].tolist(), strict=True))


def jitter(count: int) -> Floats:
    """Heights between -0.3 and 0.3 that keep points apart."""
    return np.array([0.6 * (number * 0.618034 % 1 - 0.5) for number in range(count)])


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.1f} %"


def panels(count: int, height: float = HEIGHT) -> tuple[Figure, list[Axes]]:
    """Axes side by side."""
    layout = ConstrainedLayoutEngine(rect=(0.025, 0.05, 0.945, 0.9), w_pad=0.12)
    figure = Figure(figsize=(WIDTH, height), layout=layout)
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.patch.set_alpha(0)
    return figure, axes


def save(figure: Figure, path: Path) -> None:
    """As PNG on a white background with round corners, transparent outside of it."""
    width, height = figure.get_size_inches()
    figure.patch.set_alpha(0)
    figure.add_artist(
        FancyBboxPatch(
            (0.004, 0.01),
            0.992,
            0.98,
            boxstyle="round,pad=0,rounding_size=0.02",
            mutation_aspect=width / height,
            transform=figure.transFigure,
            facecolor="white",
            edgecolor="#d5d9de",
            zorder=-10,
        )
    )
    figure.savefig(path, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
