"""The whole loop through commands: in every format, with every sampler, and with --json."""

import csv
import io
import json
from pathlib import Path

import pytest

import lowshot

from ..helpers import found, good, invoke, refused
from .birds import FORMATS, IDS, ITEMS, begin, fill_csv, label_everything, pool_table, truth

pytestmark = pytest.mark.usefixtures("birds")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("guess", [True, False])
def test_the_whole_loop(form: str, guess: bool) -> None:
    """What ask writes, filled in, tell reads; the same evaluation in memory gives the same answers."""
    assert "f1 of Pool(400 items" in begin().stdout
    pool = lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS)
    memory = lowshot.Evaluation(pool)
    for number in range(3):
        items = memory.ask(12)
        memory.tell(items, [truth()[str(item)] for item in items])
        asked = good("ask", "birds.db", "--count", "12", "--format", form)
        assert asked.stderr.splitlines()[0] == f"{len(items)} items"
        assert "0.6" not in asked.stdout
        Path("filled").write_text(FORMATS[form](asked.stdout))
        told = good("tell", "birds.db", "filled", *(() if guess else ("--format", form)))
        assert told.stdout == f"{len(items)} new labels, 0 unchanged, 0 corrected, 0 without an answer\n", number
    assert good("estimate", "birds.db").stdout == f"{memory.estimate()}\n"
    assert good("plan", "birds.db", "--half-width", "0.2").stdout == f"{memory.plan(0.2)}\n"
    assert good("tell", "birds.db", "filled").stdout.startswith("0 new labels, ")
    assert found("status", "birds.db")["evaluations"][0]["labels"] == memory.labels
    rows = list(csv.DictReader(io.StringIO(good("export", "birds.db").stdout)))
    assert {row["id"]: int(row["label"]) for row in rows} == memory.history["labels"]


def test_json_everywhere() -> None:
    """One object on stdout, and nothing else, of every command but the one that people sit at."""
    began = json.loads(begin("--question", "A crow?", "--json").stdout)
    assert (began["name"], began["question"], began["store"]) == ("evaluation", "A crow?", "birds.db")
    assert (began["items"], began["sampler"], began["known"]) == (ITEMS, "curve", 0)
    assert (
        found("status", "birds.db")["evaluations"][0].items()
        >= {key: began[key] for key in ("name", "metric", "settings", "seed", "predicted_positives")}.items()
    )
    handed = found("ask", "birds.db", "--count", "3")
    assert [sorted(item) for item in handed["items"]] == [["id", "title"]] * 3
    assert (handed["pending"], handed["output"], handed["reason"]) == (3, None, "")
    again = found("ask", "birds.db", "--again", "-o", "items.csv")
    assert again == {**handed, "output": "items.csv"}
    Path("items.csv").write_text(fill_csv(Path("items.csv").read_text()))
    assert found("tell", "birds.db", "items.csv")["new"] == 3
    exported = found("export", "birds.db")
    assert [row["id"] for row in exported["rows"]] == [item["id"] for item in handed["items"]]
    assert found("export", "birds.db", "-o", "out.csv") == {**exported, "output": "out.csv"}
    assert len(list(csv.reader(io.StringIO(Path("out.csv").read_text())))) == 4
    assert [Path(name).name for name in found("report", "birds.db")["files"]] == ["report.html"]
    refused("--config writes XML", "ask", "birds.db", "--format", "label-studio", "--config", "--json")
    nothing = invoke("ask", "birds.db", "--again", "-o", "more.csv", "--json")
    assert (nothing.exit_code, nothing.stderr, Path("more.csv").exists()) == (1, "", False)
    assert json.loads(nothing.stdout)["reason"] == "no item is pending"


@pytest.mark.slow
@pytest.mark.parametrize("sampler", list(lowshot.samplers))
@pytest.mark.filterwarnings("ignore:the pool has no features")
def test_every_sampler(sampler: str) -> None:
    """JSON has no NaN, whatever a sampler knows about its draws."""
    begin("--sampler", sampler, "--scale", "probability")
    label_everything(1)
    rows = good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")
    assert all(json.loads(row)["round"] == 1 for row in rows)
    assert found("estimate", "birds.db")["labels"] == len(rows)
    assert found("status", "birds.db")["evaluations"][0]["sampler"] == sampler
