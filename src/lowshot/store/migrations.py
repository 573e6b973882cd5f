"""Numbered changes of the schema. Each is one transaction, together with the row that says it was done."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, inspect, select

from lowshot.errors import StoreError
from lowshot.store.schema import labels, metadata, migrations

Migration = Callable[[Connection], None]


def first(connection: Connection) -> None:
    """All tables, as they are in this version."""
    metadata.create_all(connection, tables=[table for table in metadata.sorted_tables if table is not migrations])


def labels_by_item(connection: Connection) -> None:
    """An index: which label an item has is asked for each line of the overview."""
    (index,) = (index for index in labels.indexes if index.name == "labels_to")
    index.create(connection, checkfirst=True)


MIGRATIONS: tuple[Migration, ...] = (first, labels_by_item)


def done(connection: Connection) -> int:
    """How many were done: 0 in a new store."""
    if not inspect(connection).has_table(migrations.name):
        return 0
    return max(connection.execute(select(migrations.c.number)).scalars(), default=0)


def up_to_date(connection: Connection) -> bool:
    return done(connection) == len(MIGRATIONS)


def migrate(connection: Connection, where: str, steps: tuple[Migration, ...] = MIGRATIONS) -> bool:
    """Do the next one, if there is one; in the transaction of this connection."""
    if connection.dialect.name == "postgresql":  # one process after the other; SQLite's transaction does that itself
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7091)")
    number = done(connection)
    if number > len(steps):
        raise StoreError(
            f"store must be of this version of lowshot or older: {where} has schema {number}, and this version knows"
            f" {len(steps)}; install a newer lowshot"
        )
    if number == len(steps):
        return False
    migrations.create(connection, checkfirst=True)
    steps[number](connection)
    connection.execute(migrations.insert().values(number=number + 1, at=now()))
    return True


def now(seconds: float = 0) -> str:
    """The time, or so many seconds later, as text that sorts."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
