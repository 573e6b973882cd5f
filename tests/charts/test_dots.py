"""Tables as dots and intervals: sorted, escaped, without any network."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib import pyplot

from lowshot import InputError, Table
from lowshot.charts import dots

ROWS = (
    {"camera": "north & <b>", "value": 0.5, "low": 0.4, "high": 0.6, "labels": 9, "reason": "", "below": 0.2},
    {"camera": None, "value": 0.2, "low": 0.1, "high": 0.4, "labels": 0, "reason": "no label", "below": 0.9},
    {"camera": "attic", "value": None, "low": None, "high": None, "labels": 0, "reason": "undefined", "below": None},
)
TABLE = Table("f1", 0.95, 9, ROWS, by="camera", below=0.45)
EMPTY = Table("f1", 0.95, 0, ROWS[2:], by="camera")


def test_rows_with_a_value_are_sorted_and_weak_ones_are_marked() -> None:
    found = dots.dots(TABLE)
    assert [(dot.name, dot.weak) for dot in found] == [("(missing)", True), ("north & <b>", False)]


def test_the_svg_is_well_formed_and_says_what_it_shows() -> None:
    picture = dots.svg(TABLE)
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img"
    assert "by camera, 2 rows" in str(root.get("aria-label"))
    assert len(root.findall(".//{*}circle")) == 2
    titles = [element.text for element in root.findall(".//{*}title")]
    assert titles == ["(missing): 0.200, 0.100 to 0.400, 0 labels", "north & <b>: 0.500, 0.400 to 0.600, 9 labels"]
    assert "<b>" not in picture
    assert "stroke-dasharray" in picture
    assert "stroke-dasharray" not in dots.svg(Table("f1", 0.95, 9, ROWS, by="camera"))


def test_the_page_needs_no_network_and_has_the_table_below_the_picture() -> None:
    page = dots.page(TABLE, "birds & bees")
    assert "<title>birds &amp; bees</title>" in page
    assert "default-src 'none'" in page
    assert re.findall(r'(?:src|href)="', page) == []
    assert page.index("</svg>") < page.index("<table>")


def test_counts_are_drawn_beyond_1() -> None:
    rows = tuple({**row, "value": 40.0, "low": 30.0, "high": 50.0} for row in ROWS)
    assert dots.limit(dots.dots(Table("tp", 0.95, 9, rows, by="camera"))) == pytest.approx(52.5)


def test_pictures_of_matplotlib(tmp_path: Path) -> None:
    path = tmp_path / "cameras.png"
    dots.save(TABLE, path, "cameras, with $ signs")
    assert path.stat().st_size > 5_000
    axes = dots.plot(TABLE)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["(missing)", "north & <b>"]
    assert axes.get_xlabel().startswith("F1, with 95")
    pyplot.close(axes.figure)


def test_many_rows_are_cut() -> None:
    many = tuple({**ROWS[0], "camera": number} for number in range(dots.MOST + 5))
    assert "; 5 more rows" in dots.svg(Table("f1", 0.95, 9, many, by="camera"))


def test_nothing_to_draw() -> None:
    assert dots.svg(EMPTY) == ""
    assert "<table>" in dots.page(EMPTY, "birds")
    with pytest.raises(InputError, match="needs a row with a value"):
        dots.plot(EMPTY)


def test_numbers_of_the_page_are_not_broken_into_lines() -> None:
    page = dots.page(TABLE, "birds")
    assert "white-space: nowrap" in page
    assert '<div class="table"><table>' in page
