"""Pools of any size: the best items one by one, all others grouped by score and counted.

grid     bins of scores that every engine computes alike
engine   what a pool asks of the engine that holds its rows
arrays   the engine that defines the answers: NumPy
layout   from counts to levels, and what is fetched beforehand
cells    head and levels as the cells of one ranking
book     which item is which number of the ranking
pool     all of it as a pool                                     `RankedPool`
"""

from lowshot.ranked.pool import LEVELS, RankedPool, bound

__all__ = ["LEVELS", "RankedPool", "bound"]
