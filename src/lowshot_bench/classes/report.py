"""The tables about all classes of a model at once: what must be reached, per model, then all methods."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from lowshot.core.types import Floats
from lowshot_bench.classes.methods import PAIR_LABELS, SINGLES
from lowshot_bench.experiment import Experiment
from lowshot_bench.experiment_report import table_head, table_row
from lowshot_bench.rows import methods_in
from lowshot_bench.several.bar import BEYOND, MET, MISSED, Goal, share_at_least, shown_number
from lowshot_bench.several.numbers import budgets_of, of, with_share_errors
from lowshot_bench.several.sample import Number, Sample, number
from lowshot_bench.zoo_summary import Runs, runs_of

ROOT = {"simclr_250": {400: 0.022, 1000: 0.014}, "swav": {400: 0.018, 1000: 0.012}}  # largest errors of macro F1
DIGITS = 4
EXPLAINED = (
    "Every run is the same model on a pool in which each class keeps a random share of its items, from 0.1 to 1."
    " ± is a standard error by bootstrap over runs. Missed: beyond the goal by more than 2 standard errors."
)
NOW = (
    f"Now: single evaluations with a Pool for {SINGLES} classes per run, spread over class sizes, each with its share"
    " of the labels; and macro F1 by plain counts of as many random labels, with a bootstrap interval."
)


@dataclass(frozen=True)
class Line:
    """One line of the table: a number of one model, what it is today, and its goal."""

    model: str
    what: str
    now: str
    goal: Goal | None
    found: Number
    percent: bool = False

    def cells(self) -> list[str]:
        goal = "-" if self.goal is None else str(self.goal)
        verdict = "-" if self.goal is None else self.goal.verdict(self.found)
        return [self.model, self.what, self.now, goal, shown_number(self.found, self.percent, DIGITS), verdict]


@dataclass(frozen=True)
class Zero(Line):
    """A difference that must not be above 0 by more than two standard errors."""

    def cells(self) -> list[str]:
        verdict = MET if self.found.value <= BEYOND * self.found.error else MISSED
        shown = shown_number(self.found, self.percent, DIGITS)
        return [self.model, self.what, self.now, f"at most {BEYOND:g} standard errors above 0", shown, verdict]


class Results:
    """The rows of one model, by target."""

    def __init__(self, table: pa.Table, model: str) -> None:
        self.table, self.model = table, model

    def of(self, target: str, method: str, labels: int | None = None) -> Runs:
        """The runs of one method."""
        runs = of(runs_of(self.table, target), method, labels)
        return runs.where(runs.dataset == self.model)

    def again(self, target: str, method: str, labels: int | None = None, what: str = "value") -> Floats:
        """The mean over runs of a quantity, and the same of runs that were drawn again."""
        runs = self.of(target, method, labels)
        return self._sample.mean(runs, getattr(runs, what))[:, 0] if len(runs) else np.full(1, np.nan)

    def mean(self, target: str, method: str, labels: int | None = None, what: str = "value") -> Number:
        return number(self.again(target, method, labels, what))

    def held(self, target: str, method: str, labels: int) -> Number:
        """The share of the runs whose interval holds. Its standard error is not 0 where all or none of them do."""
        runs = self.of(target, method, labels)
        if not len(runs):
            return Number(math.nan, math.nan)
        found = {self.model: number(self._sample.mean(runs, runs.held)[:, 0])}
        return with_share_errors(runs, found)[self.model]

    def root(self, target: str, method: str, labels: int) -> Number:
        """The root mean squared error."""
        return number(np.sqrt(self.again(target, method, labels, "square")))

    def bias(self, target: str, method: str, labels: int | None = None) -> Number:
        value, truth = (self.again(target, method, labels, what) for what in ("value", "truth"))
        return number(value - truth)

    def ratio(self, target: str, labels: int, method: str = "classes") -> Number:
        """The mean over that of single evaluations."""
        above, below = self.again(target, method, labels), self.again(target, "single")
        with np.errstate(invalid="ignore", divide="ignore"):
            return number(above / below)

    @cached_property
    def _sample(self) -> Sample:
        """The same runs are drawn again for all methods, so that ratios and differences are of the same runs."""
        found = (runs_of(self.table, target) for target in ("macro", "class square", "pair pool"))
        return Sample(max((runs.where(runs.dataset == self.model) for runs in found), key=_tasks))


def _tasks(runs: Runs) -> int:
    return len(set(runs.task.tolist()))


def models_in(table: pa.Table) -> list[str]:
    """The models that have rows, in order of first appearance."""
    return list(dict.fromkeys(str(name).split("/")[0] for name in table["task"].unique().to_pylist()))


def section(experiment: Experiment, table: pa.Table, command: str) -> str:
    """All tables of the experiment."""
    title = f"## {experiment.title} ({experiment.paper})"
    about = f"`{command}`, seed {experiment.seed}. {EXPLAINED} {NOW}"
    runs = ", ".join(f"{model} {count}" for model, count in _counts(table).items())
    found = [line for model in models_in(table) for line in bar(experiment, Results(table, model))]
    head = table_head(["model", "what", "now", "goal", "result", "verdict"])
    lines = "\n".join([*head, *(table_row(line.cells()) for line in found)])
    return "\n\n".join([title, about, f"Runs: {runs}.", lines, *_methods(experiment, table), ""])


def _counts(table: pa.Table) -> dict[str, int]:
    names = [str(name).split("/")[0] for name in table["task"].unique().to_pylist()]
    return {model: names.count(model) for model in models_in(table)}


# ---- what must be reached --------------------------------------------------------------------------------------------


def bar(experiment: Experiment, results: Results) -> Iterator[Line]:
    """All lines of one model, of the numbers that it has."""
    budgets = sorted(budgets_of(experiment, results.of("macro", "classes")), reverse=True)
    for labels in budgets:
        yield from _macro(results, labels)
    for labels in budgets[:1]:
        yield from _classes(results, labels)
        yield from _seconds(results, labels)
    if len(results.of("pair classes", "pair")):
        yield from _pair(results)


def _macro(results: Results, labels: int) -> Iterator[Line]:
    model, what = results.model, f"macro F1, {labels:,} labels"
    limit = ROOT.get(model, {}).get(labels)
    goal = None if limit is None else Goal(limit)
    now = f"random {_plain(results.root('macro', 'random', labels))}"
    if labels == max(results.of("macro", "classes").labels):
        now += f"; single, bias {_plain(results.bias('class mean', 'single'), sign=True)}"
    yield Line(model, f"{what}: root mean squared error", now, goal, results.root("macro", "classes", labels))
    random = results.held("macro", "random", labels)
    held = results.held("macro", "classes", labels)
    yield Line(model, f"{what}: coverage", f"random {_percent(random)}", share_at_least(0.93), held, True)
    now = f"random {_plain(results.mean('macro', 'random', labels, 'width'))}"
    yield Line(model, f"{what}: mean width", now, None, results.mean("macro", "classes", labels, "width"))
    now = f"random {_plain(results.bias('macro', 'random', labels), sign=True)}"
    yield Line(model, f"{what}: bias", now, None, results.bias("macro", "classes", labels))


def _classes(results: Results, labels: int) -> Iterator[Line]:
    model, what = results.model, f"F1 of each class, {labels:,} labels"
    root = np.sqrt(results.mean("class square", "single").value)
    ratio = results.ratio("class square", labels)
    yield Line(model, f"{what}: squared error over that of single", f"1 (root {root:.3f})", Goal(0.2), ratio)
    held, fewest = (results.mean(target, "classes", labels) for target in ("class held", "fewest held"))
    single = f"single {_percent(results.mean('class held', 'single'))}"
    yield Line(model, f"{what}: coverage, mean", single, share_at_least(0.93), held, True)
    yield Line(model, f"{what}: coverage, tenth with fewest positives", "-", share_at_least(0.88), fewest, True)
    width = f"1 (width {results.mean('class width', 'single').value:.3f})"
    yield Line(model, f"{what}: width over that of single", width, Goal(0.5), results.ratio("class width", labels))
    named = results.mean("worst named", "classes", labels)
    yield Line(model, f"{what}: share of the worst tenth named", "-", share_at_least(0.75), named, True)


def _seconds(results: Results, labels: int) -> Iterator[Line]:
    model = results.model
    slowest, whole, look = (
        results.mean(target, "classes", labels) for target in ("slowest round", "all rounds", "look")
    )
    yield Line(model, f"seconds of the slowest round, {labels:,} labels", "-", Goal(1.0), slowest)
    yield Line(model, f"seconds of all rounds, {labels:,} labels", "-", Goal(60.0), whole)
    yield Line(model, f"seconds of an estimate and a table at {labels:,} labels", "-", None, look)


def _pair(results: Results) -> Iterator[Line]:
    model, what = results.model, f"two classes, F1 of the rare one, {PAIR_LABELS} labels"
    square, value = (
        number(results.again("pair classes", "pair", what=name) - results.again("pair pool", "pair", what=name))
        for name in ("square", "value")
    )
    pool = results.of("pair pool", "pair")
    now = f"Pool {_plain(results.mean('pair pool', 'pair', what='square'))}"
    yield Zero(model, f"{what}: squared error minus that of Pool", now, None, square)
    yield Line(model, f"{what}: estimate minus that of Pool", "-", None, value)
    at = int(pool.labels[0])
    pool_held, held = (results.held(target, "pair", at) for target in ("pair pool", "pair classes"))
    yield Line(model, f"{what}: coverage", f"Pool {_percent(pool_held)}", None, held, True)


def _plain(found: Number, sign: bool = False) -> str:
    """
    >>> _plain(Number(0.0123, 0.001)), _plain(Number(0.0123, 0.001), sign=True), _plain(Number(math.nan, math.nan))
    ('0.0123', '+0.0123', '-')
    """
    return "-" if math.isnan(found.value) else f"{found.value:{'+' if sign else ''}.{DIGITS}f}"


def _percent(found: Number) -> str:
    """
    >>> _percent(Number(0.934, 0.01))
    '93.4 %'
    """
    return "-" if math.isnan(found.value) else f"{100 * found.value:.1f} %"


# ---- all methods -----------------------------------------------------------------------------------------------------


def _methods(experiment: Experiment, table: pa.Table) -> list[str]:
    """Macro F1, then single classes, of all methods that have rows."""
    names, models = methods_in(table), models_in(table)
    words = "macro F1: root mean squared error; bias; coverage; width"
    macro = table_head([words, *(f"{labels:,} labels" for labels in experiment.budgets)])
    for model in models:
        results = Results(table, model)
        for name in (name for name in names if len(results.of("macro", name))):
            cells = (_macro_cell(results, name, labels) for labels in experiment.budgets)
            macro.append(table_row([f"{model}, {name}", *cells]))
    words = "F1 of a class: root mean squared error; coverage; of the tenth with fewest positives; width; worst named"
    classes = table_head([words, *(f"{labels:,} labels" for labels in _class_budgets(table))])
    for model in models:
        results = Results(table, model)
        for name in (name for name in names if len(results.of("class square", name))):
            cells = (_class_cell(results, name, labels) for labels in _class_budgets(table))
            classes.append(table_row([f"{model}, {name}", *cells]))
    return ["All methods:", "\n".join(macro), "\n".join(classes)]


def _class_budgets(table: pa.Table) -> list[int]:
    return sorted({int(labels) for labels in runs_of(table, "class square").labels})


def _macro_cell(results: Results, method: str, labels: int) -> str:
    if not len(results.of("macro", method, labels)):
        return "-"
    bias, width = results.bias("macro", method, labels), results.mean("macro", method, labels, "width")
    shown = [_plain(results.root("macro", method, labels)), _plain(bias, sign=True)]
    return "; ".join([*shown, _percent(results.held("macro", method, labels)), _plain(width)])


def _class_cell(results: Results, method: str, labels: int) -> str:
    if not len(results.of("class square", method, labels)):
        return "-"
    found = {t: results.mean(t, method, labels) for t in ("class held", "fewest held", "class width", "worst named")}
    root = number(np.sqrt(results.again("class square", method, labels)))
    shown = [_percent(found["class held"]), _percent(found["fewest held"]), _plain(found["class width"])]
    return "; ".join([_plain(root), *shown, _percent(found["worst named"])])
