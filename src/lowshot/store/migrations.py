"""Numbered changes of the schema. Each is one transaction, together with the row that says it was done.

Each is SQL as it was when it was written, and never reads `schema.py`, which says what the tables are after all of
them: a migration that made today's tables would leave nothing to do for those that come after it.
`tests/store/test_migrations.py` checks that both end in the same tables.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, inspect, select

from lowshot.errors import StoreError
from lowshot.store.schema import migrations

Migration = Callable[[Connection], None]
# What the two databases call the same thing. SQLite numbers rows only in a column that is INTEGER and nothing else.
DIALECTS = {
    "sqlite": {"number": "INTEGER NOT NULL PRIMARY KEY", "sequence": "INTEGER NOT NULL PRIMARY KEY"},
    "postgresql": {"number": "SERIAL NOT NULL PRIMARY KEY", "sequence": "BIGSERIAL NOT NULL PRIMARY KEY"},
}
FIRST = """
CREATE TABLE questions (id {number}, text TEXT NOT NULL UNIQUE);
CREATE TABLE evaluations (
    id {number},
    name TEXT NOT NULL UNIQUE,
    question INTEGER NOT NULL REFERENCES questions (id),
    fingerprint VARCHAR NOT NULL,
    items BIGINT NOT NULL,
    predicted BIGINT NOT NULL,
    metric VARCHAR NOT NULL,
    alpha FLOAT NOT NULL,
    sampler VARCHAR NOT NULL,
    settings TEXT NOT NULL,
    seed VARCHAR NOT NULL,
    lowshot VARCHAR NOT NULL,
    began VARCHAR NOT NULL,
    changes INTEGER NOT NULL,
    about TEXT NOT NULL
);
CREATE TABLE known (
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    item TEXT NOT NULL,
    label INTEGER NOT NULL,
    UNIQUE (evaluation, item)
);
CREATE TABLE rounds (
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    number INTEGER NOT NULL,
    labels INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    at VARCHAR NOT NULL,
    UNIQUE (evaluation, number)
);
CREATE TABLE draws (
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    round INTEGER NOT NULL,
    counter BIGINT NOT NULL,
    item TEXT NOT NULL,
    probability FLOAT NOT NULL,
    calibration FLOAT NOT NULL,
    UNIQUE (evaluation, round, counter)
);
CREATE TABLE asked (
    sequence {sequence},
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    item TEXT NOT NULL,
    at VARCHAR NOT NULL,
    UNIQUE (evaluation, item)
);
CREATE TABLE labels (
    sequence {sequence},
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    question INTEGER NOT NULL REFERENCES questions (id),
    item TEXT NOT NULL,
    label INTEGER,
    at VARCHAR NOT NULL
);
CREATE INDEX labels_of ON labels (evaluation, sequence);
CREATE TABLE answers (
    sequence {sequence},
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    question INTEGER NOT NULL REFERENCES questions (id),
    item TEXT NOT NULL,
    annotator TEXT NOT NULL,
    label INTEGER,
    final INTEGER NOT NULL,
    at VARCHAR NOT NULL
);
CREATE INDEX answers_of ON answers (evaluation, item);
CREATE TABLE leases (
    evaluation INTEGER NOT NULL REFERENCES evaluations (id),
    item TEXT NOT NULL,
    annotator TEXT NOT NULL,
    until VARCHAR NOT NULL,
    UNIQUE (evaluation, item, annotator)
);
"""


def first(connection: Connection) -> None:
    """All tables of the first version."""
    execute(connection, FIRST)


def labels_by_item(connection: Connection) -> None:
    """An index: which label an item has is asked for each line of the overview. Some stores had it from the start."""
    execute(connection, "CREATE INDEX IF NOT EXISTS labels_to ON labels (evaluation, item);")


def checksums(connection: Connection) -> None:
    """A table for checksums. An evaluation that is there gets its first one when it is next written."""
    execute(
        connection,
        """CREATE TABLE checksums (
            evaluation INTEGER NOT NULL REFERENCES evaluations (id),
            value VARCHAR NOT NULL,
            UNIQUE (evaluation)
        );""",
    )


def designs(connection: Connection) -> None:
    """A table for what beliefs decided when a round was opened. Rounds that are there are proposed again."""
    execute(
        connection,
        """CREATE TABLE designs (
            evaluation INTEGER NOT NULL REFERENCES evaluations (id),
            round INTEGER NOT NULL,
            decided TEXT NOT NULL,
            UNIQUE (evaluation, round)
        );""",
    )


# A new one goes to the end. None is ever changed or taken away: stores that were written between them are out there.
MIGRATIONS: tuple[Migration, ...] = (first, labels_by_item, checksums, designs)
# The first version that can be read as it is: later ones added an index, and tables that may be missing.
READABLE = 1


def execute(connection: Connection, statements: str) -> None:
    """SQL statements, each with a semicolon at its end, in the words of the database."""
    for statement in statements.format(**DIALECTS[connection.dialect.name]).split(";"):
        if statement.strip():
            connection.exec_driver_sql(statement)


def done(connection: Connection) -> int:
    """How many were done: 0 in a new store."""
    if not inspect(connection).has_table(migrations.name):
        return 0
    numbers = sorted(connection.execute(select(migrations.c.number)).scalars())
    if not numbers or numbers[:-1] != [*range(1, len(numbers))]:  # the last may be of a version that comes later
        raise StoreError(
            f"store is damaged (migrations {numbers} were done, and not all before): restore it from a copy"
        )
    return int(numbers[-1])


def up_to_date(connection: Connection) -> bool:
    return done(connection) == len(MIGRATIONS)


def migrate(connection: Connection, where: str) -> bool:
    """Do the next one, if there is one; in the transaction of this connection."""
    if connection.dialect.name == "postgresql":  # one process after the other; SQLite's transaction does that itself
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7091)")
    number = done(connection)
    _refuse_newer(number, where)
    if number == len(MIGRATIONS):
        return False
    migrations.create(connection, checkfirst=True)
    MIGRATIONS[number](connection)
    connection.execute(migrations.insert().values(number=number + 1, at=now()))
    return True


def refuse_unreadable(connection: Connection, where: str) -> None:
    """Where migrations are not done, as somebody only looks: tables of a few versions can be read as they are."""
    number = done(connection)
    _refuse_newer(number, where)
    if number == 0:
        raise StoreError(f"store must hold an evaluation: {where} has none; begin one with `lowshot start`")
    if number < READABLE:
        raise StoreError(
            f"store must be of schema {READABLE} to be looked at: {where} has schema {number}; it becomes newer when it"
            " is opened for writing, for example by `lowshot ask`, or look at it with the version that wrote it"
        )


def _refuse_newer(number: int, where: str) -> None:
    if number > len(MIGRATIONS):
        raise StoreError(
            f"store must be of this version of lowshot or older: {where} has schema {number}, and this version knows"
            f" {len(MIGRATIONS)}; install a newer lowshot"
        )


def now(seconds: float = 0) -> str:
    """The time, or so many seconds later, as text that sorts."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def later(than: str) -> str:
    """The time; but after this one, by at least a millisecond: a clock may be turned back, and what comes later in a
    store is later.

    >>> later("9999-01-01T00:00:00.999+00:00")
    '9999-01-01T00:00:01.000+00:00'
    """
    time = now()
    if time > than:
        return time
    try:
        return (datetime.fromisoformat(than) + timedelta(milliseconds=1)).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise StoreError(f"store is damaged ({than!r} is no time that it wrote): restore it from a copy") from None
