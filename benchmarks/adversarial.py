"""Coverage of the intervals on pools with misleading scores: `make bench-adversarial`, or with a number of runs.

    python benchmarks/adversarial.py 100

For each pool, sampler and number of labels it prints the share of runs whose 95 % interval contains the truth, and the
mean width of the interval. On some of these pools no method can estimate F1 with so few labels; there the interval
should be wide rather than wrong.
"""

import sys
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from lowshot import Evaluation
from lowshot.core.types import Flags, Floats
from lowshot.pools.memory import Pool
from lowshot.sampler import Acis, Curve, Sampler, Sawade
from lowshot.testing import Task, finish

ITEMS, POSITIVES = 20_000, 60
BUDGETS = (30, 100, 300)  # labels
METHODS: dict[str, Sampler] = {
    "curve": Curve(),
    "curve, background 3": Curve(background=3.0),
    "acis": Acis(),
    "sawade": Sawade(),
}
Made = tuple[Floats, Flags, Flags]  # scores, predictions, labels


def ordinary(random: np.random.Generator, positives: int = POSITIVES, shift: float = 3.0) -> tuple[Floats, Flags]:
    """Scores and labels: normal scores, those of positives higher by `shift` standard deviations."""
    labels = np.zeros(ITEMS, dtype=np.bool_)
    labels[random.choice(ITEMS, positives, replace=False)] = True
    return random.normal(size=ITEMS) + shift * labels, labels


def top(scores: Floats, count: int) -> Flags:
    """Predictions: positive for the `count` highest scores."""
    flags = np.zeros(len(scores), dtype=np.bool_)
    flags[np.argsort(-scores, kind="stable")[:count]] = True
    return flags


def constant(random: np.random.Generator) -> Made:
    _, labels = ordinary(random)
    return np.zeros(ITEMS), random.random(ITEMS) < 0.005, labels


def reversed_(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return -scores, top(-scores, POSITIVES), labels


def independent(random: np.random.Generator) -> Made:
    _, labels = ordinary(random)
    scores = random.normal(size=ITEMS)
    return scores, top(scores, POSITIVES), labels


def confident_mistakes(random: np.random.Generator) -> Made:
    """The 30 highest scores belong to negatives."""
    scores, labels = ordinary(random)
    wrong = random.choice(np.flatnonzero(~labels), 30, replace=False)
    scores[wrong] = 8 + random.random(30)
    return scores, top(scores, 90), labels


def hidden(random: np.random.Generator) -> Made:
    """80 % of the positives have scores like negatives, so that recall is about 0.2."""
    scores, labels = ordinary(random, shift=4.0)
    lost = random.choice(np.flatnonzero(labels), round(0.8 * POSITIVES), replace=False)
    scores[lost] = random.normal(size=len(lost))
    return scores, top(scores, 20), labels


def one_positive(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random, positives=1)
    return scores, top(scores, 10), labels


def one_prediction(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return scores, top(scores, 1), labels


def no_prediction(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return scores, top(scores, 0), labels


def half_predicted(random: np.random.Generator) -> Made:
    scores, labels = ordinary(random)
    return scores, top(scores, ITEMS // 2), labels


POOLS: dict[str, Callable[[np.random.Generator], Made]] = {
    "constant scores": constant,
    "reversed scores": reversed_,
    "scores independent of the label": independent,
    "30 confident mistakes": confident_mistakes,
    "recall 0.2, the rest anywhere": hidden,
    "one positive": one_positive,
    "one predicted positive": one_prediction,
    "no predicted positive": no_prediction,
    "half of the pool predicted": half_predicted,
}


def coverage(make: Callable[[np.random.Generator], Made], sampler: Sampler, runs: int) -> list[tuple[float, float]]:
    """Coverage and mean width at each number of labels in BUDGETS. A run without an interval counts as [0, 1]."""
    found = np.zeros((len(BUDGETS), runs, 2))
    for run in range(runs):
        scores, predictions, labels = make(np.random.default_rng([5, run]))
        task = Task(Pool(scores, predictions, scale="logit"), labels)
        evaluation = Evaluation(task.pool, sampler=sampler, seed=run)
        for place, budget in enumerate(BUDGETS):
            interval = finish(evaluation, labels, budget).estimate().interval
            low, high = (0.0, 1.0) if interval is None else (interval.low, interval.high)
            found[place, run] = low <= task.truth() <= high, high - low
    return [(float(share), float(width)) for share, width in found.mean(axis=1)]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    columns = [f"{name}: {budget}" for name in METHODS for budget in BUDGETS]
    table = Table("pool", *columns, title=f"coverage / width, {runs} runs, {ITEMS:,} items, {POSITIVES} positives")
    for name, make in track(list(POOLS.items()), "pools"):
        cells = [cell for sampler in METHODS.values() for cell in coverage(make, sampler, runs)]
        table.add_row(name, *(f"{share:.0%} / {width:.2f}" for share, width in cells))
    Console(width=220).print(table)


if __name__ == "__main__":
    main()
