"""The numbers that the tables of several experiments share, from runs."""

import math

import numpy as np

from lowshot.core.types import Flags, Floats, Integers
from lowshot_bench.experiment import Experiment
from lowshot_bench.experiment_report import table_head, table_row
from lowshot_bench.several.sample import Number, Sample, over_groups, ratio
from lowshot_bench.summary import share_error
from lowshot_bench.zoo_summary import Runs


def of(runs: Runs, method: str, labels: int | None = None) -> Runs:
    """The runs of one method, at one number of labels if it is given."""
    chosen = runs.method == method
    return runs.where(chosen if labels is None else chosen & (runs.labels == labels))


def budgets_of(experiment: Experiment, runs: Runs) -> list[int]:
    """The numbers of labels of the experiment that the runs have."""
    return [labels for labels in experiment.budgets if (runs.labels == labels).any()]


def mean_of(sample: Sample, runs: Runs, values: Flags | Floats | Integers) -> dict[str, Number]:
    """The mean of a quantity of the runs, for each scope."""
    means = sample.mean(runs, np.asarray(values, dtype=np.float64))
    return sample.average(means)


def coverage_of(sample: Sample, runs: Runs) -> dict[str, Number]:
    """The coverage for each scope. Its standard error is not 0 where all or none of the intervals hold."""
    found = mean_of(sample, runs, runs.held)
    scopes = sample.scopes()
    return {
        scope: Number(value, share_error(value, error, _count(sample, runs, scopes[scope])))
        for scope, (value, error) in found.items()
    }


def _count(sample: Sample, runs: Runs, chosen: Flags) -> int:
    return int(np.isin(runs.dataset.astype(str), np.array(sample.groups)[chosen]).sum())


def root_of(sample: Sample, runs: Runs) -> dict[str, Number]:
    """The root mean squared error for each scope."""
    means = squares(sample, runs)
    return sample.numbers(lambda chosen: np.sqrt(over_groups(means, chosen)))


def squares(sample: Sample, runs: Runs) -> Floats:
    """The mean squared error, [number and again, group]."""
    return sample.mean(runs, runs.square)


def against(sample: Sample, runs: Runs, method: str, other: str, labels: int) -> Floats:
    """The ratio of mean squared errors of two methods, [number and again, group]."""
    return ratio(*(squares(sample, of(runs, name, labels)) for name in (method, other)))


Weighed = tuple[Runs, Floats]


def ratio_of_means(sample: Sample, above: Weighed, below: Weighed) -> dict[str, Number]:
    """The ratio of two means over the groups that have both, for each scope."""
    one, two = sample.mean(*above), sample.mean(*below)
    both = np.where(np.isnan(one) | np.isnan(two), np.nan, 1.0)
    return sample.numbers(lambda chosen: over_groups(one * both, chosen) / over_groups(two * both, chosen))


def share_of(sample: Sample, runs: Runs, part: Flags, whole: Flags) -> dict[str, Number]:
    """The share of `part` in `whole`, each a mean in which every group counts alike."""
    if not len(runs):
        return {}
    one, two = (sample.mean(runs, flags.astype(np.float64)) for flags in (part, whole))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = sample.numbers(lambda chosen: over_groups(one, chosen) / over_groups(two, chosen))
    scopes = sample.scopes()
    count = {scope: _count(sample, runs.where(whole), scopes[scope]) for scope in found}
    return {
        scope: Number(value, share_error(value, error, count[scope]) if count[scope] else math.nan)
        for scope, (value, error) in found.items()
    }


def share_by_group(sample: Sample, runs: Runs, part: Flags, whole: Flags) -> dict[str, Number]:
    """The same for each group."""
    one, two = (sample.mean(runs, flags.astype(np.float64)) for flags in (part, whole))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = sample.by_group(one / two)
    return with_share_errors(runs.where(whole), found)


def with_share_errors(runs: Runs, found: dict[str, Number]) -> dict[str, Number]:
    """A share of 0 or 1 has a standard error, too."""
    count = {name: int((runs.dataset == name).sum()) for name in found}
    return {
        name: Number(value, share_error(value, error, count[name]) if count[name] else math.nan)
        for name, (value, error) in found.items()
    }


def details_table(sample: Sample, words: str, cells: dict[int, dict[str, str]], runs: Runs) -> str:
    """One row per group, with the number of its tasks and runs of the first method."""
    first = runs.where(runs.method == runs.method[0]) if len(runs) else runs
    first = first.where(first.labels == min(cells, default=0))
    lines = table_head([f"group (tasks, runs): {words}", *(f"{labels} labels" for labels in cells)])
    for name in sample.groups:
        here = first.where(first.dataset == name)
        shown = f"{name} ({len(set(here.task))}, {len(here)})"
        lines.append(table_row([shown, *(found[name] for found in cells.values())]))
    return "\n".join(lines)


def percent_of(value: float) -> str:
    """As a table shows it.

    >>> percent_of(0.654), percent_of(math.nan)
    ('65 %', '-')
    """
    return "-" if math.isnan(value) else f"{100 * value:.0f} %"


def decimal(value: float) -> str:
    """As a table shows it.

    >>> decimal(0.65432), decimal(math.nan)
    ('0.654', '-')
    """
    return "-" if math.isnan(value) else f"{value:.3f}"


def listed(budgets: list[int]) -> str:
    """As a sentence names them.

    >>> listed([30, 70, 150])
    '30, 70, 150'
    """
    return ", ".join(map(str, budgets))
