"""A model that was added to an evaluation later, from a file of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lowshot.cli.cells import read
from lowshot.cli.columns import FileColumns
from lowshot.cli.kept_paths import near, now
from lowshot.core.types import Integers
from lowshot.errors import InputError
from lowshot.pools.base import BasePool
from lowshot.words import counted


@dataclass(frozen=True)
class AddedModel:
    """Its name, the file that has its scores or predictions, and their columns.

    >>> added = AddedModel("v2", "/data/new.parquet", FileColumns(score="p", id="path"), threshold=0.4)
    >>> AddedModel.of(added.plain(Path("/data")), Path("/data")) == added
    True
    """

    name: str
    pool: str
    columns: FileColumns
    threshold: float | None = None

    def plain(self, folder: Path | None) -> dict[str, Any]:
        """As plain data, for a store in this folder."""
        return {**asdict(self), **near(folder, {"pool": self.pool})}

    @classmethod
    def of(cls, plain: Mapping[str, Any], folder: Path | None) -> "AddedModel":
        found = {**plain, **now(folder, plain)}
        return cls(found["name"], found["pool"], FileColumns.of(found["columns"]), found["threshold"])

    def in_order_of(self, pool: BasePool, option: str = "--pool") -> dict[str, Any]:
        """Scores, and a threshold or predictions, in the order of this pool: the arguments of `with_model`.

        option  names the file in messages
        """
        columns = self.columns
        found = read(self.pool, columns.all, option)
        ids = None if columns.ids is None else found[columns.ids]
        rows = self._rows(pool, ids, len(next(iter(found.values()))), option)
        return {
            "scores": None if columns.scores is None else found[columns.scores][rows],
            "threshold": self.threshold,
            "predictions": None if columns.predictions is None else found[columns.predictions][rows].tolist(),
        }

    def _rows(self, pool: BasePool, ids: list[Any] | None, count: int, option: str) -> Integers:
        """The row of the file for each item of the pool: by id, or without ids in the same order."""
        if ids is None:
            if count != len(pool):
                raise InputError(
                    f"{option} must hold one row for each item, {len(pool):,}: {self.pool} has {count:,}; give a file"
                    " with the rows of the pool"
                )
            return np.arange(count)
        items = [pool.id_of(str(item)) for item in ids]
        places = pool.find(items)
        self._refuse_others(pool, items, places, option)
        rows = np.empty(len(pool), dtype=np.int64)
        rows[np.array(places, dtype=np.int64)] = np.arange(len(pool))
        return rows

    def _refuse_others(self, pool: BasePool, items: Sequence[Any], places: Sequence[int | None], option: str) -> None:
        """The file must have every item of the pool once, and no others."""
        times = np.bincount([place for place in places if place is not None], minlength=len(pool))
        lacking, repeated = (pool.names(np.flatnonzero(which)) for which in (times == 0, times > 1))
        others = [item for item, place in zip(items, places, strict=True) if place is None]
        wrong = [
            f"{counted(len(found), thing)} {what} (for example {found[0]!r})"
            for found, thing, what in (
                (lacking, "item", "missing"),
                (others, "id", "not in the pool"),
                (repeated, "item", "more than once"),
            )
            if found
        ]
        if wrong:
            raise InputError(
                f"{option} must hold each of the {len(pool):,} items of the pool once: {self.pool} has"
                f" {', '.join(wrong)}; give a file with the same items, or name another column with --id"
            )
