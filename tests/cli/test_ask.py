"""`lowshot ask`: what people see, who holds an item, files that are there already."""

import csv
import io
import json
from pathlib import Path

import pytest

import lowshot
from lowshot.store.clock import now

from ..helpers import found, good, invoke, refused
from .birds import BEGIN, IDS, asked, begin, pool_table

pytestmark = pytest.mark.usefixtures("birds")


def test_what_people_see() -> None:
    """Id and fields, never score or prediction."""
    begin("--question", "Is this <a> crow?")
    rows = list(csv.DictReader(io.StringIO(good("ask", "birds.db").stdout, newline="")))
    assert [list(row) for row in rows[:1]] == [["id", "title", "label"]]
    assert rows[0]["title"] == f"A bird\nnumber {IDS.index(rows[0]['id'])} ünd\u2028more"
    lines = good("ask", "birds.db", "--again", "--format", "jsonl").stdout.split("\n")
    assert json.loads(lines[0]) == {"id": rows[0]["id"], "title": rows[0]["title"], "label": ""}
    (task, *_) = json.loads(good("ask", "birds.db", "--again", "--format", "label-studio").stdout)
    assert task == {"data": {"id": rows[0]["id"], "title": rows[0]["title"]}}
    line = json.loads(good("ask", "birds.db", "--again", "--format", "prodigy").stdout.split("\n")[0])
    assert line == {"text": rows[0]["title"], "label": "Is this <a> crow?", "meta": {"id": rows[0]["id"]}}
    config = good("ask", "birds.db", "--format", "label-studio", "--config").stdout
    assert '<Header value="Is this &lt;a&gt; crow?"/>' in config
    assert '<Text name="title" value="$title"/>' in config
    assert found("status", "birds.db")["evaluations"][0]["pending"] == len(rows)


def test_images() -> None:
    good("start", "birds.db", *BEGIN[:-2], "--show", "image", "--field", "path", "--media-root", ".")
    line = json.loads(good("ask", "birds.db", "--count", "1", "--format", "prodigy").stdout)
    assert line["image"] == line["meta"]["id"]
    good("ask", "birds.db", "--format", "label-studio", "--config", "-o", "config.xml")
    assert '<Image name="id" value="$id"/>' in Path("config.xml").read_text()
    about = lowshot.store.Store("birds.db").headers()[0].about
    assert about["pool"] == "pool.parquet"
    assert about["absolute"]["pool"] == str(Path("pool.parquet").absolute())
    assert (about["show"], about["fields"], about["media_root"]) == ("image", ["path"], ".")
    columns = {
        "score": "p",
        "id": "path",
        "prediction": None,
        "weight": None,
        "models": [],
        "helpers": [],
        "slices": [],
    }
    assert about["columns"] == columns
    assert (about["threshold"], about["annotators_per_item"]) == (0.6, 1)


def test_ask_again_and_the_file_that_is_there() -> None:
    begin()
    first = good("ask", "birds.db", "--count", "4", "-o", "items.csv")
    assert first.stdout == ""
    assert first.stderr == "4 items in items.csv\n"
    refused("--output must not exist.*items.csv exists", "ask", "birds.db", "-o", "items.csv")
    second = good("ask", "birds.db", "--count", "3")
    assert second.stderr == "3 items\n4 other items pending: --again hands them out again\n"
    again = list(csv.DictReader(io.StringIO(good("ask", "birds.db", "--again").stdout)))
    assert len(again) == 7
    assert good("ask", "birds.db", "--again", "--count", "6").stderr.endswith(
        "1 other item pending: use a higher --count\n"
    )


def test_nothing_to_hand_out() -> None:
    begin()
    result = invoke("ask", "birds.db", "--again", "-o", "items.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "nothing to hand out: no item is pending\n"
    assert not Path("items.csv").exists()


def test_the_ending_says_the_format() -> None:
    begin()
    good("ask", "birds.db", "--count", "2", "-o", "items.jsonl")
    good("ask", "birds.db", "--again", "-o", "tasks.json")
    assert json.loads(Path("items.jsonl").read_text().split("\n")[0])["label"] == ""
    assert len(json.loads(Path("tasks.json").read_text())) == 2


def test_items_are_handed_out_by_name() -> None:
    begin()
    first = [item["id"] for item in found("ask", "birds.db", "--for", "ann", "--count", "3")["items"]]
    second = [item["id"] for item in found("ask", "birds.db", "--for", "bob", "--count", "3", "--hours", "48")["items"]]
    assert not set(first).intersection(second, asked(3))
    again = [item["id"] for item in found("ask", "birds.db", "--for", "ann", "--again")["items"]]
    assert again == first
    held = {one["name"]: one for one in found("status", "birds.db")["evaluations"][0]["held"]}
    assert {name: one["items"] for name, one in held.items()} == {"ann": 3, "bob": 3, "command line": 3}
    assert now(23.9 * 3600) < held["ann"]["until"] < now(24 * 3600)
    assert now(47.9 * 3600) < held["bob"]["until"] < now(48 * 3600)
    shown = good("label", "birds.db", "--terminal", "--for", "bob", "--count", "3", input="yyy").stdout
    assert shown.endswith("3 answered now, 3 labels in total\n")
    assert {row["id"] for row in found("export", "birds.db")["rows"]} == set(second)
    nothing = invoke("ask", "birds.db", "--for", "eve", "--again")
    assert (nothing.exit_code, nothing.stderr.count("6 pending items reserved for others")) == (1, 1)
    refused("--for must be a text", "ask", "birds.db", "--for", "")


def test_what_python_asked_stays_with_python() -> None:
    begin()
    evaluation = lowshot.Evaluation(lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS), store="birds.db")
    theirs = evaluation.ask(3)
    assert not set(theirs).intersection(asked())
    assert "  3 items with Python, until " in good("status", "birds.db").stdout
    again = [item["id"] for item in found("ask", "birds.db", "--for", "Python", "--again")["items"]]
    assert again == theirs


def test_lines_end_as_in_any_text_file() -> None:
    begin()
    assert b"\r" not in good("ask", "birds.db", "-o", "items.csv").stdout_bytes + Path("items.csv").read_bytes()
    assert b"\r" not in good("ask", "birds.db", "--again").stdout_bytes


def test_items_that_cannot_be_delivered_are_still_reserved() -> None:
    begin()
    refused(
        "cannot be written|can be written.*`lowshot ask --again` hands them out again",
        "ask",
        "birds.db",
        "-o",
        "/proc/items.csv",
    )
    assert good("ask", "birds.db", "--again").stdout.count("bird") > 0
    refused("--output must be a text file", "ask", "birds.db", "-o", "items.xlsx")
