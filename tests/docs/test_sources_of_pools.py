"""docs/pools.md shows one line per kind of source: each opens a pool. Servers are replaced by a table of DuckDB."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ibis
import pytest

import lowshot

from ..examples import ITEMS, write_files
from .pages_of_docs import DOCS, blocks

DATABASE = "postgresql://me@host/db"
HERE = (DATABASE, "scores.duckdb")  # opened by the test: a file of DuckDB is open only once


def test_every_line_opens_a_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files()
    connection = ibis.duckdb.connect("scores.duckdb")
    table = connection.create_table("scores", connection.read_parquet("scores.parquet"))
    server = SimpleNamespace(table=lambda name: {"scores": table}[name])
    warehouse = SimpleNamespace(connect=lambda *_, **__: server)
    opened = []

    def open_pool(source: Any, **columns: Any) -> Any:
        if isinstance(source, str) and source in HERE:
            source = server.table(columns.pop("table"))
        opened.append(lowshot.open_pool(source, **columns))
        return opened[-1]

    [block] = [block for block in blocks(DOCS / "pools.md") if DATABASE in block.content]
    names = {"lowshot": SimpleNamespace(open_pool=open_pool), "spark": server, "project": "mine", "login": {}}
    exec(block.content, {**names, "ibis": SimpleNamespace(bigquery=warehouse, snowflake=warehouse)})
    assert [len(pool) for pool in opened] == [ITEMS] * block.content.count("open_pool")
