"""Pools that stay where they are, from the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from lowshot.commands.output import working
from lowshot.commands.reading import Columns
from lowshot.commands.table import is_parquet
from lowshot.errors import InputError
from lowshot.hiding import without_password
from lowshot.pools.base import BasePool
from lowshot.pools.scale import Scale

LARGE = 2 * 10**9  # bytes of a file that is not read into memory unless it is wanted
DATABASES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db")


def whereabouts(pool: str) -> str:
    """The path from the root, as later commands may run elsewhere; a URL as it is.

    >>> whereabouts("postgresql://me@host/db")
    'postgresql://me@host/db'
    """
    return pool if "://" in pool else str(Path(pool).absolute())


def stays(pool: str, wanted: bool | None, columns: Columns) -> bool:
    """Whether rows stay where they are: what is no single file has to, a large one had better.

    >>> stays("scores/*.parquet", None, Columns(id="path")), stays("scores.csv", None, Columns())
    (True, False)
    """
    must = "://" in pool or any(sign in pool for sign in "*?[") or Path(pool).is_dir() or pool.endswith(DATABASES)
    if must and wanted is False:
        raise InputError(f"--in-memory needs one file, .parquet or .csv: got {pool}")
    large = is_parquet(pool) and Path(pool).is_file() and Path(pool).stat().st_size > LARGE
    if not (must or wanted or (wanted is None and large)):
        return False
    if without_password(pool) != pool:
        raise InputError(
            "--pool must come without a password, which the store would keep: put it into PGPASSWORD or ~/.pgpass"
        )
    if columns.id is None or columns.weight is not None:
        came = "--weight" if columns.weight is not None else "none"
        raise InputError(f"--pool that stays where it is needs --id, and no --weight: got {came}; see --in-memory")
    return True


def large_pool(
    where: str, table: str | None, columns: Columns, threshold: float | None, scale: str | None, show: Sequence[str]
) -> BasePool:
    """With the columns that people are shown."""
    from lowshot.pools import open_pool

    with working("Counting the rows of the pool ..."):
        return open_pool(
            where,
            id=str(columns.id),
            score=str(columns.score),
            prediction=columns.prediction,
            threshold=threshold,
            table=table,
            show=show,
            scale=cast("Scale | None", scale),
        )
