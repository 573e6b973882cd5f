"""Many classes through commands: every form of scores, the loop in every format, and all that can be wrong."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

import lowshot

from ..helpers import found, good, invoke, refused
from . import bird_classes as birds
from .bird_classes import BEGIN, IDS, NAMES, SCORES, answered, begin, label_some, pool, tell, truth


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    birds.write_files()


def fingerprint(*arguments: str) -> str:
    """Of the pool of an evaluation that begins with these options."""
    good("start", "birds.db", *arguments)
    return lowshot.store.Store("birds.db").headers()[0].fingerprint


# ---- where the scores are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(
    "classes",
    ["p_heron,p_crow,p_wren,p_gull", "@columns.txt", "p_heron, p_c*, p_wren,p_gull"],
)
def test_a_column_per_class(classes: str, ending: str) -> None:
    """A class is called like its column; of a pattern, like what the * stands for."""
    good("start", "birds.db", "--pool", f"scores.{ending}", "--id", "path", "--classes", classes)
    rows = found("table", "birds.db")["rows"]
    assert [row["category"] for row in rows] == (["p_heron", "row", "p_wren", "p_gull"] if "*" in classes else [
        "p_heron", "p_crow", "p_wren", "p_gull"
    ])  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ("--pool", "scores.parquet", "--id", "path", "--classes", "p_*"),
        ("--pool", "scores.csv", "--id", "path", "--classes", "p_*"),
        ("--pool", "scores.csv", "--id", "path", "--classes", "@columns.txt", "--class-names", "names.txt"),
        ("--pool", "scores.csv", "--id", "path", "--classes", "p_*", "--prediction", "best"),
        ("--pool", "scores.npz", "--id", "path", "--class-names", "names.txt"),
        ("--pool", "scores.parquet", "--id", "path", "--classes", "scores.npz", "--class-names", "names.txt"),
        ("--pool", "scores.csv", "--id", "path", "--classes", "scores.npy", "--class-names", "names.txt"),
    ],
)
def test_the_same_pool_from_every_file(arguments: tuple[str, ...]) -> None:
    same = pool() if "scores.npy" not in arguments else pool_of(SCORES.astype(np.float32))
    assert fingerprint(*arguments) == same.fingerprint


def pool_of(scores: Any, **other: Any) -> lowshot.ClassPool:
    return lowshot.ClassPool(scores, **{"classes": NAMES, "ids": IDS, **other})


def test_a_matrix_alone() -> None:
    """Classes and items are numbers if nothing names them."""
    assert fingerprint("--pool", "scores.npy") == lowshot.ClassPool(SCORES.astype(np.float32)).fingerprint
    rows = found("table", "birds.db")["rows"]
    assert [row["category"] for row in rows] == [0, 1, 2, 3]
    assert found("estimate", "birds.db", "--category", "2")["category"] == 2
    item = found("ask", "birds.db", "--count", "1")["items"][0]["id"]
    assert tell([(item, 2)]).startswith("1 new label")
    assert found("export", "birds.db")["rows"][0]["label"] == 2
    Path("scores.npy").rename("moved.npy")
    refused("must be a NumPy file", "estimate", "birds.db")
    assert found("estimate", "birds.db", "--pool", "moved.npy")["labels"] == 1


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_rows_of_classes(ending: str) -> None:
    """The items are in the order of their first rows; what people see is of the right item."""
    table = birds.long_table()
    rows = {"id": table["path"].to_pylist(), "class": table["bird"].to_pylist(), "score": table["p"].to_numpy()}
    options = ("--id", "path", "--classes", "rows", "--class", "bird", "--score", "p", "--field", "title")
    same = lowshot.ClassPool(rows, ids="id", classes=NAMES)
    assert fingerprint("--pool", f"long.{ending}", *options, "--class-names", "names.txt") == same.fingerprint
    for item in found("ask", "birds.db", "--count", "5")["items"]:
        assert item["title"] == f"A bird: {item['id']}"
    good("start", "sorted.db", "--pool", f"long.{ending}", *options, "--slice", "camera")
    assert [row["category"] for row in found("table", "sorted.db")["rows"]] == sorted(NAMES)
    assert [row["camera"] for row in found("table", "sorted.db", "--by", "camera")["rows"]] == ["north", "south"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_scores_beyond_single_precision(ending: str) -> None:
    """The class that is best by the numbers in the file is predicted, and 0 does not reach a threshold above it."""
    rows = {"path": ["a", "b"], "heron": [0.0, 0.5], "crow": [1e-300, 0.5], "wren": [2e-300, 0.5 + 1e-12]}
    table = pyarrow.table(rows)
    pyarrow.parquet.write_table(table, "hard.parquet")
    pyarrow.csv.write_csv(table, "hard.csv")
    options = ("--pool", f"hard.{ending}", "--id", "path", "--classes", "heron,crow,wren")
    good("start", "birds.db", *options)
    assert [row["predicted"] for row in found("table", "birds.db")["rows"]] == [0, 0, 2]
    good("start", "several.db", *options, "--kind", "multilabel", "--threshold", "1.5e-300")
    assert [row["predicted"] for row in found("table", "several.db")["rows"]] == [1, 1, 2]
    np.save("hard.npy", np.array([[0.0, 0.5], [0.0, 0.0]], dtype=np.float32))
    good("start", "matrix.db", "--pool", "hard.npy", "--kind", "multilabel", "--threshold", "1e-300")
    assert [row["predicted"] for row in found("table", "matrix.db")["rows"]] == [0, 1]


def test_all_columns_of_numbers() -> None:
    good("start", "birds.db", "--pool", "scores.csv", "--id", "path", "--classes", "all", "--weight", "weight")
    assert [row["category"] for row in found("table", "birds.db")["rows"]] == [f"p_{name}" for name in NAMES]


def test_given_predictions_and_weights() -> None:
    weights = np.linspace(1, 2, birds.ITEMS)
    second = birds.table()["second"].to_pylist()
    expected = pool(predictions=second, weights=weights).fingerprint
    assert fingerprint(*BEGIN, "--prediction", "second", "--weight", "weight") == expected
    arguments = ("--pool", "scores.npz", "--id", "path", "--prediction", "bird", "--class-names", "names.txt")
    good("start", "matrix.db", *arguments)
    assert lowshot.store.Store("matrix.db").headers()[0].fingerprint == pool(predictions=second).fingerprint


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [(("--threshold", "0.4"), SCORES >= 0.4), (("--prediction", "is_*"), SCORES >= 0.4)],
)
def test_any_number_of_classes(arguments: tuple[str, ...], flags: Any) -> None:
    expected = pool(kind="multilabel", predictions=flags).fingerprint
    assert fingerprint(*BEGIN, "--kind", "multilabel", *arguments) == expected
    first, second, third = [row["id"] for row in found("ask", "birds.db", "--count", "3")["items"]]
    told = tell([(first, ["heron", "crow"]), (second, "wren | gull"), (third, [])])
    assert told.startswith("3 new labels")
    rows = found("export", "birds.db")["rows"]
    assert [row["label"] for row in rows] == [["heron", "crow"], ["wren", "gull"], []]
    assert all(set(row["prediction"]) <= {*NAMES} for row in rows)
    text = good("export", "birds.db").stdout
    assert "heron | crow" in text
    Path("labels.csv").write_text(text)
    assert good("tell", "birds.db", "labels.csv").stdout.startswith("0 new labels, 3 unchanged")


def test_files_that_were_moved() -> None:
    """Near the store they are found by themselves; otherwise --pool says where they are."""
    Path("work").mkdir()
    for file in ("scores.csv", "scores.npy", "names.txt"):
        Path(file).rename(Path("work") / file)
    columns = ("--pool", "work/scores.csv", "--id", "path", "--classes", "work/scores.npy")
    good("start", "work/birds.db", *columns, "--class-names", "work/names.txt")
    before = good("table", "work/birds.db").stdout
    Path("work/names.txt").unlink()  # the names are kept in the store
    Path("work").rename("elsewhere")
    assert good("table", "elsewhere/birds.db").stdout == before
    Path("elsewhere/scores.npy").rename("here.npy")
    Path("elsewhere/scores.csv").rename("here.csv")
    refused("--classes must be a NumPy file", "table", "elsewhere/birds.db", "--pool", "here.csv")
    moved = ("--pool", "here.csv", "--pool", "classes=here.npy")
    assert good("table", "elsewhere/birds.db", *moved).stdout == before


# ---- the loop --------------------------------------------------------------------------------------------------------


def fill_csv(text: str) -> str:
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return "\n".join(["id;label", *(f"{row['id']};{truth()[row['id']]}" for row in rows)])


def fill_lines(text: str) -> str:
    rows = [json.loads(line) for line in text.split("\n") if line]
    return "\n".join(json.dumps({**row, "label": truth()[row["id"]]}) for row in rows)


def fill_label_studio(text: str) -> str:
    def annotation(item: str) -> dict[str, Any]:
        value = {"type": "choices", "from_name": "label", "value": {"choices": [truth()[item]]}}
        return {"id": 1, "updated_at": "2026-01-01T10:00:00Z", "result": [value], "was_cancelled": False}

    return json.dumps([{**task, "annotations": [annotation(task["data"]["id"])]} for task in json.loads(text)])


def fill_prodigy(text: str) -> str:
    rows = [json.loads(line) for line in text.split("\n") if line]
    assert [option["id"] for option in rows[0]["options"]] == [*NAMES, "none of these"]
    return "\n".join(json.dumps({**row, "answer": "accept", "accept": [truth()[row["meta"]["id"]]]}) for row in rows)


FORMATS: dict[str, Callable[[str], str]] = {
    "csv": fill_csv,
    "jsonl": fill_lines,
    "label-studio": fill_label_studio,
    "prodigy": fill_prodigy,
}


@pytest.mark.parametrize("form", FORMATS)
def test_the_whole_loop(form: str) -> None:
    """What ask writes, filled in, tell reads; the same evaluation in memory gives the same answers."""
    assert "f1_macro of ClassPool(300 items, 4 classes), sampler classes" in " ".join(begin().split())
    memory = lowshot.Evaluation(pool())
    for _ in range(3):
        items = memory.ask(10)
        memory.tell(items, [truth()[str(item)] for item in items])
        asked = good("ask", "birds.db", "--count", "10", "--format", form).stdout
        Path("filled").write_text(FORMATS[form](asked))
        assert good("tell", "birds.db", "filled").stdout.startswith(f"{len(items)} new labels, 0 unchanged")
    assert good("estimate", "birds.db").stdout == f"{memory.estimate()}\n"
    assert good("estimate", "birds.db", "--metric", "accuracy").stdout == f"{memory.estimate('accuracy')}\n"
    heron = memory.estimate("recall", category="heron")  # type: ignore[call-arg]
    assert good("estimate", "birds.db", "--category", "heron", "--metric", "recall").stdout == f"heron: {heron}\n"
    table = memory.table(by="category", below=0.5)
    assert good("table", "birds.db", "--below", "0.5").stdout == f"{table}\nfrom {memory.labels} labels\n"
    rows = list(csv.DictReader(io.StringIO(good("export", "birds.db").stdout)))
    labels = {row["id"]: row["label"] for row in rows}
    assert labels == {item: truth()[item] for item in memory.history["labels"]}
    best = dict(zip(IDS, birds.table()["best"].to_pylist(), strict=True))
    assert {row["id"]: row["prediction"] for row in rows} == {item: best[item] for item in labels}
    Path("again.csv").write_text(good("export", "birds.db").stdout)
    assert good("tell", "birds.db", "again.csv").stdout.startswith(f"0 new labels, {memory.labels} unchanged")


def test_yes_or_no_about_one_class() -> None:
    """It says less than a name, agrees with names, and a name may follow."""
    begin()
    first, second, third = [row["id"] for row in found("ask", "birds.db", "--count", "3")["items"]]
    Path("herons.csv").write_text(f"id,label\n{first},yes\n{second},no\n{third},?\n")
    assert good("tell", "birds.db", "herons.csv", "--category", "heron").stdout.startswith("3 new labels")
    labels = {row["id"]: row["label"] for row in found("export", "birds.db")["rows"]}
    assert labels == {first: "heron", second: "not heron", third: None}
    assert tell([(second, "crow")]).startswith("0 new labels, 0 unchanged, 1 corrected")
    assert good("tell", "birds.db", "herons.csv", "--category", "heron").stdout.startswith("0 new labels, 3 unchanged")
    Path("crows.csv").write_text(f"id,label\n{second},no\n")
    refused("was answered 'crow' before and now 'not crow'", "tell", "birds.db", "crows.csv", "--category", "crow")
    good("tell", "birds.db", "crows.csv", "--category", "crow", "--correct")
    Path("labels.csv").write_text(good("export", "birds.db").stdout)
    assert good("tell", "birds.db", "labels.csv").stdout.startswith("0 new labels, 3 unchanged")
    refused(
        "--category must be a category of the pool: got 'eron'", "tell", "birds.db", "crows.csv", "--category", "eron"
    )


def test_names_that_do_not_exist() -> None:
    """The nearest names, the item and the line of the file; nothing is stored."""
    begin()
    first, second = [row["id"] for row in found("ask", "birds.db", "--count", "2")["items"]]
    Path("labels.csv").write_text(f"id,label\n{first},crow\n{second},herron\n")
    message = rf"got 'herron' for item '{second}'; the nearest is 'heron'.*\(line 3 of the file\)"
    refused(message, "tell", "birds.db", "labels.csv")
    assert found("status", "birds.db")["evaluations"][0]["labels"] == 0
    refused("--category must be a category of the pool: got 'herron'", "estimate", "birds.db", "--category", "herron")
    refused("--goal must be a category of the pool: got 'craw'", "start", "b.db", *BEGIN, "--goal", "heron,craw")
    Path("labels.jsonl").write_text(json.dumps({"id": first, "label": ["heron", "crow"]}))
    refused("labels must be one choice per item", "tell", "birds.db", "labels.jsonl")


def test_people_are_told_what_labels_are() -> None:
    begin()
    told = good("ask", "birds.db", "--count", "2").stderr
    assert told == "2 items\nfill in as label: heron, crow, wren, gull, or 'none of these' or 'cannot tell'\n"
    assert good("ask", "birds.db", "--count", "1", "--format", "prodigy").stderr.startswith("1 item\n2 other items")


def test_names_that_look_like_formulas() -> None:
    """What --for-spreadsheet writes before them is not part of the name."""
    formulas = dict(zip([f"p_{name}" for name in NAMES], ["p_=heron", "p_-crow", "p_wren", "p_gull"], strict=True))
    columns = [formulas.get(name, name) for name in birds.table().column_names]
    pyarrow.parquet.write_table(birds.table().rename_columns(columns), "scores.parquet")
    begin()
    first, second = [row["id"] for row in found("ask", "birds.db", "--count", "2")["items"]]
    tell([(first, "=heron"), (second, "-crow")])
    text = good("export", "birds.db", "--for-spreadsheet").stdout
    assert "'=heron" in text
    Path("labels.csv").write_text(text)
    assert good("tell", "birds.db", "labels.csv").stdout.startswith("0 new labels, 2 unchanged")


def test_prodigy_answers_that_say_nothing() -> None:
    begin()
    task = json.loads(good("ask", "birds.db", "--count", "1", "--format", "prodigy").stdout)
    Path("told").write_text(json.dumps({**task, "answer": "reject"}))
    refused("answers must be accept or ignore where there are options: line 1 is rejected", "tell", "birds.db", "told")
    Path("told").write_text(json.dumps({**task, "answer": "accept", "accept": []}))
    refused("must have options that were chosen: line 1 has none", "tell", "birds.db", "told")
    Path("told").write_text(json.dumps({**task, "answer": "ignore", "accept": []}))
    good("tell", "birds.db", "told")
    assert found("export", "birds.db")["rows"][0]["label"] is None


def test_the_config_of_label_studio() -> None:
    begin("--question", "Which bird?")
    text = good("ask", "birds.db", "--format", "label-studio", "--config").stdout
    words = re.findall('<Choice value="([^"]*)"', text)
    assert words == [*NAMES, "none of these", "cannot tell"]
    assert 'choice="single"' in text
    good("start", "many.db", *BEGIN, "--kind", "multilabel", "--threshold", "0.4")
    assert 'choice="multiple"' in good("ask", "many.db", "--format", "label-studio", "--config").stdout


def test_known_labels() -> None:
    rows = "\n".join(f"{item},{truth()[item]}" for item in IDS[::10])
    Path("known.csv").write_text(f"path,label\n{rows}\n")
    begin("--known", "known.csv", "--known-drawn", "uniform")
    known = lowshot.Known({item: truth()[item] for item in IDS[::10]}, drawn="uniform")
    label_some(20)
    memory = answered(lowshot.Evaluation(pool(), known=known), 20)
    assert found("status", "birds.db")["evaluations"][0]["uniform"] == 30
    assert good("estimate", "birds.db").stdout == f"{memory.estimate()}\n"
    Path("known.csv").write_text(f"path,label\n{IDS[0]},heron\n{IDS[1]},egret\n")
    refused(
        "--known known.csv: labels must be categories.*'egret'.*row 2", "start", "b.db", *BEGIN, "--known", "known.csv"
    )
    Path("known.csv").write_text(f"path,label\n{IDS[0]},cannot tell\n")
    refused("--known must have a label of a category for each item", "start", "b.db", *BEGIN, "--known", "known.csv")


# ---- what commands show ----------------------------------------------------------------------------------------------


def test_status_and_goals() -> None:
    begin("--goal", "heron,gull", "--metric", "recall_macro", "--slice", "camera")
    label_some(20)
    (one,) = found("status", "birds.db")["evaluations"]
    assert (one["metric"], one["sampler"], one["goal"]) == ("recall_macro", "classes", ["heron", "gull"])
    assert (one["classes"], one["kind"], one["never_predicted"]) == (4, "single", [])
    assert [row["category"] for row in one["table"]["rows"]] == ["heron", "gull"]
    assert "4 categories; goal: heron, gull" in good("status", "birds.db").stdout
    good("start", "each.db", *BEGIN, "--goal", "each")
    assert found("status", "each.db")["evaluations"][0]["goal"] == "each"
    assert [row["camera"] for row in found("table", "birds.db", "--by", "camera")["rows"]] == ["north", "south"]
    part = found("estimate", "birds.db", "--where", "camera=north", "--category", "heron")
    assert part["category"] == "heron"


def test_a_class_that_is_never_predicted() -> None:
    best = [NAMES[place] for place in SCORES[:, :3].argmax(axis=1)]
    pyarrow.parquet.write_table(birds.table().append_column("three", [best]), "scores.parquet")
    assert "\nNever predicted, so that its recall is 0: gull\n" in begin("--prediction", "three")
    assert found("status", "birds.db")["evaluations"][0]["never_predicted"] == ["gull"]
    assert found("estimate", "birds.db", "--category", "gull", "--metric", "recall")["reason"]


def test_the_worst_categories() -> None:
    begin()
    label_some(40)
    everything = found("table", "birds.db")["rows"]
    worst = found("table", "birds.db", "--worst", "2", "--metric", "f1")["rows"]
    assert worst == sorted(everything, key=lambda row: row["value"])[:2]
    rows = list(csv.DictReader(io.StringIO(good("table", "birds.db", "--csv", "--below", "0.5").stdout)))
    assert [row["category"] for row in rows] == NAMES
    assert all(0 <= float(row["below"]) <= 1 for row in rows)
    good("table", "birds.db", "-o", "classes.html")
    assert "grey" not in Path("classes.html").read_text()


def test_the_page_and_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is made for the classes of the store; tests/web/ and tests/report/ have the rest."""
    served: list[Any] = []
    monkeypatch.setattr("lowshot.web.serve", lambda app, *rest, **more: served.append(app))
    begin("--question", "Which bird?")
    label_some(20)
    good("label", "birds.db", "--no-browser")
    assert len(served) == 1
    good("report", "birds.db", "-o", "birds.html")
    text = Path("birds.html").read_text()
    assert all(name in text for name in NAMES)


