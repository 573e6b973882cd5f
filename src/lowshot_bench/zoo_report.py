"""Tables about one method on a folder of real pools, as Markdown: `lowshot bench report --zoo`."""

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lowshot.core.types import Flags
from lowshot_bench.experiment import Experiment, Finished
from lowshot_bench.experiment_report import table_head, table_row
from lowshot_bench.families.near_perfect import LEVELS
from lowshot_bench.rows import methods_in, read
from lowshot_bench.summary import BASELINES
from lowshot_bench.zoo_summary import (
    Mean,
    Runs,
    Warned,
    error_ratio,
    far_off,
    lowest_coverage,
    result,
    runs_of,
    warned_when,
)

VERY_GOOD = 0.95  # pools whose true value is above this are shown apart, too
RELATIVE = ("prevalence",)  # metrics whose errors are shown as a share of the truth, which may be 0.001
SHOWN = {"f1": "F1"}  # how a metric is written
SHORT = (30, 70, 150, 310)  # numbers of labels in the short table
CELL = "root mean squared error ± standard error; coverage of the 95 % interval; mean width; interval score"
ALL_OR_NONE = "Where all or none of n intervals hold, the standard error is that of the share (k + 1) / (n + 2)."


def zoo(found: Finished, method: str) -> list[str]:
    """The tables of every metric, from the experiments on folders of pools."""
    return [
        text
        for experiment, table in _with_rows_of(method, found)
        for target in ("own", *experiment.also)
        for text in metric_tables(experiment, target, runs_of(table, target, target in RELATIVE), method)
    ]


def trust(found: Finished, method: str) -> list[str]:
    """One short table: for each metric and kind of pools, how far estimates are off and how often intervals hold."""
    lines: list[str] = []
    for experiment, table in _with_rows_of(method, found):
        for target in ("own", *experiment.also):
            metric = experiment.metric if target == "own" else target
            runs = runs_of(table, target, target in RELATIVE)
            lines += _trust_rows(runs.where(runs.method == method), metric)
    head = table_head(["metric", "pools (data sets)", *(f"{budget} labels" for budget in SHORT)])
    return ["\n".join([*head, *lines])] if lines else []


def _with_rows_of(method: str, found: Finished) -> Iterator[tuple[Experiment, pa.Table]]:
    """The experiments on folders of pools that have rows of this method, with their rows."""
    for experiment, path in found:
        if experiment.of_pools and method in methods_in(table := read([path])):
            yield experiment, table


def _trust_rows(runs: Runs, metric: str) -> Iterator[str]:
    for title, chosen in groups_of(runs, metric):
        group = runs.where(chosen)
        if len(group):
            cells = [_trusted(group.where(group.labels == budget)) for budget in SHORT]
            yield table_row([_shown(metric), f"{title} ({len(set(group.dataset))})", *cells])


def _trusted(runs: Runs) -> str:
    if not len(runs):
        return "-"
    root, coverage, width, _ = result(runs)
    return f"{root.value:.3f}; {100 * coverage.value:.0f} %; {_plain(width)}"


def metric_tables(experiment: Experiment, target: str, runs: Runs, method: str) -> list[str]:
    """The tables of one metric: by kind, by data set, and how often there was a warning."""
    metric = experiment.metric if target == "own" else target
    chosen_for = "" if target == "own" else f", from labels that were chosen for {_shown(experiment.metric)}"
    share = "; everything as a share of the true value" if target in RELATIVE else ""
    baseline = better_baseline(runs)
    runs = runs.where(np.isin(runs.method.astype(str), (baseline, method)))
    return [
        f"### {_shown(metric)}{chosen_for}",
        f"By kind, every data set counts alike. Each entry: {CELL}{share}. {ALL_OR_NONE}",
        groups_table(runs, metric, method, baseline),
        f"By data set, {method}. Each entry: the same, and the ratio of the mean squared error to that of {baseline}.",
        datasets_table(runs, method, baseline),
        f"How often {method} gave a warning.",
        warnings_table(runs.where(runs.method == method)),
    ]


def better_baseline(runs: Runs) -> str:
    """The one of BASELINES with the lower errors on all of these runs; the first one if there is no other."""
    printed, stratum = (runs.where(runs.method == name) for name in BASELINES)
    found = error_ratio(stratum, printed)
    return BASELINES[len(stratum) > 0 and (found is None or found.mean < 1)]


def _shown(metric: str) -> str:
    return SHOWN.get(metric, metric)


# ---- by kind ---------------------------------------------------------------------------------------------------------


def groups_of(runs: Runs, metric: str) -> Iterator[tuple[str, Flags]]:
    """Groups of pools with their titles. Pools that were made by deleting mistakes are in groups of their own."""
    real = runs.level == ""
    kinds = list(dict.fromkeys(runs.kind[real]))
    yield from ((kind, real & (runs.kind == kind)) for kind in kinds)
    if len(kinds) > 1:
        yield "all kinds", real
    if metric == "recall":
        yield "only points `screen`", real & (runs.point == "screen")
    if metric not in RELATIVE:
        yield f"only true {_shown(metric)} above {VERY_GOOD}", real & (runs.truth > VERY_GOOD)
    for level, f1 in LEVELS.items():
        yield f"made {level}: mistakes deleted until F1 is {f1:g}", runs.level == level


