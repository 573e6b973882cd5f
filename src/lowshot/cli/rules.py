"""Which options of `start`, `check` and `estimate` go together."""

from collections.abc import Mapping
from typing import Any

from lowshot.cli.classes import CLASSES
from lowshot.cli.columns import FORM, HELPER, MODEL, FileColumns
from lowshot.cli.pool_file import is_one_file
from lowshot.errors import InputError
from lowshot.pools.base import BasePool
from lowshot.pools.models import ONLY


def refuse_rules(columns: FileColumns, threshold: float | None) -> None:
    """Either --model, or --score with one of --threshold and --prediction. Helpers have names of their own."""
    single = {"--score": columns.score, "--threshold": threshold, "--prediction": columns.prediction}
    came = [option for option, value in single.items() if value is not None]
    if columns.models and came:
        raise InputError(
            f"give either {MODEL} or --score: got {MODEL} and {', '.join(came)}; write {MODEL} {FORM} for each model"
        )
    if not columns.models and columns.score is None:
        raise InputError(
            f"give either --score or {MODEL}: got neither; --score names the column of scores of one model, {MODEL}"
            f" {FORM} one of several; for a classifier with many categories, {CLASSES} names the columns of scores"
        )
    if not columns.models:
        refuse_two_predictions(threshold, columns.prediction)
    names = [model.name for model in columns.models] or [ONLY]
    for helper in columns.helpers:
        if helper.name in names:
            raise InputError(
                f"{HELPER} must have a name of its own: {helper.name!r} is a model; write {HELPER}"
                f" NAME={helper.column} with another name"
            )


def refuse_with_classes(columns: FileColumns, others: Mapping[str, Any]) -> None:
    """Options that only an evaluation of one category has."""
    several = {MODEL: columns.models or None, HELPER: columns.helpers or None}
    came = [option for option, value in {**several, **others}.items() if value is not None]
    if came:
        raise InputError(
            f"{came[0]} must be left out with {CLASSES}: got both; a pool with many categories has one model, and its"
            " beliefs are learned from the labels"
        )


def refuse_no_file(pool: str, engine: bool | None, table: str | None) -> None:
    """Pools with many classes are read into memory, a few numbers per item."""
    if engine or table is not None or not is_one_file(pool):
        raise InputError(f"{CLASSES} needs --pool to be one file, .parquet, .csv, .npy or .npz: got {pool}")


def refuse_two_predictions(threshold: float | None, prediction: str | None) -> None:
    if (threshold is None) == (prediction is None):
        came = "neither" if threshold is None else "both"
        raise InputError(f"give either --threshold or --prediction: got {came}")


def refuse_no_predictions(pool: BasePool, model: str, threshold: float | None, option: str = "") -> None:
    """Without predicted positives no label can change the answer; usually the threshold is on a wrong scale.

    option  the one that gives the threshold or the predictions; --threshold or --prediction if not given
    """
    view = pool.view(model)
    if view.predicted_positives:
        return
    low, high = view.limits
    if option:
        raise InputError(
            f"{option} must predict some items positive: it predicts none, and its scores go from {low:g} to {high:g};"
            " choose another threshold, or another column of predictions"
        )
    if threshold is None:
        raise InputError("--prediction must be 1 for some items: it is 0 for all of them; name another column")
    raise InputError(
        f"--threshold must be reached by some scores, which go from {low:g} to {high:g}: got {threshold:g};"
        " choose another"
    )
