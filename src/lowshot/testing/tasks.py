"""Small tasks whose labels are known, and a simulated annotator."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowshot.api import run
from lowshot.checks import Id
from lowshot.core.types import Flags, Floats
from lowshot.evaluation import Evaluation
from lowshot.metric import Metric
from lowshot.metric import metric as find_metric
from lowshot.pool import Pool


@dataclass(frozen=True, eq=False)
class Task:
    """Columns of a pool, and the labels that a person would give."""

    columns: dict[str, Any]
    labels: Flags

    @property
    def pool(self) -> Pool:
        return Pool(**self.columns)

    def answer(self, items: Iterable[Id]) -> list[int]:
        """What a person would say about these items, where ids are positions."""
        return [int(self.labels[int(item)]) for item in items]

    def truth(self, metric: str | Metric = "f1") -> float:
        """The metric of the fully labelled pool.

        >>> round(simulated().truth("precision"), 2)
        0.59
        """
        y, yhat = self.labels, self.pool.predictions
        counts = (float((y & yhat).sum()), float((~y & yhat).sum()), float((y & ~yhat).sum()))
        return find_metric(metric).of_counts(*counts, total=len(y))


def simulated(
    items: int = 400, positives: int = 30, seed: int = 0, separation: float = 2.5, strays: int = 3, ties: bool = False
) -> Task:
    """A rare category: normal scores, positives shifted up, some predictions far down the ranking.

    >>> task = simulated()
    >>> task.pool, int(task.labels.sum())
    (Pool(400 items, 39 predicted positive), 30)
    """
    random = np.random.default_rng(seed)
    labels = np.zeros(items, dtype=np.bool_)
    labels[random.choice(items, positives, replace=False)] = True
    margin: Floats = random.normal(size=items) + separation * labels
    scores = 1 / (1 + np.exp(-margin))
    if ties:
        scores = np.round(scores, 1)
    predictions = margin > separation * 0.7
    predictions[random.choice(items, strays, replace=False)] = True
    features = np.stack([margin, random.normal(size=items)], axis=1)
    columns = {"scores": scores, "predictions": predictions, "features": features, "scale": "probability"}
    return Task(columns, labels)


def finish(evaluation: Evaluation, labels: Any, budget: int) -> Evaluation:
    """Label until the budget is spent or nothing is left. `labels` is indexed by id.

    >>> task = simulated()
    >>> finish(Evaluation(task.pool), task.labels, 50).labels
    50
    """
    return run(evaluation, lambda items: [labels[item] for item in items], budget)
