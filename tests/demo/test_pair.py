"""The demo with two models: its data, its runs, its words and its picture."""

import io
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import lowshot
from lowshot import Comparison, Interval
from lowshot.demo import data, show
from lowshot.demo.pair import outcome as outcomes
from lowshot.demo.pair import picture, run, words
from lowshot.demo.pair import show as pair_show
from lowshot.demo.pair.outcome import Count, Outcome, Summary
from lowshot.demo.pair.run import Row, Trial

from ..needed import module
from .drawn import assert_not_blank


@pytest.fixture(scope="module")
def pair() -> data.Pair:
    return data.load_pair()


@pytest.fixture(scope="module")
def outcome(pair: data.Pair) -> Outcome:
    """One comparison with 20 labels, and one run on each of two classes."""
    done = [(one, run.trial(one, 20, seed=0)) for one in (pair, data.load_pair(109))]
    return Outcome(pair, 0, 20, list(run.rows(pair, labels=20, seed=0)), outcomes.summaries(done))


def ended(value: float, low: float, high: float, labels: int = 30) -> Comparison:
    """A comparison that ended with this difference and interval."""
    return Comparison("v1", "v2", "f1", value, Interval(low, high), 0.5, 0.0, labels)


BETTER, WORSE, OPEN = ended(0.1, 0.05, 0.15), ended(-0.1, -0.2, -0.05), ended(0.02, -0.1, 0.1)


def trials(found: Sequence[Comparison], own: Comparison = OPEN) -> list[Trial]:
    return [Trial(one, own, BETTER) for one in found]


def with_rows(outcome: Outcome, *found: Comparison) -> Outcome:
    """The outcome as if these comparisons had been seen after 10, 20, ... labels."""
    return replace(outcome, rows=[Row(1, 10 * (place + 1), one) for place, one in enumerate(found)])


class TestData:
    @pytest.mark.parametrize("category", data.CATEGORIES)
    def test_both_models_have_the_same_items_and_labels(self, category: int) -> None:
        one, two = (data.read(category, model) for model in data.FILES)
        assert np.array_equal(one.labels, two.labels)
        assert not np.array_equal(one.predictions, two.predictions)
        pair = data.load_pair(category)
        assert np.array_equal(pair.baseline.labels, pair.candidate.labels)
        assert len(pair.pool) == len(pair.baseline.pool) == len(data.load(category).pool)

    def test_the_candidate_is_the_model_of_the_other_demo(self, pair: data.Pair) -> None:
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
        assert outcomes.exact(pair).verdict == ("better" if two > one else "worse")

    def test_unknown_model(self) -> None:
        with pytest.raises(lowshot.InputError, match="model must be one of v1, v2: got 'v3'"):
            data.read(7, "v3")


class TestRun:
    def test_rows_are_those_of_the_loop_in_the_documentation(self, pair: data.Pair) -> None:
        evaluation = lowshot.Evaluation(pair.pool, goal=("v1", "v2"), seed=3)
        while evaluation.labels < 35 and (items := evaluation.ask(35 - evaluation.labels)):
            evaluation.tell(items, [int(pair.candidate.labels[item]) for item in items])
        *_, last = run.rows(pair, labels=35, seed=3)
        assert last.labels == 35
        assert last.comparison == evaluation.compare("v1", "v2")

    def test_a_run_stops_at_the_first_verdict_after_a_round(self, pair: data.Pair) -> None:
        easy = data.load_pair(109)
        evaluation = lowshot.Evaluation(easy.pool, goal=("v1", "v2"), seed=0)
        while not evaluation.stop_when(verdict=True):
            items = evaluation.ask(100)
            evaluation.tell(items, easy.answer(items))
        found = run.until_verdict(easy, labels=500, seed=0)
        assert found == evaluation.compare("v1", "v2")
        assert found.labels < 500
        assert run.until_verdict(pair, labels=5, seed=0).labels == 5, "all labels are bought if there is no verdict"

    def test_own_shares_the_labels_between_the_models(self, pair: data.Pair) -> None:
        first, second = run.own(pair, [15, 31], seed=2)
        assert (first.labels, second.labels) == (15, 31)
        values = []
        for task, labels in ((pair.baseline, 16), (pair.candidate, 15)):
            evaluation = lowshot.Evaluation(task.pool, seed=2)
            while evaluation.labels < labels:
                items = evaluation.ask(labels - evaluation.labels)
                evaluation.tell(items, task.answer(items))
            values.append(evaluation.estimate())
        assert second == run.difference(*values)
        assert second.value == pytest.approx(values[1].value - values[0].value)

    def test_the_difference_of_independent_estimates_of_equal_width(self) -> None:
        one, two = (
            lowshot.Estimate("f1", value, None, Interval(value - 0.03, value + 0.03), 10, lowshot.Reach(9, 9))
            for value in (0.4, 0.5)
        )
        found = run.difference(one, two)
        assert found.interval is not None
        assert found.interval.low == pytest.approx(0.1 - math.sqrt(2) * 0.03)
        assert found.interval.high == pytest.approx(0.1 + math.sqrt(2) * 0.03)
        assert (found.verdict, run.difference(two, one).verdict) == ("better", "worse")

    def test_without_an_interval_there_is_no_verdict(self) -> None:
        one = lowshot.Estimate("f1", math.nan, None, None, 0, lowshot.Reach(9, 9))
        assert run.difference(one, one).verdict == "undecided"

    def test_every_category_has_its_runs(self) -> None:
        found = outcomes.summaries(run.trials(labels=1, runs=2, seed=2**64 - 1))
        assert [one.pair.category for one in found] == list(data.CATEGORIES)
        assert [len(one.trials) for one in found] == [2] * len(data.CATEGORIES)

    @pytest.mark.parametrize("labels", [0, 54_864])
    def test_labels_out_of_range(self, pair: data.Pair, labels: int) -> None:
        with pytest.raises(lowshot.InputError, match=f"labels must be .*: got {labels}"):
            run.rows(pair, labels, seed=0)

    def test_another_sampler(self, pair: data.Pair) -> None:
        with pytest.raises(lowshot.InputError, match="sampler must be 'curve'"):
            run.rows(pair, 10, 0, "acis")


