"""When labelling can stop: the intervals are narrow enough, or there is a verdict; and how many labels that takes."""

from collections.abc import Sequence
from typing import NamedTuple

from lowshot import checks, comparison, estimation, thresholding
from lowshot.core.interval import Interval
from lowshot.errors import InputError
from lowshot.goal import BEST, Goal, Threshold, asked_of, in_words, judged_by, models_of
from lowshot.history import History
from lowshot.metric import FBeta
from lowshot.pools.base import BasePool
from lowshot.result import Budget, Plan
from lowshot.sampler.base import Sampler
from lowshot.sampler.reach import unanswered
from lowshot.threshold_result import ThresholdChoice


class Wanted(NamedTuple):
    """What labels are to reach, as it was given to `Evaluation.plan` or `stop_when`. It is checked where it is used."""

    half_width: float | None
    verdict: bool
    margin: float
    confidence: float | None

    @property
    def width(self) -> float:
        return checks.number("half_width", 0.05 if self.half_width is None else self.half_width, 0.001, 0.5)

    @property
    def sure(self) -> float:
        return checks.number("confidence", 0.95 if self.confidence is None else self.confidence, 0.01, 0.9999)


class Stopping(NamedTuple):
    """What the answer is computed from."""

    sampler: Sampler
    pool: BasePool
    history: History
    metric: FBeta

    @property
    def goal(self) -> Goal:
        return self.pool.models[0] if self.sampler.goal is None else self.sampler.goal

    def reached(self, wanted: Wanted) -> bool:
        """Whether the labels so far suffice."""
        if wanted.verdict:
            return self._decided(wanted)
        width = wanted.width
        return all(i is not None and (i.high - i.low) / 2 <= width for i in self._intervals(wanted.sure))

    def _intervals(self, confidence: float) -> list[Interval | None]:
        """Of what the goal is about."""
        sampler, pool, history, metric = self
        if isinstance(self.goal, tuple):
            return [comparison.compare(sampler, pool, history, self.goal, metric, 0.0, confidence).interval]
        views = [pool.view(model) for model in models_of(self.goal, pool.models)]
        return [estimation.estimate(sampler, view, history, metric, confidence, "pool").interval for view in views]

    def _decided(self, wanted: Wanted) -> bool:
        sampler, pool, history, metric = self
        margin, goal = checks.number("margin", wanted.margin, 0.0, 1.0), self.goal
        if wanted.half_width is not None:
            raise InputError("give either half_width or verdict: got both")
        if isinstance(goal, Threshold):
            if margin:
                raise InputError(f"margin must be left out where the goal is a threshold: got {margin:g}")
            return self._threshold(wanted).enough
        if isinstance(goal, tuple):
            return comparison.compare(sampler, pool, history, goal, metric, margin, wanted.sure).decided
        if goal != BEST:
            raise InputError(
                f"a verdict needs goal (baseline, candidate), 'best' or a threshold: the goal is {in_words(goal)};"
                " give half_width instead, or compare() two models"
            )
        table = comparison.table(sampler, pool, history, metric, wanted.sure)
        return bool(max(row["best"] for row in table.rows) >= wanted.sure)

    def _threshold(self, wanted: Wanted) -> ThresholdChoice:
        """The choice for the goal, which is a threshold."""
        asked, model = (
            asked_of(self.goal, {}, {"confidence": wanted.confidence}),
            judged_by(self.goal, self.pool.models),
        )
        return thresholding.choose(*self[:3], asked, model or self.pool.models[0])

    def plan(self, wanted: Wanted) -> Plan:
        """The total number of labels that it takes: low, likely and high."""
        if wanted.verdict and isinstance(self.goal, Threshold):
            return self._plan_threshold(wanted)
        confidence = wanted.sure
        if wanted.verdict:
            return self._plan_verdict(wanted)
        sampler, pool, history, metric = self
        width, model = wanted.width, judged_by(self.goal, pool.models)
        view = pool.view(model)
        if model is not None:
            return estimation.plan(sampler, view, history, metric, width, confidence)
        if self.reached(wanted):
            return estimation.enough(history, half_width=width)
        return estimation.more_than_now(sampler.plan(view, history, metric, width, confidence))

    def _plan_verdict(self, wanted: Wanted) -> Plan:
        sampler, pool, history, metric = self
        if self.reached(wanted):
            return estimation.enough(history, margin=wanted.margin)
        view = pool.view(judged_by(self.goal, pool.models))
        return estimation.more_than_now(sampler.plan_verdict(view, history, metric, wanted.margin, wanted.sure))

    def _plan_threshold(self, wanted: Wanted) -> Plan:
        if self.reached(wanted):
            return estimation.enough(self.history)
        found = self._threshold(wanted)
        if found.more is None:
            raise InputError(f"the labels that a certified threshold takes cannot be told yet: {found.reason}")
        return estimation.after_more(found.labels, found.more, len(self.pool))

    def budgets(self, labels: Sequence[int], confidence: float) -> tuple[Budget, ...]:
        """The half-width to expect with each of these numbers of labels."""
        sampler, pool, history, metric = self
        wanted = sorted({checks.whole_number("labels", count, 1) for count in checks.listed("labels", labels)})
        confidence = checks.number("confidence", confidence, 0.01, 0.9999)
        if isinstance(self.goal, Threshold) or self.goal == BEST:
            raise InputError(
                f"half-widths are not what this goal is about: {in_words(self.goal)}; see plan(verdict=True)"
            )
        have, views = len(history.labels), [pool.view(model) for model in models_of(self.goal, pool.models)]
        most = min(have + sum(unanswered(view, history, metric) for view in views), len(pool))
        possible = [count for count in wanted if have < count < most]
        if not possible:
            return ()
        model = judged_by(self.goal, pool.models)
        view = pool.view(model)
        if model is not None:
            return estimation.budgets(sampler, view, history, metric, possible, confidence)
        return sampler.budgets(view, history, metric, possible, confidence)
