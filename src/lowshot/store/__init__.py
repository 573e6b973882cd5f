"""Evaluations on disk: in a SQLite file, or in PostgreSQL. Extras `[store]`, `[postgres]`.

schema       the tables
clock        times as text that sorts
version      the version of the tables
connection   from a path or URL to an engine with durable commits; transactions
read_only    reading a SQLite file without writing to its folder
rows         all rows of an evaluation, without those that lowshot cannot have written
header       the row that describes an evaluation: pool, question, metric, sampler, seed
sql_journal  rounds, draws and labels of one evaluation, written and read back
store        several evaluations in one file or database, by name       `Store`
progress     labels and pending items per evaluation, without its pool
activity     who answered what in all evaluations, with corrections, newest first
"""

from lowshot.store.header import Header
from lowshot.store.store import Store

__all__ = ["Header", "Store"]
