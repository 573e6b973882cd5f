"""How good could any method be that knows the chance of every group of items? A floor, not a target."""

import numpy as np

from lowshot.core.curve.bands import Bands
from lowshot.core.types import Floats
from lowshot.metric import FBeta
from lowshot.sampler.group_design import groups_of
from lowshot.testing import Task
from lowshot_bench.check import families
from lowshot_bench.report import row
from lowshot_bench.summary import Cells

FLOOR = "known chances"


def floors(task: Task, metric: FBeta, budgets: tuple[int, ...]) -> list[float]:
    """The mean squared error that is left when only the luck of the unlabelled items is unknown.

    Chances are the shares of positives in bands of ranks, split by prediction, as they are in the task itself; the
    items that matter most are labelled first. F is taken as linear around its true value.

    >>> from lowshot.metric import f_metric
    >>> from lowshot.testing import simulated
    >>> first, last = floors(simulated(), f_metric("f1"), (10, 1000))
    >>> first > last >= 0
    True
    """
    cells = task.pool.view().cells()
    bands = Bands.of(cells)
    count = bands.count.ravel().astype(np.float64)
    group = groups_of(cells, bands, np.flatnonzero(task.labels))
    chance = np.bincount(group, minlength=count.size) / np.maximum(count, 1)
    worth = (_effects(task, metric).repeat(len(bands)) ** 2) * chance * (1 - chance)
    best = np.argsort(-worth, kind="stable")
    return [float(worth[best] @ (count[best] - _taken(count[best], budget))) for budget in budgets]


def _taken(count: Floats, budget: int) -> Floats:
    """How many of each group have a label, if groups are labelled one after the other."""
    return np.clip(budget - (np.cumsum(count) - count), 0, count)


def _effects(task: Task, metric: FBeta) -> Floats:
    """What one more positive adds to F, if predicted and if not."""
    value = task.truth(metric.name)
    below = metric.alpha * task.pool.predicted_positives + (1 - metric.alpha) * task.labels.sum()
    found: Floats = np.array([1 - (1 - metric.alpha) * value, -(1 - metric.alpha) * value]) / below
    return found


def floor_table(cells: Cells, floor: Cells, method: str) -> str:
    """A method's mean squared error over the floor."""
    budgets = sorted({key[3] for key in floor})
    lines = [row(["family", *(f"{budget} labels" for budget in budgets)]), row(["---"] * (len(budgets) + 1))]
    for family in families(floor):
        pairs = [(cells[family, method, "own", b].square, floor[family, FLOOR, "own", b].variance) for b in budgets]
        lines.append(row([family, *(f"{mine:.5f} / {known:.5f}" for mine, known in pairs)]))
    return "\n".join(lines)
