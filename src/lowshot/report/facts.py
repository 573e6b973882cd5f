"""Everything that a report shows, as plain data. Nothing is drawn here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from lowshot import checks
from lowshot.charts.along_ranking import LabelHistogram, Line, calibration, histogram, marks, probabilities
from lowshot.charts.estimate_path import EstimatePath, Estimator, Point, points, stops
from lowshot.charts.report_charts import ReportCharts
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.known import known_in
from lowshot.metric import metric
from lowshot.report.by_hand import ByHand, by_hand
from lowshot.report.labelled import Doubt, Labelled, candidates, doubts, largest, table
from lowshot.report.origin import Agreed, ReportOrigin, agreed, origin
from lowshot.result import Estimate

Part = TypeVar("Part")
Advance = Callable[[int, int], None]  # called with (steps done, steps in all)
SHARES = ("f1", "precision", "recall")
MEASURES = (*SHARES, "tp", "fp", "fn", "prevalence")


@dataclass(frozen=True)
class Measure:
    """One metric: its estimate, or the reason why these draws cannot give one."""

    name: str
    estimate: Estimate | None
    reason: str = ""


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

    estimate: Estimate
    confidence: float
    labels: int  # labels bought; those known beforehand are not counted
    known: int
    known_drawn: str  # how many were known before and how they were drawn, in words
    pending: int
    waiting: int  # labels that do not count yet, because an item drawn before theirs has no label
    path: list[Point]
    measures: list[Measure]
    calibration: list[Line]
    probabilities: list[Line]
    histogram: LabelHistogram
    table: list[Labelled]
    doubts: list[Doubt]
    tried: int  # labels whose opposite value was tried to find the doubts
    by_hand: ByHand
    agreed: Agreed | None  # None if no item has answers of two people
    origin: ReportOrigin

    def charts(self, heading: str) -> ReportCharts:
        """The data of the figures. Counts such as tp have another scale, so they are only in the table of metrics."""
        shares = {self.estimate.metric, *SHARES}
        found = [measure.estimate for measure in self.measures if measure.name in shares]
        return ReportCharts(
            heading=heading,
            items=self.origin.items,
            path=EstimatePath(self.estimate.metric, self.confidence, self.path),
            measures=[estimate for estimate in found if estimate is not None and estimate.defined],
            calibration=self.calibration,
            probabilities=self.probabilities,
            histogram=self.histogram,
            marks=marks(self.table),
        )


def gather(
    evaluation: Evaluation, *, confidence: float = 0.95, advance: Advance = lambda done, steps: None
) -> ReportFacts:
    """The facts of an evaluation as it is now. The evaluation is not changed."""
    history = evaluation.snapshot()
    if not history.labels:
        raise InputError("a report needs labels: the evaluation has none; label some items first")
    confidence = checks.number("confidence", confidence, 0.01, 0.9999)
    view = evaluation.pool.view()
    estimator = Estimator(evaluation.sampler, view, evaluation.metric, confidence)
    rows = table(evaluation, history)
    tried = candidates(rows)
    step = _Steps(len(stops(len(history.answers))) + len(tried), advance)
    along = step.through(points(estimator, history))
    now = estimator.estimate(history)
    turned = step.through(doubts(estimator, history, tried, now))
    design = history.rounds[-1].design if history.rounds else None
    return ReportFacts(
        estimate=now,
        confidence=estimator.confidence,
        labels=len(history.labels) - len(history.known),
        known=len(history.known),
        known_drawn=known_in(history),
        pending=len(evaluation.pending),
        waiting=history.waiting,
        path=along,
        measures=[_measure(evaluation, name, confidence) for name in _names(evaluation)],
        calibration=[] if design is None else calibration(view, design),
        probabilities=[] if design is None else probabilities(view, design),
        histogram=histogram(view, history),
        table=rows,
        doubts=largest(turned),
        tried=len(tried),
        by_hand=by_hand(evaluation, history, now),
        agreed=agreed(evaluation),
        origin=origin(evaluation),
    )


class _Steps:
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


def _names(evaluation: Evaluation) -> list[str]:
    """The metrics of the table, beginning with the evaluation's own."""
    return list(dict.fromkeys([evaluation.metric.name, *MEASURES]))


def _measure(evaluation: Evaluation, name: str, confidence: float) -> Measure:
    try:
        wanted = evaluation.metric if name == evaluation.metric.name else metric(name)
        return Measure(name, evaluation.estimate(wanted, confidence=confidence))
    except (
        InputError
    ) as error:  # for example recall from draws for precision: they never draw an item that is not predicted
        return Measure(name, None, str(error))
