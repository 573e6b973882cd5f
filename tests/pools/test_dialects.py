"""Warehouses that the tests cannot run: every question compiles to their SQL."""

import ibis
import numpy as np
import pytest

from lowshot.core.drawing import FIRST, SECOND, mix_integers, mix_texts, salts
from lowshot.pools.engine import Rows, Span
from lowshot.pools.grid import Grid
from lowshot.pools.ibis_columns import Chosen
from lowshot.pools.ibis_engine import IbisEngine

DIALECTS = ["bigquery", "snowflake", "databricks", "trino", "duckdb", "postgres"]
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)
every_kind = pytest.mark.parametrize("kind", ["int64", "string"])
SEED = 3


def queries(dialect: str, kind: str) -> IbisEngine:
    table = ibis.table({"id": kind, "score": "float64", "flag": "int64", "day": "string"}, name="items")
    chosen = Chosen("id", "score", "flag", threshold=0.5, where={"day": "monday"}, show=("day",))
    return IbisEngine(table, chosen, dialect)


def written(query: ibis.Table, dialect: str) -> str:
    return str(ibis.to_sql(query, dialect=dialect)).upper()


def row(kind: str) -> Rows:
    ids = np.array([7]) if kind == "int64" else np.array(["it's"], dtype=object)
    mixes = mix_integers(ids, SEED) if kind == "int64" else mix_texts(ids.tolist(), SEED)
    return Rows(ids, np.array([0.25]), np.array([False]), mixes)


@every_dialect
@every_kind
def test_one_pass_counts_everything(dialect: str, kind: str) -> None:
    asked = queries(dialect, kind)
    facts = written(asked.counts(), dialect)
    assert facts.count("COUNT(") == 2
    assert all(part in facts for part in ("MIN(", "MAX(", "MONDAY", "ITEMS"))
    for grid in (Grid.of(0.0, 1.0), Grid.of(-5.0, 5.0), Grid("distinct")):
        binned = written(asked.binned(grid), dialect)
        assert "GROUP BY" in binned
        assert binned.count("SQRT(") >= (2 if grid.kind == "roots" else 0)


@every_dialect
@every_kind
def test_items_by_score_and_mix(dialect: str, kind: str) -> None:
    asked = queries(dialect, kind)
    head, mixed = [Span(0.5, np.inf)], [Span(0.1, 0.5, 5, 2**31), Span(0.5, np.inf)]
    assert "MD5(" not in written(asked.inside(head, SEED), dialect)
    assert_mixed(written(asked.inside(mixed, SEED), dialect), dialect, kind)
    assert_mixed(written(asked.earlier(row(kind), [Span(0.1, 0.5)], SEED), dialect), dialect, kind)


def assert_mixed(query: str, dialect: str, kind: str) -> None:
    if kind == "int64":
        assert all(str(number) in query for number in (FIRST, SECOND, *salts(SEED)))
    elif dialect == "bigquery":
        assert "TO_HEX(MD5(" in query.replace("\n", "").replace(" ", "")
    else:
        assert "MD5(" in query
        assert "TO_HEX" not in query


@every_dialect
def test_ids_are_quoted(dialect: str) -> None:
    query = written(queries(dialect, "string").named(["it's", "b"]), dialect)
    assert ("'IT''S'" in query) or ("'IT\\'S'" in query)
