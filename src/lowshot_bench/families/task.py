"""What is evaluated: a task is one class of one model against all others; a family is a set of similar tasks."""

from dataclasses import dataclass, field
from typing import Protocol

from lowshot import tasks
from lowshot.core.types import Flags, Integers

NO_POSITIVES = "no positives: recall and F1 do not exist"
NO_PREDICTIONS = "no predictions: no item is predicted positive, so precision does not exist and F1 is 0"


@dataclass(frozen=True, eq=False)
class Origin:
    """Which class of which family a task is.

    It is a base class because a dataclass puts the fields of its last base first: `Task(family, category, pool, ...)`.
    """

    family: str
    category: int


@dataclass(frozen=True, eq=False)
class Task(tasks.Task, Origin):
    """A pool to evaluate, its labels, and the predictions of other models or thresholds for the same items.

    >>> import numpy as np
    >>> from lowshot.pools.memory import Pool
    >>> pool = Pool([-0.1, -0.4, -2.0, -5.0], predictions=[1, 1, 0, 0], scale="log")
    >>> labels = np.array([True, False, True, False])
    >>> task = Task("tiny", 0, pool, labels, others={"second": np.array([True, False, True, False])})
    >>> task.answer([2, 3]), task.truth(), task.truth("recall"), task.truth(predictions=task.others["second"])
    ([1, 0], 0.5, 0.5, 1.0)

    A sampler gets only `pool`; `labels` are for the simulated annotator and for the truth. Ids are positions. `kept`
    has the row of each item in the score file, or is None if all rows are kept. A task that is known by a name and not
    only by a number has it in `name`; `alike` is the number of tasks that are made from the same data.
    """

    others: dict[str, Flags] = field(default_factory=dict)
    kept: Integers | None = None
    name: str = ""
    alike: int = 1


class Family(Protocol):
    """A set of similar tasks, numbered by class.

    A family is made from plain arguments and is cheap to pickle. `load` returns the same task in every process. A class
    that cannot be evaluated is not in `categories` but in `excluded`, with the reason.
    """

    @property
    def name(self) -> str: ...

    def categories(self) -> list[int]: ...

    def excluded(self) -> dict[int, str]: ...

    def load(self, category: int) -> Task: ...


def reason_to_exclude(positives: int, predicted: int) -> str | None:
    """Why a class with these numbers of positives and predicted positives cannot be evaluated; None if it can.

    >>> reason_to_exclude(3, 0)
    'no predictions: no item is predicted positive, so precision does not exist and F1 is 0'
    """
    if positives == 0:
        return NO_POSITIVES
    return NO_PREDICTIONS if predicted == 0 else None
