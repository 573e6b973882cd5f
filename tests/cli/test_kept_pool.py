"""A pool is read once: later commands use what was kept of it, unless anything changed."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from lowshot.cli import kept_pool, opening
from lowshot.cli.kept_pool import KeptPool
from lowshot.pools.saved import FACTS, HEADER, MAGIC, Parts, load, save

from ..databases import connected, new_schema
from ..helpers import close_stores, found, good, refused

ITEMS = 300
IDS = [f"bird-{number}" for number in range(ITEMS)]
BEGIN = ("--id", "path", "--score", "p", "--threshold", "0.6", "--field", "title", "--seed", "3")
TABLE = pa.table(
    {
        "path": IDS,
        "p": np.random.default_rng(2).random(ITEMS),
        "q": np.random.default_rng(3).random(ITEMS),
        "w": np.arange(1.0, ITEMS + 1),
        "title": [None if number % 7 == 0 else f"Title {number}" for number in range(ITEMS)],
        "camera": [f"c{number % 3}" for number in range(ITEMS)],
        "weight": [float("nan") if number % 3 == 0 else number / 7 for number in range(ITEMS)],
    }
)


@pytest.fixture(autouse=True)
def _pools(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pools are kept, too, so that tests are quick."""
    monkeypatch.setattr(kept_pool, "LEAST", 1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "caches"))
    pyarrow.parquet.write_table(TABLE, "pool.parquet", row_group_size=70)
    pyarrow.csv.write_csv(TABLE, "pool.csv")
    pyarrow.feather.write_feather(TABLE, "pool.feather")


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pools that were read."""
    came: list[str] = []
    read = opening.About._read_pool

    def counting(about: opening.About, allow_external: bool) -> Any:
        came.append(Path(about.pool).name)
        return read(about, allow_external)

    monkeypatch.setattr(opening.About, "_read_pool", counting)
    return came


def kept() -> list[Path]:
    return sorted(Path().glob("birds.db-pool-*"))


def loop(rounds: int = 2) -> list[Any]:
    """What commands hand out and estimate."""
    seen: list[Any] = []
    for _ in range(rounds):
        items = found("ask", "birds.db", "--count", "7")["items"]
        lines = [json.dumps({"id": item["id"], "label": IDS.index(item["id"]) % 2}) for item in items]
        Path("told.jsonl").write_text("\n".join(lines))
        good("tell", "birds.db", "told.jsonl")
        told = found("status", "birds.db")
        for one in told["evaluations"]:
            one.pop("began"), one.pop("last_label")
        seen += [items, told]
    return seen


CASES: dict[str, tuple[str, ...]] = {
    "memory": ("--pool", "pool.parquet", *BEGIN),
    "csv": ("--pool", "pool.csv", *BEGIN),
    "weights": ("--pool", "pool.csv", *BEGIN, "--weight", "w", "--slice", "camera"),
    "models": (
        "--pool",
        "pool.parquet",
        "--id",
        "path",
        "--field",
        "title",
        "--model",
        "a=p@0.5",
        "--model",
        "b=q@0.6",
    ),
    "numbers that are missing": ("--pool", "pool.feather", *BEGIN, "--field", "weight"),
    "engine": ("--pool", "pool.parquet", *BEGIN, "--engine"),
    "engine, models": (
        *("--pool", "pool.parquet", "--id", "path", "--field", "title", "--engine"),
        *("--model", "a=p@0.5", "--model", "b=q@0.6", "--goal", "a"),
    ),
    "classes": ("--pool", "pool.csv", "--id", "path", "--classes", "p,q", "--field", "title"),
}


@pytest.mark.parametrize("part", ["all of it", "facts", "judged", "shapes", "shape"])
@pytest.mark.parametrize("odd", [None, [], [[]], {}, "text", 5, 1e300])
def test_odd_json_inside_a_right_checksum_is_read_again(part: str, odd: Any, readings: list[str]) -> None:
    good("start", "birds.db", *CASES["memory"])
    expected = found("estimate", "birds.db")
    (path,) = kept()
    was = load(path)
    assert was is not None
    plain: Any = {"facts": was.facts, "shapes": dict.fromkeys(was._shapes)}
    match part:
        case "all of it":
            plain = odd
        case "facts":
            plain["facts"] = odd
        case "judged":
            plain["facts"]["judged"] = odd
        case "shapes":
            plain["shapes"] = odd
        case _:
            plain["shapes"] = dict.fromkeys(was._shapes, odd)
    whole = path.read_bytes()[HEADER:]
    with pa.ipc.open_file(pa.py_buffer(whole)) as reader:
        batch = reader.get_batch(0).replace_schema_metadata({FACTS: json.dumps(plain)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    rest = sink.getvalue().to_pybytes()
    path.write_bytes(MAGIC + hashlib.sha256(rest).digest() + rest)
    readings.clear()
    assert found("estimate", "birds.db") == expected
    assert readings == ["pool.parquet"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_pool_is_read_once_and_everything_is_the_same(
    case: str, readings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if case == "classes":
        monkeypatch.setattr("tests.cli.test_kept_pool.loop", class_loop)
    good("start", "birds.db", *CASES[case])
    shutil.copy("birds.db", "fresh.db")
    seen = loop()
    assert len(readings) == 1, "only by start"
    assert len(kept()) == 1
    close_stores()
    shutil.move("fresh.db", "birds.db")
    monkeypatch.setattr(KeptPool, "open", lambda *_: None)
    assert loop() == seen
    assert len(readings) > 1


def class_loop() -> list[Any]:
    items = found("ask", "birds.db", "--count", "7")["items"]
    return [items, found("estimate", "birds.db", "--category", "p")]


def begin(*arguments: str) -> Path:
    good("start", "birds.db", "--pool", "pool.parquet", *BEGIN, *arguments)
    (path,) = kept()
    return path


def estimate() -> Any:
    return found("estimate", "birds.db")["value"]


@pytest.mark.parametrize("engine", ["--engine", "--in-memory"])
def test_a_file_that_changed_is_read_again(engine: str, readings: list[str]) -> None:
    path = begin(engine)
    value, before = estimate(), path.read_bytes()
    os.utime("pool.parquet", ns=(1, 1))
    assert estimate() == value
    assert readings == ["pool.parquet"] * 2
    assert path.read_bytes() != before, "made again, with the new time"
    assert estimate() == value
    assert len(readings) == 2
    other = TABLE.set_column(1, "p", pa.array(np.random.default_rng(9).random(ITEMS)))
    pyarrow.parquet.write_table(other, "pool.parquet", row_group_size=70)
    refused("pool must be the one that evaluation 'evaluation' began with", "estimate", "birds.db")
    assert len(readings) == 3


def test_another_file_in_a_folder_is_seen(readings: list[str]) -> None:
    Path("rows").mkdir()
    shutil.copy("pool.parquet", "rows/1.parquet")
    good("start", "birds.db", "--pool", "rows", *BEGIN)
    estimate()
    assert len(readings) == 1
    pyarrow.parquet.write_table(TABLE.slice(0, 3), "rows/2.parquet")
    refused("began with: 300 items then, 303 now|ids must be distinct", "estimate", "birds.db")


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:200] + b"\1" + whole[201:],
        lambda _: b"",
        lambda _: b"something else",
    ],
)
def test_a_damaged_file_is_made_again(damage: Callable[[bytes], bytes], readings: list[str]) -> None:
    path = begin()
    value, whole = estimate(), path.read_bytes()
    path.write_bytes(damage(whole))
    assert estimate() == value
    assert path.read_bytes() == whole
    assert len(readings) == 2
    path.unlink()
    assert estimate() == value, "it may be deleted at any time"
    assert path.read_bytes() == whole


def test_the_file_of_another_evaluation_is_not_used(readings: list[str]) -> None:
    path = begin()
    good("start", "birds.db", "--pool", "pool.parquet", *BEGIN[:-4], "--seed", "4", "--name", "other")
    other = next(one for one in kept() if one != path)
    shutil.copy(other, path)
    assert found("ask", "birds.db", "--name", "evaluation")["items"]
    assert readings == ["pool.parquet"] * 3


def test_a_file_of_another_format_is_not_used(readings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    monkeypatch.setattr("lowshot.pools.keeping.pool_from", lambda *_: {}["a column that is not there"])
    estimate()
    assert len(readings) == 2


def test_where_nothing_can_be_written(readings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lowshot.pools.saved._write", full)
    good("start", "birds.db", "--pool", "pool.parquet", *BEGIN)
    result = good("estimate", "birds.db")
    assert "No space" not in result.output
    assert len(readings) == 2
    assert {path.name for path in Path().iterdir()} == {"birds.db", "pool.csv", "pool.feather", "pool.parquet"}


def test_a_database_file_is_checked_like_a_file(readings: list[str]) -> None:
    with sqlite3.connect("pool.sqlite") as connection:
        connection.execute("CREATE TABLE birds (path TEXT, p REAL, title TEXT)")
        rows = [(row["path"], row["p"], row["title"]) for row in TABLE.to_pylist()]
        connection.executemany("INSERT INTO birds VALUES (?, ?, ?)", rows)
    good("start", "birds.db", "--pool", "pool.sqlite", "--table", "birds", *BEGIN)
    assert "not checked" not in good("estimate", "birds.db").stderr
    assert len(readings) == 1
    with sqlite3.connect("pool.sqlite") as connection:
        connection.execute("UPDATE birds SET p = 0.99 WHERE path = 'bird-5'")
    refused("pool must be the one", "estimate", "birds.db")


def test_the_rows_of_a_server_are_not_checked_and_it_is_said(postgres: str, readings: list[str]) -> None:
    url = new_schema(postgres)
    with connected(url) as connection:
        connection.execute("CREATE TABLE birds (path TEXT, p DOUBLE PRECISION, title TEXT)")
        for row in TABLE.to_pylist():
            connection.execute("INSERT INTO birds VALUES (%s, %s, %s)", (row["path"], row["p"], row["title"]))
        connection.commit()
    good("start", "birds.db", "--pool", url, "--table", "birds", *BEGIN)
    result = good("estimate", "birds.db", "--json")
    assert json.loads(result.stdout)["metric"]
    assert result.stderr.count("were not checked") == 1
    assert len(readings) == 1


def test_a_store_on_a_server_keeps_pools_in_the_cache(postgres: str, readings: list[str]) -> None:
    store = new_schema(postgres)
    good("start", store, "--pool", "pool.parquet", *BEGIN)
    good("status", store)
    assert len(readings) == 1
    (path,) = Path("caches/lowshot").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_user_without_a_home_keeps_nothing(
    postgres: str, readings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    store = new_schema(postgres)
    good("start", store, "--pool", "pool.parquet", *BEGIN)
    good("status", store)
    assert len(readings) == 2


def test_the_file_can_be_read_by_those_who_can_read_the_store() -> None:
    path = begin()
    assert path.stat().st_mode & 0o777 == Path("birds.db").stat().st_mode & 0o666


def test_known_labels_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items that the first pass did not fetch: their positions are kept when they are known."""
    monkeypatch.setattr("lowshot.pools.layout.RESERVE", 2)
    monkeypatch.setattr("lowshot.pools.opening.HEAD", 5)
    monkeypatch.setattr(
        "lowshot.pools.opening.unread_pool.__defaults__", (None, None, (), None, None, (), (), None, 4, 5, False)
    )
    Path("known.csv").write_text("id,label\n" + "".join(f"{name},0\n" for name in IDS[100:140]))
    saved = load(begin("--engine", "--known", "known.csv", "--known-drawn", "any"))
    assert saved is not None
    assert len(saved.array("further")) > 10, "or nothing is tested"
    monkeypatch.setattr(opening.About, "open_engine", lambda _: pytest.fail("the rows were asked"))
    assert found("estimate", "birds.db")["labels"] == 40


def test_small_pools_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pool, "LEAST", ITEMS + 1)
    good("start", "birds.db", "--pool", "pool.parquet", *BEGIN)
    assert kept() == []


def test_what_was_read_while_the_file_changed_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    read = opening.About._read_pool

    def changing(about: opening.About, allow_external: bool) -> Any:
        pool = read(about, allow_external)
        os.utime("pool.parquet", ns=(5, 5))
        return pool

    monkeypatch.setattr(opening.About, "_read_pool", changing)
    good("start", "birds.db", "--pool", "pool.parquet", *BEGIN)
    assert kept() == []
    os.utime("pool.parquet", ns=(7, 7))
    estimate()
    assert kept() == []


def test_two_processes_may_write_at_once() -> None:
    """Each writes a file of its own first: whichever is the last replaces the other as a whole."""
    path = begin()
    whole = load(path)
    assert whole is not None
    numbers = [Parts({"number": number}, {"values": np.full(50_000, number)}) for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(save, path, each) for each in numbers * 3]
        while not all(each.done() for each in writing):
            found = load(path)
            assert found is not None, "a part of a file was seen"
            if "number" in found.facts:
                assert (found.array("values") == found.facts["number"]).all()
    assert not list(Path().glob(".birds*")), "no temporary file is left"
