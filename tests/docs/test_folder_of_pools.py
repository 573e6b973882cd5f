"""docs/bench.md describes a folder of pools: its index and its file, as they stand there, are read."""

from pathlib import Path

import numpy as np
import pytest

from lowshot_bench.families.pools import PoolsFamily

from .pages_of_docs import DOCS, blocks


def test_the_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("FOLDER").mkdir()
    found = {block.language: block.content for block in blocks(DOCS / "bench.md")}
    Path("FOLDER/index.json").write_text(found["json"])
    labels = np.arange(1000) % 20 == 0
    names = {"np": np, "y": labels, "scores_of_one_model": 0.6 * labels, "scores_of_another": 1.0 * labels}
    exec(found["python"], names)
    family = PoolsFamily("FOLDER", half="both")
    tasks = [family.load(category) for category in family.categories()]
    assert [int(np.sum(task.pool.predictions)) for task in tasks[:2]] == [50, 50]
