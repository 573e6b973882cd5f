"""The commands over a store, through typer's runner: whole loops in every format, and everything that can be wrong."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from rich.text import Text
from typer.testing import CliRunner, Result

import lowshot
from lowshot.cli.app import app
from lowshot.cli.estimate import Verdict, verdict
from lowshot.cli.formats.item import filled
from lowshot.result import Estimate, Reach
from lowshot.store import Store
from lowshot.store.migrations import now

ITEMS = 400
IDS = [f'bird {number:03d}, "{number % 7}".jpg' for number in range(ITEMS)]
COMMANDS = ("start", "ask", "tell", "label", "status", "estimate", "plan", "report", "export", "check")
BEGIN = ("--pool", "pool.parquet", "--id", "path", "--score", "p", "--threshold", "0.6", "--field", "title")


def truth() -> dict[str, int]:
    return {item: int(number % 9 == 0) for number, item in enumerate(IDS)}


def pool_table() -> arrow.Table:
    random = np.random.default_rng(0)
    positive = np.array(list(truth().values()))
    score = 1 / (1 + np.exp(-(random.normal(size=ITEMS) + 3 * positive - 1)))
    columns = {
        "path": IDS,
        "p": score,
        "title": [f"A bird\nnumber {number} ünd\u2028more" for number in range(ITEMS)],
        "crow": score >= 0.6,
        "other": score >= 0.4,
        "weight": np.ones(ITEMS),
    }
    return arrow.table(columns)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a pool as the current one."""
    monkeypatch.chdir(tmp_path)
    pyarrow.parquet.write_table(pool_table(), "pool.parquet")
    return tmp_path


def invoke(*arguments: str, input: str | None = None) -> Result:
    environment = {"COLUMNS": "100", "TERM": "dumb", "FORCE_COLOR": None}
    return CliRunner(env=environment).invoke(app, list(arguments), input=input)


def good(*arguments: str, input: str | None = None) -> Result:
    result = invoke(*arguments, input=input)
    assert result.exit_code == 0, result.output
    return result


def refused(message: str, *arguments: str) -> None:
    """One line on stderr and exit code 2."""
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert re.search(message, result.stderr), result.stderr
    assert result.stderr.startswith("lowshot: ")
    assert result.stderr.count("\n") == 1


def begin(*arguments: str, store: str = "birds.db") -> Result:
    return good("start", store, *BEGIN, *arguments)


def found(*arguments: str) -> dict[str, Any]:
    """What --json prints."""
    answer: dict[str, Any] = json.loads(good(*arguments, "--json").stdout)
    return answer


def label_everything(rounds: int = 2, store: str = "birds.db") -> None:
    for number in range(rounds):
        file = f"{store}-{number}.csv"
        good("ask", store, "--count", "100", "-o", file)
        Path(file).write_text(fill_csv(Path(file).read_text()))
        good("tell", store, file)


def fill_csv(text: str) -> str:
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, "label": truth()[row["id"]]} for row in rows)
    return buffer.getvalue()


def fill_lines(text: str) -> str:
    rows = [json.loads(line) for line in text.split("\n") if line]
    assert all(row["label"] == "" for row in rows)
    return "\n".join(json.dumps({**row, "label": bool(truth()[row["id"]])}) for row in rows)


def fill_label_studio(text: str) -> str:
    """As it exports: several annotations, of which the last that was not cancelled counts."""

    def result(choice: str) -> list[dict[str, Any]]:
        other = {"type": "rating", "value": {"rating": 3}}
        return [other, {"type": "choices", "from_name": "label", "value": {"choices": [choice]}}]

    def annotations(item: str) -> list[dict[str, Any]]:
        words = ("no", "yes") if truth()[item] else ("yes", "no")
        return [
            {"id": 3, "updated_at": "2026-01-02T10:00:00Z", "result": result(words[1]), "was_cancelled": False},
            {"id": 1, "updated_at": "2026-01-01T10:00:00Z", "result": result(words[0]), "was_cancelled": False},
            {"id": 4, "updated_at": "2026-01-03T10:00:00Z", "result": result(words[0]), "was_cancelled": True},
            {"id": 5, "updated_at": "2026-01-04T10:00:00Z", "result": [], "was_cancelled": False},
        ]

    tasks = json.loads(text)
    return json.dumps([{**task, "id": 9, "annotations": annotations(task["data"]["id"])} for task in tasks])


def fill_prodigy(text: str) -> str:
    rows = [json.loads(line) for line in text.split("\n") if line]
    words = {1: "accept", 0: "reject"}
    return "\n".join(json.dumps({**row, "answer": words[truth()[row["meta"]["id"]]]}) for row in rows)


FORMATS: dict[str, Callable[[str], str]] = {
    "csv": fill_csv,
    "jsonl": fill_lines,
    "label-studio": fill_label_studio,
    "prodigy": fill_prodigy,
}


def test_help_has_examples() -> None:
    for command in COMMANDS:
        plain = Text.from_ansi(good(command, "--help").stdout).plain
        assert "Examples" in plain
        assert f"\n lowshot {command} " in plain


def test_every_command_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    assert all(f"lowshot {command} " in page for command in COMMANDS)


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
        assert asked.stderr == f"{len(items)} items\n"
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


def test_what_people_see() -> None:
    """Id and fields, never score or prediction."""
    begin("--question", "Is this <a> crow?")
    rows = list(csv.DictReader(io.StringIO(good("ask", "birds.db").stdout, newline="")))
    assert [list(row) for row in rows[:1]] == [["id", "title", "label"]]
    assert rows[0]["title"] == f"A bird\nnumber {IDS.index(rows[0]['id'])} ünd\u2028more"
    lines = good("ask", "birds.db", "--again", "--format", "jsonl").stdout.split("\n")
    assert json.loads(lines[0]) == {"id": rows[0]["id"], "title": rows[0]["title"], "label": ""}
    (task, *_) = json.loads(good("ask", "birds.db", "--again", "--format", "label-studio").stdout)
    assert task == {"data": {"id": rows[0]["id"], "title": rows[0]["title"]}}
    line = json.loads(good("ask", "birds.db", "--again", "--format", "prodigy").stdout.split("\n")[0])
    assert line == {"text": rows[0]["title"], "label": "Is this <a> crow?", "meta": {"id": rows[0]["id"]}}
    config = good("ask", "birds.db", "--format", "label-studio", "--config").stdout
    assert '<Header value="Is this &lt;a&gt; crow?"/>' in config
    assert '<Text name="title" value="$title"/>' in config
    assert found("status", "birds.db")["evaluations"][0]["pending"] == len(rows)


