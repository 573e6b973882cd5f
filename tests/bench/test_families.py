"""Where benchmark tasks come from: facts of the generator, thinning of real files, the user's own files."""

import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from lowshot.errors import InputError
from lowshot.tasks import thin
from lowshot_bench.families import BinaryFamily, LogitsFamily, RealFamily, SimulatedFamily, Task, make_family
from lowshot_bench.families.simulated import SETTINGS, positives

MEGABYTE = 1_000_000


def log_odds(task: Task) -> np.ndarray:
    scores = np.minimum(task.pool.scores.astype(np.float64), -1e-30)
    return scores - np.log(-np.expm1(scores))


def ranks(task: Task) -> np.ndarray:
    found = np.empty(len(task.pool), dtype=int)
    found[np.argsort(-task.pool.scores, kind="stable")] = np.arange(len(task.pool))
    return found


@pytest.fixture(scope="module")
def imagenet() -> dict[str, list[Task]]:
    """Every 25th class of imagenet50k, of each model."""
    return {model: [SimulatedFamily("imagenet50k", model).load(c) for c in range(0, 1000, 25)] for model in "abc"}


@pytest.mark.parametrize(
    ("name", "items", "classes", "positives"),
    [
        ("imagenet1m", 1_268_000, 1_000, (1_268, 1_268)),
        ("imagenet50k", 50_000, 1_000, (50, 50)),
        ("inat100k", 95_986, 5_089, (3, 300)),
        ("easy", 50_000, 200, (20, 50)),
        ("underconfident", 50_000, 200, (50, 50)),
        ("strewn", 50_000, 200, (20, 50)),
    ],
)
def test_sizes_of_simulated_families(name, items, classes, positives):
    family = SimulatedFamily(name)
    task = family.load(11)
    assert family.categories() == list(range(classes))
    assert family.excluded() == {}
    assert len(task.pool) == len(task.labels) == items
    assert positives[0] <= task.positives <= positives[1]
    assert task.pool.predicted_positives > 0
    assert task.pool.scores.dtype == np.float32
    assert task.pool.scale == "log"
    assert task.pool.ids is None
    assert (task.family, task.category, task.kept) == (name, 11, None)


