"""How long a store waits for others, and what it says when it stops waiting."""

import socket
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from lowshot import Evaluation, Pool, StoreError
from lowshot.store import Store
from lowshot.store import connection as engine

from ..databases import connected, new_schema
from ..needed import module

POOL = Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)


@pytest.fixture
def schema(postgres: str) -> str:
    """A schema of the server that is empty, as a URL without any setting but that."""
    return new_schema(postgres)


def setting(url: str, name: str) -> str:
    store = Store(url)
    with store.engine.connect() as connection:
        return str(connection.exec_driver_sql(f"SHOW {name}").scalar())


def test_a_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It accepts the connection and says nothing: as behind a firewall, or one that hangs."""
    module("psycopg")
    monkeypatch.setattr(engine, "ANSWER", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/birds"
        with pytest.raises(StoreError, match=r"timeout.*the server cannot be reached"):
            Store(url)


def test_a_connection_that_died_is_noticed(schema: str) -> None:
    found = module("psycopg").conninfo.conninfo_to_dict(_dsn(schema))
    wanted = {"connect_timeout": "10", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3"}
    assert {name: found.get(name) for name in wanted} == wanted
    assert found["tcp_user_timeout"] == "60000"
    assert setting(schema, "application_name") == "lowshot"


def test_what_the_url_says_wins(schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = module("psycopg").conninfo.conninfo_to_dict(_dsn(f"{schema}&connect_timeout=33&keepalives_idle=7"))
    assert (mine["connect_timeout"], mine["keepalives_idle"], mine["keepalives_count"]) == ("33", "7", "3")
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "44")
    assert "connect_timeout" not in engine._arguments(make_url(schema))


def _dsn(url: str) -> str:
    store = Store(url)
    with store.engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        return str(driver.info.dsn)


def test_whose_lock_timeout(schema: str, postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert setting(schema, "lock_timeout") == "30s"
    assert setting(f"{schema}%20-clock_timeout%3D5s", "lock_timeout") == "5s"
    assert setting(f"{schema}%20-clock_timeout%3D0", "lock_timeout") == "0", "who wants to wait without end, waits"
    monkeypatch.setenv("PGOPTIONS", f"-csearch_path={schema.rpartition('%3D')[2]} -clock_timeout=6s")
    assert setting(postgres, "lock_timeout") == "6s"


def test_an_evaluation_that_another_process_holds(schema: str) -> None:
    evaluation = Evaluation(POOL, store=f"{schema}%20-clock_timeout%3D100ms")
    with connected(schema) as other:
        other.execute("SELECT * FROM evaluations FOR UPDATE")
        with pytest.raises(StoreError, match="another process holds an evaluation, to write in it") as told:
            evaluation.ask(1)
        assert "pg_stat_activity" in str(told.value)
        assert "pg_terminate_backend" in str(told.value)
    assert evaluation.ask(1), "it goes on when the other one is done"


def test_a_schema_that_another_process_changes(schema: str) -> None:
    with connected(schema) as other:
        other.execute("SELECT pg_advisory_xact_lock(7091)")
        with pytest.raises(StoreError, match="another process holds the schema, to create its tables"):
            Store(f"{schema}%20-clock_timeout%3D100ms")
