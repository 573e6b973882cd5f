"""The questions of a grouped pool as Ibis queries: one code path for every engine."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Any

import ibis
import numpy as np
from ibis.expr.types import Table

from lowshot.checks import Id
from lowshot.core.drawing import DIGITS, FIRST, SECOND, WORD, mix_integers, mix_texts, salts
from lowshot.errors import InputError, PoolError
from lowshot.pools.engine import Facts, Histogram, Rows, Span
from lowshot.pools.failures import answered
from lowshot.pools.grid import Grid
from lowshot.pools.ibis_columns import ID, PREDICTION, SCORE, Chosen, double, finite

MIX = "lowshot_mix"
MOST_LEVELS = 1_000_000  # rows of a histogram that are fetched; with more, scores have to be grouped
ADVICE = "drop them with where=, or impute them"
AT_ONCE = 200  # ids in one query: engines limit the length of a query


class IbisEngine:
    """Rows of an Ibis table, in any engine.

    One method builds the query of each question and another one runs it, so that tests can read the SQL of engines that
    are not installed.
    """

    def __init__(self, table: Table, chosen: Chosen, dialect: str | None = None) -> None:
        self._chosen, self._table = chosen, table
        self._rows = chosen.rows(table)
        self.dialect = dialect or str(table.get_backend().name)

    def counts(self) -> Table:
        """Counts and limits of the scores. DuckDB takes those of Parquet files from their metadata."""
        rows, score = self._rows, self._rows[SCORE]
        return rows.aggregate(total=rows.count(), scored=score.count(), low=score.min(), high=score.max())

    def facts(self) -> Facts:
        found = answered("counting the rows", self.counts()).to_pylist()[0]
        total, missing = found["total"], found["total"] - found["scored"]
        if not total:
            raise InputError("source must hold at least one item: it has none (that where= keeps)")
        if missing:
            raise InputError(f"score must not be missing: {missing:,} of {total:,} are NULL; {ADVICE}")
        # + 0.0 turns -0.0 into 0.0; Ibis gives None where Spark gives NaN
        low, high = (np.nan if found[name] is None else float(found[name]) + 0.0 for name in ("low", "high"))
        if not np.isfinite([low, high]).all():
            self._refuse_infinite()
        numbered = bool(self._rows[ID].type().is_integer())
        return Facts(int(total), low, high, numbered)

    def infinite(self) -> Table:
        """How many scores are infinite or NaN."""
        return not_finite(self._rows, SCORE)

    def _refuse_infinite(self) -> None:
        refuse_infinite("score", self.infinite())

    def binned(self, grid: Grid) -> Table:
        rows, score = self._rows, self._rows[SCORE]
        wanted = {
            "counts": rows.count(),
            "predicted": rows.count(where=rows[PREDICTION]).fill_null(0),
        }  # NULL if the group has no rows
        if self._chosen.prediction is not None:
            wanted["told"] = rows[PREDICTION].count()
        contradicting = self._chosen.contradicting(self._table, rows)
        if contradicting is not None:
            wanted["contradicting"] = count_of(contradicting)
        return (
            rows.group_by(bins=bin_of(score, grid)).aggregate(**wanted).limit(MOST_LEVELS + 1)
        )  # grouping by one key is faster than by two

    def histogram(self, grid: Grid) -> Histogram:
        with refusing(self._refuse_infinite):
            found = answered("counting items by score", self.binned(grid))
        if found.num_rows > MOST_LEVELS:
            raise InputError(
                f"levels must be given: there are more than {MOST_LEVELS:,} different scores; try levels=256"
            )
        columns = {name: found[name].to_numpy().astype(np.int64) for name in found.column_names if name != "bins"}
        bins = found["bins"].to_numpy().astype(np.float64) + 0.0
        counts, predicted = columns["counts"], columns["predicted"]
        if not np.isfinite(bins).all():  # the metadata of a file may leave out NaN
            self._refuse_infinite()
        refuse({name: int(column.sum()) for name, column in columns.items()})
        both, patterns = np.concatenate([predicted, counts - predicted]), np.repeat([0, 1], len(counts))
        there = both > 0
        return Histogram(np.tile(bins, 2)[there], patterns[there], both[there])

    def inside(self, spans: Sequence[Span], seed: int) -> Table:
        rows = self._rows
        if any(span.start or span.below is not None for span in spans):
            rows = with_mix(rows, seed, self.dialect)
        return rows.filter(within(rows, spans)).select(*self._rows.columns)

    def rows(self, spans: Sequence[Span], seed: int) -> Rows:
        return self._arrays(answered("fetching items", self.inside(spans, seed)), seed)

    def named(self, ids: Sequence[Id]) -> Table:
        return self._rows.filter(self._rows[ID].isin(ids))

    def find(self, ids: Sequence[Id], seed: int) -> Rows:
        return self._arrays(found_by_id(self.named, ids), seed)

    def earlier(self, rows: Rows, spans: Sequence[Span], seed: int) -> Table:
        mixed = with_mix(self._rows, seed, self.dialect)
        sums = {f"n{place}": count_of(_earlier(mixed, rows, place, span)) for place, span in enumerate(spans)}
        return mixed.aggregate(**sums)

    def before(self, rows: Rows, spans: Sequence[Span], seed: int) -> list[int]:
        found: list[int] = []
        for at in range(0, len(rows), AT_ONCE):
            part = rows.take(np.arange(at, min(at + AT_ONCE, len(rows))))
            query = self.earlier(part, spans[at : at + AT_ONCE], seed)
            found += map(int, answered("counting items before others", query).to_pylist()[0].values())
        return found

    def _arrays(self, found: Any, seed: int) -> Rows:
        """Arrow into NumPy. The mixes of the fetched rows are computed here, not by the engine."""
        numbered = bool(self._rows[ID].type().is_integer())
        ids = ids_of(found, numbered)
        return Rows(
            ids,
            found[SCORE].to_numpy().astype(np.float64) + 0.0,
            found[PREDICTION].to_numpy().astype(np.bool_),
            mix_integers(ids, seed) if numbered else mix_texts(ids.tolist(), seed),
            {name: found[name].to_pylist() for name in self._chosen.show},
        )


def found_by_id(named: Callable[[list[Id]], Table], ids: Sequence[Id]) -> Any:
    """The rows with these ids, as Arrow; `named` makes the query for some of them."""
    import pyarrow

    ids = [item for item in ids if isinstance(item, int) or _writable(item)]
    parts = [list(ids[at : at + AT_ONCE]) for at in range(0, len(ids), AT_ONCE)] or [[]]
    return pyarrow.concat_tables([answered("looking up items", named(part)) for part in parts])


def ids_of(found: Any, numbered: bool) -> np.ndarray[Any, Any]:
    """The ids of fetched rows; refuses those without one."""
    missing = found[ID].null_count
    if missing:
        raise InputError(f"id must not be missing: {missing:,} of the {found.num_rows:,} rows fetched are NULL")
    return found[ID].to_numpy().astype(np.int64) if numbered else np.array(found[ID].to_pylist(), dtype=object)


def _writable(text: str) -> bool:
    """Whether engines can store the text: Python allows half of a surrogate pair, which has no UTF-8."""
    return text.isascii() or text.encode(errors="ignore").decode() == text


def not_finite(rows: Table, score: str) -> Table:
    """How many of these scores are infinite or NaN, and how many there are."""
    return rows.aggregate(infinite=count_of(~finite(rows[score])), total=rows.count())


def refuse_infinite(what: str, query: Table) -> None:
    """Refuse scores that are infinite or NaN; `query` counts them."""
    found = answered("counting scores that are not finite", query).to_pylist()[0]
    if found["infinite"]:
        raise InputError(f"{what} must be finite: {found['infinite']:,} of {found['total']:,} are not; {ADVICE}")


@contextmanager
def refusing(refuse_infinite: Callable[[], None]) -> Iterator[None]:
    """If a query fails, look whether scores are not finite: engines fail on NaN, each in its own way."""
    try:
        yield
    except PoolError:
        refuse_infinite()
        raise


def bin_of(score: Any, grid: Grid) -> Any:
    """The bin of each score, as `Grid.bin`."""
    if grid.kind == "distinct":
        return score
    return ((score.sqrt().sqrt() if grid.kind == "roots" else score) * grid.factor).floor()


def count_of(condition: Any) -> Any:
    """How many rows fulfil the condition; not every engine can sum booleans."""
    return ibis.ifelse(condition, 1, 0).sum()


def refuse(found: dict[str, int], of: str = "") -> None:
    """Refuse predictions that are not 0 or 1, or that contradict the threshold; `of` says of which model."""
    total, told, contradicting = found["counts"], found.get("told", found["counts"]), found.get("contradicting", 0)
    if told != total:
        raise InputError(
            f"prediction{of} must be 0 or 1: {total - told:,} of {total:,} are not;"
            " drop them with where=, or use threshold="
        )
    if contradicting:
        raise InputError(
            f"prediction{of} must be what threshold makes of the score where both are given: {contradicting:,}"
            f" of {total:,} are not; leave out one of them"
        )


def within(rows: Table, spans: Sequence[Span], score: str = SCORE, mix: str = MIX) -> Any:
    """The condition that a row is in any of these spans.

    If spans are adjacent, one CASE expression gives the limit of the mix by score, which is faster than a chain of ORs.
    """
    ordered = sorted(spans)
    side_by_side = all(one.high == two.low for one, two in pairwise(ordered))
    limited = any(span.below is not None for span in spans) and not any(span.start for span in spans)
    if not side_by_side or not limited:
        return reduce(or_, [_inside(rows, span, score, mix) for span in spans])
    limits = [mix_literal(rows, span.below) if span.below is not None else beyond_mixes(rows) for span in ordered]
    lower = [(rows[score] < double(span.high), limit) for span, limit in zip(ordered[:-1], limits, strict=False)]
    ends = _inside(rows, Span(ordered[0].low, ordered[-1].high), score, mix)
    return (rows[mix] < (ibis.cases(*lower, else_=limits[-1]) if lower else limits[-1])) & ends


def _inside(rows: Table, span: Span, score: str = SCORE, mix: str = MIX) -> Any:
    """The condition that a row is in this span. Conditions on scores come first: they are cheaper than the mix."""
    parts = [rows[score] >= double(span.low)] if np.isfinite(span.low) else []
    parts += [rows[score] < double(span.high)] if np.isfinite(span.high) else []
    parts += [rows[mix] >= mix_literal(rows, span.start)] if span.start else []
    parts += [rows[mix] < mix_literal(rows, span.below)] if span.below is not None else []
    return reduce(lambda one, two: one & two, parts or [ibis.literal(True)])


def _earlier(rows: Table, found: Rows, place: int, span: Span) -> Any:
    """The condition that a row has the same span and prediction as a fetched one, and comes before it by (mix, id)."""
    mix, name = mix_literal(rows, int(found.mixes[place])), found.ids[place]
    mine = _inside(rows, span) & (rows[PREDICTION] == bool(found.predictions[place]))
    if not rows[ID].type().is_integer():
        return mine & (rows[MIX] < mix)
    return mine & ((rows[MIX] < mix) | ((rows[MIX] == mix) & (rows[ID] < int(name))))


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def md5(text: str) -> str:  # type: ignore[empty-body]
    """The engine's MD5, in hexadecimal digits."""


