"""Pools that stay where they are: Parquet, a database, Spark, a warehouse. Extra `[pools]`.

source    whatever holds the rows, as an Ibis table
columns   the columns that a pool is made of, checked by their types
mixed     the seeded order of items, as the engine computes it
queries   the questions of a pool as queries of Ibis: one code path for every engine
opening   all of it together                                         `open_pool`
classes   several binary tasks from one table                        `open_pools`
checking  what a pool does not look at by itself: every id once       `check`
"""

from lowshot.errors import MissingExtra

try:
    import ibis  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingExtra(f"a pool that stays where it is needs {error.name}: pip install 'lowshot[pools]'") from None

from lowshot.pools.checking import Checked, check
from lowshot.pools.classes import Pools, open_pools
from lowshot.pools.opening import open_pool

__all__ = ["Checked", "Pools", "check", "open_pool", "open_pools"]