def groups_table(runs: Runs, metric: str, method: str, baseline: str) -> str:
    """Four rows per group: the baseline, the method, the ratio of their errors, the lowest coverage of a data set."""
    budgets = _budgets(runs)
    lines = table_head(["pools (data sets, pools)", "method", *(f"{budget} labels" for budget in budgets)])
    for title, chosen in groups_of(runs, metric):
        group = runs.where(chosen)
        if not (group.method == method).any():
            continue
        datasets, pools = (len(set(names)) for names in (group.dataset, group.task))
        name = f"{title} ({datasets}, {pools})"
        for words, cells in _group_rows(group, method, baseline, budgets):
            lines.append(table_row([name, words, *cells]))
            name = ""
    return "\n".join(lines)


def _group_rows(group: Runs, method: str, baseline: str, budgets: list[int]) -> Iterator[tuple[str, list[str]]]:
    at = [group.where(group.labels == budget) for budget in budgets]
    mine, other = ([runs.where(runs.method == name) for runs in at] for name in (method, baseline))
    compared = method != baseline and any(map(len, other))
    if compared:
        yield baseline, [_result(runs) for runs in other]
    yield method, [_result(runs) for runs in mine]
    if compared:
        pairs = zip(mine, other, strict=True)
        yield "ratio of squared errors, data sets above 1", [_ratio(*pair) for pair in pairs]
    if len(set(group.dataset)) > 1:
        yield f"lowest coverage of {method}", [_lowest(runs) for runs in mine]


def _result(runs: Runs) -> str:
    if not len(runs):
        return "-"
    root, coverage, width, score = result(runs)
    return f"{_number(root)}; {_share(coverage)}; {_plain(width)}; {_plain(score)}"


def _ratio(mine: Runs, other: Runs) -> str:
    found = error_ratio(mine, other)
    return "-" if found is None else f"{found.mean:.2f}, {found.above} of {found.datasets}"


def _lowest(runs: Runs) -> str:
    if not len(runs) or np.isnan(runs.held).any():
        return "-"
    dataset, coverage = lowest_coverage(runs)
    return f"{dataset} {_share(coverage)}"


# ---- by data set -----------------------------------------------------------------------------------------------------


def datasets_table(runs: Runs, method: str, baseline: str) -> str:
    """One row per data set, of the real pools."""
    budgets = _budgets(runs)
    lines = table_head(["kind", "data set (pools)", *(f"{budget} labels" for budget in budgets)])
    runs = runs.where(runs.level == "")
    for kind, dataset in sorted(set(zip(runs.kind, runs.dataset, strict=True))):
        here = runs.where(runs.dataset == dataset)
        cells = [_against(here.where(here.labels == budget), method, baseline) for budget in budgets]
        lines.append(table_row([kind, f"{dataset} ({len(set(here.task))})", *cells]))
    return "\n".join(lines)


def _against(runs: Runs, method: str, baseline: str) -> str:
    mine, other = runs.where(runs.method == method), runs.where(runs.method == baseline)
    if method == baseline or not (len(mine) and len(other)):
        return _result(mine)
    found = error_ratio(mine, other)
    return f"{_result(mine)}; {found.mean:.2f}" if found else _result(mine)


# ---- warnings --------------------------------------------------------------------------------------------------------


def warnings_table(runs: Runs) -> str:
    """The share of runs with a warning, by whether the interval was far off or held."""
    budgets = _budgets(runs)
    lines = table_head(["runs", *(f"{budget} labels" for budget in budgets)])
    for pools, chosen in (("real pools", runs.level == ""), ("made pools", runs.level != "")):
        group = runs.where(chosen)
        if not len(group):
            continue
        for title, when in (
            ("the interval misses by more than half of its width", far_off(group)),
            ("the interval holds", group.held == 1),
        ):
            cells = [_warned(warned_when(group, when & (group.labels == budget))) for budget in budgets]
            lines.append(table_row([f"{pools}: {title}", *cells]))
    return "\n".join(lines)


def _warned(found: Warned) -> str:
    return f"{found.warnings} of {found.runs} ({100 * found.warnings / found.runs:.0f} %)" if found.runs else "-"


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _budgets(runs: Runs) -> list[int]:
    return sorted(set(runs.labels.tolist()))


def _number(found: Mean) -> str:
    return f"{found.value:.3f}" + ("" if math.isnan(found.error) else f" ± {found.error:.3f}")


def _share(found: Mean) -> str:
    if math.isnan(found.value):
        return "-"
    error = "" if math.isnan(found.error) else f" ± {100 * found.error:.1f} %"
    return f"{100 * found.value:.1f} %{error}"


def _plain(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"