def test_images() -> None:
    good("start", "birds.db", *BEGIN[:-2], "--show", "image", "--field", "path", "--media-root", ".")
    line = json.loads(good("ask", "birds.db", "--count", "1", "--format", "prodigy").stdout)
    assert line["image"] == line["meta"]["id"]
    good("ask", "birds.db", "--format", "label-studio", "--config", "-o", "config.xml")
    assert '<Image name="id" value="$id"/>' in Path("config.xml").read_text()
    about = lowshot.store.Store("birds.db").headers()[0].about
    assert about["pool"] == str(Path("pool.parquet").absolute())
    assert (about["show"], about["fields"], about["media_root"]) == ("image", ["path"], str(Path().absolute()))
    assert about["columns"] == {"score": "p", "id": "path", "prediction": None, "weight": None}
    assert (about["threshold"], about["annotators_per_item"]) == (0.6, 1)


def test_ask_again_and_the_file_that_is_there() -> None:
    begin()
    first = good("ask", "birds.db", "--count", "4", "-o", "items.csv")
    assert first.stdout == ""
    assert first.stderr == "4 items in items.csv\n"
    refused("--output must be a new file.*items.csv is there", "ask", "birds.db", "-o", "items.csv")
    second = good("ask", "birds.db", "--count", "3")
    assert second.stderr == "3 items\n4 others pending: --again hands them out once more\n"
    again = list(csv.DictReader(io.StringIO(good("ask", "birds.db", "--again").stdout)))
    assert len(again) == 7
    assert good("ask", "birds.db", "--again", "--count", "6").stderr.endswith("1 other pending: use a higher --count\n")


