"""The tables about thresholds with a guarantee: what must be reached, all methods, then every data set."""

import math
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
import pyarrow as pa

from lowshot.core.types import Flags, Floats
from lowshot_bench.choosing.methods import BAND_LABELS, CONFIDENCE, TARGET, WANTED
from lowshot_bench.experiment import Experiment
from lowshot_bench.experiment_report import table_head, table_row
from lowshot_bench.rows import methods_in
from lowshot_bench.several.bar import Goal, Line, Lines, Worst, bar_table, share_at_least
from lowshot_bench.several.numbers import budgets_of, listed, mean_of, of, percent_of, share_by_group, share_of
from lowshot_bench.several.report import EXPLAINED
from lowshot_bench.several.sample import Number, Sample
from lowshot_bench.zoo_summary import Runs, runs_of

STRONG = 10  # rankings whose oracle keeps at most one item in so many
ENOUGH = 50  # items that the oracle must keep for a precision target, else kept items are not compared with it
AT = {"recall": 200, "precision": 400}  # labels at which sizes are compared
PEERS = ("supg", "bargain")
SIZES = {"supg_imagenet": 1.5, "supg_tacred": 3.0, "supg_onto": 3.0}  # the largest size over the oracle's, by data set
ELSEWHERE = 4.0
EQUAL = 1e-6  # packed rows have about 7 digits
WHERE = {True: f"N / k90 of {STRONG} or more", False: "weaker rankings"}


def met(runs: Runs) -> Flags:
    """Whether the target was reached."""
    found: Flags = runs.value >= runs.truth - EQUAL
    return found


def certified(runs: Runs) -> Flags:
    found: Flags = runs.warned == 0
    return found


def comparable(kept: Runs, wanted: str) -> Runs:
    """The runs whose kept items are compared with the oracle's: for precision, it must keep ENOUGH of them."""
    return kept.where(kept.truth >= ENOUGH) if wanted == "precision" else kept


def least_kept(runs: Runs) -> Floats:
    """The fewest items that a method without beliefs about scores can keep with so many labels, for a recall target.

    m = 10 % of the positives may be missed. To notice that one more is missed, except with the failure probability
    delta, a share 1 - delta^(1 / (m + 1)) of the items that are not kept must be labelled.
    """
    missed = np.floor((1 - TARGET) * runs.low + EQUAL)
    share = 1 - (1 - CONFIDENCE) ** (1 / (missed + 1))
    found: Floats = np.maximum(runs.high - runs.labels / share, runs.truth)
    return found


class Results:
    """The rows of one target kind, such as "recall": `set`, `kept` and so on, all of them or of one kind of ranking."""

    def __init__(self, table: pa.Table, wanted: str, tasks: set[str] | None = None) -> None:
        self.table, self.wanted, self.tasks = table, wanted, tasks

    def of(self, what: str) -> Runs:
        """The runs of one target."""
        runs = runs_of(self.table, f"{self.wanted} {what}")
        if self.tasks is None:
            return runs
        return runs.where(np.array([task in self.tasks for task in runs.task], dtype=np.bool_))


def section(experiment: Experiment, table: pa.Table, command: str) -> str:
    """All tables of the experiment."""
    title = f"## {experiment.title} ({experiment.paper})"
    rule = f"Target {TARGET:g}, failure probability {1 - CONFIDENCE:.1g}. k90: items that the oracle keeps for recall."
    about = f"`{command}`, seed {experiment.seed}. {rule} {EXPLAINED}"
    parts = [title, about, bar_table(list(bar(experiment, table)))]
    for words, results in _parts(table):
        parts += [f"{words}:", *_methods(experiment, table, results)]
    return "\n\n".join([*parts, ""])


def _parts(table: pa.Table) -> Iterator[tuple[str, Results]]:
    """What the tables of all methods are about, in words."""
    for strong, words in WHERE.items():
        yield f"Recall, {words}", Results(table, "recall", rankings(table, strong))
    yield "Precision", Results(table, "precision")


def rankings(table: pa.Table, strong: bool) -> set[str]:
    """The tasks whose rankings are strong, or all others."""
    kept = runs_of(table, "recall kept")
    return set(kept.task[(kept.high >= STRONG * kept.truth) == strong].tolist())


# ---- what must be reached --------------------------------------------------------------------------------------------


def bar(experiment: Experiment, table: pa.Table) -> Lines:
    """One line per number with a goal, and what explains it."""
    by_strength = {strong: Results(table, "recall", rankings(table, strong)) for strong in WHERE}
    recall, precision = (Results(table, wanted) for wanted in WANTED)
    return chain(
        _strong(experiment, by_strength[True]),
        _weak(experiment, by_strength[False]),
        _sizes(by_strength[True]),
        _design(experiment, recall),
        _precision(experiment, precision),
        _bands(table),
        *(_stopping(results, name, goal) for results in (recall, precision) for name, goal in STOPPED.items()),
    )


