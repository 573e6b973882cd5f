"""The data of the demo: six categories, each scored by one classifier on the same 55,084 images."""

from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowshot import tasks
from lowshot.core.types import Flags
from lowshot.errors import InputError
from lowshot.pools.memory import Pool

CATEGORIES = {83: 5, 181: 25, 7: 50, 135: 75, 193: 90, 109: 97}  # class: per cent of the odd classes with a lower F1
DEFAULT = 7  # the class with the median F1
ITEMS = 55_084  # images in the file
SEED = 2021  # chooses the positives that stay; fixed, so that every run has the same pool


class StoredColumns(NamedTuple):
    """One value per image: score, prediction, label."""

    scores: NDArray[np.float16]
    predictions: Flags
    labels: Flags


@dataclass(frozen=True, eq=False)
class Task(tasks.Task):
    """A category to evaluate, and the labels that the simulated annotator knows.

    >>> task = load(109)
    >>> task.pool, task.positives
    (Pool(54,861 items, 122 predicted positive), 55)
    >>> task.answer([0, 1, 2])
    [0, 0, 0]
    """

    category: int


def load(category: int = DEFAULT, *, all_positives: bool = False) -> Task:
    """One category as a task, with one positive in 1,000 items unless `all_positives`.

    >>> load(7).positives, load(7, all_positives=True).positives
    (55, 276)
    """
    columns = read(category)
    kept = np.ones(ITEMS, dtype=np.bool_) if all_positives else tasks.thin(columns.labels, SEED)
    pool = Pool(columns.scores[kept], columns.predictions[kept], scale="log")
    return Task(pool, columns.labels[kept], category)


def read(category: int) -> StoredColumns:
    """The columns of a category as stored, with all images."""
    if category not in CATEGORIES:
        raise InputError(f"category must be one of {', '.join(map(str, CATEGORIES))}: got {category!r}")
    with files("lowshot.demo").joinpath("data", "tinyimagenet.npz").open("rb") as file, np.load(file) as stored:
        row = stored["category"].tolist().index(category)
        return StoredColumns(stored["scores"][row], _bits(stored["predictions"][row]), _bits(stored["labels"][row]))


def _bits(packed: NDArray[np.uint8]) -> Flags:
    return np.unpackbits(packed, count=ITEMS).astype(np.bool_)