@ibis.udf.scalar.builtin(name="md5")  # type: ignore[untyped-decorator]
def md5_bytes(text: str) -> bytes:  # type: ignore[empty-body]
    """BigQuery's MD5, which gives bytes."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def to_hex(digest: bytes) -> str:  # type: ignore[empty-body]
    """BigQuery's conversion to hexadecimal digits."""


def with_mix(rows: Table, seed: int, dialect: str) -> Table:
    """The rows with a column for the mix of each id; for text ids the MD5 digest, whose first digits are the mix.

    Each step is a subquery of its own: an engine computes an expression twice if it is written twice.
    """
    key = rows[ID]
    if not key.type().is_integer():
        return rows.mutate(**{MIX: digest_of(ibis.literal(f"{seed}:") + key, dialect)})
    first, second = salts(seed)
    rows = rows.mutate(**{MIX: (key & WORD) ^ first})
    rows = rows.mutate(**{MIX: (((rows[MIX] ^ (rows[MIX] >> 16)) * FIRST) ^ (rows[ID] >> 32) ^ second) & WORD})
    rows = rows.mutate(**{MIX: ((rows[MIX] ^ (rows[MIX] >> 15)) * SECOND) & WORD})
    return rows.mutate(**{MIX: ((rows[MIX] ^ (rows[MIX] >> 15)) * FIRST) & WORD})


def digest_of(text: Any, dialect: str) -> Any:
    """The MD5 digest of a text, in hexadecimal digits."""
    return to_hex(md5_bytes(text)) if dialect == "bigquery" else md5(text)


def mix_literal(rows: Table, mix: int) -> Any:
    """A literal of this mix, to compare the column with."""
    return mix if rows[ID].type().is_integer() else format(mix, f"0{DIGITS}x")


def beyond_mixes(rows: Table) -> Any:
    """A literal above all mixes; for texts "g", which sorts after all hexadecimal digits."""
    return WORD + 1 if rows[ID].type().is_integer() else "g"
