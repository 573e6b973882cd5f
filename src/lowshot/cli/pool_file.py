"""From a file, a folder or a database to a pool, in memory or where its rows are."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lowshot.cli.cells import read
from lowshot.cli.columns import SLICE, Column, FileColumns
from lowshot.cli.table_file import ENDINGS, about_how_many_rows, count_rows, has_unsigned, is_parquet
from lowshot.errors import InputError, without_password
from lowshot.pools.base import BasePool
from lowshot.pools.memory import Pool
from lowshot.pools.paths import is_duckdb
from lowshot.pools.scale import Scale

if TYPE_CHECKING:
    from lowshot.pools.grouped import GroupedPool
    from lowshot.pools.grouped_scores import GroupedScores


def pool_of(
    path: str | Path,
    columns: FileColumns,
    threshold: float | None = None,
    scale: str | None = None,
    option: str = "--pool",
) -> Pool:
    """The pool in a file. `option` names the file in messages. Without a score column all scores are 0."""
    found = read(path, columns.all, option)
    scores, predictions, cut = _judged(columns, threshold, found)
    return Pool(
        scores,
        predictions,
        threshold=cut,
        helpers={helper.name: found[helper.scores] for helper in columns.helpers},
        ids=None if columns.ids is None else found[columns.ids],
        weights=None if columns.weights is None else found[columns.weights],
        slices={column.column: found[column] for column in columns.parts} or None,
        scale=cast("Scale | None", scale),
    )


def _judged(columns: FileColumns, threshold: float | None, found: Mapping[Column, Any]) -> tuple[Any, Any, Any]:
    """Scores, predictions and thresholds for a Pool: one of each, or by the name of the model."""
    if columns.models:
        predictions = {model.name: found[column] for model in columns.models if (column := model.predictions)}
        cut = {model.name: model.threshold for model in columns.models if model.threshold is not None}
        return {model.name: found[model.scores] for model in columns.models}, predictions, cut
    given = None if columns.predictions is None else found[columns.predictions]
    if columns.scores is None and given is not None:
        return np.zeros(len(given)), given, threshold
    return None if columns.scores is None else found[columns.scores], given, threshold


MANY = 500_000  # rows; those of a larger file stay there by default, if nothing needs them in memory
LARGE = 2 * 10**9  # bytes; in memory, a larger Parquet file takes several times as much
DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db")


def whereabouts(pool: str) -> str:
    """The absolute path, because later commands may run in another folder; a URL is returned as it is.

    >>> whereabouts("postgresql://me@host/db")
    'postgresql://me@host/db'
    """
    return pool if "://" in pool else str(Path(pool).absolute())


def is_one_file(pool: str) -> bool:
    """Whether it is neither a glob, nor a folder, nor a database.

    >>> is_one_file("scores.csv"), is_one_file("scores/*.parquet"), is_one_file("birds.duckdb")
    (True, False, False)
    """
    several = any(sign in pool for sign in "*?[") or Path(pool).is_dir()
    return "://" not in pool and not several and not pool.endswith(DATABASES)


def refuse_external(pool: str, allow_external: bool) -> None:
    if allow_external and not is_duckdb(pool):
        raise InputError(
            "--allow-external must come with a .duckdb file as --pool, whose views it is about: got"
            f" {without_password(pool)}; leave it out"
        )


def stays(pool: str, wanted: bool | None, columns: FileColumns) -> bool:
    """Whether rows stay where they are: always unless the pool is a single file, and by default if that is large.

    >>> stays("scores/*.parquet", None, FileColumns(id="path")), stays("scores.csv", None, FileColumns())
    (True, False)
    """
    must = not is_one_file(pool)
    if must and wanted is False:
        raise InputError(f"--in-memory needs one file that ends in {ENDINGS}: got {pool}")
    large = wanted is None and not must and _is_large(pool, columns)
    if not (must or wanted or large):
        return False
    if without_password(pool) != pool:
        raise InputError(
            "--pool must come without a password, which the store would contain: put it into PGPASSWORD or ~/.pgpass"
        )
    if columns.slices:
        raise InputError(
            f"{SLICE} needs the pool in memory: the rows of {pool} stay where they are; add --in-memory if it is one"
            f" file, or leave {SLICE} out"
        )
    if columns.id is None or columns.weight is not None:
        came = "--weight" if columns.weight is not None else "none"
        raise InputError(
            f"--pool whose rows stay where they are must come with --id, without --weight: got {came}; see --in-memory"
        )
    return True


def _is_large(pool: str, columns: FileColumns) -> bool:
    """Whether the rows of a file should stay there: it has many of them, and nothing needs them in memory."""
    if not Path(pool).is_file():
        return False
    if is_parquet(pool) and Path(pool).stat().st_size > LARGE:
        return True
    in_memory = columns.slices or columns.weight is not None or columns.id is None
    if in_memory or not all(find_spec(name) for name in ("ibis", "duckdb")):
        return False
    return about_how_many_rows(pool, "--pool") > MANY and not has_unsigned(pool, str(columns.id), "--pool")


def reading(pool: str) -> str:
    """What is said while a pool is read."""
    name = without_password(pool) if "://" in pool else Path(pool).name
    many = f": {count_rows(pool, '--pool'):,} rows" if is_parquet(pool) and Path(pool).is_file() else ""
    return f"Reading {name}{many} ..."


def large_pool(
    where: str,
    table: str | None,
    columns: FileColumns,
    threshold: float | None,
    scale: str | None,
    show: Sequence[str],
    allow_external: bool = False,
) -> BasePool:
    """A pool whose rows stay where they are, after the first pass over them; `show` are columns that people see."""
    from lowshot.pools.keeping import remembering

    pool = remembering(unread_large_pool(where, table, columns, threshold, scale, show, allow_external))
    len(pool)  # runs the first pass now, so that errors in the rows are raised here
    return pool


def unread_large_pool(
    where: str,
    table: str | None,
    columns: FileColumns,
    threshold: float | None,
    scale: str | None,
    show: Sequence[str],
    allow_external: bool = False,
) -> "GroupedPool | GroupedScores":
    """The same before the first pass."""
    from lowshot import pools

    models = columns.models
    thresholds = {model.name: model.threshold for model in models if model.threshold is not None}
    predictions = {model.name: model.prediction for model in models if model.prediction is not None}
    return pools.unread_pool(
        where,
        id=str(columns.id),
        score={model.name: model.score for model in models} if models else str(columns.score),
        prediction=(predictions or None) if models else columns.prediction,
        threshold=(thresholds or None) if models else threshold,
        helpers={helper.name: helper.column for helper in columns.helpers},
        table=table,
        show=show,
        scale=cast("Scale | None", scale),
        allow_external=allow_external,
    )
