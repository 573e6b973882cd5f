"""The tables about several models: every number equals one that is computed by hand here."""

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowshot.sampler.curve import ENDS
from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.several import best_report, disagree_report, helpers_report, pairs_report, transfer_report
from lowshot_bench.several.answers import Answer, difference
from lowshot_bench.several.bar import MET, MISSED, OPEN, Goal, Line, Number, Worst, share_at_least
from lowshot_bench.several.helpers import MISSING, helper_scores
from lowshot_bench.several.pairs import LOOKS
from lowshot_bench.several.report import section
from lowshot_bench.several.sample import AGAIN, Sample, number, over_groups
from lowshot_bench.zoo_summary import Runs, runs_of

from ..helpers import good, refused

IMAGES, ZOO = "simclr byol/class 2/all", "cover/lr rf/half"


def row(task: str, method: str, labels: int, value: float, truth: float, **more: Any) -> rows.Row:
    """A row whose interval reaches 0.1 to both sides."""
    family = "images" if task.startswith("simclr") else "tabular"
    ends = {"low": value - 0.1, "high": value + 0.1}
    plain = rows.Row(family, 0, method, "difference", 0, labels, value, None, None, None, truth, 0.0, task, False)
    return plain._replace(**{**ends, **more})


def runs(found: list[rows.Row], target: str = "difference") -> Runs:
    return runs_of(rows.table_of(found), target)


def lines(kind: str, found: list[rows.Row]) -> dict[str, list[str]]:
    """The cells of each line of the bar, by the first one, without standard errors."""
    reports = [pairs_report, helpers_report, transfer_report, best_report, disagree_report]
    report = dict(zip(experiments.SEVERAL, reports, strict=True))[kind]
    shown = [line.cells() for line in report.tables(experiments.find(kind), rows.table_of(found))[0]]
    return {cells[0]: [cell.split(" ±")[0] for cell in cells[1:]] for cells in shown}


# ---- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probability", "truth", "is_sure", "is_wrong"),
    [
        (0.96, 0.1, True, False),
        (0.04, 0.1, True, True),
        (0.96, -0.1, True, True),
        (0.04, -0.1, True, False),
        (0.95, -0.1, False, False),
        (0.05, 0.1, False, False),
        (0.99, 0.0, True, False),  # equal models: no verdict is wrong
    ],
)
def test_sure_and_wrong(probability: float, truth: float, is_sure: bool, is_wrong: bool) -> None:
    found = runs([row(ZOO, "pair", 70, 0.2, truth, probability=probability)])
    assert pairs_report.sure(found).tolist() == [is_sure]
    assert pairs_report.wrong(found).tolist() == [is_wrong]


def test_the_larger_estimate_of_the_better_model() -> None:
    found = runs([row(ZOO, "pair", 70, value, truth) for value, truth in ((0.2, 0.1), (-0.2, 0.1), (-0.2, 0.0))])
    assert pairs_report.won(found).tolist() == [True, False, True]


def test_looks_are_at_the_ends_of_rounds() -> None:
    assert LOOKS == (10, 20, 35, 60, 100, 165, 270, 430)
    assert ENDS[: len(LOOKS)] == LOOKS


def test_the_first_sure_look_is_after_a_round() -> None:
    """30 is not the end of a round. The first run is sure at 60, the second at 20 (wrongly), the third never."""
    chances = {0: {10: 0.9, 30: 0.99, 35: 0.9, 60: 0.98, 100: 0.01}, 1: {20: 0.01, 35: 0.99}, 2: {20: 0.5, 35: 0.6}}
    found = runs(
        [
            row(ZOO, "pair", labels, 0.2, 0.1, repetition=repetition, probability=chance)
            for repetition, looks in chances.items()
            for labels, chance in reversed(looks.items())
        ]
    )
    stopped = pairs_report.first_sure(found)
    assert list(zip(stopped.repetition.tolist(), stopped.labels.tolist(), strict=True)) == [(0, 60), (1, 20)]
    assert pairs_report.wrong(stopped).tolist() == [False, True]


# ---- a difference from two separate answers --------------------------------------------------------------------------


