"""`lowshot start --known`: labels of a file, how they were drawn, and what a file must not contain."""

import json
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pyarrow.parquet
import pytest

from lowshot import Evaluation, Known, Pool

from ..helpers import found, good, refused
from .birds import BEGIN, IDS, begin, pool_table, truth

pytestmark = pytest.mark.usefixtures("birds")

UNIFORM = ("--known", "known.csv", "--known-drawn", "uniform")


def drawn() -> dict[str, int]:
    """Labels of 60 birds that are drawn uniformly."""
    items = [IDS[place] for place in np.random.default_rng(0).choice(len(IDS), 60, replace=False).tolist()]
    return {item: truth()[item] for item in items}


OTHER = next(item for item in IDS if item not in drawn())


def write(labels: dict[str, object], header: str = "path,label", path: str = "known.csv") -> None:
    rows = "".join('"' + item.replace('"', '""') + f'",{label}\n' for item, label in labels.items())
    Path(path).write_text(f"{header}\n{rows}")


def in_python(known: Known) -> Evaluation:
    table = pool_table()
    return Evaluation(Pool(table["p"].to_numpy(), threshold=0.6, ids=table["path"].to_pylist()), known=known)


@pytest.mark.parametrize("header", ["path,label", "id,label", "ID,Label"])
def test_uniform_labels_of_a_file(header: str) -> None:
    """As in Python; the commands show them."""
    write({**drawn(), OTHER: ""}, header)
    assert "60 known before, drawn at random.\n" in begin(*UNIFORM).stdout
    evaluation = in_python(Known(drawn(), drawn="uniform"))
    assert found("estimate", "birds.db")["value"] == evaluation.estimate().value
    assert [item["id"] for item in found("ask", "birds.db")["items"]] == evaluation.ask(10)
    assert "  60 known before, drawn at random\n" in good("status", "birds.db").stdout
    (one,) = found("status", "birds.db")["evaluations"]
    assert (one["labels"], one["known"], one["uniform"]) == (0, 60, 60)


def test_words_and_parquet() -> None:
    write({item: "yes" if label else " No" for item, label in drawn().items()})
    began = found("start", "words.db", *BEGIN, *UNIFORM)
    assert (began["known"], began["uniform"]) == (60, 60)
    labels = [bool(label) for label in drawn().values()]
    table = arrow.table({"path": [*drawn(), OTHER], "label": [*labels, None]})
    pyarrow.parquet.write_table(table, "known.parquet")
    found("start", "parquet.db", *BEGIN, "--known", "known.parquet", "--known-drawn", "uniform")
    assert found("estimate", "words.db") == found("estimate", "parquet.db")


@pytest.mark.parametrize("how", [(), ("--known-drawn", "any")])
def test_labels_that_were_chosen_in_any_way(how: tuple[str, ...]) -> None:
    write(drawn())
    assert "60 known before.\n" in begin("--known", "known.csv", *how).stdout
    assert found("estimate", "birds.db")["value"] == in_python(Known(drawn())).estimate().value
    (one,) = found("status", "birds.db")["evaluations"]
    assert (one["known"], one["uniform"]) == (60, 0)


def test_labels_that_do_not_look_uniform() -> None:
    """Said on stderr, so that JSON stays JSON, and with every estimate."""
    score = dict(zip(IDS, pool_table()["p"].to_pylist(), strict=True))
    write({item: truth()[item] for item in sorted(IDS, key=lambda item: -score[item])[:50]})
    began = good("start", "birds.db", *BEGIN, *UNIFORM, "--json")
    assert began.stderr.startswith("careful: known labels that are drawn uniformly must look like it: their ranks")
    assert (json.loads(began.stdout)["known"], json.loads(began.stdout)["uniform"]) == (50, 0)
    assert "do not look like it" in good("estimate", "birds.db").stdout
    assert "50 known before, said to be drawn at random" in good("status", "birds.db").stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "--known must be an existing file: known.csv does not exist"),
        ("path,p\na,1\n", "--known must have columns id or path and label: known.csv has path, p"),
        ("path,label\nnowhere.jpg,1\n", "--known known.csv: items must be ids of the pool: got 'nowhere.jpg'"),
        ("path,label\n,1\n", "--known must have an id in every row: row 1 of known.csv has none"),
        ("path,label\nBIRD,maybe\n", "--known known.csv: labels must be 1, 0, yes, no.*got 'maybe'"),
        (
            "path,label\nBIRD,?\n",
            "--known must have a label of 0 or 1 for each item: 'bird 000.* has 'cannot tell' in known.csv",
        ),
        ("path,label\n", "--known must have labels: known.csv has none"),
        ("path,label\nBIRD,\n", "--known must have labels: known.csv has none; fill in its column label, or leave"),
        (
            "path,label\nBIRD,1\nBIRD,0\n",
            "--known must have one label for each item: .* 1 conflict, 'bird 000",
        ),
    ],
)
def test_files_that_are_refused(text: str | None, message: str) -> None:
    """And no store is left behind."""
    if text is not None:
        Path("known.csv").write_text(text.replace("BIRD", '"' + IDS[0].replace('"', '""') + '"'))
    for store in ("new.db", "sqlite:///new.db"):
        refused(message, "start", store, *BEGIN, *UNIFORM)
        assert not Path("new.db").exists()


def test_how_without_a_file() -> None:
    refused("--known-drawn must come with --known: got none", "start", "new.db", *BEGIN, *UNIFORM[2:])
    assert not Path("new.db").exists()


def test_an_item_twice_with_the_same_label_counts_once() -> None:
    write(drawn())
    text = Path("known.csv").read_text()
    Path("known.csv").write_text(text + text.split("\n", 1)[1])
    assert found("start", "birds.db", *BEGIN, *UNIFORM)["uniform"] == 60