def test_nothing_to_hand_out() -> None:
    begin()
    result = invoke("ask", "birds.db", "--again", "-o", "items.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "nothing to hand out: no item is pending\n"
    assert not Path("items.csv").exists()


def test_the_ending_says_the_format() -> None:
    begin()
    good("ask", "birds.db", "--count", "2", "-o", "items.jsonl")
    good("ask", "birds.db", "--again", "-o", "tasks.json")
    assert json.loads(Path("items.jsonl").read_text().split("\n")[0])["label"] == ""
    assert len(json.loads(Path("tasks.json").read_text())) == 2


def test_words_for_labels() -> None:
    for word in (1, "1", "yes", "Y", "true", True, " Yes ", 1.0):
        assert filled("a", word).label == 1
    for word in (0, "0", "no", "N", "False", False, "0.0"):
        assert filled("a", word).label == 0
    assert [filled("a", word).label for word in (None, "?", "Cannot tell", "null")] == [None] * 4
    with pytest.raises(lowshot.InputError, match=r"labels must be .* got 'maybe' for item 'a'"):
        filled("a", "maybe")


def asked(count: int = 5) -> list[str]:
    """Items that are pending now."""
    text = good("ask", "birds.db", "--count", str(count)).stdout
    return [row["id"] for row in csv.DictReader(io.StringIO(text, newline=""))]


def tell(pairs: list[tuple[str, object]], *arguments: str, form: str = "jsonl") -> Result:
    Path("labels").write_text("\n".join(json.dumps({"id": item, "label": label}) for item, label in pairs))
    return invoke("tell", "birds.db", "labels", "--format", form, *arguments)


def test_answers_that_are_missing_or_change() -> None:
    begin()
    first, second, third, fourth, fifth = asked()
    told = tell([(first, "yes"), (second, "n"), (third, None), (fourth, "")], "--json")
    assert json.loads(told.stdout) == {"new": 3, "unchanged": 0, "corrected": 0, "unanswered": 1, "conflicts": []}
    contradiction = tell([(fifth, 1), (first, 0)])
    assert contradiction.exit_code == 2
    assert f"{first!r} was answered 'yes' before and now 'no': nothing was changed" in contradiction.stderr
    assert "--correct" in contradiction.stderr
    assert found("status", "birds.db")["evaluations"][0]["pending"] == 2
    told = tell([(fifth, 1), (first, 0), (second, 0)], "--correct")
    assert told.stdout == "1 new label, 1 unchanged, 1 corrected, 0 without an answer\n"
    twice = tell([(fourth, 1), (fourth, 0)])
    assert f"{fourth!r} was answered 'yes' before and now 'no'" in twice.stderr
    assert tell([(fourth, 1), (fourth, 0)], "--correct").stdout.startswith("1 new label, 0 unchanged, 0 corrected")
    rows = [json.loads(line) for line in good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")]
    assert {row["id"]: row["label"] for row in rows} == {first: 0, second: 0, third: None, fourth: 0, fifth: 1}
    assert all(row["round"] == 1 and row["probability"] > 0 and row["time"] > "2026" for row in rows)
    assert f'"{third}"'.replace('"', "") in good("export", "birds.db").stdout.replace('"', "")
    assert "cannot tell" in good("export", "birds.db").stdout


def test_every_conflict_of_a_file_is_told_at_once() -> None:
    begin()
    first, second, third, fourth, fifth = asked()
    tell([(first, 1), (second, 0), (third, None)])
    rows: list[tuple[str, object]] = [(first, 0), (second, 0), (third, 1), (fourth, 1), (fifth, 1), (fifth, 0)]
    refusal = tell(rows)
    assert (refusal.exit_code, refusal.stdout) == (2, "")
    assert "got 3 conflicts, " in refusal.stderr
    for item, old, new in ((first, "yes", "no"), (third, "cannot tell", "yes"), (fifth, "yes", "no")):
        assert f"{item!r} was answered {old!r} before and now {new!r}" in refusal.stderr
    assert found("status", "birds.db")["evaluations"][0]["labels"] == 3, "nothing was changed"
    assert "give one of them" in tell(rows, "--skip-conflicts", "--correct").stderr
    told = json.loads(tell(rows, "--skip-conflicts", "--json").stdout)
    assert [told[key] for key in ("new", "unchanged", "corrected", "unanswered")] == [1, 1, 0, 0]
    assert told["conflicts"][1] == {"id": third, "before": "cannot tell", "now": "yes"}
    labels = {row["id"]: row["label"] for row in found("export", "birds.db")["rows"]}
    assert labels == {first: 1, second: 0, third: None, fourth: 1}, "of an item with two answers none is taken"
    again = tell(rows, "--skip-conflicts")
    assert again.stdout.endswith("3 conflicts left out\n")
    assert again.stderr.count("left out: ") == 3


def test_items_are_handed_out_by_name() -> None:
    begin()
    first = [item["id"] for item in found("ask", "birds.db", "--for", "ann", "--count", "3")["items"]]
    second = [item["id"] for item in found("ask", "birds.db", "--for", "bob", "--count", "3", "--hours", "48")["items"]]
    assert not set(first).intersection(second, asked(3))
    again = [item["id"] for item in found("ask", "birds.db", "--for", "ann", "--again")["items"]]
    assert again == first
    held = {one["name"]: one for one in found("status", "birds.db")["evaluations"][0]["held"]}
    assert {name: one["items"] for name, one in held.items()} == {"ann": 3, "bob": 3, "command line": 3}
    assert now(23.9 * 3600) < held["ann"]["until"] < now(24 * 3600)
    assert now(47.9 * 3600) < held["bob"]["until"] < now(48 * 3600)
    shown = good("label", "birds.db", "--terminal", "--for", "bob", "--count", "3", input="yyy").stdout
    assert shown.endswith("3 answered now, 3 labels in all\n")
    assert {row["id"] for row in found("export", "birds.db")["rows"]} == set(second)
    nothing = invoke("ask", "birds.db", "--for", "eve", "--again")
    assert (nothing.exit_code, nothing.stderr.count("6 pending items with others")) == (1, 1)
    refused("--for must be a text", "ask", "birds.db", "--for", "")


def test_what_python_asked_stays_with_python() -> None:
    begin()
    evaluation = lowshot.Evaluation(lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS), store="birds.db")
    theirs = evaluation.ask(3)
    assert not set(theirs).intersection(asked())
    assert "  3 items with Python, until " in good("status", "birds.db").stdout
    again = [item["id"] for item in found("ask", "birds.db", "--for", "Python", "--again")["items"]]
    assert again == theirs


def test_all_or_nothing_with_corrections() -> None:
    """A correction that fails takes back what was told before it."""
    begin("--name", "one", "--question", "crow")
    first, second = asked(2)
    assert tell([(first, 1), (second, 0)]).exit_code == 0
    begin("--name", "two", "--question", "crow", "--seed", "5")
    new = asked_of("two")
    wrong = tell([(new, 1), (first, None)], "--name", "two", "--correct")
    assert "known labels must be 0 or 1" in wrong.stderr
    assert [one["pending"] for one in found("status", "birds.db")["evaluations"]] == [0, 1]


def asked_of(name: str) -> str:
    text = good("ask", "birds.db", "--count", "1", "--name", name).stdout
    return next(csv.DictReader(io.StringIO(text, newline="")))["id"]


def test_prodigy_ignore_and_label_studio_skips() -> None:
    begin()
    first, second = asked(2)
    Path("out.jsonl").write_text(
        f"{json.dumps({'text': 'x', 'meta': {'id': first}, 'answer': 'ignore'})}\n"
        f"{json.dumps({'text': 'x', 'meta': {'id': second}})}\n"
    )
    assert good("tell", "birds.db", "out.jsonl").stdout == (
        "1 new label, 0 unchanged, 0 corrected, 1 without an answer\n"
    )
    skipped = {"data": {"id": second}, "annotations": [{"was_cancelled": True, "result": []}]}
    Path("export.json").write_text(json.dumps([skipped, {"data": {"id": first}, "annotations": []}]))
    assert good("tell", "birds.db", "export.json").stdout.endswith("2 without an answer\n")


def test_label_studio_leaves_out_the_fraction_of_a_whole_second() -> None:
    begin()
    (item,) = asked(1)
    annotations = [
        {"updated_at": when, "result": [{"type": "choices", "value": {"choices": [word]}}]}
        for when, word in (("2026-01-01T10:00:00.000001Z", "yes"), ("2026-01-01T10:00:00Z", "no"))
    ]
    Path("export.json").write_text(json.dumps([{"data": {"id": item}, "annotations": annotations}]))
    good("tell", "birds.db", "export.json")
    assert json.loads(good("export", "birds.db", "--format", "jsonl").stdout)["label"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,label\na,1\n", "must have columns id and label: it has name, label"),
        ("", "must have columns id and label: it has none"),
        ("id,label\n,1\n", "every row must have an id: line 2 has none"),
        ("id,label\nnobody.jpg,1\n", "items must be ids of the pool: got 'nobody.jpg'"),
        ('id,label\n"bird 007, ""0"".jpg",1\n', "items must have been asked: .* never was; `lowshot ask`"),
        ('{"id": "a"\n', "line 1 is not JSON"),
        ('{"id": "a"}\n[1]\n', "line 2 is not an object|items must be ids of the pool"),
        ('{"id": null, "label": 1}\n', "every row must have an id: line 1"),
        ('[{"data": {"id": "a"}, "annotations": [17]}]', "annotations must be as Label Studio's.*item 'a' are not"),
        ('{"meta": {"id": 1}, "answer": []}', r"answers must be one of accept, reject, ignore: got \[\]"),
        ('{"label": 1}\n', "every row must have an id: line 1"),
        ("[{]", "must be Label Studio's JSON export: it is not JSON"),
        ('[{"id": 3, "label": "yes"}]', r"not JSON-MIN\): task 1 has no data with an id"),
        ('{"meta": {"x": 1}}', "every row must have meta with an id: line 1"),
        ('{"meta": {"id": 1}, "answer": "maybe"}', "answers must be one of accept, reject, ignore: got 'maybe'"),
    ],
)
def test_files_that_cannot_be_used(text: str, message: str) -> None:
    begin()
    Path("labels.txt").write_text(text)
    refused(message, "tell", "birds.db", "labels.txt")


