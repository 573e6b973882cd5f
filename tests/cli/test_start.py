"""`lowshot start`: pools in files, settings, and everything that can be wrong with them; no store is left behind."""

import re
import sys
from pathlib import Path

import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest

from lowshot.store import Store

from ..helpers import found, good, refused
from .birds import BEGIN, ITEMS, begin, label_everything, pool_table

pytestmark = pytest.mark.usefixtures("birds")


def test_csv_and_parquet_are_the_same_pool() -> None:
    begin()
    pyarrow.csv.write_csv(pool_table(), "pool.csv")
    label_everything(1)
    assert good("estimate", "birds.db", "--pool", "pool.csv").stdout == good("estimate", "birds.db").stdout


def test_leading_zeros_stay() -> None:
    rows = "".join(f"{number:03d};{number / 10}\n" for number in range(10))
    Path("zeros.csv").write_text(f"id;p\n{rows}")
    good("start", "zeros.db", "--pool", "zeros.csv", "--id", "id", "--score", "p", "--threshold", "0.5")
    assert re.search("^00[0-9],\r?$", good("ask", "zeros.db").stdout, re.MULTILINE)


CHANGES: list[tuple[str, tuple[str, ...]]] = [
    ("--pool must be an existing file: .*nowhere.parquet does not exist", ("--pool", "nowhere.parquet")),
    ("--pool must end in .parquet, .*jsonl.gz.: got .*pool.xlsx", ("--pool", "pool.xlsx")),
    ("--pool must be Parquet, as its ending says: .*broken.parquet cannot be read", ("--pool", "broken.parquet")),
    ("--pool must be CSV in UTF-8, as its ending says: .*empty.csv cannot be read", ("--pool", "empty.csv")),
    ("--pool must hold at least one item: .*header.csv", ("--pool", "header.csv")),
    (
        "--score must be a column of .*, one of path, p, title, crow, other, weight: got 'q', which does not occur",
        ("--score", "q"),
    ),
    ("--id must be a column of .*: got 'q'", ("--id", "q")),
    ("--field must be a column of .*: got 'q'", ("--field", "q")),
    ("--score must be a column of numbers: 'path' holds string, for example", ("--score", "path")),
    ("--id must be a column of texts or whole numbers: 'p' holds double", ("--id", "p")),
    ("ids must be distinct: 399 of 400 repeat another", ("--pool", "same.parquet")),
    ("--score must have a value in every row: 2 of 400 in 'p' have none .first in row 4", ("--pool", "null.csv")),
    ("scores must be finite: 3 of 400 are not .first at position 5", ("--pool", "nan.parquet")),
    ("--score must be a column of numbers: 2 of 400 in 'p' are not .first in row 4: 'NA'", ("--pool", "na.csv")),
    (
        "--prediction must be a column of 0 and 1, or of true and false: 'path' holds string, for example .*;"
        " make a column that is 1 where the model predicts positive, or give a threshold instead",
        ("--prediction", "path"),
    ),
    (
        "--prediction must be a column of 0 and 1, or of true and false: 400 of 400 in 'word' are not .first in row 1:"
        " 'yes'.; make a column that is 1 where",
        ("--prediction", "word", "--pool", "words.csv"),
    ),
    ("predictions must be 0 or 1: 400 of 400 are not", ("--prediction", "p", "--score", "weight")),
    ("give either --threshold or --prediction: got both", ("--prediction", "crow", "--threshold", "0.5")),
    ("give either --threshold or --prediction: got neither", ("--prediction", "")),
    ("metric must be one of", ("--metric", "accuracy")),
    ("metric must be of the F family", ("--metric", "tp")),
    ("sampler must be one of", ("--sampler", "magic")),
    ("settings of sampler 'curve' must be among", ("--set", "magic=1")),
    ("--set must be key=value: got 'anytime'", ("--set", "anytime")),
    ("anytime must be true or false: got 'perhaps'", ("--set", "anytime=perhaps")),
    ("scale must be one of", ("--scale", "percent")),
    ("seed must be a whole number", ("--seed", "-1")),
    ("--show must be one of text, image: got 'video'", ("--show", "video")),
    ("--media-root must be a folder that exists", ("--media-root", "nowhere")),
    ("--field must not be the score or the prediction.*'p' is the score", ("--field", "p")),
    ("--field must not be called id or label: got 'label'", ("--field", "label")),
    ("weights must be positive|--weight must be a column of numbers", ("--weight", "title")),
    ("name must be a text that is not empty", ("--name", " ")),
    (
        "--prevalence must be two shares from 0 to 1, LOW:HIGH: got '0.1'; write --prevalence 0.0005:0.002",
        ("--prevalence", "0.1"),
    ),
    ("--prevalence must be two shares from 0 to 1, LOW:HIGH: got 'a:b'", ("--prevalence", "a:b")),
    ("--prevalence must be two shares from 0 to 1, LOW:HIGH: got '0.2:0.1'", ("--prevalence", "0.2:0.1")),
    ("--prevalence must be possible: got 1e-06 to 0.002, less than one of 400", ("--prevalence", "0.000001:0.002")),
    ("--recall must be two shares from 0 to 1, LOW:HIGH: got '0.1:0.2:0.3'", ("--recall", "0.1:0.2:0.3")),
    ("--recall must be possible: got 0.9 to 1, prevalence 0.9 to 1", ("--prevalence", "0.9:1", "--recall", "0.9:1")),
    (
        "--like must be a store with one evaluation, or STORE:NAME: got 'no.db'; store must exist: no.db does not",
        ("--like", "no.db"),
    ),
    ("--like must be an evaluation with at least 30 labels: got one with 10", ("--like", "ten.db:evaluation")),
    (
        "--like must be a store with one evaluation, or STORE:NAME: got 'ten.db:x'; --name must be an evaluation",
        ("--like", "ten.db:x"),
    ),
    ("--like must be an evaluation of sampler 'curve': got one of 'rand'", ("--like", "rand.db")),
    ("prior must be left out with sampler 'rand'", ("--recall", "0.5:1", "--sampler", "rand")),
]


