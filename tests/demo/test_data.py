"""The real scores that are shipped: what is in the files, and what their README says."""

import math
from importlib.resources import files

import numpy as np
import pytest

import lowshot
from lowshot.demo import data
from lowshot.tasks import thin

from ..needed import module


@pytest.fixture(scope="module")
def task() -> data.Task:
    return data.load()


@pytest.fixture(scope="module")
def pair() -> data.Pair:
    return data.load_pair()


@pytest.fixture(scope="module")
def many() -> data.ClassTask:
    return data.load_classes()


class TestOneModel:
    @pytest.mark.parametrize("model", data.FILES)
    def test_the_files_are_small(self, model: str) -> None:
        assert len(files("lowshot.demo").joinpath("data", data.FILES[model]).read_bytes()) < 1_500_000

    @pytest.mark.parametrize("model", data.FILES)
    def test_the_files_hold_what_their_readme_says(self, model: str) -> None:
        with files("lowshot.demo").joinpath("data", data.FILES[model]).open("rb") as file, np.load(file) as stored:
            assert dict(zip(stored["category"].tolist(), stored["quantile"].tolist(), strict=True)) == data.CATEGORIES
            assert stored["scores"].shape == (6, data.ITEMS)
            assert stored["scores"].dtype == np.float16
            assert stored["labels"].shape == stored["predictions"].shape == (6, math.ceil(data.ITEMS / 8))

    @pytest.mark.parametrize("category", data.CATEGORIES)
    def test_the_readme_has_the_right_numbers(self, category: int) -> None:
        readme = files("lowshot.demo").joinpath("data", "README.md").read_text()
        whole, rare = data.load(category, all_positives=True), data.load(category)
        counts = f"{whole.positives} | {whole.pool.predicted_positives} | {whole.truth():.3f} | {rare.truth():.3f}"
        assert f"| {category} | {data.CATEGORIES[category]} % | {counts} |" in readme

    @pytest.mark.parametrize("model", data.FILES)
    @pytest.mark.parametrize("category", data.CATEGORIES)
    def test_columns(self, category: int, model: str) -> None:
        columns = data.read(category, model)
        assert [column.shape for column in columns] == [(55_084,)] * 3
        assert np.isfinite(columns.scores).all()
        assert columns.scores.max() <= 0
        assert 270 <= columns.labels.sum() <= 280

    @pytest.mark.parametrize("model", data.FILES)
    @pytest.mark.parametrize("category", data.CATEGORIES)
    def test_predictions_are_the_argmax(self, category: int, model: str) -> None:
        """Whoever has more than half of the probability is the argmax; among 200 it has at least 1/200."""
        columns = data.read(category, model)
        probability = np.exp(columns.scores.astype(np.float64))
        assert columns.predictions[probability > 0.502].all()
        assert probability[columns.predictions].min() >= 1 / 200

    @pytest.mark.parametrize("category", data.CATEGORIES)
    def test_one_in_a_thousand(self, category: int) -> None:
        task = data.load(category)
        assert task.positives / len(task.pool) == pytest.approx(0.001, rel=0.01)
        assert 54_800 <= len(task.pool) < 54_900

    def test_the_same_positives_stay_every_time(self) -> None:
        assert np.array_equal(data.load(83).labels, data.load(83).labels)
        assert data.load(83).pool.fingerprint == data.load(83).pool.fingerprint

    def test_all_negatives_stay(self) -> None:
        columns = data.read(7)
        kept = thin(columns.labels, data.SEED)
        assert kept[~columns.labels].all()
        assert kept[columns.labels].sum() == 55

    def test_all_positives(self) -> None:
        task = data.load(7, all_positives=True)
        assert (len(task.pool), task.positives) == (55_084, 276)

    def test_the_truth_is_the_f1_of_all_labels(self, task: data.Task) -> None:
        sklearn = module("sklearn.metrics")
        assert task.truth() == pytest.approx(sklearn.f1_score(task.labels, task.pool.predictions))

    def test_unknown_category(self) -> None:
        with pytest.raises(lowshot.InputError, match="category must be one of 83, 181, 7, 135, 193, 109: got 8"):
            data.load(8)

    def test_the_default_is_the_middle_one(self) -> None:
        assert data.CATEGORIES[data.DEFAULT] == 50


class TestTwoModels:
    @pytest.mark.parametrize("category", data.CATEGORIES)
    def test_both_models_have_the_same_items_and_labels(self, category: int) -> None:
        one, two = (data.read(category, model) for model in data.FILES)
        assert np.array_equal(one.labels, two.labels)
        assert not np.array_equal(one.predictions, two.predictions)
        pair = data.load_pair(category)
        assert np.array_equal(pair.baseline.labels, pair.candidate.labels)
        assert len(pair.pool) == len(pair.baseline.pool) == len(data.load(category).pool)

    def test_the_candidate_is_the_model_of_the_demo(self, pair: data.Pair) -> None:
        assert pair.candidate.pool.fingerprint == data.load().pool.fingerprint
        assert pair.pool.models == ("v1", "v2")
        assert np.array_equal(pair.pool.columns.judged[1].predictions, data.load().pool.predictions)

    @pytest.mark.parametrize("category", data.CATEGORIES)
    def test_the_readme_has_the_right_numbers(self, category: int) -> None:
        readme = files("lowshot.demo").joinpath("data", "README.md").read_text()
        whole, rare = data.load_pair(category, all_positives=True), data.load_pair(category)
        truths = [one.truth() for one in (whole.baseline, whole.candidate, rare.baseline, rare.candidate)]
        cells = " | ".join(f"{number:.3f}" for number in [*truths, rare.difference])
        assert f"| {category} | {cells} | {rare.disagreements} |" in readme

    def test_the_truth_is_that_of_all_labels(self, pair: data.Pair) -> None:
        sklearn = module("sklearn.metrics")
        one, two = (sklearn.f1_score(pair.candidate.labels, m.predictions) for m in pair.pool.columns.judged)
        assert pair.difference == pytest.approx(two - one)

    def test_unknown_model(self) -> None:
        with pytest.raises(lowshot.InputError, match="model must be one of v1, v2: got 'v3'"):
            data.read(7, "v3")


class TestManyClasses:
    def test_what_the_package_ships(self, many: data.ClassTask) -> None:
        """Small, every sixth class by its number, and as many pictures as the README of the data says."""
        stored = files("lowshot.demo").joinpath("data", data.CLASSES)
        assert len(stored.read_bytes()) < 10**6
        assert many.pool.categories == tuple(range(0, 200, 6))
        assert len(many.pool) == 4985
        counts = np.bincount(many.places)
        assert (counts.min(), counts.max()) == (33, 267)

    def test_the_truth_is_that_of_scikit_learn(self, many: data.ClassTask) -> None:
        metrics = module("sklearn.metrics")
        assert many.truth == pytest.approx(metrics.f1_score(many.places, many.predicted, average="macro"))
        each = metrics.f1_score(many.places, many.predicted, average=None)
        assert list(many.truths.values()) == pytest.approx(each.tolist())
        assert np.mean(many.places == many.predicted) == pytest.approx(0.492, abs=5e-4)  # as the README says

    def test_the_annotator_knows_the_classes(self, many: data.ClassTask) -> None:
        said = many.answer(list(range(len(many.pool))))
        assert [many.pool.categories.index(name) for name in said] == many.places.tolist()
