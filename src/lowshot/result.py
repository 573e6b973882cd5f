"""Results: value, variance and interval of an estimate, the labels it used and the items it could reach.

Every result has `to_dict()`: plain data under the keys that the command line, `/api/v1` and the page use, None where
something is undefined (JSON has no NaN). Notebooks show `_repr_html_()`.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from lowshot.core.interval import Interval, finite
from lowshot.core.ratio import RoundEstimate
from lowshot.errors import MissingExtra
from lowshot.markup import NARROW, ROWS, axis, bar, card, careful, escaped, html_table, note, plain_table

NO_INTERVAL = dict.fromkeys(Interval(0.0, 1.0).to_dict())


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
        parts = [f"{self.metric} = {short(self.value)}", _interval_in_words(self.interval, short)]
        text = ", ".join([*filter(None, parts), f"from {_labels(self.labels)}"])
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
        low, high = (None, None) if self.interval is None else (self.interval.low, self.interval.high)
        return card(
            short(self.value),
            self.metric,
            bar(low, self.value, high, span=axis((low, self.value, high))),
            note(_interval_in_words(self.interval, short)),
            note(f"from {_labels(self.labels)}{f'; cannot tell: {self.skipped:,} more' if self.skipped else ''}"),
            note(self.waits),
            note(self.reason),
            careful(self.warning),
        )


@dataclass(frozen=True)
class Plan:
    """The total number of labels, including those bought so far, until the interval is as narrow as wanted.

    >>> print(Plan(0.05, 120, 180, 260, labels=30, most=3000))
    typically 180 labels, nine of ten runs at most 260, for an interval of ± 0.05; 30 labels so far
    >>> print(Plan(0.05, 120, 180, 3000, labels=30, most=3000))
    typically 180 labels, in one run of ten more than 3,000, for an interval of ± 0.05; 30 labels so far
    >>> print(Plan(0.01, 900, 3000, 3000, labels=30, most=3000))
    more than 3,000 labels for an interval of ± 0.01; 30 labels so far
    """

    half_width: float | None  # None: for a verdict, or for a certified threshold
    low: int  # one run in ten needs at most this
    likely: int  # half of them do
    high: int  # nine of ten do
    labels: int
    most: int
    margin: float | None = None  # of the verdict; None: there is none

    @property
    def target(self) -> str:
        """What the labels are for, in words."""
        if self.half_width is not None:
            return f"an interval of ± {self.half_width:g}"
        if self.margin is None:
            return "a certified threshold"
        return f"a verdict with a margin of {self.margin:g}" if self.margin else "a verdict"

    def __str__(self) -> str:
        if self.high <= self.labels:
            return f"{self.labels:,} labels are enough for {self.target}"
        so_far = f"{_labels(self.labels)} so far"
        if self.likely >= self.most:
            return f"more than {self.most:,} labels for {self.target}; {so_far}"
        return f"{self.ahead(_labels(self.likely), self.high)}, for {self.target}; {so_far}"

    def ahead(self, likely: str, high: int) -> str:
        """The forecast in words, about all labels or about those to come."""
        if self.high >= self.most:
            return f"typically {likely}, in one run of ten more than {high:,}"
        return typically(likely, f"{high:,}")

    def to_dict(self) -> dict[str, Any]:
        """As plain data.

        >>> Plan(0.05, 120, 180, 260, labels=30, most=3000).to_dict()["likely"]
        180
        """
        return {**asdict(self), "text": str(self)}

    def _repr_html_(self) -> str:
        enough, beyond = self.high <= self.labels, self.likely >= self.most
        number = self.labels if enough else self.likely
        return card(
            f"more than {self.most:,}" if beyond else f"{number:,}" if enough else f"about {number:,}",
            "labels are enough" if enough else "labels in total",
            bar(self.low, self.likely, self.high, span=(0.0, max(self.high, self.labels)), marks=[self.labels]),
            note(f"for {self.target}"),
            note("" if enough or beyond else self.ahead(f"{self.likely:,}", self.high)),
            note(f"{_labels(self.labels)} so far"),
        )


def typically(likely: str, high: str) -> str:
    """A forecast in words, the same everywhere: what the median run has, and what nine of ten runs stay below.

    >>> typically("180 labels", "260")
    'typically 180 labels, nine of ten runs at most 260'
    """
    return f"typically {likely}, nine of ten runs at most {high}"


Verdict = Literal["better", "worse", "tied", "undecided"]


@dataclass(frozen=True)
class Budget:
    """The half-width of the interval that a total number of labels is expected to give: a `Plan` turned round.

    >>> print(Budget(100, low=0.08, likely=0.11, high=0.16))
    100 labels: typically ± 0.11, nine of ten runs at most ± 0.16
    """

    labels: int  # in total, including those bought so far
    low: float  # in one run of ten the interval is at most this wide
    likely: float  # in half of them
    high: float  # in nine of ten

    def __str__(self) -> str:
        likely, high = (f"± {one:.{2 if self.likely >= 0.01 else 3}f}" for one in (self.likely, self.high))
        return f"{_labels(self.labels)}: {typically(likely, high)}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "text": str(self)}


@dataclass(frozen=True)
class Comparison:
    """How much better a candidate is than a baseline, from the labels of one evaluation.

    `verdict` is "better" if the whole interval of the difference is above the margin, "worse" if it is below minus the
    margin, "tied" if it is between both, and otherwise "undecided". `probability` is that of the candidate being better
    by more than the margin.

    >>> found = Comparison("v1", "v2", "f1", 0.06, Interval(0.02, 0.1), 0.99, 0.0, 70)
    >>> print(found)
    v2 is better than v1: f1 is 0.060 higher, 95 % interval 0.020 to 0.100, v2 is better with probability 99 %, ...
    >>> found.verdict
    'better'
    """

    baseline: str
    candidate: str
    metric: str
    value: float  # metric of the candidate minus metric of the baseline
    interval: Interval | None
    probability: float | None
    margin: float
    labels: int
    skipped: int = 0
    reason: str = ""
    warning: str = ""
    certain: bool = False  # whether the difference is known exactly
    agreement: str = ""  # that the models hardly agree, and what this means

    @property
    def verdict(self) -> Verdict:
        if self.interval is None:
            return "undecided"
        low, high = self.interval.low, self.interval.high
        if low > self.margin:
            return "better"
        if high < -self.margin:
            return "worse"
        inside = -self.margin < low and high < self.margin
        return "tied" if inside or (self.certain and low == high == 0) else "undecided"

    @property
    def decided(self) -> bool:
        return self.verdict != "undecided"

    @property
    def sentence(self) -> str:
        """The verdict in words, without numbers but the margin.

        >>> Comparison("v1", "v2", "f1", 0.06, Interval(0.03, 0.1), 0.99, 0.02, 70).sentence
        'v2 is better than v1 by more than 0.02'
        """
        verdicts = {
            "better": f"{self.candidate} is better than {self.baseline}",
            "worse": f"{self.candidate} is worse than {self.baseline}",
            "tied": f"{self.candidate} and {self.baseline} are tied",
            "undecided": f"undecided between {self.candidate} and {self.baseline}",
        }
        by = f" by more than {self.margin:g}" if self.margin and self.verdict in ("better", "worse") else ""
        within = f" within {self.margin:g}" if self.margin and self.verdict == "tied" else ""
        return f"{verdicts[self.verdict]}{by}{within}"

    def __str__(self) -> str:
        parts = [f"{self.sentence}: {self.difference}", _interval_in_words(self.interval, signed)]
        if self.probability is not None:
            more = f" by more than {self.margin:g}" if self.margin else ""
            parts.append(f"{self.candidate} is better{more} with probability {percent(self.probability)}")
        text = ", ".join([*filter(None, parts), f"from {_labels(self.labels)}"])
        text = f"{text} ({self.reason})" if self.reason else text
        text = f"{text}; careful: {self.warning}" if self.warning else text
        return f"{text}\nnote: {self.agreement}" if self.agreement else text

    @property
    def defined(self) -> bool:
        return not math.isnan(self.value)

    @property
    def difference(self) -> str:
        """The difference in words.

        >>> Comparison("v1", "v2", "f1", -0.06, None, None, 0.0, 70).difference
        'f1 is 0.060 lower'
        """
        if not self.defined:
            return f"{self.metric} is undefined"
        if self.value == 0:
            return f"{self.metric} is the same"
        return f"{self.metric} is {short(abs(self.value))} {'higher' if self.value > 0 else 'lower'}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data.

        >>> Comparison("v1", "v2", "f1", 0.06, Interval(0.02, 0.1), 0.99, 0.0, 70).to_dict()["verdict"]
        'better'
        """
        return {
            "baseline": self.baseline,
            "candidate": self.candidate,
            "metric": self.metric,
            "verdict": self.verdict,
            "value": finite(self.value),
            **(NO_INTERVAL if self.interval is None else self.interval.to_dict()),
            "probability": finite(self.probability),
            "margin": self.margin,
            "labels": self.labels,
            "skipped": self.skipped,
            "text": str(self),
            "reason": self.reason,
            "warning": self.warning,
            "agreement": self.agreement,
        }

    def _repr_html_(self) -> str:
        low, high = (None, None) if self.interval is None else (self.interval.low, self.interval.high)
        there = [abs(one) for one in (low, high, self.value, self.margin) if one is not None and math.isfinite(one)]
        most = max(there) * 1.1 or 1.0  # 0 is in the middle of the axis
        more = f" by more than {self.margin:g}" if self.margin else ""
        sure = "" if self.probability is None else percent(self.probability)
        return card(
            self.verdict,
            self.sentence,
            bar(low, self.value, high, span=(-most, most), marks=sorted({-self.margin, 0.0, self.margin})),
            note(f"{self.difference}{f', {text}' if (text := _interval_in_words(self.interval, signed)) else ''}"),
            note(f"probability that {self.candidate} is better{more}: {sure}" if sure else ""),
            note(f"from {_labels(self.labels)}"),
            note(self.reason),
            careful(self.warning),
            note(self.agreement),
        )


