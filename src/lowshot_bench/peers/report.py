"""The tables of the comparison with other packages: error, coverage, width, and labels until a decision."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lowshot.core.types import Flags, Floats
from lowshot_bench.experiment import Experiment
from lowshot_bench.experiment_report import table_head, table_row
from lowshot_bench.peers.sharing import F1, PRECISION, PREVALENCE
from lowshot_bench.several.numbers import budgets_of, coverage_of, mean_of, of, root_of, share_of
from lowshot_bench.several.sample import Number, Sample
from lowshot_bench.zoo_summary import Runs, runs_of

SHOWN = (30, 100, 300)  # numbers of labels in the tables; a gate is looked at after each one of the experiment
MARGIN = 0.1  # of a gate: the bar is so far from the truth, above or below
SCOPES = {"zoo": "real pools of several kinds", "images": "the six categories that are shipped"}
QUESTIONS = {F1: "F1", PRECISION: "Precision", PREVALENCE: "Prevalence, relative to the true one"}
CELLS = "root mean squared error ± standard error; coverage of the 95 % interval ± standard error; mean width"
EXPLAINED = (
    "Every data set counts alike; ± is a standard error by bootstrap over the pools of each data set, and that of"
    " Laplace's rule where all or no runs count."
    " No answer counts as 0, and its interval as 0 to 1; where some runs have none, their share is given."
)


def section(experiment: Experiment, table: pa.Table, command: str) -> str:
    """All tables of the experiment."""
    title = f"## {experiment.title} ({experiment.paper})"
    parts = [title, f"`{command}`, seed {experiment.seed}. {EXPLAINED}"]
    for target, words in QUESTIONS.items():
        runs = runs_of(table, target, relative=target == PREVALENCE)
        for scope in scopes_of(runs):
            parts += [f"### {words}: {SCOPES[scope]}", question_table(experiment, runs, scope)]
    runs = runs_of(table, F1)
    for scope in scopes_of(runs):
        parts += [f"### Is F1 at least so high: {SCOPES[scope]}", gate_table(experiment, runs, scope)]
    return "\n\n".join([*parts, *_bargain(table), ""])


def scopes_of(runs: Runs) -> list[str]:
    """The scopes that have runs."""
    there = Sample(runs).scopes() if len(runs) else {}
    return [scope for scope in SCOPES if scope in there]


def question_table(experiment: Experiment, runs: Runs, scope: str) -> str:
    """One line per method, one column per number of labels."""
    sample = Sample(runs)
    budgets = [labels for labels in budgets_of(experiment, runs) if labels in SHOWN]
    lines = table_head([CELLS, *(f"{labels} labels" for labels in budgets)])
    for method in dict.fromkeys(runs.method):
        cells = [_cell(sample, of(runs, method, labels), scope) for labels in budgets]
        lines.append(table_row([f"`{method}`", *cells]))
    return "\n".join(lines)


def _cell(sample: Sample, runs: Runs, scope: str) -> str:
    shown = [_decimals(root_of(sample, runs)[scope])]
    if not np.isnan(runs.width).all():
        shown.append(_percent(coverage_of(sample, runs)[scope]))
        shown.append(f"{mean_of(sample, runs, runs.width)[scope].value:.2f}")
    nothing = mean_of(sample, runs, runs.warned)[scope].value
    return "; ".join([*shown, f"none {100 * nothing:.0f} %"] if round(100 * nothing) else shown)


def _decimals(found: Number) -> str:
    return f"{found.value:.3f} ± {found.error:.3f}"


def _percent(found: Number) -> str:
    """
    >>> _percent(Number(0.954, 0.012))
    '95 ± 1 %'
    """
    return "-" if math.isnan(found.value) else f"{100 * found.value:.0f} ± {100 * found.error:.0f} %"


# ---- the gate --------------------------------------------------------------------------------------------------------


class Gates(NamedTuple):
    """Runs of one method, once per bar, and what was decided at the first look whose interval leaves out the bar."""

    runs: Runs  # at the first look
    labels: Floats  # until the decision; infinite if there was none
    wrong: Flags


def gates(runs: Runs) -> Gates:
    """The decisions of one method, from its rows at all numbers of labels.

    >>> from lowshot_bench.rows import Row, table_of
    >>> wide = Row("tabular", 0, "curve", "f1", 0, 30, 0.5, None, 0.3, 0.7, 0.5, 0.0, "a/x/y", False)
    >>> narrow = wide._replace(labels=100, low=0.45, high=0.65)
    >>> found = gates(runs_of(table_of([wide, narrow]), "f1"))
    >>> found.labels.tolist(), found.wrong.tolist()              # bars at 0.4 and 0.6
    ([100.0, inf], [False, False])
    """
    looks = sorted(set(runs.labels.tolist()))
    parts = [runs.where(np.flatnonzero(runs.labels == look)) for look in looks]
    parts = [part.where(_order(part)) for part in parts]
    first = parts[0]
    places, labels, wrong = [], [], []
    for sign in (-1, 1):
        bar = first.truth + sign * MARGIN
        decided, mistaken = np.full(len(first), np.inf), np.zeros(len(first), dtype=np.bool_)
        for look, part in zip(looks, parts, strict=True):
            place = np.searchsorted(_keys(first), _keys(part))  # pools with fewer items have fewer looks
            above, below = part.low >= bar[place], part.high < bar[place]
            new = (above | below) & np.isinf(decided[place])
            decided[place[new]] = look
            mistaken[place[new]] = (above if sign > 0 else below)[new]
        possible = np.flatnonzero((bar > 0) & (bar < 1))
        places.append(possible)
        labels.append(decided[possible])
        wrong.append(mistaken[possible])
    return Gates(first.where(np.concatenate(places)), np.concatenate(labels), np.concatenate(wrong))


def _keys(runs: Runs) -> np.ndarray:
    pairs = zip(runs.task.tolist(), runs.repetition.tolist(), strict=True)
    return np.array([f"{task} {repetition:06d}" for task, repetition in pairs])


def _order(runs: Runs) -> np.ndarray:
    return np.argsort(_keys(runs), kind="stable")


def gate_table(experiment: Experiment, runs: Runs, scope: str) -> str:
    """One line per method that has intervals."""
    sample, last = Sample(runs), max(budgets_of(experiment, runs))
    lines = table_head(["bar 0.1 above or below the truth", *GATE_COLUMNS])
    for method in dict.fromkeys(runs.method):
        mine = of(runs, method)
        if np.isnan(mine.width).all():
            continue
        found = gates(mine)
        decided = [mean_of(sample, found.runs, found.labels <= limit)[scope] for limit in (100, 300)]
        wrong = share_of(sample, found.runs, found.wrong, np.ones(len(found.runs), dtype=np.bool_))[scope]
        spent = mean_of(sample, found.runs, np.minimum(found.labels, last))[scope]
        middle = _median(found, sample, scope)
        shown = f"more than {last}" if np.isinf(middle) else f"{middle:.0f}"
        numbers = [*map(_percent, (*decided, wrong)), shown, f"{spent.value:.0f} ± {spent.error:.0f}"]
        lines.append(table_row([f"`{method}`", *numbers]))
    return "\n".join(lines)


GATE_COLUMNS = (
    "decided by 100 labels",
    "decided by 300",
    "decided wrongly",
    "median labels until a decision",
    "mean labels, 300 where there was none",
)


def _median(found: Gates, sample: Sample, scope: str) -> float:
    """The median over runs, in which every data set counts alike."""
    inside = set(np.array(sample.groups)[sample.scopes()[scope]].tolist())
    names = found.runs.dataset
    count = {name: int((names == name).sum()) for name in inside}
    weight = np.array([1 / count[name] if name in inside else 0.0 for name in names.tolist()])
    order = np.argsort(found.labels, kind="stable")
    total = np.cumsum(weight[order])
    return float(found.labels[order][np.searchsorted(total, total[-1] / 2)])


# ---- BARGAIN ---------------------------------------------------------------------------------------------------------


def _bargain(table: pa.Table) -> Iterator[str]:
    """Whether the package returns the sets of our version, which the tables about thresholds are from."""
    found = {wanted: runs_of(table, f"bargain {wanted}") for wanted in ("recall", "precision")}
    if not any(len(runs) for runs in found.values()):
        return
    lines = table_head(["BARGAIN, target 0.9", "runs", "same set as our version", "most items that differ in number"])
    for wanted, runs in found.items():
        apart = np.abs(runs.value - runs.truth)
        same = int((runs.warned == 0).sum())
        lines.append(table_row([wanted, str(len(runs)), str(same), f"{apart.max():.0f}"]))
    yield "### BARGAIN beside our version, on the same draws"
    yield "\n".join(lines)
