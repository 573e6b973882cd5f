"""Tidy rows in Parquet files: one row per task, method, repetition, target and number of labels."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lowshot.errors import InputError

SCHEMA = pa.schema(
    [
        ("family", pa.dictionary(pa.int16(), pa.string())),
        ("category", pa.int32()),
        ("method", pa.dictionary(pa.int16(), pa.string())),
        # What is estimated: the metric of the "own" predictions, of another model or threshold, or another metric.
        ("target", pa.dictionary(pa.int16(), pa.string())),
        ("repetition", pa.int32()),
        ("labels", pa.int32()),
        ("estimate", pa.float64()),  # NaN: the estimate is undefined
        ("variance", pa.float64()),  # null: the method has no variance; NaN: too few labels for one
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("truth", pa.float64()),
        ("seconds", pa.float32()),  # from the start of the run to this estimate
        ("task", pa.dictionary(pa.int16(), pa.string())),  # the name of a pool: dataset/model/point; null: it has none
        ("warned", pa.bool_()),  # whether the estimate came with a warning; null: not recorded
        # Of a comparison, that the second model is better; of a choice, that it is the best one. Null: there is none.
        ("probability", pa.float64()),
    ]
)
LATER = ("task", "warned", "probability")  # columns that older files do not have
FLOOR = "known chances"  # the name under which the floor of the error is stored as a method; see task_rows.floors


class Row(NamedTuple):
    """One estimate. The fields are those of SCHEMA."""

    family: str
    category: int
    method: str
    target: str
    repetition: int
    labels: int
    estimate: float
    variance: float | None
    low: float | None
    high: float | None
    truth: float
    seconds: float
    task: str | None = None
    warned: bool | None = None
    probability: float | None = None


def table_of(rows: Iterable[Row]) -> pa.Table:
    """Rows as a table."""
    return pa.Table.from_pylist([row._asdict() for row in rows], schema=SCHEMA)


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write rows to a file; after a crash the file is complete or missing.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.parquet"
    >>> write(path, [Row("easy", 1, "acis", "own", 0, 10, 0.5, 0.01, 0.3, 0.7, 0.6, 0.1)])
    >>> read([path]).num_rows
    1
    """
    save(path, table_of(rows))


def save(path: Path, table: pa.Table, level: int = 3) -> None:
    """Write a table to a temporary file, then rename it, so that no reader sees a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    pq.write_table(table, unfinished, compression="zstd", compression_level=level)
    os.replace(unfinished, path)


def pack(path: Path, table: pa.Table) -> None:
    """Write rounded rows, small enough to be committed.

    Values are rounded to 3 decimals, variances to 2 significant digits and seconds to 1. Files get five times smaller.
    Rounding adds 0.001^2 / 12 to a mean squared error, which is far below what any table shows. Values of named pools
    have 4 significant digits instead, because their prevalence may be 0.001 and their F1 0.999.
    """
    table = table.take(_order(table))
    rounding = {name: _rounded(table, name) for name in ("estimate", "low", "high", "truth")}
    rounding |= {"variance": _significant(table["variance"], 2), "seconds": _significant(table["seconds"], 1)}
    rounding |= {"probability": _significant(table["probability"], 4)}
    for name, values in rounding.items():
        table = table.set_column(table.schema.get_field_index(name), name, pc.cast(values, pa.float32()))
    save(path, table, level=19)


def _rounded(table: pa.Table, name: str) -> pa.ChunkedArray:
    return pc.if_else(pc.is_valid(table["task"]), _significant(table[name], 4), pc.round(table[name], 3))


def _order(table: pa.Table) -> pa.Array:
    """An order that puts similar rows together, for compression, and keeps names in the order of first appearance."""
    names = [table[name].combine_chunks().indices.to_numpy() for name in ("family", "method", "target")]
    numbers = [table[name].to_numpy() for name in ("labels", "repetition", "category")]
    return pa.array(np.lexsort([*reversed(numbers), *reversed(names)]))


def _significant(values: pa.ChunkedArray, digits: int) -> pa.ChunkedArray:
    """Values rounded to this number of significant digits.

    >>> _significant(pa.chunked_array([[0.012345, None, 0.0]]), 3).to_pylist()
    [0.0123, None, 0.0]
    """
    numbers = pc.cast(values, pa.float64()).to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        power = 10.0 ** (digits - 1 - np.floor(np.log10(np.abs(numbers))))
        rounded = np.where(numbers == 0, 0.0, np.round(numbers * power) / power)
    return pa.chunked_array([pa.array(rounded, mask=pc.is_null(values).to_numpy())])


def read(paths: Iterable[Path]) -> pa.Table:
    """All rows of these files as one table."""
    tables = [_read(path) for path in paths]
    return pa.concat_tables(tables).unify_dictionaries() if tables else SCHEMA.empty_table()


def methods_in(table: pa.Table) -> list[str]:
    """The methods that have rows, in order of first appearance."""
    found: list[str] = pc.unique(table["method"]).to_pylist()
    return found


def intact(path: Path) -> bool:
    """Whether the file can be read and has rows."""
    try:
        return bool(_read(path).num_rows)
    except InputError:
        return False


def _read(path: Path) -> pa.Table:
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"{path} must be a Parquet file of lowshot bench: {error}; delete it and run again") from None
    for name in LATER:
        if name not in table.schema.names:
            table = table.append_column(SCHEMA.field(name), pa.nulls(table.num_rows, SCHEMA.field(name).type))
    if table.schema.names != SCHEMA.names:
        raise InputError(f"{path} must have the columns {', '.join(SCHEMA.names)}: got {', '.join(table.schema.names)}")
    return table.cast(SCHEMA)
