"""Everything that a report shows, as plain data; nothing is drawn here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from lowshot import checks
from lowshot.charts.along_ranking import Histogram, Line, calibration, histogram, probabilities
from lowshot.charts.marks import marks
from lowshot.charts.prepared import Charts
from lowshot.charts.progress import Estimator, Point, Progress, path, stops
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.metric import metric
from lowshot.report.by_hand import ByHand, by_hand
from lowshot.report.labelled import Doubt, Labelled, candidates, doubts, largest, table
from lowshot.report.origin import Agreed, Origin, agreed, origin
from lowshot.result import Estimate

Part = TypeVar("Part")
Advance = Callable[[int, int], None]  # steps done, steps in all
SHARES = ("f1", "precision", "recall")
MEASURES = (*SHARES, "tp", "fp", "fn", "prevalence")


@dataclass(frozen=True)
class Measure:
    """One metric: its estimate, or why these draws cannot tell it."""

    name: str
    estimate: Estimate | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Facts:
    """What the report says.

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
    labels: int  # bought: those known beforehand are not counted
    known: int
    pending: int
    waiting: int  # labels that do not count yet: their items were drawn after one that has no label
    path: list[Point]
    measures: list[Measure]
    calibration: list[Line]
    probabilities: list[Line]
    histogram: Histogram
    table: list[Labelled]
    doubts: list[Doubt]
    tried: int  # labels that were turned around to find the doubts
    by_hand: ByHand
    agreed: Agreed | None  # where several people answered
    origin: Origin

    def charts(self, heading: str) -> Charts:
        """What its figures show. Counts are only in the table of metrics: they have another scale."""
        shares = {self.estimate.metric, *SHARES}
        found = [measure.estimate for measure in self.measures if measure.name in shares]
        return Charts(
            heading=heading,
            items=self.origin.items,
            progress=Progress(self.estimate.metric, self.confidence, self.path),
            measures=[estimate for estimate in found if estimate is not None and estimate.defined],
            calibration=self.calibration,
            probabilities=self.probabilities,
            histogram=self.histogram,
            marks=marks(self.table),
        )


def gather(evaluation: Evaluation, *, confidence: float = 0.95, advance: Advance = lambda done, steps: None) -> Facts:
    """The facts of an evaluation as it is now; its draws and labels stay as they are."""
    history = evaluation.snapshot()
    if not history.labels:
        raise InputError("a report needs labels: the evaluation has none; label some items first")
    confidence = checks.number("confidence", confidence, 0.01, 0.9999)
    view = evaluation.pool.view()
    estimator = Estimator(evaluation.sampler, view, evaluation.metric, confidence)
    rows = table(evaluation, history)
    tried = candidates(rows)
    step = _Steps(len(stops(len(history.answers))) + len(tried), advance)
    points = step.through(path(estimator, history))
    now = estimator.estimate(history)
    turned = step.through(doubts(estimator, history, tried, now))
    design = history.rounds[-1].design if history.rounds else None
    return Facts(
        estimate=now,
        confidence=estimator.confidence,
        labels=len(history.labels) - len(history.known),
        known=len(history.known),
        pending=len(evaluation.pending),
        waiting=history.waiting,
        path=points,
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
    """Tells how far it is."""

    def __init__(self, steps: int, advance: Advance) -> None:
        self._done, self._steps, self._advance = 0, steps, advance

    def through(self, parts: Iterable[Part]) -> list[Part]:
        """All the parts, each of them a step."""
        found = []
        for part in parts:
            found.append(part)
            self._done += 1
            self._advance(self._done, self._steps)
        return found


def _names(evaluation: Evaluation) -> list[str]:
    """The evaluation's own metric first."""
    return list(dict.fromkeys([evaluation.metric.name, *MEASURES]))


def _measure(evaluation: Evaluation, name: str, confidence: float) -> Measure:
    try:
        wanted = evaluation.metric if name == evaluation.metric.name else metric(name)
        return Measure(name, evaluation.estimate(wanted, confidence=confidence))
    except InputError as error:  # draws for precision cannot tell what is missed
        return Measure(name, None, str(error))
