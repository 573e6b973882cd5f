"""Files of a folder of pools: `DATASET.npz` or `DATASET.parquet`, with labels and one column of scores per model."""

import zipfile
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lowshot.core.types import Flags, Scores
from lowshot.errors import InputError
from lowshot.pools import columns
from lowshot_bench.families.pool_index import FORMAT, LABEL
from lowshot_bench.families.score_files import AnyArray, file_stamp

UNREADABLE = (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, pa.ArrowException)


def file_of(folder: Path, dataset: str) -> Path:
    """The file of a data set."""
    possible = [folder / f"{dataset}.npz", folder / f"{dataset}.parquet"]
    there = [path for path in possible if path.is_file()]
    if len(there) != 1:
        came = "has both; delete one" if there else "has neither; add the file, or take the pool out of index.json"
        raise InputError(f"data must have one of {possible[0].name} and {possible[1].name}: {folder} {came}")
    return there[0]


def labels_and_scores(path: Path, model: str) -> tuple[Flags, Scores]:
    """The labels of a data set and the scores of one model, checked. Cached per process until the file changes."""
    labels, scores = _labels(path, file_stamp(path)), _scores(path, model, file_stamp(path))
    if len(labels) != len(scores):
        raise InputError(
            f"{path} must have one score per label: {model!r} has {len(scores)} values for {len(labels)} labels"
        )
    return labels, scores


@lru_cache(maxsize=4)
def _labels(path: Path, stamp: tuple[int, int]) -> Flags:
    values = _column(path, LABEL)
    try:
        return columns.binary(LABEL, values, advice="leave out items without a label")
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


@lru_cache(maxsize=8)
def _scores(path: Path, model: str, stamp: tuple[int, int]) -> Scores:
    values = _column(path, model)
    try:
        return columns.scores(values)
    except InputError as error:
        raise InputError(f"{path}, column {model!r}: {error}") from None


def _column(path: Path, name: str) -> AnyArray:
    try:
        return _from_npz(path, name) if path.suffix == ".npz" else _from_parquet(path, name)
    except InputError:
        raise
    except UNREADABLE as error:
        kind = "an .npz file of numbers" if path.suffix == ".npz" else "a Parquet file of numbers"
        raise InputError(f"{path} must be {kind}: {name!r} cannot be read ({error}); {FORMAT}") from None


def _from_npz(path: Path, name: str) -> AnyArray:
    opened = np.load(path)
    if not isinstance(opened, np.lib.npyio.NpzFile):
        raise ValueError("it has one array without a name; write it with np.savez")
    with opened as stored:
        _check_name(path, name, stored.files)
        return np.asarray(stored[name])


def _from_parquet(path: Path, name: str) -> AnyArray:
    _check_name(path, name, pq.read_schema(path).names)
    found: AnyArray = pq.read_table(path, columns=[name])[name].to_numpy()
    return found


def _check_name(path: Path, name: str, there: list[Any]) -> None:
    if name not in there:
        raise InputError(f"{path} must have a column {name!r}: it has {', '.join(map(str, there)) or 'none'}")
