"""What the evaluation was: pool, metric, sampler, settings, seed, versions, date."""

import platform
from dataclasses import dataclass
from datetime import date

import numpy as np

import lowshot
from lowshot.durable import Evaluation as Durable
from lowshot.evaluation import Evaluation


@dataclass(frozen=True)
class Origin:
    """Enough to do it again. The same pool, sampler, settings, seed and labels give the same estimate."""

    name: str | None  # in its store; None in memory
    question: str | None
    fingerprint: str
    items: int
    predicted: int
    weighted: bool
    metric: str
    alpha: float
    sampler: str
    settings: dict[str, object]
    seed: int
    lowshot: str
    numpy: str
    python: str
    date: date


def origin(evaluation: Evaluation) -> Origin:
    """As of today, with what is installed."""
    pool = evaluation.pool
    stored = evaluation if isinstance(evaluation, Durable) else None
    return Origin(
        name=None if stored is None else stored.name,
        question=None if stored is None else stored.question,
        fingerprint=pool.fingerprint,
        items=len(pool),
        predicted=pool.predicted_positives,
        weighted=pool.view().weighted,
        metric=evaluation.metric.name,
        alpha=evaluation.metric.alpha,
        sampler=evaluation.sampler.name,
        settings=evaluation.sampler.settings,
        seed=evaluation.seed,
        lowshot=lowshot.__version__,
        numpy=np.__version__,
        python=platform.python_version(),
        date=date.today(),
    )
