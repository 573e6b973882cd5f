"""Slices from `lowshot start --slice`: tables, parts of the pool, and everything that can be wrong with them."""

import csv
import io
import json
import shlex
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot
from lowshot.cli.app import load

from ..helpers import found, good, refused
from .birds import BEGIN, IDS, ITEMS, fill_csv, label_everything, pool_table, truth

SLICES = ("--slice", "camera", "--slice", "month")
CAMERAS = [("north", "south", None)[number % 3] for number in range(ITEMS)]
MONTHS = [number % 4 + 1 for number in range(ITEMS)]


def sliced_table() -> arrow.Table:
    return pool_table().append_column("camera", [CAMERAS]).append_column("month", [MONTHS])


@pytest.fixture(autouse=True)
def _pool(here: Path) -> None:
    pyarrow.parquet.write_table(sliced_table(), "pool.parquet")
    pyarrow.csv.write_csv(sliced_table(), "pool.csv")


def memory() -> lowshot.Evaluation:
    """The same in Python, after two rounds."""
    table = sliced_table()
    pool = lowshot.Pool(
        table["p"].to_numpy(), threshold=0.6, ids=IDS, slices={"camera": CAMERAS, "month": np.array(MONTHS)}
    )
    evaluation = lowshot.Evaluation(pool)
    for _ in range(2):
        items = evaluation.ask(100)
        evaluation.tell(items, [truth()[str(item)] for item in items])
    return evaluation


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_whole_loop(ending: str) -> None:
    begun = good("start", "birds.db", "--pool", f"pool.{ending}", *BEGIN[2:], *SLICES)
    assert "\nSlices: camera (3 values), month (4 values)\n" in begun.stdout
    label_everything(2)
    python = memory()
    for by in ("camera", "month"):
        table = python.table(by=by, below=0.7)
        assert good("table", "birds.db", "--by", by, "--below", "0.7").stdout == (
            f"{table}\nfrom {python.labels} labels\n"
        )
    plain = found("table", "birds.db", "--by", "camera", "--metric", "recall")
    assert plain["rows"] == json.loads(json.dumps(python.table(by="camera", metric="recall").to_dict()["rows"]))
    assert plain["rows"][-1]["camera"] is None
    assert good("estimate", "birds.db", "--where", "camera=north").stdout == (
        f"{python.estimate(where={'camera': 'north'})}\n"
    )
    assert good("estimate", "birds.db", "--where", "camera=", "--where", "month=1", "--where", "month=2").stdout == (
        f"{python.estimate(where={'camera': None, 'month': [1, 2]})}\n"
    )
    other = good("estimate", "birds.db", "--threshold", "0.4", "--where", "camera=(missing)").stdout
    flags = sliced_table()["p"].to_numpy() >= 0.4
    assert other == f"{python.estimate(predictions=flags, where={'camera': None})}\n"


