"""The demo with many classes: its data, random labels, its words and its picture."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import lowshot
from lowshot.demo import show as demo_show
from lowshot.demo.classes import data, picture, random_labels, run, show, words
from lowshot.demo.classes.outcome import Outcome
from lowshot.demo.classes.random_labels import Point
from lowshot.sampler.classes import Classes

from ..needed import module
from .drawn import ascii_console


@pytest.fixture(scope="module")
def task() -> data.ClassTask:
    return data.load()


@pytest.fixture(scope="module")
def outcome(task: data.ClassTask) -> Outcome:
    """One evaluation with 40 labels, two runs, and random labels from few draws."""
    rows, runs = list(run.rows(task, labels=40, seed=0)), list(run.trials(task, labels=40, runs=2, seed=0))
    return Outcome(task, 0, rows, runs, random_labels.path(task, runs=10))


class TestData:
    def test_what_the_package_ships(self, task: data.ClassTask) -> None:
        """Small, every sixth class by its number, and as many pictures as the README of the data says."""
        stored = files("lowshot.demo").joinpath("data", data.FILE)
        assert len(stored.read_bytes()) < 10**6
        assert task.pool.categories == tuple(range(0, 200, 6))
        assert (len(task.pool), task.categories) == (4985, 34)
        counts = np.bincount(task.places)
        assert (counts.min(), counts.max()) == (33, 267)

    def test_the_truth_is_that_of_scikit_learn(self, task: data.ClassTask) -> None:
        metrics = module("sklearn.metrics")
        assert task.truth == pytest.approx(metrics.f1_score(task.places, task.predicted, average="macro"))
        each = metrics.f1_score(task.places, task.predicted, average=None)
        assert list(task.truths.values()) == pytest.approx(each.tolist())
        assert np.mean(task.places == task.predicted) == pytest.approx(0.492, abs=5e-4)  # as the README says

    def test_the_annotator_knows_the_classes(self, task: data.ClassTask) -> None:
        said = task.answer(list(range(len(task.pool))))
        assert [task.pool.categories.index(name) for name in said] == task.places.tolist()


class TestRandomLabels:
    def test_all_labels_are_the_truth(self, task: data.ClassTask) -> None:
        everything = np.arange(len(task.pool))
        assert random_labels.estimates(task, everything) == pytest.approx((task.truth, task.truth))

    def test_the_first_estimate_is_that_of_scikit_learn(self, task: data.ClassTask) -> None:
        metrics = module("sklearn.metrics")
        items = np.random.default_rng(0).permutation(len(task.pool))[:60]
        expected = metrics.f1_score(task.places[items], task.predicted[items], average="macro")
        assert random_labels.estimates(task, items)[0] == pytest.approx(expected)

    def test_more_labels_are_better(self, task: data.ClassTask) -> None:
        points = random_labels.path(task, runs=20)
        assert points[-1].error < points[3].error / 2
        assert points == random_labels.path(task, runs=20)

    def test_how_many_are_needed(self) -> None:
        points = [Point(100, 0.1), Point(200, 0.07), Point(400, 0.05)]
        assert random_labels.needed(points, 0.2) == 100
        assert random_labels.needed(points, 0.05) == 400
        assert 200 < (random_labels.needed(points, 0.06) or 0) < 400
        assert random_labels.needed(points, 0.04) is None


class TestRun:
    def test_rows_end_with_all_labels(self, outcome: Outcome) -> None:
        assert outcome.labels == 40
        assert [row.labels for row in outcome.rows] == sorted({row.labels for row in outcome.rows})
        assert outcome.runs[0] == outcome.estimate

    def test_too_many_labels(self, task: data.ClassTask) -> None:
        with pytest.raises(lowshot.InputError, match="labels must be at most the number of items: got 5000"):
            run.start(task, 5000, 0)

    def test_the_sampler(self, task: data.ClassTask) -> None:
        assert isinstance(run.start(task, 10, 0).sampler, Classes)


class TestOutcome:
    def test_plain_data_is_strict_json(self, outcome: Outcome) -> None:
        found = json.loads(json.dumps(outcome.plain(), allow_nan=False))
        assert found["truth"] == outcome.task.truth
        assert len(found["table"]) == 34
        assert found["runs"]["values"] == [one.value for one in outcome.runs]

    def test_the_worst_classes(self, outcome: Outcome) -> None:
        values = sorted(row["value"] for row in outcome.table.rows)
        assert [row["value"] for row in outcome.worst] == values[:5]
        truths = outcome.task.truths
        assert [truths[name] for name in outcome.truly_worst] == sorted(truths.values())[:5]
        assert 0 <= outcome.named <= 5

    def test_needs_a_row(self, outcome: Outcome) -> None:
        with pytest.raises(lowshot.InputError, match="nothing was labelled"):
            replace(outcome, rows=[])


class TestWords:
    def test_introduction(self, task: data.ClassTask) -> None:
        assert "4,985 pictures of Tiny-ImageNet for 34 classes, which have 33 to 267" in words.introduction(task)

    def test_a_missed_truth_is_said(self, outcome: Outcome) -> None:
        far = replace(outcome.estimate, value=0.1, interval=lowshot.Interval(0.05, 0.15))
        wrong = replace(outcome, rows=[replace(outcome.rows[-1], estimate=far)], runs=[far] * 3)
        assert "OUTSIDE" in words.verdict(wrong)
        notes = words.notes(wrong)
        assert any("outside the interval" in note for note in notes)
        assert any("in only 0 of 3 runs" in note for note in notes)

    def test_random_labels_that_do_as_well_are_said(self, outcome: Outcome) -> None:
        good = replace(outcome, random=[Point(10, 0.0), Point(20, 0.0)])
        assert "the same error takes at most 10 labels" in words.comparison(good)
        assert any("Random labels do as well here: 10 of them" in note for note in words.notes(good))
        bad = replace(outcome, random=[Point(10, 0.9), Point(3200, 0.8)])
        assert "a larger error even if there are 3,200 of them" in words.comparison(bad)
        assert words.not_better(bad) == ""

    def test_few_runs_are_said(self, outcome: Outcome) -> None:
        assert "from 2 runs is rough" in words.few(outcome)
        assert words.few(replace(outcome, runs=list(outcome.runs) * 10)) == ""

    def test_the_hint_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        random = np.random.default_rng(0)
        scores = {"scores": random.random((300, 3)), "names": ["heron", "crow", "wren"], "labels": ["crow"] * 10}
        exec(words.HINT, scores)
        assert "f1_macro = " in capsys.readouterr().out


class TestShow:
    def test_ascii_where_nothing_else_can_be_shown(self, outcome: Outcome) -> None:
        console = ascii_console()
        console.print(show.rounds(console, outcome.rows, outcome.task))
        console.print(show.worst(outcome))
        text = console.export_text()
        assert text.isascii()
        assert all(str(row["category"]) in text for row in outcome.worst)

    def test_live_on_a_terminal(
        self, task: data.ClassTask, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(demo_show, "PAUSE", 0)
        console = Console(force_terminal=True, width=80)
        assert show.watch(console, task, run.rows(task, 20, 0), 20)[-1].labels == 20
        assert "labelling" in capsys.readouterr().out


class TestPicture:
    def test_classes_and_truths_are_in_it(self, outcome: Outcome) -> None:
        module("matplotlib")
        left, right = picture.draw(outcome).axes
        assert set(left.get_lines()[-1].get_ydata()) == {outcome.task.truth}
        crosses = next(line for line in right.get_lines() if line.get_marker() == "x")
        names = [text.get_text() for text in right.get_yticklabels()]
        truths = {str(name): truth for name, truth in outcome.task.truths.items()}
        assert crosses.get_xdata().tolist() == [truths[name] for name in names]
        assert len(names) == 34

    def test_it_is_saved(self, outcome: Outcome, tmp_path: Path) -> None:
        module("matplotlib")
        picture.save(outcome, tmp_path / "classes.svg")
        assert (tmp_path / "classes.svg").read_text().startswith("<?xml")
