"""Files that pools are read from: every format gives the same pool, with the same checks; many rows stay there."""

import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

import lowshot
from lowshot.cli import console, pool_file
from lowshot.cli.columns import FileColumns
from lowshot.cli.pool_file import pool_of, stays
from lowshot.cli.table_file import ENDINGS, ShownRows, about_how_many_rows, count_rows
from lowshot.errors import InputError

from ..helpers import found, good, refused

FILES = ("pool.parquet", "pool.feather", "pool.arrow", "pool.csv", "pool.tsv", "pool.csv.gz", "pool.tsv.gz")
LINES = ("pool.jsonl", "pool.ndjson", "pool.jsonl.gz")
COLUMNS = FileColumns("p", "path", "yes")
BEGIN = ("--id", "path", "--score", "p", "--threshold", "0.5")
Rows = dict[str, list[Any]]
ROWS: Rows = {
    "path": ["007", "2026-11-16", "c, d"],
    "p": [0.9, 0.5, 0.25],
    "yes": [True, False, False],
    "title": ["one", None, "ünd\nthree"],
}


@pytest.fixture(autouse=True)
def _here(here: Path) -> None:
    pass


def write(path: str, rows: Rows) -> None:
    """The rows in the format that the ending says."""
    table, plain = pa.table(rows), path.removesuffix(".gz")
    if plain.endswith((".jsonl", ".ndjson")):
        there = [{name: value for name, value in row.items() if value is not None} for row in table.to_pylist()]
        lines = map(json.dumps, there)
        Path(plain).write_text("\n".join(lines) + "\n")
    elif plain.endswith((".csv", ".tsv")):
        mark = "\t" if plain.endswith("tsv") else ","
        pyarrow.csv.write_csv(table, plain, pyarrow.csv.WriteOptions(delimiter=mark))
    elif plain.endswith(".parquet"):
        pyarrow.parquet.write_table(table, plain, row_group_size=2)
    elif plain.endswith(".feather"):
        pyarrow.feather.write_feather(table, plain)
    else:
        with pyarrow.ipc.new_stream(plain, table.schema) as writer:
            writer.write_table(table)
    if plain != path:
        Path(path).write_bytes(gzip.compress(Path(plain).read_bytes()))


@pytest.mark.parametrize("path", [*FILES, *LINES])
def test_every_format_gives_the_same_pool(path: str) -> None:
    """Leading zeros and ids that look like dates stay texts; booleans are flags; texts may be missing."""
    write(path, ROWS)
    pool = pool_of(path, COLUMNS)
    assert pool.fingerprint == lowshot.Pool(ROWS["p"], ROWS["yes"], ids=ROWS["path"]).fingerprint
    assert ShownRows(path, ["title"]).at([2, 1, 0]) == [{"title": text} for text in ("ünd\nthree", "", "one")]
    assert count_rows(path, "--pool") == 3


@pytest.mark.parametrize("path", [*FILES, *LINES])
def test_whole_numbers_as_ids(path: str) -> None:
    write(path, {**ROWS, "path": [7, 3, 12]})
    pool = pool_of(path, COLUMNS)
    assert pool.names([0, 1, 2]) == [7, 3, 12]


BAD: list[tuple[str, Rows]] = [
    ("--score must have a value in every row: 1 of 3 in 'p' have none .first in row 2", {"p": [0.9, None, 0.1]}),
    ("--id must have a value in every row: 1 of 3", {"path": ["a", None, "b"]}),
    ("ids must be distinct: 1 of 3 repeat another", {"path": ["a", "a", "b"]}),
    ("--score must be a column of numbers: ", {"p": ["high", "low", "high"]}),
    ("predictions must be 0 or 1: 1 of 3", {"yes": [0, 2, 1]}),
    ("--prediction must be a column of .*: got 'yes', which does not occur", {"yes": [None, None, None]}),
]


@pytest.mark.parametrize("path", ["pool.parquet", "pool.feather", "pool.csv.gz", "pool.jsonl"])
@pytest.mark.parametrize(("message", "change"), BAD)
def test_every_format_has_the_same_checks(message: str, change: Rows, path: str) -> None:
    rows = {**ROWS, **change}
    if change.get("yes") == [None, None, None]:
        del rows["yes"]
    write(path, rows)
    with pytest.raises(InputError, match=message):
        pool_of(path, COLUMNS)