def prepare_bad_files() -> None:
    table = pool_table()
    Path("pool.xlsx").write_text("x")
    Path("broken.parquet").write_text("not parquet")
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("path,p,title\n")
    pyarrow.parquet.write_table(table.set_column(0, "path", [["same"] * ITEMS]), "same.parquet")
    score = table["p"].to_pylist()
    nan = [float("nan") if number in (5, 6, 7) else value for number, value in enumerate(score)]
    pyarrow.parquet.write_table(table.set_column(1, "p", [nan]), "nan.parquet")
    words = arrow.array(["yes" if flag else "no" for flag in table["crow"].to_pylist()])
    pyarrow.csv.write_csv(table.append_column("word", words), "words.csv")
    for name, word in (("null.csv", None), ("na.csv", "NA")):
        texts = [word if number in (3, 9) else str(value) for number, value in enumerate(score)]
        pyarrow.csv.write_csv(table.set_column(1, "p", arrow.array([texts[0], *texts[1:]])), name)


@pytest.mark.parametrize(("message", "arguments"), CHANGES)
def test_start_refuses(message: str, arguments: tuple[str, ...]) -> None:
    """And no store is left behind."""
    prepare_bad_files()
    if arguments[0] == "--like":
        begin(store="ten.db")
        begin("--sampler", "rand", store="rand.db")
        label_everything(1, store="ten.db")
    given = dict(zip(BEGIN[::2], BEGIN[1::2], strict=True))
    if arguments[0] == "--prediction":
        del given["--threshold"]
    given |= dict(zip(arguments[::2], arguments[1::2], strict=True))
    refused(message, "start", "new.db", *(part for pair in given.items() for part in pair if pair[1]))
    assert not Path("new.db").exists()