@dataclass(frozen=True)
class Table:
    """Several estimates side by side, one row each: of models, of categories, or of the slices of a pool.

    >>> rows = ({"model": "v1", "value": 0.5, "low": 0.4, "high": 0.6, "best": 0.2},
    ...         {"model": "v2", "value": 0.6, "low": 0.5, "high": 0.7, "best": 0.8})
    >>> print(Table("f1", 0.95, 70, rows))
    model  f1     95 % interval   best
    v1     0.500  0.400 to 0.600  20 %
    v2     0.600  0.500 to 0.700  80 %

    A row has the name of what it is about under the key `by`. All other keys are the same in all tables.

    >>> rows = ({"camera": "north", "value": 0.5, "low": 0.2, "high": 0.8, "labels": 4, "below": 0.7},)
    >>> print(Table("f1", 0.95, 70, rows, by="camera", below=0.6))
    camera  f1     95 % interval   below 0.6  labels
    north   0.500  0.200 to 0.800  70 %       4
    """

    metric: str
    confidence: float
    labels: int  # of the whole evaluation
    rows: tuple[dict[str, Any], ...]  # plain values; None where something is undefined
    by: str = "model"  # what the rows are: "model", "category", or the name of a column of slices
    below: float | None = None  # rows have the probability, under "below", that the metric is below this line
    agreement: tuple[str, ...] = ()  # of pairs of models that hardly agree: that they do, and what this means

    @property
    def names(self) -> list[Any]:
        """What each row is about."""
        return [row[self.by] for row in self.rows]

    @property
    def words(self) -> list[str]:
        """The same as texts; a slice of items whose value is missing has a word of its own."""
        return ["(missing)" if name is None else str(name) for name in self.names]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as texts."""
        columns = [
            (self.by, self.words),
            (self.metric, [_shown(row["value"]) for row in self.rows]),
            (f"{100 * self.confidence:g} % interval", [_range(row["low"], row["high"]) for row in self.rows]),
            *self._extra_columns(),
        ]
        return [name for name, _ in columns], [list(row) for row in zip(*(cells for _, cells in columns), strict=True)]

    def _extra_columns(self) -> list[tuple[str, list[str]]]:
        """The columns that not all tables have; that of notes comes last because its texts are long."""
        found = []
        if self._has("best"):
            found.append(("best", [percent(row["best"]) for row in self.rows]))
        if self.below is not None:
            found.append((f"below {self.below:g}", [percent(row["below"]) for row in self.rows]))
        if self.by != "model":
            for key in ("labels", "items", "predicted"):
                if self._has(key):
                    found.append((key, [f"{row[key]:,}" for row in self.rows]))
            if any(row.get("reason") for row in self.rows):
                found.append(("note", [row.get("reason", "") for row in self.rows]))
        return found

    def _has(self, key: str) -> bool:
        return bool(self.rows) and all(key in row for row in self.rows)

    def __str__(self) -> str:
        header, body = self._cells()
        widths = [max(len(row[column]) for row in [header, *body]) for column in range(len(header))]
        lines = [
            "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in [header, *body]
        ]
        told = [*(f"careful: {text}" for text in self.warnings), *(f"note: {text}" for text in self.agreement)]
        return "\n".join([*(line.rstrip() for line in lines), *told])

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the estimates, each once."""
        return tuple(dict.fromkeys(row["warning"] for row in self.rows if row.get("warning")))

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        rows = [dict(row) for row in self.rows]
        return {**asdict(self), "rows": rows, "agreement": list(self.agreement), "text": str(self)}

    def to_frame(self) -> Any:
        """As a pandas DataFrame with a row per model, category or slice. Extra `[notebook]`."""
        return data_frame(list(self.rows), "use .rows")

    def to_html(self) -> str:
        """All rows as an HTML table without styles, for a page that has its own."""
        told = [*(f"careful: {text}" for text in self.warnings), *(f"note: {text}" for text in self.agreement)]
        return plain_table(*self._cells()) + "".join(f"<p>{escaped(text)}</p>" for text in told)

    def _repr_html_(self) -> str:
        header, rows = self._cells()
        span = axis(row[end] for row in self.rows for end in ("value", "low", "high"))
        line = [] if self.below is None else [self.below]
        bars = (bar(row["low"], row["value"], row["high"], span=span, width=NARROW, marks=line) for row in self.rows)
        cells = [[*row[:2], picture, *row[2:]] for row, picture in zip(rows[:ROWS], bars, strict=False)]
        left = len(rows) - len(cells)
        more = note(f"{left:,} more row{'s' * (left != 1)}: see to_frame()" if left else "")
        told = [*map(careful, self.warnings), *map(note, self.agreement)]
        return html_table([*header[:2], "", *header[2:]], cells) + more + "".join(told)


