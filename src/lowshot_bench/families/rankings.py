"""Rankings, each once: what is asked about all thresholds does not depend on the one that a model uses today."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from lowshot import checks
from lowshot.errors import InputError
from lowshot_bench.families.image_models import PARITY
from lowshot_bench.families.pools import HALVES, OverPools, PoolsFamily
from lowshot_bench.families.real import RealFamily
from lowshot_bench.families.task import Task

PREFERRED = ("half", "even")  # of several operating points of one model these, else the first one of index.json


class PoolRankings(OverPools):
    """Each model of each data set of a folder of pools (`PoolsFamily`), at one of its operating points.

        family = PoolRankings("pools", half="choosing")
        task = family.load(family.categories()[0])

    half, kinds and points are those of `PoolsFamily`. Pools that are made from others are left out.
    """

    name = "pool rankings"

    def __init__(
        self, folder: str | Path, half: str = "reporting", kinds: Sequence[str] = (), points: Sequence[str] = ()
    ) -> None:
        self.pools = PoolsFamily(folder, half, kinds, points)

    def categories(self) -> list[int]:
        return list(self._datasets)

    def excluded(self) -> dict[int, str]:
        return self.pools.excluded()

    def group_of(self, category: int) -> str:
        """The data set."""
        return self._datasets[category]

    def task_name(self, category: int) -> str:
        return self.pools.task_name(category)

    def load(self, category: int) -> Task:
        """One ranking as a task."""
        return replace(self.pools.load(category), alike=self._alike[self.group_of(category)])

    @cached_property
    def _datasets(self) -> dict[int, str]:
        """The data set of each ranking that is taken, by the number of its pool."""
        entries = sorted(self.pools.entries(), key=lambda entry: _place(entry.point))  # stable
        first = {(entry.dataset, entry.model): entry for entry in reversed(entries)}
        return {entry.number: entry.dataset for entry in sorted(first.values(), key=lambda entry: entry.number)}

    @cached_property
    def _alike(self) -> Counter[str]:
        return Counter(self._datasets.values())


def _place(point: str) -> int:
    """
    >>> sorted(["screen", "even", "few", "half"], key=_place)
    ['half', 'even', 'screen', 'few']
    """
    return PREFERRED.index(point) if point in PREFERRED else len(PREFERRED)


class ImageRankings:
    """Each class of one image model of `RealFamily`; all of them are one group.

        family = ImageRankings("scores", "simclr", thinned=True)
        task = family.load(7)

    half    "choosing": even classes, "reporting": odd ones, or "both"
    """

    name = "image rankings"

    def __init__(self, folder: str | Path, model: str, thinned: bool = True, half: str = "reporting") -> None:
        self.classes = RealFamily(folder, model, thinned)
        self.half = checks.choice("half", half, HALVES)

    def categories(self) -> list[int]:
        return [category for category in self.classes.categories() if self._wanted(category)]

    def excluded(self) -> dict[int, str]:
        return {category: why for category, why in self.classes.excluded().items() if self._wanted(category)}

    def _wanted(self, category: int) -> bool:
        return category % 2 in PARITY[self.half]

    def group_of(self, category: int) -> str:
        """The model, and whether the positives are thinned: the first part of the task's name."""
        return f"{self.classes.model} thinned" if self.classes.thinned else self.classes.model

    def task_name(self, category: int) -> str:
        thinned = "thinned" if self.classes.thinned else "all"
        return f"{self.group_of(category)}/class {category}/{thinned}"

    def load(self, category: int) -> Task:
        """One class as a task."""
        if not self._wanted(category):
            raise InputError(f"category must be a class of the half {self.half!r}: got {category!r}")
        name, alike = self.task_name(category), len(self.categories())
        return replace(self.classes.load(category), family="images", name=name, alike=alike)
