"""A task: one class of one model, one-vs-all, with the labels that only the annotator and the judge may see."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from lowshot.columns import binary
from lowshot.core.types import Flags, Integers
from lowshot.metric import metric as metric_of
from lowshot.pool import Pool

NO_POSITIVES = "no positives: recall and F1 do not exist"
NO_PREDICTIONS = "no predictions: no item is predicted positive, so precision does not exist and F1 is 0"


@dataclass(frozen=True, eq=False)
class Task:
    """A pool to evaluate, its labels, and what other models or thresholds predict for the same items.

    >>> import numpy as np
    >>> pool = Pool([-0.1, -0.4, -2.0, -5.0], predictions=[1, 1, 0, 0], scale="log")
    >>> labels = np.array([True, False, True, False])
    >>> task = Task("tiny", 0, pool, labels, others={"second": np.array([True, False, True, False])})
    >>> task.answer([2, 3]), task.truth(), task.truth("recall"), task.truth(predictions=task.others["second"])
    ([1, 0], 0.5, 0.5, 1.0)

    A sampler gets `pool` and nothing else; ids are the positions. `kept` says which rows of a file the items are.
    """

    family: str
    category: int
    pool: Pool
    labels: Flags
    others: dict[str, Flags] = field(default_factory=dict)
    kept: Integers | None = None

    @cached_property
    def positives(self) -> int:
        return int(np.count_nonzero(self.labels))

    def answer(self, items: Sequence[Any]) -> list[int]:
        """What a person would say about these items."""
        found: list[int] = self.labels[self.pool.positions(items)].astype(int).tolist()
        return found

    def truth(self, metric: str = "f1", predictions: Any = None) -> float:
        """The metric of the whole pool, from all labels; of another model if its predictions are given."""
        predicted = self.pool.predictions
        if predictions is not None:
            predicted = binary("predictions", predictions, len(self.pool))
        tp = int(np.count_nonzero(predicted & self.labels))
        fp = int(np.count_nonzero(predicted)) - tp
        return metric_of(metric).of_counts(tp, fp, self.positives - tp, len(self.pool))


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
