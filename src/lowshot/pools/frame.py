"""Columns of a data frame as the arguments of a pool in memory: of pandas, polars or Arrow."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Scores
from lowshot.errors import InputError
from lowshot.pools import columns
from lowshot.pools.columns import AnyArray
from lowshot.pools.models import ONLY, Roles, Words, named_helpers, predicted
from lowshot.pools.places import shown_texts

KEYWORDS = Words("score", "prediction")


class Frame(NamedTuple):
    """The columns of a data frame by name. Errors name the keyword of `from_frame` that asked for a column.

    >>> import pandas
    >>> frame = Frame.of(pandas.DataFrame({"path": ["a.jpg"], "score": [0.9]}))
    >>> frame.column("score", "scor")
    Traceback (most recent call last):
    lowshot.errors.InputError: score must be a column of the frame: got 'scor'; the nearest is 'score'; it has ...
    """

    names: list[str]
    get: Callable[[str], Any]
    levels: tuple[str, ...]  # the names of the index of a pandas frame, which may be used as the id
    called: str = "frame"  # what errors call it

    @classmethod
    def of(cls, frame: Any) -> "Frame":
        if isinstance(frame, Frame):  # what an integration made of the tables of its library
            return frame
        if hasattr(frame, "iloc") and hasattr(frame, "columns"):  # pandas, and what is derived from it
            index = [name for name in frame.index.names if isinstance(name, str) and name not in frame.columns]
            return cls(list(frame.columns), lambda name: _of_pandas(frame, name), tuple(index))
        if hasattr(frame, "column_names") and hasattr(frame, "column"):  # Arrow
            return cls(list(frame.column_names), frame.column, ())
        if hasattr(frame, "get_column") and hasattr(frame, "columns"):  # polars
            return cls(list(frame.columns), frame.get_column, ())
        collect = "; call .collect() first" if hasattr(frame, "collect") else ""
        raise InputError(
            f"frame must be a data frame of pandas or polars, or a table of Arrow: got {type(frame).__name__}{collect}"
        )

    def column(self, keyword: str, name: Any, more: Sequence[str] = ()) -> Any:
        """The column with this name. `more`: names that are no columns, but are allowed for this keyword."""
        known = [*self.names, *more]
        if name not in known:
            texts = [str(one) for one in known]
            there = ", ".join(map(repr, texts[:20])) + (", ..." if len(texts) > 20 else "")
            close = checks.nearest(name, texts)
            hint = f"{close}; it has" if close.startswith("the nearest") else "it has"
            raise InputError(
                f"{keyword} must be a column of the {self.called}: got {name!r}; {hint} {there or 'no columns'}"
            )
        if self.names.count(name) > 1:
            raise InputError(
                f"{keyword} must be one column of the {self.called}: {name!r} occurs twice; rename one of them"
            )
        return self.get(name)

    def several(self, keyword: str, names: Any) -> dict[str, Any]:
        """Columns by name, from a list of names."""
        return {name: self.column(keyword, name) for name in checks.listed(keyword, names)}

    def ids(self, name: str | None) -> AnyArray | None:
        """The ids; None: the positions 0, 1, ..."""
        if name is None:
            return None
        values = checks.listed("id", self.column("id", name, self.levels))
        return columns.ids(values, len(values), f"id (column {name!r})")


def _of_pandas(frame: Any, name: str) -> Any:
    """A column, or a level of the index; missing values of nullable numbers as NaN."""
    found = frame[name] if name in frame.columns else frame.index.get_level_values(name)
    if getattr(found.dtype, "na_value", None) is not None and getattr(found.dtype, "kind", "O") in "fiu":
        return found.to_numpy(dtype=np.float64, na_value=np.nan) if found.hasnans else found.to_numpy()
    return found


class Columns(NamedTuple):
    """Scores and predictions of a frame, checked, as the arguments of `Pool`."""

    scores: Any
    predictions: Any
    threshold: Any
    helpers: dict[str, AnyArray]


def scores_of(frame: Frame, score: Any, prediction: Any, threshold: Any, helpers: Any) -> Columns:
    """The scores and predictions that these keywords name; where both are given, predictions must be those that the
    threshold makes of the scores."""
    roles = Roles.of(score, prediction, threshold, named_helpers(helpers), KEYWORDS, both=True)
    found = {name: _scores(frame, roles, name) for name in roles.scores}
    flags = {
        model: _flags(frame, roles, model, found[roles.judged[model]])
        for model in roles.judged
        if model in roles.predictions
    }
    cut = {model: limit for model, limit in roles.threshold.items() if model not in flags}
    given = named_helpers(helpers)
    own = {name: values for name, values in found.items() if name not in given}
    plain = not isinstance(score, Mapping)
    named = not plain or any(isinstance(one, Mapping) for one in (prediction, threshold))
    predictions, limits = ((each if named else each[ONLY]) if each else None for each in (flags, cut))
    return Columns(
        next(iter(own.values())) if plain else own, predictions, limits, {name: found[name] for name in given}
    )


def _scores(frame: Frame, roles: Roles, name: str) -> Scores:
    said, column = roles.said[name], roles.scores[name]
    values, what = frame.column(said, column), f"{said} (column {column!r})"
    return columns.helper(what, values, len(values)) if name in roles.helpers else columns.scores(values, what)


def _flags(frame: Frame, roles: Roles, model: str, scores: Scores) -> Flags:
    of = "" if model == ONLY else f"[{model!r}]"
    column = roles.predictions[model]
    values = frame.column(f"prediction{of}", column)
    flags = columns.binary(f"prediction{of} (column {column!r})", values, len(scores), "or use threshold=")
    if model in roles.threshold:
        wrong = int(np.count_nonzero(flags != predicted(f"threshold{of}", scores, roles.threshold[model])))
        if wrong:
            raise InputError(
                f"prediction{of} must be what threshold makes of the score where both are given: {wrong:,} of"
                f" {len(flags):,} are not; leave out one of them"
            )
    return flags


def texts_at(shown: Mapping[str, Any], places: Sequence[int]) -> list[dict[str, str]]:
    """What people are shown of the rows at these places, as texts."""
    found = {name: _at(column, list(places)) for name, column in shown.items()}
    return [shown_texts(found, row) for row in range(len(places))]


def _at(column: Any, places: list[int]) -> list[Any]:
    if hasattr(column, "iloc"):  # pandas, where [] means the index
        return list(column.iloc[places])
    if hasattr(column, "to_pylist"):  # Arrow
        return list(column.take(places).to_pylist())
    return list(column[places])


def objects(shown: Mapping[str, Any]) -> dict[str, AnyArray]:
    """Columns that people are shown as arrays of Python values."""
    return {name: np.asarray(column, dtype=object) for name, column in shown.items()}
