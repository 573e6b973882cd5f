"""Which evaluation and which pool a command works with: by name, moved, changed, begun in Python, on a server."""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot
from lowshot.cli.opening import open_evaluation

from ..helpers import close_stores, found, good, invoke, refused
from ..needed import module
from .birds import BEGIN, IDS, ITEMS, begin, fill_csv, label_everything, pool_table, truth

pytestmark = pytest.mark.usefixtures("birds")


def test_which_evaluation() -> None:
    refused("store must exist: birds.db does not; .*`lowshot start`", "ask", "birds.db")
    assert not Path("birds.db").exists()
    begin("--name", "one")
    assert found("estimate", "birds.db")["name"] == "one"
    begin("--name", "two")
    for command in ("ask", "estimate", "plan", "export"):
        refused("--name must say which evaluation: the store has 'one', 'two'", command, "birds.db")
        refused("--name must be an evaluation of the store, one of 'one', 'two'", command, "birds.db", "--name", "x")
    assert found("estimate", "birds.db", "--name", "two")["name"] == "two"
    assert [one["name"] for one in found("status", "birds.db", "--name", "two")["evaluations"]] == ["two"]


def test_a_store_without_evaluations() -> None:
    lowshot.store.Store("empty.db")
    refused("store must contain an evaluation: it has none", "estimate", "empty.db")
    assert "no evaluation" in good("status", "empty.db").stdout
    Path("words.db").write_text("this is not a store " * 100)
    refused("the file is not a store", "status", "words.db")


def test_two_evaluations_of_one_question() -> None:
    begin("--name", "one", "--question", "Is this a crow?")
    good("ask", "birds.db", "-o", "items.csv", "--name", "one")
    Path("items.csv").write_text(fill_csv(Path("items.csv").read_text()))
    good("tell", "birds.db", "items.csv", "--name", "one")
    second = begin("--name", "two", "--question", "Is this a crow?", "--metric", "recall", "--seed", "1")
    labels = found("status", "birds.db", "--name", "one")["evaluations"][0]["labels"]
    assert f"{labels} labels known already" in second.stdout
    rows = good("export", "birds.db", "--name", "two", "--format", "jsonl").stdout.strip().split("\n")
    assert len(rows) == labels
    assert json.loads(rows[0])["round"] is None


def test_a_pool_that_moved_or_changed(here: Path) -> None:
    begin()
    label_everything(1)
    before = good("estimate", "birds.db").stdout
    Path("pool.parquet").rename("elsewhere.parquet")
    refused("--pool must be an existing file: .*pool.parquet does not exist", "estimate", "birds.db")
    assert "no estimate: --pool must be an existing file" in good("status", "birds.db").stdout
    assert "must be an existing file" in found("status", "birds.db")["evaluations"][0]["problem"]
    assert good("estimate", "birds.db", "--pool", "elsewhere.parquet").stdout == before
    pyarrow.parquet.write_table(pool_table().slice(1), "pool.parquet")
    refused("pool must be the one that evaluation 'evaluation' began with: 400 items then, 399", "ask", "birds.db")
    random = np.random.default_rng(1).permutation(ITEMS)
    pyarrow.parquet.write_table(pool_table().take(random), "pool.parquet")
    assert good("estimate", "birds.db").stdout == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("store", "pool"),
    [
        ("work/birds.db", "work/pool.parquet"),
        ("work/birds.db", "work/data/pool.parquet"),
        ("work/stores/birds.db", "work/data/pool.parquet"),
        ("work/birds.db", "work/data/*.parquet"),
    ],
)
def test_a_folder_that_is_moved(here: Path, store: str, pool: str) -> None:
    """With the store, its pool and its pictures; and a store that is moved alone finds its pool where it was."""
    for folder in ("work/data", "work/stores", "work/pictures"):
        Path(folder).mkdir(parents=True)
    shutil.copy("pool.parquet", pool.replace("*", "part"))
    begun = ("start", store, "--pool", pool, *BEGIN[2:], "--show", "image", "--media-root", "work/pictures")
    good(*begun, "--engine" if "*" in pool else "--in-memory")
    label_everything(1, store)
    before = good("estimate", store).stdout
    close_stores()
    Path("work").rename("moved")
    now = store.replace("work/", "moved/")
    assert found("status", now)["evaluations"][0]["problem"] == ""
    assert good("estimate", now).stdout == before
    assert good("ask", now, "--count", "2").stdout.count("bird") == 4
    assert open_evaluation(now).about.media_root == str(here / "moved/pictures")
    Path("far/off/away").mkdir(parents=True)
    close_stores()
    Path("moved").rename("work")
    Path(store).rename("far/off/away/birds.db")
    assert good("estimate", "far/off/away/birds.db").stdout == before
    Path("work").rename("lost")
    assert "far/off" in refused_by("estimate", "far/off/away/birds.db")


def refused_by(*arguments: str) -> str:
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr


def test_an_evaluation_that_began_in_python() -> None:
    lowshot.Evaluation(lowshot.Pool([0.9, 0.1], threshold=0.5), store="python.db")
    refused("must have begun with `lowshot start`: it began in Python", "ask", "python.db")
    for number, about in enumerate(
        ({"pool": 1, "columns": [2]}, {"absolute": 3}, {"pool": "a", "columns": {"b": "c"}})
    ):
        pool = lowshot.Pool([0.9, 0.1], threshold=0.5)
        lowshot.Evaluation(pool, store="python.db", name=f"about {number}", about=about)
        refused("it began in Python", "ask", "python.db", "--name", f"about {number}")
    assert found("status", "python.db")["evaluations"][0]["items"] == 2


def test_python_goes_on_with_what_the_terminal_began() -> None:
    begin()
    pool = lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS)
    evaluation = lowshot.Evaluation(pool, store="birds.db")
    items = evaluation.ask(5)
    evaluation.tell(items, [truth()[str(item)] for item in items])
    assert good("estimate", "birds.db").stdout == f"{evaluation.estimate()}\n"


def test_a_server(postgres: str) -> None:
    begin(store=postgres)
    good("ask", postgres, "--count", "3", "-o", "items.csv")
    Path("items.csv").write_text(fill_csv(Path("items.csv").read_text()))
    assert good("tell", postgres, "items.csv").stdout.startswith("3 new labels")
    assert good("label", postgres, "--terminal", input="yunq").stdout.endswith("1 answered now, 4 labels in total\n")
    (one,) = found("status", postgres)["evaluations"]
    assert (one["labels"], one["pending"]) == (4, 1)
    assert len(good("export", postgres, "--format", "jsonl").stdout.strip().split("\n")) == 4
    assert invoke("estimate", postgres, "--at-least", "1").exit_code in (3, 4)


@pytest.mark.parametrize(
    "where",
    [
        "mysql://ann:secret@host/birds",
        "postgresql://ann:secret@127.0.0.1:1/birds",
        "postgresql://ann:se@secret@127.0.0.1:1/birds",
        "postgresql://ann:se/secret@127.0.0.1:1/birds",
        "postgresql://ann:secret/birds",
        "postgresql://127.0.0.1:1/birds?user=ann&password=secret",
        "postgresql:/ann:secret@host/birds",
        "host=127.0.0.1/x password=secret",
    ],
)
def test_a_password_is_not_shown(where: str) -> None:
    module("psycopg")
    for command in (("start", where, *BEGIN), ("status", where), ("estimate", where), ("ask", where), ("label", where)):
        result = invoke(*command)
        assert result.exit_code == 2, result.output
        assert "secret" not in result.output
        assert result.output.startswith("lowshot: store")
