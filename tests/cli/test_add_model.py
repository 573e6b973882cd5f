"""`lowshot add-model`: a new model for old labels, from a file with its rows in any order."""

from pathlib import Path

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot

from ..helpers import found, good, invoke, refused
from .birds import BEGIN, IDS, ITEMS, answer, begin, label_everything, models_table, pool_table, write_models

pytestmark = pytest.mark.usefixtures("birds")
ADD = ("add-model", "birds.db", "v2", "--pool", "new.parquet", "--id", "name", "--score", "q", "--threshold", "2.5")
NEW = ("--name", "evaluation with v2")


def new_table(seed: int = 1) -> arrow.Table:
    """The columns of v2, with the rows shuffled."""
    table = models_table().select(["path", "q", "crow_v2"]).rename_columns(["name", "q", "crow_v2"])
    return table.take(np.random.default_rng(seed).permutation(ITEMS))


def write_new(table: arrow.Table | None = None) -> None:
    pyarrow.parquet.write_table(new_table() if table is None else table, "new.parquet")


def memory(rounds: int, goal: lowshot.goal.Goal | None = None) -> lowshot.Evaluation:
    """An evaluation of v1 in Python after so many rounds, with v2."""
    old = answer(lowshot.Evaluation(lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS)), rounds)
    return old.with_model("v2", models_table()["q"], threshold=2.5, goal=goal)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_model_that_comes_later(ending: str) -> None:
    """The new evaluation goes on as in Python; the old one stays as it was."""
    begin()
    label_everything(2)
    before = good("estimate", "birds.db").stdout
    write_new()
    pyarrow.csv.write_csv(new_table(), "new.csv")
    added = good(*ADD[:3], "--pool", f"new.{ending}", *ADD[5:], "--goal", "model,v2").stdout
    expected = memory(2, ("model", "v2"))
    assert added.startswith("evaluation with v2: f1 of 400 items, ")
    assert f"\n{expected.labels} labels taken over from evaluation.\n" in added
    assert "\nNext: lowshot label birds.db --name 'evaluation with v2'\n" in added
    refused("--name must say which evaluation: the store has 'evaluation', 'evaluation with v2'", "compare", "birds.db")
    for _ in range(2):
        assert good("compare", "birds.db", *NEW).stdout == f"{expected.compare('model', 'v2')}\n"
        label_everything(1, "birds.db", *NEW)
        answer(expected, 1)
    assert good("table", "birds.db", *NEW).stdout.startswith(f"{expected.table()}\n")
    assert good("estimate", "birds.db", "--name", "evaluation").stdout == before
    one, two = found("status", "birds.db")["evaluations"]
    assert [model["name"] for model in one["models"]] == ["model"]
    assert [model["name"] for model in two["models"]] == ["model", "v2"]
    assert two["goal"] == ["model", "v2"]


@pytest.mark.slow
def test_what_is_printed_as_json() -> None:
    begin()
    label_everything(1)
    write_new()
    plain = found(*ADD, "--as", "second", "--goal", "v2")
    assert (plain["name"], plain["goal"], plain["items"]) == ("second", "v2", ITEMS)
    assert [one["name"] for one in plain["models"]] == ["model", "v2"]
    assert found("estimate", "birds.db", "--name", "second")["value"] == memory(1).estimate(model="v2").value


def test_a_model_without_scores_and_one_from_the_file_of_the_pool() -> None:
    write_models("pool.parquet")
    begin()
    label_everything(1)
    good("add-model", "birds.db", "v2", "--prediction", "crow_v2", "--as", "second")
    good("add-model", "birds.db", "strict", "--score", "p", "--threshold", "0.8", "--name", "second", "--as", "third")
    table = models_table()
    old = answer(lowshot.Evaluation(lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS)), 1)
    new = old.with_model("v2", predictions=table["crow_v2"].to_pylist()).with_model("strict", table["p"], threshold=0.8)
    assert good("table", "birds.db", "--name", "third").stdout.startswith(f"{new.table()}\n")
    other = new.estimate(predictions=table["p"].to_numpy() >= 0.5)
    third = ("estimate", "birds.db", "--name", "third")
    assert good(*third, "--model", "strict", "--threshold", "0.5").stdout == f"{other}\n"
    refused("--threshold must be for a model that has scores: 'v2' has", *third, "--model", "v2", "--threshold", "0.5")
    Path("pool.parquet").rename("elsewhere.parquet")
    assert good("table", "birds.db", "--name", "third", "--pool", "elsewhere.parquet").stdout.startswith(
        str(new.table())
    )


