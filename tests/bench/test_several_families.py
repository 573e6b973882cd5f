"""Tasks about several models: which models are together, which half is run, and what is left out."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowshot import InputError
from lowshot_bench import experiment as experiments
from lowshot_bench.cli import no_data, some_pools, with_data
from lowshot_bench.families import DisagreeFamily, ImageModels, PoolModels, RealFamily, make_family
from lowshot_bench.families.disagree import EQUAL, FRAUDS, GRADES, ITEMS, PAIRS, POSITIVES, QUALITY, RUNS, TRANSACTIONS
from lowshot_bench.families.pool_models import NUMBER, SIZES
from lowshot_bench.run import Amount, choose, left_out

from ..helpers import refused
from .pool_folder import columns, entry, pool_folder, save, write_index

MODELS = ("one", "two", "same")
CLASSES = 8


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models of 4,000 items and 8 classes; `same` is a copy of `two`."""
    folder, random = tmp_path_factory.mktemp("scores"), np.random.default_rng(0)
    y = random.integers(0, CLASSES, 4_000)
    for model in MODELS[:2]:
        logits = random.normal(size=(len(y), CLASSES)) + 3 * np.eye(CLASSES)[y]
        logits -= np.logaddexp.reduce(logits, axis=1)[:, None]
        np.save(folder / f"{model}.npy", logits.astype(np.float16))
    np.save(folder / "same.npy", np.load(folder / "two.npy"))
    np.savez(folder / "labels.npz", y=y.astype(np.uint8))
    return folder


@pytest.fixture
def pools(tmp_path: Path) -> Path:
    return pool_folder(tmp_path / "pools")


# ---- images ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("half", "classes"), [("choosing", [0, 2, 4, 6]), ("reporting", [1, 3, 5, 7])])
def test_even_classes_are_for_choosing_and_odd_ones_for_reporting(scores: Path, half: str, classes: list[int]) -> None:
    family = ImageModels(scores, [["one", "two"], ["two", "one"]], half=half)
    assert family.categories() == [*classes, *(100_000 + each for each in classes)]
    assert len(ImageModels(scores, [["one", "two"]], half="both").categories()) == CLASSES


@pytest.mark.parametrize("thinned", [True, False])
def test_a_task_has_the_scores_and_predictions_of_its_models_on_the_same_items(scores: Path, thinned: bool) -> None:
    task = ImageModels(scores, [["one", "two"], ["two", "one"]], thinned, half="choosing").load(100_004)
    assert list(task.models) == ["two", "one"]
    for name, model in task.models.items():
        alone = RealFamily(scores, name, thinned).load(4)
        np.testing.assert_array_equal(model.scores, alone.pool.scores)
        np.testing.assert_array_equal(model.predictions, alone.pool.predictions)
        np.testing.assert_array_equal(task.labels, alone.labels)
    assert task.truth() == RealFamily(scores, "two", thinned).load(4).truth()
    ending = " thinned" if thinned else ""
    assert (task.family, task.name.split("/")[:2], task.alike) == ("images", [f"two one{ending}", "class 4"], 4)


def test_thresholds_are_models_of_their_own(scores: Path) -> None:
    task = ImageModels(scores, [["one", "two", "same"]], half="choosing", thresholds={"above 0.1": 0.1}).load(2)
    assert list(task.models) == [name for model in MODELS for name in (model, f"{model} above 0.1")]
    lax = RealFamily(scores, "one", False, threshold=0.1).load(2)
    np.testing.assert_array_equal(task.models["one above 0.1"].predictions, lax.pool.predictions)
    assert task.name.startswith("3 models/")


def test_models_with_identical_predictions_are_left_out(scores: Path) -> None:
    family = ImageModels(scores, [["one", "two"], ["two", "same"]], half="choosing")
    assert family.categories() == [0, 2, 4, 6]
    assert {words.split(":")[0] for words in family.excluded().values()} == {"identical predictions"}


