"""Files of scores and of labels, for `real` and `user_files`. Score files are memory-mapped and read in blocks.

A file of scores has the shape [items, classes]. It may be larger than memory, because only one block of rows or one
column is in memory at a time. Columns are read faster from a file in Fortran order
(`np.save(path, np.asfortranarray(scores))`): one column is then contiguous, while in C order reading one column passes
over the whole file.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowshot.core.types import Floats, Integers
from lowshot.errors import InputError

BLOCK = 1 << 18  # numbers per block: 1 MB as float32, about the size of a processor's L2 cache
Matrix = NDArray[np.floating]
AnyArray = np.ndarray[Any, Any]


class RowSummary(NamedTuple):
    """Two values per row: the column of the largest number, and log(sum(exp(row)))."""

    best: Integers
    total: Floats


def mapped(name: str, path: str | Path) -> AnyArray:
    """A .npy file as a memory-mapped array: only the parts that are used are read. `name` is for error messages.

    >>> mapped("logits", "nowhere.npy")
    Traceback (most recent call last):
    lowshot.errors.InputError: logits must be a .npy file: there is no file nowhere.npy
    """
    if not Path(path).is_file():
        raise InputError(f"{name} must be a .npy file: there is no file {path}")
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{name} must be a .npy file of numbers: {path} cannot be read ({error})") from None


def matrix(name: str, path: str | Path) -> Matrix:
    """A memory-mapped [items, classes] file of float16 or float32."""
    found = mapped(name, path)
    if found.ndim != 2 or found.shape[0] == 0 or found.shape[1] < 2:
        raise InputError(f"{name} must have the shape [items, classes]: {path} has shape {found.shape}")
    if found.dtype not in (np.float16, np.float32):
        raise InputError(f"{name} must be float16 or float32: {path} is {found.dtype}; convert it with astype")
    return found


def blocks(found: Matrix) -> Iterator[slice]:
    """Slices of consecutive rows that together cover the matrix, about BLOCK numbers each."""
    rows = max(1, BLOCK // found.shape[1])
    for start in range(0, len(found), rows):
        yield slice(start, start + rows)


def column(found: Matrix, category: int) -> NDArray[np.float32]:
    """A copy of one column in memory."""
    values = np.empty(len(found), dtype=np.float32)
    for rows in blocks(found):
        values[rows] = found[rows, category]
    return values


def row_summary(name: str, path: str | Path) -> RowSummary:
    """The best column and log(sum(exp)) of each row. The result is cached per process until the file changes."""
    return _row_summary(name, str(path), file_stamp(path))


def file_stamp(path: str | Path) -> tuple[int, int]:
    """Modification time and size. It is part of the cache keys, so that a changed file is read again."""
    found = Path(path).stat() if Path(path).exists() else None
    return (found.st_mtime_ns, found.st_size) if found else (0, 0)


@lru_cache(maxsize=8)
def _row_summary(name: str, path: str, stamp: tuple[int, int]) -> RowSummary:
    found = matrix(name, path)
    best, total = np.empty(len(found), dtype=np.int64), np.empty(len(found))
    for rows in blocks(found):
        block = found[rows].astype(np.float32)
        _check_finite(name, path, block, rows.start)
        best[rows] = block.argmax(axis=1)
        top = block.max(axis=1)
        block -= top[:, None]
        total[rows] = top + np.log(np.exp(block, out=block).sum(axis=1, dtype=np.float64))
    best.flags.writeable = total.flags.writeable = False
    return RowSummary(best, total)


def _check_finite(name: str, path: str, block: Matrix, start: int) -> None:
    wrong = ~np.isfinite(block)
    if wrong.any():
        row, place = np.argwhere(wrong)[0].tolist()
        value = block[row, place]
        raise InputError(f"{name} must be finite: {path} has {value} in row {start + row}, column {place}")


def class_labels(path: Path, items: int, classes: int) -> Integers:
    """The class of each item, from a .npy file or from the array `y` of an .npz file. Cached per process."""
    return _class_labels(path, file_stamp(path), items, classes)


@lru_cache(maxsize=4)
def _class_labels(path: Path, stamp: tuple[int, int], items: int, classes: int) -> Integers:
    found = _from_npz(path) if path.suffix == ".npz" else np.asarray(mapped("labels", path))
    return checked_labels(found, items, classes)


def _from_npz(path: Path) -> AnyArray:
    try:
        with np.load(path) as stored:
            return np.asarray(stored["y"])
    except (OSError, KeyError, ValueError, EOFError) as error:
        raise InputError(f"labels must be an .npz file with an array y: {path} cannot be read ({error})") from None


def checked_labels(labels: AnyArray, items: int, classes: int) -> Integers:
    """Labels as read-only int64, after checking that there is one class number per item.

    >>> checked_labels(np.array([0, 3]), 2, 3)
    Traceback (most recent call last):
    lowshot.errors.InputError: labels must be classes from 0 to 2: 1 of 2 are not (first at position 1: 3)
    """
    if labels.dtype.kind not in "iu":
        raise InputError(f"labels must be whole numbers, one class per item: got {labels.dtype}")
    if labels.shape != (items,):
        raise InputError(f"labels must be one for each item: got shape {labels.shape} for {items} items")
    wrong = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(wrong):
        raise InputError(
            f"labels must be classes from 0 to {classes - 1}: {len(wrong)} of {items} are not"
            f" (first at position {wrong[0]}: {labels[wrong[0]]})"
        )
    found = labels.astype(np.int64)
    found.flags.writeable = False
    return found