def test_an_evaluation_that_judges_several_gets_one_more() -> None:
    write_models()
    good("start", "birds.db", "--pool", "models.parquet", "--id", "path", "--model", "v1=p@0.6", "--helper", "clip")
    label_everything(1)
    write_new()
    good(*ADD)
    assert [row["model"] for row in found("table", "birds.db", *NEW)["rows"]] == ["v1", "v2"]
    assert found("status", "birds.db", *NEW)["evaluations"][0]["helpers"][0]["name"] == "clip"


def test_rows_by_position() -> None:
    """Without ids, the rows of both files are in the same order."""
    good("start", "birds.db", "--pool", "pool.parquet", "--score", "p", "--threshold", "0.6")
    items = [item["id"] for item in found("ask", "birds.db")["items"]]
    Path("told.csv").write_text("id,label\n" + "".join(f"{item},{int(item % 9 == 0)}\n" for item in items))
    good("tell", "birds.db", "told.csv")
    write_new(models_table().slice(1))
    add = ("add-model", "birds.db", "v2", "--pool", "new.parquet", "--score", "q", "--threshold", "2.5")
    refused("--pool must hold one row for each item, 400: .*new.parquet has 399", *add)
    write_new(models_table())
    good(*add)
    old = lowshot.Evaluation(lowshot.Pool(pool_table()["p"], threshold=0.6))
    old.tell(asked := old.ask(20), [int(int(item) % 9 == 0) for item in asked])
    new = old.with_model("v2", models_table()["q"], threshold=2.5)
    assert good("table", "birds.db", *NEW).stdout.startswith(f"{new.table()}\n")


def test_ids_that_a_csv_file_reads_as_numbers() -> None:
    numbers = [str(number) for number in range(ITEMS)]
    pyarrow.parquet.write_table(pool_table().set_column(0, "path", [numbers]), "pool.parquet")
    begin()
    table = models_table().set_column(0, "name", [numbers]).take(np.random.default_rng(0).permutation(ITEMS))
    pyarrow.csv.write_csv(table, "new.csv")
    good(*ADD[:3], "--pool", "new.csv", *ADD[5:])
    assert found("status", "birds.db", *NEW)["evaluations"][0]["problem"] == ""


def test_files_that_are_moved(here: Path) -> None:
    """The new evaluation keeps both files, relative to the store if they are near it."""
    Path("work").mkdir()
    write_new()
    for file in ("pool.parquet", "new.parquet"):
        Path(file).rename(f"work/{file}")
    good("start", "work/birds.db", "--pool", "work/pool.parquet", *BEGIN[2:])
    good("add-model", "work/birds.db", "v2", "--pool", "work/new.parquet", *ADD[5:])
    before = good("table", "work/birds.db", *NEW).stdout
    Path("work").rename("moved")
    table = ("table", "moved/birds.db", *NEW)
    assert good(*table).stdout == before
    Path("moved/new.parquet").rename("far=off.parquet")
    refused("--pool v2=FILE must be an existing file: .*moved/new.parquet does not exist", *table)
    assert good(*table, "--pool", "v2=far=off.parquet").stdout == before
    Path("moved/pool.parquet").rename("pool.parquet")
    assert good(*table, "--pool", "v2=far=off.parquet", "--pool", "pool.parquet").stdout == before
    again = ("add-model", "moved/birds.db", "v3", "--pool", "far=off.parquet", *ADD[5:], "--name", "evaluation")
    refused("--pool must be an existing file: .*moved/pool.parquet", *again)
    good(*again, "--old-pool", "pool.parquet")
    assert len(found("table", "moved/birds.db", "--name", "evaluation with v3")["rows"]) == 2


def test_a_file_that_changed() -> None:
    begin()
    write_new()
    good(*ADD)
    write_new(new_table().set_column(1, "q", [np.zeros(ITEMS)]))
    refused("pool must be the one that evaluation 'evaluation with v2' began with", "table", "birds.db", *NEW)


