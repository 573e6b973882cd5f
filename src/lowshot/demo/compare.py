"""The typical error of each sampler with the same number of labels, over runs with different seeds."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lowshot.core.types import Floats
from lowshot.demo.data import Task
from lowshot.demo.run import finish
from lowshot.result import Estimate
from lowshot.sampler.registry import samplers as registry

SAMPLERS = ("curve", "acis", "sawade", "topk", "rand")  # compared by default
SEEDS = 2**64  # seeds are below this


@dataclass(frozen=True)
class Trial:
    """The estimate that one run of a sampler ended with."""

    sampler: str
    estimate: Estimate


@dataclass(frozen=True)
class Comparison:
    """The runs of one sampler, compared with the truth. A run without an estimate counts as F1 = 0.

    >>> from lowshot.demo.data import load
    >>> (topk,) = compare(load(), ["topk"], labels=100, runs=40, seed=0)
    >>> topk.runs, topk.undefined, topk.inside
    (1, 0, None)
    """

    sampler: str
    truth: float
    estimates: tuple[Estimate, ...]

    @property
    def runs(self) -> int:
        return len(self.estimates)

    @property
    def undefined(self) -> int:
        """Runs without an estimate, because their labels do not determine F1."""
        return sum(not estimate.defined for estimate in self.estimates)

    @property
    def values(self) -> Floats:
        return np.array([estimate.value if estimate.defined else 0.0 for estimate in self.estimates])

    @property
    def typical_error(self) -> float:
        """Root mean squared error."""
        return math.sqrt(np.mean((self.values - self.truth) ** 2))

    @property
    def inside(self) -> int | None:
        """How many intervals contain the truth; None if the sampler has no intervals."""
        intervals = [estimate.interval for estimate in self.estimates if estimate.interval is not None]
        return sum(self.truth in interval for interval in intervals) if intervals else None

    @property
    def width(self) -> float | None:
        """The mean width of the intervals; None if there are none."""
        widths = [estimate.interval.width for estimate in self.estimates if estimate.interval is not None]
        return float(np.mean(widths)) if widths else None


def plan(samplers: Sequence[str], runs: int, seed: int) -> list[tuple[str, int]]:
    """Pairs of sampler and seed; seeds count up from `seed`.

    >>> plan(["acis", "topk"], runs=2, seed=7)
    [('acis', 7), ('acis', 8), ('topk', 7)]
    """
    repeats = {
        name: runs if registry[name].random else 1 for name in samplers
    }  # without randomness all runs are the same
    return [(name, (seed + k) % SEEDS) for name in samplers for k in range(repeats[name])]


def trials(task: Task, samplers: Sequence[str], labels: int, runs: int, seed: int) -> Iterator[Trial]:
    """The runs, one after the other."""
    for name, number in plan(samplers, runs, seed):
        yield Trial(name, finish(task, name, labels, number))


def summary(task: Task, done: Sequence[Trial]) -> list[Comparison]:
    """One comparison per sampler, in the order of their first run."""
    names = dict.fromkeys(trial.sampler for trial in done)
    return [Comparison(name, task.truth(), tuple(t.estimate for t in done if t.sampler == name)) for name in names]


def compare(task: Task, samplers: Sequence[str], labels: int, runs: int, seed: int) -> list[Comparison]:
    """Run all samplers and summarise them."""
    return summary(task, list(trials(task, samplers, labels, runs, seed)))


def with_chosen(sampler: str) -> list[str]:
    """The samplers to compare: the usual ones, and the chosen one.

    >>> with_chosen("acis"), with_chosen("iso")
    (['curve', 'acis', 'sawade', 'topk', 'rand'], ['curve', 'acis', 'sawade', 'topk', 'rand', 'iso'])
    """
    return list(dict.fromkeys([*SAMPLERS, sampler]))
