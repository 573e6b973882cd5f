"""Ids of every kind come back as the same item, in every format."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest

from ..helpers import good, invoke
from .birds import FORMATS, ITEMS, begin, pool_table

pytestmark = pytest.mark.usefixtures("birds")


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
    assert good("label", "birds.db", "--terminal", input="ynq").stdout.endswith("2 answered now, 2 labels in total\n")
    (task,) = json.loads(good("ask", "birds.db", "--again", "--format", "label-studio").stdout)
    Path("labels.jsonl").write_text(json.dumps({"id": task["data"]["id"], "label": 1}))
    assert good("tell", "birds.db", "labels.jsonl").stdout.startswith("1 new label")
