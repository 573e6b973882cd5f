"""Everything that a report shows, as plain data. Nothing is drawn here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lowshot import checks
from lowshot.charts.along_ranking import (
    LabelHistogram,
    Line,
    calibration,
    histogram,
    last_design,
    marks,
    probabilities,
    ranking_of,
)
from lowshot.charts.estimate_path import EstimatePath, Point, along, stops
from lowshot.charts.report_charts import ReportCharts
from lowshot.charts.style import title
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.goal import Threshold, models_of
from lowshot.history import History
from lowshot.report.by_hand import ByHand, by_hand
from lowshot.report.common import Advance, Facts, Steps, refuse_unlabelled
from lowshot.report.labelled import (
    CANDIDATES,
    Doubt,
    Labelled,
    Mistake,
    candidates,
    doubts,
    false_alarms,
    largest,
    misses,
    table,
)
from lowshot.report.measures import MEASURES, SHARES, Measure, measured
from lowshot.report.models import ModelFacts, answers_of, model_facts
from lowshot.report.origin import Clock, now
from lowshot.result import Comparison, Estimate, Reach
from lowshot.threshold_result import ThresholdChoice, Thresholds

# Each label that is tried costs an estimate of every model, which takes seconds with a dozen models.
FEW_MODELS, CANDIDATES_OF_MANY = 5, 20


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportFacts(Facts):
    """The contents of a report.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5), sampler="topk")
    >>> evaluation.tell(evaluation.ask(3), [1, 0, 1])
    >>> facts = gather(evaluation)
    >>> [(point.labels, point.estimate.value) for point in facts.path]
    [(1, 1.0), (2, 0.66...), (3, 0.5)]
    >>> [(row.item, row.rank, row.label) for row in facts.table]
    [(0, 1, 1), (1, 2, 0), (2, 3, 1)]
    >>> facts.doubts[0].row.item, round(facts.doubts[0].change, 2)
    (0, -0.5)
    """

    estimate: Estimate | None  # of the model that is judged; None if the goal is about several
    reach: Reach
    reason: str
    warning: str
    path: list[Point]  # of `estimate`
    measures: list[Measure]  # from the same labels as `estimate`
    models: ModelFacts | None  # None if the pool has one model
    thresholds: Thresholds | None  # of the model that is judged; None if these draws tell nothing about thresholds
    choice: ThresholdChoice | None  # None if the goal is no threshold
    calibration: list[Line]
    probabilities: list[Line]
    histogram: LabelHistogram
    table: list[Labelled]
    judged: tuple[str, ...]  # the models that the goal is about
    numbers: Mapping[str, Estimate | Comparison]  # what the goal is about: `Answers.numbers`
    doubts: list[Doubt]
    tried: int  # labels whose opposite value was tried to find the doubts
    by_hand: ByHand | None  # None if there is no way to get the estimate by hand

    @property
    def comparison(self) -> Comparison | None:
        """The comparison that the headline is about; None if it is about one model, or about more than two."""
        return None if self.models is None or self.estimate is not None else self.models.main

    @property
    def false_alarms(self) -> list[Mistake]:
        return false_alarms(self.table)

    @property
    def misses(self) -> list[Mistake]:
        return misses(self.table, self.judged)

    def charts(self, heading: str) -> ReportCharts:
        """The data of the figures."""
        return ReportCharts(
            heading=heading,
            items=self.origin.items,
            path=None if self.estimate is None else EstimatePath(self.origin.metric, self.confidence, self.path),
            difference=None if self.models is None else self.models.difference,
            models=[] if self.models is None else self.models.paths,
            measures=self._measures(),
            calibration=self.calibration,
            probabilities=self.probabilities,
            histogram=self.histogram,
            marks=marks(self.table),
        )

    def _measures(self) -> dict[str, Estimate]:
        """Metrics of the model that is judged, or the metric of each of several.

        Counts such as tp have another scale, so they are only in the table of metrics.
        """
        if self.estimate is None and self.models is not None:
            found = {one.name: one.measures[0].estimate for one in self.models.every}
        else:
            shares = {self.origin.metric, *SHARES}
            found = {title(each.name): each.estimate for each in self.measures if each.name in shares}
        return {name: estimate for name, estimate in found.items() if estimate is not None and estimate.defined}


class AlongRanking(NamedTuple):
    """The labelled items, and what is drawn along the ranking."""

    table: list[Labelled]
    calibration: list[Line]
    probabilities: list[Line]
    histogram: LabelHistogram


def gather(
    evaluation: Evaluation,
    *,
    confidence: float = 0.95,
    margin: float = 0.0,
    about: Mapping[str, str] | None = None,
    clock: Clock = now,
    advance: Advance = lambda done, steps: None,
) -> ReportFacts:
    """The facts of an evaluation as it is now. The evaluation is not changed. The arguments are those of `write`."""
    history = evaluation.snapshot()
    confidence = refuse_unlabelled(history, confidence)
    checks.number("margin", margin, 0.0, 1.0)
    frozen, ranked = evaluation.at(history), along_ranking(evaluation, history)
    few = len(evaluation.pool.models) <= FEW_MODELS
    tried = candidates(ranked.table, CANDIDATES if few else CANDIDATES_OF_MANY)
    step = Steps(len(stops(len(history.answers))) + len(tried), advance)
    compute = answers_of(evaluation, confidence, margin)
    steps = step.through(along(compute, history))
    found = compute(history)
    turned = step.through(doubts(compute, history, tried, found))
    judged = None if evaluation.model is None else next(iter(found.estimates.values()))
    return ReportFacts(
        **vars(Facts.common(evaluation, history, confidence, about, clock)),
        **ranked._asdict(),
        estimate=judged,
        reach=next(iter(found.estimates.values())).reach,
        reason=reason_of(judged or found.comparison),
        warning=found.warning,
        path=[Point(one.labels, *one.found.estimates.values()) for one in steps] if judged is not None else [],
        measures=[] if judged is None else measured(frozen, MEASURES, confidence, evaluation.model),
        models=model_facts(frozen, found, steps, confidence, margin),
        thresholds=None if judged is None else thresholds_of(frozen, confidence),
        choice=choice_of(frozen),
        judged=tuple(found.estimates),
        numbers=found.numbers,
        doubts=largest(turned),
        tried=len(tried),
        by_hand=None if judged is None else by_hand(evaluation, history, judged),
    )


def reason_of(found: Estimate | Comparison | None) -> str:
    return "" if found is None else found.reason


def along_ranking(evaluation: Evaluation, history: History) -> AlongRanking:
    """By the ranking that the last round was drawn from."""
    design, pool = last_design(history), evaluation.pool
    ranking = ranking_of(evaluation.view, design)
    views = {name: pool.view(name) for name in models_of(evaluation.goal, pool.models)}
    return AlongRanking(
        table(evaluation, history, ranking, views),
        [] if design is None else calibration(ranking, views, design),
        [] if design is None else probabilities(ranking, views, design),
        histogram(ranking, history),
    )


def thresholds_of(evaluation: Evaluation, confidence: float) -> Thresholds | None:
    """Precision and recall at every threshold; None with other samplers than curve, and where no label counts yet."""
    try:
        found = evaluation.thresholds(confidence=confidence)
    except InputError:
        return None
    return found if len(found) else None


def choice_of(evaluation: Evaluation) -> ThresholdChoice | None:
    """The threshold that the goal asks for."""
    try:
        return evaluation.choose_threshold() if isinstance(evaluation.goal, Threshold) else None
    except InputError:  # a large pool with several scores
        return None