def test_a_million_items_take_little_memory():
    tracemalloc.start()
    SimulatedFamily("imagenet1m").load(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120 * MEGABYTE


def test_quality_of_the_three_models(imagenet):
    means = {model: np.mean([task.truth() for task in tasks]) for model, tasks in imagenet.items()}
    assert means == pytest.approx({"a": 0.45, "b": 0.55, "c": 0.65}, abs=0.06)


@pytest.mark.slow
def test_f1_occurs_from_near_0_to_above_nine_tenths(imagenet):
    best = SimulatedFamily("imagenet50k", "c").load(849)
    assert best.truth() > 0.9
    assert min(task.truth() for task in imagenet["a"]) < 0.2
    assert min(SimulatedFamily("inat100k").load(c).truth() for c in range(20)) < 0.02
    assert np.std([task.truth() for task in imagenet["a"]]) > 0.12


def test_predictions_add_up_to_the_items_but_not_in_every_class(imagenet):
    ratio = np.array([task.pool.predicted_positives / task.positives for task in imagenet["a"]])
    assert ratio.mean() == pytest.approx(1, abs=0.1)
    assert ratio.min() < 0.7
    assert ratio.max() > 1.3


def test_predictions_are_not_a_threshold_on_the_scores(imagenet):
    below = [(ranks(task)[task.pool.predictions] >= task.pool.predicted_positives).mean() for task in imagenet["a"]]
    assert 0.03 < np.mean(below) < 0.15


def test_softmax_is_over_confident_with_a_long_left_tail(imagenet):
    sure = np.mean([np.exp(task.pool.scores[task.pool.predictions]).mean() for task in imagenet["a"]])
    precision = np.mean([task.truth("precision") for task in imagenet["a"]])
    assert sure > precision + 0.1
    low, middle, high = np.quantile(imagenet["a"][0].pool.scores, [0.001, 0.5, 0.999])
    assert middle - low > 1.5 * (high - middle)


def test_models_score_the_same_items_and_are_correlated(imagenet):
    for a, b in zip(imagenet["a"], imagenet["b"], strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)
    pairs = list(zip(imagenet["a"], imagenet["b"], strict=True))
    own = [np.corrcoef(a.pool.scores[a.labels], b.pool.scores[a.labels])[0, 1] for a, b in pairs]
    every = [np.corrcoef(a.pool.scores, b.pool.scores)[0, 1] for a, b in pairs]
    same = [(a.pool.predictions == b.pool.predictions)[a.labels].mean() for a, b in pairs]
    classes = np.corrcoef([[a.truth(), b.truth()] for a, b in pairs], rowvar=False)[0, 1]
    assert 0.4 < np.mean(own) < 0.7
    assert 0.4 < np.mean(every) < 0.7
    assert 0.65 < np.mean(same) < 0.85
    assert classes > 0.7


def test_other_models_predictions_come_with_the_task(imagenet):
    task = SimulatedFamily("imagenet50k", others=["b", "c"]).load(50)
    for other in "bc":
        own = imagenet[other][2]
        np.testing.assert_array_equal(task.others[other], own.pool.predictions)
        assert task.truth(predictions=task.others[other]) == own.truth()


def test_class_sizes_of_inat_have_a_long_tail():
    counts = [len(positives(SETTINGS["inat100k"], c).places) for c in range(0, 5089, 10)]
    assert np.mean(counts) == pytest.approx(19, abs=2)
    assert np.median(counts) < 0.9 * np.mean(counts)
    assert max(counts) > 3 * np.median(counts)


def test_the_same_task_in_every_process_and_order():
    family = SimulatedFamily("strewn", "b")
    here = [family.load(5).pool.fingerprint, pickle.loads(pickle.dumps(family)).load(5).pool.fingerprint]
    code = (
        "from lowshot_bench.families import SimulatedFamily as F;"
        "f = F('strewn', 'b'); f.load(7); print(f.load(5).pool.fingerprint)"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert set(here) == {there}
    assert family.load(6).pool.fingerprint != there


@pytest.mark.parametrize("model", ["a", "b", "c"])
def test_easy_tasks_have_high_f1_and_a_clean_gap(model):
    for category in range(0, 200, 10):
        task = SimulatedFamily("easy", model).load(category)
        odds, n_pred = np.sort(log_odds(task))[::-1], task.pool.predicted_positives
        assert task.truth() > 0.9
        assert 20 <= task.positives <= 50
        assert odds[int(0.9 * n_pred)] - odds[int(1.1 * n_pred)] > 3  # but for a tenth, 20 times more or less likely


def test_underconfident_probabilities_are_far_below_the_precision():
    tasks = [SimulatedFamily("underconfident").load(c) for c in range(0, 200, 10)]
    sure = np.mean([np.exp(task.pool.scores[task.labels]).mean() for task in tasks])
    assert sure < 0.2 * np.mean([task.truth("precision") for task in tasks])


def test_a_third_of_the_strewn_positives_lies_all_over_the_ranking():
    shares = []
    for category in range(0, 200, 10):
        task = SimulatedFamily("strewn", "c").load(category)  # the others are easy to rank
        rank, n_pred = ranks(task)[task.labels], task.pool.predicted_positives
        assert 20 <= task.positives <= 50
        assert rank.max() < 101 * n_pred
        shares.append([(rank > k * n_pred).mean() for k in (3, 50)])
    assert np.mean(shares, axis=0) == pytest.approx([0.33, 0.17], abs=0.03)


def test_simulated_arguments_are_checked():
    with pytest.raises(InputError, match=r"name must be one of imagenet1m, .*: got 'cifar'"):
        SimulatedFamily("cifar")
    with pytest.raises(InputError, match="others must be one of a, b, c: got 'd'"):
        SimulatedFamily("easy", others=["d"])
    with pytest.raises(InputError, match=r"category must be .*: got 200"):
        SimulatedFamily("easy").load(200)
    assert len({setting.seed for setting in SETTINGS.values()}) == len(SETTINGS)


# ---- real files -----------------------------------------------------------------------------------------------------


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models, 6,000 items, 5 classes; class 3 has no positives, class 4 is never predicted."""
    random = np.random.default_rng(0)
    y = random.choice([0, 1, 2, 4], 6000).astype(np.uint8)
    for model in ("first", "second"):
        logits = random.normal(size=(6000, 5)) * 2
        logits[np.arange(6000), y] += 2
        logits[:, 4] = -20
        np.save(tmp_path / f"{model}.npy", log_softmax(logits).astype(np.float16))
    np.savez(tmp_path / "labels.npz", y=y)
    return tmp_path


def test_real_tasks_are_thinned_always_the_same_way(folder):
    task, again = (RealFamily(folder, "first").load(1) for _ in range(2))
    y, scores = np.load(folder / "labels.npz")["y"], np.load(folder / "first.npy")
    assert task.positives == round(0.001 / 0.999 * (y != 1).sum())
    assert len(task.pool) == (y != 1).sum() + task.positives
    np.testing.assert_array_equal(task.kept, again.kept)
    np.testing.assert_array_equal(task.kept, np.flatnonzero(thin(y == 1, (2021, 1))))
    np.testing.assert_array_equal(task.labels, y[task.kept] == 1)
    np.testing.assert_array_equal(task.pool.scores, scores[task.kept, 1])
    np.testing.assert_array_equal(task.pool.predictions, scores[task.kept].argmax(axis=1) == 1)


def test_which_positives_stay_depends_on_the_seed_and_nothing_else():
    labels = np.arange(3000) < 500
    np.testing.assert_array_equal(thin(labels, (2021, 3)), thin(labels, (2021, 3)))
    assert (thin(labels, (2021, 3), 0.1) != thin(labels, (2021, 4), 0.1)).any()
    assert thin(np.arange(3000) < 2, 0, 0.1).all()  # rarer already


def test_other_models_are_aligned_with_the_kept_rows(folder):
    task = RealFamily(folder, "first", others=["second"], thresholds=[0.02, 0.5]).load(2)
    second, first = np.load(folder / "second.npy"), np.load(folder / "first.npy")
    assert list(task.others) == ["second", "0.02", "0.5"]
    np.testing.assert_array_equal(task.others["second"], second[task.kept].argmax(axis=1) == 2)
    np.testing.assert_array_equal(task.others["0.5"], np.exp(first[task.kept, 2].astype(float)) > 0.5)


def test_unthinned_and_thresholded_variants_have_names_of_their_own(folder):
    family = RealFamily(folder, "first", thinned=False, threshold=0.1)
    task = family.load(0)
    assert (family.name, task.family, task.kept) == ("first all threshold 0.1", "first all threshold 0.1", None)
    assert len(task.pool) == 6000
    assert task.pool.predicted_positives == (np.exp(np.load(folder / "first.npy")[:, 0].astype(float)) > 0.1).sum()
    assert (RealFamily(folder, "first").name, RealFamily(folder, "first", thinned=False).name) == ("first", "first all")


@pytest.mark.parametrize("threshold", [None, 0.1])
def test_classes_that_cannot_be_evaluated_are_named_with_the_reason(folder, threshold):
    family = RealFamily(folder, "first", threshold=threshold)
    assert family.categories() == [0, 1, 2]
    assert {category: words.split(":")[0] for category, words in family.excluded().items()} == {
        3: "no positives",
        4: "no predictions",
    }


def test_a_real_family_travels_as_its_arguments(folder):
    family = RealFamily(folder, "first", others=["second"])
    family.excluded()
    packed = pickle.dumps(family)
    assert len(packed) < 1000
    assert pickle.loads(packed).load(1).pool.fingerprint == family.load(1).pool.fingerprint


def test_bad_real_folders_get_an_error_in_words(folder):
    with pytest.raises(InputError, match=r"model must be a score file of .*: got 'third'; there is first, second"):
        RealFamily(folder, "third").load(0)
    with pytest.raises(InputError, match="threshold must be a number from 1e-06 to 1: got 2"):
        RealFamily(folder, "first", threshold=2)
    np.save(folder / "short.npy", np.zeros((10, 5), dtype=np.float16))
    with pytest.raises(InputError, match="others must score the same items: short has 10 for 6000"):
        RealFamily(folder, "first", others=["short"]).load(0)
    np.savez(folder / "labels.npz", y=np.full(6000, 5))
    with pytest.raises(InputError, match=r"labels must be classes from 0 to 4: 6000 of 6000 are not .*position 0: 5"):
        RealFamily(folder, "first").load(0)
    (folder / "labels.npz").unlink()
    with pytest.raises(InputError, match=r"labels must be an .npz file with an array y"):
        RealFamily(folder, "first").load(0)


# ---- the user's own files -------------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Path:
    random = np.random.default_rng(1)
    y = random.integers(0, 4, 500)
    logits = random.normal(size=(500, 4)).astype(np.float32) * 3
    logits[np.arange(500), y] += 4
    np.save(tmp_path / "logits.npy", logits)
    np.save(tmp_path / "y.npy", y)
    return tmp_path


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_logits_become_log_softmax_and_argmax(own, order, dtype):
    logits = np.load(own / "logits.npy").astype(dtype, order=order)
    np.save(own / "stored.npy", logits)
    family = LogitsFamily(own / "stored.npy", own / "y.npy")
    task = family.load(2)
    np.testing.assert_allclose(task.pool.scores, log_softmax(logits.astype(float))[:, 2], rtol=1e-5)
    np.testing.assert_array_equal(task.pool.predictions, logits.argmax(axis=1) == 2)
    np.testing.assert_array_equal(task.labels, np.load(own / "y.npy") == 2)
    assert (family.name, family.categories(), family.excluded()) == ("stored", [0, 1, 2, 3], {})
    assert len(pickle.dumps(family)) < 1000


def test_a_large_file_is_not_read_whole(tmp_path):
    shape = (200_000, 500)  # 200 MB, of zeros that take no place on the disk
    logits = np.lib.format.open_memmap(tmp_path / "logits.npy", mode="w+", dtype=np.float16, shape=shape)
    logits[7, 3] = 1
    del logits
    np.save(tmp_path / "y.npy", np.arange(shape[0]) % 500)
    tracemalloc.start()
    family = LogitsFamily(tmp_path / "logits.npy", tmp_path / "y.npy")
    categories, task = family.categories(), family.load(3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert categories == [0, 3]
    assert len(family.excluded()) == 498
    assert task.pool.predicted_positives == 1
    assert peak < 50 * MEGABYTE


def save(path: Path, array: np.ndarray) -> Path:
    np.save(path, array)
    return path


def test_bad_logits_get_an_error_in_words(own):
    logits, y = np.load(own / "logits.npy"), own / "y.npy"
    with pytest.raises(InputError, match=r"logits must be a .npy file: there is no file .*nowhere.npy"):
        LogitsFamily(own / "nowhere.npy", y).load(0)
    with pytest.raises(InputError, match=r"shape \[items, classes\]: .* has shape \(500,\)"):
        LogitsFamily(save(own / "flat.npy", logits[:, 0]), y).load(0)
    with pytest.raises(InputError, match=r"logits must be float16 or float32: .* is float64"):
        LogitsFamily(save(own / "double.npy", logits.astype(float)), y).load(0)
    logits[17, 2] = np.nan
    with pytest.raises(InputError, match=r"logits must be finite: .* has nan in row 17, column 2"):
        LogitsFamily(save(own / "nan.npy", logits), y).load(0)
    (own / "text.npy").write_text("0.5, 0.5")
    with pytest.raises(InputError, match=r"logits must be a .npy file of numbers: .*text.npy cannot be read"):
        LogitsFamily(own / "text.npy", y).load(0)


def test_bad_labels_get_an_error_in_words(own):
    logits = own / "logits.npy"
    with pytest.raises(InputError, match=r"labels must be a .npy file: there is no file"):
        LogitsFamily(logits, own / "nowhere.npy").load(0)
    with pytest.raises(InputError, match=r"labels must be one for each item: got shape \(9,\) for 500 items"):
        LogitsFamily(logits, save(own / "short.npy", np.zeros(9, dtype=int))).load(0)
    with pytest.raises(InputError, match="labels must be whole numbers, one class per item: got float64"):
        LogitsFamily(logits, save(own / "float.npy", np.zeros(500))).load(0)
    with pytest.raises(InputError, match=r"classes from 0 to 3: 1 of 500 are not \(first at position 3: -1\)"):
        LogitsFamily(logits, save(own / "minus.npy", np.where(np.arange(500) == 3, -1, 0))).load(0)
    with pytest.raises(InputError, match="category must be a whole number from 0 to 3: got 4"):
        LogitsFamily(logits, own / "y.npy").load(4)


def test_one_binary_model(tmp_path):
    scores = save(tmp_path / "scores.npy", np.array([0.9, 0.6, 0.4, 0.1]))
    predictions = save(tmp_path / "predictions.npy", np.array([1, 1, 0, 0]))
    labels = save(tmp_path / "y.npy", np.array([True, False, True, False]))
    family = BinaryFamily(scores, predictions, labels, scale="probability")
    task = family.load(0)
    assert (family.name, family.categories(), family.excluded()) == ("scores", [0], {})
    assert (task.truth(), task.answer([0, 1]), task.pool.scale) == (0.5, [1, 0], "probability")
    none = BinaryFamily(scores, save(tmp_path / "none.npy", np.zeros(4)), labels)
    assert none.categories() == []
    assert "no predictions" in none.excluded()[0]
    with pytest.raises(InputError, match="labels must be 0 or 1: 1 of 4 are not"):
        BinaryFamily(scores, predictions, save(tmp_path / "two.npy", np.array([0, 1, 2, 0]))).load(0)
    with pytest.raises(InputError, match="labels must be one for each item: got 3 for 4 items"):
        BinaryFamily(scores, predictions, save(tmp_path / "three.npy", np.zeros(3))).load(0)


def test_families_from_plain_arguments(folder):
    assert make_family("real", {"model": "first", "thinned": False}, folder).name == "first all"
    assert make_family("simulated", {"name": "easy", "others": ["b"]}).load(0).others.keys() == {"b"}
    with pytest.raises(InputError, match=r"family must be one of real, pools, .*, binary: got 'paper'"):
        make_family("paper", {})
    with pytest.raises(InputError, match=r"family simulated cannot be made with size: .*'size'"):
        make_family("simulated", {"size": 3})
