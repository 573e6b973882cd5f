"""A pool of 300 birds of four kinds in files of every form, and a person who knows each of them."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet

import lowshot

from ..helpers import good

ITEMS = 300
IDS = [f"bird {number:03d}.jpg" for number in range(ITEMS)]
CLASSES = ["heron", "crow", "wren", "grey gull"]
NAMES = [*CLASSES[:3], "gull"]  # as they are called where columns may not have spaces
RANDOM = np.random.default_rng(0)
PLACES = RANDOM.choice(4, size=ITEMS, p=[0.1, 0.5, 0.3, 0.1])
STRANGE = RANDOM.random(ITEMS) < 0.05  # none of the four
LOGITS = RANDOM.normal(size=(ITEMS, 4)) + 2.5 * np.eye(4)[PLACES]
SCORES = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
CAMERAS = [("north", "south")[number % 2] for number in range(ITEMS)]
BEGIN = ("--pool", "scores.parquet", "--id", "path", "--classes", "p_*", "--field", "title")


def truth(names: list[str] = NAMES) -> dict[str, str]:
    """What the person says."""
    said = [lowshot.OTHER.value if strange else names[place] for place, strange in zip(PLACES, STRANGE, strict=True)]
    return dict(zip(IDS, said, strict=True))


def table() -> arrow.Table:
    scores = {f"p_{name}": SCORES[:, place] for place, name in enumerate(NAMES)}
    flags = {f"is_{name}": SCORES[:, place] >= 0.4 for place, name in enumerate(NAMES)}
    best = [NAMES[place] for place in SCORES.argmax(axis=1)]
    second = [NAMES[place] for place in np.argsort(SCORES)[:, -2]]
    others = {"best": best, "second": second, "title": [f"A bird: {item}" for item in IDS], "camera": CAMERAS}
    return arrow.table({"path": IDS, **scores, **flags, **others, "weight": np.linspace(1, 2, ITEMS)})


def long_table() -> arrow.Table:
    """One row per item and class, without the scores below 0.001; items in another order than in the other file."""
    rows = [(item, place) for item in reversed(range(ITEMS)) for place in range(4) if SCORES[item, place] >= 0.001]
    return arrow.table(
        {
            "path": [IDS[item] for item, _ in rows],
            "bird": [NAMES[place] for _, place in rows],
            "p": [SCORES[item, place] for item, place in rows],
            "title": [f"A bird: {IDS[item]}" for item, _ in rows],
            "camera": [CAMERAS[item] for item, _ in rows],
        }
    )


def write_files() -> None:
    """All files that the commands of the tests name, in the current folder."""
    for name, one in (("scores", table()), ("long", long_table())):
        pyarrow.parquet.write_table(one, f"{name}.parquet")
        pyarrow.csv.write_csv(one, f"{name}.csv")
    np.save("scores.npy", SCORES.astype(np.float32))
    np.savez("scores.npz", scores=SCORES, path=np.array(IDS), bird=np.array(table()["second"].to_pylist()))
    Path("names.txt").write_text("\ufeffheron\ncrow \n\nwren\ngull\n", encoding="utf-8")
    Path("columns.txt").write_text("p_heron\np_crow\np_wren\np_gull\n")


def pool(**other: Any) -> lowshot.ClassPool:
    """The pool that BEGIN names, in Python."""
    return lowshot.ClassPool(SCORES, **{"classes": NAMES, "ids": IDS, **other})


def begin(*arguments: str) -> str:
    return good("start", "birds.db", *BEGIN, *arguments).stdout


def answered(evaluation: lowshot.Evaluation, labels: int) -> lowshot.Evaluation:
    """So many labels, asked for as `label_some` does."""
    while evaluation.labels < labels:
        items = evaluation.ask(labels - evaluation.labels)
        evaluation.tell(items, [truth()[str(item)] for item in items])
    return evaluation


def label_some(labels: int) -> None:
    """So many labels, through commands."""
    done = 0
    while done < labels:
        asked = good("ask", "birds.db", "--count", str(labels - done)).stdout
        rows = list(csv.DictReader(io.StringIO(asked, newline="")))
        tell([(row["id"], truth()[row["id"]]) for row in rows])
        done += len(rows)


def tell(pairs: list[tuple[str, object]], *arguments: str) -> str:
    Path("labels.jsonl").write_text("\n".join(json.dumps({"id": item, "label": label}) for item, label in pairs))
    return good("tell", "birds.db", "labels.jsonl", *arguments).stdout
