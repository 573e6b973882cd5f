"""A pool from the samples of FiftyOne: a dataset or a view, and a field with the predictions of a model."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lowshot import checks
from lowshot.errors import InputError
from lowshot.integrations.fiftyone.fields import ManyLabels, OneLabel, Samples, labels, values_of
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.memory import Pool
from lowshot.pools.models import named_helpers, with_threshold

FILE = "filepath"


def pool(
    samples: Any,
    predictions_field: str | Mapping[str, str],
    *,
    category: str | None = None,
    threshold: float | Mapping[str, float] | None = None,
    classes: Sequence[str] | None = None,
    helpers: Sequence[str] | Mapping[str, str] = (),
    slices: Sequence[str] = (),
    show: Sequence[str] = (FILE,),
    weight: str | None = None,
) -> Pool | ClassPool:
    """A pool from the samples of a dataset or a view; its ids are those of the samples.

    samples            a dataset, or a view such as dataset.match_tags("test"). With dataset.to_patches("boxes"), the
                       items are boxes; nobody is asked about objects without a box then, so recall means among boxes
    predictions_field  the field with what a model predicts, or {model: field} for several models:
                       Classification   the predicted class with its confidence, and logits if they were stored
                       Classifications  any number of classes, each with its confidence
                       Detections       boxes. With category, the question is whether a picture has such an object, and
                                        the score of a picture is the highest confidence of its boxes
                       numbers          scores; give a threshold
    category           one of the classes: items of this class are the positive ones. If not given: all classes
    threshold          scores of at least this are predicted positive. If not given: samples that have the label
                       are
    classes            the names of the classes, for logits in their order. If not given: those that the dataset stores
                       for this field, or else the labels that occur; of those the order is not known, so logits are
                       not used then
    helpers            fields with further scores that help to judge the model
    slices             fields that say which part of the pool a sample is in
    show               fields that people are shown when they label
    weight             the field with p(x), if the samples do not all count the same

    A class that is not predicted has no confidence of its own if there are no logits: all of them share what the
    confidence of the predicted one leaves. With logits, which apply_model(store_logits=True) stores, and the classes in
    the order of the model, every class has a score of its own. Labels that do not have the highest logit are an error,
    because the classes are in another order then.
    """
    source = Samples.of(samples)
    fields = {"": predictions_field} if not isinstance(predictions_field, Mapping) else dict(predictions_field)
    if not source.ids:
        raise InputError("samples must hold at least one sample: got none; an empty pool cannot be evaluated")
    found = {model: labels(source, "predictions_field", field, classes) for model, field in fields.items()}
    shown = {name: np.array(values_of(source, "show", name), dtype=object) for name in checks.listed("show", show)}
    parts = {name: values_of(source, "slices", name) for name in checks.listed("slices", slices)} or None
    mass = None if weight is None else values_of(source, "weight", weight)
    rest: dict[str, Any] = {"ids": source.ids, "slices": parts, "weights": mass}
    if category is None and (several := [one for one in found.values() if one is not None]):
        if len(fields) > 1 or helpers:
            raise InputError(
                "category must be given with several models or helpers: got none; name the class that is looked for"
            )
        return _classes(several[0], threshold, rest).with_shown(shown)
    scores, predictions = _about(source, fields, found, category, threshold)
    helping = {name: _helper(source, field, category) for name, field in named_helpers(helpers).items()}
    plain = not isinstance(predictions_field, Mapping)
    made = Pool(
        scores[""] if plain else scores,
        None if not predictions else predictions[""] if plain else predictions,
        threshold=threshold, helpers=helping or None, **rest,
    )  # fmt: skip
    return made.with_shown(shown)


def _about(
    samples: Samples, fields: Mapping[str, str], found: Mapping[str, Any], category: Any, threshold: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Scores and predictions per model; no predictions where a threshold makes them."""
    cut = with_threshold(fields, threshold)
    scores: dict[str, Any] = {}
    predictions: dict[str, Any] = {}
    for model, field in fields.items():
        one = found[model]
        if one is None:
            scores[model] = values_of(samples, "predictions_field", field)
            continue
        scores[model], there = one.of(_known_class(category, one.names))
        if model not in cut:
            predictions[model] = there
    return scores, predictions


def _known_class(category: Any, names: list[str]) -> str:
    if category not in names:
        raise InputError(f"category must be one of the classes: got {category!r}; {checks.nearest(category, names)}")
    return str(category)


def _helper(samples: Samples, field: str, category: Any) -> Any:
    one = labels(samples, "helpers", field, None)
    return values_of(samples, "helpers", field) if one is None else one.of(_known_class(category, one.names))[0]


def _classes(one: OneLabel | ManyLabels, threshold: Any, rest: Mapping[str, Any]) -> ClassPool:
    """All classes of one model."""
    if isinstance(one, OneLabel):
        if threshold is not None:
            raise InputError(
                f"threshold must be left out where one of several classes is predicted: got {threshold!r}; give"
                " category= for a pool that is about one of them"
            )
        return ClassPool(one.grid(), classes=one.names, predictions=one.label, **rest)
    scores, there = one.grid()
    if threshold is not None:
        there = scores >= checks.finite("threshold", threshold)
    return ClassPool(scores, classes=one.names, predictions=there, kind="multilabel", **rest)