def _strong(experiment: Experiment, results: Results) -> Lines:
    runs = of(results.of("set"), "posterior")
    if not len(runs):
        return
    sample, what = Sample(runs), f"posterior: recall met at {listed(budgets_of(experiment, runs))}, {WHERE[True]}"
    yield Line(what, share_of(sample, runs, met(runs), _all(runs)), {"together": share_at_least(0.90)}, True)
    groups = share_by_group(sample, runs, met(runs), _all(runs))
    yield Worst(f"{what}, worst data set", groups, share_at_least(0.85), True)
    yield from _certified(sample, runs, "posterior", WHERE[True])


def _weak(experiment: Experiment, results: Results) -> Lines:
    runs = of(results.of("set"), "posterior")
    if not len(runs):
        return
    sample, budgets = Sample(runs), listed(budgets_of(experiment, runs))
    what = f"posterior: recall met or not certified at {budgets}, {WHERE[False]}"
    either = met(runs) | ~certified(runs)
    yield Line(what, share_of(sample, runs, either, _all(runs)), {"together": share_at_least(0.90)}, True)
    yield from _certified(sample, runs, "posterior", WHERE[False])


def _certified(sample: Sample, runs: Runs, method: str, where: str) -> Lines:
    """How many choices are certified, and how many of those meet the target."""
    yield Line(f"{method}: certified, {where}", share_of(sample, runs, certified(runs), _all(runs)), {}, True)
    numbers = share_of(sample, runs, met(runs) & certified(runs), certified(runs))
    yield Line(f"{method}: met among the certified, {where}", numbers, {}, True)


def _sizes(results: Results) -> Lines:
    """The size of the set over that of the oracle, and over that of each peer where the peer keeps its promise."""
    labels = AT["recall"]
    kept, sets = results.of("kept"), results.of("set")
    if not len(of(kept, "posterior", labels)):
        return
    sample = Sample(kept)
    medians = {name: _median(sample, of(kept, name, labels)) for name in ("posterior", *PEERS)}
    found, what = sample.by_group(medians["posterior"]), f"posterior: kept / k90, median at {labels}, {WHERE[True]}"
    for limit in dict.fromkeys(SIZES.values()):
        named = {name: found[name] for name, most in SIZES.items() if most == limit and name in found}
        yield Worst(f"{what}: {', '.join(named) or '-'}", named, Goal(limit))
    others = {name: number for name, number in found.items() if name not in SIZES}
    yield Worst(f"{what}: elsewhere, worst data set", others, Goal(ELSEWHERE))
    for name in PEERS:
        runs = of(sets, name, labels)
        kept_promise = sample.mean(runs, met(runs).astype(np.float64))[0] >= CONFIDENCE if len(runs) else False
        ratio = np.where(kept_promise, medians["posterior"] / medians[name], np.nan)
        words = f"posterior: kept / kept of {name} at {labels}, where {name} met its target in {CONFIDENCE:.0%} of runs"
        yield Worst(f"{words}, worst data set", sample.by_group(ratio), Goal(1.0))


def _design(experiment: Experiment, results: Results) -> Lines:
    runs, kept = of(results.of("set"), "design"), of(results.of("kept"), "design")
    if not len(runs):
        return
    sample, what = Sample(runs), f"design: recall met at {listed(budgets_of(experiment, runs))}"
    yield Line(what, share_of(sample, runs, met(runs), _all(runs)), {"together": share_at_least(0.90)}, True)
    groups = share_by_group(sample, runs, met(runs), _all(runs))
    yield Worst(f"{what}, worst data set", groups, share_at_least(0.90), True)
    yield from _certified(sample, runs, "design", "all rankings")
    for labels in budgets_of(experiment, kept):
        at = of(kept, "design", labels)
        found = sample.by_group(sample.median(at, at.value / least_kept(at)))
        yield Worst(f"design: kept / least that labels allow, median at {labels}, worst data set", found, Goal(1.5))


def _precision(experiment: Experiment, results: Results) -> Lines:
    runs = of(results.of("set"), "posterior")
    if not len(runs):
        return
    sample, what = Sample(runs), f"posterior: precision met at {listed(budgets_of(experiment, runs))}"
    yield Line(what, share_of(sample, runs, met(runs), _all(runs)), {"together": share_at_least(0.90)}, True)
    yield from _certified(sample, runs, "posterior", "precision")
    kept = comparable(of(results.of("kept"), "posterior", AT["precision"]), "precision")
    if not len(kept):
        return
    sample = Sample(kept)
    medians = _median(sample, kept)
    what = f"posterior: kept / kept of the oracle, median at {AT['precision']}, oracle keeps {ENOUGH} or more"
    goal = Goal(0.333, least=True)
    yield Line(what, sample.average(medians), {"together": goal})
    yield Worst(f"{what}, worst data set", sample.by_group(medians), goal)