def test_the_table_as_csv_and_as_files(here: Path) -> None:
    good("start", "birds.db", *BEGIN, *SLICES)
    label_everything(1)
    printed = good("table", "birds.db", "--by", "camera", "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [row["camera"] for row in rows] == ["north", "south", ""]
    assert sum(int(row["items"]) for row in rows) == ITEMS
    good("table", "birds.db", "--by", "camera", "-o", "cameras.csv")
    assert Path("cameras.csv").read_text() == printed
    told = good("table", "birds.db", "--by", "camera", "-o", "cameras.html").stderr
    assert told.endswith("rows in cameras.html\n")
    assert "<svg" in Path("cameras.html").read_text()
    good("table", "birds.db", "--by", "camera", "-o", "cameras.png")
    assert Path("cameras.png").stat().st_size > 5_000


def examples() -> list[str]:
    """The examples of the help that are about slices."""
    lines = [line.strip() for command in ("table", "estimate") for line in load(command).epilog.split("\n")]
    return [line for line in lines if "camera" in line]


@pytest.mark.parametrize("line", examples())
def test_an_example_of_the_help_runs(line: str) -> None:
    good("start", "birds.db", *BEGIN, *SLICES)
    label_everything(1)
    good(*shlex.split(line)[1:])


def test_the_pool_can_be_moved_and_slices_are_kept_in_the_store(here: Path) -> None:
    good("start", "birds.db", *BEGIN, *SLICES)
    label_everything(1)
    before = good("table", "birds.db", "--by", "camera").stdout
    Path("pool.parquet").rename("elsewhere.parquet")
    assert good("table", "birds.db", "--by", "camera", "--pool", "elsewhere.parquet").stdout == before


def test_a_column_may_be_shown_and_be_a_slice() -> None:
    good("start", "birds.db", *BEGIN, "--slice", "camera", "--field", "camera")
    good("ask", "birds.db", "--count", "3", "-o", "items.csv")
    assert "camera" in Path("items.csv").read_text().splitlines()[0]
    Path("items.csv").write_text(fill_csv(Path("items.csv").read_text()))
    good("tell", "birds.db", "items.csv")


def test_an_evaluation_without_slices_says_so() -> None:
    good("start", "birds.db", *BEGIN)
    refused("by must be 'model' or a column of slices: got 'camera', and this pool has no slices", "table", "birds.db",
            "--by", "camera")  # fmt: skip
    refused("--where must name a column of slices: got 'camera', and this pool has no slices", "estimate", "birds.db",
            "--where", "camera=north")  # fmt: skip


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("by must be 'model' or a column of slices: got 'camra'; the nearest is 'camera'", ("table", "--by", "camra")),
        ("below must be left out with by='model'", ("table", "--below", "0.5")),
        ("give either --json or --csv: got both", ("table", "--json", "--csv")),
        ("--output must end in .csv, .html, .png: got x.txt", ("table", "-o", "x.txt")),
        ("--output must not be the store or the pool", ("table", "--by", "camera", "-o", "pool.csv")),
        ("--where must be a value that occurs in 'camera': got 'nort'; the nearest is", ("estimate", "--where",
         "camera=nort")),
        ("--where must be COLUMN=VALUE: got 'north'", ("estimate", "--where", "north")),
        ("--where must name a column of slices: got 'camra'; the nearest is 'camera'", ("estimate", "--where",
         "camra=north")),
        ("must be a value that occurs in 'month': got ''", ("estimate", "--where", "month=")),
    ],
)  # fmt: skip
def test_bad_questions(message: str, arguments: tuple[str, ...]) -> None:
    good("start", "birds.db", "--pool", "pool.csv", *BEGIN[2:], *SLICES)
    command, *options = arguments
    refused(message, command, "birds.db", *options)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("--slice must be a column of .*: got 'colour', which does not occur", ("--slice", "colour")),
        ("--slice must be a column of texts or whole numbers: 'p' holds double", ("--slice", "p")),
        ("--slice must have a name of its own each time: got 'camera' twice", ("--slice", "camera", "--slice",
         "camera")),
        ("names of --slice must not be 'model'", ("--slice", "model")),
        ("--slice needs the pool in memory: .* add --in-memory", ("--slice", "camera", "--engine")),
    ],
)  # fmt: skip
def test_bad_slices(message: str, arguments: tuple[str, ...]) -> None:
    refused(message, "start", "birds.db", *BEGIN, *arguments)
    assert not Path("birds.db").exists()


def test_dates_and_numbers_with_gaps() -> None:
    random = np.random.default_rng(0)
    day = arrow.array(np.datetime64("2026-01-01") + random.integers(0, 3, ITEMS).astype("timedelta64[D]"))
    float_month = arrow.array([None if number % 5 == 0 else float(number % 2) for number in range(ITEMS)])
    table = pool_table().append_column("day", day).append_column("level", float_month)
    pyarrow.parquet.write_table(table, "pool.parquet")
    good("start", "birds.db", *BEGIN, "--slice", "day", "--slice", "level")
    label_everything(1)
    assert [row["day"] for row in found("table", "birds.db", "--by", "day")["rows"]] == [
        "2026-01-01", "2026-01-02", "2026-01-03",
    ]  # fmt: skip
    assert [row["level"] for row in found("table", "birds.db", "--by", "level")["rows"]] == [0, 1, None]
