"""`lowshot tell`: labels in words, corrections, conflicts, and files that cannot be used."""

import csv
import io
import json
from pathlib import Path

import pytest

import lowshot
from lowshot.answer import YES_NO, Empty, Label
from lowshot.labelling.rows import Row, filled

from ..helpers import found, good, refused
from .birds import asked, begin, fill_csv, tell

pytestmark = pytest.mark.usefixtures("birds")


def read(word: object) -> Label | Empty:
    return filled(Row("a", word), YES_NO).label


def test_words_for_labels() -> None:
    for word in (1, "1", "yes", "Y", "true", True, " Yes ", 1.0):
        assert read(word) == 1
    for word in (0, "0", "no", "N", "False", False, "0.0"):
        assert read(word) == 0
    assert [read(word) for word in (None, "?", "Cannot tell", "null")] == [None] * 4
    with pytest.raises(lowshot.InputError, match=r"labels must be .* got 'maybe' for item 'a'"):
        read("maybe")


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
    assert all(row["round"] == 1 and row["calibration"] > 0 and row["time"] > "2026" for row in rows)
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
    assert again.stdout.endswith("3 conflicts skipped\n")
    assert again.stderr.count("skipped: ") == 3


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


@pytest.mark.parametrize("file", ["labels.csv", "labels.jsonl"])
def test_ids_in_a_column_that_is_called_as_in_the_pool(file: str) -> None:
    """A column id has precedence: it is what `lowshot ask` wrote."""
    begin()
    first, second = asked(2)
    write_rows(file, [{"path": first, "label": "1"}])
    assert good("tell", "birds.db", file).stdout.startswith("1 new label, ")
    write_rows(file, [{"path": first, "id": second, "label": "0"}])
    assert good("tell", "birds.db", file).stdout.startswith("1 new label, ")


def write_rows(file: str, rows: list[dict[str, str]]) -> None:
    if file.endswith(".jsonl"):
        Path(file).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return
    with Path(file).open("w", newline="") as table:
        writer = csv.DictWriter(table, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


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


def studio_export(answers: dict[str, dict[str, str]]) -> None:
    """What Label Studio exports, with the word that was chosen among each of the choices of an item."""
    tasks = [
        {
            "data": {"id": item},
            "annotations": [
                {
                    "result": [
                        {"type": "choices", "from_name": name, "value": {"choices": [word]}}
                        for name, word in chosen.items()
                    ]
                }
            ],
        }
        for item, chosen in answers.items()
    ]
    Path("export.json").write_text(json.dumps(tasks))


def test_choices_of_label_studio_that_are_no_answers() -> None:
    begin()
    first, second = asked(2)
    studio_export({first: {"sure": "yes", "label": "no"}, second: {"sure": "yes"}})
    said = good("tell", "birds.db", "export.json")
    assert (said.stdout, said.stderr) == ("1 new label, 0 unchanged, 0 corrected, 1 without an answer\n", "")
    assert json.loads(good("export", "birds.db", "--format", "jsonl").stdout)["label"] == 0
    studio_export({second: {"sure": "yes", "bird": "no"}})
    refused(
        "the choices of the file must be called 'label', or be all of one name: they are called 'bird', 'sure'; label"
        " in a project with the config that",
        *("tell", "birds.db", "export.json"),
    )


def test_a_project_of_label_studio_with_choices_of_another_name() -> None:
    begin()
    first, second = asked(2)
    studio_export({first: {"bird": "maybe"}, second: {"bird": "no"}})
    refused("labels must be 1, 0, yes, .*: got 'maybe' for item", "tell", "birds.db", "export.json")
    studio_export({first: {"bird": "yes"}, second: {"bird": "no"}})
    said = good("tell", "birds.db", "export.json")
    assert said.stdout.startswith("2 new labels")
    assert said.stderr == "careful: the choices are called 'bird' and not 'label': they are read as the answers\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,label\na,1\n", "must have columns id or path and label: it has name, label"),
        ("", "must have columns id or path and label: it has none"),
        ("id,label\n,1\n", "every row must have an id: line 2 has none"),
        ("id,label\nnobody.jpg,1\n", "items must be ids of the pool: got 'nobody.jpg'"),
        ('id,label\n"bird 007, ""0"".jpg",1\n', "items must have been asked: .* never was; `lowshot ask`"),
        ('{"id": "a"\n', "line 1 is not JSON"),
        ('{"id": "a"}\n[1]\n', "line 2 is not an object|items must be ids of the pool"),
        ('{"id": null, "label": 1}\n', "every row must have an id: line 1"),
        ('[{"data": {"id": "a"}, "annotations": [17]}]', "annotations must be as Label Studio's.*item 'a' are not"),
        ('{"meta": {"id": 1}, "answer": []}', r"answers must be one of accept, reject, ignore: got \[\]"),
        ('{"label": 1}\n', "every row must have an id: line 1 has none called id or path"),
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
    refused("FILE must exist: nowhere.csv does not", "tell", "birds.db", "nowhere.csv")
    Path("latin.csv").write_bytes("id,label\nvögel,1\n".encode("latin-1"))
    refused("FILE must be UTF-8", "tell", "birds.db", "latin.csv")
    result = {"type": "choices", "value": {"choices": ["yes", "no"]}}
    Path("two.json").write_text(json.dumps([{"data": {"id": first}, "annotations": [{"result": [result]}]}]))
    refused("labels must be one choice per item: got .*'yes', 'no'", "tell", "birds.db", "two.json")
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


def test_columns_as_spreadsheets_write_them() -> None:
    begin()
    good("ask", "birds.db", "--count", "3", "-o", "items.csv")
    filled_in = fill_csv(Path("items.csv").read_text())
    Path("items.csv").write_text(filled_in.replace("id,title,label", "ID,title, Label "))
    assert good("tell", "birds.db", "items.csv").stdout.startswith("3 new labels,")


def test_hostile_files(here: Path) -> None:
    """Nested more deeply than can be read; an id with more digits than Python converts."""
    begin()
    good("ask", "birds.db", "-o", "items.csv")
    for name, text in (("deep.json", "[" * 200_000), ("deep.jsonl", '{"a":' * 200_000)):
        Path(name).write_text(text)
        refused("FILE must be a table or a list of labels|must be JSON|JSON", "tell", "birds.db", name)
    lowshot.Evaluation(lowshot.Pool([0.9, 0.1], threshold=0.5), store="numbers.db")
    assert lowshot.Pool([0.9], threshold=0.5).id_of("9" * 5000) == "9" * 5000