def test_more_files_that_cannot_be_used() -> None:
    begin()
    (first,) = asked(1)
    refused("FILE must be there: nowhere.csv is not", "tell", "birds.db", "nowhere.csv")
    Path("latin.csv").write_bytes("id,label\nvögel,1\n".encode("latin-1"))
    refused("FILE must be UTF-8", "tell", "birds.db", "latin.csv")
    result = {"type": "choices", "value": {"choices": ["yes", "no"]}}
    Path("two.json").write_text(json.dumps([{"data": {"id": first}, "annotations": [{"result": [result]}]}]))
    refused("labels must be one choice an item: got .*'yes', 'no'", "tell", "birds.db", "two.json")
    result["value"] = {"choices": ["crow"]}
    Path("word.json").write_text(json.dumps([{"data": {"id": first}, "annotations": [{"result": [result]}]}]))
    refused("labels must be 1, 0, yes, .*: got 'crow' for item", "tell", "birds.db", "word.json")


def test_spreadsheets_and_pipes() -> None:
    """Semicolons, a mark at the beginning, further columns, and stdin."""
    begin()
    first, second = asked(2)
    quoted = first.replace('"', '""')
    Path("sheet.csv").write_bytes(f'id;label;remark\r\n"{quoted}";yes;clear\r\n'.encode("utf-8-sig"))
    assert good("tell", "birds.db", "sheet.csv").stdout.startswith("1 new label")
    line = json.dumps({"id": second, "label": "?"})
    assert good("tell", "birds.db", "-", input=f"{line}\n").stdout.startswith("1 new label")


def test_ids_that_are_numbers_or_positions() -> None:
    table = pool_table().append_column("number", arrow.array(np.arange(ITEMS) * 10))
    for ending, write in ((".parquet", pyarrow.parquet.write_table), (".csv", pyarrow.csv.write_csv)):
        write(table, f"numbers{ending}")
        for id_, step in ((("--id", "number"), 10), ((), 1)):
            store = f"{ending[1:]}{step}.db"
            good("start", store, "--pool", f"numbers{ending}", "--score", "p", "--threshold", "0.6", *id_)
            good("ask", store, "--count", "3", "-o", f"{store}.csv")
            rows = Path(f"{store}.csv").read_text().split()
            assert all(int(row.split(",")[0]) % step == 0 for row in rows[1:])
            Path("filled.csv").write_text("\n".join(rows[:1] + [f"{row}1" for row in rows[1:]]))
            assert good("tell", store, "filled.csv").stdout.startswith("3 new labels")
            exported = json.loads(good("export", store, "--format", "jsonl").stdout.split("\n")[0])
            assert isinstance(exported["id"], int)


@pytest.mark.parametrize("form", FORMATS)
def test_odd_ids(form: str) -> None:
    """Whatever an id holds, it comes back as the same item."""
    ids = [
        "a\rb",
        "a\nb",
        "a\r\nb",
        'say "a"',
        "a,b;c\td",
        " a ",
        "=1+1",
        "007",
        "7",
        "-",
        "é\u2028",
        "{a}",
        "[a]",
        "null",
    ]
    table = {"path": ids, "p": np.linspace(1, 0, len(ids)), "title": ids}
    pyarrow.parquet.write_table(arrow.table(table), "pool.parquet")
    begin()
    for number in range(len(ids)):  # one round after the other, until all are labelled
        asked = invoke("ask", "birds.db", "--format", form, "-o", f"items{number}")
        if asked.exit_code == 1:
            break
        text = Path(f"items{number}").read_bytes().decode()
        Path("filled").write_bytes(ODD[form](text).encode())
        assert good("tell", "birds.db", "filled").stdout.endswith("0 without an answer\n")
    rows = good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")
    assert sorted(json.loads(row)["id"] for row in rows) == sorted(ids)


def odd_csv(text: str) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(
        [*row[:-1], row[-1] or "yes"] for row in csv.reader(io.StringIO(text, newline="")) if row
    )
    return buffer.getvalue()


def odd_label_studio(text: str) -> str:
    annotation = {"result": [{"type": "choices", "value": {"choices": ["yes"]}}]}
    return json.dumps([{**task, "annotations": [annotation]} for task in json.loads(text)])


ODD: dict[str, Callable[[str], str]] = {
    "csv": odd_csv,
    "jsonl": lambda text: text.replace('"label": ""', '"label": "yes"'),
    "label-studio": odd_label_studio,
    "prodigy": lambda text: text.replace('"meta"', '"answer": "accept", "meta"'),
}


def test_ids_beyond_64_bits() -> None:
    """Hashes are often unsigned."""
    ids = arrow.array([2**64 - 1 - number for number in range(ITEMS)], arrow.uint64())
    pyarrow.parquet.write_table(pool_table().set_column(0, "path", ids), "pool.parquet")
    begin()
    assert good("label", "birds.db", "--terminal", input="ynq").stdout.endswith("2 answered now, 2 labels in all\n")
    (task,) = json.loads(good("ask", "birds.db", "--again", "--format", "label-studio").stdout)
    Path("labels.jsonl").write_text(json.dumps({"id": task["data"]["id"], "label": 1}))
    assert good("tell", "birds.db", "labels.jsonl").stdout.startswith("1 new label")


def test_csv_and_parquet_are_the_same_pool() -> None:
    begin()
    pyarrow.csv.write_csv(pool_table(), "pool.csv")
    label_everything(1)
    assert good("estimate", "birds.db", "--pool", "pool.csv").stdout == good("estimate", "birds.db").stdout


def test_leading_zeros_stay() -> None:
    rows = "".join(f"{number:03d};{number / 10}\n" for number in range(10))
    Path("zeros.csv").write_text(f"id;p\n{rows}")
    good("start", "zeros.db", "--pool", "zeros.csv", "--id", "id", "--score", "p", "--threshold", "0.5")
    assert re.search("^00[0-9],\r?$", good("ask", "zeros.db").stdout, re.MULTILINE)


