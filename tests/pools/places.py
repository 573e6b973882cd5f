"""The same rows in every place that a pool can be opened from."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot
from lowshot.core.types import Flags, Floats
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.grouped import GroupedPool

from ..databases import connected

FILES = ["parquet", "csv", "duckdb", "sqlite", "pandas", "polars", "arrow", "ibis"]
POSTGRES = pytest.param("postgres")
SPARK = pytest.param("spark", marks=pytest.mark.xdist_group("spark"))  # one process of the tests starts Java
EVERYWHERE = [*FILES, POSTGRES, SPARK]
ENGINES = ["duckdb", "sqlite", POSTGRES, SPARK]  # every other place is read by DuckDB, too


@dataclass(frozen=True)
class Place:
    """Where to put rows: a folder, and how to reach the servers when they are wanted."""

    kind: str
    folder: Path
    server: Callable[[str], Any]

    def put(self, rows: pa.Table) -> dict[str, Any]:
        """What `open_pool` takes to find them again."""
        found = PUT[self.kind](self, rows)
        return found if isinstance(found, dict) else {"source": found}

    def open(self, rows: pa.Table, **options: Any) -> GroupedPool:
        return lowshot.open_pool(**self.put(rows), **{"id": "id", "score": "score", **options})


def table(ids: Any, scores: Any, predictions: Any, **columns: Any) -> pa.Table:
    named = {"id": ids, "score": scores, "predicted": predictions, **columns}
    return pa.table({name: pa.array(values) for name, values in named.items()})


def defined(rows: pa.Table, where: Flags | None = None) -> ArrayEngine:
    """What NumPy makes of the rows: every place must say the same."""
    kept = rows if where is None else rows.filter(pa.array(where))
    numbered = pa.types.is_integer(kept["id"].type)
    ids = kept["id"].to_numpy() if numbered else np.array(kept["id"].to_pylist(), dtype=object)
    scores: Floats = kept["score"].to_numpy().astype(np.float64)
    return ArrayEngine(ids, scores, np.array(kept["predicted"].to_pylist(), dtype=np.bool_))


def _parquet(place: Place, rows: pa.Table) -> str:
    path = str(place.folder / f"{uuid4().hex}.parquet")
    pa.parquet.write_table(rows, path, row_group_size=100)
    return path


def _csv(place: Place, rows: pa.Table) -> str:
    path = str(place.folder / "rows.csv")
    pa.csv.write_csv(rows, path)
    return path


def _duckdb(place: Place, rows: pa.Table) -> dict[str, Any]:
    path = str(place.folder / f"{uuid4().hex}.duckdb")
    with duckdb.connect(path) as connection:
        connection.register("given", rows)
        connection.execute("CREATE TABLE items AS SELECT * FROM given")
    return {"source": path, "table": "items"}


def _sqlite(place: Place, rows: pa.Table) -> dict[str, Any]:
    path = str(place.folder / f"{uuid4().hex}.sqlite")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE items ({_columns(rows, SQLITE)})")
        marks = ", ".join("?" * rows.num_columns)
        connection.executemany(f"INSERT INTO items VALUES ({marks})", zip(*_lists(rows), strict=True))
    connection.close()
    return {"source": path, "table": "items"}


def _postgres(place: Place, rows: pa.Table) -> dict[str, Any]:
    url = place.server("database")
    with connected(url) as connection:
        connection.execute("DROP TABLE IF EXISTS items")
        connection.execute(f"CREATE TABLE items ({_columns(rows, SERVER)})")
        with connection.cursor().copy("COPY items FROM STDIN") as copy:
            for row in zip(*_lists(rows), strict=True):
                copy.write_row(row)
    return {"source": url, "table": "items"}


def _spark(place: Place, rows: pa.Table) -> Any:
    return place.server("spark").read.parquet(_parquet(place, rows))


def _pandas(_: Place, rows: pa.Table) -> pd.DataFrame:
    return rows.to_pandas()


def _ibis(_: Place, rows: pa.Table) -> Any:
    return ibis.memtable(rows)


def _polars(_: Place, rows: pa.Table) -> Any:
    return pl.from_arrow(rows)


def _arrow(_: Place, rows: pa.Table) -> pa.Table:
    return rows


PUT: dict[str, Callable[[Place, pa.Table], Any]] = {
    "parquet": _parquet,
    "csv": _csv,
    "duckdb": _duckdb,
    "sqlite": _sqlite,
    "postgres": _postgres,
    "spark": _spark,
    "pandas": _pandas,
    "polars": _polars,
    "arrow": _arrow,
    "ibis": _ibis,
}
SQLITE = {
    "int64": "INTEGER",
    "int32": "INTEGER",
    "double": "REAL",
    "float": "REAL",
    "string": "TEXT",
    "bool": "BOOLEAN",
}
SERVER = {"int64": "BIGINT", "int32": "INT", "double": "FLOAT8", "float": "FLOAT4", "string": "TEXT", "bool": "BOOLEAN"}


def _columns(rows: pa.Table, names: dict[str, str]) -> str:
    return ", ".join(f'"{field.name}" {names[str(field.type)]}' for field in rows.schema)


def _lists(rows: pa.Table) -> list[list[Any]]:
    return [column.to_pylist() for column in rows.columns]
