"""Every kind of pool passes the contract: in memory, in memory with levels, grouped, opened from a table."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lowshot import Pool
from lowshot.checks import Id
from lowshot.core.types import Flags, Floats, Integers
from lowshot.pools import BasePool, GroupedPool
from lowshot.pools.base import CanDraw
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.memory import MemoryView
from lowshot.testing import PoolContract

from .places import Place, table


class TestPool(PoolContract):
    def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
        return Pool(scores, predictions, ids=ids, scale="probability")


class TestPoolWithFeatures(PoolContract):
    """Herding needs features, and nothing else does."""

    def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
        return Pool(scores, predictions, ids=ids, features=np.stack([scores, scores**2], axis=1))


class TestPoolOfSinglePrecision(PoolContract):
    def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
        return Pool(scores.astype(np.float32), predictions, ids=ids)


class TestPoolWithLevels(PoolContract):
    def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
        return Pool(scores, predictions, ids=ids, levels=5, head=10, scale="probability")


class TestGroupedPool(PoolContract):
    levels: int | None = 5
    head = 10

    def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
        names = np.array(ids, dtype=np.int64 if isinstance(ids[0], int) else object)
        engine = ArrayEngine(names, scores, predictions)
        return GroupedPool(engine, head=self.head, levels=self.levels, scale="probability")


class TestGroupedPoolWithALevelPerScore(TestGroupedPool):
    levels = None


class TestGroupedPoolWithOneLevel(TestGroupedPool):
    levels, head = 1, 1


class TestGroupedPoolThatIsAllHead(TestGroupedPool):
    head = 1000


class TestDuckDB(PoolContract):
    kind = "duckdb"  # Arrow tables are read by DuckDB, too

    @pytest.fixture(autouse=True)
    def place_for_rows(self, at: Callable[[str], Place]) -> None:
        self.place = at(self.kind)

    def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
        return self.place.open(
            table(ids, scores, predictions),
            prediction="predicted",
            show=["score"],
            scale="probability",
            head=10,
            levels=5,
        )


class TestSQLite(TestDuckDB):
    kind = "sqlite"


class Misplaced(Pool):
    """Says that an unknown item is the first one."""

    def find(self, items: Sequence[Any]) -> list[int | None]:
        return [place or 0 for place in super().find(items)]


class Forgetful(Pool):
    """Forgets the predictions in its fingerprint."""

    @property
    def fingerprint(self) -> str:  # type: ignore[override]
        return Pool(self.scores, np.zeros(len(self)), ids=self.ids).fingerprint


class Shifted(Pool):
    """Ranks an item one place too low."""

    def view(self, model: str | None = None) -> MemoryView:
        if 0 not in self._views:
            self._views[0] = ShiftedView(self.scores, self.predictions, self._rows)
        return self._views[0]


class ShiftedView(MemoryView):
    def midrank(self, positions: Integers) -> Floats:
        return super().midrank(positions) - 1

    def unreachable(self, can_draw: CanDraw, labelled: Integers) -> tuple[int, float]:
        return super().unreachable(can_draw, labelled[:0])

    def rank(self, positions: Integers) -> Integers:
        return super().rank(positions)[::-1]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Misplaced, "test_what_is_not_in_the_pool_is_not_found"),
        (Forgetful, "test_the_fingerprint_is_that_of_the_items"),
        (Shifted, "test_facts"),
        (Shifted, "test_unreachable_are_predicted_positives_that_cannot_be_drawn"),
        (Shifted, "test_rank_is_the_order_of_the_listing"),
    ],
)
def test_a_pool_that_breaks_a_promise_fails(kind: type[Pool], name: str) -> None:
    class Contract(PoolContract):
        def make(self, ids: list[Id], scores: Floats, predictions: Flags) -> BasePool:
            return kind(scores, predictions, ids=ids, scale="probability")

    with pytest.raises(AssertionError):
        getattr(Contract(), name)()
