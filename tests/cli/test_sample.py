"""`lowshot sample`: the files that it writes, the command that it prints next, and what it refuses."""

import csv
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_digits

from lowshot.demo import samples
from lowshot.labelling.items import media_type

from ..helpers import found, good, refused

pytestmark = pytest.mark.usefixtures("here")
every_sample = pytest.mark.parametrize("name", samples.SAMPLES)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def answer(folder: str, store: str, labels: int) -> None:
    """Run the sample's own program."""
    program = str(Path(folder, "answer.py"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", [program, store, str(labels)])
        runpy.run_path(program)


@pytest.mark.slow
@every_sample
def test_the_next_command_runs_and_the_labels_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """From the folder to an estimate, by the command that is printed; the folder's name needs quotes."""
    printed = good("sample", name, "my files").stdout.splitlines()
    program, *arguments = shlex.split(printed[-1].removeprefix("Next: "))
    assert program == "lowshot"
    good(*arguments)
    store, sample = f"{name}.db", samples.load(name)
    answer("my files", store, 30)
    estimate, truth = capsys.readouterr().out.splitlines()
    assert f"{estimate}\n" == good("estimate", store).stdout
    assert estimate.endswith("from 30 labels")
    assert truth == f"The truth, from all {sample.items:,} labels: f1 = {sample.truth:.3f}"


def test_answers_need_a_store_that_lowshot_start_began() -> None:
    good("sample", "messages")
    with pytest.raises(SystemExit, match=r"nowhere\.db does not exist: begin with `lowshot start`"):
        answer("messages", "nowhere.db", 30)
    assert not Path("nowhere.db").exists()


@every_sample
def test_scores_and_labels_have_the_same_items(name: str) -> None:
    about = found("sample", name)
    scored, labelled = rows(Path(about["pool"])), rows(Path(about["labels"]))
    column = "path" if name == "birds" else "id"
    assert list(scored[0]) == about["columns"]
    assert [row[column] for row in scored] == [row[column] for row in labelled]
    assert len({row[column] for row in scored}) == about["items"] == samples.load(name).items
    assert sum(float(row["score"]) >= about["threshold"] for row in scored) == about["predicted_positives"]
    assert sum(row["label"] == "1" for row in labelled) == about["positives"]


def test_the_truth_about_birds_is_what_scikit_learn_says(here: Path) -> None:
    good("sample", "birds")
    digits = load_digits().target
    for row in rows(here / "birds" / "labels.csv"):
        (position,) = re.findall(r"\d+", row["path"])
        assert row["label"] == str(int(digits[int(position)] == 8))
        assert media_type((here / "birds" / "pictures" / row["path"]).read_bytes()) == "image/png"


def test_what_is_printed() -> None:
    assert good("sample", "messages").stdout == (
        "1,344 error messages of Python's standard library.\n"
        "Rare: a TypeError (50 items, 3.7 %).\n"
        "Source: the standard library of Python 3.11.7 (PSF licence).\n"
        "  messages/scores.csv  id, text, score: how likely a TypeError, by a classifier (73 items at 0.5 or higher)\n"
        "  messages/labels.csv  id, label: the truth, 1 for a TypeError\n"
        "  messages/answer.py   a program that answers from labels.csv, instead of a person\n"
        "Next: lowshot start messages.db --pool messages/scores.csv --id id --score score --threshold 0.5 --show text"
        ' --field text --question "Is this the message of a TypeError?"\n'
    )


def test_an_unknown_sample(here: Path) -> None:
    refused("SAMPLE must be birds or messages: got 'bird'; the nearest is 'birds'", "sample", "bird")
    assert not list(here.iterdir())


def test_a_folder_with_files_is_left_alone_unless_forced(here: Path) -> None:
    mine = here / "messages" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    refused("FOLDER must be new or empty: messages is not; name another one, or give --force", "sample", "messages")
    assert list(mine.parent.iterdir()) == [mine]
    good("sample", "messages", "--force")
    assert mine.read_text() == "mine"
    assert (here / "messages" / "scores.csv").exists()


def test_a_file_is_no_folder(here: Path) -> None:
    (here / "birds").write_text("mine")
    refused("FOLDER must be a folder: birds is a file; name another one", "sample", "birds", "--force")
    refused(r"FOLDER must be a folder that can be written: birds/inside is not", "sample", "messages", "birds/inside")
    assert (here / "birds").read_text() == "mine"