@pytest.mark.parametrize("sets", [[], [["one"]]])
def test_a_set_must_have_two_models(scores: Path, sets: list[Any]) -> None:
    with pytest.raises(InputError, match="sets must be lists of at least 2 models"):
        ImageModels(scores, sets)


# ---- pools -----------------------------------------------------------------------------------------------------------


def names(family: PoolModels) -> list[str]:
    return [family.task_name(category) for category in family.categories()]


def test_pairs_are_of_one_data_set_and_point(pools: Path) -> None:
    assert names(PoolModels(pools, "pairs", "choosing")) == [
        "cover/good weak/half",
        "onto/good weak/half",
        "wine/good weak/half",
    ]
    assert names(PoolModels(pools, "ordered", "reporting")) == ["skin/good weak/half", "skin/weak good/half"]


def test_the_second_model_can_be_chosen(pools: Path) -> None:
    assert names(PoolModels(pools, "ordered", "reporting", seconds=["good"])) == ["skin/weak good/half"]
    assert names(PoolModels(pools, "ordered", "reporting", not_seconds=["good"])) == ["skin/good weak/half"]


def test_a_task_has_the_models_of_the_folder(pools: Path) -> None:
    family, stored = PoolModels(pools, "ordered", "reporting", role="useless"), columns(1)
    task = family.load(family.categories()[1])
    assert list(task.models) == ["weak", "good"]
    for name, model in task.models.items():
        np.testing.assert_array_equal(model.scores, stored[name])
        np.testing.assert_array_equal(model.predictions, stored[name] >= 0.5)
    np.testing.assert_array_equal(task.labels, stored["label"] == 1)
    assert (task.family, task.alike, task.category) == ("useless tabular", 2, task.category)
    assert task.truth() == task.truth(predictions=task.models["weak"].predictions)


def test_a_pair_keeps_its_number_whatever_is_chosen(pools: Path) -> None:
    every = PoolModels(pools, "ordered", "both")
    some = PoolModels(pools, "ordered", "both", kinds=["text"], seconds=["weak"])
    (category,) = some.categories()
    assert every.task_name(category) == some.task_name(category) == "onto/good weak/half"
    assert divmod(category, NUMBER) == (6, 7)


def test_candidates_are_different_sets_of_5_to_9_pools(tmp_path: Path) -> None:
    save(tmp_path, "cover", columns(0))
    points = [entry("cover", "good", f"at {t}", t) for t in np.linspace(0.1, 0.8, 8).round(2).tolist()]
    few = [entry("skin", "weak", f"at {t}", t) for t in (0.2, 0.4, 0.6, 0.8)]
    save(tmp_path, "skin", columns(1))
    write_index(tmp_path, points + few)
    family = PoolModels(tmp_path, "candidates", "both", most_sets=10)
    sets = [tuple(family.load(category).models) for category in family.categories()]
    assert 5 < len(sets) == len(set(sets)) <= 10
    assert {len(found) for found in sets} == {min(size, 8) for size in SIZES}
    assert all(name.startswith("good at ") for found in sets for name in found)
    assert {family.group_of(category) for category in family.categories()} == {"cover"}, "four pools are too few"
    again = PoolModels(tmp_path, "candidates", "both", most_sets=10)
    assert [tuple(again.load(category).models) for category in again.categories()] == sets


def test_pools_with_identical_predictions_are_left_out(pools: Path) -> None:
    stored = columns(0)
    save(pools, "cover", {**stored, "copy": stored["good"]})
    write_index(pools, [entry("cover", "good"), entry("cover", "copy"), entry("cover", "weak")])
    family = PoolModels(pools, "pairs", "both")
    assert names(family) == ["cover/good weak/half", "cover/copy weak/half"]
    experiment = experiments.parse("mine", "kind = 'pairs'\nfamilies = [{ family = 'pool_models', half = 'both' }]")
    assert left_out(experiment, pools) == [
        "pool models: 1 tasks left out (cover/good copy/half): identical predictions: two of the models cannot differ,"
        " whatever the labels are"
    ]


