"""Messages in the words of the command line: options instead of arguments of Python, and numbers that agree."""

import csv
import io
import re
from pathlib import Path

import pyarrow as arrow
import pyarrow.csv
import pytest

from lowshot.cli.app import COMMANDS, load
from lowshot.cli.words import in_options

from ..helpers import found, good, invoke, refused
from .birds import BEGIN, asked, begin, label_everything, pool_table, tell
from .test_app import plain

pytestmark = pytest.mark.usefixtures("birds")
PYTHON = re.compile(r"\b[a-z_]+\(\)|\bFBeta\b|\bhosts\b|\bsource\b|\blowshot\.[A-Z]|\bPool\(")


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("--metric must be one of f1, .*, fn, prevalence: got 'f'", ("estimate", "birds.db", "--metric", "f")),
        ("--host must be 127.0.0.1 .*; give --reached-as", ("label", "birds.db", "--host", "0.0.0.0")),
        ("--reached-as must be names", ("label", "birds.db", "--host", "0.0.0.0", "--reached-as", "http://a")),
        ("--pool must be there: .*no/", ("start", "new.db", *BEGIN[2:], "--pool", "no/*.parquet")),
        ("`lowshot estimate --metric tp`", ("start", "new.db", *BEGIN, "--metric", "tp")),
        ("--scale must be given where .*: --scale probability", ("start", "new.db", *BEGIN, "--sampler", "sawade")),
    ],
)
def test_errors_name_options(message: str, arguments: tuple[str, ...]) -> None:
    begin()
    refused(message, *arguments)
    assert not PYTHON.search(invoke(*arguments).stderr)


def test_names_that_a_user_chose_stay_as_they_are() -> None:
    options = {"half_width": "--half-width", "name": "--name"}
    for text in ("got 'half_width'; there is 'name='", "got half_width.csv", "--field must be: got 'a='"):
        assert in_options(text, options) == text


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "bench"])
def test_help_shows_every_word_and_no_type_of_a_switch(command: str) -> None:
    """Rich takes [pools] for markup and drops it unless the bracket is escaped."""
    shown = plain(invoke(command, "--help", columns=400).stdout)
    assert "<bool>" not in shown
    for option in load(command).params:
        assert plain((option.help or "").replace("\\[", "[")) in shown


def test_errors_show_brackets() -> None:
    refused(re.escape("'[pools] [/x]'"), "start", "new.db", *BEGIN[:-1], "[pools] [/x]")


# ---- numbers that agree ----------------------------------------------------------------------------------------------


def test_labels_that_cannot_be_told_are_explained() -> None:
    begin()
    items = asked(10)
    tell([(items[0], None), *((item, 0) for item in items[1:])])
    assert "\n  10 labels, 1 of them 'cannot tell', 0 pending" in good("status", "birds.db").stdout
    estimate = good("estimate", "birds.db")
    assert "from 9 labels" in estimate.stdout
    assert "the evaluation has 10 labels, 1 of them 'cannot tell'" in estimate.stderr
    assert found("status", "birds.db")["evaluations"][0]["skipped"] == 1


def test_fewer_items_than_asked_for() -> None:
    begin()
    assert (
        "10 instead of 50: items are chosen in rounds, and this round has no more"
        in good("ask", "birds.db", "--count", "50").stderr
    )
    assert "because" not in good("ask", "birds.db", "--count", "2").stderr


def test_items_that_are_printed_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    assert "reserved" not in good("ask", "birds.db", "--count", "2").stderr
    monkeypatch.setattr("lowshot.cli.console.is_terminal", lambda: True)
    said = good("ask", "birds.db", "--count", "2", "--for", "ann").stderr
    assert "these items are reserved for 'ann' for 24 hours now: add --again and -o items.csv" in said
    assert "reserved" not in good("ask", "birds.db", "--for", "ann", "--again", "-o", "items.csv").stderr


# ---- files -----------------------------------------------------------------------------------------------------------


def begin_with_zeros(*ids: str) -> list[str]:
    """Ids of items that were asked."""
    rows = "".join(f"{item},{place / len(ids)}\n" for place, item in enumerate(ids))
    Path("zeros.csv").write_text(f"id,p\n{rows}")
    good("start", "zeros.db", "--pool", "zeros.csv", "--id", "id", "--score", "p", "--threshold", "0.5")
    text = good("ask", "zeros.db").stdout
    return [row["id"] for row in csv.DictReader(io.StringIO(text, newline=""))]


@pytest.mark.parametrize("ending", ["", ".0"])
def test_leading_zeros_that_pandas_lost(ending: str) -> None:
    items = begin_with_zeros("a", *(f"{number:03d}" for number in range(1, 12)))
    lost = [f"{item.lstrip('0')}{ending},1\n" for item in items if item != "a"]
    Path("back.csv").write_text("id,label\n" + "".join(lost))
    assert good("tell", "zeros.db", "back.csv").stdout.startswith(f"{len(lost)} new labels")
    assert {row["id"] for row in found("export", "zeros.db")["rows"]} == {*items} - {"a"}


def test_leading_zeros_that_leave_a_doubt() -> None:
    begin_with_zeros("007", "07", "a", "b")
    Path("back.csv").write_text("id,label\n7,1\n")
    refused("ids must keep their leading zeros: '7' may be '07' or '007'", "tell", "zeros.db", "back.csv")
    assert found("status", "zeros.db")["evaluations"][0]["labels"] == 0


def test_check_needs_no_extra_for_a_csv_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ibis", None)
    table = pool_table()
    pyarrow.csv.write_csv(table, "good.csv")
    arguments = ("--id", "path", "--score", "p", "--threshold", "0.6")
    result = invoke("check", "--pool", "good.csv", *arguments)
    predicted = sum(table["crow"].to_pylist())
    assert (result.exit_code, f"400 items, {predicted} predicted positive" in result.stdout) == (0, True)
    ids = ["same", "same", None, *table["path"].to_pylist()[3:]]
    pyarrow.csv.write_csv(table.set_column(0, "path", arrow.array(ids)), "bad.csv")
    result = invoke("check", "--pool", "bad.csv", *arguments)
    assert result.exit_code == 1
    assert "1 row without an id" in result.stdout
    assert "1 id more than once, for example 'same'" in result.stdout


# ---- single options --------------------------------------------------------------------------------------------------


def test_at_least_is_a_share() -> None:
    begin()
    label_everything(1)
    message = "--at-least must be a share from 0 to 1, because f1 is one: got 80; write 0.8 for 80 %"
    refused(message, "estimate", "birds.db", "--at-least", "80")
    assert invoke("estimate", "birds.db", "--metric", "tp", "--at-least", "80").exit_code in (0, 3, 4)


def test_a_long_label_is_not_repeated_in_full() -> None:
    begin()
    (item,) = asked(1)
    said = tell([(item, "x" * 5000)]).stderr
    assert "got 'xxxx" in said
    assert len(said) < 300


def test_the_nearest_column_is_named() -> None:
    classes = ("--pool", "pool.parquet", "--id", "path", "--classes", "crwo,other")
    refused("--classes must be columns of --pool: got 'crwo'; the nearest is 'crow'", "start", "new.db", *classes)
