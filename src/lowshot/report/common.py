"""What every report says, whatever its question is: labels, slices, agreement and origin."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lowshot import checks
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.goal import models_of
from lowshot.history import History
from lowshot.labelling.counts import Counts
from lowshot.report.origin import Agreed, Clock, ReportOrigin, agreed, now, origin
from lowshot.result import Table

Part = TypeVar("Part")
Advance = Callable[[int, int], None]  # called with (steps done, steps in all)
MODELS_WITH_SLICES = 3  # tables of slices are shown for so many models at most


@dataclass(frozen=True, eq=False, kw_only=True)
class Facts:
    """What the reports on a yes/no question and on many categories share."""

    confidence: float
    counts: Counts
    slices: Mapping[str, Table]  # one table per column of slices, by its heading
    agreed: Agreed | None  # None if no item has answers of two people
    origin: ReportOrigin

    @classmethod
    def common(
        cls,
        evaluation: Evaluation,
        history: History,
        confidence: float,
        about: Mapping[str, str] | None = None,
        clock: Clock = now,
    ) -> "Facts":
        """The shared part, from a snapshot of the evaluation."""
        return Facts(
            confidence=confidence,
            counts=Counts.of(history),
            slices=slices_of(evaluation.at(history), confidence),
            agreed=agreed(evaluation),
            origin=origin(evaluation, history, about, clock),
        )


def refuse_unlabelled(history: History, confidence: float) -> float:
    """The confidence; refused if there are no labels, or if it is not one."""
    if not history.labels:
        raise InputError("a report needs labels: the evaluation has none; label some items first")
    return checks.number("confidence", confidence, 0.01, 0.9999)


def slices_of(evaluation: Evaluation, confidence: float) -> dict[str, Table]:
    """A table per column of slices; of several models, per model. Empty where the draws tell nothing about slices."""
    if evaluation.pool.categories:
        names: tuple[str | None, ...] = (None,)
    else:
        names = models_of(evaluation.goal, evaluation.pool.models)[:MODELS_WITH_SLICES]
    found = {}
    for column in evaluation.pool.slices.names:
        for name in names:
            of = f" of {name}" if len(names) > 1 else ""
            try:
                found[f"{of} by {column}"] = evaluation.table(by=column, model=name, confidence=confidence)
            except InputError:  # samplers other than curve, or no label that counts yet
                continue
    return found


class Steps:
    """Counts the steps that are done, for a progress bar."""

    def __init__(self, steps: int, advance: Advance) -> None:
        self._done, self._steps, self._advance = 0, steps, advance

    def through(self, parts: Iterable[Part]) -> list[Part]:
        """All the parts as a list; each is one step."""
        found = []
        for part in parts:
            found.append(part)
            self._done += 1
            self._advance(self._done, self._steps)
        return found
