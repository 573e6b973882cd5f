"""Results: value, variance and interval of an estimate, the labels it used and the items it could reach.

Every result has `to_dict()`: plain data under the keys that the command line, `/api/v1` and the page use, None where
something is undefined (JSON has no NaN). Notebooks show `_repr_html_()`.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, NamedTuple

from lowshot.checks import Id
from lowshot.core.interval import Interval, finite
from lowshot.core.ratio import RoundEstimate
from lowshot.core.types import Floats

NO_INTERVAL = dict.fromkeys(Interval(0.0, 1.0).to_dict())
SHOWN = 10  # rows of a table that a notebook shows


@dataclass(frozen=True)
class Reach:
    """How many items of the pool the sampler could have drawn.

    >>> Reach(600, 50_000)
    Reach(items=600, total=50000, unreachable_predictions=0)
    >>> print(Reach(600, 50_000))
    600 of 50,000 items (1.2 %) could be drawn
    """

    items: int
    total: int
    unreachable_predictions: int = 0

    @property
    def share(self) -> float:
        return self.items / self.total

    def __str__(self) -> str:
        text = f"{self.items:,} of {self.total:,} items ({100 * self.share:.3g} %) could be drawn"
        if self.unreachable_predictions:
            text += f"; {self.unreachable_predictions:,} predicted positives could not"
        return text

    def to_dict(self) -> dict[str, Any]:
        """As plain data.

        >>> Reach(600, 50_000).to_dict()
        {'items': 600, 'total': 50000, 'unreachable_predictions': 0, 'share': 0.012}
        """
        return {**asdict(self), "share": self.share}


@dataclass(frozen=True)
class Estimate:
    """A metric of the pool, estimated from labels. `value` is NaN if it is undefined; `reason` says why.

    `variance` is None where there is none: the sampler has no variance, the labels are too few for one (a single draw
    has no spread), or every item is answered and some answers are "cannot tell". The interval may exist without it.

    >>> estimate = Estimate("f1", 0.5, 0.01, Interval(0.31, 0.69), 30, Reach(600, 50_000))
    >>> print(estimate)
    f1 = 0.500, 95 % interval 0.310 to 0.690, from 30 labels
    >>> estimate.standard_error
    0.1
    >>> import dataclasses
    >>> print(dataclasses.replace(estimate, waiting=9, waiting_for=1))
    f1 = 0.500, 95 % interval 0.310 to 0.690, from 30 labels; 9 more labels wait for 1 item without a label
    """

    metric: str
    value: float
    variance: float | None  # finite and at least 0, or None
    interval: Interval | None
    labels: int
    reach: Reach
    reason: str = ""
    skipped: int = 0
    rounds: tuple[RoundEstimate, ...] = ()
    warning: str = ""  # set if the labels contradict the sampler's model of the scores
    waiting: int = 0  # labels that do not count yet, because an item that was drawn before them has no answer
    waiting_for: int = 0  # those items

    @property
    def standard_error(self) -> float | None:
        return None if self.variance is None else math.sqrt(self.variance)

    @property
    def defined(self) -> bool:
        return not math.isnan(self.value)

    @property
    def waits(self) -> str:
        """How many labels wait for how many items, in words; empty if none wait."""
        if not self.waiting:
            return ""
        labels = f"{self.waiting:,} more label{' waits' if self.waiting == 1 else 's wait'}"
        return f"{labels} for {self.waiting_for:,} item{'s' * (self.waiting_for != 1)} without a label"

    def __str__(self) -> str:
        text = f"{self.metric} = {short(self.value)}"
        if self.interval is not None:
            low, high = short(self.interval.low), short(self.interval.high)
            text += f", {100 * self.interval.confidence:g} % interval {low} to {high}"
        text += f", from {self.labels:,} label{'s' * (self.labels != 1)}"
        text = f"{text} ({self.reason})" if self.reason else text
        text = f"{text}; {self.waits}" if self.waiting else text
        return f"{text}; careful: {self.warning}" if self.warning else text

    def to_dict(self) -> dict[str, Any]:
        """As plain data. The keys of the interval are present even if there is none; `rounds` are left out.

        >>> found = Estimate("f1", math.nan, None, None, 0, Reach(0, 9), "no labels yet").to_dict()
        >>> found["value"], found["low"], found["text"]
        (None, None, 'f1 = undefined, from 0 labels (no labels yet)')
        """
        return {
            "metric": self.metric,
            "value": finite(self.value),
            **(NO_INTERVAL if self.interval is None else self.interval.to_dict()),
            "variance": finite(self.variance),
            "standard_error": finite(self.standard_error),
            "labels": self.labels,
            "skipped": self.skipped,
            "waiting": self.waiting,
            "waiting_for": self.waiting_for,
            "reach": self.reach.to_dict(),
            "text": str(self),
            "reason": self.reason,
            "warning": self.warning,
        }

    def _repr_html_(self) -> str:
        rows = [(self.metric, short(self.value))]
        if self.interval is not None:
            low, high = short(self.interval.low), short(self.interval.high)
            rows.append((f"{100 * self.interval.confidence:g} % interval", f"{low} to {high}"))
        rows += [
            ("labels", f"{self.labels:,}"),
            ("cannot tell", f"{self.skipped:,}" if self.skipped else ""),
            ("waiting", self.waits),
            ("note", self.reason),
            ("careful", self.warning),
        ]
        return html_table([], [row for row in rows if row[1]])


@dataclass(frozen=True)
class Plan:
    """The total number of labels, including those bought so far, until the interval is as narrow as wanted.

    >>> print(Plan(0.05, 120, 180, 260, labels=30, most=3000))
    about 180 labels (120 to 260) for an interval of ± 0.05; 30 labels so far
    >>> print(Plan(0.01, 3000, 3000, 3000, labels=30, most=3000))
    more than 3,000 labels for an interval of ± 0.01; 30 labels so far
    """

    half_width: float
    low: int
    likely: int
    high: int
    labels: int
    most: int

    def __str__(self) -> str:
        if self.high <= self.labels:
            return f"{self.labels:,} labels are enough for an interval of ± {self.half_width:g}"
        so_far = f"{self.labels:,} label{'s' * (self.labels != 1)} so far"
        if self.low >= self.most:
            return f"more than {self.most:,} labels for an interval of ± {self.half_width:g}; {so_far}"
        high = f"more than {self.most:,}" if self.high >= self.most else f"{self.high:,}"
        return (
            f"about {self.likely:,} labels ({self.low:,} to {high}) for an interval of ± {self.half_width:g}; {so_far}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data.

        >>> Plan(0.05, 120, 180, 260, labels=30, most=3000).to_dict()["likely"]
        180
        """
        return {**asdict(self), "text": str(self)}

    def _repr_html_(self) -> str:
        high = f"more than {self.most:,}" if self.high >= self.most else f"{self.high:,}"
        rows = [
            ("interval of", f"± {self.half_width:g}"),
            ("labels in total", f"about {self.likely:,}"),
            ("range", f"{self.low:,} to {high}"),
            ("labels now", f"{self.labels:,}"),
        ]
        return html_table([], rows)


