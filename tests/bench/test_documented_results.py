"""The pages of documents about results say what the committed rows say."""

from pathlib import Path
from typing import Any

import pytest

from lowshot_bench.choosing.report import section as choosing_section
from lowshot_bench.claims import table
from lowshot_bench.classes.report import section as class_section
from lowshot_bench.cli import finished
from lowshot_bench.experiment_report import coverage_table
from lowshot_bench.method_report import TABLES
from lowshot_bench.peers.report import section as peer_section
from lowshot_bench.rows import read
from lowshot_bench.several.report import section
from lowshot_bench.slicing.report import section as slicing_section
from lowshot_bench.summary import Cells, summarise

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"


share_the_results = pytest.mark.xdist_group("results")  # one process summarises the rows


@pytest.fixture(scope="module")
def results() -> dict[str, Cells]:
    return {experiment.name: summarise(read([path])) for experiment, path in finished(DOCS / "results" / "rows")}


@share_the_results
def test_the_page_shows_the_verdicts_that_the_rows_give(results: dict[str, Cells]) -> None:
    assert table(results) in (DOCS / "results.md").read_text()


@share_the_results
def test_the_page_shows_the_coverage_that_the_rows_give(results: dict[str, Cells]) -> None:
    drawn = [cells for experiment, cells in _with_errors(results)]
    assert coverage_table(drawn) in (DOCS / "results.md").read_text()


def _with_errors(results: dict[str, Cells]) -> list[tuple[str, Cells]]:
    found = finished(DOCS / "results" / "rows")
    return [(experiment.name, results[experiment.name]) for experiment, _ in found if experiment.drawing == "error"]


@pytest.mark.parametrize(
    ("name", "method"),
    [("held", "curve"), ("compare", "curve"), ("floor", "curve"), ("stopping", "curve"), ("stopping", "curve anytime")],
)
def test_the_page_about_intervals_shows_the_tables_that_the_rows_give(name: str, method: str) -> None:
    page = (DOCS / "intervals-tables.md").read_text()
    for shown in TABLES[name](finished(DOCS / "intervals" / "rows"), method):
        assert shown.split("\n\n")[-1] in page  # without the title of a metric


def test_the_page_about_trust_shows_lines_of_the_table_that_the_rows_give() -> None:
    table = TABLES["trust"](finished(DOCS / "intervals" / "zoo"), "curve")[0].splitlines()
    page = (DOCS / "intervals.md").read_text().split("## By kind of model")[1].split("##")[0]
    shown = [line for line in page.splitlines() if line.startswith("|")]
    assert len(shown) > 10
    assert [line for line in shown if line not in table] == []


def test_the_page_about_several_models_shows_the_tables_that_the_rows_give() -> None:
    page = (DOCS / "compare-tables.md").read_text()
    shown = [section(experiment, read([path]), "") for experiment, path in finished(DOCS / "compare" / "rows")]
    lines = [line for part in shown for line in part.splitlines() if line.startswith("|")]
    assert len(lines) > 100
    assert [line for line in lines if line not in page] == []


PAGES = [
    # The page, the folder of its rows, what makes its tables, the headline above the short ones, and rows at least
    ("thresholds", "thresholds", choosing_section, "## How often it holds", 100, 8),
    ("slices", "slices", slicing_section, "## How good it is", 30, 10),
    ("many-classes", "classes", class_section, "## How good it is", 40, 10),
]


@pytest.mark.parametrize(("name", "folder", "make", "headline", "most", "few"), PAGES)
def test_a_page_shows_the_tables_that_the_rows_give(
    name: str, folder: str, make: Any, headline: str, most: int, few: int
) -> None:
    shown = [make(experiment, read([path]), "") for experiment, path in finished(DOCS / folder / "rows")]
    lines = [line for part in shown for line in part.splitlines() if line.startswith("|")]
    assert len(lines) > most
    page = (DOCS / f"{name}-tables.md").read_text()
    assert [line for line in lines if line not in page] == []
    results = (DOCS / f"{name}.md").read_text().split(headline)[1].split("\n## ")[0]
    tables = [line for line in results.splitlines() if line.startswith("|")]
    assert len(tables) > few
    assert [line for line in tables if line not in lines] == []


def test_the_page_about_other_packages_shows_the_tables_that_the_rows_give() -> None:
    """All of them, and no other number of a method."""
    experiment, path = finished(DOCS / "peers" / "rows")[0]
    lines = [line for line in peer_section(experiment, read([path]), "").splitlines() if line.startswith("|")]
    measured = (DOCS / "peers.md").read_text().split("\n## Measured")[1].split("\n## What did not run")[0]
    shown = [line for line in measured.splitlines() if line.startswith("|")]
    assert len(lines) > 45
    assert shown == lines


def test_the_rows_are_small() -> None:
    rows = [folder for folder in DOCS.glob("*/*") if any(folder.glob("*.parquet"))]
    assert len(rows) >= 7
    for folder in rows:
        assert sum(path.stat().st_size for path in folder.iterdir()) <= 5_000_000
