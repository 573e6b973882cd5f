"""Rows that cannot be evaluated are counted and named, before a label is bought."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lowshot import Evaluation, InputError, Pool, PoolError, open_pool
from lowshot.pools import check, layout, places

from ..needed import module
from .places import ENGINES, Place, table

SCORES = [0.9, 0.8, 0.3, 0.2, 0.1]
GOOD = table(list("abcde"), SCORES, [1, 1, 0, 0, 0], day=["mon", "tue", "mon", "tue", None])
every_engine = pytest.mark.parametrize("place", ENGINES, indirect=True)


def with_scores(scores: list[float | None]) -> pa.Table:
    return table(list("abcde"), pa.array(scores, pa.float64()), [1, 1, 0, 0, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"id": "path"}, "id must be a column of the table: got 'path'; it has 'id', 'score', 'predicted', 'day'"),
        ({"score": "p"}, "score must be a column of the table: got 'p'; it has 'id'"),
        ({"score": "day"}, "score must be a column of numbers: 'day' holds string"),
        ({"prediction": "flag"}, "prediction must be a column of the table: got 'flag'"),
        (
            {"prediction": "day"},
            "prediction must be a column of 0 and 1, or of true and false: 'day' holds string; make a column that is 1"
            " where the model predicts positive, or use threshold",
        ),
        ({"id": "score"}, "id must be a column of integers or texts: 'score' holds float64"),
        ({"show": ["picture"]}, "show must be a column of the table: got 'picture'"),
        ({"where": {"week": 3}}, "where must be a column of the table: got 'week'"),
        ({"where": {"day": "sun"}}, r"source must hold at least one item: it has none \(that where= keeps\)"),
        ({"prediction": None}, "give either prediction or threshold: got neither"),
        ({"prediction": None, "threshold": math.nan}, "threshold must be a finite number: got nan"),
        ({"scale": "logarithm"}, "scale must be one of probability, log, logit: got 'logarithm'"),
        ({"levels": 0}, "levels must be a whole number from 1.*got 0"),
        ({"head": -1}, "head must be a whole number from 0.*got -1"),
        ({"threshold": 0.85}, "prediction must be what threshold makes of the score.*: 1 of 5 are not; leave out one"),
        ({"prediction": "score"}, "prediction must be 0 or 1: 5 of 5 are not; drop them with where=, or use threshold"),
    ],
)
def test_columns_and_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_pool(GOOD, **{"id": "id", "score": "score", "prediction": "predicted", **options})


@every_engine
def test_scores_that_are_missing(place: Place) -> None:
    rows = with_scores([0.9, None, 0.3, None, 0.1])
    message = "score must not be missing: 2 of 5 are NULL; drop them with where=, or impute them"
    with pytest.raises(InputError, match=message):
        place.open(rows, threshold=0.5)
    assert len(place.open(rows, threshold=0.5, where=lambda rows: rows.score.notnull())) == 3


@pytest.mark.parametrize("place", [engine for engine in ENGINES if engine != "sqlite"], indirect=True)
def test_scores_that_are_not_finite(place: Place) -> None:
    """SQLite has no NaN: it keeps NULL."""
    rows = with_scores([0.9, math.nan, math.inf, -math.inf, 0.1])
    with pytest.raises(InputError, match="score must be finite: 3 of 5 are not; drop them with where="):
        place.open(rows, threshold=0.5)
    assert len(place.open(rows, threshold=0.5, where=lambda rows: rows.score.between(0, 1))) == 2


@pytest.mark.parametrize(
    "columns", [{"score": "score"}, {"score": {"a": "predicted", "b": "score"}}], ids=["one", "two"]
)
def test_nan_that_the_metadata_of_a_file_leaves_out(at: Callable[[str], Place], columns: dict[str, Any]) -> None:
    rows = table(list("abcde"), [0.9, math.nan, 0.3, math.nan, 0.1], [0.5, 0.4, 0.3, 0.2, 0.1])
    with pytest.raises(InputError, match="must be finite: 2 of 5 are not; drop them with where="):
        at("parquet").open(rows, threshold=0.5, **columns)


@every_engine
def test_predictions_that_are_none(place: Place) -> None:
    rows = table(list("abcd"), SCORES[:4], pa.array([1, 2, None, 0], pa.int32()))
    with pytest.raises(InputError, match="prediction must be 0 or 1: 2 of 4 are not; drop them with where="):
        place.open(rows, prediction="predicted")


@every_engine
def test_ids_that_repeat_among_those_fetched(place: Place) -> None:
    rows = table(list("abcab"), SCORES, [1, 1, 0, 0, 0])
    pool = place.open(rows, prediction="predicted")
    with pytest.raises(InputError, match=r"ids must be distinct: 2 of the 5 that were fetched .*for example '[ab]'"):
        Evaluation(pool).ask(1)
    found = check(**place.put(rows), id="id", score="score", prediction="predicted")
    assert (found.good, found.repeated, found.missing, found.examples) == (False, 2, 0, ["a", "b"])


def test_an_id_of_the_head_again_far_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found when it would be drawn: nobody is asked about one item twice."""
    monkeypatch.setattr(layout, "RESERVE", 1e-9)
    monkeypatch.setattr(places, "MORE", 1)
    ids = [*range(100), *range(100)]
    rows = table(ids, [1 - number / 200 for number in range(200)], [number < 50 for number in range(200)])
    evaluation = Evaluation(open_pool(rows, id="id", score="score", prediction="predicted", head=100), sampler="rand")
    for _ in range(2):  # nothing is remembered of what was refused
        with pytest.raises(InputError, match=r"ids must be distinct: .* \(for example \d+\)"):
            evaluation.ask(200)
    assert evaluation.pending == []