def test_the_gate() -> None:
    begin()
    label_some(40)
    decided = found("estimate", "birds.db", "--category", "crow", "--at-least", "0.01")
    assert (decided["verdict"], decided["category"]) == ("reached", "crow")
    missed = invoke("estimate", "birds.db", "--category", "crow", "--at-least", "0.999")
    assert missed.exit_code in (3, 4)
    assert "of crow" in missed.stdout


def test_plan() -> None:
    begin()
    label_some(30)
    assert "labels" in good("plan", "birds.db", "--half-width", "0.2").stdout
    refused("--verdict", "plan", "birds.db", "--verdict")


def test_check() -> None:
    result = good("check", "--pool", "scores.csv", "--id", "path", "--classes", "p_*").stdout
    assert result.startswith("300 items, 4 categories: heron, crow, wren, gull\n")
    plain = found("check", "--pool", "long.csv", "--id", "path", "--classes", "rows", "--class", "bird", "--score", "p")
    assert plain == {"items": 300, "classes": 4, "never_predicted": []}
    refused("give either --score or --classes: got neither", "check", "--pool", "scores.csv", "--id", "path")
    refused("'camera'|numbers", "check", "--pool", "scores.csv", "--id", "path", "--classes", "p_crow,camera")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "birds.db"),
        ("compare", "birds.db", "a", "b"),
        ("thresholds", "birds.db"),
        ("choose", "birds.db", "--recall", "0.9"),
        ("add-model", "birds.db", "v2", "--score", "p_crow", "--threshold", "0.5"),
        ("estimate", "birds.db", "--threshold", "0.5"),
        ("estimate", "birds.db", "--model", "v2"),
    ],
)
def test_what_makes_no_sense_with_many_classes(arguments: tuple[str, ...]) -> None:
    begin("--goal", "heron,crow")
    refused("with many classes", *arguments)


