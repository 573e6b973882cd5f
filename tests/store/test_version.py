"""A store says the version of its tables; one of another version is refused, and stays as it is."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect

from lowshot import Evaluation, StoreError
from lowshot.store import Store, schema
from lowshot.store.version import VERSION

from ..databases import connected
from . import story


def change(where: str, statement: str) -> None:
    connection: Any = connected(where) if where.startswith("postgresql") else sqlite3.connect(where)
    with closing(connection):
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("number", [VERSION - 1, VERSION + 1])
def test_another_version_is_refused(where: str, number: int, read_only: bool) -> None:
    Evaluation(story.POOL, store=where)
    change(where, f"UPDATE version SET number = {number}")
    told = rf"store must be of version {VERSION}: .* is of version {number}; open it with the version of lowshot that"
    with pytest.raises(StoreError, match=told):
        Store(where, read_only)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("statement", ["DROP TABLE version", "DELETE FROM version", "DROP TABLE leases"])
def test_a_store_whose_tables_are_not_all_there(where: str, statement: str, read_only: bool) -> None:
    Store(where)
    change(where, statement)
    with pytest.raises(StoreError, match="tables or rows of it are missing"):
        Store(where, read_only)


def test_tables_are_created_wholly_or_not_at_all(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    create = schema.metadata.create_all

    def fail(*arguments: Any, **options: Any) -> None:
        create(*arguments, **options)
        raise RuntimeError("power failure")

    with monkeypatch.context() as patch:
        patch.setattr(schema.metadata, "create_all", fail)
        with pytest.raises(RuntimeError, match="power failure"):
            Store(where)
    assert Store(where).headers() == []
    assert set(inspect(Store(where).engine).get_table_names()) == set(schema.metadata.tables)


def test_a_store_without_tables_is_not_read(where: str) -> None:
    if not where.startswith("postgresql"):
        Path(where).touch()
    with pytest.raises(StoreError, match=r"store must contain an evaluation: .* has none; begin one with"):
        Store(where, read_only=True)
