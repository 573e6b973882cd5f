"""What `disagree` must reach, and its groups."""

from collections.abc import Iterator, Sequence
from itertools import chain, product

import numpy as np
import pyarrow as pa

from lowshot.core.types import Flags
from lowshot_bench.experiment import Experiment
from lowshot_bench.families.disagree import EQUAL
from lowshot_bench.several.bar import Goal, Line, Lines, Tables, Worst, share_at_least, share_at_most
from lowshot_bench.several.numbers import (
    against,
    budgets_of,
    coverage_of,
    decimal,
    details_table,
    listed,
    mean_of,
    of,
    percent_of,
    root_of,
    share_of,
    squares,
)
from lowshot_bench.several.pairs import BASELINE, CANDIDATE, DIFFERENCE, LOOKS
from lowshot_bench.several.pairs_report import among, joined
from lowshot_bench.several.sample import Number, Sample
from lowshot_bench.zoo_summary import Runs, runs_of

COVERED = share_at_least(0.92)
WIDE = Goal(5.5)  # mean width / root mean squared error, which is 3.9 for a normal error and its 95 % interval
ALONE = Goal(1.0)
AT = (30, 70, 150, 300)  # numbers of labels at which intervals are judged
VERDICTS = (20, 35, 60, 100, 150)  # the same for verdicts between models of the same F1
JOINT = ("pair", "each")


def verdict(runs: Runs) -> Flags:
    """Whether the interval of the difference leaves out 0, so that one model is said to be better."""
    found: Flags = (runs.low > 0) | (runs.high < 0)
    return found


def tables(experiment: Experiment, table: pa.Table) -> Tables:
    """The lines of the bar, and the table of all groups."""
    difference = runs_of(table, DIFFERENCE)
    both = joined(runs_of(table, BASELINE), runs_of(table, CANDIDATE))
    sample = Sample(difference)
    independent = [name for name in sample.groups if name.startswith("independent")]
    lines = chain(
        _coverage_lines(sample, _in(both, independent), "independent", "F1 of each"),
        _error_lines(sample, _in(both, independent)),
        _coverage_lines(sample, _in(both, ["frauds"]), "frauds", "F1 of each"),
        _coverage_lines(sample, _in(difference, ["frauds"]), "frauds", "difference"),
        *(_verdict_lines(sample, _in(difference, names)) for names in (*([name] for name in EQUAL), list(EQUAL))),
    )
    return lines, _details(sample, both, difference, budgets_of(experiment, both))


def _in(runs: Runs, groups: Sequence[str]) -> Runs:
    return runs.where(np.isin(runs.dataset.astype(str), groups))


def _line(what: str, numbers: dict[str, Number], goal: Goal, beside: str = "") -> Line:
    """A line without the scopes of images and zoo, as every pool is simulated."""
    together = {scope: found for scope, found in numbers.items() if scope == "together"}
    return Line(what, together, {"together": goal}, goal.percent, beside)


def _coverage_lines(sample: Sample, runs: Runs, words: str, what: str) -> Lines:
    """Coverage of each cell beside width and error, that of all cells, and the largest width for its error."""
    runs = runs.where(np.isin(runs.method.astype(str), JOINT) & np.isin(runs.labels, AT))
    ratios = {}
    for name, method, labels, cell in _cells(runs):
        width, root = (found["together"].value for found in (mean_of(sample, cell, cell.width), root_of(sample, cell)))
        beside = f"width {decimal(width)}, error {decimal(root)}"
        yield _line(f"{name}, {method}: {what} covered at {labels}", coverage_of(sample, cell), COVERED, beside)
        ratio = sample.mean(cell, cell.width) / np.sqrt(squares(sample, cell))
        ratios[f"{name} {method} {labels}"] = sample.average(ratio)["together"]
    if ratios:
        yield _line(f"{words}: {what} covered, mean", coverage_of(sample, runs), COVERED)
        yield Worst(f"{words}: {what}, mean width / root mean squared error, largest", ratios, WIDE)


def _cells(runs: Runs) -> Iterator[tuple[str, str, int, Runs]]:
    for name, method, labels in product(sorted(set(runs.dataset)), JOINT, AT):
        cell = of(_in(runs, [name]), method, labels)
        if len(cell):
            yield name, method, labels, cell


def _error_lines(sample: Sample, runs: Runs) -> Lines:
    """What labels for two models are worth to each of them, beside as many labels for it alone."""
    at = [labels for labels in AT if (runs.labels == labels).any()]
    ratios = {labels: np.sqrt(against(sample, runs, "each", "alone", labels)) for labels in at}
    what = "each: root mean squared error / one model alone"
    for name in sorted(set(runs.dataset)):
        for labels, ratio in ratios.items():
            yield _line(f"{name}, {what} at {labels}", {"together": sample.by_group(ratio)[name]}, ALONE)
    if ratios:
        mean = np.exp(np.mean([np.log(ratio) for ratio in ratios.values()], axis=0))
        yield _line(f"independent, {what}, mean", sample.geometric(mean), ALONE)


def _verdict_lines(sample: Sample, runs: Runs) -> Lines:
    """How often one of two models with the same F1 is said to be better."""
    if not len(runs):
        return
    words = " and ".join(sorted(set(runs.dataset)))
    for labels in VERDICTS:
        found = runs.where(runs.labels == labels)
        yield _line(f"{words}: false verdict at {labels}", _share(sample, found, verdict(found)), share_at_most(0.05))
    looks = runs.where(np.isin(runs.labels, VERDICTS))
    yield _line(f"{words}: false verdict, mean", _share(sample, looks, verdict(looks)), share_at_most(0.05))
    for looked, when, goal in (
        (VERDICTS, f"at any of {listed(list(VERDICTS))}", share_at_most(0.08)),
        (LOOKS, f"at the first verdict after a round, up to {LOOKS[-1]}", share_at_most(0.10)),
    ):
        looks = runs.where(np.isin(runs.labels, looked))
        once = looks.where(looks.labels == looked[0])
        stopped = among(once, looks.where(verdict(looks)))
        yield _line(f"{words}: false verdict {when}", _share(sample, once, stopped), goal)


def _share(sample: Sample, runs: Runs, flags: Flags) -> dict[str, Number]:
    return share_of(sample, runs, flags, np.ones(len(runs), dtype=np.bool_))


def _details(sample: Sample, both: Runs, difference: Runs, budgets: list[int]) -> str:
    def cell(labels: int) -> dict[str, str]:
        found = [of(both, method, labels) for method in (*JOINT, "alone")]
        held, width = ([sample.mean(each, getattr(each, name))[0] for each in found] for name in ("held", "width"))
        root = [np.sqrt(squares(sample, each))[0] for each in found]
        return {
            name: "; ".join(
                f"{percent_of(h[g])} {decimal(w[g])} {decimal(r[g])}" for h, w, r in zip(held, width, root, strict=True)
            )
            for g, name in enumerate(sample.groups)
        }

    words = f"coverage, width and error of both F1 with {', '.join((*JOINT, 'alone'))}"
    return details_table(sample, words, {labels: cell(labels) for labels in budgets}, difference)