def _bands(table: pa.Table) -> Lines:
    """By what the labels were drawn for."""
    for drawn_for, method in (("recall", "posterior"), ("precision", "posterior"), ("f1", "plain")):
        held, width = (of(Results(table, drawn_for).of(what), method) for what in ("band", "band width"))
        if not len(held):
            continue
        sample, words = Sample(held), f"simultaneous band at {listed(list(BAND_LABELS))}, labels for {drawn_for}"
        holds = share_of(sample, held, held.value == 1, _all(held))
        yield Line(f"{words}: holds the truth", holds, {"together": share_at_least(0.93)}, True)
        yield Line(f"{words}: mean width", mean_of(sample, width, width.value))


STOPPED = {"posterior": share_at_least(0.88), "design": share_at_least(0.90)}


def _stopping(results: Results, method: str, goal: Goal) -> Lines:
    """What people get who stop at the first certified look."""
    runs, every = of(results.of("first"), method), of(results.of("set"), method)
    if not len(runs):
        return
    sample = Sample(every)
    words = f"{method}: {results.wanted}, first certified look"
    yield Line(f"{words}: target met", share_of(sample, runs, met(runs), _all(runs)), {"together": goal}, True)
    yield Line(f"{words}: labels", mean_of(sample, runs, runs.labels))
    kept = comparable(of(results.of("first kept"), method), results.wanted)
    yield Line(f"{words}: kept / kept of the oracle, median", sample.average(_median(sample, kept)))
    last = every.where(every.labels == every.labels.max())
    stopped = set(_keys(runs))
    ever = np.array([key in stopped for key in _keys(last)], dtype=np.bool_)
    yield Line(f"{words}: runs that have one", share_of(sample, last, ever, _all(last)), {}, True)


def _keys(runs: Runs) -> Iterable[tuple[str, int]]:
    return zip(runs.task.tolist(), runs.repetition.tolist(), strict=True)


def _all(runs: Runs) -> Flags:
    return np.ones(len(runs), dtype=np.bool_)


def _median(sample: Sample, kept: Runs) -> Floats:
    """Of kept items over those of the oracle, [number and tasks drawn again, group]."""
    return sample.median(kept, kept.value / kept.truth)


# ---- all methods -----------------------------------------------------------------------------------------------------


def _methods(experiment: Experiment, table: pa.Table, results: Results) -> list[str]:
    """All methods at all numbers of labels, then every data set at one."""
    sets, bare = results.of("set"), results.of("bare")
    kept = comparable(results.of("kept"), results.wanted)
    names = [name for name in methods_in(table) if (sets.method == name).any()]
    if not names:
        return ["No rows."]
    sample, budgets = Sample(sets), budgets_of(experiment, sets)
    words = "met; certified; met by the bare threshold; kept over the oracle's (mean over data sets of medians)"
    lines = table_head([f"method: {words}", *(f"{labels} labels" for labels in budgets)])
    for name in names:
        at = [[of(runs, name, labels) for runs in (sets, bare, kept)] for labels in budgets]
        lines.append(table_row([name, *(_cell(sample, *runs) for runs in at)]))
    return ["\n".join(lines), _datasets(sample, names, sets, kept, AT[results.wanted])]


def _cell(sample: Sample, sets: Runs, bare: Runs, kept: Runs) -> str:
    if not len(sets):
        return "-"
    shares = [(sets, met(sets)), (sets, certified(sets)), (bare, met(bare))]
    found = [share_of(sample, runs, flags, _all(runs))["together"] for runs, flags in shares]
    ratio = sample.average(_median(sample, kept))["together"]
    return "; ".join([*map(_share, found), _ratio(ratio.value)])


def _share(found: Number) -> str:
    """
    >>> _share(Number(0.934, 0.012))
    '93 % ± 1 %'
    """
    return f"{percent_of(found.value)} ± {percent_of(found.error)}"


def _ratio(value: float) -> str:
    """
    >>> _ratio(1.2345), _ratio(math.nan)
    ('1.23', '-')
    """
    return "-" if math.isnan(value) else f"{value:.3g}"


def _datasets(sample: Sample, names: list[str], sets: Runs, kept: Runs, labels: int) -> str:
    """One row per data set."""
    at = {name: (of(sets, name, labels), of(kept, name, labels)) for name in names}
    shares = {
        name: [sample.mean(runs, flags.astype(np.float64))[0] for flags in (met(runs), certified(runs))]
        for name, (runs, _) in at.items()
    }
    ratios = {name: _median(sample, runs)[0] for name, (_, runs) in at.items()}
    words = f"data set (rankings, runs), {labels} labels: met; certified; kept over the oracle's"
    lines = table_head([words, *names])
    first = at[names[0]][0]
    for place, group in enumerate(sample.groups):
        here = first.where(first.dataset == group)
        cells = ["; ".join([*(percent_of(x[place]) for x in shares[n]), _ratio(ratios[n][place])]) for n in names]
        lines.append(table_row([f"{group} ({len(set(here.task))}, {len(here)})", *cells]))
    return "\n".join(lines)
