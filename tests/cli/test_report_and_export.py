"""`lowshot report` and `lowshot export`."""

import webbrowser
from pathlib import Path

import pytest

from ..helpers import found, good, refused
from .birds import begin, label_everything, pool_table

pytestmark = pytest.mark.usefixtures("birds")


def test_report() -> None:
    begin()
    refused("a report needs labels", "report", "birds.db")
    label_everything()
    headline, *told = good("report", "birds.db", "-o", "page.html", "--pictures").stdout.splitlines()
    assert f"<h1>{headline}</h1>" in Path("page.html").read_text()
    assert Path(told[0]).name == "page.html"
    assert all(Path(name).stat().st_size > 1000 for name in told)
    assert len(told) > 1
    refused("--output must be", "report", "birds.db", "-o", "no/page.html")


def test_what_a_report_says_of_the_pool_and_its_items(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    begin()
    label_everything(1)
    told = found("report", "birds.db")
    text = Path("report.html").read_text()
    assert told["headline"] in text
    assert "<dt>Pool file</dt><dd>pool.parquet</dd>" in text
    assert "<dt>Columns</dt><dd>score p, id path</dd>" in text
    assert "<dt>Threshold</dt><dd>0.6</dd>" in text
    assert "<dt>Labelled by</dt><dd>command line or Python 10 (items answered)</dd>" in text
    assert "A bird\nnumber " in text
    assert opened == []
    good("report", "birds.db", "--no-content", "--open")
    assert "A bird\nnumber " not in Path("report.html").read_text()
    assert opened == [Path("report.html").absolute().as_uri()]


def test_pictures_that_are_gone(tmp_path: Path) -> None:
    """The report is written without them."""
    Path("media").mkdir()
    begin("--show", "image", "--media-root", "media")
    label_everything(1)
    Path("media").rmdir()
    said = good("report", "birds.db")
    assert "the report names items by their ids: media_root must be a folder that exists" in said.stderr
    assert Path("report.html").exists()


def test_export_to_a_file() -> None:
    begin()
    label_everything(1)
    for _ in range(2):
        assert good("export", "birds.db", "-o", "out.csv").stdout == ""
    assert (
        Path("out.csv")
        .read_text()
        .startswith("id,label,prediction,score,round,probability,calibration,time,annotator,title\n")
    )
    refused("--output must be a file in a folder that exists", "export", "birds.db", "-o", "no/where.csv")


def test_export_has_the_score_who_answered_and_what_they_saw() -> None:
    begin()
    good("label", "birds.db", "--terminal", "--for", "ann", "--count", "2", input="yn")
    label_everything(1)
    rows = found("export", "birds.db")["rows"]
    table = {row["path"]: row for row in pool_table().to_pylist()}
    assert [row["annotator"] for row in rows[:3]] == ["ann", "ann", "command line"]
    for row in rows:
        assert row["score"] == table[row["id"]]["p"]
        assert row["prediction"] == int(table[row["id"]]["crow"])
        assert row["title"] == table[row["id"]]["title"]


@pytest.mark.parametrize(("sampler", "known"), [("curve", False), ("topk", False), ("acis", True), ("rand", True)])
def test_export_has_probabilities_that_weigh_a_sample(sampler: str, known: bool) -> None:
    """Those of `curve` are probabilities inside a group: they are of no use for others."""
    begin("--sampler", sampler)
    label_everything(1)
    rows = found("export", "birds.db")["rows"]
    assert [row["probability"] is not None for row in rows] == [known] * len(rows)
    assert all(row["round"] and row["calibration"] is not None for row in rows)


def test_a_label_that_was_exported_can_be_told() -> None:
    begin()
    label_everything(1)
    good("export", "birds.db", "-o", "out.csv")
    assert good("tell", "birds.db", "out.csv").stdout.startswith("0 new labels, 10 unchanged, 0 corrected")


def test_export_does_not_replace_the_store_or_the_pool() -> None:
    begin()
    label_everything(1)
    before = good("estimate", "birds.db").stdout
    for own in ("birds.db", "./birds.db", "pool.parquet"):
        refused("--output must not be the store or the pool", "export", "birds.db", "-o", own)
    assert good("estimate", "birds.db").stdout == before
