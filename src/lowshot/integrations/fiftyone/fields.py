"""What a field of predictions holds, as arrays: one label per sample, or any number of them."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, NoReturn

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Floats, Integers
from lowshot.errors import InputError, MissingExtra
from lowshot.pools.columns import AnyArray

# What FiftyOne calls the labels of a sample, and where their list is; None: there is one label.
KINDS = {"Classification": None, "Detection": None, "Classifications": "classifications", "Detections": "detections"}


def library() -> Any:
    """The package `fiftyone`."""
    try:
        import fiftyone
    except ModuleNotFoundError as error:
        raise MissingExtra(f"samples of FiftyOne need {error.name}: pip install fiftyone") from None
    return fiftyone


def refuse_other(samples: Any) -> None:
    """Raise an error unless these are samples of FiftyOne."""
    if not isinstance(samples, library().core.collections.SampleCollection):
        raise InputError(
            f"samples must be a dataset or a view of FiftyOne: got {type(samples).__name__}; give"
            " fiftyone.load_dataset(name)"
        )


class OneLabel(NamedTuple):
    """A Classification, or the Detection of a patch, per sample."""

    names: list[str]  # of the classes
    label: list[str]
    confidence: Floats
    logits: AnyArray | None  # [sample, class]

    def grid(self) -> AnyArray:
        """A score per class. Without logits, the classes that are not predicted share what the confidence leaves.

        >>> OneLabel(["crow", "heron"], ["heron", "crow"], np.array([0.9, 0.6]), None).grid().round(1).tolist()
        [[0.1, 0.9], [0.6, 0.4]]
        """
        if self.logits is not None:
            return self.logits
        place = {name: number for number, name in enumerate(self.names)}
        mine = np.array([place[name] for name in self.label], dtype=np.int64)
        scores = np.repeat(self._rest[:, None], len(self.names), axis=1)
        scores[np.arange(len(mine)), mine] = self.confidence
        return scores

    def of(self, category: str) -> tuple[AnyArray, Flags]:
        """The scores of one class, as probabilities, and where it is predicted."""
        predicted = np.array([name == category for name in self.label], dtype=np.bool_)
        if self.logits is None:
            return np.where(predicted, self.confidence, self._rest), predicted
        powers = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        return powers[:, self.names.index(category)] / powers.sum(axis=1), predicted

    @property
    def _rest(self) -> Floats:
        """What the confidence leaves for each class that is not predicted."""
        return (1 - self.confidence) / max(len(self.names) - 1, 1)


class ManyLabels(NamedTuple):
    """Classifications or Detections: any number of labels per sample, each with its confidence."""

    names: list[str]
    samples: int
    item: Integers  # [label]: the place of its sample
    label: list[str]
    confidence: Floats

    def grid(self) -> tuple[AnyArray, Flags]:
        """The highest confidence of each class per sample, 0 where it has no label; and where it has one."""
        place = {name: number for number, name in enumerate(self.names)}
        mine = np.array([place[name] for name in self.label], dtype=np.int64)
        scores = np.zeros((self.samples, len(self.names)))
        np.maximum.at(scores, (self.item, mine), self.confidence)
        there = np.zeros(scores.shape, dtype=np.bool_)
        there[self.item, mine] = True
        return scores, there

    def of(self, category: str) -> tuple[AnyArray, Flags]:
        """The highest confidence of one class per sample, 0 where it has no label; and where it has one.

        >>> words, shares = ["crow", "crow", "heron"], np.array([0.3, 0.8, 0.9])
        >>> found = ManyLabels(["crow", "heron"], 3, np.array([0, 0, 2]), words, shares)
        >>> [part.tolist() for part in found.of("crow")]
        [[0.8, 0.0, 0.0], [True, False, False]]
        """
        mine = np.array([name == category for name in self.label], dtype=np.bool_)
        scores = np.zeros(self.samples)
        np.maximum.at(scores, self.item[mine], self.confidence[mine])
        return scores, np.bincount(self.item[mine], minlength=self.samples) > 0


def known(samples: Any, keyword: str, name: Any) -> Any:
    """A field of the samples by its name or path; an error with the nearest name if there is none."""
    field = samples.get_field(checks.text(keyword, name))
    if field is None:
        names = list(samples.get_field_schema())
        raise InputError(f"{keyword} must be a field of the samples: got {name!r}; {checks.nearest(name, names, 20)}")
    return field


def values_of(samples: Any, keyword: str, name: Any) -> Any:
    """The values of a field, as they are stored."""
    known(samples, keyword, name)
    return samples.values(name)


def labels(samples: Any, keyword: str, name: Any, classes: Any) -> OneLabel | ManyLabels | None:
    """The labels of a field; None for a field of numbers."""
    fiftyone = library()
    field = known(samples, keyword, name)
    if isinstance(field, (fiftyone.FloatField, fiftyone.IntField)):
        return None
    kind = getattr(getattr(field, "document_type", None), "__name__", type(field).__name__)
    if kind not in KINDS:
        raise InputError(
            f"{keyword} must be a field of {', '.join(KINDS)}, or of numbers: {name!r} is a field of {kind}"
        )
    part = KINDS[kind]
    return _one(samples, name, classes) if part is None else _many(samples, name, part, classes)


def _one(samples: Any, name: str, classes: Any) -> OneLabel:
    label, confidence = samples.values([f"{name}.label", f"{name}.confidence"])
    _refuse_missing(name, label, "label")
    _refuse_missing(name, confidence, "confidence")
    names = _names(samples, name, label, classes)
    return OneLabel(names, label, _shares(name, confidence), _logits(samples, name, names, classes))


def _many(samples: Any, name: str, part: str, classes: Any) -> ManyLabels:
    label, confidence = samples.values([f"{name}.{part}.label", f"{name}.{part}.confidence"])
    _refuse_missing(name, label, "label")
    item = np.repeat(np.arange(len(label)), np.fromiter(map(len, label), dtype=np.int64, count=len(label)))
    words = list(chain.from_iterable(label))
    shares = list(chain.from_iterable(one or () for one in confidence))
    if len(shares) != len(words) or None in shares or None in words:
        raise InputError(
            f"predictions_field must have a label and a confidence for each of its labels: some of {name!r} have none;"
            " store them with the predictions"
        )
    return ManyLabels(_names(samples, name, words, classes), len(label), item, words, _shares(name, shares))


def _refuse_missing(name: str, values: Sequence[Any], what: str) -> None:
    missing = sum(value is None for value in values)
    if missing:
        raise InputError(
            f"predictions_field must have a {what} for each sample: {missing:,} of {len(values):,} have none in"
            f" {name!r}; give samples.exists({name!r}), or store it with the predictions"
        )


def _shares(name: str, values: Sequence[Any]) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if len(found) and not (found.min() >= 0 and found.max() <= 1):
        raise InputError(f"predictions_field must have confidences from 0 to 1: {name!r} has others, or NaN")
    return found


def _names(samples: Any, name: str, seen: Sequence[str], classes: Any) -> list[str]:
    """The names of the classes: as given, as the dataset has them, or those that occur."""
    found = sorted({*seen})
    if classes is None:
        stored = samples.classes.get(name) or samples.default_classes
        return [*stored] if stored and {*found} <= {*stored} else found
    names: list[str] = checks.listed("classes", classes)
    for one in found:
        if one not in names:
            raise InputError(f"classes must have every label of {name!r}: {one!r} is missing; add it")
    return names


def _logits(samples: Any, name: str, names: list[str], classes: Any) -> AnyArray | None:
    """The logits of all samples, if it is known which class each of them is for."""
    if samples.get_field(f"{name}.logits") is None:  # Detections have none
        return None
    values = samples.values(f"{name}.logits")
    if any(value is None for value in values):
        return None
    if {len(value) for value in values} == {len(names)}:
        return np.asarray(values, dtype=np.float64)
    if classes is not None:
        _refuse_logits(name, len(values[0]), len(names))
    return None


def _refuse_logits(name: str, logits: int, names: int) -> NoReturn:
    raise InputError(f"classes must be one name per logit of {name!r}: got {names} names for {logits} logits")
