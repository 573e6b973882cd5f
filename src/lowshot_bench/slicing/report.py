"""The tables about slices: what must be reached, then every group."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lowshot_bench.experiment import Experiment
from lowshot_bench.families.slices import DIFFERENT, RANDOM
from lowshot_bench.several.bar import Goal, Line, Lines, bar_table, share_at_least
from lowshot_bench.several.numbers import (
    against,
    budgets_of,
    coverage_of,
    decimal,
    details_table,
    mean_of,
    of,
    percent_of,
    root_of,
    squares,
)
from lowshot_bench.several.report import EXPLAINED
from lowshot_bench.several.sample import Sample
from lowshot_bench.zoo_summary import Runs, runs_of

AT = 300  # labels at which the goals are set
GOALS = {RANDOM: 0.4, DIFFERENT: 0.8}  # of the squared error, relative to that from the labels of a slice alone
OTHERS = {"labels": "its own labels without beliefs", "own": "its own labels with sampler curve"}


def section(experiment: Experiment, table: pa.Table, command: str) -> str:
    """All tables of the experiment."""
    title = f"## {experiment.title} ({experiment.paper})"
    rule = "F1 of each of 10 slices, from labels that were drawn for the whole pool."
    parts = [title, f"`{command}`, seed {experiment.seed}. {rule} {EXPLAINED}", bar_table(list(bar(experiment, table)))]
    for kind in GOALS:
        runs = runs_of(table, kind)
        if len(runs):
            parts += [f"{kind.capitalize()} slices, by group:", _details(experiment, runs)]
    return "\n\n".join([*parts, ""])


def bar(experiment: Experiment, table: pa.Table) -> Lines:
    """One line per number with a goal, and what explains it."""
    for kind in GOALS:
        runs = runs_of(table, kind)
        if len(runs):
            yield from _lines(experiment, runs, kind)


def _lines(experiment: Experiment, runs: Runs, kind: str) -> Iterator[Line]:
    sample = Sample(runs)
    for labels in budgets_of(experiment, runs):
        mine, decides = of(runs, "slices", labels), labels == AT
        for other, words in OTHERS.items():
            ratios = sample.geometric(against(sample, runs, "slices", other, labels))
            goals = {"images": Goal(GOALS[kind])} if decides else {}
            yield Line(f"{kind}: squared error / {words}, {labels} labels", ratios, goals)
        yield Line(f"{kind}: root mean squared error, {labels} labels", root_of(sample, mine))
        goals = {"images": share_at_least(0.93)} if decides else {}
        yield Line(f"{kind}: coverage, {labels} labels", coverage_of(sample, mine), goals, True)
        for method in ("slices", "own"):
            one = of(runs, method, labels)
            yield Line(f"{kind}: width of {method}, {labels} labels", mean_of(sample, one, one.width))


def _details(experiment: Experiment, runs: Runs) -> str:
    sample = Sample(runs)

    def cell(labels: int) -> dict[str, str]:
        roots = [np.sqrt(squares(sample, of(runs, name, labels))[0]) for name in ("slices", "own", "labels")]
        mine = of(runs, "slices", labels)
        held = sample.mean(mine, mine.held)[0]
        return {
            name: "; ".join([*(decimal(root[place]) for root in roots), percent_of(held[place])])
            for place, name in enumerate(sample.groups)
        }

    words = "root mean squared error of slices; own; labels; coverage of slices"
    return details_table(sample, words, {labels: cell(labels) for labels in budgets_of(experiment, runs)}, runs)
