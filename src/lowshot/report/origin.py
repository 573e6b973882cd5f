"""Where the numbers come from: pool, metric, sampler, settings, seed, versions; and how often annotators agree."""

import platform
from dataclasses import dataclass
from datetime import date

import numpy as np

import lowshot
from lowshot.evaluation import Evaluation
from lowshot.goal import in_words
from lowshot.prior import without_arguments


@dataclass(frozen=True)
class ReportOrigin:
    """What is needed to repeat it: the same pool, metric, sampler, settings, seed and labels give the same estimate."""

    name: str | None  # its name in the store; None for an evaluation in memory
    question: str | None
    fingerprint: str
    items: int
    categories: int  # that an item can have; 0 for a yes/no question
    predicted: dict[str, int]  # items that each model predicts positive
    helpers: tuple[str, ...]  # scores that only help
    goal: str | None  # in words; None if it is the only model
    judged: str | None  # the model that the goal is about; None if it is about several, or if there is only one
    rankings: int  # by several scores; 1 if there is one score
    weighted: bool
    metric: str
    alpha: float
    sampler: str
    settings: dict[str, object]  # without the prior
    prior: str | None  # what the user knew before the first label
    seed: int
    lowshot: str
    numpy: str
    python: str
    date: date


def origin(evaluation: Evaluation) -> ReportOrigin:
    """The origin, with today's date and the installed versions."""
    pool = evaluation.pool
    return ReportOrigin(
        name=evaluation.name,
        question=evaluation.question,
        fingerprint=pool.fingerprint,
        items=len(pool),
        categories=len(pool.categories),
        predicted={name: pool.view(name).predicted_positives for name in pool.models},
        helpers=pool.helpers,
        goal=_goal(evaluation),
        judged=None if len(pool.models) == 1 else evaluation.model,
        rankings=len(evaluation.view.joint.rankings),
        weighted=pool.view().weighted,
        metric=evaluation.metric.name,
        alpha=evaluation.metric.alpha,
        sampler=evaluation.sampler.name,
        settings=without_arguments(evaluation.sampler.settings),
        prior=None if evaluation.prior is None else str(evaluation.prior),
        seed=evaluation.seed,
        lowshot=lowshot.__version__,
        numpy=np.__version__,
        python=platform.python_version(),
        date=date.today(),
    )


def _goal(evaluation: Evaluation) -> str | None:
    """The goal in words; None if there is nothing to choose."""
    pool, goal = evaluation.pool, evaluation.goal
    if pool.categories:
        return in_words(goal, of_classes=True)
    return None if goal == pool.models[0] and len(pool.models) == 1 else in_words(goal)


@dataclass(frozen=True)
class Agreed:
    """How often people gave the same first answer, over the items that at least two people answered."""

    people: int
    items: int
    same: float
    kappa: float  # Cohen's kappa; NaN if all answers are the same
    disputes: int  # items whose answers differ and that the owner has not decided


def agreed(evaluation: Evaluation) -> Agreed | None:
    """None if no item has answers of two people; an evaluation in memory does not record who answered.

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
    from lowshot.labelling import Agreement, Desk  # imported late: needs the extra of the store

    desk = Desk(evaluation, wanted=2)  # two answers that differ are a dispute, however many answers an item needs
    said = {str(item): answers for item, answers in desk.said().items()}
    found = Agreement.of(said, evaluation.pool.answers)
    if not found.items:
        return None
    people = {answer.annotator for answers in said.values() for answer in answers if not answer.final}
    return Agreed(len(people), found.items, found.same, found.kappa, len(desk.disputed()))