def test_a_difference_combines_the_halves_of_two_intervals_in_quadrature() -> None:
    one, two = Answer("baseline", 70, 0.5, 0.1, 0.6, 0.5), Answer("candidate", 70, 0.7, 0.4, 0.75, 0.8)
    found = difference("difference", one, two)
    assert found.value == pytest.approx(0.2)
    assert found.low == pytest.approx(0.2 - math.hypot(0.7 - 0.4, 0.6 - 0.5))
    assert found.high == pytest.approx(0.2 + math.hypot(0.75 - 0.7, 0.5 - 0.1))
    assert found.truth == pytest.approx(0.3)
    swapped = difference("difference", two, one)
    assert (swapped.low, swapped.high) == (pytest.approx(-found.high), pytest.approx(-found.low))
    assert found.probability is not None
    assert swapped.probability == pytest.approx(1 - found.probability)


def test_two_exact_answers_leave_no_doubt() -> None:
    one, two = (Answer("x", 70, value, value, value, value) for value in (0.5, 0.7))
    assert difference("difference", one, two).probability == 1
    assert difference("difference", two, one).probability == 0
    assert difference("difference", one, one).probability == 0.5


# ---- means and standard errors ---------------------------------------------------------------------------------------


def test_every_group_counts_alike() -> None:
    """Group a has a task with two runs and a task with one, group b one task: ((1 + 0) / 2 + 1) / 2 + 0, halved."""
    values = [("a/x/y", 0, 1.0), ("a/x/y", 1, 0.0), ("a/z/y", 0, 1.0), ("b/x/y", 0, 0.0)]
    found = runs([row(task, "pair", 70, value, 0.0, repetition=number) for task, number, value in values])
    sample = Sample(found)
    means = sample.mean(found, found.value)
    assert (sample.groups, means[0].tolist()) == (["a", "b"], [0.75, 0.0])
    assert over_groups(means, np.array([True, True]))[0] == 0.375
    assert number(means[:, 1]).error == 0, "one run cannot be drawn again in another way"


@pytest.mark.parametrize("tasks", [3, 30])
def test_the_standard_error_is_that_of_the_mean_over_tasks(tasks: int) -> None:
    """AGAIN draws give it to 1 / sqrt(2 AGAIN)."""
    values = np.random.default_rng(3).normal(size=tasks)
    found = runs([row(f"a/{k}/y", "pair", 70, float(value), 0.0) for k, value in enumerate(values)])
    sample = Sample(found)
    expected = values.std(ddof=1) / math.sqrt(tasks)
    assert sample.average(sample.mean(found, found.value))["zoo"].error == pytest.approx(
        expected, rel=4 / math.sqrt(2 * AGAIN)
    )


def test_the_runs_of_an_only_task_are_drawn_again() -> None:
    values = np.random.default_rng(4).normal(size=40)
    found = runs([row(ZOO, "pair", 70, float(value), 0.0, repetition=k) for k, value in enumerate(values)])
    error = Sample(found).average(Sample(found).mean(found, found.value))["together"].error
    assert error == pytest.approx(values.std(ddof=1) / math.sqrt(40), rel=4 / math.sqrt(2 * AGAIN))


def test_goals_and_verdicts() -> None:
    numbers = {"together": Number(0.66, 0.01), "images": Number(0.45, 0.02)}
    goals = {"together": share_at_least(0.65), "images": share_at_least(0.48)}
    assert Line("sure", numbers, goals, True).cells() == [
        "sure",
        "at least 65 %; images at least 48 %",
        "66.0 % ± 1.0 %",
        "45.0 % ± 2.0 %",
        "-",
        OPEN,
    ]
    assert Line("sure", numbers, {"images": share_at_least(0.5)}).verdict() == MISSED
    assert Line("sure", numbers, {"together": share_at_least(0.65), "zoo": share_at_least(1.0)}).verdict() == MET
    assert Line("sure", numbers).verdict() == "-"


def test_the_worst_group_is_shown_and_all_that_miss_the_goal_are_named() -> None:
    groups = {"a": Number(1.5, 0.4), "b": Number(1.3, 0.1), "c": Number(0.9, 0.1), "d": Number(math.nan, math.nan)}
    shown = Worst("ratio", groups, Goal(1.05)).cells()
    assert shown == ["ratio", "at most 1.05", "a 1.500 ± 0.400", "", "", "missed: b"]
    assert Worst("ratio", {"a": groups["a"]}, Goal(1.05)).cells()[-1] == OPEN
    assert Worst("coverage", groups, Goal(0.8, least=True)).cells()[2] == "c 0.900 ± 0.100"


