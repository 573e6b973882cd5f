"""What it is worth to tell an evaluation what is known already: `make bench-knowledge DATA=FOLDER`.

    python benchmarks/knowledge.py FOLDER [--half reporting|choosing] [--runs 60] [--workers 2] [--seed 0]

FOLDER is a folder of pools whose labels are all known, as `lowshot bench run zoo --data` takes it (docs/bench.md). For
each kind of knowledge, evaluations with it are compared with evaluations of the same pools and with the same seeds, but
without it. A cell has three numbers:

- the mean squared error of F1 with the knowledge, relative to that without it: the geometric mean over data sets, with
  both errors floored at 0.0001, ± its standard error over data sets (delta method). Below 1 the knowledge helped;
- the coverage of the 95 % interval with the knowledge, as a mean over data sets;
- in brackets, the coverage without it.

Each data set has at least `--runs` runs of each kind of knowledge, spread evenly over its pools. A run is left out on
both sides, and counted, if the prior is refused as impossible or if a part of the pool has nothing to evaluate. A run
without an estimate counts as F1 = 0, and one without an interval as 0 to 1.
"""

import argparse
import math
import shlex
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

import lowshot
from lowshot import Evaluation, InputError, Known, Pool, Prior
from lowshot.api import run
from lowshot.core.types import Flags, Floats
from lowshot.tasks import Task
from lowshot_bench.families import PoolsFamily
from lowshot_bench.families.pools import MADE
from lowshot_bench.families.task import reason_to_exclude
from lowshot_bench.processes import in_processes
from lowshot_bench.summary import mean
from lowshot_bench.zoo_summary import EQUAL, FLOOR

BUDGETS = (30, 70, 150)  # labels
RUNS = 60  # per data set and kind of knowledge
FACTOR = 4.0  # from the lower to the upper end of a range of the prevalence
OUTSIDE = 0.05  # share of runs whose true prevalence is outside of the range
BEYOND = 2.0  # the largest factor from the true prevalence to the nearer end of a range that does not contain it
TOO_HIGH = 10.0  # factor by which a wrong range is off
EARLIER = 300  # labels of last month's evaluation
KNOWN = 200  # labels that are known before
WITHOUT, WITH = 0, 1  # the sides of a comparison


class Pair(NamedTuple):
    """Two evaluations of the same task that have no labels yet."""

    task: Task
    without: Evaluation
    informed: Evaluation


Random = np.random.Generator
Compare = Callable[[Task, Random, int], Pair]  # the number is the seed of the evaluations

# ---- kinds of knowledge ----------------------------------------------------------------------------------------------


def prevalence_range(prevalence: float, random: Random) -> tuple[float, float]:
    """A range that contains the prevalence except in a share OUTSIDE of the runs. All distances are log-uniform."""
    low = prevalence * FACTOR ** -random.random()
    if random.random() < OUTSIDE:
        distance = BEYOND ** random.random()
        low = prevalence * distance if random.random() < 0.5 else prevalence / distance / FACTOR
    return low, min(low * FACTOR, 1.0)


def with_range(task: Task, random: Random, seed: int) -> Pair:
    prior = Prior(prevalence=prevalence_range(task.positives / len(task.pool), random))
    return Pair(task, Evaluation(task.pool, seed=seed), Evaluation(task.pool, seed=seed, prior=prior))


def with_wrong_range(task: Task, random: Random, seed: int) -> Pair:
    """The range is around TOO_HIGH times the true prevalence."""
    middle = TOO_HIGH * task.positives / len(task.pool)
    prior = Prior(prevalence=(middle / FACTOR**0.5, min(middle * FACTOR**0.5, 1.0)))
    return Pair(task, Evaluation(task.pool, seed=seed), Evaluation(task.pool, seed=seed, prior=prior))


def with_last_month(task: Task, random: Random, seed: int) -> Pair:
    """Last month is a random half of the items, this month the other half."""
    return like_last_month(*split(task, random), seed)


