"""Pools: all items with score and prediction, in memory or wherever their rows are.

base          the contract: what everything outside this package may use        `BasePool`, `View`
memory        arrays                                                            `Pool`
columns       columns of any library, checked, as arrays
scale         what scores are: probabilities, their logarithms, log-odds

grouped       rows elsewhere: a head that is listed, levels that are counted    `GroupedPool`
grid          bins of scores that every engine computes alike
layout        from counts to levels, and what is fetched beforehand
engine        what a grouped pool asks of whatever holds its rows; NumPy's answers define all others'
places        which item has which place in the ranking

Extra `[pools]`, loaded when it is asked for:

opening       a pool from Parquet, a database, Spark, a warehouse               `open_pool`, `open_pools`
source        whatever holds the rows, as an Ibis table
ibis_columns  the columns that a pool is made of, checked by their types
ibis_engine   the questions of a pool as queries: one code path for every engine
failures      what an engine says when it fails, in words
checking      what a pool does not look at by itself: every id once             `check`
"""

from typing import TYPE_CHECKING, Any

from lowshot.errors import MissingExtra
from lowshot.pools.base import BasePool, View
from lowshot.pools.grouped import GroupedPool
from lowshot.pools.memory import Pool

if TYPE_CHECKING:
    from lowshot.pools.checking import Checked, check
    from lowshot.pools.opening import Pools, open_pool, open_pools

__all__ = ["BasePool", "Checked", "GroupedPool", "Pool", "Pools", "View", "check", "open_pool", "open_pools"]


def __getattr__(name: str) -> Any:
    """Ibis is an extra, and takes a second to load: only for those who open a pool with it."""
    if name not in ("Checked", "Pools", "check", "open_pool", "open_pools"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import ibis  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a pool that stays where it is needs {error.name}: pip install 'lowshot[pools]'") from None
    from lowshot.pools import checking, opening

    return getattr(checking if name in ("Checked", "check") else opening, name)
