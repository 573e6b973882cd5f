"""What the evaluation was: pool, metric, sampler, settings, seed, versions, date."""

import platform
from dataclasses import dataclass
from datetime import date

import numpy as np

import lowshot
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
    return Origin(
        name=evaluation.name,
        question=evaluation.question,
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


@dataclass(frozen=True)
class Agreed:
    """Of items with answers of at least two people, as each gave them first."""

    people: int
    items: int
    same: float
    kappa: float  # Cohen's; NaN if everything got the same answer
    disputes: int  # open ones: answers differ, and nobody has decided


def agreed(evaluation: Evaluation) -> Agreed | None:
    """None where no item has two answers: in memory nobody knows who answered.

    >>> import lowshot, tempfile
    >>> from lowshot.labelling import Desk
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    >>> desk = Desk(lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/birds.db"), wanted=2)
    >>> for person, label in (("ann", 1), ("bob", 0)):
    ...     _ = desk.answer(person, desk.take(person)[0], label)
    >>> agreed(desk.evaluation)
    Agreed(people=2, items=1, same=0.0, kappa=0.0, disputes=1)
    """
    if evaluation.store is None:
        return None
    from lowshot.labelling import Agreement, Desk  # needs a store, and so its extra

    desk = Desk(evaluation, wanted=2)  # however many answers an item needs: two that differ are a dispute
    said = {str(item): answers for item, answers in desk.said().items()}
    found = Agreement.of(said)
    if not found.items:
        return None
    people = {answer.annotator for answers in said.values() for answer in answers if not answer.final}
    return Agreed(len(people), found.items, found.same, found.kappa, len(desk.disputed()))