class TestOutcome:
    def test_verdicts_are_counted_against_the_truth(self, pair: data.Pair) -> None:
        found = [BETTER, BETTER, WORSE, OPEN]
        assert outcomes.count(found, BETTER) == Count(2, 1, 1)
        assert outcomes.count(found, WORSE) == Count(1, 2, 1)
        one = Summary(pair, outcomes.exact(pair), trials(found, own=WORSE))
        assert one.counts() == {"pair": Count(2, 1, 1), "own": Count(0, 4, 0), "own_all": Count(4, 0, 0)}

    def test_labels_are_the_median_and_widths_the_mean(self, pair: data.Pair) -> None:
        found = [replace(OPEN, labels=number) for number in (10, 20, 100)]
        assert Summary(pair, BETTER, trials(found)).labels == 20
        assert outcomes.mean_width([BETTER, OPEN, replace(OPEN, interval=None)]) == pytest.approx(0.15)
        assert outcomes.mean_width([replace(OPEN, interval=None)]) is None

    def test_totals_are_over_all_classes(self, outcome: Outcome, pair: data.Pair) -> None:
        two = [Summary(pair, BETTER, trials([BETTER, OPEN])), Summary(pair, WORSE, trials([BETTER, WORSE]))]
        assert replace(outcome, summaries=two).total("pair") == Count(2, 1, 1)

    def test_the_first_verdict(self, outcome: Outcome) -> None:
        first = with_rows(outcome, OPEN, BETTER, WORSE).first
        assert first is not None
        assert first.labels == 20
        assert with_rows(outcome, OPEN).first is None

    def test_right(self, outcome: Outcome) -> None:
        assert [with_rows(outcome, one).right for one in (BETTER, WORSE, OPEN)] == [True, False, None]

    def test_plain_data_is_strict_json(self, outcome: Outcome) -> None:
        found = json.loads(json.dumps(outcome.plain(), allow_nan=False))
        assert found["truth"]["value"] == outcome.pair.difference == found["truth"]["v2"] - found["truth"]["v1"]
        assert found["comparison"] == outcome.comparison.to_dict()
        assert [one["category"] for one in found["categories"]] == [7, 109]
        assert sum(found["categories"][0]["own"].values()) == found["categories"][0]["runs"] == 1
        undefined = replace(OPEN, value=math.nan, interval=None, probability=None)
        json.dumps(with_rows(outcome, undefined).plain(), allow_nan=False)

    def test_needs_a_row(self, outcome: Outcome) -> None:
        with pytest.raises(lowshot.InputError, match="no item is predicted positive"):
            replace(outcome, rows=[])


