"""Slices of a pool: a metric in parts of it, from the labels of the whole evaluation.

A part borrows strength from the others (`core.curve.shifts`): what is known about the ranking comes from all labels,
and its own labels say how far it differs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from lowshot.core.counts import count
from lowshot.core.curve.summary import Summary, quantiles, summarise
from lowshot.core.interval import Interval
from lowshot.core.types import Integers
from lowshot.history import Assumption, History
from lowshot.metric import FBeta, Metric
from lowshot.pools.base import View
from lowshot.pools.slices import Slices, Split, Value
from lowshot.result import Estimate, Reach, Table
from lowshot.sampler.base import InParts, Sampler
from lowshot.words import NO_LABELS

WIDE = 0.5  # an interval of a share that is wider than this says next to nothing
WIDER = f"the interval is wider than {WIDE:g}: the labels say little about it"
OTHERS = "no label is in it: the answer rests on the labels of the other slices"


@dataclass(frozen=True)
class Sliced:
    """A metric in one part of the pool."""

    estimate: Estimate
    items: int
    predicted: int
    below: float | None  # the probability that the metric is below a line; None: no line was given, or it is undefined

    def row(self, by: str, value: Value) -> dict[str, Any]:
        """For a table."""
        plain = self.estimate.to_dict()
        names = ("value", "low", "high", "labels", "reason", "warning")
        counts = {"items": self.items, "predicted": self.predicted}
        return {by: value, **{name: plain[name] for name in names}, **counts, "below": self.below}


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked about each part."""

    sampler: Sampler
    pool: View
    metric: Metric
    confidence: float
    below: float | None
    split: Split


def estimate(
    sampler: Sampler, pool: View, history: History, metric: Metric, confidence: float, slices: Slices, where: Any
) -> Estimate:
    """The metric of the items with these values."""
    question = Question(sampler, pool, metric, confidence, None, slices.where(where))
    return answers(question, history)[0].estimate


def table(
    sampler: Sampler,
    pool: View,
    history: History,
    metric: Metric,
    confidence: float,
    slices: Slices,
    by: str,
    below: float | None,
) -> Table:
    """The metric of each value of a column."""
    question = Question(sampler, pool, metric, confidence, below, slices.by(by))
    rows = [one.row(by, value) for one, value in zip(answers(question, history), question.split.names, strict=True)]
    return Table(metric.name, confidence, len(history.labels), tuple(rows), by, below)


def answers(question: Question, history: History) -> list[Sliced]:
    """One answer per part."""
    found = _answers(question, history)
    if not history.skipped or history.skipped == len(history.labels):
        return found
    # As for the whole pool: intervals cover whatever the skipped labels would have been.
    others = [_answers(question, history.assuming(assume)) for assume in get_args(Assumption)[1:]]
    return [_with_skips(question, one, each) for one, *each in zip(found, *others, strict=True)]


def _with_skips(question: Question, answer: Sliced, others: Sequence[Sliced]) -> Sliced:
    """The hull of the intervals, and the mean of the probabilities."""
    interval = answer.estimate.interval
    for one in others:
        if interval is not None and one.estimate.interval is not None:
            interval = interval.hull(one.estimate.interval)
    shares = [one.below for one in (answer, *others) if one.below is not None]
    below = sum(shares) / len(shares) if answer.below is not None else None
    found = replace(answer.estimate, interval=interval)
    if isinstance(question.metric, FBeta) and interval is not None and not found.reason:
        found = replace(found, reason=wide(interval))
    return replace(answer, estimate=found, below=below)


def _answers(question: Question, history: History) -> list[Sliced]:
    counted = Counted.of(question, history)
    drawn: InParts | None = None
    found = []
    for part in range(question.split.parts):
        answer = counted.certain(part)
        if answer is None:
            if drawn is None:
                drawn = question.sampler.in_parts(question.pool, history, question.metric, question.split)
            answer = _likely(counted, drawn, part)
        found.append(answer)
    return found


