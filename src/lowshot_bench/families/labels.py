"""Labels of all classes: one whole number an item."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot_bench.families.matrix import AnyArray, mapped, stamp


def class_labels(path: Path, items: int, classes: int) -> Integers:
    """The labels in a .npy file, or in `y` of an .npz file; read once for each process."""
    return _labels(path, stamp(path), items, classes)


@lru_cache(maxsize=4)
def _labels(path: Path, changed: tuple[int, int], items: int, classes: int) -> Integers:
    found = _archived(path) if path.suffix == ".npz" else np.asarray(mapped("labels", path))
    return checked(found, items, classes)


def _archived(path: Path) -> AnyArray:
    try:
        with np.load(path) as stored:
            return np.asarray(stored["y"])
    except (OSError, KeyError, ValueError, EOFError) as error:
        raise InputError(f"labels must be an .npz file with an array y: {path} cannot be read ({error})") from None


def checked(labels: AnyArray, items: int, classes: int) -> Integers:
    """Whole numbers from 0, one an item.

    >>> checked(np.array([0, 3]), 2, 3)
    Traceback (most recent call last):
    lowshot.errors.InputError: labels must be classes from 0 to 2: 1 of 2 are not (first at position 1: 3)
    """
    if labels.dtype.kind not in "iu":
        raise InputError(f"labels must be whole numbers, one class an item: got {labels.dtype}")
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