@every_engine
@pytest.mark.parametrize("ids", [["a", None, "c"], [1, None, 3]], ids=["texts", "integers"])
def test_ids_that_are_missing(place: Place, ids: list[Any]) -> None:
    rows = table(ids, SCORES[:3], [1, 0, 0])
    pool = place.open(rows, prediction="predicted")
    with pytest.raises(InputError, match="id must not be missing: 1 of the 3 rows fetched are NULL"):
        pool.fingerprint  # noqa: B018
    assert check(**place.put(rows), id="id", score="score", prediction="predicted").missing == 1


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("gone.parquet", {}, r"source must be there: .*gone\.parquet is not; give the path where it is now"),
        ("gone.sqlite", {"table": "items"}, r"source must be there: .*gone\.sqlite is not"),
        ("rows.xlsx", {}, "source must be a .parquet, .csv, .csv.gz or .jsonl file.*got .*rows.xlsx"),
        ("rows.parquet", {"table": "items"}, "table must be given with a database only: got 'items'"),
    ],
)
def test_files_that_are_not_there(tmp_path: Path, source: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_pool(str(tmp_path / source), id="id", score="score", threshold=0.5, **options)


@pytest.mark.parametrize("name", ["sqlite", "duckdb", "postgres"])
def test_a_table_that_is_not_there(at: Callable[[str], Place], name: str) -> None:
    given = at(name).put(GOOD)
    with pytest.raises(InputError, match="table must be one of the database's: got 'item'; it has 'items'"):
        open_pool(given["source"], table="item", id="id", score="score", threshold=0.5)


def test_what_holds_no_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"source must be .* or a table of Ibis, Spark, pandas, .*: got list"):
        open_pool([1, 2], id="id", score="score", threshold=0.5)
    (tmp_path / "rows.parquet").write_bytes(b"nothing of that kind")
    with pytest.raises(PoolError, match=r"the engine failed while reading .*rows\.parquet"):
        open_pool(tmp_path / "rows.parquet", id="id", score="score", threshold=0.5)


@pytest.mark.parametrize(
    ("name", "row", "bad", "what"),
    [
        ("rows.csv", "a{},0.5\n", "b,high\n", r'that in line 40002 of .* \(.*b,high .*convert string "high".*'),
        ("rows.jsonl", '{{"id": "a{}", "score": 0.5}}\n', '{"id": 0.5}}\n', r"that near line 4000\d of .* \(unexp.*"),
    ],
)
def test_a_row_far_down_that_cannot_be_read(tmp_path: Path, name: str, row: str, bad: str, what: str) -> None:
    """Reading it again does not help: somebody has to correct it."""
    header = "id,score\n" if name == "rows.csv" else ""
    (tmp_path / name).write_text(header + "".join(map(row.format, range(40_000))) + bad + row.format("last"))
    message = rf"^source must have rows that can be read: {what}\); correct it, or leave it out$"
    with pytest.raises(PoolError, match=message):
        open_pool(tmp_path / name, id="id", score="score", threshold=0.7)


def test_a_server_that_is_not_there() -> None:
    module("psycopg")
    with pytest.raises(PoolError, match="the engine failed while connecting to the database"):
        open_pool("postgresql://nobody@127.0.0.1:1/none", table="items", id="id", score="score", threshold=0.5)


@pytest.mark.parametrize("item", ["z", 7, -1, 2**70, None, 1.5, True, ("a",), "\ud800"])
@pytest.mark.parametrize("ids", [list("abcde"), list(range(5))], ids=["texts", "integers"])
def test_what_is_no_item(item: Any, ids: list[Any]) -> None:
    pool = open_pool(table(ids, SCORES, [1, 1, 0, 0, 0]), id="id", score="score", prediction="predicted")
    assert item not in pool
    with pytest.raises(InputError, match=r"items must be ids of the pool: got .*, which is not in it"):
        Evaluation(pool, known={item: 1})


def test_a_sampler_that_needs_features() -> None:
    with pytest.raises(InputError, match="'herding' needs every item with its features in memory"):
        Evaluation(Pool([0.9, 0.1], threshold=0.5, levels=4), sampler="herding")


def test_predictions_and_threshold_of_single_precision() -> None:
    """0.7 in single precision is below 0.7: they agree as `Pool` would have it."""
    rows = pa.table({"id": [1, 2], "score": pa.array([0.7, 0.1], pa.float32()), "predicted": [1, 0]})
    assert open_pool(rows, id="id", score="score", prediction="predicted", threshold=0.7).predicted_positives == 1