CHANGES: list[tuple[str, tuple[str, ...]]] = [
    ("--pool must be a file that is there: .*nowhere.parquet is not", ("--pool", "nowhere.parquet")),
    ("--pool must end in .parquet or .csv: got .*pool.xlsx", ("--pool", "pool.xlsx")),
    ("--pool must be Parquet or CSV in UTF-8: .*broken.parquet cannot be read", ("--pool", "broken.parquet")),
    ("--pool must be Parquet or CSV in UTF-8: .*empty.csv cannot be read", ("--pool", "empty.csv")),
    ("--pool must hold at least one item: .*header.csv", ("--pool", "header.csv")),
    (
        "--score must be a column of .*, one of path, p, title, crow, other, weight: got 'q', which is not",
        ("--score", "q"),
    ),
    ("--id must be a column of .*: got 'q'", ("--id", "q")),
    ("--field must be a column of .*: got 'q'", ("--field", "q")),
    ("--score must be a column of numbers: 'path' holds string, for example", ("--score", "path")),
    ("--id must be a column of texts or whole numbers: 'p' holds double", ("--id", "p")),
    ("ids must be distinct: 399 of 400 repeat another", ("--pool", "same.parquet")),
    ("--score must have a value in every row: 2 of 400 in 'p' have none .first in row 4", ("--pool", "null.csv")),
    ("scores must be finite: 3 of 400 are not .first at position 5", ("--pool", "nan.parquet")),
    ("--score must be a column of numbers: 2 of 400 in 'p' are not .first in row 4: 'NA'", ("--pool", "na.csv")),
    ("--prediction must be a column of numbers: 'path' holds string", ("--prediction", "path")),
    ("predictions must be 0 or 1: 400 of 400 are not", ("--prediction", "p", "--score", "weight")),
    ("give either --threshold or --prediction: got both", ("--prediction", "crow", "--threshold", "0.5")),
    ("give either --threshold or --prediction: got neither", ("--prediction", "")),
    ("metric must be one of", ("--metric", "accuracy")),
    ("metric must be of the F family", ("--metric", "tp")),
    ("sampler must be one of", ("--sampler", "magic")),
    ("settings of sampler 'curve' must be among", ("--set", "magic=1")),
    ("--set must be key=value: got 'anytime'", ("--set", "anytime")),
    ("anytime must be True or False: got 'perhaps'", ("--set", "anytime=perhaps")),
    ("scale must be one of", ("--scale", "percent")),
    ("seed must be a whole number", ("--seed", "-1")),
    ("--show must be one of text, image: got 'video'", ("--show", "video")),
    ("--media-root must be a folder that exists", ("--media-root", "nowhere")),
    ("--field must not show what the model believes.*'p' is the score", ("--field", "p")),
    ("--field must not be called id or label: got 'label'", ("--field", "label")),
    ("weights must be positive|--weight must be a column of numbers", ("--weight", "title")),
    ("name must be a text that is not empty", ("--name", " ")),
]


def prepare_bad_files() -> None:
    table = pool_table()
    Path("pool.xlsx").write_text("x")
    Path("broken.parquet").write_text("not parquet")
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("path,p,title\n")
    pyarrow.parquet.write_table(table.set_column(0, "path", [["same"] * ITEMS]), "same.parquet")
    score = table["p"].to_pylist()
    nan = [float("nan") if number in (5, 6, 7) else value for number, value in enumerate(score)]
    pyarrow.parquet.write_table(table.set_column(1, "p", [nan]), "nan.parquet")
    for name, word in (("null.csv", None), ("na.csv", "NA")):
        texts = [word if number in (3, 9) else str(value) for number, value in enumerate(score)]
        pyarrow.csv.write_csv(table.set_column(1, "p", arrow.array([texts[0], *texts[1:]])), name)


@pytest.mark.parametrize(("message", "arguments"), CHANGES)
def test_start_refuses(message: str, arguments: tuple[str, ...]) -> None:
    """And no store is left behind."""
    prepare_bad_files()
    given = dict(zip(BEGIN[::2], BEGIN[1::2], strict=True))
    if arguments[0] == "--prediction":
        del given["--threshold"]
    given |= dict(zip(arguments[::2], arguments[1::2], strict=True))
    refused(message, "start", "new.db", *(part for pair in given.items() for part in pair if pair[1]))
    assert not Path("new.db").exists()


def test_start_takes_settings_predictions_weights() -> None:
    good(
        *("start", "birds.db", "--pool", "pool.parquet", "--id", "path", "--score", "p", "--prediction", "crow"),
        *("--weight", "weight", "--scale", "probability", "--metric", "recall", "--sampler", "sawade", "--seed", "7"),
        *("--instructions", "Look closely", "--annotators-per-item", "2"),
    )
    (one,) = found("status", "birds.db")["evaluations"]
    assert (one["metric"], one["sampler"], one["seed"], one["name"]) == ("recall", "sawade", 7, "evaluation")
    good("start", "curve.db", *BEGIN, "--set", "anytime=True", "--set", "insurance=0.1")
    settings = found("status", "curve.db")["evaluations"][0]["settings"]
    assert (settings["anytime"], settings["insurance"]) == (True, 0.1)


def test_a_sampler_without_a_plan_begins_all_the_same() -> None:
    assert "Plan: a plan needs an interval, and rand has none yet" in begin("--sampler", "rand").stdout


def test_predictions_in_a_csv_file() -> None:
    pyarrow.csv.write_csv(pool_table(), "pool.csv")
    good("start", "a.db", "--pool", "pool.csv", "--id", "path", "--score", "p", "--prediction", "crow")
    good("start", "b.db", "--pool", "pool.parquet", "--id", "path", "--score", "p", "--threshold", "0.6")
    assert good("ask", "a.db").stdout == good("ask", "b.db").stdout


def test_a_name_that_is_taken() -> None:
    begin()
    message = "birds.db has an evaluation 'evaluation' already; use another name or another store, or go on"
    refused(message, "start", "birds.db", *BEGIN)


def test_somebody_else_begins_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """After we looked whether the name is taken, and after we looked again."""
    begin()
    find, looks = Store.find, iter((True, True))
    monkeypatch.setattr(Store, "find", lambda store, name: None if next(looks, False) else find(store, name))
    refused("--name must be a new one: birds.db has an evaluation 'evaluation' already", "start", "birds.db", *BEGIN)


def test_a_threshold_on_another_scale() -> None:
    columns = ("--pool", "pool.parquet", "--score", "p")
    refused(r"--threshold must be .* go from 0\.\d+ to 0\.\d+: got 60", "start", "b.db", *columns, "--threshold", "60")
    table = pool_table().append_column("never", arrow.array([0] * ITEMS))
    pyarrow.parquet.write_table(table, "pool.parquet")
    refused("--prediction must be 1 for some items", "start", "b.db", *columns, "--prediction", "never")
    assert not Path("b.db").exists()


