"""A pool from whatever holds its rows."""

from collections.abc import Sequence
from typing import Any

from lowshot import checks
from lowshot.pool import HEAD
from lowshot.pools.columns import Chosen
from lowshot.pools.queries import Queries
from lowshot.pools.source import table_of
from lowshot.ranked import LEVELS, RankedPool
from lowshot.scale import Scale


def open_pool(
    source: Any,
    *,
    id: str,
    score: str,
    prediction: str | None = None,
    threshold: float | None = None,
    where: Any = None,
    table: str | None = None,
    show: Sequence[str] = (),
    scale: Scale | None = None,
    levels: int | None = LEVELS,
    head: int = HEAD,
) -> RankedPool:
    """A pool that stays where it is, of any size: everything that takes a `Pool` takes it.

    >>> import lowshot, pandas
    >>> rows = pandas.DataFrame({"path": ["a.jpg", "b.jpg", "c.jpg"], "p": [0.9, 0.7, 0.1]})
    >>> lowshot.open_pool(rows, id="path", score="p", threshold=0.5)
    Pool(3 items, 2 predicted positive)

    source      a path or glob of Parquet or CSV files; a .duckdb or .sqlite file or a postgresql:// URL, with table=;
                an Ibis table of any engine; a Spark DataFrame; a table of pandas, polars or Arrow
    id          the column with ids: integers or texts, each once
    score       the column with scores: numbers of any scale, higher means more likely positive
    prediction  the column with predictions, 0/1; or threshold=, then items with score >= threshold are predicted
                positive. Both may be given: it is checked that they say the same
    where       rows that count: an expression of Ibis, a function from table to one, or {column: value}
    show        columns that people are shown; they are fetched with the items
    scale       what the scores are, for SAWADE and GMM: "probability", "log" (of a probability) or "logit"
    levels      groups of about the same score below the head; None: every score is a level of its own
    head        how many of the best items are listed one by one
    """
    chosen = Chosen(id, score, prediction, threshold, where, tuple(checks.listed("show", show)))
    pool = RankedPool(Queries(table_of(source, table), chosen), head=head, levels=levels, scale=scale)
    len(pool)  # the pass over the rows: what is wrong with them is said now
    return pool