# ---- the bar ---------------------------------------------------------------------------------------------------------


def pair_rows() -> list[rows.Row]:
    """At 70 labels: the images are sure and right, the zoo is sure and wrong in one of two tasks."""
    other = "cover/lr nb/half"
    found = [
        row(IMAGES, "pair", 70, 0.2, 0.15, probability=0.99),
        row(ZOO, "pair", 70, 0.2, -0.1, probability=0.97),
        row(other, "pair", 70, 0.2, 0.25, probability=0.6),
        row(IMAGES, "pair", 10, 0.2, 0.15, probability=0.7),
        row(IMAGES, "pair", 35, 0.2, 0.15, probability=0.98),
        row(ZOO, "pair", 10, 0.2, -0.1, probability=0.99),
        row(other, "pair", 10, 0.2, 0.25, probability=0.5),
    ]
    tasks = (IMAGES, ZOO, other)
    found += [row(task, "own", 70, 0.2, 0.1, low=0.0, high=0.8) for task in tasks]
    errors = {"each": 0.1, "first": 0.2, "own": 0.3}
    for method, error in errors.items():
        for target in ("baseline", "candidate"):
            found += [row(task, method, 70, 0.5 + error, 0.5, target=target) for task in tasks]
    return found


def test_the_bar_of_pairs() -> None:
    found = lines("pairs", pair_rows())
    assert found["pair: sure at 70 labels"][:4] == [
        "at least 65 %; images at least 48 %",
        "75.0 %",  # (1 + 1 / 2) / 2
        "100.0 %",
        "50.0 %",
    ]
    assert found["pair: wrong among the sure at 70"][1:4] == ["33.3 %", "0.0 %", "100.0 %"]  # (0 + 1 / 2) / (1 + 1 / 2)
    assert found["pair: wrong among the sure at 70, worst group"][1] == "cover 100.0 %"
    assert found["pair: larger estimate of the better model at 70"][1] == "75.0 %"
    assert found["pair: wrong at the first sure look after a round"][1:4] == ["50.0 %", "0.0 %", "100.0 %"]
    assert found["pair: runs with a sure look up to 430 labels"][1:4] == ["75.0 %", "100.0 %", "50.0 %"]
    assert found["pair: labels at the first sure look"][1:4] == ["22.500", "35.000", "10.000"]
    assert found["pair: coverage of the difference at 70"][1:4] == ["75.0 %", "100.0 %", "50.0 %"]
    assert found["pair: coverage of the difference at 70, worst group"][1] == "cover 50.0 %"
    assert found["pair: width / width of own at 70"][1] == "0.250"  # 0.2 / 0.8
    root = math.sqrt((0.05**2 + (0.3**2 + 0.05**2) / 2) / 2)
    assert found["pair: root mean squared error of the difference at 70"][1] == f"{root:.3f}"
    assert found["each: squared error of both F1 / better of first and own at 70"][1] == "0.250"  # 0.01 / 0.04
    assert found["each: coverage of both F1 at 70"][1] == "100.0 %"


def test_the_bar_of_helpers() -> None:
    """Errors of 0.2 without a helper; 0.1 with one, and 0.4 with a weak one. Useless tasks are apart."""
    useless = {"family": "useless tabular", "target": "own"}
    found = [row(task, "none", 70, 0.7, 0.5, target="own") for task in (IMAGES, ZOO)]
    found += [row(IMAGES, "helper", 70, 0.6, 0.5, target="own"), row(ZOO, "helper", 70, 0.7, 0.5, target="own")]
    found += [row(ZOO, "none", 70, 0.7, 0.5, **useless), row(ZOO, "weak", 70, 0.9, 0.5, **useless)]
    shown = lines("helpers", found)
    assert shown["helper: squared error / none at 70 labels"][1:4] == ["0.500", "0.250", "1.000"]  # geometric mean
    assert shown["helper: the same, worst group"][1] == "cover 1.000"
    assert shown["useless, weak: squared error / none, mean over 70"][1:4] == ["4.000", "-", "4.000"]
    assert shown["coverage of none minus that of helper"][1] == "-50.0 %"  # the interval of an error of 0.1 holds


