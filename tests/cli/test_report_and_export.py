"""`lowshot report` and `lowshot export`."""

from pathlib import Path

import pytest

from ..helpers import good, refused
from .birds import begin, label_everything

pytestmark = pytest.mark.usefixtures("birds")


def test_report() -> None:
    begin()
    refused("a report needs labels", "report", "birds.db")
    label_everything()
    told = good("report", "birds.db", "-o", "page.html", "--pictures").stdout.split()
    assert Path(told[0]).name == "page.html"
    assert all(Path(name).stat().st_size > 1000 for name in told)
    assert len(told) > 1
    refused("--output must be", "report", "birds.db", "-o", "no/page.html")


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
