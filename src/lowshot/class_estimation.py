"""From the beliefs about all categories to the estimates that a person gets: the average, one category, a table."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lowshot.class_metric import AveragedMetric
from lowshot.core.interval import Interval, finite
from lowshot.core.types import Flags
from lowshot.history import History
from lowshot.metric import FBeta
from lowshot.pools.class_view import ClassView
from lowshot.result import Estimate, Reach, Table
from lowshot.sampler.classes import Classes, Found

NO_PREDICTION = "no item is predicted to be of this class"
NO_LABELS = "no label says anything about this class yet: the answer rests on its scores and on the other classes"


class Asked(NamedTuple):
    """What an estimate is from."""

    sampler: Classes
    view: ClassView
    history: History
    part: Flags | None  # the items that it is about; None: all of them
    confidence: float

    def found(self, metric: FBeta) -> Found:
        return self.sampler.found(self.view, self.history, metric, self.part)

    @property
    def blank(self) -> Estimate:
        """An estimate without a value."""
        used, total = len(self.history.labels), self.view.total
        return Estimate("", math.nan, None, None, used, Reach(total, total), skipped=self.history.skipped)


def overall(asked: Asked, metric: AveragedMetric) -> Estimate:
    """The average over all categories."""
    return asked.sampler.overall(asked.view, asked.history, metric, asked.confidence, asked.part)


def of_category(asked: Asked, place: int, metric: FBeta) -> Estimate:
    """One category."""
    found = asked.found(metric)
    blank = replace(asked.blank, metric=metric.name, labels=found.labels, reason=_reason(found, place, metric))
    if math.isnan(found.value[place]):
        return blank
    interval = Interval(*found.interval(place, asked.confidence), asked.confidence)
    return replace(blank, value=float(found.value[place]), variance=finite(found.sd[place] ** 2), interval=interval)


def _reason(found: Found, place: int, metric: FBeta) -> str:
    if not found.predicted[place]:
        told = f": {metric.name} does not exist" if metric.alpha == 1 else f": {metric.name} is 0 if it occurs at all"
        return NO_PREDICTION + told
    return "" if found.about[place] else NO_LABELS


def table(asked: Asked, metric: FBeta, below: float | None) -> Table:
    """All categories, in the order of the pool."""
    found = asked.found(metric)
    rows = []
    for place, name in enumerate(asked.view.answers.names):
        value = float(found.value[place])
        low, high = (None, None) if math.isnan(value) else found.interval(place, asked.confidence)
        rows.append(
            {
                "category": name,
                "value": finite(value),
                "low": low,
                "high": high,
                **({} if below is None else {"below": found.below(place, below)}),
                "labels": int(found.about[place]),
                "items": round(float(found.positives[place])),
                "predicted": round(float(found.predicted[place])),
                "reason": _reason(found, place, metric),
            }
        )
    return Table(metric.name, asked.confidence, found.labels, tuple(rows), "category", below)


def table_of_parts(asked: Sequence[tuple[Any, Asked]], by: str, metric: AveragedMetric, below: float | None) -> Table:
    """The average over all categories, per slice."""
    rows = []
    for name, one in asked:
        found = overall(one, metric).to_dict()
        plain = {key: found[key] for key in ("value", "low", "high", "reason", "warning")}
        rows.append({by: name, **plain, "labels": one.sampler.labels_in(one.view, one.history, one.part)})
    return Table(metric.name, asked[0][1].confidence, len(asked[0][1].history.labels), tuple(rows), by, None)
