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
TIE = 1e-3  # logits as near as this are equal: models that choose by probabilities in half precision see no difference


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


class Samples(NamedTuple):
    """A dataset or a view with the ids of its samples, which stay the same for all that is read of it.

    FiftyOne runs a view anew for each reading: one that draws samples at random gives others, and one that sorts by
    equal values may give another order.
    """

    collection: Any
    ids: list[str]

    @classmethod
    def of(cls, samples: Any) -> "Samples":
        """The samples as they are now; an error unless they are samples of FiftyOne."""
        refuse_other(samples)
        return cls(samples, samples.values("id"))

    def values(self, *names: str) -> list[list[Any]]:
        """The values of fields in the order of the ids."""
        found = [*self.collection.values(["id", *names])]  # together, so that a view runs once for them
        ids = found.pop(0)
        if ids == self.ids:
            return found
        place_of = {name: place for place, name in enumerate(ids)}
        if len(ids) != len(self.ids) or place_of.keys() != {*self.ids}:
            raise InputError(
                "samples must be the same each time they are read: got other ones the second time, as a view gives"
                " that draws at random, or a dataset that is being changed; give a view that keeps its samples, such"
                " as dataset.select(view.values('id')) or dataset.take(size, seed=0)"
            )
        places = [place_of[name] for name in self.ids]
        return [[values[place] for place in places] for values in found]


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
        mine = _places(self.names, self.label)
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
        mine = _places(self.names, self.label)
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


def known(samples: Samples, keyword: str, name: Any) -> Any:
    """A field of the samples by its name or path; an error with the nearest name if there is none."""
    field = samples.collection.get_field(checks.text(keyword, name))
    if field is None:
        names = list(samples.collection.get_field_schema())
        raise InputError(f"{keyword} must be a field of the samples: got {name!r}; {checks.nearest(name, names, 20)}")
    return field


def values_of(samples: Samples, keyword: str, name: Any) -> Any:
    """The values of a field, as they are stored."""
    known(samples, keyword, name)
    return samples.values(name)[0]


def labels(samples: Samples, keyword: str, name: Any, classes: Any) -> OneLabel | ManyLabels | None:
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
    part, source = KINDS[kind], Source(samples, keyword, name)
    return _one(source, classes) if part is None else _many(source, part, classes)


class Source(NamedTuple):
    """A field of labels, and the argument that names it, which errors begin with."""

    samples: Samples
    keyword: str
    name: str


class Names(NamedTuple):
    """The names of the classes, and whose list it is: None if nobody gave one, so that their order means nothing."""

    names: list[str]
    whose: str | None


def _one(source: Source, classes: Any) -> OneLabel:
    name = source.name
    label, confidence = source.samples.values(f"{name}.label", f"{name}.confidence")
    _refuse_missing(source, label, "label")
    _refuse_missing(source, confidence, "confidence")
    found = _names(source, label, classes)
    return OneLabel(found.names, label, _shares(source, confidence), _logits(source, found, label, classes))


def _many(source: Source, part: str, classes: Any) -> ManyLabels:
    name = source.name
    label, confidence = source.samples.values(f"{name}.{part}.label", f"{name}.{part}.confidence")
    _refuse_missing(source, label, "label")
    item = np.repeat(np.arange(len(label)), np.fromiter(map(len, label), dtype=np.int64, count=len(label)))
    words = list(chain.from_iterable(label))
    shares = list(chain.from_iterable(one or () for one in confidence))
    if len(shares) != len(words) or None in shares or None in words:
        raise InputError(
            f"{source.keyword} must have a label and a confidence for each of its labels: some of {name!r} have none;"
            " store them with the predictions"
        )
    return ManyLabels(_names(source, words, classes).names, len(label), item, words, _shares(source, shares))


def _refuse_missing(source: Source, values: Sequence[Any], what: str) -> None:
    missing = sum(value is None for value in values)
    if missing:
        raise InputError(
            f"{source.keyword} must have a {what} for each sample: {missing:,} of {len(values):,} have none in"
            f" {source.name!r}; give samples.exists({source.name!r}), or store it with the predictions"
        )


def _shares(source: Source, values: Sequence[Any]) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if len(found) and not (found.min() >= 0 and found.max() <= 1):
        raise InputError(
            f"{source.keyword} must have confidences from 0 to 1: {source.name!r} has others, or NaN; store"
            " probabilities as confidences"
        )
    return found


def _names(source: Source, seen: Sequence[str], classes: Any) -> Names:
    """The names of the classes: as given, as the dataset has them, or those that occur."""
    found = sorted({*seen})
    if classes is None:
        dataset = source.samples.collection
        stored = dataset.classes.get(source.name) or dataset.default_classes
        return Names([*stored], "of the dataset") if stored and {*found} <= {*stored} else Names(found, None)
    names: list[str] = checks.listed("classes", classes)
    for one in found:
        if one not in names:
            raise InputError(f"classes must have every label of {source.name!r}: {one!r} is missing; add it")
    return Names(names, "as given")


def _places(names: Sequence[str], label: Sequence[str]) -> Integers:
    """The place of each label among the names."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in label], dtype=np.int64)


def _logits(source: Source, found: Names, label: Sequence[str], classes: Any) -> AnyArray | None:
    """The logits of all samples, if it is known which class each of them is for."""
    path = f"{source.name}.logits"
    if found.whose is None or source.samples.collection.get_field(path) is None:  # Detections have none
        return None
    (values,) = source.samples.values(path)
    if any(value is None for value in values):
        return None
    if {len(value) for value in values} == {len(found.names)}:
        logits = np.asarray(values, dtype=np.float64)
        _refuse_order(source, found, label, logits)
        return logits
    if classes is not None:
        _refuse_logits(source.name, len(values[0]), len(found.names))
    return None


def _refuse_order(source: Source, found: Names, label: Sequence[str], logits: AnyArray) -> None:
    """Raise an error if other classes than the labels have the highest logits: the names are in another order."""
    mine = logits[np.arange(len(logits)), _places(found.names, label)]
    wrong = int(np.count_nonzero(mine < logits.max(axis=1) - TIE))
    if wrong:
        give = "set" if source.keyword == "helpers" else "give classes=, or set"  # classes= is not about helpers
        raise InputError(
            f"classes must be in the order of the logits of {source.name!r}: with those {found.whose},"
            f" {checks.shortened(found.names)}, {wrong:,} of {len(label):,} labels do not have the highest logit;"
            f" {give} dataset.classes[{source.name!r}], in the order of the model, or, if the labels were not chosen by"
            " these logits, store them without logits"
        )


def _refuse_logits(name: str, logits: int, names: int) -> NoReturn:
    raise InputError(f"classes must be one name per logit of {name!r}: got {names} names for {logits} logits")
