"""Results about thresholds: precision and recall at every one of them, and the one that was chosen."""

import math
import warnings
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from lowshot.checks import Id
from lowshot.core.curve.along import Along
from lowshot.core.curve.envelope import Envelope, columns_quantiles
from lowshot.core.interval import finite
from lowshot.core.types import Floats, Integers
from lowshot.errors import InputError
from lowshot.goal import Threshold
from lowshot.markup import bar, card, careful, html_table, note, plain_table
from lowshot.metric import FBeta
from lowshot.pools.models import ONLY
from lowshot.result import data_frame, percent, short
from lowshot.words import counted

BandKind = Literal["pointwise", "simultaneous"]
SHOWN_AT = 9  # thresholds that are shown of a curve where there is room for a few


class Spread(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """
        >>> print(Spread(0.93, 0.905, 0.96))
        0.930 (0.905 to 0.960)
        """
        return f"{short(self.value)} ({short(self.low)} to {short(self.high)})"

    def to_dict(self) -> dict[str, float | None]:
        return {name: finite(value) for name, value in self._asdict().items()}


class BestThreshold(NamedTuple):
    """Where F is largest: the threshold, F there, and between which thresholds the best one lies."""

    metric: str
    threshold: float
    kept: int
    value: Spread
    low: float
    high: float

    def __str__(self) -> str:
        """
        >>> print(BestThreshold("f1", 0.4, 120, Spread(0.7, 0.6, 0.8), 0.35, 0.5))
        f1 is largest at threshold 0.4, where 120 items are kept: 0.700 (0.600 to 0.800); ...
        """
        where = f"threshold {self.threshold:g}, where {self.kept:,} items are kept"
        return (
            f"{self.metric} is largest at {where}: {self.value}; the best threshold lies between {self.low:g} and"
            f" {self.high:g}"
        )

    def to_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "value": self.value.to_dict()}


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Precision, recall and F1 at every threshold, each with a band. A threshold keeps the items with a score of at
    least that; the arrays begin with the highest one. Without labels they are empty, and `reason` says so.

    >>> import lowshot
    >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5))
    >>> evaluation.tell(evaluation.ask(5), [1] * 5)
    >>> found = evaluation.thresholds()
    >>> found.threshold.tolist(), found.recall.value.round(2).tolist()
    ([0.9, 0.8, 0.7, 0.2, 0.1], [0.2, 0.4, 0.6, 0.8, 1.0])
    """

    model: str | None
    band: BandKind
    confidence: float
    labels: int
    skipped: int
    threshold: Floats
    kept: Integers
    precision: Envelope
    recall: Envelope
    f1: Envelope
    average_precision: Spread
    present: int | None  # the place of the pool's own threshold; None if its predictions are not those of a threshold
    warning: str = ""
    reason: str = ""
    along: Along | None = field(default=None, repr=False)  # draws, from which `best` works

    def __len__(self) -> int:
        return len(self.threshold)

    def best(self, metric: str | FBeta = "f1") -> BestThreshold:
        """The threshold where this F is largest, and how well the labels tell where that is."""
        from lowshot.metric import f_metric

        wanted = f_metric(metric)
        if self.along is None:
            raise InputError(f"the best threshold needs labels: {self.reason}")
        values, weight = self.along.counted("bare").f(wanted.alpha), self.along.weight
        chosen = int(np.argmax(weight @ values))
        shares = ((1 - self.confidence) / 2, (1 + self.confidence) / 2)
        high, low = columns_quantiles(values.argmax(axis=1)[:, None].astype(np.float64), weight, shares)[:, 0]
        spread = spread_of(values[:, chosen], weight, self.confidence)
        at = self.threshold
        return BestThreshold(
            wanted.name,
            float(at[chosen]),
            int(self.kept[chosen]),
            spread,
            min(float(at[int(low)]), float(at[chosen])),
            max(float(at[int(high)]), float(at[chosen])),
        )

    def at(self, threshold: float) -> dict[str, Any]:
        """The row of the lowest threshold of the curve that keeps no item below this one.

        >>> import lowshot
        >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.7, 0.2, 0.1], threshold=0.5))
        >>> evaluation.tell(evaluation.ask(5), [1, 1, 1, 0, 0])
        >>> evaluation.thresholds().at(0.5)["kept"]
        3
        """
        place = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        if place < 0:
            raise InputError(
                f"threshold must be at most {self.threshold[0] if len(self) else math.nan:g}, the highest of the curve:"
                f" got {threshold!r}; above it nothing is kept"
            )
        return self.row(place)

    def row(self, place: int) -> dict[str, Any]:
        """All numbers of one threshold as plain data."""
        found: dict[str, Any] = {"threshold": float(self.threshold[place]), "kept": int(self.kept[place])}
        for name, envelope in (("precision", self.precision), ("recall", self.recall), ("f1", self.f1)):
            found[name] = float(envelope.value[place])
            found[f"{name}_low"], found[f"{name}_high"] = float(envelope.low[place]), float(envelope.high[place])
        return found

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [self.row(place) for place in range(len(self))]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "model": self.model,
            "band": self.band,
            "confidence": self.confidence,
            "labels": self.labels,
            "skipped": self.skipped,
            "average_precision": self.average_precision.to_dict(),
            "best": None if self.along is None else self.best().to_dict(),
            "present": self.present,
            "rows": self.rows,
            "reason": self.reason,
            "warning": self.warning,
        }

    def to_frame(self) -> Any:
        """As a pandas DataFrame, one row per threshold. Extra `[notebook]`."""
        return data_frame(self.rows, "use .rows")

    def plot(self, ax: Any = None, choice: "ThresholdChoice | None" = None) -> Any:
        """Precision and recall against the number of kept items, with bands, on Matplotlib axes. Extra `[plots]`.

        ax      axes to draw on; new ones if not given
        choice  a threshold that was chosen, to be marked

        The axes are returned.
        """
        from lowshot.charts import threshold_curve

        return threshold_curve.plot(self, ax, choice)

    def _some(self) -> list[int]:
        """The places of some thresholds: that of the pool, and some evenly spread over those with 1 to all items."""
        wanted = np.geomspace(1, self.kept[-1], SHOWN_AT)
        places = np.searchsorted(self.kept, np.round(wanted)).tolist()
        return sorted({*places, *([] if self.present is None else [self.present])})

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        header = ["threshold", "kept", "precision", "recall", "f1"]
        bands = (self.precision, self.recall, self.f1)
        rows = [
            [f"{self.threshold[place]:.4g}", f"{self.kept[place]:,}", *(str(spread_at(band, place)) for band in bands)]
            for place in (self._some() if len(self) else [])
        ]
        return header, rows

    def __str__(self) -> str:
        if not len(self):
            return f"no curve: {self.reason}"
        header, rows = self._cells()
        widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
        lines = [
            "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in [header, *rows]
        ]
        lines += [f"average precision: {self.average_precision}", str(self.best())]
        return "\n".join([*lines, *([f"careful: {self.warning}"] if self.warning else [])])

    def to_html(self) -> str:
        """Some thresholds, that of the pool among them, as an HTML table without styles, for a page with its own."""
        return plain_table(*self._cells())

    def _repr_html_(self) -> str:
        if not len(self):
            return card("no curve", "", note(self.reason))
        found, best = self.average_precision, self.best()
        return card(
            short(found.value),
            f"average precision{'' if self.model in (None, ONLY) else f' of {self.model}'}",
            bar(found.low, found.value, found.high),
            note(f"{100 * self.confidence:g} % interval {short(found.low)} to {short(found.high)}"),
            html_table(*self._cells()),
            note(str(best)),
            note(f"{len(self) - len(self._some()):,} more thresholds: see to_frame(), at() and plot()"),
            careful(self.warning),
        )


def spread_at(band: Envelope, place: int) -> Spread:
    return Spread(*(float(part[place]) for part in band))


def spread_of(draws: Floats, weight: Floats, confidence: float) -> Spread:
    low, middle, high = columns_quantiles(draws[:, None], weight, ((1 - confidence) / 2, 0.5, (1 + confidence) / 2))
    value = (float(weight @ draws) + float(middle[0])) / 2
    return Spread(value, min(float(low[0]), value), max(float(high[0]), value))


@dataclass(frozen=True)
class Reading:
    """What is kept, read in one of two ways, and how good it is.

    >>> print(Reading(120, Spread(0.93, 0.905, 0.96), Spread(0.5, 0.4, 0.6), 0.97))
    120 items, recall 0.930 (0.905 to 0.960), precision 0.500 (0.400 to 0.600), reaches the target with probability 97 %
    """

    kept: int
    recall: Spread
    precision: Spread
    probability: float | None  # that it reaches the targets; None without a target, and with promise "design"

    def __str__(self) -> str:
        sure = "" if self.probability is None else f", reaches the target with probability {percent(self.probability)}"
        items = f"{self.kept:,} item{'s' * (self.kept != 1)}"
        return f"{items}, recall {self.recall}, precision {self.precision}{sure}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kept": self.kept,
            "recall": self.recall.to_dict(),
            "precision": self.precision.to_dict(),
            "probability": finite(self.probability),
        }


@dataclass(frozen=True)
class ThresholdChoice:
    """A threshold, chosen for a target.

    `bare` is about all items with a score of at least the threshold; `set` is about what somebody gets who has the
    labels as well: these items, with the labelled positives below (`added`) and without the labelled negatives above
    (`removed`). `wanted.reading` says which of the two the target is certified for.
    """

    wanted: Threshold
    threshold: float | None  # None: there is nothing to choose from; `reason` says why
    certified: bool
    set: Reading | None
    bare: Reading | None
    labels: int
    skipped: int = 0
    added: tuple[Id, ...] = field(default=(), repr=False)  # there may be hundreds
    removed: tuple[Id, ...] = field(default=(), repr=False)
    reason: str = ""  # why it is not certified
    more: int | None = None  # about how many further labels it takes until that is enough, if that can be said
    warning: str = ""
    model: str | None = None

    @property
    def kept(self) -> int:
        """The items of what was asked for, the set or the bare threshold."""
        return 0 if self.asked is None else self.asked.kept

    @property
    def enough(self) -> bool:
        """Whether labels can stop: it is certified, and by design from as many labels as were planned for that. A set
        that is certified earlier may keep nearly the whole pool, or nearly nothing.
        """
        return self.certified and not self.more

    @property
    def asked(self) -> Reading | None:
        """The reading that has to reach the targets."""
        return self.set if self.wanted.reading == "set" else self.bare

    @property
    def probability(self) -> float | None:
        """That what was asked for, the set or the bare threshold, reaches the targets."""
        return None if self.asked is None else self.asked.probability

    @property
    def confidence(self) -> float:
        return self.wanted.confidence

    @property
    def promise(self) -> str:
        return self.wanted.promise

    def classifier(self, fitted: Any, **options: Any) -> Any:
        """scikit-learn's `FixedThresholdClassifier` with this threshold, around a fitted classifier.

        options  of `FixedThresholdClassifier`: pos_label= and response_method=

        The scores of the pool must be those of the classifier's response method: predict_proba, or decision_function
        if it has no probabilities. It predicts `bare`: a classifier does not know the labels.
        """
        if self.threshold is None:
            raise InputError(f"there is no threshold to use: {self.reason}")
        if self.certified and self.wanted.reading == "set":
            warnings.warn(
                "what is certified is the set with the labels, and a classifier has the threshold alone: choose with"
                " reading='bare'",
                stacklevel=2,
            )
        from lowshot.integrations.sklearn import fixed_threshold

        return fixed_threshold(fitted, self.threshold, options)

    def __str__(self) -> str:
        if self.threshold is None or self.set is None or self.bare is None:
            return f"no threshold: {self.reason}"
        lines = [
            f"threshold {self.threshold:.6g} for {self.wanted.words}: {self._verdict}from {self.labels:,}"
            f" label{'s' * (self.labels != 1)}",
            f"with the labels: {self.set}",
            f"threshold alone: {self.bare}",
        ]
        return "\n".join([*lines, *self._why, *([f"careful: {self.warning}"] if self.warning else [])])

    @property
    def ahead(self) -> str:
        """What further labels may do; empty if that cannot be said, or if it is enough."""
        if not self.more:
            return ""
        more = counted(self.more, "more label")
        if not self.certified:
            return f"about {more} may do"
        size = "larger" if self.wanted.recall is None else "smaller"
        return f"about {more} are planned, with which a {size} set may be certified"

    @property
    def _why(self) -> list[str]:
        """Why it is not enough."""
        if not self.wanted.targets or not (self.reason or self.ahead):
            return []
        said = "; ".join(filter(None, [self.reason, self.ahead]))
        return [f"why: {said}" if self.reason else f"not enough yet: {said}"]

    @property
    def _verdict(self) -> str:
        if not self.wanted.targets:
            return ""
        if not self.certified:
            return "not certified, "
        whose = "by the draws, whatever the scores are" if self.wanted.by_design else "by the posterior"
        what = "with the labels" if self.wanted.reading == "set" else "threshold alone"
        return f"certified for '{what}' ({percent(self.confidence)} sure, {whose}), "

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "model": self.model,
            "wanted": {**self.wanted.targets, **({"maximise": self.wanted.maximise} if self.wanted.maximise else {})},
            "promise": self.promise,
            "reading": self.wanted.reading,
            "confidence": self.confidence,
            "threshold": finite(self.threshold),
            "certified": self.certified,
            "kept": self.kept,
            "set": None if self.set is None else self.set.to_dict(),
            "bare": None if self.bare is None else self.bare.to_dict(),
            "added": list(self.added),
            "removed": list(self.removed),
            "labels": self.labels,
            "skipped": self.skipped,
            "more": self.more,
            "text": str(self),
            "reason": self.reason,
            "warning": self.warning,
        }

    def _repr_html_(self) -> str:
        if self.threshold is None or self.set is None or self.bare is None:
            return card("no threshold", "", note(self.reason), careful(self.warning))
        return card(
            f"{self.threshold:.6g}",
            f"is the threshold for {self.wanted.words}",
            note(f"{self._verdict}from {self.labels:,} label{'s' * (self.labels != 1)}"),
            html_table(
                ["", "items", "recall", "precision", *(["reaches the target"] if self.probability is not None else [])],
                [self._row("with the labels", self.set), self._row("threshold alone", self.bare)],
            ),
            "".join(map(note, self._why)),
            careful(self.warning),
        )

    def _row(self, name: str, reading: Reading) -> list[str]:
        sure = [percent(reading.probability)] if self.probability is not None else []
        return [name, f"{reading.kept:,}", str(reading.recall), str(reading.precision), *sure]
