"""`lowshot label`: single keys in the terminal, and what the page is given."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot

from ..helpers import found, good, refused
from .birds import BEGIN, IDS, ITEMS, begin, pool_table

pytestmark = pytest.mark.usefixtures("birds")


def test_the_terminal() -> None:
    """Keys come from the runner; each answer is in the store before the next key is read."""
    begin("--question", "Is this a crow?", "--instructions", "Look at the beak.")
    result = good("label", "birds.db", "--terminal", input="yx?nsq")
    assert result.stdout.startswith("Is this a crow?\nLook at the beak.\ny yes, n no, s cannot tell, u undo, q quit\n")
    assert result.stdout.endswith("3 answered now, 3 labels in total, 1 of them 'cannot tell'\n")
    assert result.stdout.count("A bird\nnumber") == 4
    assert "f1 =" not in result.stdout
    rows = good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")
    assert [json.loads(row)["label"] for row in rows] == [1, 0, None]
    again = good("label", "birds.db", "--terminal", "--count", "1", "--solo", input="y")
    assert "f1 = " in again.stdout
    assert again.stdout.endswith("1 answered now, 4 labels in total, 1 of them 'cannot tell'\n")
    assert found("status", "birds.db")["evaluations"][0]["pending"] == 0


def test_undo_in_the_terminal() -> None:
    begin()
    result = good("label", "birds.db", "--terminal", input="uyyuunyyq")
    assert "Nothing to undo" in result.stdout
    rows = good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")
    assert [json.loads(row)["label"] for row in rows] == [0, 1, 1]
    shown = re.findall("number ([0-9]+)", result.stdout)
    first, second, third = shown[1], shown[2], shown[3]
    assert shown == [first, first, second, third, second, first, second, third, shown[-1]]
    assert result.stdout.endswith("3 answered now, 3 labels in total\n")


def test_the_terminal_says_when_it_is_enough() -> None:
    """Undo still works then; whoever labels more is not asked again."""
    begin()
    shown = good("label", "birds.db", "--terminal", "--half-width", "0.5", input="yunxmnnq").stdout
    _, once, again = shown.split("\nEnough: the goal is reached.\nF1 is ")
    assert "from 1 label.\n± 0." in once
    assert " is reached, ± 0.5 was wanted.\nm label more anyway, u undo, q quit\nThe last item again;" in once
    assert again.count("m label more anyway, u undo, q quit\n") == 2, "once more after a key that has no meaning"
    assert again.endswith("3 answered now, 3 labels in total\n")
    at_once = good("label", "birds.db", "--terminal", "--half-width", "0.5", input="q").stdout
    assert "--- item" not in at_once
    assert at_once.endswith("0 answered now, 3 labels in total\n")
    assert "Enough" not in good("label", "birds.db", "--terminal", input="nq").stdout, "nothing was wanted"
    refused("--half-width must be", "label", "birds.db", "--terminal", "--half-width", "2")


def test_the_end_of_the_keys_ends_the_session() -> None:
    begin()
    assert good("label", "birds.db", "--terminal", input="y").stdout.endswith("1 answered now, 1 label in total\n")


def test_somebody_else_was_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    pool = lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS)
    keys = iter("yq")

    def key() -> str:
        other = lowshot.Evaluation(pool, store="birds.db")
        other.tell(other.pending, [0] * len(other.pending))
        return next(keys)

    monkeypatch.setattr("typer.getchar", key)
    result = good("label", "birds.db", "--terminal")
    assert "Not stored: " in result.stdout
    assert result.stdout.endswith("0 answered now, 2 labels in total\n")


def test_codes_that_steer_a_terminal_are_not_shown() -> None:
    pyarrow.parquet.write_table(pool_table().set_column(2, "title", [["\x1b[2Jx"] * ITEMS]), "pool.parquet")
    begin()
    assert "\x1b" not in good("label", "birds.db", "--terminal", input="q").stdout


def test_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """What annotators get is what --field names, in its order; tests/web/ has the rest."""
    served: list[Any] = []
    monkeypatch.setattr("lowshot.web.serve", lambda app, *rest, **more: served.append((app, rest, more)))
    good("start", "birds.db", *BEGIN, "--field", "path", "--instructions", "Look closely.")
    good("label", "birds.db", "--no-browser", "--port", "9000", "--half-width", "0.1", "--solo")
    app, rest, more = served[0]
    shown = app.state.site.shown
    assert (rest, more) == (("127.0.0.1", 9000), {"open_browser": False})
    assert [part.name for part in shown.parts(IDS[3])] == ["title", "path"]
    assert shown.parts(IDS[3])[1].value == IDS[3]
    assert shown.instructions == "Look closely."


def test_pictures_are_beside_the_pool_unless_a_folder_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []
    monkeypatch.setattr("lowshot.web.serve", lambda app, *rest, **more: served.append(app))
    refused("--show image must come with --field", "start", "pictures.db", *BEGIN[:-2], "--show", "image")
    begun = ("start", "pictures.db", *BEGIN[:-2], "--show", "image", "--field", "path")
    refused(f"--show image must come with --media-root: .* none of 200 pictures .* can be read in {here}", *begun)
    assert not Path("pictures.db").exists()
    Path(IDS[0]).write_bytes(b"GIF89a")
    assert "hint: 199 of 200 pictures that were looked for cannot be read" in good(*begun).stderr
    good("label", "pictures.db", "--no-browser")
    assert served[0].state.site.shown.media_root == str(here)
    Path("moved").mkdir()
    good("label", "pictures.db", "--no-browser", "--media-root", "moved")
    assert served[1].state.site.shown.media_root == str(here / "moved")
    missing = ("label", "pictures.db", "--no-browser", "--media-root", "nowhere")
    refused("--media-root must be a folder that exists: .*nowhere does not; name the folder", *missing)


def test_pictures_of_a_pool_that_is_no_file() -> None:
    Path("parts").mkdir()
    Path("pool.parquet").rename("parts/pool.parquet")
    arguments = ("--pool", "parts/*.parquet", *BEGIN[2:-2], "--show", "image", "--field", "path")
    refused(
        "--show image must come with --media-root: got none, and parts/.*.parquet is no file",
        "start",
        "b.db",
        *arguments,
    )


@pytest.mark.slow
def test_a_terminal_is_needed_before_an_item_is_reserved() -> None:
    begin()
    ended = subprocess.run(
        [sys.executable, "-c", "from lowshot.cli import main; main()", "label", "birds.db", "--terminal"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--terminal needs a terminal to read keys from: stdin is not one" in ended.stderr
    assert found("status", "birds.db")["evaluations"][0]["pending"] == 0
