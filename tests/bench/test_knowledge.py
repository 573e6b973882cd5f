"""`benchmarks/knowledge.py`: what is drawn, what is compared, and the table."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lowshot import Pool
from lowshot.tasks import Task, simulated

from .pool_folder import columns, entry, save, write_index

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "knowledge.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("knowledge", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks for its module there
    spec.loader.exec_module(module)
    return module


knowledge = load()
RANGE, LIKE, FEWER, UNIFORM = 0, 2, 3, 4  # kinds of knowledge


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """cover and wine are for choosing. wine has 1 % positives; cover/few has more than 2 per predicted one."""
    save(tmp_path, "cover", columns(0))
    save(tmp_path, "skin", columns(1))
    save(tmp_path, "wine", columns(2, positives=15))
    entries = [entry(dataset, "good") for dataset in ("cover", "skin", "wine")]
    write_index(tmp_path, [*entries, entry("cover", "good", "few", 0.99)])
    return tmp_path


def program(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=900)


def lines_of(table: str) -> list[list[str]]:
    return [line.strip("| \n").split(" | ") for line in table.splitlines()]


# ---- what is drawn ---------------------------------------------------------------------------------------------------


def test_a_range_contains_the_prevalence_in_19_of_20_runs() -> None:
    random, draws = np.random.default_rng(0), 4000
    low, high = np.array([knowledge.prevalence_range(0.01, random) for _ in range(draws)]).T
    inside = (low <= 0.01) & (high >= 0.01)
    np.testing.assert_allclose(high / low, 4)
    assert abs(inside.mean() - 0.95) < 4 * np.sqrt(0.95 * 0.05 / draws)
    place = np.log(0.01 / low[inside]) / np.log(4)  # uniform from 0 to 1, with a standard deviation of 1 / sqrt(12)
    assert abs(place.mean() - 0.5) < 4 / np.sqrt(12 * inside.sum())
    beyond = np.maximum(low / 0.01, 0.01 / high)[~inside]
    assert 1 < beyond.min() < beyond.max() < 2


def test_a_range_ends_at_1() -> None:
    random = np.random.default_rng(0)
    assert max(knowledge.prevalence_range(0.6, random)[1] for _ in range(20)) == 1


def test_this_month_has_the_other_items() -> None:
    task = simulated(items=1000, positives=100)
    last, this = knowledge.split(task, np.random.default_rng(3))
    assert len(last.pool) == len(this.pool) == 500
    assert sorted([*last.pool.scores, *this.pool.scores]) == sorted(task.pool.scores)
    assert last.positives + this.positives == 100


def test_half_of_the_positives_of_this_month_are_removed() -> None:
    task = simulated(items=1000, positives=100)
    both = [knowledge.KINDS[kind].compare(task, np.random.default_rng(3), 5) for kind in (LIKE, FEWER)]
    whole, thinned = (pair.task for pair in both)
    assert thinned.positives == whole.positives - whole.positives // 2
    assert len(thinned.pool) - thinned.positives == len(whole.pool) - whole.positives
    for pair in both:
        assert (pair.without.prior, pair.without.labels, pair.informed.labels) == (None, 0, 0)
        assert pair.informed.prior.remembered.labels == 300
        assert pair.without.pool is pair.informed.pool is pair.task.pool


def test_known_labels_are_those_of_both_sides() -> None:
    pair = knowledge.KINDS[UNIFORM].compare(simulated(items=3000), np.random.default_rng(3), 5)
    plain, uniform = (each.estimate() for each in (pair.without, pair.informed))
    assert len(pair.without.history["labels"]) == len(pair.informed.history["labels"]) == 200
    assert plain.interval.width > uniform.interval.width


# ---- runs ------------------------------------------------------------------------------------------------------------


def test_the_runs_of_a_data_set_are_spread_over_its_pools(folder: Path) -> None:
    works = knowledge.plan(folder, "choosing", runs=5, seed=0)
    assert [work.category for work in works] == [0, 2, 3]  # cover/half, wine/half, cover/few
    assert [work.repetitions for work in works] == [(3, 0, 3, 3, 0, 3), (5, 0, 5, 5, 5, 5), (3, 5, 3, 3, 0, 3)]


def test_refused_priors_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one positive, a range below the truth leaves less than one positive item."""
    monkeypatch.setattr(knowledge, "OUTSIDE", 1.0)
    scores = np.random.default_rng(0).random(400)
    task = Task(Pool(scores, threshold=0.95), scores == scores.max())
    found = knowledge.found_for(RANGE, "one", task, 12, (0, 0))
    assert 0 < found.left_out < 12
    assert found.errors.shape == found.held.shape == (12 - found.left_out, 3, 2)


def test_a_pool_that_cannot_be_split_has_no_runs() -> None:
    task = Task(Pool(np.arange(100.0), threshold=99), np.arange(100) == 99)
    found = knowledge.found_for(LIKE, "one", task, 2, (0, 0))
    assert (found.left_out, found.errors.shape) == (2, (0, 3, 2))
    assert lines_of(knowledge.table([found]))[2 + LIKE][1:] == ["–", "–", "–", "0 (2 left out)", "0"]


# ---- the table -------------------------------------------------------------------------------------------------------


def test_a_cell_is_the_geometric_mean_over_data_sets() -> None:
    errors = np.array([[0.04, 0.01], [0.01, 0.01]])  # ratios 1/4 and 1: mean of the logarithms -log(2), error log(2)
    held = np.array([[0.9, 0.95], [1.0, 0.97]])
    assert knowledge.cell(errors, held) == "0.50 ± 0.35, 96.0 % (95.0 %)"
    assert knowledge.cell(errors[:1], held[:1]) == "0.25, 95.0 % (90.0 %)"


def test_small_errors_are_floored() -> None:
    assert knowledge.relative(np.array([[1e-6, 1e-9], [2e-4, 1e-9]]))[0] == pytest.approx(np.sqrt(0.5))


def test_every_data_set_counts_alike() -> None:
    """The second data set has twice the error with the knowledge, in many more runs."""
    few, many = np.full((2, 3, 2), 0.01), np.full((50, 3, 2), 0.01)
    few[:, :, 1], many[:, :, 1] = 0.005, 0.02
    found = [
        knowledge.Found(RANGE, name, errors, np.ones_like(errors), 0) for name, errors in (("a", few), ("b", many))
    ]
    cells = lines_of(knowledge.table(found))[2]
    assert [cell.split(" ± ")[0] for cell in cells[1:4]] == ["1.00"] * 3
    assert cells[4:] == ["52", "2"]


def test_the_program(folder: Path) -> None:
    arguments = (folder, "--half", "choosing", "--runs", "1")
    both = [program(*arguments, "--workers", workers) for workers in ("1", "2")]
    assert [each.returncode for each in both] == [0, 0], both[0].stderr + both[1].stderr
    command, told, _, *table = both[0].stdout.splitlines()
    assert command.endswith("--half choosing --runs 1 --workers 1")
    assert "seed 0" in told
    assert table == both[1].stdout.splitlines()[3:], "processes give the same numbers"
    cells = lines_of("\n".join(table))
    assert [row[0] for row in cells[2:]] == [kind.text for kind in knowledge.KINDS]
    assert [row[4:] for row in cells[2:]] == [["3", "2"], ["1", "1"], ["3", "2"], ["3", "2"], ["1", "1"], ["3", "2"]]
    assert cells[2 + UNIFORM][3] == "–"
    assert "pools" in both[0].stderr


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    found = program(tmp_path / "none")
    assert found.returncode == 2
    assert "data must be a folder with index.json" in found.stderr
