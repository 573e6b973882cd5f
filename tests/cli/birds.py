"""A pool of 400 birds in a file, commands that begin with it, and people who fill in what was asked."""

import csv
import io
import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
from typer.testing import Result

import lowshot

from ..helpers import good, invoke

ITEMS = 400
IDS = [f'bird {number:03d}, "{number % 7}".jpg' for number in range(ITEMS)]
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


def write_pool(path: str) -> None:
    pyarrow.parquet.write_table(pool_table(), path)


def begin(*arguments: str, store: str = "birds.db") -> Result:
    return good("start", store, *BEGIN, *arguments)


def label_everything(rounds: int = 2, store: str = "birds.db", *arguments: str) -> None:
    """Rounds that are asked and told; arguments such as --name go to both commands."""
    for _ in range(rounds):
        file = next(name for number in count() if not Path(name := f"{store}-{number}.csv").exists())
        good("ask", store, "--count", "100", "-o", file, *arguments)
        Path(file).write_text(fill_csv(Path(file).read_text()))
        good("tell", store, file, *arguments)


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


def asked(count: int = 5) -> list[str]:
    """Items that are pending now."""
    text = good("ask", "birds.db", "--count", str(count)).stdout
    return [row["id"] for row in csv.DictReader(io.StringIO(text, newline=""))]


def tell(pairs: list[tuple[str, object]], *arguments: str, form: str = "jsonl") -> Result:
    Path("labels").write_text("\n".join(json.dumps({"id": item, "label": label}) for item, label in pairs))
    return invoke("tell", "birds.db", "labels", "--format", form, *arguments)


MODELS = ("--pool", "models.parquet", "--id", "path", "--model", "v1=p@0.6", "--model", "v2=q,crow_v2")


def models_table() -> arrow.Table:
    """The pool with a better model v2, a helper that lacks some values, and one that knows nothing."""
    random = np.random.default_rng(1)
    positive = np.array(list(truth().values()))
    score = random.normal(size=ITEMS) + 5 * positive
    clip = random.normal(size=ITEMS) + 3 * positive
    lacking = arrow.array([None if number % 50 == 0 else value for number, value in enumerate(clip)])
    columns = {"q": score, "crow_v2": score >= 2.5, "clip": lacking, "junk": random.permutation(ITEMS)}
    table = pool_table()
    for name, values in columns.items():
        table = table.append_column(name, arrow.array(values) if isinstance(values, np.ndarray) else values)
    return table


def models_pool(**helpers: Any) -> lowshot.Pool:
    """The pool that MODELS names."""
    table = models_table()
    scores, flags = {"v1": table["p"], "v2": table["q"]}, {"v2": table["crow_v2"]}
    return lowshot.Pool(scores, flags, threshold={"v1": 0.6}, helpers=helpers, ids=IDS)


def write_models(path: str = "models.parquet") -> None:
    pyarrow.parquet.write_table(models_table(), path)


def answer(evaluation: lowshot.Evaluation, rounds: int) -> lowshot.Evaluation:
    """As `label_everything` does, in Python."""
    for _ in range(rounds):
        items = evaluation.ask(100)
        evaluation.tell(items, [truth()[str(item)] for item in items])
    return evaluation