def test_columns_as_spreadsheets_write_them() -> None:
    begin()
    good("ask", "birds.db", "--count", "3", "-o", "items.csv")
    filled_in = fill_csv(Path("items.csv").read_text())
    Path("items.csv").write_text(filled_in.replace("id,title,label", "ID,title, Label "))
    assert good("tell", "birds.db", "items.csv").stdout.startswith("3 new labels,")


def test_which_evaluation() -> None:
    refused("store must be there: birds.db is not; .*`lowshot start`", "ask", "birds.db")
    assert not Path("birds.db").exists()
    begin("--name", "one")
    assert found("estimate", "birds.db")["name"] == "one"
    begin("--name", "two")
    for command in ("ask", "estimate", "plan", "export"):
        refused("--name must say which evaluation: the store has 'one', 'two'", command, "birds.db")
        refused("--name must be an evaluation of the store, one of 'one', 'two'", command, "birds.db", "--name", "x")
    assert found("estimate", "birds.db", "--name", "two")["name"] == "two"
    assert [one["name"] for one in found("status", "birds.db", "--name", "two")["evaluations"]] == ["two"]


def test_a_store_without_evaluations() -> None:
    lowshot.store.Store("empty.db")
    refused("store must hold an evaluation: it has none", "estimate", "empty.db")
    assert "no evaluation" in good("status", "empty.db").stdout
    Path("words.db").write_text("this is not a store " * 100)
    refused("the file is something else", "status", "words.db")


def test_two_evaluations_of_one_question() -> None:
    begin("--name", "one", "--question", "Is this a crow?")
    good("ask", "birds.db", "-o", "items.csv", "--name", "one")
    Path("items.csv").write_text(fill_csv(Path("items.csv").read_text()))
    good("tell", "birds.db", "items.csv", "--name", "one")
    second = begin("--name", "two", "--question", "Is this a crow?", "--metric", "recall", "--seed", "1")
    labels = found("status", "birds.db", "--name", "one")["evaluations"][0]["labels"]
    assert f"{labels} labels known already" in second.stdout
    rows = good("export", "birds.db", "--name", "two", "--format", "jsonl").stdout.strip().split("\n")
    assert len(rows) == labels
    assert json.loads(rows[0])["round"] is None


def test_status() -> None:
    begin()
    label_everything(1)
    good("ask", "birds.db", "--count", "2")
    text = good("status", "birds.db").stdout
    assert re.search(
        r"^evaluation: f1, sampler curve, 400 items\n"
        r"  10 labels, 2 pending, begun 20[0-9-]+ [0-9:]+ UTC, last label 20[0-9-]+ [0-9:]+ UTC\n"
        r"  2 items with command line, until 20[0-9-]+ [0-9:]+ UTC\n"
        r"  f1 = 0\.[0-9]+, 95 % interval .*, from 10 labels",
        text,
    )
    (one,) = found("status", "birds.db")["evaluations"]
    assert one["estimate"]["low"] < one["estimate"]["value"] < one["estimate"]["high"]
    assert one["began"] < one["last_label"]


def test_what_to_do_next_is_a_command() -> None:
    begin()
    assert good("estimate", "birds.db").stderr == "next: `lowshot label`, or `lowshot ask` and `lowshot tell`\n"
    assert "  next: `lowshot label`" in good("status", "birds.db").stdout
    _, *rest = asked()
    tell([(item, truth()[item]) for item in rest])
    waits = good("estimate", "birds.db")
    assert waits.stdout.endswith(
        "from 0 labels (the labels so far wait for items that were drawn before them: answer"
        " the pending ones); 4 more labels wait for 1 item without an answer\n"
    )
    assert "`lowshot status` shows who has them" in waits.stderr
    assert [found("estimate", "birds.db")[key] for key in ("labels", "waiting", "waiting_for")] == [0, 4, 1]
    assert "`lowshot ask --again` repeats yours" in good("status", "birds.db").stdout
    label_everything(1)
    for command in ("estimate", "status", "report"):
        assert not re.search(r"\w\(\)", good(command, "birds.db").output), "Python"


def test_a_pool_that_moved_or_changed(here: Path) -> None:
    begin()
    label_everything(1)
    before = good("estimate", "birds.db").stdout
    Path("pool.parquet").rename("elsewhere.parquet")
    refused("--pool must be a file that is there: .*pool.parquet is not", "estimate", "birds.db")
    assert "no estimate: --pool must be a file that is there" in good("status", "birds.db").stdout
    assert "must be a file that is there" in found("status", "birds.db")["evaluations"][0]["problem"]
    assert good("estimate", "birds.db", "--pool", "elsewhere.parquet").stdout == before
    pyarrow.parquet.write_table(pool_table().slice(1), "pool.parquet")
    refused("pool must be the one that evaluation 'evaluation' began with: 400 items then, 399", "ask", "birds.db")
    random = np.random.default_rng(1).permutation(ITEMS)
    pyarrow.parquet.write_table(pool_table().take(random), "pool.parquet")
    assert good("estimate", "birds.db").stdout == before


def test_an_evaluation_that_began_in_python() -> None:
    lowshot.Evaluation(lowshot.Pool([0.9, 0.1], threshold=0.5), store="python.db")
    refused("must have begun with `lowshot start`: it began in Python", "ask", "python.db")
    assert found("status", "python.db")["evaluations"][0]["items"] == 2


def test_python_goes_on_with_what_the_terminal_began() -> None:
    begin()
    pool = lowshot.Pool(pool_table()["p"], threshold=0.6, ids=IDS)
    evaluation = lowshot.Evaluation(pool, store="birds.db")
    items = evaluation.ask(5)
    evaluation.tell(items, [truth()[str(item)] for item in items])
    assert good("estimate", "birds.db").stdout == f"{evaluation.estimate()}\n"


