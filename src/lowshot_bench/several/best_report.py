"""What `best` must reach, and its groups."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from lowshot.core.types import Floats
from lowshot_bench.experiment import Experiment
from lowshot_bench.several.bar import Goal, Line, Lines, Tables, Worst, share_at_most
from lowshot_bench.several.best import BY_ACCURACY, BY_F1, CHOICE
from lowshot_bench.several.numbers import budgets_of, decimal, details_table, of, percent_of
from lowshot_bench.several.sample import Sample
from lowshot_bench.zoo_summary import Runs, runs_of

EQUAL = 1e-9  # F1 that are closer are the same


def right(runs: Runs) -> Floats:
    """1 if the best candidate was chosen, or one that is as good; else 0."""
    return (runs.truth - runs.value <= EQUAL).astype(np.float64)


def loss(runs: Runs) -> Floats:
    """F1 of the best candidate minus that of the chosen one."""
    return runs.truth - runs.value


Shown = tuple[str, str]  # a method, and how it chose
MINE: Shown = ("best", CHOICE)
RIVALS: tuple[Shown, ...] = (("uniform", CHOICE), ("coda", CHOICE))
SHOWN: tuple[Shown, ...] = (MINE, ("best", BY_F1), ("each", CHOICE), *RIVALS, ("coda", BY_ACCURACY))


def tables(experiment: Experiment, table: pa.Table) -> Tables:
    """The lines of the bar, and the table of all groups."""
    by_target = {target: runs_of(table, target) for target in (CHOICE, BY_F1, BY_ACCURACY)}
    sample = Sample(by_target[CHOICE])
    return _lines(experiment, by_target, sample), _details(experiment, by_target, sample)


def _lines(experiment: Experiment, by_target: dict[str, Runs], sample: Sample) -> Lines:
    for labels in budgets_of(experiment, by_target[CHOICE]):
        yield from _compared(by_target, sample, labels, "right", right)
        yield from _compared(by_target, sample, labels, "loss", loss)


def _compared(
    by_target: dict[str, Runs], sample: Sample, labels: int, words: str, quantity: Callable[[Runs], Floats]
) -> Lines:
    """One quantity of all methods at one number of labels, and how far the rivals are ahead."""
    percent = quantity is right
    at = {(method, target): of(by_target[target], method, labels) for method, target in SHOWN}
    means = {key: sample.mean(found, quantity(found)) for key, found in at.items()}
    for shown, found in means.items():
        yield Line(f"{_words(shown)}: {words} at {labels} labels", sample.average(found), {}, percent)
    goal = share_at_most(0.0) if percent else Goal(0.0)
    for rival in RIVALS:
        mine, other = means[MINE], means[rival]
        behind = other - mine if percent else mine - other  # a high share is good, a high loss is not
        what = f"best behind {_words(rival)}: {words} at {labels}"
        yield Line(what, sample.average(behind), {"together": goal}, percent)
        yield Worst(f"{what}, worst group", sample.by_group(behind), goal, percent)


def _words(shown: Shown) -> str:
    """
    >>> _words(("coda", CHOICE)), _words(("coda", BY_ACCURACY))
    ('coda', 'coda by accuracy')
    """
    method, target = shown
    return method if target == CHOICE else f"{method} {target}"


def _details(experiment: Experiment, by_target: dict[str, Runs], sample: Sample) -> str:
    def cell(labels: int) -> dict[str, str]:
        at = [of(by_target[target], method, labels) for method, target in (MINE, *RIVALS)]
        rights, losses = ([sample.mean(found, q(found))[0] for found in at] for q in (right, loss))
        return {
            name: "; ".join(f"{percent_of(r[g])} {decimal(x[g])}" for r, x in zip(rights, losses, strict=True))
            for g, name in enumerate(sample.groups)
        }

    words = f"right and loss of {', '.join(map(_words, (MINE, *RIVALS)))}"
    runs = by_target[CHOICE]
    return details_table(sample, words, {labels: cell(labels) for labels in budgets_of(experiment, runs)}, runs)