@dataclass(frozen=True, eq=False)
class Counted:
    """The items of each part, and the labels in it."""

    question: Question
    history: History
    items: Integers  # [part]
    predicted: Integers  # [part]
    labelled: Integers  # all items with an answer
    part: Integers  # of each of them; -1: it is in none
    hits: Integers  # [part]: true positives among the labels

    @classmethod
    def of(cls, question: Question, history: History) -> "Counted":
        split, parts = question.split, question.split.parts
        part = split.part[split.code]
        wanted = part[part >= 0]
        flags, labelled = question.pool.predicted(np.arange(question.pool.total)) > 0, history.labelled
        positive = [history.labels[item] == 1 for item in labelled.tolist()]
        hits = labelled[np.array(positive, dtype=np.bool_) & flags[labelled]]
        return cls(
            question,
            history,
            np.bincount(wanted, minlength=parts),
            np.bincount(part[flags & (part >= 0)], minlength=parts),
            labelled,
            part[labelled],
            np.bincount(part[hits][part[hits] >= 0], minlength=parts),
        )

    def blank(self, part: int) -> Estimate:
        """An estimate without a value."""
        inside = self.labelled[self.part == part]
        skipped = sum(self.history.labels[item] is None for item in inside.tolist())
        reach = Reach(int(self.items[part]), int(self.items[part]))
        return Estimate(self.question.metric.name, math.nan, None, None, len(inside) - skipped, reach, skipped=skipped)

    def certain(self, part: int) -> Sliced | None:
        """The answer that needs no draws: nothing is predicted, all is labelled, or there are no labels at all."""
        metric, blank = self.question.metric, self.blank(part)
        if not self.predicted[part] and (answer := self._unpredicted(part)) is not None:
            return answer
        if not self._unanswered(part):
            return self._exact(part)
        if len(self.history.labels) == self.history.skipped:
            said = NO_LABELS if not self.history.skipped else "all answers so far are 'cannot tell'"
            return self._sliced(part, replace(blank, reason=f"{metric.name} is not known: {said}; label more items"))
        return None

    def _unpredicted(self, part: int) -> Sliced | None:
        """As `estimation.no_predictions` for a whole pool."""
        metric, blank = self.question.metric, self.blank(part)
        nothing = "no item of it is predicted positive"
        if isinstance(metric, FBeta) and metric.alpha == 1:
            return self._sliced(part, replace(blank, reason=f"{nothing}: {metric.name} does not exist"))
        if (isinstance(metric, FBeta) and self._unanswered(part)) or metric.name in ("tp", "fp"):
            condition = " if any positive exists" if isinstance(metric, FBeta) else ""
            return self._sliced(part, self._known(part, 0.0, f"{nothing}: {metric.name} is exactly 0{condition}"))
        return None

    def _unanswered(self, part: int) -> int:
        """How many items of it that can change the metric have no answer."""
        labelled = self.labelled[self.part == part]
        if self.question.metric.ignores_negatives:
            return int(self.predicted[part]) - int(self.question.pool.predicted(labelled).sum())
        return int(self.items[part]) - len(labelled)

    def _exact(self, part: int) -> Sliced:
        pool, metric = self.question.pool, self.question.metric
        labelled = self.labelled[self.part == part]
        predictions = pool.predicted(labelled)
        labels = self.history.values(labelled, predictions)
        value = metric.of_counts(*count(labels, predictions, pool.p(labelled) * pool.total))
        if math.isnan(value):
            reason = f"every item of it is labelled and none is positive: {metric.name} does not exist"
            return self._sliced(part, replace(self.blank(part), reason=reason))
        return self._sliced(part, self._known(part, value, ""))

    def _known(self, part: int, value: float, reason: str) -> Estimate:
        blank, confidence = self.blank(part), self.question.confidence
        found = replace(blank, value=value, interval=Interval(value, value, confidence), reason=reason)
        return found if blank.skipped else replace(found, variance=0.0)

    def _sliced(self, part: int, answer: Estimate) -> Sliced:
        line = self.question.below
        share = None if line is None or not answer.defined else float(answer.value < line)
        return self.sliced(part, answer, share)

    def sliced(self, part: int, answer: Estimate, below: float | None) -> Sliced:
        return Sliced(answer, int(self.items[part]), int(self.predicted[part]), below)


def _likely(counted: Counted, drawn: InParts, part: int) -> Sliced:
    """The answer from draws of the metric."""
    history, question = counted.history, counted.question
    found = _summary(drawn, part, question.confidence)
    if drawn.before is not None:
        found = found.anytime(_summary(drawn.before, part, question.confidence), float(drawn.highest[part]))
    if isinstance(question.metric, FBeta) and not counted.hits[part]:
        found = found.reaching(zero=True, one=False)  # nothing that was seen in it excludes 0
    blank = counted.blank(part)
    answer = replace(
        blank,
        value=found.value,
        variance=found.variance,
        interval=found.interval,
        reason=few(blank.labels, found.interval) if isinstance(question.metric, FBeta) else "",
        warning=drawn.warning,
        waiting=history.waiting if history.waiting_for else 0,
        waiting_for=history.waiting_for,
    )
    line = question.below
    return counted.sliced(part, answer, None if line is None else _share_below(drawn, part, line))


def few(labels: int, interval: Interval) -> str:
    """A plain word where the labels of a slice say little. The width of its interval decides, which readers see, and
    not how many they are: ten true positives say more than thirty items far down the ranking."""
    return wide(interval) if labels else OTHERS


def wide(interval: Interval) -> str:
    return WIDER if interval.width > WIDE else ""


def _summary(drawn: InParts, part: int, confidence: float) -> Summary:
    highest = float(drawn.highest[part])
    usual = summarise(drawn.values[part], drawn.weight, confidence, highest, float(drawn.grain[part]), drawn.stretch)
    return usual.wider(drawn.times, highest)


def _share_below(drawn: InParts, part: int, line: float) -> float:
    """The probability of a value below the line; half of that of exactly the line.

    Draws cannot say that something is certain: one more, which says neither, is added to them.
    """
    values = drawn.values[part]
    if drawn.times != 1:
        middle = quantiles(values, drawn.weight, (0.5,))[0]
        values = middle + drawn.times * (values - middle)
    share = float(drawn.weight @ ((values < line) + 0.5 * (values == line)))
    return (len(values) * share + 0.5) / (len(values) + 1)
