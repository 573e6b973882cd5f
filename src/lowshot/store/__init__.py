"""Where evaluations live when they must survive: a SQLite file, or PostgreSQL. Extra `[store]`, `[postgres]`.

schema      the tables
migrations  numbered changes of them
looking     a SQLite file that is read and never written
engine      path or URL into a connection whose commits are durable
header      what an evaluation is
journal     what happened in it
store       several of them, by name
progress    how far each is
record      who said what in any of them, with corrections
"""

from lowshot.store.header import Header
from lowshot.store.store import Store

__all__ = ["Header", "Store"]