def with_ids(changes: dict[str, str]) -> arrow.Table:
    """The new file, with other ids for some items."""
    return new_table().set_column(0, "name", [[changes.get(item, item) for item in new_table()["name"].to_pylist()]])


FILES = {
    "less": lambda: new_table().slice(3),
    "more": lambda: arrow.concat_tables([new_table(), new_table().slice(0, 1).set_column(0, "name", [["x"]])]),
    "other": lambda: with_ids({IDS[7]: "x", IDS[9]: "y"}),
    "twice": lambda: with_ids({IDS[7]: IDS[9]}),
    "nan": lambda: new_table().set_column(1, "q", [[float("nan")] * 2 + [0.5] * (ITEMS - 2)]),
}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            "less",
            r"--pool must hold each of the 400 items of the pool once: .*new.parquet has 3 items missing \(for exam",
        ),
        ("more", r"new.parquet has 1 id not in the pool \(for example 'x'\); give a file with the same items"),
        ("other", r"has 2 items missing \(for example 'bird 007.*'\), 2 ids not in the pool \(for example '[xy]'\)"),
        ("twice", r"has 1 item missing \(for example 'bird 007.*'\), 1 item more than once \(for example 'bird 009"),
        ("nan", r"scores\['v2'\] must be finite: 2 of 400 are not"),
    ],
)
def test_files_that_are_refused(file: str, message: str) -> None:
    begin()
    write_new(FILES[file]())
    refused(message, *ADD)
    assert len(found("status", "birds.db")["evaluations"]) == 1


def replaced(option: str, value: str) -> tuple[str, ...]:
    """The command with another value of one option."""
    place = ADD.index(option) + 1
    return (*ADD[:place], value, *ADD[place + 1 :])


def test_what_is_refused() -> None:
    write_models("pool.parquet")
    begin("--field", "q")
    write_new()
    for message, command in (
        ("--pool must be an existing file: .*nowhere.parquet", replaced("--pool", "nowhere.parquet")),
        ("--id must be a column of .*new.parquet, one of name, q, crow_v2: got 'path'", replaced("--id", "path")),
        ("--id must be a column of .*new.parquet, .*: got 'path'", (*ADD[:5], *ADD[7:])),
        ("--score must be a column of .*: got 'p'", replaced("--score", "p")),
        ("--threshold must be reached by some scores, which go from .*: got 60", replaced("--threshold", "60")),
        ("give either --threshold or --prediction: got both", (*ADD, "--prediction", "crow_v2")),
        ("give either --threshold or --prediction: got neither", ADD[:-2]),
        ("--threshold must come with --score: got none", (*ADD[:7], *ADD[9:])),
        ("names of MODEL must not be 'each' or 'best', which are goals: got 'best'", (*ADD[:2], "best", *ADD[3:])),
        ("names of MODEL must not contain '=': got 'v2=q'", (*ADD[:2], "v2=q", *ADD[3:])),
        ("name must be that of a new model: the pool has 'model' already", (*ADD[:2], "model", *ADD[3:])),
        ("--as must be a new name: the store has an evaluation 'evaluation' already", (*ADD, "--as", "evaluation")),
        ("--goal must be a model of the pool, one of model, v2: got 'v1'", (*ADD, "--goal", "v1,v2")),
        ("--goal must be a model, each, best or BASELINE,CANDIDATE: got 'a,b,c'", (*ADD, "--goal", "a,b,c")),
        ("store must exist", ("add-model", "no.db", *ADD[2:])),
        (
            "--score must not be a column that annotators see, because it influences them: they see 'q'",
            (*ADD[:3], *ADD[7:]),
        ),
    ):
        refused(message, *command)
    assert len(found("status", "birds.db")["evaluations"]) == 1
    good(*ADD)
    refused("--as must be a new name: the store has an evaluation 'evaluation with v2'", *ADD, "--name", "evaluation")


def test_other_samplers_and_rows_that_stay_where_they_are() -> None:
    write_new()
    begin("--sampler", "acis", "--name", "acis")
    refused("a model can be added with sampler 'curve' only: this evaluation has 'acis'", *ADD)
    begin("--engine", store="large.db")
    result = invoke("add-model", "large.db", *ADD[2:])
    assert result.exit_code == 2
    assert "a model cannot be added to a pool whose rows stay where they are" in result.stderr
