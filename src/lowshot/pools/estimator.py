"""What fitted classifiers of scikit-learn say about data, as the arguments of a pool in memory."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lowshot.core.types import Flags
from lowshot.errors import InputError
from lowshot.integrations.sklearn import is_estimator, outputs
from lowshot.pools import columns
from lowshot.pools.frame import Frame
from lowshot.pools.models import model_name
from lowshot.pools.scale import Scale


class Scored(NamedTuple):
    """Scores and predictions of one classifier or several, as the arguments of `Pool`."""

    scores: Any
    predictions: Any
    threshold: Any
    scale: Scale | None


def scored(fitted: Any, data: Any, threshold: Any, positive: Any, method: Any) -> Scored:
    """One classifier, or {name: classifier}. Without a threshold, the predictions are those of the classifier."""
    if not isinstance(fitted, Mapping):
        found = outputs(fitted, data, positive, method)
        scale: Scale | None = "probability" if found.probabilities else None
        return Scored(found.scores, found.predictions if threshold is None else None, threshold, scale)
    if not fitted:
        raise InputError("fitted must be a classifier, or {name: classifier}: got none; name at least one")
    every = {
        model_name(name): outputs(one, data, positive, method, f"fitted[{name!r}]") for name, one in fitted.items()
    }
    limits = threshold if isinstance(threshold, Mapping) else dict.fromkeys(every, threshold)
    if unknown := [name for name in limits if name not in every]:
        raise InputError(f"threshold must be of models in fitted, {', '.join(every)}: got one of {unknown[0]!r}")
    cut = {name: limit for name, limit in limits.items() if limit is not None}
    flags: dict[str, Flags] = {name: one.predictions for name, one in every.items() if name not in cut}
    return Scored(
        {name: one.scores for name, one in every.items()},
        flags or None,
        cut or None,
        "probability" if all(one.probabilities for one in every.values()) else None,
    )


def helping(helpers: Mapping[str, Any] | None, data: Any, positive: Any, method: Any) -> dict[str, Any] | None:
    """Scores that help: columns as they are, and classifiers as their scores."""
    if not isinstance(helpers, Mapping):
        return helpers
    return {
        name: outputs(one, data, positive, method, f"helpers[{name!r}]").scores if is_estimator(one) else one
        for name, one in helpers.items()
    }


def ids_of(data: Any, ids: Any) -> Any:
    """The ids that were given, or else an index of pandas that has a name; None: the positions 0, 1, ..."""
    if ids is not None or not hasattr(data, "iloc") or data.index.name is None:
        return ids
    return columns.ids(data.index, len(data), f"ids (index {data.index.name!r} of X)")


def named_columns(data: Any, keyword: str, names: Any) -> dict[str, Any]:
    """Columns of the data by their names."""
    if not names:
        return {}
    if not hasattr(data, "columns"):
        raise InputError(f"{keyword} must be left out, because X has no columns with names: got {names!r}")
    return Frame.of(data).several(keyword, names)


def slices_of(data: Any, slices: Any) -> Any:
    """Names of columns of the data as these columns; anything else as it is."""
    return named_columns(data, "slices", slices) if isinstance(slices, (list, tuple)) else slices