def with_fewer_positives_this_month(task: Task, random: Random, seed: int) -> Pair:
    """Last month is a random half of the items, this month the other half without half of its positives."""
    last, this = split(task, random)
    positives = np.flatnonzero(this.labels)
    kept = np.ones(len(this.labels), dtype=np.bool_)
    kept[random.choice(positives, len(positives) // 2, replace=False)] = False
    return like_last_month(last, part(this, kept), seed)


def like_last_month(last: Task, this: Task, seed: int) -> Pair:
    for each in (last, this):
        reason = reason_to_exclude(each.positives, each.pool.predicted_positives)
        if reason:
            raise InputError(f"task must be one that can be evaluated: {reason}")
    prior = Prior(like=run(Evaluation(last.pool, seed=seed), last.answer, EARLIER))
    return Pair(this, Evaluation(this.pool, seed=seed), Evaluation(this.pool, seed=seed, prior=prior))


def with_known_labels(task: Task, random: Random, seed: int) -> Pair:
    items = random.choice(len(task.pool), KNOWN, replace=False).tolist()
    labels = dict(zip(items, task.answer(items), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # one uniform draw in a thousand does not look like one
        informed = Evaluation(task.pool, seed=seed, known=Known(labels, drawn="uniform"))
    return Pair(task, Evaluation(task.pool, seed=seed, known=labels), informed)


def split(task: Task, random: Random) -> tuple[Task, Task]:
    """Two random halves of the items."""
    first = np.zeros(len(task.pool), dtype=np.bool_)
    first[random.choice(len(first), len(first) // 2, replace=False)] = True
    return part(task, first), part(task, ~first)


def part(task: Task, kept: Flags) -> Task:
    """The task with these items only."""
    pool = task.pool
    return Task(Pool(pool.scores[kept], pool.predictions[kept], scale=pool.scale), task.labels[kept])


class Size(NamedTuple):
    """What decides whether a pool takes part."""

    items: int
    positives: int
    predicted: int


@dataclass(frozen=True)
class Kind:
    """A kind of knowledge: a row of the table."""

    text: str
    compare: Compare
    suits: Callable[[Size], bool] = lambda size: True
    budgets: tuple[int, ...] = BUDGETS


KINDS = (
    Kind("range of the prevalence, a factor of 4", with_range),
    Kind(
        "the same, more than 2 positives per predicted one",
        with_range,
        lambda size: size.positives > 2 * size.predicted,
    ),
    Kind("like last month: 300 labels on other items", with_last_month),
    Kind("the same, half as many positives this month", with_fewer_positives_this_month),
    Kind(
        "200 uniform labels, against a plain mapping",
        with_known_labels,
        lambda size: 0.005 <= size.positives / size.items <= 0.02 and size.items > KNOWN,
        budgets=(30, 70),
    ),
    Kind("a wrong range of the prevalence, 10 times too high", with_wrong_range),
)

# ---- runs ------------------------------------------------------------------------------------------------------------


class Work(NamedTuple):
    """The runs of one pool, in one process."""

    folder: Path
    half: str
    category: int
    repetitions: tuple[int, ...]  # of each kind of knowledge
    seed: int


class Found(NamedTuple):
    """The runs of one kind of knowledge on one pool. `errors` and `held` are [runs, budgets, sides]."""

    kind: int
    dataset: str
    errors: Floats  # squared errors of F1
    held: Floats  # 1 if the interval contains the truth, else 0
    left_out: int


@lru_cache(maxsize=1)
def family_of(folder: Path, half: str) -> PoolsFamily:
    return PoolsFamily(folder, half)


def plan(folder: Path, half: str, runs: int, seed: int) -> list[Work]:
    """All work. The runs of a data set and kind of knowledge are spread evenly over the pools that suit the kind."""
    family = family_of(folder, half)
    real = [category for category in family.categories() if category < MADE]
    datasets = {category: dataset_of(family, category) for category in real}
    suited = {category: suiting(family.load(category)) for category in real}
    pools = Counter((kind, datasets[category]) for category in real for kind in suited[category])

    def repetitions(category: int, kind: int) -> int:
        return math.ceil(runs / pools[kind, datasets[category]]) if kind in suited[category] else 0

    return [
        Work(folder, half, category, tuple(repetitions(category, kind) for kind in range(len(KINDS))), seed)
        for category in real
    ]


def suiting(task: Task) -> set[int]:
    """The kinds of knowledge that this pool is for."""
    size = Size(len(task.pool), task.positives, task.pool.predicted_positives)
    return {number for number, kind in enumerate(KINDS) if kind.suits(size)}


def dataset_of(family: PoolsFamily, category: int) -> str:
    return family.task_name(category).split("/")[0]


def work_on(work: Work) -> list[Found]:
    family = family_of(work.folder, work.half)
    task, dataset = family.load(work.category), dataset_of(family, work.category)
    return [
        found_for(kind, dataset, task, repetitions, (work.seed, work.category))
        for kind, repetitions in enumerate(work.repetitions)
        if repetitions
    ]


def found_for(kind: int, dataset: str, task: Task, repetitions: int, seed: tuple[int, int]) -> Found:
    runs = []
    for repetition in range(repetitions):
        try:
            pair = KINDS[kind].compare(task, np.random.default_rng([*seed, kind, repetition]), repetition)
        except InputError:  # an impossible prior, or a part of the pool that cannot be evaluated
            continue
        sides = [measured(pair.task, each, KINDS[kind].budgets) for each in (pair.without, pair.informed)]
        runs.append(np.stack(sides, axis=-1))
    errors, held = np.array(runs).reshape(len(runs), 2, len(KINDS[kind].budgets), 2).swapaxes(0, 1)
    return Found(kind, dataset, errors, held, repetitions - len(runs))


def measured(task: Task, evaluation: Evaluation, budgets: Iterable[int]) -> Floats:
    """Squared errors, and whether the interval contains the truth: [2, budgets]."""
    truth, rows = task.truth(), []
    for budget in budgets:
        estimate = run(evaluation, task.answer, budget).estimate()
        value = estimate.value if estimate.defined else 0.0
        low, high = (estimate.interval.low, estimate.interval.high) if estimate.interval else (0.0, 1.0)
        rows.append(((value - truth) ** 2, low - EQUAL <= truth <= high + EQUAL))
    return np.array(rows, dtype=np.float64).T


# ---- the table -------------------------------------------------------------------------------------------------------


def table(found: Iterable[Found]) -> str:
    """The results in Markdown."""
    by_kind: defaultdict[int, list[Found]] = defaultdict(list)
    for each in found:
        by_kind[each.kind].append(each)
    header = ["what is known", *(f"{budget} labels" for budget in BUDGETS), "runs", "data sets"]
    rows = [header, ["---"] * len(header), *(row(kind, by_kind[number]) for number, kind in enumerate(KINDS))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def row(kind: Kind, found: list[Found]) -> list[str]:
    errors, held = (by_dataset(found, name) for name in ("errors", "held"))
    cells = ["–"] * len(BUDGETS)
    if len(errors):
        for place, budget in enumerate(kind.budgets):
            cells[BUDGETS.index(budget)] = cell(errors[:, place], held[:, place])
    left_out = sum(each.left_out for each in found)
    runs = f"{sum(len(each.errors) for each in found):,}" + (f" ({left_out:,} left out)" if left_out else "")
    return [kind.text, *cells, runs, str(len(errors))]


def by_dataset(found: Iterable[Found], name: str) -> Floats:
    """Means over the runs of each data set: [data sets, budgets, sides]."""
    runs: defaultdict[str, list[Floats]] = defaultdict(list)
    for each in found:
        if len(each.errors):
            runs[each.dataset].append(getattr(each, name))
    return np.array([np.concatenate(runs[dataset]).mean(axis=0) for dataset in sorted(runs)])


def cell(errors: Floats, held: Floats) -> str:
    """The ratio of the errors ± its standard error, and both coverages. The arrays are [data sets, sides]."""
    ratio, error = relative(errors)
    spread = "" if math.isnan(error) else f" ± {error:.2f}"
    return f"{ratio:.2f}{spread}, {held[:, WITH].mean():.1%} ({held[:, WITHOUT].mean():.1%})".replace("%", " %")


def relative(errors: Floats) -> tuple[float, float]:
    """The geometric mean over data sets of the ratios with / without, and its standard error by the delta method."""
    floored = np.log(np.maximum(errors, FLOOR))
    value, error = mean(floored[:, WITH] - floored[:, WITHOUT])
    return math.exp(value), math.exp(value) * error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of pools: index.json, and a file per data set")
    parser.add_argument("--half", choices=("reporting", "choosing"), default="reporting", help="which data sets")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs per data set and kind of knowledge, at least")
    parser.add_argument("--workers", type=int, default=2, help="number of processes")
    parser.add_argument("--seed", type=int, default=0, help="of the knowledge that is drawn at random")
    given = parser.parse_args()
    for name in ("runs", "workers"):
        if getattr(given, name) < 1:
            parser.error(f"--{name} must be at least 1: got {getattr(given, name)}")
    try:
        todo = plan(given.folder, given.half, given.runs, given.seed)
    except InputError as error:
        parser.error(str(error))
    results = in_processes(work_on, [(work,) for work in todo], given.workers)
    shown = track(results, "pools", total=len(todo), console=Console(stderr=True))
    found = [each for pool in shown for each in pool]
    print(f"{shlex.join(['python', *sys.argv])}\n{date.today()}, lowshot {lowshot.__version__}, seed {given.seed}\n")
    print(table(found))


if __name__ == "__main__":
    main()
