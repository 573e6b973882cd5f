"""Every kind of pool with several scores passes the contract: in memory, with levels, grouped, opened from a table."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

from lowshot import Pool, open_pool
from lowshot.checks import Id
from lowshot.core.types import Flags, Floats
from lowshot.pools import BasePool
from lowshot.pools.arrangement import Names
from lowshot.pools.grouped_scores import GroupedScores
from lowshot.pools.scores_engine import ArrayScores
from lowshot.testing import ScoresContract
from lowshot.testing.scores_contract import ScoresColumns

from .places import Place

Columns = dict[str, Floats]


def scores_table(ids: Any, scores: Columns, predictions: dict[str, Flags], helpers: Columns) -> pa.Table:
    """A column for each score and each prediction; a missing value of a helper is NULL."""
    told = {f"{name} says": pa.array(flags) for name, flags in predictions.items()}
    extra = {name: pa.array(values, from_pandas=True) for name, values in helpers.items()}
    return pa.table({"id": pa.array(ids), **{name: pa.array(each) for name, each in scores.items()}, **told, **extra})


class TestPool(ScoresContract):
    def make(self, ids: list[Id], scores: Columns, predictions: dict[str, Flags], helpers: Columns) -> BasePool:
        return Pool(scores, predictions, helpers=helpers, ids=ids)


class TestPoolWithLevels(ScoresContract):
    def make(self, ids: list[Id], scores: Columns, predictions: dict[str, Flags], helpers: Columns) -> BasePool:
        return Pool(scores, predictions, helpers=helpers, ids=ids, levels=5, head=40)


class TestGroupedScores(ScoresContract):
    levels: int | None = 5
    head = 40

    def make(self, ids: list[Id], scores: Columns, predictions: dict[str, Flags], helpers: Columns) -> BasePool:
        names = np.array(ids, dtype=np.int64 if isinstance(ids[0], int) else object)
        patterns = sum(flags * 2**place for place, flags in enumerate(list(predictions.values())[::-1]))
        engine = ArrayScores(names, {**scores, **helpers}, np.asarray(patterns, dtype=np.int64))
        roles = Names({name: name for name in scores}, tuple(helpers))
        return GroupedScores(engine, roles, head=self.head, levels=self.levels)


class TestALevelPerScore(TestGroupedScores):
    levels = None


class TestAllOfItIsHead(TestGroupedScores):
    head = 1000


class TestOneLevelAndASmallReserve(TestGroupedScores):
    """Items are fetched in several queries."""

    levels, head = 1, 8

    @pytest.fixture(autouse=True)
    def _small_reserve(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lowshot.pools.grouped_scores.LEAST_RESERVE", 1)
        monkeypatch.setattr("lowshot.pools.layout.RESERVE", 2)
        monkeypatch.setattr("lowshot.pools.catalogue.MORE", 2)


@pytest.mark.xdist_group("scores in databases")  # so that one process opens the pools of the contract
class TestDuckDB(ScoresContract):
    kind = "duckdb"  # Arrow tables are read by DuckDB, too
    opened: ClassVar[dict[str, list[tuple[ScoresColumns, BasePool]]]] = {}  # by kind; tests only read them

    def cases(self) -> Iterator[tuple[ScoresColumns, BasePool]]:
        """Most of the time goes to writing queries, so the tests share the pools."""
        if self.kind not in self.opened:
            self.opened[self.kind] = list(super().cases())
        yield from self.opened[self.kind]

    @pytest.fixture(autouse=True)
    def place_for_rows(self, at: Callable[[str], Place]) -> None:
        self.place = at(self.kind)

    def make(self, ids: list[Id], scores: Columns, predictions: dict[str, Flags], helpers: Columns) -> BasePool:
        return open_pool(
            **self.place.put(scores_table(ids, scores, predictions, helpers)),
            id="id",
            score={name: name for name in scores},
            prediction={name: f"{name} says" for name in predictions},
            helpers=list(helpers),
            show=["v1"],
            head=40,
            levels=5,
        )


@pytest.mark.slow
class TestSQLite(TestDuckDB):
    kind = "sqlite"
