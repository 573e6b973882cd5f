"""Everything that a report on many categories shows, as plain data. Nothing is drawn here."""

from collections.abc import Mapping
from dataclasses import dataclass

from lowshot.charts.along_ranking import rounds_of
from lowshot.charts.confusion import Confusion, confusions, predicted_at
from lowshot.charts.estimate_path import EstimatePath, Estimator, Point, along, stops
from lowshot.checks import Id
from lowshot.class_evaluation import ClassEvaluation
from lowshot.class_metric import average
from lowshot.errors import InputError
from lowshot.history import History
from lowshot.pools.class_pool import ClassPool
from lowshot.report.common import Advance, Facts, Steps, refuse_unlabelled
from lowshot.report.measures import Measure
from lowshot.report.origin import Clock, now
from lowshot.result import Comparison, Estimate, Reach, Table

AVERAGES = ("f1_macro", "f1_weighted", "precision_macro", "recall_macro", "accuracy")


@dataclass(frozen=True)
class LabelledItem:
    """One labelled item. For a label that was known beforehand `round` is 0."""

    item: Id
    predicted: str
    label: str
    right: bool | None  # whether the prediction is right; None if the label does not say
    round: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassFacts(Facts):
    """The contents of a report on many categories.

    >>> import lowshot
    >>> pool = lowshot.ClassPool([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]], classes=["heron", "crow"])
    >>> evaluation = lowshot.Evaluation(pool)
    >>> evaluation.tell(evaluation.ask(3), ["crow"] * 3)
    >>> facts = gather_classes(evaluation)
    >>> facts.table.names, [(one.predicted, one.true, one.items) for one in facts.confusions]
    (['heron', 'crow'], [('heron', 'crow', 2)])
    """

    estimate: Estimate  # the average over all categories
    reach: Reach
    path: EstimatePath
    measures: list[Measure]  # other averages from the same labels
    table: Table  # one row per category
    confusions: list[Confusion]
    labelled: list[LabelledItem]

    # What a report on models says, and this one does not.
    models: None = None
    comparison: None = None

    @property
    def reason(self) -> str:
        return self.estimate.reason

    @property
    def warning(self) -> str:
        return self.estimate.warning

    @property
    def numbers(self) -> Mapping[str, Estimate | Comparison]:
        return {self.origin.metric: self.estimate}


def gather_classes(
    evaluation: ClassEvaluation,
    *,
    confidence: float = 0.95,
    about: Mapping[str, str] | None = None,
    clock: Clock = now,
    advance: Advance = lambda done, steps: None,
) -> ClassFacts:
    """The facts of an evaluation as it is now. The evaluation is not changed. The arguments are those of `write`."""
    history = evaluation.snapshot()
    confidence = refuse_unlabelled(history, confidence)
    frozen, pool = evaluation.at(history), evaluation.pool
    assert isinstance(frozen, ClassEvaluation)
    estimator = Estimator(evaluation.sampler, evaluation.view, evaluation.metric, confidence)
    step = Steps(len(stops(len(history.answers))), advance)
    points = [Point(*one) for one in step.through(along(estimator.estimate, history))]
    found = frozen.estimate(confidence=confidence)
    return ClassFacts(
        **vars(Facts.common(evaluation, history, confidence, about, clock)),
        estimate=found,
        reach=found.reach,
        path=EstimatePath(evaluation.metric.name, confidence, points),
        measures=averages(frozen, confidence),
        table=frozen.table(confidence=confidence),
        confusions=confusions(pool, history),
        labelled=labelled_items(pool, history),
    )


def averages(evaluation: ClassEvaluation, confidence: float) -> list[Measure]:
    """The averages that are common, after the evaluation's own."""
    return [_average(evaluation, name, confidence) for name in dict.fromkeys([evaluation.metric.name, *AVERAGES])]


def _average(evaluation: ClassEvaluation, name: str, confidence: float) -> Measure:
    wanted = evaluation.metric if name == evaluation.metric.name else average(name)
    try:
        return Measure(name, evaluation.estimate(wanted, confidence=confidence))
    except InputError as error:
        return Measure(name, None, str(error))


def labelled_items(pool: ClassPool, history: History) -> list[LabelledItem]:
    """Every labelled item, in the order in which the labels came."""
    rounds, answers, positions = rounds_of(history), pool.answers, list(history.labels)
    found = []
    for position, name in zip(positions, pool.names(positions), strict=True):
        label, places = history.labels[position], predicted_at(pool, position)
        told = [answers.truth(label, place) for place in range(len(pool.categories))] if answers.several else []
        said = [bool(truth) == (place in places) for place, truth in enumerate(told) if truth is not None]
        if not answers.several:
            said = [bool(truth) for truth in (answers.truth(label, places[0]),) if truth is not None]
        words = " | ".join(str(pool.categories[place]) for place in sorted(places)) or "nothing"
        right = None if not said or label is None else all(said)
        found.append(LabelledItem(name, words, answers.word(label), right, rounds.get(position, 0)))
    return found
