"""A pool of millions of rows is never in memory: measured in a process of its own."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

pytestmark = pytest.mark.slow

ROWS = 4_000_000
COLUMNS = ROWS * (8 + 8 + 1)  # ids, scores and predictions as NumPy has them, before anything is made of them
PROGRAM = """
import sys
import numpy, duckdb, pyarrow, pandas, sklearn.isotonic, sklearn.linear_model
import lowshot

def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])  # of this program alone, in kB

rows = pyarrow.table({"id": [1, 2, 3], "score": [0.9, 0.6, 0.1]})
tiny = lowshot.open_pool(rows, id="id", score="score", threshold=0.5)
evaluation = lowshot.Evaluation(tiny, sampler="acis")
evaluation.tell(evaluation.ask(3), [1, 0, 0])
evaluation.estimate()  # whatever is imported late is there now
before = peak()
pool = lowshot.open_pool(sys.argv[1], id="id", score="score", threshold=0.5, head=20_000)
evaluation = lowshot.Evaluation(pool, sampler="acis")
while evaluation.labels < 100 and (items := evaluation.ask(100 - evaluation.labels)):
    evaluation.tell(items, [item % 3 == 0 for item in items])
print(evaluation.labels, len(pool), peak() - before)
"""


def test_much_less_than_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT i AS id, power(hash(i) / 18446744073709551616.0, 8) AS score FROM range({ROWS}) t(i))"
            f" TO '{path}' (ROW_GROUP_SIZE 100000)"
        )
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert found.returncode == 0, found.stderr
    labels, rows, kilobytes = map(int, found.stdout.split())
    assert (labels, rows) == (100, ROWS)

    assert kilobytes * 1024 < COLUMNS
