"""From the beliefs about all categories to the estimates that a person gets: the average, one category, a table."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lowshot import estimation
from lowshot.class_metric import AveragedMetric
from lowshot.core.classes.estimates import Posterior
from lowshot.core.interval import Interval, finite
from lowshot.core.types import Flags, Floats
from lowshot.history import History
from lowshot.metric import FBeta
from lowshot.pools.class_view import ClassView
from lowshot.result import Estimate, Table
from lowshot.sampler.class_beliefs import ASSUMED, believed
from lowshot.sampler.classes import Classes, about_one
from lowshot.sampler.curve import Curve

NOTHING_SAID = "no label says anything about it yet: the answer rests on its scores and on the other classes"


class Asked(NamedTuple):
    """What an estimate is from."""

    sampler: Classes
    view: ClassView
    history: History
    part: Flags | None  # the items that it is about; None: all of them
    confidence: float

    @property
    def posterior(self) -> Posterior:
        return believed(self.view, self.history).posterior(self.part)


class Every(NamedTuple):
    """One metric of all categories."""

    value: Floats  # NaN where it does not exist
    sd: Floats
    low: Floats
    high: Floats


def overall(asked: Asked, metric: AveragedMetric) -> Estimate:
    """The average over all categories."""
    return asked.sampler.overall(asked.view, asked.history, metric, asked.confidence, asked.part)


def of_category(asked: Asked, place: int, metric: FBeta) -> Estimate:
    """One category. If labels were drawn for it alone, as for a pool of yes and no."""
    if asked.part is None and asked.sampler.alone(asked.view) == place:
        one = about_one(asked.view, asked.history, place)
        return estimation.estimate(Curve(), *one, metric, asked.confidence, "pool")
    found = _every(asked, metric)
    blank = asked.sampler.blank(asked.view, asked.history, believed(asked.view, asked.history), metric)
    blank = replace(blank, reason=_reason(asked, place, metric))
    if math.isnan(found.value[place]):
        return blank
    interval = Interval(float(found.low[place]), float(found.high[place]), asked.confidence)
    return replace(blank, value=float(found.value[place]), variance=finite(found.sd[place] ** 2), interval=interval)


def _every(asked: Asked, metric: FBeta) -> Every:
    """Of all categories. Intervals cover what the items that nobody could tell may be."""
    mine = asked.posterior.classes(metric.alpha)
    low, high = mine.interval(asked.confidence)
    for assumed in ASSUMED if asked.history.skipped else ():
        other = believed(asked.view, asked.history, assumed).posterior(asked.part).classes(metric.alpha)
        further = other.interval(asked.confidence)
        low, high = np.fmin(low, further[0]), np.fmax(high, further[1])
    return Every(mine.value, mine.sd, low, high)


def _reason(asked: Asked, place: int, metric: FBeta) -> str:
    if not asked.posterior.counts.predicted[place]:
        told = "does not exist" if metric.alpha == 1 else "is 0 if it occurs at all"
        return f"no item is predicted to be of this class: {metric.name} {told}"
    return "" if asked.posterior.labels[place] else NOTHING_SAID


def table(asked: Asked, metric: FBeta, below: float | None) -> Table:
    """All categories, in the order of the pool."""
    found, now = _every(asked, metric), asked.posterior
    chance = None if below is None else now.classes(metric.alpha).below(below)
    rows = []
    for place, name in enumerate(asked.view.answers.names):
        rows.append(
            {
                "category": name,
                "value": finite(float(found.value[place])),
                "low": finite(float(found.low[place])),
                "high": finite(float(found.high[place])),
                **({} if chance is None else {"below": finite(float(chance[place]))}),
                "labels": int(now.labels[place]),
                "items": round(float(now.counts.positives[place])),
                "predicted": round(float(now.counts.predicted[place])),
                "reason": _reason(asked, place, metric),
            }
        )
    labels = believed(asked.view, asked.history).labels
    return Table(metric.name, asked.confidence, labels, tuple(rows), "category", below)


def table_of_parts(asked: Sequence[tuple[Any, Asked]], by: str, metric: AveragedMetric) -> Table:
    """The average over all categories, per slice."""
    rows = []
    for name, one in asked:
        found = overall(one, metric).to_dict()
        labelled = one.history.labelled
        inside = len(labelled) if one.part is None else int(np.count_nonzero(one.part[labelled]))
        plain = {key: found[key] for key in ("value", "low", "high", "reason", "warning")}
        items = one.view.total if one.part is None else int(np.count_nonzero(one.part))
        rows.append({by: name, **plain, "labels": inside, "items": items})
    first = asked[0][1]
    return Table(metric.name, first.confidence, believed(first.view, first.history).labels, tuple(rows), by)
