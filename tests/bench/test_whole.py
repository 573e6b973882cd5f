"""Every shipped experiment from the command line, on few classes per family: rows, figures, report."""

from pathlib import Path

import pytest

from lowshot_bench.experiment import BY_GROUP, find, names
from lowshot_bench.method_report import TABLES

from ..helpers import good
from .image_folder import image_folder
from .pool_folder import pool_folder

pytestmark = pytest.mark.slow

MODELS = ("simclr_250", "simclr", "byol", "swav")
ITEMS, CLASSES = 4_000, 20


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files like the real ones, small: one in twenty items is of a class. A folder of pools may hold other files."""
    return image_folder(pool_folder(tmp_path_factory.mktemp("data")), MODELS, ITEMS, CLASSES, apart=3)


def test_the_whole_benchmark_on_few_classes(data: Path, tmp_path: Path) -> None:
    def call(*arguments: str) -> str:
        return good("bench", *arguments).output

    rest = [name for name in names() if find(name).apart]
    for what, fraction in (["all"], "0.01"), (rest, "0.0001"):
        call("run", *what, "--out", str(tmp_path), "--data", str(data), "--fraction", fraction, "--workers", "2")
    assert sorted(path.stem for path in tmp_path.glob("*.parquet")) == names()
    call("figures", str(tmp_path))
    drawn = {path.stem for path in tmp_path.glob("*.png")}
    assert drawn >= {name for name in names() if not find(name).by_group}
    assert f"{find('real').name}-intervals" in drawn
    told = call("report", str(tmp_path))
    assert "not run" not in told
    for option in TABLES:
        family = {"zoo": "| tabular (", "trust": "| F1 | tabular ("}.get(option, "| swav all")
        assert family in call("report", str(tmp_path), f"--{option}", "curve")
    assert "curve anytime" in told
    for name in BY_GROUP:
        assert f"## {find(name).title}" in told
