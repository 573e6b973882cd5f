"""Pools in slices: ten at random, and ten that differ because another model sees their items differently."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lowshot.core.types import Floats, Integers
from lowshot_bench.families.pool_models import PoolModels
from lowshot_bench.families.real import RealFamily
from lowshot_bench.families.score_files import row_summary
from lowshot_bench.families.task import Task

SLICES = 10
RANDOM, DIFFERENT = "random", "different"
SEED = 2026  # chooses the slices; part of the data, independent of a run's seed


class ImageSlices:
    """Each class of an image model of `RealFamily`, with all its positives.

        family = ImageSlices("scores", "simclr", by="byol")
        task = family.load(7)
        task.slices                      # {"random": [...], "different": [...]}: from 0 to 9 for each item

    by   another model of the folder: its best class decides the slice of an item. The classes are dealt into ten
         groups at random, for each task anew. One of them has the class of the task itself, where both models agree.
    """

    name = "image slices"

    def __init__(self, folder: str | Path, model: str, by: str) -> None:
        self.classes, self.by = RealFamily(folder, model, thinned=False, others=(by,)), by

    def categories(self) -> list[int]:
        return self.classes.categories()

    def excluded(self) -> dict[int, str]:
        return self.classes.excluded()

    def group_of(self, category: int) -> str:
        """The models: the first part of the task's name."""
        return f"{self.classes.model} by {self.by}"

    def task_name(self, category: int) -> str:
        return f"{self.group_of(category)}/class {category}/all"

    def load(self, category: int) -> Task:
        """One class as a task."""
        task, random = self.classes.load(category), np.random.default_rng([SEED, category])
        best = row_summary("scores", self.classes.folder / f"{self.by}.npy").best
        dealt = random.permutation(int(best.max()) + 1) % SLICES
        slices = {RANDOM: random.integers(0, SLICES, len(task.labels)), DIFFERENT: dealt[best]}
        name, alike = self.task_name(category), len(self.categories())
        return replace(task, family="images", name=name, alike=alike, slices=slices)


class PoolSlices(PoolModels):
    """Ordered pairs of models of one data set of a folder of pools: the first is judged, the second slices.

        family = PoolSlices("pools", half="choosing")

    The slices that differ are ten of equal size along the scores of the second model, so most positives are in one.
    half, kinds and points are those of `PoolsFamily`.
    """

    name = "pool slices"

    def __init__(
        self, folder: str | Path, half: str = "reporting", kinds: Sequence[str] = (), points: Sequence[str] = ()
    ) -> None:
        super().__init__(folder, "ordered", half, kinds, points)

    def load(self, category: int) -> Task:
        """One pair of models as a task."""
        task, random = super().load(category), np.random.default_rng([SEED, category])
        second = list(task.models.values())[1]
        scores = np.asarray(second.scores, dtype=np.float64)
        slices = {RANDOM: random.integers(0, SLICES, len(task.labels)), DIFFERENT: tenths(scores)}
        return replace(task, slices=slices)


def tenths(scores: Floats) -> Integers:
    """Which tenth of the ranking each item is in; ties are ordered by position.

    >>> tenths(np.linspace(1, 0, 20))[:5].tolist()
    [0, 0, 1, 1, 2]
    """
    rank = np.empty(len(scores), dtype=np.int64)
    rank[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return rank * SLICES // len(scores)
