"""Every engine answers every question of a pool as NumPy does."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lowshot import Pool
from lowshot.pools.engine import ArrayEngine, Engine, Rows, Span
from lowshot.pools.grid import Grid

from .places import ENGINES, EVERYWHERE, SPARK, Place, defined, table
from .rows import rows_of

every_place = pytest.mark.parametrize("place", EVERYWHERE, indirect=True)
every_engine = pytest.mark.parametrize("place", ENGINES, indirect=True)
KINDS = ["probability", "logit", "integers", "ties", "float32"]


def plain(rows: Rows) -> list[tuple[Any, ...]]:
    """By id: an engine gives rows in any order."""
    columns = (rows.ids, rows.scores, rows.predictions, rows.mixes)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def counted(engine: Engine, grid: Grid) -> list[tuple[float, int, int]]:
    return sorted(zip(*(column.tolist() for column in engine.histogram(grid)), strict=True))


def assert_the_same(engine: Engine, arrays: ArrayEngine, seed: int = 5) -> None:
    """All five questions."""
    facts = arrays.facts()
    assert engine.facts() == facts
    for grid in (Grid.of(facts.low, facts.high), Grid("distinct")):
        assert counted(engine, grid) == counted(arrays, grid)
    assert_same_rows(engine, arrays, seed)


def assert_same_rows(engine: Engine, arrays: ArrayEngine, seed: int) -> None:
    everything = arrays.rows([Span(-np.inf, np.inf)], seed)
    assert len(everything) == arrays.facts().total
    low, middle, high = np.quantile(everything.scores, [0.2, 0.5, 0.9]).tolist()
    limit, start = (int(np.quantile(everything.mixes, part)) for part in (0.6, 0.2))
    spans = [Span(high, np.inf), Span(middle, high, 0, limit), Span(low, middle, start, limit)]
    for wanted in (spans, [Span(low, high)], [Span(2e9, 3e9)]):
        assert plain(engine.rows(wanted, seed)) == plain(arrays.rows(wanted, seed))
    some = everything.take(np.arange(0, len(everything), 41))
    asked = some.ids.tolist()
    assert plain(engine.find([*asked, missing(asked)], seed)) == plain(some)
    assert plain(engine.find([], seed)) == []
    inside = [Span(low, middle) if score < middle else Span(middle, np.inf) for score in some.scores.tolist()]
    assert engine.before(some, inside, seed) == arrays.before(some, inside, seed)


def missing(ids: list[Any]) -> Any:
    return 123_456_789 if isinstance(ids[0], int) else "not there"


@every_place
@pytest.mark.parametrize("names", ["integer", "text"])
def test_every_place_answers_as_numpy_does(place: Place, names: str) -> None:
    rows = rows_of(names=names)
    assert_the_same(place.open(rows, prediction="predicted").engine, defined(rows))


@every_engine
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_score(place: Place, kind: str) -> None:
    rows = rows_of(kind, flags="int")
    assert_the_same(place.open(rows, prediction="predicted").engine, defined(rows))


@pytest.mark.parametrize("place", [engine for engine in ENGINES if engine is not SPARK], indirect=True)
@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_every_seed(place: Place, seed: int) -> None:
    for names in ("integer", "text"):
        rows = rows_of(names=names)
        assert_same_rows(place.open(rows, prediction="predicted").engine, defined(rows), seed)


@every_engine
@pytest.mark.parametrize("condition", [{"part": "test"}, lambda rows: rows.part == "test"], ids=["mapping", "function"])
def test_rows_that_do_not_count(place: Place, condition: Any) -> None:
    rows = rows_of(names="text")
    kept = np.array(rows["part"].to_pylist()) == "test"
    engine = place.open(rows, prediction="predicted", where=condition).engine
    assert_the_same(engine, defined(rows, kept))


@pytest.mark.parametrize("place", ["parquet", "duckdb", "pandas", "polars", "arrow", "postgres", SPARK], indirect=True)
def test_a_threshold_in_the_precision_of_the_scores(place: Place) -> None:
    """0.7 is a little less in 32 bits: a score that was written as 0.7 is predicted positive all the same."""
    rows = pa.table({"id": [1, 2, 3], "score": pa.array([0.7, 0.69, 0.71], pa.float32())})
    assert place.open(rows, threshold=0.7).predicted_positives == 2
    zero = pa.table({"id": [1, 2, 3], "score": pa.array([0.0, 0.69, 0.71], pa.float32())})
    assert place.open(zero, threshold=1e-300).predicted_positives == 2, "0 is below the smallest threshold above it"


@every_engine
def test_an_empty_text_is_an_id(place: Place) -> None:
    rows = pa.table({"id": ["", "a", "b"], "score": [0.5, 0.6, 0.7], "predicted": [False, True, True]})
    assert_the_same(place.open(rows, prediction="predicted").engine, defined(rows))


@every_engine
def test_columns_that_people_are_shown(place: Place) -> None:
    rows = rows_of(names="text")
    found = place.open(rows, prediction="predicted", show=["part"]).engine.rows([Span(-1.0, 2.0)], 0)
    shown = dict(zip(found.ids.tolist(), found.columns["part"], strict=True))
    assert shown == dict(zip(rows["id"].to_pylist(), rows["part"].to_pylist(), strict=True))


@every_engine
def test_nan_is_shown_as_nothing(place: Place) -> None:
    """As in memory, and as every engine shows NULL."""
    rows = table(["a", "b", "c"], [0.9, 0.5, 0.1], [1, 1, 0], size=pa.array([1.5, math.nan, None], pa.float64()))
    pool = place.open(rows, prediction="predicted", show=["size"])
    assert pool.shown(["a", "b", "c"]) == [{"size": "1.5"}, {"size": ""}, {"size": ""}]
    memory = Pool.from_frame(rows, id="id", score="score", prediction="predicted", show=["size"])
    assert memory.shown(["a", "b", "c"]) == pool.shown(["a", "b", "c"])
