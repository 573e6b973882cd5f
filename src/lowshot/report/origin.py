"""Where the numbers come from: pool, method, versions, times; who labelled, and how often annotators agree."""

import platform
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

import lowshot
from lowshot.evaluation import Evaluation
from lowshot.goal import in_words
from lowshot.history import History
from lowshot.prior import without_arguments

if TYPE_CHECKING:
    from lowshot.labelling.answers import GivenAnswer

Clock = Callable[[], datetime]
UNNAMED = "command line or Python"  # stands for the names of people in labels that were told without one


def now() -> datetime:
    return datetime.now(UTC)


def minute(time: str | datetime) -> str:
    """A time in UTC, as people read it.

    >>> minute("2026-11-15T10:24:56.123+00:00")
    '2026-11-15 10:24 UTC'
    """
    found = datetime.fromisoformat(time) if isinstance(time, str) else time
    return f"{found.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


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
    written: str  # when the report was written
    began: str | None = None  # when the evaluation began, if it is in a store
    last_label: str | None = None
    people: Mapping[str, int] = field(default_factory=dict)  # how many items each annotator answered, most first
    about: Mapping[str, str] = field(default_factory=dict)  # what else is known about the pool, by name: its file, ...


def origin(
    evaluation: Evaluation, history: History, about: Mapping[str, str] | None = None, clock: Clock = now
) -> ReportOrigin:
    """The origin, with the present time and the installed versions."""
    pool, (began, last_label) = evaluation.pool, times(evaluation)
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
        written=minute(clock()),
        began=began,
        last_label=last_label,
        people=people(evaluation, history),
        about=dict(about or {}),
    )


def _goal(evaluation: Evaluation) -> str | None:
    """The goal in words; None if there is nothing to choose."""
    pool, goal = evaluation.pool, evaluation.goal
    if pool.categories:
        return in_words(goal, of_classes=True)
    return None if goal == pool.models[0] and len(pool.models) == 1 else in_words(goal)


def times(evaluation: Evaluation) -> tuple[str | None, str | None]:
    """When the evaluation began and when its last label came; None for an evaluation in memory."""
    if evaluation.store is None:
        return None, None
    from lowshot.store.progress import progress  # imported late: needs the extra of the store

    found = next(one for one in progress(evaluation.store) if one.header.name == evaluation.name)
    return minute(found.began), None if found.last_label is None else minute(found.last_label)


def people(evaluation: Evaluation, history: History) -> dict[str, int]:
    """How many items each annotator answered, most first, and how many labels have no name; empty in memory.

    >>> import lowshot, tempfile
    >>> from lowshot.labelling import Desk
    >>> pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
    >>> desk = Desk(lowshot.Evaluation(pool, store=f"{tempfile.mkdtemp()}/birds.db"))
    >>> _ = desk.answer("ann", desk.take("ann")[0], 1)
    >>> people(desk.evaluation, desk.evaluation.snapshot())
    {'ann': 1}
    """
    if evaluation.store is None:
        return {}
    said = answers_of(evaluation)
    names = evaluation.pool.names([item for item in history.labels if item not in history.known])
    unnamed = sum(str(name) not in said for name in names)
    found = dict(sorted(_items_of_people(said).items(), key=lambda one: (-one[1], one[0])))
    return {**found, UNNAMED: unnamed} if unnamed else found


def answers_of(evaluation: Evaluation) -> "dict[str, list[GivenAnswer]]":
    """All answers per item, by its id as text. Only for an evaluation in a store."""
    from lowshot.labelling import Desk  # imported late: needs the extra of the store

    return {str(item): answers for item, answers in Desk(evaluation).said().items()}


def _items_of_people(said: "Mapping[str, list[GivenAnswer]]") -> Counter[str]:
    """How many items each annotator answered; decisions of the owner are not counted."""
    pairs = {(answer.annotator, item) for item, each in said.items() for answer in each if not answer.final}
    return Counter(name for name, _ in pairs)


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

    desk, said = Desk(evaluation, wanted=2), answers_of(evaluation)  # two answers that differ are a dispute
    found = Agreement.of(said, evaluation.pool.answers)
    if not found.items:
        return None
    return Agreed(len(_items_of_people(said)), found.items, found.same, found.kappa, len(desk.disputed()))
