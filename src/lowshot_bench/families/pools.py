"""A folder of real pools of several kinds: `index.json` lists them, one file per data set holds labels and scores."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lowshot import checks
from lowshot.core.types import Flags, Scores
from lowshot.errors import InputError
from lowshot.pools.memory import Pool
from lowshot.pools.scale import Scale
from lowshot_bench.families.near_perfect import LEVELS, kept_items, levels_for
from lowshot_bench.families.pool_files import file_of, labels_and_scores
from lowshot_bench.families.pool_index import PoolEntry, halves_of, read_index
from lowshot_bench.families.task import Task, reason_to_exclude

HALVES = ("choosing", "reporting", "both")
MADE = 100_000  # the number of a pool that was made is that of the real pool plus MADE times the number of its level


class Counts(NamedTuple):
    """What is known about a real pool from all its labels."""

    positives: int
    predicted: int
    hits: int  # true positives

    @property
    def mistakes(self) -> int:
        return self.positives + self.predicted - 2 * self.hits


class PoolsFamily:
    """The pools of a folder, and near-perfect ones that are made from good ones by deleting mistakes.

        family = PoolsFamily("pools", half="reporting", kinds=["tabular"])
        task = family.load(0)              # the first pool of pools/index.json

    half    which data sets: "choosing", "reporting" or "both" (`lowshot_bench.halves`)
    kinds   only pools of these kinds; all if none are given
    points  only these operating points; "near", "nearer" and "perfect" are the pools that are made

    The family of a task is the kind of its pool, or "made near" and so on. Its class is the position in index.json.
    """

    name = "pools"

    def __init__(
        self, folder: str | Path, half: str = "reporting", kinds: Sequence[str] = (), points: Sequence[str] = ()
    ) -> None:
        self.folder = Path(folder)
        self.half = checks.choice("half", half, HALVES)
        self.kinds, self.points = tuple(kinds), tuple(points)

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}

    @property
    def fingerprint(self) -> str:
        """Changes when a file of the folder does: rows of other data must not be taken for rows of these."""
        files = sorted(path for path in self.folder.iterdir() if path.suffix in (".json", ".npz", ".parquet"))
        known = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        return hashlib.sha256(repr(known).encode()).hexdigest()[:16]

    def categories(self) -> list[int]:
        return [category for category in self._categories if category not in self.excluded()]

    def excluded(self) -> dict[int, str]:
        return self._reasons

    def entries(self) -> list[PoolEntry]:
        """The lines of index.json whose pools are chosen and can be evaluated; not the pools that are made."""
        return [self._index[category] for category in self.categories() if category < MADE]

    def not_run(self) -> str:
        """A line about data sets that are not run because they are in the other half; empty if there are none."""
        chosen = {entry.dataset for entry in self._chosen}
        there = {entry.dataset for entry in self._of_kinds}
        if chosen == there:
            return ""
        return (
            f"{self.folder}: {len(chosen)} of {len(there)} data sets are run, those of the half {self.half!r};"
            " --half both runs all of them"
        )

    def task_name(self, category: int) -> str:
        """dataset/model/point, with the level as a fourth part if the pool was made."""
        entry, level = self._entry(category)
        return f"{entry.name}/{level}" if level else entry.name

    def load(self, category: int) -> Task:
        """One pool as a task."""
        if category not in self._categories:
            raise InputError(f"category must be the number of a pool that was chosen: got {category!r}")
        entry, level = self._entry(category)
        labels, scores, predictions = self.columns(entry)
        scale = entry.scale or scale_of(scores)
        kept = kept_items(labels, predictions, level, entry.name) if level else None
        if kept is not None:
            labels, scores, predictions = labels[kept], scores[kept], predictions[kept]
        return Task(
            f"made {level}" if level else entry.kind,
            category,
            Pool(scores, predictions, scale=scale),
            labels,
            kept=kept,
            name=self.task_name(category),
            alike=self._alike[entry.dataset, level],
        )

    def columns(self, entry: PoolEntry) -> tuple[Flags, Scores, Flags]:
        """Labels, scores and predictions of a real pool."""
        labels, scores = labels_and_scores(file_of(self.folder, entry.dataset), entry.model)
        # In double precision, because a threshold that is rounded to float32 may pass another item.
        return labels, scores, scores.astype(np.float64) >= entry.threshold

    def _entry(self, category: int) -> tuple[PoolEntry, str]:
        """The real pool, and the level if mistakes are deleted from it."""
        level, number = divmod(category, MADE)
        return self._index[number], ("", *LEVELS)[level]

    @cached_property
    def _index(self) -> list[PoolEntry]:
        return read_index(self.folder)

    @property
    def _of_kinds(self) -> list[PoolEntry]:
        """The real pools of the chosen kinds, of both halves."""
        return [entry for entry in self._index if not self.kinds or entry.kind in self.kinds]

    @cached_property
    def _chosen(self) -> list[PoolEntry]:
        """The real pools of the chosen half and kinds, at all points."""
        _known("kinds (--kind)", self.kinds, {entry.kind for entry in self._index})
        _known("points (--point)", self.points, {entry.point for entry in self._index} | set(LEVELS))
        sides, found = halves_of(self._index), self._of_kinds
        chosen = [entry for entry in found if self.half in ("both", sides[entry.dataset])]
        if not chosen:
            other = ", ".join(dict.fromkeys(entry.dataset for entry in found))
            raise InputError(
                f"half must be one that has data sets: {self.half!r} has none here, because {other} are in the other"
                " half; use half 'both' (--half both)"
            )
        return chosen

    @cached_property
    def _counts(self) -> dict[int, Counts]:
        return {entry.number: self._count(entry) for entry in self._chosen}

    def _count(self, entry: PoolEntry) -> Counts:
        labels, _, predictions = self.columns(entry)
        return Counts(*(int(np.count_nonzero(flags)) for flags in (labels, predictions, labels & predictions)))

    @cached_property
    def _categories(self) -> list[int]:
        """The numbers of all chosen pools, also of those that cannot be evaluated: first the real ones."""
        real = [entry.number for entry in self._chosen if not self.points or entry.point in self.points]
        made = [
            number + MADE * place
            for place, level in enumerate(LEVELS, start=1)
            for number, counts in self._counts.items()
            if level in levels_for(counts.hits, counts.mistakes) and (not self.points or level in self.points)
        ]
        return real + made

    @cached_property
    def _reasons(self) -> dict[int, str]:
        reasons = {number: reason_to_exclude(*self._counts[number % MADE][:2]) for number in self._categories}
        return {number: words for number, words in reasons.items() if words}

    @cached_property
    def _alike(self) -> Counter[tuple[str, str]]:
        """The number of pools by data set and level."""
        pairs = (self._entry(category) for category in self.categories())
        return Counter((entry.dataset, level) for entry, level in pairs)


def scale_of(scores: Scores) -> Scale:
    """The scale that is assumed if index.json has none: samplers that need probabilities refuse a pool without it.

    >>> scale_of(np.array([0.0, 1.0])), scale_of(np.array([0.0, 7.5]))
    ('probability', 'logit')
    """
    return "probability" if scores.min() >= 0 and scores.max() <= 1 else "logit"


def _known(name: str, wanted: Iterable[str], there: set[str]) -> None:
    unknown = [word for word in wanted if word not in there]
    if unknown:
        raise InputError(f"{name} must be among {', '.join(sorted(there))}: got {', '.join(map(repr, unknown))}")


class OverPools:
    """A family whose tasks are made from those of a `PoolsFamily`. What is derived is not sent to other processes."""

    pools: PoolsFamily

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}

    @property
    def fingerprint(self) -> str:
        return self.pools.fingerprint

    def not_run(self) -> str:
        return self.pools.not_run()