@pytest.mark.parametrize("kind", ["image_models", "pool_models"])
def test_a_family_travels_as_its_arguments(scores: Path, pools: Path, kind: str) -> None:
    arguments: dict[str, Any] = {"sets": [["one", "two"]]} if kind == "image_models" else {"sets": "pairs"}
    family = make_family(kind, {**arguments, "half": "both"}, (scores, pools))
    category = family.categories()[0]
    family.load(category)
    packed = pickle.dumps(family)
    assert len(packed) < 1000
    np.testing.assert_array_equal(pickle.loads(packed).load(category).labels, family.load(category).labels)


# ---- pairs that disagree ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("correlation", [0, 0.5, 0.9])
def test_independent_models_are_alike_and_their_errors_have_this_correlation(correlation: float) -> None:
    task = DisagreeFamily(f"independent {correlation}").load(5)
    first, second = task.models.values()
    errors = [model.scores - QUALITY * task.labels for model in (first, second)]
    for error, model in zip(errors, (first, second), strict=True):
        assert error.mean() == pytest.approx(0, abs=4 / ITEMS**0.5)
        assert error.std() == pytest.approx(1, abs=4 / (2 * ITEMS) ** 0.5)
        assert np.count_nonzero(model.predictions) == task.positives == POSITIVES
        assert model.scores[model.predictions].min() > model.scores[~model.predictions].max()
    assert np.corrcoef(errors)[0, 1] == pytest.approx(correlation, abs=4 / ITEMS**0.5)


@pytest.mark.parametrize("name", list(EQUAL))
def test_models_of_the_same_f1_disagree(name: str) -> None:
    levels = set()
    for category in range(12):
        task = DisagreeFamily(name).load(category)
        first, second = task.models.values()
        assert task.truth(predictions=second.predictions) == task.truth(predictions=first.predictions)
        assert (first.predictions != second.predictions).any()
        assert second.scores[second.predictions].min() > second.scores[~second.predictions].max()
        levels.add(len(np.unique(second.scores)))
    least, most = (2, 2) if name == "flags" else GRADES
    assert (min(levels), max(levels)) == (least, most)


@pytest.mark.slow
def test_frauds_are_rare_and_fitted_models_rank_them_differently() -> None:
    task = DisagreeFamily("frauds").load(0)
    linear, trees = task.models.values()
    assert TRANSACTIONS[0] <= len(task.labels) < TRANSACTIONS[1]
    assert task.positives == round(FRAUDS * len(task.labels))
    assert np.count_nonzero(linear.predictions) == np.count_nonzero(trees.predictions)
    ranks = [np.argsort(np.argsort(model.scores)) for model in (linear, trees)]
    assert np.corrcoef(ranks)[0, 1] < 0.7
    for model in (linear, trees):  # far better than chance, which is 0.003
        assert task.truth(predictions=model.predictions) > 0.1


@pytest.mark.parametrize("name", [name for name in PAIRS if name != "frauds"])
def test_every_run_has_a_pool_of_its_own_which_is_the_same_everywhere(name: str) -> None:
    family = make_family("disagree", {"pair": name})
    one, again, other = family.load(3), pickle.loads(pickle.dumps(family)).load(3), family.load(4)
    for model, found in one.models.items():
        np.testing.assert_array_equal(found.scores, again.models[model].scores)
    assert (one.labels != other.labels).any()
    assert (one.name, one.family) == (f"{name}/run 3/all", name)


def test_the_experiment_about_models_that_disagree_needs_no_data() -> None:
    experiment = experiments.find("disagree")
    assert (experiment.apart, experiment.needs_data, experiment.of_several) == (True, False, True)
    assert {choice.arguments["pair"] for choice in experiment.families} == set(PAIRS)
    assert {method.sampler for method in experiment.methods} == set(experiments.SEVERAL["disagree"])
    families = [make_family(choice.family, choice.arguments) for choice in experiment.families]
    amounts = [
        len(choose(family, choice, Amount())) for family, choice in zip(families, experiment.families, strict=True)
    ]
    assert amounts == [RUNS] * len(PAIRS)


