"""Pools: all items with score and prediction, in memory or wherever their rows are.

base          the contract: what everything outside this package may use             `BasePool`, `View`
memory        a pool in memory, as arrays                                            `Pool`
models        several scores: which are judged, and which only help
consensus     one ranking out of several scores
class_pool    a pool with many categories, in memory                                 `ClassPool`
class_columns scores of many classes, from wherever they are
class_view    what the sampler of many categories sees
in_memory     items in memory and their ids
frame         columns of a data frame as arguments of a pool                         `Pool.from_frame`
estimator     what fitted classifiers of scikit-learn say, as arguments of a pool    `Pool.from_estimator`
columns       columns of any library into arrays, with checks
scale         what scores are: probabilities, their logarithms, log-odds
slices        parts of a pool: the items of one camera, or of one month

grouped       rows in another system: the best are listed, all others only counted   `GroupedPool`
engine        the five questions that a grouped pool asks; NumPy's answers define those of all engines
grid          bins of scores that every engine computes alike
layout        from counts per bin to levels, and what the first pass fetches
places        which item has which position in the ranking
fetched       the items of the first pass, in the order of their positions

grouped_scores  the same with several scores                                         `GroupedScores`
arrangement     the rankings by several scores, from counts
numbers         scores into whole numbers, by their bins
scores_engine   what a grouped pool with several scores asks; again NumPy's answers define those of all engines
catalogue       items that were fetched, and where they are in each ranking

keeping         what the first pass over a pool of any kind found, as plain data and back
saved           this data in a file, with a checksum

With the extra `[pools]`, loaded when it is used for the first time:

opening       a pool from Parquet, a database, Spark, a warehouse                    `open_pool`, `open_pools`
source        a path, URL or data frame as an Ibis table
ibis_columns  the columns of a table that a pool is made of, checked by their types
ibis_engine   the five questions as Ibis queries: one code path for every system
ibis_scores   the questions about several scores as Ibis queries
failures      errors of any engine as one line
checking      a look at the whole table: is every id there once? checked: the answer   `check`
"""

from typing import TYPE_CHECKING, Any

from lowshot.errors import required_by
from lowshot.pools.base import BasePool, View
from lowshot.pools.class_pool import ClassPool
from lowshot.pools.grouped import GroupedPool
from lowshot.pools.memory import Pool

if TYPE_CHECKING:
    from lowshot.pools.checked import Checked
    from lowshot.pools.checking import check
    from lowshot.pools.opening import Pools, open_pool, open_pools, unread_pool

__all__ = [
    "BasePool",
    "Checked",
    "ClassPool",
    "GroupedPool",
    "Pool",
    "Pools",
    "View",
    "check",
    "open_pool",
    "open_pools",
    "unread_pool",
]


def __getattr__(name: str) -> Any:
    """Ibis is an extra, and takes a second to load: it is loaded when one of these names is used."""
    if name not in ("Checked", "Pools", "check", "open_pool", "open_pools", "unread_pool"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with required_by("a pool that is not in memory", extra="pools"):
        import ibis  # noqa: F401
    from lowshot.pools import checking, opening

    return getattr(checking if name in ("Checked", "check") else opening, name)
