"""The demo: its runs, its comparison, its words and its picture."""

import io
import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import lowshot
from lowshot.demo import compare, data, picture, run, show, words
from lowshot.demo.outcome import Outcome

from ..needed import module


@pytest.fixture(scope="module")
def task() -> data.Task:
    return data.load()


@pytest.fixture(scope="module")
def outcome(task: data.Task) -> Outcome:
    rows = list(run.rows(task, "acis", labels=30, seed=0))
    return Outcome(task, "acis", 0, rows, compare.compare(task, compare.SAMPLERS, labels=30, runs=3, seed=0))


def comparison(truth: float, values: list[float], interval: tuple[float, float] | None = None) -> compare.Comparison:
    """Runs of a sampler called "rand" that ended with these values."""
    bounds = None if interval is None else lowshot.Interval(*interval)
    reach = lowshot.Reach(10, 10)
    return compare.Comparison(
        "rand", truth, tuple(lowshot.Estimate("f1", value, None, bounds, 10, reach) for value in values)
    )


def plain_loop(task: data.Task, sampler: str, labels: int, seed: int) -> lowshot.Estimate:
    """The loop of the documentation."""
    evaluation = lowshot.Evaluation(task.pool, metric="f1", sampler=sampler, seed=seed)
    while evaluation.labels < labels and (items := evaluation.ask(labels - evaluation.labels)):
        evaluation.tell(items, [int(task.labels[item]) for item in items])
    return evaluation.estimate()


def assert_not_blank(path: Path) -> None:
    pixels = module("matplotlib.image").imread(path)[..., :3]
    assert pixels.shape[0] >= 600
    assert pixels.std() > 0.05
    assert len(np.unique((pixels * 255).astype(int).reshape(-1, 3), axis=0)) > 50


def ascii_console() -> Console:
    class Ascii(Console):
        encoding = "ascii"

    return Ascii(file=io.StringIO(), record=True, width=80)


class TestRun:
    @pytest.mark.parametrize("sampler", ["acis", "sawade", "topk", "rand", "iso"])
    @pytest.mark.parametrize("labels", [7, 50, 100])
    def test_checkpoints_change_nothing(self, task: data.Task, sampler: str, labels: int) -> None:
        expected = plain_loop(task, sampler, labels, seed=3)
        *_, last = run.rows(task, sampler, labels, seed=3)
        assert last.labels == labels
        assert str(last.estimate) == str(expected)
        assert str(run.finish(task, sampler, labels, seed=3)) == str(expected)

    def test_rows_count_labels_and_positives(self, task: data.Task) -> None:
        rows = list(run.rows(task, "topk", labels=100, seed=0))
        best = np.argsort(-task.pool.scores, kind="stable")
        assert [row.labels for row in rows] == list(range(10, 101, 10))
        assert [row.positives for row in rows] == [int(task.labels[best[: row.labels]].sum()) for row in rows]

    def test_stops_when_nothing_is_left(self) -> None:
        pool = lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5)
        small = data.Task(pool, np.array([True, False, True, False]), 7)
        *_, last = run.rows(small, "acis", labels=4, seed=0)
        assert last.estimate.value == small.truth() == 0.5

    @pytest.mark.parametrize("labels", [0, 54_864])
    def test_labels_out_of_range(self, task: data.Task, labels: int) -> None:
        with pytest.raises(lowshot.InputError, match=f"labels must be .*: got {labels}"):
            run.rows(task, "acis", labels, seed=0)


class TestCompare:
    def test_typical_error(self) -> None:
        assert comparison(0.5, [0.4, 0.8]).typical_error == pytest.approx(math.sqrt((0.1**2 + 0.3**2) / 2))

    def test_no_answer_counts_as_zero(self) -> None:
        one = comparison(0.5, [math.nan, 0.5])
        assert one.undefined == 1
        assert one.typical_error == pytest.approx(math.sqrt(0.5**2 / 2))

    def test_seeds_differ_and_top_k_runs_once(self, task: data.Task) -> None:
        found = compare.compare(task, ["acis", "topk"], labels=20, runs=3, seed=5)
        assert [one.runs for one in found] == [3, 1]
        expected = [plain_loop(task, "acis", 20, seed).value for seed in (5, 6, 7)]
        assert found[0].values.tolist() == expected
        assert len(set(expected)) > 1

    @pytest.mark.parametrize("sampler", ["topk", "gmm", "herding"])
    def test_the_deterministic_ones_are(self, sampler: str) -> None:
        rng = np.random.default_rng(0)
        scores = rng.random(200)
        pool = lowshot.Pool(scores, threshold=0.8, scale="probability", features=scores[:, None])
        task = data.Task(pool, rng.random(200) < scores, 7)
        ends = {str(run.finish(task, sampler, 30, seed)) for seed in range(5)}
        assert len(ends) == 1

    def test_intervals(self) -> None:
        one = comparison(0.5, [0.4, 0.6], (0.3, 0.55))
        assert (one.inside, one.width) == (2, pytest.approx(0.25))
        none = comparison(0.5, [0.4])
        assert (none.inside, none.width) == (None, None)


