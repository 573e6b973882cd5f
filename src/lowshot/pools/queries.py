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
from lowshot.pools.columns import ID, PREDICTION, SCORE, Chosen
from lowshot.pools.failing import failing
from lowshot.pools.mixed import MIX, literal, with_mix
from lowshot.ranked.engine import Facts, Histogram, Rows, Span
from lowshot.ranked.grid import Grid

MOST_LEVELS = 1_000_000
AT_ONCE = 200  # ids in one query


class Queries:
    """Rows of an Ibis table, wherever it is."""

    def __init__(self, table: Table, chosen: Chosen) -> None:
        self._chosen = chosen
        self._rows = chosen.rows(table)
        self.name = _backend(table)

    def facts(self) -> Facts:
        rows, score = self._rows, self._rows[SCORE]
        wanted = {
            "total": rows.count(),
            "scored": score.count(),
            "low": score.min(),
            "high": score.max(),
            "told": rows[PREDICTION].count(),
            "predicted": _count(rows[PREDICTION]),
        }
        contradicting = self._chosen.contradicting(rows)
        if contradicting is not None:
            wanted["contradicting"] = _count(contradicting)
        with failing("counting the rows"):
            found = rows.aggregate(**wanted).to_pyarrow().to_pylist()[0]
        self._refuse(found)
        numbered = bool(rows[ID].type().is_integer())
        return Facts(int(found["total"]), int(found["predicted"]), float(found["low"]), float(found["high"]), numbered)

    def _refuse(self, found: dict[str, Any]) -> None:
        """Rows that cannot be evaluated, counted and named."""
        total, advice = found["total"], "drop them with where=, or impute them"
        if not total:
            raise InputError("source must hold at least one item: it has none (that where= keeps)")
        missing = total - found["scored"]
        if missing:
            raise InputError(f"score must not be missing: {missing:,} of {total:,} are NULL; {advice}")
        if not np.isfinite([found["low"], found["high"]]).all():
            score = self._rows[SCORE]
            with failing("counting scores that are not finite"):
                wrong = self._rows.filter(score.isnan() | score.isinf()).count().to_pyarrow().as_py()
            raise InputError(f"score must be finite: {wrong:,} of {total:,} are not; {advice}")
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

    def histogram(self, grid: Grid) -> Histogram:
        score = self._rows[SCORE]
        if grid.kind == "distinct":
            bins = score
        else:
            bins = ((score.sqrt().sqrt() if grid.kind == "roots" else score) * grid.factor).floor().cast("float64")
        counted = self._rows.group_by(bins=bins, predictions=self._rows[PREDICTION]).aggregate(
            counts=self._rows.count()
        )
        with failing("counting items by score"):
            found = counted.limit(2 * MOST_LEVELS + 1).to_pyarrow()
        if found.num_rows > 2 * MOST_LEVELS:
            raise InputError(
                f"levels must be given: there are more than {MOST_LEVELS:,} different scores; try levels=256"
            )
        bins, flags, counts = (found[name].to_numpy() for name in ("bins", "predictions", "counts"))
        return Histogram(bins.astype(np.float64) + 0.0, flags.astype(np.bool_), counts.astype(np.int64))

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        rows = self._rows
        if any(span.start or span.below is not None for span in spans):
            rows = with_mix(rows, seed)
        wanted = rows.filter(reduce(or_, [_inside(rows, span) for span in spans]))
        with failing("fetching items"):
            return self._arrays(wanted.select(*self._rows.columns).to_pyarrow(), seed)

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        import pyarrow

        parts = [list(ids[at : at + AT_ONCE]) for at in range(0, len(ids), AT_ONCE)] or [[]]
        with failing("looking up items"):
            found = [self._rows.filter(self._rows[ID].isin(part)).to_pyarrow() for part in parts]
        return self._arrays(pyarrow.concat_tables(found), seed)

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        mixed, found = with_mix(self._rows, seed), []
        for at in range(0, len(rows), AT_ONCE):
            sums = {
                f"n{place}": _count(_earlier(mixed, rows, place, spans[place]))
                for place in range(at, min(at + AT_ONCE, len(rows)))
            }
            with failing("counting items before others"):
                counted = mixed.aggregate(**sums).to_pyarrow().to_pylist()[0]
            found += [int(counted[name]) for name in sums]
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
            {name: found[name] for name in self._chosen.show},
        )


def _count(condition: Any) -> Any:
    """Rows that fulfil it; not every engine takes a truth value for a number."""
    return ibis.ifelse(condition, 1, 0).sum()


def _inside(rows: Table, span: Span) -> Any:
    """Cheap conditions first: few rows are left for the mix."""
    parts = [rows[SCORE] >= span.low] if np.isfinite(span.low) else []
    parts += [rows[SCORE] < span.high] if np.isfinite(span.high) else []
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


def _backend(table: Table) -> str:
    try:
        return str(table.get_backend().name)
    except Exception:  # an unbound table has none
        return "unbound"
