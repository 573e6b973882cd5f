"""What `pairs` must reach, and its groups."""

from collections.abc import Callable
from itertools import chain

import numpy as np
import pyarrow as pa

from lowshot.core.types import Flags, Floats
from lowshot_bench.experiment import Experiment
from lowshot_bench.several.bar import Goal, Line, Lines, Tables, Worst, share_at_least, share_at_most
from lowshot_bench.several.numbers import (
    budgets_of,
    coverage_of,
    decimal,
    details_table,
    listed,
    mean_of,
    of,
    percent_of,
    ratio_of_means,
    root_of,
    share_by_group,
    share_of,
    squares,
    with_share_errors,
)
from lowshot_bench.several.pairs import BASELINE, CANDIDATE, DIFFERENCE, LOOKS
from lowshot_bench.several.sample import Sample, over_groups
from lowshot_bench.zoo_summary import Runs, runs_of

SURE = (0.05, 0.95)  # a verdict is sure if the probability is outside of this range
EQUAL = 1e-9  # F1 that are closer are the same


def sure(runs: Runs) -> Flags:
    """Whether the verdict is sure."""
    found: Flags = (runs.probability < SURE[0]) | (runs.probability > SURE[1])
    return found


def wrong(runs: Runs) -> Flags:
    """Whether the verdict is sure and names the worse model. Between equal models no verdict is wrong."""
    found: Flags = sure(runs) & (np.abs(runs.truth) > EQUAL) & ((runs.probability > 0.5) != (runs.truth > 0))
    return found


def won(runs: Runs) -> Flags:
    """Whether the larger estimate belongs to the better model. Between equal models every estimate wins."""
    found: Flags = (np.abs(runs.truth) <= EQUAL) | ((runs.value > 0) == (runs.truth > 0))
    return found


def first_sure(runs: Runs) -> Runs:
    """The first sure look of every run, among the looks at the ends of rounds; runs that are never sure are left out.

    `runs` are those of one method.
    """
    looks = runs.where(np.isin(runs.labels, LOOKS) & sure(runs))
    order = np.lexsort((looks.labels, looks.repetition, looks.task.astype(str)))
    looks = looks.where(order)
    keys = list(zip(looks.task.tolist(), looks.repetition.tolist(), strict=True))
    first = np.array([place == 0 or key != keys[place - 1] for place, key in enumerate(keys)], dtype=np.bool_)
    return looks.where(first)


def among(looked: Runs, found: Runs) -> Flags:
    """Whether the run of each look is one of those found. All are of one method."""
    keys = set(zip(found.task.tolist(), found.repetition.tolist(), strict=True))
    every = zip(looked.task.tolist(), looked.repetition.tolist(), strict=True)
    return np.array([key in keys for key in every], dtype=np.bool_)


def tables(experiment: Experiment, table: pa.Table) -> Tables:
    """The lines of the bar, and the table of all groups."""
    runs = runs_of(table, DIFFERENCE)
    sample, budgets = Sample(runs), budgets_of(experiment, runs)
    lines = chain(
        _verdict_lines(runs, sample, budgets),
        _stopping_lines(of(runs, "pair"), sample),
        _interval_lines(runs, sample, budgets),
        _each_lines(joined(runs_of(table, BASELINE), runs_of(table, CANDIDATE)), budgets),
    )
    return lines, _details(runs, sample, budgets)


def _verdict_lines(runs: Runs, sample: Sample, budgets: list[int]) -> Lines:
    """How often a verdict is sure, and how often a sure one is wrong."""
    at = {labels: of(runs, "pair", labels) for labels in budgets}
    goals = {
        70: {"together": share_at_least(0.65), "images": share_at_least(0.48)},
        150: {"together": share_at_least(0.80), "images": share_at_least(0.72)},
    }
    for labels, found in at.items():
        yield Line(f"pair: sure at {labels} labels", mean_of(sample, found, sure(found)), goals.get(labels, {}), True)
    for labels, found in at.items():
        numbers = share_of(sample, found, wrong(found), sure(found))
        yield Line(f"pair: wrong among the sure at {labels}", numbers, {"together": share_at_most(0.02)}, True)
    every = _at_budgets(runs, budgets)
    groups = share_by_group(sample, every, wrong(every), sure(every))
    yield Worst(f"pair: wrong among the sure at {listed(budgets)}, worst group", groups, share_at_most(0.05), True)
    for labels, found in at.items():
        yield Line(
            f"pair: larger estimate of the better model at {labels}", mean_of(sample, found, won(found)), {}, True
        )