class TestWords:
    def test_introduction(self, task: data.Task) -> None:
        text = words.introduction(task)
        assert "54,863 pictures" in text
        assert "55 of them are positive: one in 1,000" in text
        assert "simulated" in text

    def test_verdict(self, outcome: Outcome) -> None:
        assert str(outcome.estimate) in words.verdict(outcome)
        assert "f1 = 0.177, from all 54,863 labels: inside the interval" in words.verdict(outcome)

    def test_a_missed_truth_is_said(self, outcome: Outcome) -> None:
        interval = lowshot.Interval(0.5, 0.6)
        last = replace(outcome.rows[-1], estimate=replace(outcome.estimate, interval=interval))
        wrong = replace(outcome, rows=[last])
        assert "OUTSIDE" in words.verdict(wrong)
        assert any("outside the interval" in note for note in words.notes(wrong))

    def test_a_better_sampler_is_said(self, outcome: Outcome) -> None:
        acis = comparison(0.5, [0.3])
        acis = replace(acis, sampler="acis")
        worse = replace(outcome, comparisons=[acis, comparison(0.5, [0.1])])
        assert words.better(worse) == ""
        beaten = replace(outcome, comparisons=[acis, comparison(0.5, [0.4])])
        assert words.better(beaten) == "ACIS is not the best here: RAND is closer to the truth."

    def test_narrow_intervals_are_said(self) -> None:
        assert "contain the truth in only 0 of 3 runs" in words.too_narrow(comparison(0.5, [0.1] * 3, (0.0, 0.2)))
        assert words.too_narrow(comparison(0.5, [0.4] * 3, (0.3, 0.6))) == ""
        assert words.too_narrow(comparison(0.5, [0.4])) == ""

    def test_runs_without_an_answer_are_said(self) -> None:
        assert "no estimate in 1 of 2 runs" in words.no_answer(comparison(0.5, [math.nan, 0.2]))

    def test_the_hint_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        exec(words.HINT, {"scores": np.linspace(0, 1, 300), "labels": [1] * 10})
        assert capsys.readouterr().out.startswith("f1 = ")


class TestShow:
    def test_ascii_where_nothing_else_can_be_shown(self, outcome: Outcome) -> None:
        console = ascii_console()
        console.print(show.rounds(console, outcome.rows, outcome.task))
        console.print(show.comparison(outcome))
        assert console.export_text().isascii()

    def test_an_undefined_estimate_has_a_dash(self) -> None:
        estimate = comparison(0.5, [math.nan]).estimates[0]
        assert show.numbers(estimate) == ("-", "-")
        assert show.scale(estimate, None).strip() == ""

    def test_live_on_a_terminal(
        self, task: data.Task, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(show, "PAUSE", 0)
        console = Console(force_terminal=True, width=80)
        seen = show.watch(console, task, run.rows(task, "acis", 30, 0), 30)
        assert [row.labels for row in seen] == [10, 20, 30]
        assert "labelling" in capsys.readouterr().out


class TestOutcome:
    def test_plain_data_is_strict_json(self, outcome: Outcome) -> None:
        found = json.loads(json.dumps(outcome.plain(), allow_nan=False))
        assert found["truth"] == outcome.task.truth()
        assert [one["sampler"] for one in found["comparison"]] == ["curve", "acis", "sawade", "topk", "rand"]
        assert found["comparison"][1]["times_acis"] == 1

    def test_undefined_is_null(self, outcome: Outcome, task: data.Task) -> None:
        rand = replace(outcome, rows=list(run.rows(task, "rand", labels=10, seed=0)))
        assert rand.plain()["estimate"]["value"] is None
        json.dumps(rand.plain(), allow_nan=False)

    def test_needs_a_row(self, outcome: Outcome) -> None:
        with pytest.raises(lowshot.InputError, match="asked for none"):
            replace(outcome, rows=[])


class TestPicture:
    def test_it_is_not_blank(self, outcome: Outcome, tmp_path: Path) -> None:
        module("matplotlib")
        picture.save(outcome, tmp_path / "demo.png")
        assert_not_blank(tmp_path / "demo.png")

    def test_estimate_and_truth_are_in_it(self, outcome: Outcome) -> None:
        module("matplotlib")
        left = picture.draw(outcome).axes[0]
        points, truth = left.get_lines()
        assert points.get_xdata().tolist() == [10, 20, 30]
        assert points.get_ydata().tolist() == [row.estimate.value for row in outcome.rows]
        assert set(truth.get_ydata()) == {outcome.task.truth()}

    def test_without_any_estimate(self, outcome: Outcome, task: data.Task, tmp_path: Path) -> None:
        module("matplotlib")
        rows = list(run.rows(task, "rand", labels=10, seed=0))
        picture.save(replace(outcome, sampler="rand", rows=rows), tmp_path / "demo.svg")
        assert (tmp_path / "demo.svg").read_text().startswith("<?xml")

    def test_missing_matplotlib(self, outcome: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(lowshot.MissingExtra, match=r"no picture: pip install 'lowshot\[plots\]'"):
            picture.save(outcome, tmp_path / "demo.png")

    def test_bad_paths(self, tmp_path: Path) -> None:
        with pytest.raises(lowshot.InputError, match=r"must end in \.png, \.pdf or \.svg: got 'demo.jpg'"):
            picture.check(Path("demo.jpg"))
        with pytest.raises(lowshot.InputError, match="must be in a folder that exists"):
            picture.check(tmp_path / "nowhere" / "demo.png")
        (tmp_path / "folder.png").mkdir()
        with pytest.raises(lowshot.InputError, match="must be a file: got the folder"):
            picture.check(tmp_path / "folder.png")

    def test_unwritable(self, outcome: Outcome) -> None:
        module("matplotlib")
        with pytest.raises(lowshot.InputError, match="must be a file that can be written"):
            picture.save(outcome, Path("/dev/null/demo.png"))