def test_the_bar_of_transfer() -> None:
    found = [row(IMAGES, "own", 150, 0.6, 0.5, target="candidate"), row(ZOO, "own", 150, 0.6, 0.5, target="candidate")]
    found += [row(IMAGES, "with_model", 150, 0.7, 0.5, target="candidate")]
    found += [row(ZOO, "with_model", 150, 1.3, 0.5, target="candidate")]
    for method, value in (("first", 0.6), ("with_model", 0.55)):
        found += [row(task, method, 150, value, 0.5, target="baseline") for task in (IMAGES, ZOO)]
    shown = lines("transfer", found)
    assert shown["with_model: root mean squared error / own set at 150 labels"][1:4] == ["4.000", "2.000", "8.000"]
    assert shown["with_model: the same, worst group"][1] == "cover 8.000"
    assert shown["with_model: coverage at 150"][1] == "0.0 %"
    assert shown["first model: root mean squared error after / before at 150"][1] == "0.500"


def test_the_bar_of_best() -> None:
    """The value is the F1 of the chosen candidate, the truth that of the best one."""

    def chosen(task: str, method: str, value: float, target: str = "choice") -> rows.Row:
        return row(task, method, 50, value, 0.8, target=target, low=None, high=None)

    found = [chosen(task, "best", 0.8) for task in (IMAGES, ZOO)]
    found += [chosen(IMAGES, "coda", 0.6), chosen(ZOO, "coda", 0.8), chosen(IMAGES, "uniform", 0.5)]
    found += [chosen(ZOO, "uniform", 0.7), chosen(IMAGES, "coda", 0.8, "by accuracy")]
    shown = lines("best", found)
    assert shown["best: right at 50 labels"][1] == "100.0 %"
    assert shown["coda: right at 50 labels"][1:4] == ["50.0 %", "0.0 %", "100.0 %"]
    assert shown["coda by accuracy: right at 50 labels"][1:4] == ["100.0 %", "100.0 %", "-"]
    assert shown["coda: loss at 50 labels"][1] == "0.100"
    assert shown["uniform: loss at 50 labels"][1] == "0.200"
    assert shown["best behind coda: right at 50"] == ["at most 0 %", "-50.0 %", "-100.0 %", "0.0 %", MET]
    assert shown["best behind coda: loss at 50"][1] == "-0.100"
    assert shown["best behind coda: loss at 50, worst group"][1] == "cover 0.000"


def test_the_bar_of_models_that_disagree() -> None:
    """Two runs of each kind: errors of 0.05 and 0.15 with `pair`, of 0.05 with `each` and of 0.1 alone."""
    found = []
    for name, run in product(("independent 0", "independent 0.5", "frauds"), range(2)):
        task, errors = f"{name}/run {run}/all", {"pair": 0.05 + 0.1 * run, "each": 0.05, "alone": 0.1}
        for (method, error), target in product(errors.items(), ("baseline", "candidate", "difference")):
            found.append(row(task, method, 70, 0.5 + error, 0.5, target=target))
    shown = lines("disagree", found)
    cell = shown["independent 0.5, pair: F1 of each covered at 70"]
    root = math.sqrt((0.05**2 + 0.15**2) / 2)
    assert cell[:2] == ["at least 92 %", "50.0 %"]
    assert shown["independent: F1 of each covered, mean"][1] == "75.0 %"
    worst = "independent: F1 of each, mean width / root mean squared error, largest"
    assert shown[worst][:2] == ["at most 5.5", "independent 0 each 70 4.000"]  # 0.2 / 0.05
    assert shown["independent 0, each: root mean squared error / one model alone at 70"][1] == "0.500"
    assert shown["independent, each: root mean squared error / one model alone, mean"][1] == "0.500"
    assert shown["frauds, pair: difference covered at 70"][1] == "50.0 %"
    beside = [line.cells()[2] for line in disagree_report.tables(experiments.find("disagree"), rows.table_of(found))[0]]
    assert beside[0].endswith(f"(width 0.200, error {root:.3f})")