def test_a_repeated_column() -> None:
    table = pa.table([[1, 2], [0.5, 0.6], [0.1, 0.2]], names=["path", "p", "p"])
    pyarrow.feather.write_feather(table, "pool.feather")
    Path("pool.csv.gz").write_bytes(gzip.compress(b"path,p,p\n1,0.5,0.1\n"))
    for path in ("pool.feather", "pool.csv.gz"):
        with pytest.raises(InputError, match=r"--score must be a column of .*: got 'p', which occurs more than once"):
            pool_of(path, FileColumns("p", "path"), 0.5)


@pytest.mark.parametrize("path", ["broken.feather", "broken.csv.gz", "broken.jsonl", "broken.jsonl.gz"])
def test_what_cannot_be_read(path: str) -> None:
    Path(path).write_bytes(b"\xff\xfenothing")
    with pytest.raises(InputError, match=rf"--pool must be .*, as its ending says: {path} cannot be read"):
        pool_of(path, COLUMNS)
    Path("pool.parquet.gz").write_bytes(b"")
    with pytest.raises(InputError, match=r"--pool must end in .parquet, .feather") as caught:
        pool_of("pool.parquet.gz", COLUMNS)
    assert ENDINGS in str(caught.value)


def test_columns_that_begin_later_in_a_json_file() -> None:
    """Whole numbers first, others below; a helper that most lines do not have."""
    lines = [{"path": "a", "p": 1}, {"path": "b", "p": 0.5}, {"path": "c", "p": 0, "clip": 3.5}]
    Path("pool.jsonl").write_text("\n".join(map(json.dumps, lines)))
    good("start", "birds.db", "--pool", "pool.jsonl", "--id", "path", "--score", "p", "--threshold", "0.5",
         "--helper", "clip")  # fmt: skip
    assert found("status", "birds.db")["evaluations"][0]["items"] == 3


