"""Numbered changes of the schema. Each runs in one transaction with the row that records it.

A migration is SQL, and never uses `schema.py`, which describes the tables after all migrations: if a migration created
today's tables, the later ones would fail. `tests/store/test_migrations.py` checks that the migrations end in the tables
of `schema.py`.
"""

from collections.abc import Callable

from sqlalchemy import Connection, inspect, select

from lowshot.errors import StoreError
from lowshot.store.clock import now
from lowshot.store.schema import migrations

Migration = Callable[[Connection], None]
# Column types that differ between the databases. SQLite numbers rows only in a column of type INTEGER.
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
    """An index for the overview, which looks up the label of each item. Some stores of the first version have it."""
    execute(connection, "CREATE INDEX IF NOT EXISTS labels_to ON labels (evaluation, item);")


def checksums(connection: Connection) -> None:
    """A table for checksums. An existing evaluation gets its checksum when it is written next."""
    execute(
        connection,
        """CREATE TABLE checksums (
            evaluation INTEGER NOT NULL REFERENCES evaluations (id),
            value VARCHAR NOT NULL,
            UNIQUE (evaluation)
        );""",
    )


def designs(connection: Connection) -> None:
    """A table for what beliefs decided when a round was opened. For existing rounds it is computed again."""
    execute(
        connection,
        """CREATE TABLE designs (
            evaluation INTEGER NOT NULL REFERENCES evaluations (id),
            round INTEGER NOT NULL,
            decided TEXT NOT NULL,
            UNIQUE (evaluation, round)
        );""",
    )


def uniform(connection: Connection) -> None:
    """A table for known labels that were drawn uniformly. Existing evaluations have none."""
    execute(
        connection,
        """CREATE TABLE uniform (
            evaluation INTEGER NOT NULL REFERENCES evaluations (id),
            item TEXT NOT NULL,
            doubted INTEGER NOT NULL,
            UNIQUE (evaluation, item)
        );""",
    )


def wide_labels(connection: Connection) -> None:
    """Labels of 64 bits: where several categories apply to an item, each has a bit. SQLite has them already."""
    if connection.dialect.name == "postgresql":
        for table in ("known", "labels", "answers"):
            execute(connection, f"ALTER TABLE {table} ALTER COLUMN label TYPE BIGINT;")


# Append new migrations. Never change or remove one: stores of every earlier version exist.
MIGRATIONS: tuple[Migration, ...] = (first, labels_by_item, checksums, designs, uniform, wide_labels)
# The first version that can be read without migration: later ones added an index, and tables that may be missing.
READABLE = 1


def execute(connection: Connection, statements: str) -> None:
    """Execute SQL statements, each with a semicolon at its end, with the column types of the database."""
    for statement in statements.format(**DIALECTS[connection.dialect.name]).split(";"):
        if statement.strip():
            connection.exec_driver_sql(statement)


def done(connection: Connection) -> int:
    """How many migrations were done: 0 in a new store."""
    if not inspect(connection).has_table(migrations.name):
        return 0
    numbers = sorted(connection.execute(select(migrations.c.number)).scalars())
    if not numbers or numbers[:-1] != [*range(1, len(numbers))]:  # the last may be of a newer version
        raise StoreError(
            f"store is damaged (migrations {numbers} were done, and not all before): restore it from a copy"
        )
    return int(numbers[-1])


def up_to_date(connection: Connection) -> bool:
    return done(connection) == len(MIGRATIONS)


def migrate(connection: Connection, where: str) -> bool:
    """Do the next migration in the transaction of this connection; False if there is none."""
    if connection.dialect.name == "postgresql":  # one process at a time; in SQLite the write lock does that
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
    """A store that is open read-only is not migrated: it must be of a version that can be read as it is."""
    number = done(connection)
    _refuse_newer(number, where)
    if number == 0:
        raise StoreError(f"store must contain an evaluation: {where} has none; begin one with `lowshot start`")
    if number < READABLE:
        raise StoreError(
            f"store must have schema {READABLE} or newer to be read: {where} has schema {number}; open it for writing,"
            " for example with `lowshot ask`, which migrates it, or read it with the version that wrote it"
        )


def _refuse_newer(number: int, where: str) -> None:
    if number > len(MIGRATIONS):
        raise StoreError(
            f"store must be of this version of lowshot or older: {where} has schema {number}, and this version knows"
            f" {len(MIGRATIONS)}; install a newer lowshot"
        )
