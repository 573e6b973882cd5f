"""What is evaluated: a task is one class of one model against all others; a family is a set of similar tasks."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from lowshot import tasks
from lowshot.core.types import Flags, Floats, Integers, Scores
from lowshot.pools.class_pool import ClassPool
from lowshot_bench.families.score_files import Matrix

NO_POSITIVES = "no positives: recall and F1 do not exist"
NO_PREDICTIONS = "no predictions: no item is predicted positive, so precision does not exist and F1 is 0"
IDENTICAL = "identical predictions: two of the models cannot differ, whatever the labels are"


class Model(NamedTuple):
    """One of several models of a task: its scores and predictions for the same items."""

    scores: Scores
    predictions: Flags


@dataclass(frozen=True, eq=False)
class Classes:
    """All classes of a task at once: every item has one of them, and a score for each.

    >>> import numpy as np
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.5, 0.4, 0.1]])
    >>> classes = Classes(scores, labels=np.array([0, 2, 1]), predictions=np.array([0, 2, 0]))
    >>> classes.truth.round(3).tolist(), classes.answer([2, 0])
    ([0.667, 0.0, 1.0], ['class 1', 'class 0'])
    """

    scores: Matrix  # [item, class]: natural logarithms of probabilities
    labels: Integers  # [item]: the class
    predictions: Integers  # [item]: the most likely class

    @property
    def count(self) -> int:
        """The number of classes."""
        return int(self.scores.shape[1])

    @cached_property
    def pool(self) -> ClassPool:
        """All classes as one pool. It is made once for all methods of the task."""
        return ClassPool(self.scores, classes=[name_of(place) for place in range(self.count)])

    @cached_property
    def positives(self) -> Integers:
        """[class]: its items."""
        return np.bincount(self.labels, minlength=self.count)

    @cached_property
    def predicted(self) -> Integers:
        """[class]: the items that are predicted to be of it."""
        return np.bincount(self.predictions, minlength=self.count)

    @cached_property
    def truth(self) -> Floats:
        """[class]: its F1, from all labels; 0 if it neither occurs nor is predicted."""
        right = np.bincount(self.labels[self.labels == self.predictions], minlength=self.count)
        found: Floats = 2 * right / np.maximum(self.positives + self.predicted, 1)
        return found

    def answer(self, items: Iterable[int]) -> list[str]:
        """What a person would say about these items."""
        return [name_of(int(self.labels[item])) for item in items]


def name_of(place: int) -> str:
    """The name of a class. It is a text, because whole numbers could be taken for places.

    >>> name_of(3)
    'class 3'
    """
    return f"class {place}"


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
    only by a number has it in `name`; `alike` is the number of tasks that are made from the same data. A task about
    several models has them in `models`, and `pool` is that of the first one alone; one about many classes has them in
    `classes`, and `pool` is that of one class. A task about slices has the slice of each item in `slices`, once per way
    to slice the pool.
    """

    others: dict[str, Flags] = field(default_factory=dict)
    kept: Integers | None = None
    name: str = ""
    alike: int = 1
    models: dict[str, Model] = field(default_factory=dict)
    classes: Classes | None = None
    slices: dict[str, Integers] = field(default_factory=dict)


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


def identical(predictions: Iterable[Flags]) -> bool:
    """Whether two models predict the same for every item.

    >>> import numpy as np
    >>> one, two = np.array([True, False]), np.array([True, True])
    >>> identical([one, two]), identical([one, two, one])
    (False, True)
    """
    found = [flags.tobytes() for flags in predictions]
    return len(set(found)) < len(found)
