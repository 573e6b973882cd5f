"""Slices: the families, the methods they are compared with, and the rows."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from lowshot.evaluation import Evaluation
from lowshot.pools.memory import Pool
from lowshot.tasks import finish
from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.families import ImageSlices, PoolSlices
from lowshot_bench.families.slices import DIFFERENT, RANDOM, SLICES
from lowshot_bench.families.task import Task
from lowshot_bench.slicing.methods import alone, inverse_shares, truth_of
from lowshot_bench.slicing.report import section
from lowshot_bench.task_rows import rows_of

from ..helpers import good, refused
from .pool_folder import pool_folder

ITEMS, CLASSES = 3_000, 20


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of 20 classes."""
    folder, random = tmp_path_factory.mktemp("images"), np.random.default_rng(0)
    y = random.integers(0, CLASSES, ITEMS)
    np.savez(folder / "labels.npz", y=y.astype(np.uint8))
    for model in ("one", "two"):
        odds = random.normal(size=(ITEMS, CLASSES)) + 2 * (y[:, None] == np.arange(CLASSES))
        np.save(folder / f"{model}.npy", (odds - np.logaddexp.reduce(odds, axis=1, keepdims=True)).astype(np.float32))
    return folder


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pool_folder(tmp_path_factory.mktemp("pools"))


@pytest.fixture(scope="module")
def task(images: Path) -> Task:
    return ImageSlices(images, "one", by="two").load(3)


def test_images_are_sliced_by_the_best_class_of_another_model(images: Path, task: Task) -> None:
    best = np.load(images / "two.npy").argmax(axis=1)
    code = task.slices[DIFFERENT]
    assert set(code.tolist()) == set(range(SLICES))
    for number in range(CLASSES):  # all items of one best class are in the same slice
        assert len(set(code[best == number].tolist())) == 1
    assert set(task.slices[RANDOM].tolist()) == set(range(SLICES))
    again = ImageSlices(images, "one", by="two").load(3)
    assert all((task.slices[kind] == again.slices[kind]).all() for kind in task.slices)
    assert (task.family, task.name, task.alike) == ("images", "one by two/class 3/all", CLASSES)


def test_pools_are_sliced_along_the_scores_of_another_model(pools: Path) -> None:
    family = PoolSlices(pools, half="both")
    task = family.load(family.categories()[0])
    code, other = task.slices[DIFFERENT], list(task.models.values())[1].scores
    assert np.bincount(code).tolist() == [len(other) // SLICES] * SLICES
    assert other[code == 0].min() >= other[code == 1].max()


def test_each_label_counts_for_the_items_of_its_group(task: Task) -> None:
    """If every item is labelled, the weights are 1; the weights of a group sum to its items."""
    pool = Pool(task.pool.scores, task.pool.predictions, scale="log")
    evaluation = Evaluation(pool)
    items = evaluation.ask(10)
    evaluation.tell(items, task.answer(items))
    found, weight = inverse_shares(evaluation)
    assert sorted(found.tolist()) == sorted(items)
    assert weight.min() >= 1
    assert weight.sum() <= ITEMS


def test_a_slice_alone_has_its_own_labels_only(task: Task) -> None:
    evaluation = finish(
        Evaluation(Pool(task.pool.scores, task.pool.predictions, scale="log")), task.labels.astype(int), 150
    )
    history, inside = evaluation.snapshot(), task.slices[RANDOM] == 4
    found = alone(task, history, inside)
    assert found.labels == sum(bool(inside[item]) for item in history.labels)
    assert truth_of(task, inside) == pytest.approx(f1_score(task.labels[inside], task.pool.predictions[inside]))


def test_rows(images: Path) -> None:
    experiment = experiments.parse(
        "mine",
        'kind = "slices"\nbudgets = [40, 80]\nmethods = ["slices", "own", "labels"]\n'
        '[[families]]\nfamily = "image_slices"',
    )
    family = ImageSlices(images, "one", by="two")
    found = rows_of(experiment, family, 3)
    task = family.load(3)
    for kind in (RANDOM, DIFFERENT):
        predicted = {
            number: truth_of(task, task.slices[kind] == number)
            for number in range(SLICES)
            if task.pool.predictions[task.slices[kind] == number].any()
        }
        for method in ("slices", "own", "labels"):
            for labels in (40, 80):
                mine = [row for row in found if (row.method, row.target, row.labels) == (method, kind, labels)]
                assert [row.truth for row in mine] == list(predicted.values())
                assert all(0 <= row.estimate <= 1 for row in mine)
                assert all((row.low is None) == (method == "labels") for row in mine)
    text = section(experiment, rows.table_of(found), "a command")
    assert "| random: squared error / its own labels with sampler curve, 80 labels |" in text
    assert "Different slices, by group:" in text


@pytest.mark.slow
def test_from_the_command_line(images: Path, pools: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        'title = "Mine"\npaper = "none"\nkind = "slices"\nbudgets = [300]\nmethods = ["slices", "own", "labels"]\n'
        '[[families]]\nfamily = "image_slices"\nmodel = "one"\nby = "two"\nmost = 2\n'
        '[[families]]\nfamily = "pool_slices"\nmost = 1\n'
    )
    out = str(tmp_path / "out")
    good("bench", "run", str(own), "--out", out, "--data", str(images), "--data", str(pools), "--workers", "1")
    text = good("bench", "report", out, "--slices").stdout
    assert "## Mine (none)" in text
    assert "coverage, 300 labels | images at least 93 % |" in text
    assert good("bench", "report", out).stdout.endswith(text)
    good("bench", "pack", out, "--to", str(tmp_path / "small"))
    assert (tmp_path / "small" / "mine.parquet").stat().st_size < 20_000


def test_what_is_refused_on_the_command_line(tmp_path: Path, images: Path) -> None:
    refused("--data must be given for slices", "bench", "run", "slices", "--out", str(tmp_path))
    mine = ("--logits", "x.npy", "--labels", "y.npy")
    refused("--logits and --scores are not for slices", "bench", "run", "slices", "--out", str(tmp_path), *mine)
    (tmp_path / "bad.toml").write_text('kind = "slices"\nmethods = ["acis"]\n[[families]]\nfamily = "pool_slices"')
    refused("methods of the kind slices must be among slices, own, labels", "bench", "run", str(tmp_path / "bad.toml"),
            "--out", str(tmp_path), "--data", str(images))  # fmt: skip


def test_the_experiment() -> None:
    """It is reported on models that no setting was chosen on."""
    experiment = experiments.find("slices")
    models = [choice.arguments.get("model") for choice in experiment.families]
    assert models == ["simclr_250", "swav", None]
    assert experiment.of_slicing
    assert experiment.by_group
    assert experiment.apart