def _stopping_lines(runs: Runs, sample: Sample) -> Lines:
    """What people get who stop at the first sure look after a round."""
    stopped = first_sure(runs)
    numbers = share_of(sample, stopped, wrong(stopped), np.ones(len(stopped), dtype=np.bool_))
    yield Line("pair: wrong at the first sure look after a round", numbers, {"together": share_at_most(0.02)}, True)
    looked = runs.where(runs.labels == LOOKS[0])
    ever = among(looked, stopped)
    yield Line(f"pair: runs with a sure look up to {LOOKS[-1]} labels", mean_of(sample, looked, ever), {}, True)
    yield Line("pair: labels at the first sure look", mean_of(sample, stopped, stopped.labels))


def _interval_lines(runs: Runs, sample: Sample, budgets: list[int]) -> Lines:
    """Coverage, width and error of the difference."""
    every = _at_budgets(runs, budgets)
    what = f"pair: coverage of the difference at {listed(budgets)}"
    yield Line(what, coverage_of(sample, every), {"together": share_at_least(0.93)}, True)
    groups = with_share_errors(every, sample.by_group(sample.mean(every, every.held)))
    yield Worst(f"{what}, worst group", groups, share_at_least(0.88), True)
    at = {labels: of(runs, "pair", labels) for labels in budgets}
    for labels, found in at.items():
        yield Line(f"pair: coverage of the difference at {labels}", coverage_of(sample, found), {}, True)
    for labels, found in at.items():
        other = of(runs, "own", labels)
        numbers = ratio_of_means(sample, (found, found.width), (other, other.width))
        yield Line(f"pair: width / width of own at {labels}", numbers, {"together": Goal(0.40)})
    for labels, found in at.items():
        yield Line(f"pair: root mean squared error of the difference at {labels}", root_of(sample, found))


def _at_budgets(runs: Runs, budgets: list[int]) -> Runs:
    """Without the looks at the ends of rounds."""
    return runs.where((runs.method == "pair") & np.isin(runs.labels, budgets))


def _each_lines(runs: Runs, budgets: list[int]) -> Lines:
    """Both F1, with labels for each model."""
    sample = Sample(runs)
    for labels in budgets:
        decides = labels in (70, 150)
        numbers = sample.numbers(_against_better(sample, runs, labels))
        what = f"each: squared error of both F1 / better of first and own at {labels}"
        yield Line(what, numbers, {"together": Goal(0.60)} if decides else {})
    for labels in budgets:
        covered = coverage_of(sample, of(runs, "each", labels))
        goals = {"together": share_at_least(0.93)} if labels in (70, 150) else {}
        yield Line(f"each: coverage of both F1 at {labels}", covered, goals, True)


def _against_better(sample: Sample, runs: Runs, labels: int) -> Callable[[Flags], Floats]:
    """The ratio of mean squared errors to the better one of the two baselines, as a function of the groups."""
    mine, first, own = (squares(sample, of(runs, name, labels)) for name in ("each", "first", "own"))

    def ratio(chosen: Flags) -> Floats:
        baselines = [over_groups(means, chosen) for means in (first, own)]
        better = min(baselines, key=lambda means: float(means[0]))
        return over_groups(mine, chosen) / better

    return ratio


def joined(one: Runs, two: Runs) -> Runs:
    """The runs of both."""
    names = Runs.__dataclass_fields__
    return Runs(**{name: np.concatenate([getattr(one, name), getattr(two, name)]) for name in names})


def _details(runs: Runs, sample: Sample, budgets: list[int]) -> str:
    def cell(labels: int) -> dict[str, str]:
        mine, own = (of(runs, name, labels) for name in ("pair", "own"))
        shares = [sample.mean(mine, values.astype(np.float64))[0] for values in (sure(mine), wrong(mine), mine.held)]
        widths = [sample.mean(found, found.width)[0] for found in (mine, own)]
        return {
            name: "; ".join([*(percent_of(each[g]) for each in shares), *(decimal(each[g]) for each in widths)])
            for g, name in enumerate(sample.groups)
        }

    words = "sure; sure and wrong; coverage; width; width of own"
    return details_table(sample, words, {labels: cell(labels) for labels in budgets}, runs)
