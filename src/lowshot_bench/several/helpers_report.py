"""What `helpers` must reach, and its groups."""

import numpy as np
import pyarrow as pa

from lowshot.core.types import Floats
from lowshot_bench.experiment import Experiment
from lowshot_bench.several.bar import Goal, Line, Lines, Tables, Worst, share_at_most
from lowshot_bench.several.helpers import ROLE, USEFUL, USELESS
from lowshot_bench.several.numbers import against, budgets_of, coverage_of, decimal, details_table, listed, of, squares
from lowshot_bench.several.sample import Sample
from lowshot_bench.zoo_summary import Runs, runs_of


def tables(experiment: Experiment, table: pa.Table) -> Tables:
    """The lines of the bar, and the table of all groups."""
    runs = runs_of(table, "own")
    useless = np.array([kind.startswith(ROLE) for kind in runs.kind], dtype=np.bool_)
    useful, useless_runs = runs.where(~useless), runs.where(useless)
    lines = [*_helper_lines(experiment, useful), *_useless_lines(experiment, useless_runs)]
    details = [_details(experiment, each) for each in (useful, useless_runs) if len(each)]
    return iter(lines), "\n\n".join(details)


def _helper_lines(experiment: Experiment, runs: Runs) -> Lines:
    if not len(runs):
        return
    sample, budgets = Sample(runs), budgets_of(experiment, runs)
    for labels in budgets:
        numbers = sample.geometric(against(sample, runs, "helper", "none", labels))
        yield Line(f"helper: squared error / none at {labels} labels", numbers, {"together": Goal(0.65)})
    for method in ("helper", "missing"):
        mean = _mean_ratio(sample, runs, method, budgets)
        numbers = sample.geometric(mean)
        limit = Goal(0.65) if method == "helper" else Goal(1.05)
        yield Line(f"{method}: the same, mean over {listed(budgets)}", numbers, {"together": limit})
        yield Worst(f"{method}: the same, worst group", sample.by_group(mean), Goal(1.05))
    yield from _coverages(sample, runs, USEFUL)


def _useless_lines(experiment: Experiment, runs: Runs) -> Lines:
    if not len(runs):
        return
    sample, budgets = Sample(runs), budgets_of(experiment, runs)
    for method in [name for name in USELESS[1:] if (runs.method == name).any()]:
        mean = _mean_ratio(sample, runs, method, budgets)
        numbers = sample.geometric(mean)
        what = f"useless, {method}: squared error / none, mean over {listed(budgets)}"
        yield Line(what, numbers, {"together": Goal(1.05)})
        yield Worst(f"useless, {method}: the same, worst group", sample.by_group(mean), Goal(1.05))
    yield from _coverages(sample, runs, USELESS)


def _coverages(sample: Sample, runs: Runs, methods: tuple[str, ...]) -> Lines:
    """The coverage of each method, and by how much it is below that without a helper."""
    none = of(runs, methods[0])
    yield Line(f"coverage, {methods[0]}", coverage_of(sample, none), percent=True)
    for method in [name for name in methods[1:] if (runs.method == name).any()]:
        mine = of(runs, method)
        lost = sample.mean(none, none.held) - sample.mean(mine, mine.held)
        yield Line(
            f"coverage of none minus that of {method}", sample.average(lost), {"together": share_at_most(0.0)}, True
        )


def _mean_ratio(sample: Sample, runs: Runs, method: str, budgets: list[int]) -> Floats:
    """The geometric mean over numbers of labels of the ratio to no helper, [number and again, group]."""
    logs = [np.log(against(sample, runs, method, "none", labels)) for labels in budgets]
    found: Floats = np.exp(np.mean(logs, axis=0))
    return found


def _details(experiment: Experiment, runs: Runs) -> str:
    sample = Sample(runs)
    methods = [name for name in dict.fromkeys(runs.method) if name != "none"]

    def cell(labels: int) -> dict[str, str]:
        root = np.sqrt(squares(sample, of(runs, "none", labels))[0])
        ratios = [against(sample, runs, name, "none", labels)[0] for name in methods]
        return {
            name: "; ".join([decimal(root[g]), *(decimal(each[g]) for each in ratios)])
            for g, name in enumerate(sample.groups)
        }

    words = f"root mean squared error of none; squared errors / none: {', '.join(methods)}"
    return details_table(sample, words, {labels: cell(labels) for labels in budgets_of(experiment, runs)}, runs)