class TestWords:
    def test_introduction(self, pair: data.Pair) -> None:
        text = words.introduction(pair)
        for part in ("54,863 pictures", "class 7", "50 labels per class", "fine-tuned on 250", "one in 1,000", "323"):
            assert part in text

    @pytest.mark.parametrize(
        ("found", "said"),
        [
            (BETTER, "54,863 labels: the verdict is right"),
            (WORSE, "54,863 labels: the verdict is WRONG"),
            (OPEN, "54,863 labels: v2 is better, but 30 labels do not decide it"),
        ],
    )
    def test_verdict(self, outcome: Outcome, found: Comparison, said: str) -> None:
        text = words.verdict(with_rows(outcome, found))
        assert f"Verdict: {found}\nTruth:   f1 is 0.063 higher (0.177 against 0.114), from all {said}" == text

    def test_a_verdict_that_is_taken_back_is_said(self, outcome: Outcome) -> None:
        assert words.taken_back(with_rows(outcome, OPEN, BETTER)) == ""
        assert words.taken_back(with_rows(outcome, OPEN, OPEN)) == ""
        text = words.taken_back(with_rows(outcome, BETTER, OPEN))
        assert text.startswith("After 10 labels the verdict was 'better'; with all 30 it is 'undecided'.")

    def test_a_missed_truth_is_said(self, outcome: Outcome) -> None:
        assert "outside the interval" in words.missed(with_rows(outcome, WORSE))
        assert words.missed(with_rows(outcome, BETTER)) == "", "0.063 is inside"

    def test_wrong_and_missing_verdicts_are_said(self, outcome: Outcome, pair: data.Pair) -> None:
        one = replace(outcome, summaries=[Summary(pair, BETTER, trials([BETTER, WORSE, OPEN]))])
        notes = words.notes(one)
        assert "Class 7: 1 of 3 verdicts are wrong." in notes
        assert "Undecided after 20 labels: class 7 in 1 of 3 runs." in notes
        assert "3 runs: 1 right, 1 wrong, 1 undecided." in words.conclusion(one)
        good = replace(outcome, summaries=[Summary(pair, BETTER, trials([BETTER]))])
        assert not [note for note in words.notes(good) if "wrong." in note or "Undecided" in note]

    def test_a_truth_that_is_the_same_everywhere_is_said(self, outcome: Outcome, pair: data.Pair) -> None:
        same, other = Summary(pair, BETTER, trials([OPEN])), Summary(pair, WORSE, trials([OPEN]))
        assert "'better' in all of these classes" in words.one_sided(replace(outcome, summaries=[same, same]))
        assert words.one_sided(replace(outcome, summaries=[same, other])) == ""

    def test_the_hint_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        random = np.random.default_rng(0)
        exec(words.HINT, {"old": random.random(300), "new": random.random(300), "labels": [1, 0] * 5})
        assert " v1" in capsys.readouterr().out


class TestShow:
    def test_ascii_where_nothing_else_can_be_shown(self, outcome: Outcome) -> None:
        class Ascii(Console):
            encoding = "ascii"

        console = Ascii(file=io.StringIO(), record=True, width=80)
        console.print(pair_show.rounds(outcome.rows, outcome.truth))
        console.print(pair_show.classes(outcome))
        assert console.export_text().isascii()

    def test_tables_fit_80_columns(self, outcome: Outcome) -> None:
        console = Console(file=io.StringIO(), record=True, width=80)
        pair_show.conclude(console, outcome)
        console.print(pair_show.rounds(outcome.rows, outcome.truth))
        assert "…" not in console.export_text()

    def test_cells(self) -> None:
        assert [str(cell) for cell in pair_show.cells(BETTER)] == ["+0.100", "+0.050 to +0.150", "50 %", "better"]
        undefined = replace(OPEN, value=math.nan, interval=None, probability=None)
        assert [str(cell) for cell in pair_show.cells(undefined)] == ["-", "-", "-", "undecided"]

    def test_a_line_per_class(self, pair: data.Pair) -> None:
        one = Summary(pair, ended(0.063, 0.063, 0.063), trials([BETTER, WORSE, OPEN]))
        expected = ["7", "+0.063", "30", "1", "1", "1", "0.15", "0", "0", "3", "0.20"]
        assert pair_show.summarised(one) == expected

    def test_live_on_a_terminal(
        self, pair: data.Pair, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(show, "PAUSE", 0)
        console = Console(force_terminal=True, width=80)
        seen = pair_show.watch(console, pair, run.rows(pair, 20, 0), 20)
        assert [row.labels for row in seen] == [10, 20]
        assert "labelling" in capsys.readouterr().out


class TestPicture:
    def test_it_is_not_blank(self, outcome: Outcome, tmp_path: Path) -> None:
        module("matplotlib")
        picture.save(outcome, tmp_path / "demo.png")
        assert_not_blank(tmp_path / "demo.png")

    def test_difference_verdicts_and_truth_are_in_it(self, outcome: Outcome) -> None:
        module("matplotlib")
        left, right = picture.draw(with_rows(outcome, OPEN, BETTER, WORSE)).axes
        path, undecided, verdict, mistake, truth, zero = left.get_lines()
        assert path.get_xdata().tolist() == [10, 20, 30]
        assert path.get_ydata().tolist() == [0.02, 0.1, -0.1]
        assert undecided.get_markerfacecolor() == "white"
        assert verdict.get_markerfacecolor() == verdict.get_color()
        assert mistake.get_marker() == "x"
        assert set(truth.get_ydata()) == {outcome.pair.difference}
        assert set(zero.get_ydata()) == {0}
        assert [tick.get_text().split()[0] for tick in right.get_xticklabels()] == ["7", "109"]

    def test_wrong_verdicts_are_in_the_legend(self, outcome: Outcome, pair: data.Pair) -> None:
        module("matplotlib")
        for found, there in ((WORSE, True), (OPEN, False)):
            one = replace(outcome, summaries=[Summary(pair, BETTER, trials([found]))])
            legend = picture.draw(one).axes[1].get_legend_handles_labels()[1]
            assert ("wrong verdict" in legend) is there

    def test_without_any_interval(self, outcome: Outcome, tmp_path: Path) -> None:
        module("matplotlib")
        undefined = replace(OPEN, value=math.nan, interval=None, probability=None)
        picture.save(with_rows(outcome, undefined), tmp_path / "demo.svg")
        assert (tmp_path / "demo.svg").read_text().startswith("<?xml")