def data_frame(data: Any, otherwise: str) -> Any:
    """A pandas DataFrame; an error that names the extra, and what can be used `otherwise`, if pandas is missing."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise MissingExtra(f"a data frame needs pandas: pip install 'lowshot[notebook]'; or {otherwise}") from None
    return pd.DataFrame(data)


def _labels(count: int) -> str:
    return f"{count:,} label{'s' * (count != 1)}"


def _interval_in_words(interval: Interval | None, written: Callable[[float], str]) -> str:
    """Empty if there is none."""
    if interval is None:
        return ""
    return f"{100 * interval.confidence:g} % interval {written(interval.low)} to {written(interval.high)}"


def signed(value: float) -> str:
    """A difference: `short`, with a minus sign where it is negative.

    >>> signed(-0.0512), signed(0.25)
    ('-0.051', '0.250')
    """
    return f"-{short(-value)}" if value < 0 else short(value)


def percent(share: float | None) -> str:
    """A probability in per cent, never rounded to certainty.

    >>> percent(0.256), percent(0.9999), percent(0.0), percent(1.0)
    ('26 %', 'above 99 %', '0 %', '100 %')
    """
    if share is None:
        return "undefined"
    if 0 < share < 0.005:
        return "below 1 %"
    return "above 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def _shown(value: float | None) -> str:
    return "undefined" if value is None else short(value)


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{short(low)} to {short(high)}"


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
