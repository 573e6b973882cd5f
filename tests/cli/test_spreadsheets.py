"""CSV files for a spreadsheet: no cell is taken for a formula."""

import csv
import io
from pathlib import Path

import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest

from ..helpers import found, good, refused
from .birds import begin

pytestmark = pytest.mark.usefixtures("birds")


def begin_with_formulas(ids: list[str]) -> None:
    columns = {"path": ids, "p": [0.9, 0.8, 0.4, 0.2], "title": ["+1", "@home", "=1+1", "crow"]}
    arrow.parquet.write_table(arrow.table(columns), "formulas.parquet")
    good(
        *("start", "birds.db", "--pool", "formulas.parquet", "--id", "path", "--score", "p"),
        *("--threshold", "0.5", "--field", "title"),
    )


def cells(text: str, *columns: str) -> list[tuple[str, ...]]:
    return sorted(tuple(row[column] for column in columns) for row in csv.DictReader(io.StringIO(text)))


def test_no_formulas_for_a_spreadsheet() -> None:
    begin_with_formulas(["=cmd()", "-2", "'quoted", "plain"])
    raw = [("'quoted", "=1+1"), ("-2", "@home"), ("=cmd()", "+1"), ("plain", "crow")]
    safe = [("'-2", "'@home"), ("'=cmd()", "'+1"), ("'quoted", "'=1+1"), ("plain", "crow")]
    assert cells(good("ask", "birds.db", "--count", "4").stdout, "id", "title") == raw
    good("ask", "birds.db", "--again", "-o", "items.csv", "--for-spreadsheet")
    text = Path("items.csv").read_text()
    assert cells(text, "id", "title") == safe
    Path("items.csv").write_text(text.replace(",\n", ",yes\n"))
    assert good("tell", "birds.db", "items.csv").stdout.startswith("4 new labels")
    exported = good("export", "birds.db", "--for-spreadsheet").stdout
    assert cells(exported, "id") == [(item,) for item, _ in safe]
    assert cells(good("export", "birds.db").stdout, "id") == [(item,) for item, _ in raw]
    Path("out.csv").write_text(exported)
    assert good("tell", "birds.db", "out.csv").stdout.startswith("0 new labels, 4 unchanged")


def test_the_names_of_slices_are_no_formulas() -> None:
    columns = {"path": ["a", "b", "c", "d"], "p": [0.9, 0.8, 0.4, 0.2], "camera": ["=1+1", "north"] * 2}
    arrow.parquet.write_table(arrow.table(columns), "cameras.parquet")
    good(
        *("start", "birds.db", "--pool", "cameras.parquet", "--id", "path", "--score", "p", "--threshold", "0.5"),
        *("--slice", "camera"),
    )
    by = ("table", "birds.db", "--by", "camera")
    assert cells(good(*by, "--csv").stdout, "camera") == [("=1+1",), ("north",)]
    assert cells(good(*by, "--csv", "--for-spreadsheet").stdout, "camera") == [("'=1+1",), ("north",)]
    good(*by, "-o", "table.csv", "--for-spreadsheet")
    assert cells(Path("table.csv").read_text(), "camera") == [("'=1+1",), ("north",)]
    for other in ((), ("--json",), ("-o", "table.html")):
        refused("--for-spreadsheet must come with --csv or -o FILE.csv", *by, *other, "--for-spreadsheet")


def test_an_id_that_could_be_another_one_with_an_apostrophe() -> None:
    begin_with_formulas(["=a", "'=a", "b", "c"])
    good("ask", "birds.db", "--count", "4")
    Path("items.csv").write_text("id,label\n'=a,1\n")
    refused("ids must be unambiguous", "tell", "birds.db", "items.csv")


@pytest.mark.parametrize("command", ["ask", "export"])
def test_only_csv_is_for_a_spreadsheet(command: str) -> None:
    begin()
    message = "--for-spreadsheet must come with --format csv: got jsonl"
    refused(message, command, "birds.db", "--format", "jsonl", "--for-spreadsheet")
    assert found("status", "birds.db")["evaluations"][0]["pending"] == 0