# ---- the terminal ----------------------------------------------------------------------------------------------------


def test_the_terminal() -> None:
    """A digit is one of the classes shown; n, s and u as for yes and no; / lets a name be typed."""
    begin("--question", "Which bird?")
    result = good("label", "birds.db", "--terminal", input="/gull\nn/ crow \nsq")
    assert result.stdout.startswith(
        "Which bird?\na digit chooses a category, / lets you type its name, n none of these, s cannot tell"
    )
    labels = [row["label"] for row in found("export", "birds.db")["rows"]]
    assert labels == ["gull", "none of these", "crow", None]
    assert result.stdout.endswith("4 answered now, 4 labels in total, 1 of them 'cannot tell'\n")
    menus = re.findall("^1 .*$", good("label", "birds.db", "--terminal", input="q").stdout, re.MULTILINE)
    assert sorted(re.sub(r"[1-9] ", "", menus[0]).split("   ")) == sorted(NAMES)


def test_the_order_of_the_classes_says_nothing() -> None:
    """If the prediction were first more often than by chance, people would be led: 60 items, 4 places."""
    begin()
    shown = good("label", "birds.db", "--terminal", input="1" * 60 + "q").stdout
    first = re.findall("^1 (.*?)   2 ", shown, re.MULTILINE)[:60]
    items = re.findall("^A bird: (.*)$", shown, re.MULTILINE)[:60]
    best = dict(zip(IDS, birds.table()["best"].to_pylist(), strict=True))
    hits = sum(best[item] == name for item, name in zip(items, first, strict=True))
    assert abs(hits - 15) <= 3 * np.sqrt(60 * 0.25 * 0.75)