def test_false_verdicts_between_models_of_the_same_f1() -> None:
    """Of four runs one is wrong at 20 only, one at 165 only, one at 150, which is no end of a round, and one never."""
    chosen = dict(enumerate((20, 165, 150, None)))
    found = [
        row(f"flags/run {run}/all", "pair", labels, 0.2 if labels == wrong else 0.0, 0.0)
        for run, wrong in chosen.items()
        for labels in sorted({*LOOKS, *disagree_report.VERDICTS})
    ]
    found.append(row("grades/run 0/all", "pair", 20, -0.2, 0.0))
    shown = lines("disagree", found)
    of_flags = {what.removeprefix("flags: false verdict "): cells for what, cells in shown.items() if "flags:" in what}
    assert [of_flags[f"at {labels}"][1] for labels in disagree_report.VERDICTS] == ["25.0 %", *["0.0 %"] * 3, "25.0 %"]
    assert of_flags["at 20"][0] == "at most 5 %"
    assert shown["flags: false verdict, mean"][1] == "10.0 %"
    assert of_flags["at any of 20, 35, 60, 100, 150"][:2] == ["at most 8 %", "50.0 %"]
    assert of_flags["at the first verdict after a round, up to 430"][:2] == ["at most 10 %", "50.0 %"]
    assert shown["grades: false verdict at 20"][1] == "100.0 %"
    assert shown["flags and grades: false verdict at 20"][1] == "62.5 %"  # both kinds count alike


def test_the_report_of_a_folder(tmp_path: Path) -> None:
    rows.write(tmp_path / "pairs.parquet", pair_rows())
    shown = good("bench", "report", str(tmp_path), "--models").output
    assert shown.startswith("## Two models, one set of labels")
    assert "| pair: sure at 70 labels | at least 65 %; images at least 48 % | 75.0 %" in shown
    assert "| cover (2, 2) | 50 %; 50 %; 50 %; 0.200; 0.800 |" in shown
    assert section(experiments.find("pairs"), rows.read([tmp_path / "pairs.parquet"]), "x").splitlines()[0] in shown
    good("bench", "pack", str(tmp_path), "--to", str(tmp_path / "small"))
    assert (
        "| pair: sure at 70 labels | at least 65 %; images at least 48 % | 75.0 %"
        in good("bench", "report", str(tmp_path / "small"), "--models").output
    )


def test_a_folder_without_several_models_is_refused(tmp_path: Path) -> None:
    rows.write(tmp_path / "zoo.parquet", [row(ZOO, "curve", 70, 0.2, 0.1)])
    refused(
        "--models needs rows of pairs, helpers, transfer, best, disagree", "bench", "report", str(tmp_path), "--models"
    )


# ---- helpers ---------------------------------------------------------------------------------------------------------


def test_helpers_are_what_they_are_called() -> None:
    random = np.random.default_rng(0)
    judged, other = random.normal(size=(2, 2_000))
    made = {
        kind: helper_scores(kind, judged, other, 7)
        for kind in ("helper", "weak", "missing", "random", "constant", "reversed", "noisy")
    }
    assert made["helper"] is other
    assert made["weak"] is other
    np.testing.assert_array_equal(made["reversed"], -judged)
    assert set(made["constant"]) == {0}
    there = ~np.isnan(made["missing"])
    np.testing.assert_array_equal(made["missing"][there], other[there])
    share = math.sqrt(MISSING * (1 - MISSING) / len(other))
    assert abs((1 - there.mean()) - MISSING) < 4 * share
    # A score and itself plus as much noise have the correlation r = sqrt(1 / 2), known to about (1 - r^2) / sqrt(n).
    assert np.corrcoef(made["noisy"], judged)[0, 1] == pytest.approx(math.sqrt(0.5), abs=4 * 0.5 / math.sqrt(2_000))
    assert abs(np.corrcoef(made["random"], judged)[0, 1]) < 4 / math.sqrt(2_000)
    np.testing.assert_array_equal(made["random"], helper_scores("random", judged, other, 7))
    assert (made["random"] != helper_scores("random", judged, other, 8)).all()
