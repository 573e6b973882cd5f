"""An engine that counts what it is asked, and fails where it is told to."""

from collections.abc import Sequence
from typing import Any

from lowshot.checks import Id
from lowshot.errors import PoolError
from lowshot.pools.engine import Engine, Facts, Histogram, Rows, Span
from lowshot.pools.grid import Grid


class Breaking:
    """Question number `breaks_at` (from 1) is not answered; asked once more, it is."""

    def __init__(self, engine: Engine, breaks_at: int | None = None) -> None:
        self.engine, self.breaks_at = engine, breaks_at
        self.asked: list[str] = []

    def _answer(self, question: str, *arguments: Any) -> Any:
        self.asked.append(question)
        if len(self.asked) == self.breaks_at:
            raise PoolError(f"the engine failed at {question}")
        return getattr(self.engine, question)(*arguments)

    def facts(self) -> Facts:
        found: Facts = self._answer("facts")
        return found

    def histogram(self, grid: Grid) -> Histogram:
        found: Histogram = self._answer("histogram", grid)
        return found

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        found: Rows = self._answer("rows", spans, seed)
        return found

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        found: Rows = self._answer("find", ids, seed)
        return found

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        found: list[int] = self._answer("before", rows, spans, seed)
        return found
