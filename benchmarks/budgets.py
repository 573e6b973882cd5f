"""What `Evaluation.budgets` predicts before the first label, beside what runs end up with: `make bench-budgets`.

    python benchmarks/budgets.py 10

The pools are the six categories of the demo's data, which is part of the package, thinned to one positive in 1,000
items and with all positives. For each number of labels it prints the half-width that `lowshot start` shows, the median
half-width of the 95 % intervals of so many runs, and their ratio, as Markdown.
"""

import sys
from collections.abc import Iterator

import numpy as np
from rich.console import Console
from rich.progress import track

import lowshot
from lowshot.core.types import Floats
from lowshot.demo.data import CATEGORIES, Task, load
from lowshot.evaluation import BUDGETS
from lowshot.result import Budget
from lowshot.tasks import finish

RUNS = 10  # seeds per pool


def widths(task: Task, seed: int) -> list[float]:
    """The half-width of the interval of one run, at each number of labels."""
    evaluation, found = lowshot.Evaluation(task.pool, seed=seed), []
    for count in BUDGETS:
        interval = finish(evaluation, task.labels, count).estimate().interval
        found.append(float("nan") if interval is None else interval.width / 2)
    return found


def rows(name: str, predicted: tuple[Budget, ...], ended: Floats) -> Iterator[str]:
    """ended  [run, number of labels]"""
    for budget, column in zip(predicted, ended.T, strict=True):
        middle = float(np.median(column))
        yield f"| {name} | {budget.labels} | ± {budget.high:.2f} | ± {middle:.2f} | {middle / budget.high:.2f} |"


def main(runs: int) -> None:
    print("| category | labels | predicted | median of runs | ratio |\n| --- | --- | --- | --- | --- |")
    for all_positives in (False, True):
        for category in track(CATEGORIES, "Labelling", console=Console(stderr=True), transient=True):
            task = load(category, all_positives=all_positives)
            predicted = lowshot.Evaluation(task.pool).budgets()
            ended = np.array([widths(task, seed) for seed in range(runs)])
            name = f"{category}{', all positives' * all_positives}"
            print("\n".join(rows(name, predicted, ended)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
