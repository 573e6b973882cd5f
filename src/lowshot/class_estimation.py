"""From the beliefs about all categories to the estimates that a person gets: the average, one category, a table."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from lowshot import estimation
from lowshot.class_metric import AveragedMetric
from lowshot.core.classes.estimates import Posterior
from lowshot.core.interval import Interval, finite, normal_quantile
from lowshot.core.types import Flags, Floats
from lowshot.history import History
from lowshot.metric import COUNTS, FBeta
from lowshot.pools.class_view import ClassView
from lowshot.result import Estimate, Plan, Table
from lowshot.sampler import class_pair
from lowshot.sampler.base import MOST, around, refuse_plan_without_items
from lowshot.sampler.class_beliefs import ASSUMED, Believed, believed
from lowshot.sampler.classes import Classes, about_one
from lowshot.sampler.curve import Curve
from lowshot.slicing import few

NOTHING_SAID = "no label says anything about it yet: the answer rests on its scores and on the other categories"


# Labels that say something about a class. With at most so many its interval is mostly a belief, which may be too narrow
# for a class that is unlike the others: docs/many-classes.md.
FEW = 3


class Asked(NamedTuple):
    """What an estimate is from."""

    sampler: Classes
    view: ClassView
    history: History
    part: Flags | None  # the items that it is about; None: all of them
    confidence: float

    @property
    def believed(self) -> Believed:
        return believed(self.view, self.history)

    @property
    def posterior(self) -> Posterior:
        return self.believed.posterior(self.part)

    @property
    def inside(self) -> int:
        """How many labels that are used are in the part."""
        used = self.believed.items
        return len(used) if self.part is None else int(np.count_nonzero(self.part[used]))


class Every(NamedTuple):
    """One metric of all categories."""

    value: Floats  # NaN where it does not exist
    sd: Floats
    low: Floats
    high: Floats


def overall(asked: Asked, metric: AveragedMetric) -> Estimate:
    """The average over all categories."""
    found = asked.sampler.overall(asked.view, asked.history, metric, asked.confidence, asked.part)
    return _in_part(asked, found)


def of_category(asked: Asked, place: int, metric: FBeta) -> Estimate:
    """One category. If labels were drawn for it alone, as for a pool of yes and no."""
    if (one := _as_yes_or_no(asked, place, metric)) is not None:
        return one
    found = _every(asked, metric)
    blank = asked.sampler.blank(asked.view, asked.history, asked.believed, metric)
    blank = replace(blank, reason=_reason(asked.posterior, place, metric), warning=asked.sampler.one_sided(asked.view))
    if math.isnan(found.value[place]):
        return _in_part(asked, blank)
    interval = Interval(float(found.low[place]), float(found.high[place]), asked.confidence)
    value, variance = float(found.value[place]), finite(found.sd[place] ** 2)
    return _in_part(asked, replace(blank, value=value, variance=variance, interval=interval))


def _in_part(asked: Asked, found: Estimate) -> Estimate:
    """The estimate of a part of the pool counts the labels in it, as that of a slice of a `Pool` does."""
    if asked.part is None or found.interval is None:
        return found
    return replace(found, labels=asked.inside, reason=found.reason or few(asked.inside, found.interval))


def _as_yes_or_no(asked: Asked, place: int, metric: FBeta) -> Estimate | None:
    """The only category that labels were drawn for, or the other one of two; None for all others."""
    alone = asked.sampler.alone(asked.view) if asked.part is None else None
    if alone is None:
        return None
    one = about_one(asked.view, asked.history, alone)
    if asked.history.labels and one[1].skipped == len(one[1].labels):  # labels, but none says anything about it
        return None
    if alone == place:
        return estimation.estimate(Curve(), *one, metric, asked.confidence, "pool")
    if not asked.sampler.complements(asked.view, asked.history) or not 0 < asked.believed.labels < asked.view.total:
        return None
    found = class_pair.of_common(*one, metric, asked.confidence)
    if math.isnan(found.value):
        return None
    blank = asked.sampler.blank(asked.view, asked.history, asked.believed, metric)
    return replace(blank, value=found.value, interval=Interval(found.low, found.high, asked.confidence))


def _every(asked: Asked, metric: FBeta) -> Every:
    """Of all categories. Intervals cover what the items that nobody could tell may be."""
    mine = asked.posterior.classes(metric.alpha)
    low, high = mine.interval(asked.confidence)
    for assumed in ASSUMED if asked.history.skipped else ():
        other = believed(asked.view, asked.history, assumed).posterior(asked.part).classes(metric.alpha)
        further = other.interval(asked.confidence)
        low, high = np.fmin(low, further[0]), np.fmax(high, further[1])
    return Every(mine.value, mine.sd, low, high)


def _reason(now: Posterior, place: int, metric: FBeta) -> str:
    if not now.counts.predicted[place]:
        told = "does not exist" if metric.alpha == 1 else "is 0 if it occurs at all"
        return f"no item is predicted to be of this category: {metric.name} {told}"
    count = int(now.labels[place])
    if not count:
        return NOTHING_SAID
    return "" if count > FEW else f"{count} label{'s' * (count != 1)} only: the interval rests on the other categories"


def table(asked: Asked, metric: FBeta, below: float | None) -> Table:
    """All categories, in the order of the pool."""
    every, now, warning = _every(asked, metric), asked.posterior, asked.sampler.one_sided(asked.view)
    chance = None if below is None else now.classes(metric.alpha).below(below)
    rows = []
    for place, name in enumerate(asked.view.answers.names):
        ends = {"value": every.value[place], "low": every.low[place], "high": every.high[place]}
        row = {"category": name, **{key: finite(float(end)) for key, end in ends.items()}}
        row |= {} if chance is None else {"below": finite(float(chance[place]))}
        row |= {
            "labels": int(now.labels[place]),
            "items": round(float(now.counts.positives[place])),
            "predicted": round(float(now.counts.predicted[place])),
            "reason": _reason(now, place, metric),
            "warning": warning,
        }
        rows.append(row | _apart(asked, place, metric, below))
    return Table(metric.name, asked.confidence, asked.believed.labels, tuple(rows), "category", below)


def _apart(asked: Asked, place: int, metric: FBeta, below: float | None) -> dict[str, Any]:
    """What a row has instead, if its category is answered as a pool of yes and no."""
    one = _as_yes_or_no(asked, place, metric)
    if one is None:
        return {}
    found = one.to_dict()
    found["below"] = None if below is None else _chance_below(one, below)
    found["items"] = _items(asked, place)
    keys = ("value", "low", "high", "items", "reason", "warning", *(() if below is None else ("below",)))
    return {key: found[key] for key in keys}


def _items(asked: Asked, place: int) -> int:
    """How many items are of a category that is answered as a pool of yes and no, or of the other one of two."""
    alone = asked.sampler.alone(asked.view) or 0
    one = about_one(asked.view, asked.history, alone)
    share = estimation.estimate(Curve(), *one, COUNTS["prevalence"], asked.confidence, "pool").value
    mine = 0.0 if math.isnan(share) else share * asked.view.total
    return round(mine if alone == place else asked.view.total - mine)


def _chance_below(found: Estimate, line: float) -> float | None:
    """The probability of being below a line, as if each half of the interval were that of a normal distribution."""
    if found.interval is None or not found.defined:
        return None
    half = found.value - found.interval.low if line < found.value else found.interval.high - found.value
    if half <= 0:
        return float(found.value < line)
    return float(ndtr((line - found.value) / half * normal_quantile(found.interval.confidence)))


def plan_alone(asked: Asked, metric: FBeta, half_width: float) -> Plan:
    """How many labels an interval of the only category that labels are drawn for takes, as for a pool of yes and no."""
    alone = asked.sampler.alone(asked.view) or 0
    one = about_one(asked.view, asked.history, alone)
    return estimation.plan(Curve(), *one, metric, half_width, asked.confidence)


def plan_widest(asked: Asked, metric: AveragedMetric, rows: Sequence[dict[str, Any]], half_width: float) -> Plan:
    """How many labels it takes until the widest interval of these categories is this narrow.

    The width is assumed to shrink with the square root of the number of labels.
    """
    labels, widths = asked.believed.labels, [row["high"] - row["low"] for row in rows if row["low"] is not None]
    if not labels or not widths:
        return asked.sampler.plan(asked.view, asked.history, metric, half_width, asked.confidence)
    refuse_plan_without_items(asked.view, asked.history, metric)
    ratio = max(1.0, max(widths) / 2 / half_width)
    return Plan(half_width, *around(labels, labels * ratio**2, min(MOST, asked.view.total)), labels, MOST)


def table_of_parts(asked: Sequence[tuple[Any, Asked]], by: str, metric: AveragedMetric, below: float | None) -> Table:
    """The average over all categories, per slice."""
    rows = []
    for name, one in asked:
        answer = overall(one, metric)
        found = answer.to_dict()
        plain = {key: found[key] for key in ("value", "low", "high", "reason", "warning")}
        items = one.view.total if one.part is None else int(np.count_nonzero(one.part))
        line = {} if below is None else {"below": _chance_below(answer, below)}
        rows.append({by: name, **plain, **line, "labels": one.inside, "items": items})
    first = asked[0][1]
    return Table(metric.name, first.confidence, first.believed.labels, tuple(rows), by, below)
