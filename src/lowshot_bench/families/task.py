"""A task: one class of one model, one-vs-all, with the labels that only the annotator and the judge may see."""

from dataclasses import dataclass, field
from typing import Protocol

from lowshot import tasks
from lowshot.core.types import Flags, Integers

NO_POSITIVES = "no positives: recall and F1 do not exist"
NO_PREDICTIONS = "no predictions: no item is predicted positive, so precision does not exist and F1 is 0"


@dataclass(frozen=True, eq=False)
class Origin:
    """Which class of which family a task is. A base of its own: the fields of the last base come first."""

    family: str
    category: int


@dataclass(frozen=True, eq=False)
class Task(tasks.Task, Origin):
    """A pool to evaluate, its labels, and what other models or thresholds predict for the same items.

    >>> import numpy as np
    >>> from lowshot.pools.memory import Pool
    >>> pool = Pool([-0.1, -0.4, -2.0, -5.0], predictions=[1, 1, 0, 0], scale="log")
    >>> labels = np.array([True, False, True, False])
    >>> task = Task("tiny", 0, pool, labels, others={"second": np.array([True, False, True, False])})
    >>> task.answer([2, 3]), task.truth(), task.truth("recall"), task.truth(predictions=task.others["second"])
    ([1, 0], 0.5, 0.5, 1.0)

    A sampler gets `pool` and nothing else; ids are the positions. `kept` says which rows of a file the items are.
    """

    others: dict[str, Flags] = field(default_factory=dict)
    kept: Integers | None = None


class Family(Protocol):
    """Tasks of one kind. Made from plain arguments and cheap to pickle; `load` gives the same task in every process.

    A class that cannot be evaluated is not in `categories` but in `excluded`, with the reason.
    """

    @property
    def name(self) -> str: ...

    def categories(self) -> list[int]: ...

    def excluded(self) -> dict[int, str]: ...

    def load(self, category: int) -> Task: ...


def reason(positives: int, predicted: int) -> str | None:
    """Why a class with so many positives and predicted positives cannot be evaluated, if so.

    >>> reason(3, 0)
    'no predictions: no item is predicted positive, so precision does not exist and F1 is 0'
    """
    if positives == 0:
        return NO_POSITIVES
    return NO_PREDICTIONS if predicted == 0 else None