def test_unknown_pairs_are_refused() -> None:
    with pytest.raises(InputError, match=r"pair must be one of independent 0, .*: got 'stars'"):
        DisagreeFamily("stars")
    with pytest.raises(InputError, match="category must be one of 0 to 199 in flags: got 200"):
        DisagreeFamily("flags").load(200)


# ---- what is run -----------------------------------------------------------------------------------------------------


def test_the_limit_is_for_each_group(scores: Path) -> None:
    family = ImageModels(scores, [["one", "two"], ["two", "one"]], half="choosing")
    choice = experiments.FamilyChoice("image_models", most=2)
    assert choose(family, choice, Amount()) == [0, 4, 100_000, 100_004]
    assert choose(family, choice, Amount(fraction=0.25)) == [0]
    assert choose(family, choice, Amount(full=True)) == family.categories()


def test_each_family_reads_the_folder_that_has_its_file(scores: Path, pools: Path) -> None:
    found = make_family("image_models", {"sets": [["one", "two"]]}, (pools, scores))
    assert isinstance(found, ImageModels)
    assert found.folder == scores
    other = make_family("pool_models", {}, (pools, scores))
    assert isinstance(other, PoolModels)
    assert other.pools.folder == pools
    with pytest.raises(InputError, match=r"data must be the folder with labels.npz .*: got .*pools and .*pools; give"):
        make_family("image_models", {"sets": [["one", "two"]]}, (pools, pools))


def test_an_experiment_without_one_of_its_folders_runs_the_rest_and_says_so(scores: Path, pools: Path) -> None:
    pairs = experiments.find("pairs")
    assert with_data(pairs, (scores, pools)) == pairs
    assert no_data(pairs, (scores, pools)) == []
    assert {choice.family for choice in with_data(pairs, (pools,)).families} == {"pool_models"}
    (note,) = no_data(pairs, (pools,))
    assert note.startswith("pairs: not run on what needs the folder with labels.npz")
    figure = experiments.find("figure9")
    assert with_data(figure, (pools,)) == figure, "experiments about one model refuse to run on less"
    with pytest.raises(InputError, match=r"--data must be given for pairs: the folder with labels\.npz"):
        with_data(pairs, (pools / "nowhere",))


def test_the_half_is_for_images_and_pools_and_the_kind_for_pools() -> None:
    families = some_pools(experiments.find("pairs"), "choosing", ["tabular"], None).families
    assert [("half" in choice.arguments, "kinds" in choice.arguments) for choice in families] == [
        (True, False),
        (True, False),
        (True, True),
    ]


@pytest.mark.parametrize("kind", [kind for kind in experiments.SEVERAL if kind != "disagree"])
def test_the_experiments_of_several_models(kind: str) -> None:
    experiment = experiments.find(kind)
    assert (experiment.kind, experiment.apart, experiment.runs) == (kind, True, 200)
    assert {method.sampler for method in experiment.methods} == set(experiments.SEVERAL[kind])
    assert len(experiment.data_folders) == 2


def test_an_unknown_method_is_refused() -> None:
    text = "kind = 'pairs'\nmethods = ['acis']\nfamilies = [{ family = 'pool_models' }]"
    with pytest.raises(InputError, match="methods of the kind pairs must be among pair, each, first, own: got 'acis'"):
        experiments.parse("mine", text)


def test_files_of_one_model_are_refused(tmp_path: Path) -> None:
    files = ("--logits", str(tmp_path / "x.npy"), "--labels", str(tmp_path / "y.npy"))
    refused("are of one model: pairs needs several", "bench", "run", "pairs", "--out", str(tmp_path), *files)


def test_repetitions_make_200_runs_of_each_group(scores: Path) -> None:
    from lowshot_bench.task_rows import repetitions

    experiment = experiments.find("pairs")
    task = ImageModels(scores, [["one", "two"]], half="choosing").load(2)
    assert repetitions(experiment, task) == 50, "4 classes of one set of models"
    assert repetitions(replace(experiment, runs=0), task) == 1