def test_start_takes_settings_predictions_weights() -> None:
    good(
        *("start", "birds.db", "--pool", "pool.parquet", "--id", "path", "--score", "p", "--prediction", "crow"),
        *("--weight", "weight", "--scale", "probability", "--metric", "recall", "--sampler", "sawade", "--seed", "7"),
        *("--instructions", "Look closely", "--annotators-per-item", "2"),
    )
    (one,) = found("status", "birds.db")["evaluations"]
    assert (one["metric"], one["sampler"], one["seed"], one["name"]) == ("recall", "sawade", 7, "evaluation")
    good("start", "curve.db", *BEGIN, "--set", "anytime=True", "--set", "insurance=0.1")
    settings = found("status", "curve.db")["evaluations"][0]["settings"]
    assert (settings["anytime"], settings["insurance"]) == (True, 0.1)


@pytest.mark.slow
def test_what_is_known_beforehand() -> None:
    """It is kept in the store, and shown by start, status and the report."""
    known = ("--prevalence", "0.05:0.2", "--recall", "0.5:1")
    assert "\nKnown beforehand: prevalence 0.05 to 0.2, recall 0.5 to 1\n" in begin(*known).stdout
    text = good("status", "birds.db").stdout
    assert "\n  known beforehand: prevalence 0.05 to 0.2, recall 0.5 to 1\n" in text
    (one,) = found("status", "birds.db")["evaluations"]
    assert one["prior"] == {"prevalence": [0.05, 0.2], "recall": [0.5, 1], "like": None}
    assert "prior" not in one["settings"]
    assert found("start", "other.db", *BEGIN, *known)["prior"] == one["prior"]
    assert found("start", "without.db", *BEGIN)["prior"] is None
    assert "known beforehand" not in good("status", "without.db").stdout


@pytest.mark.slow
def test_an_earlier_evaluation() -> None:
    """Its numbers are copied: the new evaluation goes on when the earlier one is gone."""
    begin("--name", "june")
    label_everything(4)
    begin("--like", "birds.db:june", store="july.db")
    Path("birds.db").unlink()
    label_everything(1, store="july.db")
    text = good("status", "july.db").stdout
    predicted = sum(pool_table()["crow"].to_pylist())
    earlier = f"like an evaluation of f1 with 60 labels (400 items, {predicted} predicted positive)"
    assert f"\n  known beforehand: {earlier}\n" in text
    (one,) = found("status", "july.db")["evaluations"]
    assert one["prior"]["like"] == {"metric": "f1", "labels": 60, "items": 400, "predicted": predicted}


def test_a_sampler_without_a_plan_begins_all_the_same() -> None:
    assert "Plan: a plan needs an interval, and rand has none yet" in begin("--sampler", "rand").stdout


def test_predictions_in_a_csv_file() -> None:
    pyarrow.csv.write_csv(pool_table(), "pool.csv")
    good("start", "a.db", "--pool", "pool.csv", "--id", "path", "--score", "p", "--prediction", "crow")
    good("start", "b.db", "--pool", "pool.parquet", "--id", "path", "--score", "p", "--threshold", "0.6")
    assert good("ask", "a.db").stdout == good("ask", "b.db").stdout


def test_a_name_that_is_taken() -> None:
    begin()
    message = "birds.db has an evaluation 'evaluation' already; use another name or another store, or go on"
    refused(message, "start", "birds.db", *BEGIN)


def test_somebody_else_begins_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """After we looked whether the name is taken, and after we looked again."""
    begin()
    find, looks = Store.find, iter((True, True))
    monkeypatch.setattr(Store, "find", lambda store, name: None if next(looks, False) else find(store, name))
    refused("--name must be a new one: birds.db has an evaluation 'evaluation' already", "start", "birds.db", *BEGIN)


def test_a_threshold_on_another_scale() -> None:
    columns = ("--pool", "pool.parquet", "--score", "p")
    refused(r"--threshold must be .* go from 0\.\d+ to 0\.\d+: got 60", "start", "b.db", *columns, "--threshold", "60")
    table = pool_table().append_column("never", arrow.array([0] * ITEMS))
    pyarrow.parquet.write_table(table, "pool.parquet")
    refused("--prediction must be 1 for some items", "start", "b.db", *columns, "--prediction", "never")
    assert not Path("b.db").exists()


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    refused("reading a file needs pyarrow.*: pip install 'lowshot\\[store\\]'", "start", "birds.db", *BEGIN)