@pytest.mark.parametrize("path", ["pool.parquet", "pool.csv", "pool.csv.gz"])
def test_many_rows_stay_in_the_file(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    number = 2000
    rows: Rows = {
        "path": [f"b{n}" for n in range(number)],
        "p": [n / number for n in range(number)],
        "w": [1.0] * number,
    }
    write(path, rows)
    estimated = about_how_many_rows(path, "--pool")
    assert abs(estimated - number) <= 1
    columns = FileColumns("p", "path")
    assert not stays(path, None, columns)
    monkeypatch.setattr(pool_file, "MANY", number - 2)
    assert stays(path, None, columns)
    assert not stays(path, False, columns), "--in-memory"
    assert not stays(path, None, FileColumns("p", "path", weight="w"))
    assert not stays(path, None, FileColumns("p", "path", slices=("w",)))
    assert not stays(path, None, FileColumns("p"))
    began = good("start", "birds.db", "--pool", path, "--id", "path", "--score", "p", "--threshold", "0.9")
    assert "its rows stay in the file" in began.stdout
    monkeypatch.setattr(pool_file, "find_spec", lambda name: None)
    assert not stays(path, None, columns), "the extra [pools] is not installed"


def test_ids_of_a_csv_file_that_stays() -> None:
    """DuckDB looks at some rows only. Leading zeros further down must not be lost."""
    ids = [*map(str, range(100_000, 130_000)), "007"]
    lines = [f"{item},{place / 40_000}\n" for place, item in enumerate(ids)]
    Path("pool.csv").write_text("path,p\n" + "".join(lines))
    pool = lowshot.open_pool("pool.csv", id="path", score="p", threshold=0.5)
    assert pool.names([0]) == ["007"]
    Path("pool.csv").write_text("path,p\n" + "".join(lines[:-1]))
    assert lowshot.open_pool("pool.csv", id="path", score="p", threshold=0.5).names([0]) == [129_999]


@pytest.mark.parametrize("path", ["pool.csv", "pool.jsonl"])
def test_scores_and_texts_further_down_in_a_file_that_stays(path: str) -> None:
    """DuckDB looks at some rows only. If those have whole numbers, it would round scores further down."""
    many = 30_000
    rows: Rows = {
        "path": [f"item {number}" for number in range(many + 3)],
        "p": [*[0.0] * many, 0.7, 0.4, 0.2],
        "title": [*["20:00"] * many, "20.10", 'a, "b"\nc', "'quoted'"],
    }
    write(path, rows)
    Path(path).write_text(Path(path).read_text().replace("0.0", "0"))
    pool = lowshot.open_pool(path, id="path", score="p", threshold=0.3, show=["title"])
    assert pool.view().level(np.arange(4)).tolist() == [0.7, 0.4, 0.2, 0]
    assert pool.names([0, 1, 2]) == rows["path"][-3:]
    assert [item["title"] for item in pool.shown([*rows["path"][-3:], "item 0"]) or []] == [
        *rows["title"][-3:],
        "20:00",
    ]
    assert int(pool.view().predicted(np.arange(4)).sum()) == 2


@pytest.mark.parametrize("path", ["pool.jsonl", "pool.jsonl.gz", "pool.tsv.gz"])
def test_engine_mode_reads_them_too(path: str) -> None:
    write(path, {**ROWS, "path": ["a", "b", "c"]})
    good("start", "birds.db", "--pool", path, "--id", "path", "--score", "p", "--threshold", "0.5", "--engine")


@pytest.mark.parametrize("announcing", [console.working, console.progress])
def test_long_work_is_announced(
    announcing: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not on a terminal: one line, on stderr, if it takes long; nothing if it does not."""
    with announcing("Reading ..."):
        pass
    assert capfd.readouterr().err == ""
    monkeypatch.setattr(console, "PATIENCE", 0.01)
    with announcing("Reading pool.parquet: 3 rows ..."):
        end = time.monotonic() + 20
        while not (text := capfd.readouterr()).err and time.monotonic() < end:
            time.sleep(0.01)
    assert (text.out, text.err) == ("", "Reading pool.parquet: 3 rows ...\n")


def compressed(path: str, change: bool) -> None:
    """A file of 200 rows, with a byte in its middle changed or its end cut off."""
    write(path, {"path": [f"item {n * n}" for n in range(200)], "p": [n / 200 for n in range(200)]})
    whole = bytearray(Path(path).read_bytes())
    if change:
        whole[60:64] = b"\xff\xff\xff\xff"
    Path(path).write_bytes(whole if change else whole[: len(whole) // 2])


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("path", ["pool.csv.gz", "pool.jsonl.gz"])
def test_a_damaged_compressed_file_is_refused_in_a_sentence(path: str, change: bool) -> None:
    compressed(path, change)
    refused(f"{path} cannot be read", "start", "birds.db", "--pool", path, *BEGIN)
    assert not Path("birds.db").exists()


def test_a_csv_file_that_is_not_compressed_as_its_ending_says() -> None:
    write("pool.csv", ROWS)
    Path("pool.csv").rename("pool.csv.gz")
    refused("pool.csv.gz cannot be read .*gzip", "start", "birds.db", "--pool", "pool.csv.gz", *BEGIN)


@pytest.mark.parametrize("path", ["pool.jsonl", "pool.feather", "pool.parquet"])
def test_texts_without_utf8_are_refused_in_a_sentence(path: str) -> None:
    write(path, {**ROWS, "path": ["one", "twoXtwo", "three"]})
    whole = Path(path).read_bytes()
    assert b"twoXtwo" in whole
    Path(path).write_bytes(whole.replace(b"twoXtwo", b"two\xfftwo"))
    with pytest.raises(InputError, match=path):
        pool_of(path, COLUMNS)


def test_ids_that_only_memory_can_hold_do_not_stay_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of 64 bits, which have no sign; engines compare ids as signed integers."""
    monkeypatch.setattr(pool_file, "MANY", 2)
    ids = pa.array([2**64 - 1, 2**63, 5], pa.uint64())
    pyarrow.parquet.write_table(pa.table({"path": ids, "p": [0.9, 0.5, 0.25]}), "pool.parquet")
    good("start", "birds.db", "--pool", "pool.parquet", *BEGIN)
    assert {item["id"] for item in found("ask", "birds.db", "--count", "3")["items"]} == set(ids.to_pylist())


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("path,p,title,title", "--field must be a column of .*pool.csv.*'title', which occurs more than once"),
        ("path,p,text,p", "--score must be a column of .*pool.csv.*'p', which occurs more than once"),
        ("path,p,text,more", "--field must be a column of .*pool.csv.*'title', which does not occur"),
    ],
)
def test_columns_of_a_file_that_stays_are_checked_as_in_memory(header: str, message: str) -> None:
    Path("pool.csv").write_text(f"{header}\na,0.9,x,0.1\nb,0.2,y,0.8\n")
    refused(message, "start", "birds.db", "--pool", "pool.csv", *BEGIN, "--engine", "--field", "title")
