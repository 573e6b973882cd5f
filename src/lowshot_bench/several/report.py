"""The tables of experiments about several models: what must be reached, then every group."""

from collections.abc import Callable

import pyarrow as pa

from lowshot_bench.experiment import Experiment
from lowshot_bench.several import best_report, disagree_report, helpers_report, pairs_report, transfer_report
from lowshot_bench.several.bar import Tables, bar_table

EXPLAINED = (
    "Every group ({}) counts alike; ± is a standard error by bootstrap over the tasks of each group."
    " Missed: beyond the goal by more than 2 standard errors."
)
KINDS: dict[str, Callable[[Experiment, pa.Table], Tables]] = {
    "pairs": pairs_report.tables,
    "helpers": helpers_report.tables,
    "transfer": transfer_report.tables,
    "best": best_report.tables,
    "disagree": disagree_report.tables,
}


def section(experiment: Experiment, table: pa.Table, command: str) -> str:
    """All tables of one experiment."""
    lines, groups = KINDS[experiment.kind](experiment, table)
    counted = "a data set of the zoo, or a set of image models" if experiment.needs_data else "a kind of simulated pair"
    title = f"## {experiment.title} ({experiment.paper})"
    about = f"`{command}`, seed {experiment.seed}. {EXPLAINED.format(counted)}"
    return "\n\n".join([title, about, bar_table(list(lines)), "By group:", groups, ""])