def test_other_metrics_models_and_thresholds() -> None:
    begin()
    label_everything()
    table = pool_table()
    evaluation = lowshot.Evaluation(lowshot.Pool(table["p"], threshold=0.6, ids=IDS), store="birds.db")
    recall = evaluation.estimate("recall", confidence=0.9)
    assert good("estimate", "birds.db", "--metric", "recall", "--confidence", "0.9").stdout == f"{recall}\n"
    other = evaluation.estimate(predictions=table["other"])
    shuffled = table.take(np.random.default_rng(1).permutation(ITEMS)).rename_columns(
        ["name", "q", "title", "crow", "mine", "weight"]
    )
    pyarrow.parquet.write_table(shuffled, "other.parquet")
    pyarrow.csv.write_csv(shuffled, "other.csv")
    for arguments in (
        ("--threshold", "0.4"),
        ("--prediction", "other"),
        ("--predictions", "other.parquet", "--id", "name", "--prediction", "mine"),
        ("--predictions", "other.csv", "--id", "name", "--prediction", "mine"),
        ("--predictions", "other.csv", "--id", "name", "--score", "q", "--threshold", "0.4"),
    ):
        assert good("estimate", "birds.db", *arguments).stdout == f"{other}\n", arguments
    file = ("estimate", "birds.db", "--predictions", "other.csv")
    refused("give either --threshold or --prediction: got neither", *file)
    nowhere = ("estimate", "birds.db", "--predictions", "nowhere.csv", "--prediction", "mine")
    refused("--predictions must be a file that is there: nowhere.csv is not", *nowhere)
    refused("--id must be a column of other.csv, one of name, q,", *file, "--prediction", "mine")
    refused("--score and --id must come with", "estimate", "birds.db", "--score", "p")
    refused("confidence must be a number", "estimate", "birds.db", "--confidence", "2")
    refused("metric must be one of", "estimate", "birds.db", "--metric", "accuracy")
    pyarrow.parquet.write_table(table.slice(1), "less.parquet")
    less = ("--predictions", "less.parquet", "--prediction", "other")
    refused("must hold every item of the pool: 1 of 400 are missing", "estimate", "birds.db", *less)


def test_another_model_by_position() -> None:
    good("start", "birds.db", "--pool", "pool.parquet", "--score", "p", "--threshold", "0.6")
    before = found("estimate", "birds.db", "--threshold", "0.4", "--metric", "tp")
    assert before["labels"] == 0
    pyarrow.parquet.write_table(pool_table().slice(1), "less.parquet")
    less = ("--predictions", "less.parquet", "--prediction", "other")
    refused("predictions must be one for each item: got 399 for 400", "estimate", "birds.db", *less)


def test_the_gate() -> None:
    begin()
    undecided = invoke("estimate", "birds.db", "--at-least", "0.8")
    assert undecided.exit_code == 4
    assert "undecided: f1 may be below 0.8 or not; label more items\n" in undecided.stdout
    label_everything(3)
    now = found("estimate", "birds.db")
    assert 0 < now["low"] < now["high"] < 1
    for limit, code, word in ((now["low"], 0, "reached"), (now["high"] + 0.001, 3, "missed"), (now["value"], 4, "und")):
        result = invoke("estimate", "birds.db", "--at-least", str(limit))
        assert result.exit_code == code
        assert result.stdout.split("\n")[1].startswith(word)
        plain = invoke("estimate", "birds.db", "--at-least", str(limit), "--json")
        assert plain.exit_code == code
        assert json.loads(plain.stdout)["verdict"].startswith(word)
    refused("--at-least must be a finite number", "estimate", "birds.db", "--at-least", "nan")


def test_the_gate_at_its_edges() -> None:
    def estimate(low: float, high: float) -> Estimate:
        return Estimate("f1", 0.5, 0.01, lowshot.Interval(low, high), 30, Reach(600, 600))

    assert verdict(estimate(0.8, 0.9), 0.8) is Verdict.REACHED
    assert verdict(estimate(0.7, 0.8), 0.8) is Verdict.UNDECIDED
    assert verdict(estimate(0.7, 0.79), 0.8) is Verdict.MISSED


def test_a_warning_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    label_everything(1)
    monkeypatch.setattr("lowshot.sampler.curve.warning", lambda *_: "positives lie far down")
    assert "careful: positives lie far down" in good("estimate", "birds.db").stdout
    assert found("estimate", "birds.db")["warning"] == "positives lie far down"


def test_plan() -> None:
    begin()
    plan = found("plan", "birds.db", "--half-width", "0.2")
    assert plan["low"] <= plan["likely"] <= plan["high"]
    assert plan["half_width"] == 0.2
    refused("--half-width must be a number", "plan", "birds.db", "--half-width", "7")


def test_report() -> None:
    begin()
    refused("a report needs labels", "report", "birds.db")
    label_everything()
    told = good("report", "birds.db", "-o", "page.html", "--pictures").stdout.split()
    assert Path(told[0]).name == "page.html"
    assert all(Path(name).stat().st_size > 1000 for name in told)
    assert len(told) > 1
    refused("--output must be", "report", "birds.db", "-o", "no/page.html")


def test_the_terminal() -> None:
    """Keys come from the runner; each answer is in the store before the next key is read."""
    begin("--question", "Is this a crow?", "--instructions", "Look at the beak.")
    result = good("label", "birds.db", "--terminal", input="yx?nsq")
    assert result.stdout.startswith("Is this a crow?\nLook at the beak.\ny yes, n no, s cannot tell, u undo, q quit\n")
    assert result.stdout.endswith("3 answered now, 3 labels in all\n")
    assert result.stdout.count("A bird\nnumber") == 4
    assert "f1 =" not in result.stdout
    rows = good("export", "birds.db", "--format", "jsonl").stdout.strip().split("\n")
    assert [json.loads(row)["label"] for row in rows] == [1, 0, None]
    again = good("label", "birds.db", "--terminal", "--count", "1", "--solo", input="y")
    assert "f1 = " in again.stdout
    assert again.stdout.endswith("1 answered now, 4 labels in all\n")
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
    assert result.stdout.endswith("3 answered now, 3 labels in all\n")


def test_the_end_of_the_keys_ends_the_session() -> None:
    begin()
    assert good("label", "birds.db", "--terminal", input="y").stdout.endswith("1 answered now, 1 label in all\n")


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
    assert "Not kept: " in result.stdout
    assert result.stdout.endswith("0 answered now, 2 labels in all\n")


def test_codes_that_steer_a_terminal_are_not_shown() -> None:
    pyarrow.parquet.write_table(pool_table().set_column(2, "title", [["\x1b[2Jx"] * ITEMS]), "pool.parquet")
    begin()
    assert "\x1b" not in good("label", "birds.db", "--terminal", input="q").stdout


