"""Everything that a report shows, as plain data. Nothing is drawn here."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

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
from lowshot.known import known_in
from lowshot.report.by_hand import ByHand, by_hand
from lowshot.report.labelled import CANDIDATES, Doubt, Labelled, candidates, doubts, largest, table
from lowshot.report.measures import MEASURES, SHARES, Measure, measured
from lowshot.report.models import ModelFacts, answers_of, model_facts
from lowshot.report.origin import Agreed, ReportOrigin, agreed, origin
from lowshot.result import Comparison, Estimate, Reach
from lowshot.threshold_result import ThresholdChoice, Thresholds

Part = TypeVar("Part")
Advance = Callable[[int, int], None]  # called with (steps done, steps in all)
# Each label that is tried costs an estimate of every model, which takes seconds with a dozen models.
FEW_MODELS, CANDIDATES_OF_MANY = 5, 20


@dataclass(frozen=True, eq=False)
class ReportFacts:
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
    confidence: float
    labels: int  # labels bought; those known beforehand are not counted
    known: int
    known_drawn: str  # how many were known before and how they were drawn, in words
    skipped: int  # answered "cannot tell"
    pending: int
    waiting: int  # labels that do not count yet, because an item drawn before theirs has no label
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
    numbers: Mapping[str, Estimate | Comparison]  # what the goal is about: `Answers.numbers`
    doubts: list[Doubt]
    tried: int  # labels whose opposite value was tried to find the doubts
    by_hand: ByHand | None  # None if sums by hand cannot give the estimate
    agreed: Agreed | None  # None if no item has answers of two people
    origin: ReportOrigin

    @property
    def comparison(self) -> Comparison | None:
        """The comparison that the headline is about; None if it is about one model, or about more than two."""
        return None if self.models is None or self.estimate is not None else self.models.main

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


def gather(
    evaluation: Evaluation,
    *,
    confidence: float = 0.95,
    margin: float = 0.0,
    advance: Advance = lambda done, steps: None,
) -> ReportFacts:
    """The facts of an evaluation as it is now. The evaluation is not changed."""
    history = evaluation.snapshot()
    if not history.labels:
        raise InputError("a report needs labels: the evaluation has none; label some items first")
    confidence = checks.number("confidence", confidence, 0.01, 0.9999)
    checks.number("margin", margin, 0.0, 1.0)
    frozen = evaluation.at(history)
    design, view = last_design(history), evaluation.view
    ranking = ranking_of(view, design)
    views = {name: evaluation.pool.view(name) for name in models_of(evaluation.goal, evaluation.pool.models)}
    rows = table(evaluation, history, ranking, views)
    tried = candidates(rows, CANDIDATES if len(evaluation.pool.models) <= FEW_MODELS else CANDIDATES_OF_MANY)
    step = Steps(len(stops(len(history.answers))) + len(tried), advance)
    compute = answers_of(evaluation, confidence, margin)
    steps = step.through(along(compute, history))
    now = compute(history)
    turned = step.through(doubts(compute, history, tried, now))
    estimates = list(now.estimates.values())
    judged = None if evaluation.model is None else estimates[0]
    return ReportFacts(
        estimate=judged,
        confidence=confidence,
        labels=len(history.labels) - len(history.known),
        known=len(history.known),
        known_drawn=known_in(history),
        skipped=history.skipped,
        pending=len(evaluation.pending),
        waiting=history.waiting,
        reach=estimates[0].reach,
        reason=judged.reason if judged is not None else now.comparison.reason if now.comparison is not None else "",
        warning=now.warning,
        path=[Point(one.labels, *one.found.estimates.values()) for one in steps] if judged is not None else [],
        measures=[] if judged is None else measured(frozen, MEASURES, confidence, evaluation.model),
        models=model_facts(frozen, now, steps, confidence, margin),
        thresholds=None if judged is None else thresholds_of(frozen, confidence),
        choice=choice_of(frozen),
        calibration=[] if design is None else calibration(ranking, views, design),
        probabilities=[] if design is None else probabilities(ranking, views, design),
        histogram=histogram(ranking, history),
        table=rows,
        numbers=now.numbers,
        doubts=largest(turned),
        tried=len(tried),
        by_hand=None if judged is None else by_hand(evaluation, history, judged),
        agreed=agreed(evaluation),
        origin=origin(evaluation),
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
