"""The loop in one call."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lowshot import checks
from lowshot.checks import Id
from lowshot.core.counts import count, variance_of_counts
from lowshot.errors import InputError
from lowshot.estimation import Target
from lowshot.evaluation import Evaluation
from lowshot.known import KnownLabels
from lowshot.metric import Metric, f_metric
from lowshot.pools import columns
from lowshot.pools.memory import Pool
from lowshot.prior import Prior
from lowshot.result import Estimate
from lowshot.sampler.base import Sampler

Oracle = Callable[[list[Id]], Iterable[Any]]


def estimate(
    scores: Any,
    predictions: Any = None,
    oracle: Oracle | None = None,
    *,
    budget: int,
    metric: str | Metric = "f1",
    sampler: str | Sampler = "curve",
    seed: int = 0,
    alpha: float | None = None,
    settings: dict[str, Any] | None = None,
    prior: Prior | None = None,
    known: KnownLabels | None = None,
    confidence: float = 0.95,
    target: Target = "pool",
    **pool_columns: Any,
) -> Estimate:
    """Ask the oracle for `budget` labels, in rounds, and estimate.

    `oracle(ids)` returns one label (0, 1 or None) for each id; the other arguments of `Pool` are taken too. Labels
    that must survive an oracle that fails, or serve another metric, need an `Evaluation` of their own.

    >>> scores = [0.95, 0.9, 0.8, 0.6, 0.4, 0.3, 0.2, 0.1]
    >>> truth = [1, 1, 0, 1, 1, 0, 0, 0]
    >>> print(estimate(scores, oracle=lambda ids: [truth[i] for i in ids], budget=8, threshold=0.5))
    f1 = 0.750, 95 % interval 0.750 to 0.750, from 8 labels
    """
    if not callable(oracle):
        raise InputError(f"oracle must be a function that takes ids and returns labels: got {oracle!r}")
    evaluation = Evaluation(
        Pool(scores, predictions, **pool_columns),
        metric,
        sampler,
        seed,
        alpha=alpha,
        settings=settings,
        prior=prior,
        known=known,
    )
    size = len(evaluation.pool)
    if checks.whole_number("budget", budget, 1) > size:
        raise InputError(f"budget must be at most the number of items: got {budget} for a pool of {size}")
    return run(evaluation, oracle, budget).estimate(confidence=confidence, target=target)


def run(evaluation: Evaluation, oracle: Oracle, budget: int) -> Evaluation:
    """Ask and tell until the evaluation has `budget` labels or nothing is left to ask. Returns it.

    >>> evaluation = Evaluation(Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5))
    >>> run(evaluation, lambda ids: [0 for _ in ids], budget=3).labels
    3
    """
    while evaluation.labels < budget and (items := evaluation.ask(budget - evaluation.labels)):
        evaluation.tell(items, oracle(items))
    return evaluation


def finite_pool_variance(labels: Any, predictions: Any, metric: str | Metric = "f1") -> float:
    """How far the metric of a fully labelled set is from the population's: its variance (paper, section 4.3.2).

    >>> round(finite_pool_variance([1, 1, 0, 1, 0, 0], [1, 1, 1, 0, 0, 0]), 4)
    0.0684
    """
    truth = columns.binary("labels", labels).astype(np.float64)
    if not len(truth):
        raise InputError("labels must hold at least one item: got none")
    predicted = columns.binary("predictions", predictions, len(truth)).astype(np.float64)
    counts = count(truth, predicted, np.ones(len(truth)))
    return variance_of_counts(*counts[:3], f_metric(metric).alpha)