def test_a_name_that_no_class_has() -> None:
    """The nearest one is named, and the classes are shown again; the same after an empty name."""
    begin()
    shown = good("label", "birds.db", "--terminal", input="/gul\n/\nq").stdout
    menus = re.findall("^(?:name: )*(1 .*)$", shown, re.MULTILINE)
    assert "category must be a category of the pool: got 'gul'; the nearest is 'gull'" in shown
    assert len(menus) == 3
    assert len({*menus}) == 1
    assert shown.endswith("0 answered now, 0 labels in total\n")


def test_undo_in_the_terminal() -> None:
    begin()
    good("label", "birds.db", "--terminal", input="/wren\nu/heron\nq")
    assert [row["label"] for row in found("export", "birds.db")["rows"]] == ["heron"]


def test_several_classes_in_the_terminal() -> None:
    begin("--kind", "multilabel", "--threshold", "0.4")
    keys = "\n/heron\n/crow\n/wren\n/crow\n\n" + "n" + "q"
    result = good("label", "birds.db", "--terminal", input=keys)
    assert "*heron" in result.stdout
    assert [row["label"] for row in found("export", "birds.db")["rows"]] == [["heron", "wren"], []]


# ---- what cannot be used ---------------------------------------------------------------------------------------------

COLUMNS = ("--pool", "scores.parquet", "--id", "path")


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("--classes must be columns of --pool: got 'p_egret'", (*COLUMNS, "--classes", "p_heron,p_egret")),
        ("--classes must match columns of --pool: 'q_[*]' matches none", (*COLUMNS, "--classes", "q_*")),
        ("--classes must be names of columns.*where one is empty", (*COLUMNS, "--classes", "p_heron,,p_crow")),
        ("--classes must name every column once: got 'p_crow'", (*COLUMNS, "--classes", "p_*,p_crow")),
        ("--classes must be at least two", (*COLUMNS, "--classes", "p_heron")),
        ("--classes must be a column of numbers", (*COLUMNS, "--classes", "p_heron,title")),
        ("--classes must be a text file.*nowhere.txt", (*COLUMNS, "--classes", "@nowhere.txt")),
        (
            "--class-names must have a line for each column",
            (*COLUMNS, "--classes", "is_c*,p_crow", "--class-names", "names.txt"),
        ),
        ("--class-names must come with --classes", (*COLUMNS, "--score", "p_crow", "--class-names", "names.txt")),
        ("--class must come with --classes rows", (*COLUMNS, "--classes", "p_*", "--class", "best")),
        ("--kind must be single or multilabel: got 'many'", (*COLUMNS, "--classes", "p_*", "--kind", "many")),
        ("--threshold must be left out with --classes", (*COLUMNS, "--classes", "p_*", "--threshold", "0.5")),
        ("give either --threshold or --prediction with --kind", (*COLUMNS, "--classes", "p_*", "--kind", "multilabel")),
        (
            "--prediction must be columns of --pool: got 'x_heron'",
            (*COLUMNS, "--classes", "p_*", "--kind", "multilabel", "--prediction", "x_*"),
        ),
        (
            "--prediction must have the names of categories: got 'A bird",
            (*COLUMNS, "--classes", "p_*", "--prediction", "title"),
        ),
        ("--model must be left out with --classes", (*COLUMNS, "--classes", "p_*", "--model", "v1=p_crow@0.5")),
        ("--scale must be left out with --classes", (*COLUMNS, "--classes", "p_*", "--scale", "log")),
        ("--prevalence must be left out with --classes", (*COLUMNS, "--classes", "p_*", "--prevalence", "0.1:0.2")),
        ("--score or --classes with columns: got both", (*COLUMNS, "--classes", "p_*", "--score", "p_crow")),
        ("--metric must be an average over all classes", (*COLUMNS, "--classes", "p_*", "--metric", "f1")),
        ("--sampler must be 'classes' with many classes", (*COLUMNS, "--classes", "p_*", "--sampler", "acis")),
        ("--metric must be one of", (*COLUMNS, "--score", "p_crow", "--threshold", "0.5", "--metric", "f1_macro")),
        ("--field must not be the score", (*COLUMNS, "--classes", "p_*", "--field", "p_crow")),
        (
            "--field must not be the score.*is the prediction",
            (*COLUMNS, "--classes", "p_*", "--prediction", "best", "--field", "best"),
        ),
        ("--classes needs --pool to be one file", ("--pool", "*.parquet", "--id", "path", "--classes", "p_*")),
        ("--classes needs --pool to be one file", (*COLUMNS, "--classes", "p_*", "--engine")),
        (
            "--classes rows must come with --id",
            ("--pool", "long.csv", "--classes", "rows", "--class", "bird", "--score", "p"),
        ),
        ("--class must be a column of", ("--pool", "long.csv", "--id", "path", "--classes", "rows", "--score", "p")),
        (
            "--kind multilabel needs a column per category",
            ("--pool", "long.csv", "--id", "path", "--classes", "rows", "--kind", "multilabel", "--threshold", "0.5"),
        ),
        ("--field must be a column of --pool: .* is a matrix", ("--pool", "scores.npy", "--field", "title")),
        ("--slice must be a column of a table", ("--pool", "scores.npy", "--slice", "camera")),
        ("--classes must be left out if --pool is a matrix", ("--pool", "scores.npy", "--classes", "p_*")),
        ("--id must be an array of", ("--pool", "scores.npy", "--id", "path")),
        ("--id must be an array of", ("--pool", "scores.npz", "--id", "nobody")),
        ("--score must be left out if --classes is an .npy file", ("--pool", "scores.npy", "--score", "x")),
        ("--score must be the name of a matrix", ("--pool", "scores.npz", "--score", "x")),
        (
            "must be a NumPy file",
            (
                "--pool",
                "nowhere.npy",
            ),
        ),
        (
            "--classes must have a row per row of --pool",
            ("--pool", "long.csv", "--id", "path", "--classes", "scores.npy"),
        ),
        ("--class-names must have a line for each column of", ("--pool", "scores.npy", "--class-names", "three.txt")),
    ],
)
def test_what_cannot_be_used(message: str, arguments: tuple[str, ...]) -> None:
    Path("three.txt").write_text("heron\ncrow\nwren\n")
    refused(message, "start", "birds.db", *arguments)
    assert not Path("birds.db").exists()


def test_rows_of_an_item_that_disagree() -> None:
    table = birds.long_table()
    mixed = table.append_column("best", [[NAMES[number % 4] for number in range(len(table))]])
    pyarrow.parquet.write_table(mixed, "long.parquet")
    options = ("--pool", "long.parquet", "--id", "path", "--classes", "rows", "--class", "bird", "--score", "p")
    refused("--prediction must be the same in all rows of an item", "start", "b.db", *options, "--prediction", "best")
