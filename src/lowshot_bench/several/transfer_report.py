"""What `transfer` must reach, and its groups."""

import numpy as np
import pyarrow as pa

from lowshot_bench.experiment import Experiment
from lowshot_bench.several.bar import Goal, Line, Lines, Tables, Worst, share_at_least
from lowshot_bench.several.numbers import (
    against,
    budgets_of,
    coverage_of,
    decimal,
    details_table,
    of,
    percent_of,
    squares,
)
from lowshot_bench.several.pairs import BASELINE, CANDIDATE
from lowshot_bench.several.sample import Sample
from lowshot_bench.zoo_summary import Runs, runs_of


def tables(experiment: Experiment, table: pa.Table) -> Tables:
    """The lines of the bar, and the table of all groups."""
    runs, before = runs_of(table, CANDIDATE), runs_of(table, BASELINE)
    sample = Sample(runs)
    return _lines(experiment, runs, before, sample), _details(experiment, runs, sample)


def _lines(experiment: Experiment, runs: Runs, before: Runs, sample: Sample) -> Lines:
    for labels in budgets_of(experiment, runs):
        decides = labels == 150
        for method in ("with_model", "predictions"):
            bound = decides and method == "with_model"
            roots = np.sqrt(against(sample, runs, method, "own", labels))
            numbers = sample.geometric(roots)
            what = f"{method}: root mean squared error / own set at {labels} labels"
            yield Line(what, numbers, {"together": Goal(1.6)} if bound else {})
            if bound:
                yield Worst(f"{method}: the same, worst group", sample.by_group(roots), Goal(4.0))
            limit = {"together": share_at_least(0.93)} if bound else {}
            covered = coverage_of(sample, of(runs, method, labels))
            yield Line(f"{method}: coverage at {labels}", covered, limit, True)
        roots = np.sqrt(against(sample, before, "with_model", "first", labels))
        numbers = sample.geometric(roots)
        what = f"first model: root mean squared error after / before at {labels}"
        yield Line(what, numbers, {"together": Goal(1.0)} if decides else {})


def _details(experiment: Experiment, runs: Runs, sample: Sample) -> str:
    def cell(labels: int) -> dict[str, str]:
        roots = [np.sqrt(squares(sample, of(runs, name, labels))[0]) for name in ("with_model", "own")]
        mine = of(runs, "with_model", labels)
        held = sample.mean(mine, mine.held)[0]
        return {
            name: f"{decimal(roots[0][g])}; {decimal(roots[1][g])}; {percent_of(held[g])}"
            for g, name in enumerate(sample.groups)
        }

    words = "root mean squared error of the second model; of an own set; coverage"
    return details_table(sample, words, {labels: cell(labels) for labels in budgets_of(experiment, runs)}, runs)
