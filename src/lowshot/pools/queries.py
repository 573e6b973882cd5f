"""The questions of a pool as queries of Ibis: one code path for every engine."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import Table

from lowshot.checks import Id
from lowshot.core.mix import mix_integers, mix_texts
from lowshot.errors import InputError
from lowshot.pools.columns import ID, PREDICTION, SCORE, Chosen, double
from lowshot.pools.failing import answered
from lowshot.pools.mixed import MIX, literal, with_mix
from lowshot.ranked.engine import Facts, Histogram, Rows, Span
from lowshot.ranked.grid import Grid

MOST_LEVELS = 1_000_000
AT_ONCE = 200  # ids in one query
LARGEST = float(np.finfo(np.float64).max)


class Queries:
    """Rows of an Ibis table, wherever it is.

    Each question is written by one method and asked by another: what is written can be read without an engine.
    """

    def __init__(self, table: Table, chosen: Chosen, dialect: str | None = None) -> None:
        self._chosen = chosen
        self._rows = chosen.rows(table)
        self.dialect = dialect or str(table.get_backend().name)

    def counts(self) -> Table:
        rows, score = self._rows, self._rows[SCORE]
        wanted = {
            "total": rows.count(),
            "scored": score.count(),
            "infinite": _count(~score.between(-LARGEST, LARGEST)),  # NaN too, whatever an engine thinks of it
            "low": score.min(),
            "high": score.max(),
            "told": rows[PREDICTION].count(),
            "predicted": rows.count(where=rows[PREDICTION]),
        }
        contradicting = self._chosen.contradicting(rows)
        if contradicting is not None:
            wanted["contradicting"] = _count(contradicting)
        return rows.aggregate(**wanted)

    def facts(self) -> Facts:
        found = answered("counting the rows", self.counts()).to_pylist()[0]
        self._refuse(found)
        numbered = bool(self._rows[ID].type().is_integer())
        low, high = float(found["low"]) + 0.0, float(found["high"]) + 0.0  # -0.0 is 0.0
        return Facts(int(found["total"]), int(found["predicted"]), low, high, numbered)

    def _refuse(self, found: dict[str, Any]) -> None:
        """Rows that cannot be evaluated, counted and named."""
        total, advice = found["total"], "drop them with where=, or impute them"
        if not total:
            raise InputError("source must hold at least one item: it has none (that where= keeps)")
        missing = total - found["scored"]
        if missing:
            raise InputError(f"score must not be missing: {missing:,} of {total:,} are NULL; {advice}")
        if found["infinite"]:
            raise InputError(f"score must be finite: {found['infinite']:,} of {total:,} are not; {advice}")
        if found["told"] != total:
            raise InputError(
                f"prediction must be 0 or 1: {total - found['told']:,} of {total:,} are not;"
                " drop them with where=, or use threshold="
            )
        if found.get("contradicting"):
            raise InputError(
                f"prediction must be what threshold makes of the score where both are given: {found['contradicting']:,}"
                f" of {total:,} are not; leave out one of them"
            )

    def binned(self, grid: Grid) -> Table:
        score = self._rows[SCORE]
        if grid.kind == "distinct":
            bins = score
        else:
            bins = ((score.sqrt().sqrt() if grid.kind == "roots" else score) * grid.factor).floor()
        counted = self._rows.group_by(bins=bins).aggregate(  # one key is faster than two
            counts=self._rows.count(), predicted=self._rows.count(where=self._rows[PREDICTION])
        )
        return counted.limit(MOST_LEVELS + 1)

    def histogram(self, grid: Grid) -> Histogram:
        found = answered("counting items by score", self.binned(grid))
        if found.num_rows > MOST_LEVELS:
            raise InputError(
                f"levels must be given: there are more than {MOST_LEVELS:,} different scores; try levels=256"
            )
        counts, predicted = (found[name].to_numpy().astype(np.int64) for name in ("counts", "predicted"))
        bins = np.tile(found["bins"].to_numpy().astype(np.float64) + 0.0, 2)
        both, flags = np.concatenate([predicted, counts - predicted]), np.repeat([True, False], len(counts))
        there = both > 0
        return Histogram(bins[there], flags[there], both[there])

    def inside(self, spans: Sequence[Span], seed: int) -> Table:
        rows = self._rows
        if any(span.start or span.below is not None for span in spans):
            rows = with_mix(rows, seed, self.dialect)
        return rows.filter(_within(rows, spans)).select(*self._rows.columns)

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        return self._arrays(answered("fetching items", self.inside(spans, seed)), seed)

    def named(self, ids: Sequence[Id]) -> Table:
        return self._rows.filter(self._rows[ID].isin(ids))

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        import pyarrow

        ids = [item for item in ids if isinstance(item, int) or _writable(item)]
        parts = [list(ids[at : at + AT_ONCE]) for at in range(0, len(ids), AT_ONCE)] or [[]]
        found = [answered("looking up items", self.named(part)) for part in parts]
        return self._arrays(pyarrow.concat_tables(found), seed)

    def earlier(self, rows: Rows, spans: Sequence[Span], seed: int) -> Table:
        mixed = with_mix(self._rows, seed, self.dialect)
        sums = {f"n{place}": _count(_earlier(mixed, rows, place, span)) for place, span in enumerate(spans)}
        return mixed.aggregate(**sums)

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        found: list[int] = []
        for at in range(0, len(rows), AT_ONCE):
            part = rows.take(np.arange(at, min(at + AT_ONCE, len(rows))))
            query = self.earlier(part, spans[at : at + AT_ONCE], seed)
            found += map(int, answered("counting items before others", query).to_pylist()[0].values())
        return found

    def _arrays(self, found: Any, seed: int) -> Rows:
        """Arrow into NumPy; the mix of these few is computed here."""
        numbered = bool(self._rows[ID].type().is_integer())
        missing = found[ID].null_count
        if missing:
            raise InputError(f"id must not be missing: {missing:,} of the {found.num_rows:,} rows fetched are NULL")
        ids = found[ID].to_numpy().astype(np.int64) if numbered else np.array(found[ID].to_pylist(), dtype=object)
        return Rows(
            ids,
            found[SCORE].to_numpy().astype(np.float64) + 0.0,
            found[PREDICTION].to_numpy().astype(np.bool_),
            mix_integers(ids, seed) if numbered else mix_texts(ids.tolist(), seed),
            {name: found[name].to_pylist() for name in self._chosen.show},
        )


def _writable(text: str) -> bool:
    """Half of a pair of surrogates is a text for Python, and for no engine."""
    return text.isascii() or text.encode(errors="ignore").decode() == text


def _count(condition: Any) -> Any:
    """Rows that fulfil it; not every engine takes a truth value for a number."""
    return ibis.ifelse(condition, 1, 0).sum()


def _within(rows: Table, spans: Sequence[Span]) -> Any:
    """Whether an item is in any of them. The highest limit of the mix goes first: it leaves few rows for the rest."""
    limits = [span.below for span in spans if span.below is not None]
    whole = [_inside(rows, span) for span in spans if span.below is None]
    if not limits:
        return reduce(or_, whole)
    limited = reduce(or_, [_inside(rows, span) for span in spans if span.below is not None])
    return reduce(or_, [*whole, (rows[MIX] < literal(rows, max(limits))) & limited])


def _inside(rows: Table, span: Span) -> Any:
    """Cheap conditions first: few rows are left for the mix."""
    parts = [rows[SCORE] >= double(span.low)] if np.isfinite(span.low) else []
    parts += [rows[SCORE] < double(span.high)] if np.isfinite(span.high) else []
    parts += [rows[MIX] >= literal(rows, span.start)] if span.start else []
    parts += [rows[MIX] < literal(rows, span.below)] if span.below is not None else []
    return reduce(lambda one, two: one & two, parts)


def _earlier(rows: Table, found: Rows, place: int, span: Span) -> Any:
    """Whether an item is in the same span and has the same prediction, and comes before."""
    mix, name = literal(rows, int(found.mixes[place])), found.ids[place]
    mine = _inside(rows, span) & (rows[PREDICTION] == bool(found.predictions[place]))
    if not rows[ID].type().is_integer():
        return mine & (rows[MIX] < mix)
    return mine & ((rows[MIX] < mix) | ((rows[MIX] == mix) & (rows[ID] < int(name))))
