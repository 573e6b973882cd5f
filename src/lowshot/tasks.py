"""Tasks whose labels are all known, for tests and benchmarks: a simulated annotator and the true metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lowshot.api import run
from lowshot.checks import Id
from lowshot.core.types import Flags, Floats
from lowshot.evaluation import Evaluation
from lowshot.metric import Metric
from lowshot.metric import metric as find_metric
from lowshot.pools.columns import binary
from lowshot.pools.memory import Pool

PREVALENCE = 0.001  # share of positives in a thinned pool: the rare categories of the benchmark


@dataclass(frozen=True, eq=False)
class Task:
    """A pool, and the labels that a person would give. Samplers never see the labels.

    >>> pool = Pool([0.9, 0.7, 0.2, 0.1], threshold=0.5, ids=["a", "b", "c", "d"])
    >>> task = Task(pool, np.array([True, False, True, False]))
    >>> task.positives, task.answer(["c", "d"])
    (2, [1, 0])
    >>> task.truth(), task.truth("precision"), task.truth(predictions=[1, 0, 1, 0])
    (0.5, 0.5, 1.0)
    """

    pool: Pool
    labels: Flags

    @cached_property
    def positives(self) -> int:
        return int(np.count_nonzero(self.labels))

    @property
    def columns(self) -> dict[str, Any]:
        """What `Pool(...)` takes to make this pool again, or one that differs; without ids and weights."""
        pool = self.pool
        return {"scores": pool.scores, "predictions": pool.predictions, "features": pool.features, "scale": pool.scale}

    def answer(self, items: Sequence[Id]) -> list[int]:
        """What a person would say about these items."""
        found: list[int] = self.labels[self.pool.positions(items)].astype(int).tolist()
        return found

    def truth(self, metric: str | Metric = "f1", predictions: Any = None) -> float:
        """The metric of the whole pool, from all labels; of another model if its predictions are given."""
        predicted = self.pool.predictions
        if predictions is not None:
            predicted = binary("predictions", predictions, len(self.pool))
        tp = int(np.count_nonzero(predicted & self.labels))
        fp = int(np.count_nonzero(predicted)) - tp
        return find_metric(metric).of_counts(tp, fp, self.positives - tp, len(self.pool))


def simulated(
    items: int = 400, positives: int = 30, seed: int = 0, separation: float = 2.5, strays: int = 3, ties: bool = False
) -> Task:
    """A rare category: normal scores, positives shifted up, some predictions far down the ranking.

    >>> task = simulated()
    >>> task.pool, task.positives
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
    return Task(Pool(scores, predictions, features=features, scale="probability"), labels)


def thin(labels: Flags, seed: int | tuple[int, ...], prevalence: float = PREVALENCE) -> Flags:
    """Which items to keep so that positives are this rare: all negatives, and a random choice of positives by the seed.

    >>> kept = thin(np.arange(1000) < 100, seed=3, prevalence=0.01)
    >>> int(kept[:100].sum()), int(kept[100:].sum())
    (9, 900)

    At least one positive is kept, since otherwise there is nothing to evaluate; all are kept if they are rarer already.
    """
    positives = np.flatnonzero(labels)
    wanted = max(1, round(prevalence / (1 - prevalence) * (len(labels) - len(positives))))
    kept = ~labels
    kept[np.random.default_rng(seed).choice(positives, min(wanted, len(positives)), replace=False)] = True
    return kept


def finish(evaluation: Evaluation, labels: Any, budget: int) -> Evaluation:
    """Label until the budget is spent or nothing is left. `labels` is indexed by id.

    >>> task = simulated()
    >>> finish(Evaluation(task.pool), task.labels, 50).labels
    50
    """
    return run(evaluation, lambda items: [labels[item] for item in items], budget)
