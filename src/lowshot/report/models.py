"""Several models: the estimate of each, how they compare, and what the goal's numbers were with fewer labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lowshot.charts.estimate_path import Compute, Step
from lowshot.charts.model_paths import DifferencePath, ModelPath, difference_path, model_paths
from lowshot.evaluation import Evaluation
from lowshot.goal import Goal, models_of
from lowshot.history import History
from lowshot.report.measures import COUNTS, SHARES, Measure, measured
from lowshot.result import Comparison, Estimate

DIFFERENCE = "the difference"


@dataclass(frozen=True)
class Answers:
    """What one history says about the goal of an evaluation."""

    estimates: Mapping[str, Estimate]  # of the models that the goal is about
    comparison: Comparison | None  # if the goal is about two models

    @property
    def numbers(self) -> Mapping[str, Estimate | Comparison]:
        """What the goal is about, by name: the difference of two models, or the estimate of each."""
        return self.estimates if self.comparison is None else {DIFFERENCE: self.comparison}

    @property
    def warning(self) -> str:
        """All warnings, each once."""
        every = [one.warning for one in self.estimates.values()]
        every += [] if self.comparison is None else [self.comparison.warning]
        return "; ".join(dict.fromkeys(text for text in every if text))


def answers_of(evaluation: Evaluation, confidence: float, margin: float) -> Compute[Answers]:
    """Computes the answers from a history. All of them share the same curves."""
    names, pair = models_of(evaluation.goal, evaluation.pool.models), main_pair(evaluation)

    def compute(history: History) -> Answers:
        then = evaluation.at(history)
        return Answers(
            {name: then.estimate(model=name, confidence=confidence) for name in names},
            None if pair is None else then.compare(*pair, margin=margin, confidence=confidence),
        )

    return compute


def main_pair(evaluation: Evaluation) -> tuple[str, str] | None:
    """Baseline and candidate, if the goal is about two models."""
    if isinstance(evaluation.goal, tuple):
        return evaluation.goal
    names = evaluation.pool.models
    return (names[0], names[1]) if evaluation.model is None and len(names) == 2 else None


@dataclass(frozen=True)
class OneModel:
    """One of several models."""

    name: str
    predicted: int  # items that it predicts positive
    best: float  # the probability that it is the best one
    measures: list[Measure]  # the metric of the evaluation first


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """What a report says about several models."""

    goal: Goal
    margin: float
    every: list[OneModel]  # all models of the pool
    main: Comparison | None  # if the goal is about two models
    others: list[Comparison]  # of one model with each other one: the judged one, or the one that is most likely best
    difference: DifferencePath | None  # of `main`
    paths: list[ModelPath]  # empty if the goal is one model

    @property
    def leader(self) -> OneModel:
        """The model that is most likely the best one."""
        return max(self.every, key=lambda one: one.best)


def model_facts(
    evaluation: Evaluation, now: Answers, steps: Sequence[Step[Answers]], confidence: float, margin: float
) -> ModelFacts | None:
    """The facts from a snapshot of the evaluation; None if its pool has one model."""
    if len(evaluation.pool.models) == 1:
        return None
    shares = {row["model"]: row["best"] for row in evaluation.table(confidence=confidence).rows}
    every = [
        OneModel(
            name,
            evaluation.pool.view(name).predicted_positives,
            shares[name],
            measured(evaluation, (*SHARES, *COUNTS), confidence, name),
        )
        for name in evaluation.pool.models
    ]
    lead = evaluation.model or max(shares, key=lambda name: shares[name])
    others = [name for name in evaluation.pool.models if name != lead and now.comparison is None]
    parts = [Step(step.labels, step.found.comparison) for step in steps if step.found.comparison is not None]
    estimates = [Step(step.labels, step.found.estimates) for step in steps]
    return ModelFacts(
        goal=evaluation.goal,
        margin=margin,
        every=every,
        main=now.comparison,
        others=[evaluation.compare(name, lead, margin=margin, confidence=confidence) for name in others],
        difference=difference_path(confidence, parts) if parts else None,
        paths=[] if evaluation.model else model_paths(evaluation.metric.name, confidence, estimates),
    )
