"""A Parquet or CSV file into a pool; errors name the option, and say what the file has instead."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from lowshot.commands.table import column_names, is_parquet, load
from lowshot.commands.values import ids, numbers
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot.pools.scale import Scale


@dataclass(frozen=True)
class Columns:
    """Which column of a file is what."""

    score: str | None = None
    id: str | None = None
    prediction: str | None = None
    weight: str | None = None

    def options(self) -> dict[str, str]:
        """By the option that named it.

        >>> Columns(score="p", id="path").options()
        {'--score': 'p', '--id': 'path'}
        """
        return {f"--{name}": column for name, column in vars(self).items() if column is not None}


def pool_of(
    path: str | Path,
    columns: Columns,
    threshold: float | None = None,
    scale: str | None = None,
    option: str = "--pool",
) -> Pool:
    """The pool in a file, given with this option. Without a score column all scores are 0: for predictions alone."""
    found = read(path, columns.options(), option)
    predictions = found.get("--prediction")
    scores = found.get("--score")
    return Pool(
        np.zeros(len(predictions)) if scores is None and predictions is not None else scores,
        predictions,
        threshold=threshold,
        ids=found.get("--id"),
        weights=found.get("--weight"),
        scale=cast("Scale | None", scale),
    )


def read(path: str | Path, options: Mapping[str, str], option: str) -> dict[str, Any]:
    """Columns by the option that named them: ids as a list, the others as arrays of numbers."""
    refuse_unknown(path, options.items(), option)
    table, texts = load(path, list(options.values()), option), not is_parquet(path)
    if not len(table):
        raise InputError(f"{option} must hold at least one item: {path} has none")
    return {
        name: (ids if name == "--id" else numbers)(name, column, table[column], texts)
        for name, column in options.items()
    }


def refuse_unknown(path: str | Path, columns: Iterable[tuple[str, str]], option: str = "--pool") -> None:
    """Pairs of option and column; every column must be in the file, once."""
    there = column_names(path, option)
    for name, column in columns:
        if there.count(column) != 1:
            known = ", ".join(there)
            came = "which is not there" if column not in there else "which is there more than once"
            raise InputError(f"{name} must be a column of {path}, one of {known}: got {column!r}, {came}")
