"""A store of every earlier version goes on as if it had been written today; and so will one of this version."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect

import lowshot
from lowshot.store import Store, migrations
from lowshot.store.schema import metadata

from ..databases import EARLIER, new_schema
from .earlier import story

VERSIONS = sorted({int(file.name.split(".")[0].removeprefix("version-")) for file in EARLIER.glob("version-*.sql")})


def test_there_is_a_store_of_every_earlier_version() -> None:
    assert [*range(1, len(VERSIONS) + 1)] == VERSIONS
    assert 2 <= VERSIONS[-1] <= len(migrations.MIGRATIONS)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_evaluation_of_an_earlier_version_goes_on(earlier: Callable[[int], str], version: int) -> None:
    """History, estimate and the next draws are those of a run that was never interrupted."""
    where = earlier(version)
    memory = lowshot.Evaluation(story.POOL, **story.PLAIN)
    story.plain(memory)
    _goes_on(memory, lowshot.Evaluation(story.POOL, store=where, name="plain"))
    known = {**memory.history["labels"]}
    other = lowshot.Evaluation(story.POOL, store=where, name="third", question=story.QUESTION)
    assert other.history["labels"] == {**known, **_labels(where, "again")}


def _labels(where: str, name: str) -> dict[Any, Any]:
    labels: dict[Any, Any] = lowshot.Evaluation(story.POOL, store=where, name=name).history["labels"]
    return labels


def _goes_on(memory: lowshot.Evaluation, stored: lowshot.Evaluation) -> None:
    assert stored.history == memory.history
    assert stored.pending == memory.pending
    for count in (9, 11):
        assert repr(stored.estimate()) == repr(memory.estimate())
        items = memory.ask(count)
        assert items
        assert stored.ask(count) == items
        for evaluation in (memory, stored):
            evaluation.tell(evaluation.pending, story.answers(evaluation.pending))
    assert stored.history == memory.history


@pytest.mark.parametrize("version", VERSIONS)
def test_people_of_an_earlier_version_go_on(earlier: Callable[[int], str], version: int, tmp_path: Path) -> None:
    """Answers, a dispute, a decision, what nobody can tell, and what is with whom."""
    from lowshot.labelling import Desk

    old = Desk(lowshot.Evaluation(story.POOL, store=earlier(version), name="people"), wanted=2)
    today = Desk(lowshot.Evaluation(story.POOL, store=tmp_path / "today.db", name="people", **story.PEOPLE), wanted=2)
    story.people(today.evaluation)
    assert old.evaluation.history == today.evaluation.history
    assert list(old.evaluation.history["labels"].values()).count(None) == 2
    assert old.disputed() == today.disputed() != []
    assert [[answer[:3] for answer in each] for each in old.said().values()] == [
        [answer[:3] for answer in each] for each in today.said().values()
    ]
    for annotator in ("ann", "bob", "cid"):
        assert old.take(annotator, 4) == today.take(annotator, 4)
    assert repr(old.evaluation.estimate()) == repr(today.evaluation.estimate())


def test_the_migrations_make_the_tables_that_the_code_reads(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Written twice, as a migration and in schema.py: both must say the same, or a new store lacks something."""
    store = Store(where)
    if store.engine.dialect.name == "sqlite":
        other = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    else:
        url = new_schema(request.getfixturevalue("postgres"))
        other = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    metadata.create_all(other)
    assert _described(store.engine) == _described(other)
    other.dispose()


def _described(engine: Any) -> dict[str, Any]:
    """Tables with everything that matters of them; neither names that a database makes up nor an order."""
    found = inspect(engine)
    return {
        table: {
            "columns": {c["name"]: (str(c["type"]), c["nullable"], c.get("default")) for c in found.get_columns(table)},
            "key": found.get_pk_constraint(table)["constrained_columns"],
            "unique": sorted(one["column_names"] for one in found.get_unique_constraints(table)),
            "foreign": sorted(
                (one["constrained_columns"], one["referred_table"], one["referred_columns"])
                for one in found.get_foreign_keys(table)
            ),
            "indexes": sorted(
                (str(one["name"]), one["column_names"])
                for one in found.get_indexes(table)
                if not one.get("duplicates_constraint")
            ),
        }
        for table in found.get_table_names()
    }


NEXT = """
    import sys
    from sqlalchemy import Column, Text
    import lowshot
    from lowshot.store import Store, migrations, schema
    import story

    def with_a_note(connection):
        migrations.execute(connection, "ALTER TABLE labels ADD COLUMN note TEXT NOT NULL DEFAULT '';")

    schema.labels.append_column(Column("note", Text, nullable=False, server_default=""))
    migrations.MIGRATIONS += (with_a_note,)
    for where in sys.argv[1:]:
        evaluation = lowshot.Evaluation(story.POOL, store=where, name="plain", **story.PLAIN)
        if evaluation.began:
            story.plain(evaluation)
        memory = lowshot.Evaluation(story.POOL, **story.PLAIN)
        story.plain(memory)
        assert evaluation.history == memory.history
        items = memory.ask(9)
        assert items and evaluation.ask(9) == items
        evaluation.tell(items, story.answers(items))
        with evaluation.store.engine.connect() as connection:
            assert set(connection.exec_driver_sql("SELECT note FROM labels").scalars()) == {""}
            numbers = connection.exec_driver_sql("SELECT number FROM migrations ORDER BY number").scalars()
            print(*numbers)
"""


def test_the_next_migration_adds_a_column(earlier: Callable[[int], str]) -> None:
    """To a store of every earlier version."""
    _next_version(*map(earlier, VERSIONS))


def test_the_next_version_begins_a_store(where: str) -> None:
    """A store that is new has the column of the last migration not before that one comes."""
    _next_version(where)


def _next_version(*stores: str) -> None:
    """In a process of its own: what is added to the schema cannot be taken away again."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(EARLIER), *sys.path])}
    command = [sys.executable, "-c", textwrap.dedent(NEXT), *stores]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stderr
    numbers = [str(number) for number in range(1, len(migrations.MIGRATIONS) + 2)]
    assert [line.split() for line in found.stdout.splitlines()] == [numbers for _ in stores]
