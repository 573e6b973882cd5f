"""Score files of any size: memory-mapped, read in blocks, never whole.

A file in Fortran order (`np.save(path, np.asfortranarray(scores))`) gives its columns faster: one column is then one
piece of the file, while in C order reading a column passes over all of it.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowshot.core.types import Floats, Integers
from lowshot.errors import InputError

BLOCK = 1 << 18  # numbers in memory at a time: few enough for the cache of a processor
Matrix = NDArray[np.floating]
AnyArray = np.ndarray[Any, Any]


class Summary(NamedTuple):
    """Of each row: the column of its largest number, and log sum exp."""

    best: Integers
    total: Floats


def mapped(name: str, path: str | Path) -> AnyArray:
    """A .npy file as an array that is read only where it is used.

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
    """Rows, a few at a time."""
    rows = max(1, BLOCK // found.shape[1])
    for start in range(0, len(found), rows):
        yield slice(start, start + rows)


def column(found: Matrix, category: int) -> NDArray[np.float32]:
    """One column in memory."""
    values = np.empty(len(found), dtype=np.float32)
    for rows in blocks(found):
        values[rows] = found[rows, category]
    return values


def summary(name: str, path: str | Path) -> Summary:
    """Best column and log sum exp of each row; computed once for each file and process."""
    return _summary(name, str(path), stamp(path))


def stamp(path: str | Path) -> tuple[int, int]:
    """Changes when a file does: what is remembered of the file is then computed again."""
    found = Path(path).stat() if Path(path).exists() else None
    return (found.st_mtime_ns, found.st_size) if found else (0, 0)


@lru_cache(maxsize=8)
def _summary(name: str, path: str, changed: tuple[int, int]) -> Summary:
    found = matrix(name, path)
    best, total = np.empty(len(found), dtype=np.int64), np.empty(len(found))
    for rows in blocks(found):
        part = found[rows].astype(np.float32)
        _finite(name, path, part, rows.start)
        best[rows] = part.argmax(axis=1)
        top = part.max(axis=1)
        part -= top[:, None]
        total[rows] = top + np.log(np.exp(part, out=part).sum(axis=1, dtype=np.float64))
    best.flags.writeable = total.flags.writeable = False
    return Summary(best, total)


def _finite(name: str, path: str, part: Matrix, start: int) -> None:
    wrong = ~np.isfinite(part)
    if wrong.any():
        row, place = np.argwhere(wrong)[0].tolist()
        value = part[row, place]
        raise InputError(f"{name} must be finite: {path} has {value} in row {start + row}, column {place}")
