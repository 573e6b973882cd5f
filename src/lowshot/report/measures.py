"""The metrics that a report lists beside the one of the evaluation, from the same labels."""

from dataclasses import dataclass

from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.metric import metric
from lowshot.result import Estimate

SHARES = ("f1", "precision", "recall")
COUNTS = ("tp", "fp", "fn")
MEASURES = (*SHARES, *COUNTS, "prevalence")


@dataclass(frozen=True)
class Measure:
    """One metric: its estimate, or the reason why these draws cannot give one."""

    name: str
    estimate: Estimate | None
    reason: str = ""


def measured(evaluation: Evaluation, names: tuple[str, ...], confidence: float, model: str | None) -> list[Measure]:
    """The metrics with these names, after the evaluation's own."""
    every = dict.fromkeys([evaluation.metric.name, *names])
    return [_measure(evaluation, name, confidence, model) for name in every]


def _measure(evaluation: Evaluation, name: str, confidence: float, model: str | None) -> Measure:
    try:
        wanted = evaluation.metric if name == evaluation.metric.name else metric(name)
        return Measure(name, evaluation.estimate(wanted, model=model, confidence=confidence))
    except InputError as error:
        # for example recall from draws for precision: they never draw an item that is not predicted
        return Measure(name, None, str(error))