class Weighted(NamedTuple):
    """The labelled items of one round as an ordinary weighted sample."""

    items: list[Id]
    labels: Floats
    predictions: Floats
    weights: Floats

    def to_dict(self) -> dict[str, Any]:
        """As plain data: one list per column."""
        columns = {"labels": self.labels, "predictions": self.predictions, "weights": self.weights}
        return {"items": list(self.items), **{name: column.tolist() for name, column in columns.items()}}

    def _repr_html_(self) -> str:
        """The first rows, and how many there are."""
        columns = (self.items, self.labels.tolist(), self.predictions.tolist(), map(short, self.weights.tolist()))
        rows = [
            [str(item), f"{label:g}", f"{prediction:g}", weight]
            for item, label, prediction, weight in zip(*(list(column)[:SHOWN] for column in columns), strict=True)
        ]
        more = f"<p>{len(self.items) - SHOWN:,} more rows</p>" if len(self.items) > SHOWN else ""
        return html_table(["item", "label", "prediction", "weight"], rows) + more


def html_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table for notebooks. All cells are escaped, because ids and reasons may contain any characters.

    >>> html_table([], [["item", "<b>"]])
    '<table><tbody><tr><td>item</td><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def short(value: float) -> str:
    """Three decimals up to 1, one decimal up to 100, none above; two significant digits below 0.01.

    >>> short(0.12345), short(1234.56), short(0.00123)
    ('0.123', '1,235', '0.0012')
    """
    if math.isnan(value):
        return "undefined"
    if 0 < abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:.3f}" if abs(value) <= 1 else f"{value:,.{0 if abs(value) >= 100 else 1}f}"
