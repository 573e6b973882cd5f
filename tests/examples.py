"""Files and stores for the examples of `--help` and of documents: they have the columns that the examples name."""

import csv
import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet

from lowshot.cli.app import load

from .helpers import close_stores, found, good

ITEMS = 2000  # so that one positive in 2,000 is possible, as an example says
IDS = [f"{number:04d}.jpg" for number in range(ITEMS)]
KINDS = ["heron", "crow", "wren"]
SLOW = ("demo", "bench")  # they have tests of their own; of examples only their options are checked
GATES = (0, 3, 4)  # exit codes with which --at-least and --require answer


def truth(item: str) -> int:
    return int(int(item[:4]) % 9 == 0)


def columns() -> dict[str, Any]:
    """One column for each name that an example has, but those of `--classes all`."""
    random = np.random.default_rng(0)
    positive = np.array([truth(item) for item in IDS])
    score, other, clip = (1 / (1 + np.exp(1 - random.normal(size=ITEMS) - 3 * positive)) for _ in range(3))
    kinds = random.dirichlet(np.ones(3), ITEMS)
    return {
        "path": IDS,
        **{"p": score, "score_v1": score, "score_v2": other, "score_v3": clip, "clip": clip},
        **{"is_crow": score >= 0.6, "crow": score >= 0.6, "pred_v2": other >= 0.6},
        "camera": [("north", "south", "river")[number % 3] for number in range(ITEMS)],
        "month": [1 + number % 12 for number in range(ITEMS)],
        "title": [f"Bird {number}" for number in range(ITEMS)],
        **{f"p_{name}": kinds[:, place] for place, name in enumerate(KINDS)},
        "bird": [KINDS[place] for place in kinds.argmax(axis=1)],
    }


def write_files() -> None:
    """The files that the examples name."""
    given = columns()
    all_ = arrow.table(given)
    for name in ("scores", "new", "other"):
        pyarrow.parquet.write_table(all_, f"{name}.parquet")
    for name in ("scores", "july", "items"):
        pyarrow.csv.write_csv(all_, f"{name}.csv")
    pyarrow.csv.write_csv(all_.drop_columns(["path"]), "new.csv")
    Path("random.csv").write_text("path,label\n" + "".join(f"{item},{truth(item)}\n" for item in IDS[::10]))
    Path("names.txt").write_text("\n".join(KINDS))
    kinds = np.stack([given[f"p_{name}"] for name in KINDS], axis=1)
    np.save("scores.npy", kinds)
    rows = {"path": np.repeat(IDS, 3), "bird": KINDS * ITEMS, "p": kinds.ravel()}
    pyarrow.parquet.write_table(arrow.table(rows), "long.parquet")
    for folder in ("scores", "pictures"):
        Path(folder).mkdir()
    pyarrow.parquet.write_table(all_, "scores/part.parquet")
    for item in IDS[:3]:
        Path("pictures", item).write_bytes(b"GIF89a")


def as_kinds(line: str) -> None:
    """A file whose columns of scores are called like the categories."""
    if "--classes all" in line or "--classes heron" in line or "@names" in line:
        given = columns()
        table = arrow.table({"path": IDS, **{name: given[f"p_{name}"] for name in KINDS}})
        pyarrow.parquet.write_table(table, "scores.parquet")


PLAIN = ("--pool", "scores.parquet", "--id", "path")
ONE = (*PLAIN, "--score", "p", "--threshold", "0.5", "--slice", "camera", "--slice", "month", "--field", "title")
STORES = {
    "one model": ONE,
    "a threshold": (*ONE, "--goal", "recall=0.9"),
    "without ids": ("--pool", "new.csv", "--score", "p", "--threshold", "0.5"),
    "two models": (*PLAIN, "--model", "v1=score_v1@0.5", "--model", "v2=score_v2,pred_v2", "--goal", "v1,v2"),
    "pictures": (*ONE[:-2], "--show", "image", "--field", "path", "--media-root", "pictures"),
    "categories": (*PLAIN, "--classes", "p_*"),
}
JUNE = "june"  # an earlier evaluation, for --like


def label_some(store: str, words: Sequence[str], rounds: int) -> None:
    """As many rounds of labels, and then some items that are pending."""
    for _ in range(rounds):
        rows = found("ask", store, "--count", "100")["items"]
        labels = [f"{row['id']},{words[truth_of(row['id'])]}\n" for row in rows]
        Path("told.csv").write_text("id,label\n" + "".join(labels))
        good("tell", store, "told.csv")
    good("ask", store, "--count", "5")


def truth_of(item: Any) -> int:
    return truth(f"{int(str(item).removesuffix('.jpg')):04d}")


def begin(kind: str) -> None:
    """A store of this kind in the current folder, if it is not there yet."""
    store = f"{kind}.store"
    if Path(store).exists():
        return
    options = (*ONE, "--name", "june") if kind == JUNE else STORES[kind]
    good("start", store, *options)
    label_some(store, KINDS if kind == "categories" else ("no", "yes"), 3 if kind == JUNE else 1)
    Path("told.csv").unlink()
    close_stores()  # its files do not change while a test copies them


def asked_files(line: str) -> None:
    """What an example tells: the items that are pending, filled in."""
    if not line.startswith("lowshot tell"):
        return
    text = good("ask", "birds.db", "--again").stdout
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    labels = [f"{row['id']},{'yes' if 'category' in line else truth_of(row['id'])}\n" for row in rows]
    for name in ("items.csv", "herons.csv"):
        Path(name).write_text("id,label\n" + "".join(labels))
    choices = [{"type": "choices", "value": {"choices": ["yes"]}, "from_name": "label"}]
    tasks = [{"id": 1, "data": {"id": row["id"]}, "annotations": [{"id": 1, "result": choices}]} for row in rows]
    Path("export.json").write_text(json.dumps(tasks))


def use(store: str | None) -> None:
    close_stores()
    for path in Path().glob("birds.db*"):
        path.unlink()
    if store is not None:
        for path in Path().glob(f"{store}.store*"):
            shutil.copy(path, path.name.replace(f"{store}.store", "birds.db"))


def options_exist(arguments: Sequence[str]) -> Any:
    """Parse the arguments of a slow command, without running it. Returns its context, with the parameters."""
    name, *rest = arguments
    command = load(name)
    if inner := getattr(command, "commands", None):
        name, *rest = rest
        command = inner[name]
    return command.make_context(name, rest)