def test_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """What annotators get is what --field names, in its order; the rest is tests/web/."""
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
    good("start", "pictures.db", *BEGIN[:-2], "--show", "image", "--field", "path")
    refused("media_root must be", "label", "pictures.db")


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
    assert Path("out.csv").read_text().count("\n") == 4
    assert [Path(name).name for name in found("report", "birds.db")["files"]] == ["report.html"]
    refused("--config writes XML", "ask", "birds.db", "--format", "label-studio", "--config", "--json")
    nothing = invoke("ask", "birds.db", "--again", "-o", "more.csv", "--json")
    assert (nothing.exit_code, nothing.stderr, Path("more.csv").exists()) == (1, "", False)
    assert json.loads(nothing.stdout)["reason"] == "no item is pending"


def test_lines_end_as_in_any_text_file() -> None:
    begin()
    assert b"\r" not in good("ask", "birds.db", "-o", "items.csv").stdout_bytes + Path("items.csv").read_bytes()
    assert b"\r" not in good("ask", "birds.db", "--again").stdout_bytes


def test_export_to_a_file() -> None:
    begin()
    label_everything(1)
    for _ in range(2):
        assert good("export", "birds.db", "-o", "out.csv").stdout == ""
    assert Path("out.csv").read_text().startswith("id,label,prediction,round,probability,calibration,time\n")
    refused("--output must be a file in a folder that exists", "export", "birds.db", "-o", "no/where.csv")


def test_a_label_that_was_exported_can_be_told() -> None:
    begin()
    label_everything(1)
    good("export", "birds.db", "-o", "out.csv")
    assert good("tell", "birds.db", "out.csv").stdout.startswith("0 new labels, 10 unchanged, 0 corrected")


def begin_with_formulas(ids: list[str]) -> None:
    columns = {"path": ids, "p": [0.9, 0.8, 0.4, 0.2], "title": ["+1", "@home", "=1+1", "crow"]}
    arrow.parquet.write_table(arrow.table(columns), "formulas.parquet")
    good(
        *("start", "birds.db", "--pool", "formulas.parquet", "--id", "path", "--score", "p"),
        *("--threshold", "0.5", "--field", "title"),
    )


def cells(text: str, *columns: str) -> list[tuple[str, ...]]:
    return sorted(tuple(row[column] for column in columns) for row in csv.DictReader(io.StringIO(text)))


def test_no_formulas_for_a_spreadsheet() -> None:
    begin_with_formulas(["=cmd()", "-2", "'quoted", "plain"])
    raw = [("'quoted", "=1+1"), ("-2", "@home"), ("=cmd()", "+1"), ("plain", "crow")]
    safe = [("'-2", "'@home"), ("'=cmd()", "'+1"), ("'quoted", "'=1+1"), ("plain", "crow")]
    assert cells(good("ask", "birds.db", "--count", "4").stdout, "id", "title") == raw
    good("ask", "birds.db", "--again", "-o", "items.csv", "--for-spreadsheet")
    text = Path("items.csv").read_text()
    assert cells(text, "id", "title") == safe
    Path("items.csv").write_text(text.replace(",\n", ",yes\n"))
    assert good("tell", "birds.db", "items.csv").stdout.startswith("4 new labels")
    exported = good("export", "birds.db", "--for-spreadsheet").stdout
    assert cells(exported, "id") == [(item,) for item, _ in safe]
    assert cells(good("export", "birds.db").stdout, "id") == [(item,) for item, _ in raw]
    Path("out.csv").write_text(exported)
    assert good("tell", "birds.db", "out.csv").stdout.startswith("0 new labels, 4 unchanged")


def test_an_id_that_could_be_another_one_with_an_apostrophe() -> None:
    begin_with_formulas(["=a", "'=a", "b", "c"])
    good("ask", "birds.db", "--count", "4")
    Path("items.csv").write_text("id,label\n'=a,1\n")
    refused("ids must say which item is meant", "tell", "birds.db", "items.csv")


@pytest.mark.parametrize("command", ["ask", "export"])
def test_only_csv_is_for_a_spreadsheet(command: str) -> None:
    begin()
    message = "--for-spreadsheet must come with --format csv: got jsonl"
    refused(message, command, "birds.db", "--format", "jsonl", "--for-spreadsheet")
    assert found("status", "birds.db")["evaluations"][0]["pending"] == 0


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


def test_a_server(postgres: str) -> None:
    begin(store=postgres)
    good("ask", postgres, "--count", "3", "-o", "items.csv")
    Path("items.csv").write_text(fill_csv(Path("items.csv").read_text()))
    assert good("tell", postgres, "items.csv").stdout.startswith("3 new labels")
    assert good("label", postgres, "--terminal", input="yunq").stdout.endswith("1 answered now, 4 labels in all\n")
    (one,) = found("status", postgres)["evaluations"]
    assert (one["labels"], one["pending"]) == (4, 1)
    assert len(good("export", postgres, "--format", "jsonl").stdout.strip().split("\n")) == 4
    assert invoke("estimate", postgres, "--at-least", "2").exit_code == 3


@pytest.mark.parametrize(
    "where",
    [
        "mysql://ann:secret@host/birds",
        "postgresql://ann:secret@127.0.0.1:1/birds",
        "postgresql://ann:se@secret@127.0.0.1:1/birds",
        "postgresql://ann:se/secret@127.0.0.1:1/birds",
        "postgresql://ann:secret/birds",
        "postgresql://127.0.0.1:1/birds?user=ann&password=secret",
        "postgresql:/ann:secret@host/birds",
        "host=127.0.0.1/x password=secret",
    ],
)
def test_a_password_is_not_shown(where: str) -> None:
    for command in (("start", where, *BEGIN), ("status", where), ("estimate", where), ("ask", where), ("label", where)):
        result = invoke(*command)
        assert result.exit_code == 2, result.output
        assert "secret" not in result.output
        assert result.output.startswith("lowshot: store")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    refused("reading a file needs pyarrow.*: pip install 'lowshot\\[store\\]'", "start", "birds.db", *BEGIN)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    """Pandas, which scikit-learn imports where it is installed, brings pyarrow itself."""
    code = (
        "import sys, lowshot.cli.demo; sys.exit(any(name in sys.modules for name in ('pyarrow.parquet', 'sqlalchemy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode == 0
