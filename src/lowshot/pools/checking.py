"""A check of a whole table. Opening a pool does not look for repeated ids: the engine would need all ids in memory."""

from typing import Any

from lowshot.pools.checked import SHOWN, Checked
from lowshot.pools.failures import answered
from lowshot.pools.grid import Grid
from lowshot.pools.ibis_columns import ID, Chosen
from lowshot.pools.ibis_engine import IbisEngine
from lowshot.pools.source import table_of


def check(source: Any, *, table: str | None = None, allow_external: bool = False, **columns: Any) -> Checked:
    """Check the whole table: scores, predictions, and whether every id occurs once.

    >>> import pandas
    >>> rows = pandas.DataFrame({"path": ["a", "b", "a"], "p": [0.9, 0.7, 0.1]})
    >>> check(rows, id="path", score="p", threshold=0.5)[1:]
    (2, 1, 0, ['a'])

    allow_external  as in `open_pool`
    """
    chosen = Chosen(**columns)
    found = table_of(source, table, chosen.used, allow_external)
    queries = IbisEngine(found, chosen)
    facts = queries.facts()
    histogram = queries.histogram(Grid.of(facts.low, facts.high))
    predicted = int(histogram.counts[histogram.patterns == 0].sum())
    rows = chosen.rows(found)
    several = rows.group_by(rows[ID]).aggregate(times=rows.count())
    several = several.filter((several.times > 1) & several[ID].notnull())
    doing = "looking for ids that repeat"
    repeated = answered(doing, several.count()).as_py()
    examples = answered(doing, several.order_by(several[ID]).limit(SHOWN))[ID].to_pylist() if repeated else []
    missing = answered(doing, rows.filter(rows[ID].isnull()).count()).as_py()
    return Checked(facts, predicted, int(repeated), int(missing), examples)
