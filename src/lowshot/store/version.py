"""The version of the tables, a row in the store. A store of another version is refused, and stays as it is."""

from sqlalchemy import Connection, inspect, select

from lowshot.errors import StoreError
from lowshot.store import schema

VERSION = 1  # of the tables in schema.py. Whoever changes them raises it, and says here how an older store is changed.


def is_new(connection: Connection, where: str) -> bool:
    """Whether the store has no table yet. A StoreError if its tables are not all there, or of another version."""
    missing = set(schema.metadata.tables) - set(inspect(connection).get_table_names())
    if len(missing) == len(schema.metadata.tables):
        return True
    numbers = [] if schema.version.name in missing else list(connection.scalars(select(schema.version.c.number)))
    if len(numbers) == 1 and numbers != [VERSION]:
        raise StoreError(
            f"store must be of version {VERSION}: {where} is of version {numbers[0]}; open it with the version of"
            " lowshot that wrote it"
        )
    if missing or not numbers:
        raise StoreError(f"store {where} is damaged (tables or rows of it are missing): restore it from a copy")
    return False


def create(connection: Connection, where: str) -> None:
    """Create all tables, unless another process did it a moment ago."""
    if connection.dialect.name == "postgresql":  # one process at a time; in SQLite the write lock does that
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7091)")
    if is_new(connection, where):
        schema.metadata.create_all(connection, checkfirst=False)
        connection.execute(schema.version.insert().values(number=VERSION))
