"""The command line over pools that stay where they are: the same loop, the same numbers, and what is refused."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import lowshot
from lowshot.report import gather

from ..helpers import found, good, invoke, refused

ITEMS = 400
RANDOM = np.random.default_rng(5)
POSITIVE = RANDOM.random(ITEMS) < 0.1
SCORES = 1 / (1 + np.exp(-(RANDOM.normal(size=ITEMS) + 3 * POSITIVE - 1)))
IDS = [f"bird-{number}" for number in range(ITEMS)]
TRUTH = dict(zip(IDS, POSITIVE.astype(int).tolist(), strict=True))
BEGIN = ("--id", "path", "--score", "p", "--threshold", "0.6")


@pytest.fixture(autouse=True)
def _pools(here: Path) -> None:
    """Two files of a pool in a folder, the same rows in a database."""
    titles = [f"Title of {name}" for name in IDS]
    rows = pa.table({"path": IDS, "p": SCORES, "title": titles})
    Path("scores").mkdir()
    for number, start in enumerate((0, 250)):
        parquet.write_table(rows.slice(start, 250), f"scores/{number}.parquet")
    with sqlite3.connect("pool.sqlite") as connection:
        connection.execute("CREATE TABLE birds (path TEXT, p REAL, title TEXT)")
        connection.executemany("INSERT INTO birds VALUES (?, ?, ?)", zip(IDS, SCORES.tolist(), titles, strict=True))


def label(store: str, rounds: int) -> list[str]:
    """What was asked, all of it told."""
    asked: list[str] = []
    for _ in range(rounds):
        items = found("ask", store)["items"]
        lines = [json.dumps({"id": item["id"], "label": TRUTH[item["id"]]}) for item in items]
        Path("told.jsonl").write_text("\n".join(lines))
        good("tell", store, "told.jsonl")
        asked += [item["id"] for item in items]
    return asked


@pytest.mark.parametrize("pool", [("scores/*.parquet",), ("scores",), ("pool.sqlite", "--table", "birds")])
def test_the_loop_is_that_of_python(pool: tuple[str, ...]) -> None:
    good("start", "birds.db", "--pool", *pool, *BEGIN, "--seed", "3", "--field", "title")
    asked = label("birds.db", 3)
    evaluation = lowshot.Evaluation(lowshot.Pool(SCORES, threshold=0.6, ids=IDS, levels=256), seed=3)
    while evaluation.labels < len(asked):
        items = evaluation.ask(len(asked) - evaluation.labels)
        evaluation.tell(items, [TRUTH[str(item)] for item in items])
    assert asked == [answer["item"] for answer in evaluation.history["answers"]]
    assert found("estimate", "birds.db")["value"] == evaluation.estimate().value


def test_people_see_the_columns_that_they_are_shown() -> None:
    good("start", "birds.db", "--pool", "scores/*.parquet", *BEGIN, "--field", "title")
    items = found("ask", "birds.db")["items"]
    assert items
    assert all(item["title"] == f"Title of {item['id']}" for item in items)


def test_export_and_report() -> None:
    good("start", "birds.db", "--pool", "scores", *BEGIN)
    asked = label("birds.db", 2)
    rows = [json.loads(line) for line in good("export", "birds.db", "--format", "jsonl").stdout.splitlines()]
    assert [row["id"] for row in rows] == asked
    predicted = {name: int(score >= 0.6) for name, score in zip(IDS, SCORES.tolist(), strict=True)}
    assert all(row["prediction"] == predicted[row["id"]] for row in rows)
    good("report", "birds.db", "-o", "report.html")
    assert asked[0] in Path("report.html").read_text()


def test_ranks_of_a_report_are_those_of_the_scores() -> None:
    pool = lowshot.open_pool("scores", id="path", score="p", threshold=0.6)
    evaluation = lowshot.Evaluation(pool, seed=1)
    items = evaluation.ask(10)
    evaluation.tell(items, [TRUTH[str(item)] for item in items])
    rank = {IDS[place]: number for number, place in enumerate(np.argsort(-SCORES).tolist(), 1)}
    facts = gather(evaluation)
    assert {row.item: row.rank for row in facts.table} == {item: rank[str(item)] for item in items}
    assert facts.histogram.items.sum() == ITEMS


def test_a_pool_that_changed_is_refused() -> None:
    good("start", "birds.db", "--pool", "scores", *BEGIN)
    parquet.write_table(pa.table({"path": ["new"], "p": [0.7], "title": [""]}), "scores/2.parquet")
    refused("400 items then, 401 now", "estimate", "birds.db")


def test_what_cannot_be_begun() -> None:
    refused("--in-memory needs one file", "start", "a.db", "--pool", "scores/*.parquet", "--in-memory", *BEGIN)
    refused("must come with --id", "start", "a.db", "--pool", "scores", "--score", "p", "--threshold", "0.6")
    refused("without a password", "start", "a.db", "--pool", "postgresql://me:secret@host/db", "--table", "t", *BEGIN)
    refused("--pool must be there", "start", "a.db", "--pool", "nowhere/*.parquet", *BEGIN)
    refused("table must be one of the database's: got None", "start", "a.db", "--pool", "pool.sqlite", *BEGIN)
    good("start", "birds.db", "--pool", "scores", *BEGIN)
    label("birds.db", 1)
    refused("predictions of another model", "estimate", "birds.db", "--threshold", "0.5")


def test_check() -> None:
    assert "No id is missing or repeated." in good("check", "--pool", "scores", *BEGIN).stdout
    parquet.write_table(pa.table({"path": ["bird-7"], "p": [0.1], "title": [""]}), "scores/2.parquet")
    result = invoke("check", "--pool", "scores", *BEGIN)
    assert result.exit_code == 1
    assert "1 id more than once, for example 'bird-7'" in result.stdout
    counted = json.loads(invoke("check", "--pool", "scores", *BEGIN, "--json").stdout)
    assert (counted["items"], counted["repeated"], counted["examples"]) == (ITEMS + 1, 1, ["bird-7"])
