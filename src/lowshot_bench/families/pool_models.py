"""Several models of one data set of a folder of pools: tasks about pairs of models, or about larger sets."""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, groupby, permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lowshot import checks
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot_bench.families.pool_index import PoolEntry
from lowshot_bench.families.pools import OverPools, PoolsFamily
from lowshot_bench.families.task import IDENTICAL, Model, Task, identical

SETS = ("pairs", "ordered", "candidates")
NUMBER = 20_000  # the number of a pair is that of its first pool times NUMBER, plus that of its second pool
SEED = 2025  # chooses the sets of candidates; part of the data, independent of a run's seed
SIZES = (5, 6, 7, 8, 9)  # of the sets of candidates


class Chosen(NamedTuple):
    """The pools of one task."""

    category: int
    entries: tuple[PoolEntry, ...]
    what: str  # the second and third part of the task's name


class PoolModels(OverPools):
    """Sets of models of one data set of a folder of pools (`PoolsFamily`).

        family = PoolModels("pools", sets="pairs", half="choosing")
        task = family.load(family.categories()[0])
        task.models                      # {"lr": Model(...), "rf": Model(...)}

    sets         "pairs": every two models of a data set at the same operating point
                 "ordered": the same, in both orders
                 "candidates": `most_sets` sets of 5 to 9 pools per data set, models at any operating points
    seconds      only pairs whose second model is one of these
    not_seconds  only pairs whose second model is none of these
    role         what the tasks are for, if they are reported apart from others; a prefix of the task's family

    half, kinds and points are those of `PoolsFamily`.
    """

    name = "pool models"

    def __init__(
        self,
        folder: str | Path,
        sets: str = "pairs",
        half: str = "reporting",
        kinds: Sequence[str] = (),
        points: Sequence[str] = (),
        seconds: Sequence[str] = (),
        not_seconds: Sequence[str] = (),
        most_sets: int = 20,
        role: str = "",
    ) -> None:
        self.pools = PoolsFamily(folder, half, kinds, points)
        self.sets = checks.choice("sets", sets, SETS)
        self.seconds, self.not_seconds, self.role = tuple(seconds), tuple(not_seconds), role
        self.most_sets = checks.whole_number("most_sets", most_sets, 1, NUMBER)

    def categories(self) -> list[int]:
        return [category for category in self._chosen if category not in self._reasons]

    def excluded(self) -> dict[int, str]:
        return dict(self._reasons)

    def group_of(self, category: int) -> str:
        """The data set."""
        return self._chosen[category].entries[0].dataset

    def task_name(self, category: int) -> str:
        return f"{self.group_of(category)}/{self._chosen[category].what}"

    def load(self, category: int) -> Task:
        """One set of models as a task."""
        if category not in self._chosen:
            raise InputError(f"category must be the number of a task that was chosen: got {category!r}")
        entries = self._chosen[category].entries
        labels, scores, predictions = self.pools.columns(entries[0])
        return Task(
            f"{self.role} {entries[0].kind}".strip(),
            category,
            Pool(scores, predictions),
            labels,
            name=self.task_name(category),
            alike=self._alike[self.group_of(category)],
            models={self._shown(entry): Model(*self.pools.columns(entry)[1:]) for entry in entries},
        )

    def _shown(self, entry: PoolEntry) -> str:
        return f"{entry.model} {entry.point}" if self.sets == "candidates" else entry.model

    @cached_property
    def _chosen(self) -> dict[int, Chosen]:
        """The tasks by their numbers, also those that cannot be evaluated."""
        by_dataset = sorted(self.pools.entries(), key=lambda entry: entry.dataset)
        found = [
            chosen
            for _, entries in groupby(by_dataset, key=lambda entry: entry.dataset)
            for chosen in (self._candidates if self.sets == "candidates" else self._pairs)(list(entries))
        ]
        return {chosen.category: chosen for chosen in found}

    def _pairs(self, entries: list[PoolEntry]) -> Iterator[Chosen]:
        together = permutations if self.sets == "ordered" else combinations
        for first, second in together(entries, 2):
            wanted = not self.seconds or second.model in self.seconds
            if first.point == second.point and wanted and second.model not in self.not_seconds:
                number = first.number * NUMBER + second.number
                yield Chosen(number, (first, second), f"{first.model} {second.model}/{first.point}")

    def _candidates(self, entries: list[PoolEntry]) -> Iterator[Chosen]:
        """Sets that differ from each other; all pools of the data set if there are not more than the least size."""
        seen: set[tuple[int, ...]] = set()
        for number in range(self.most_sets if len(entries) >= SIZES[0] else 0):
            random = np.random.default_rng([SEED, zlib.crc32(entries[0].dataset.encode()), number])
            size = min(SIZES[number % len(SIZES)], len(entries))
            places = tuple(sorted(random.choice(len(entries), size, replace=False).tolist()))
            if places not in seen:
                seen.add(places)
                chosen = tuple(entries[place] for place in places)
                yield Chosen(entries[0].number * NUMBER + number, chosen, f"set {number}/{size} candidates")

    @cached_property
    def _reasons(self) -> dict[int, str]:
        """The pools of a set are never without positives or predictions; two may predict the same."""
        predictions = {entry.number: self.pools.columns(entry)[2] for entry in self.pools.entries()}
        return {
            category: IDENTICAL
            for category, chosen in self._chosen.items()
            if identical(predictions[entry.number] for entry in chosen.entries)
        }

    @cached_property
    def _alike(self) -> Counter[str]:
        return Counter(self.group_of(category) for category in self.categories())
