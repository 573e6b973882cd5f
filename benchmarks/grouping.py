"""The cost in accuracy of grouping items: `make bench-grouping`, on the six categories of the demo's data.

`open_pool` groups all items of a large pool but the best ones (`head`) into levels of similar score. Here, the same
evaluation to 100 labels is run on each pool as it is and on grouped pools, with the seeds 0, 1, ..., and the mean
squared errors of F1 are compared. The draws of the two sides differ, so the standard error of their ratio is that of
independent runs.
"""

from datetime import date

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import lowshot
from lowshot.api import run
from lowshot.demo.data import CATEGORIES, Task, load

LABELS, RUNS = 100, 100  # RUNS: seeds per category
# The default number of levels with a small head, and a much coarser grouping.
GROUPED = ({"head": 5000, "levels": 256}, {"head": 200, "levels": 64})


def square(task: Task, pool: lowshot.Pool, sampler: str, seed: int) -> float:
    """The squared error of one run."""
    found = run(lowshot.Evaluation(pool, sampler=sampler, seed=seed), task.answer, LABELS).estimate()
    return float(((found.value if found.defined else 0.0) - task.truth()) ** 2)


def squares(sampler: str, grouped: dict[str, int]) -> np.ndarray:
    """Squared errors [categories, seeds]."""
    found = []
    for task in map(load, CATEGORIES):
        pool = lowshot.Pool(task.pool.scores, task.pool.predictions, **grouped)
        found.append([square(task, pool, sampler, seed) for seed in range(RUNS)])
    return np.array(found)


def compared(plain: np.ndarray, other: np.ndarray) -> str:
    """The ratio of the mean squared errors, and its standard error by the delta method."""
    means = [each.mean() for each in (plain, other)]
    errors = [np.sqrt(each.var(axis=1, ddof=1).mean() / each.size) / each.mean() for each in (plain, other)]
    ratio = means[1] / means[0]
    return f"{ratio:.2f} ± {ratio * np.hypot(*errors):.2f}"


def main() -> None:
    console = Console(width=110)
    names = [f"head {each['head']:,}, {each['levels']} levels" for each in GROUPED]
    table = Table("sampler", "squared error, not grouped", *(f"ratio: {name}" for name in names))
    for sampler in track(("acis", "curve"), "evaluations ..."):
        plain = squares(sampler, {})
        table.add_row(sampler, f"{plain.mean():.5f}", *(compared(plain, squares(sampler, each)) for each in GROUPED))
    console.print(f"{date.today()}, {len(CATEGORIES)} categories, {LABELS} labels, seeds 0 to {RUNS - 1}", table)


if __name__ == "__main__":
    main()
