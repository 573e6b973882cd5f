"""The tables of `lowshot bench report --zoo`: every number equals one that is computed by hand here."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowshot.errors import InputError
from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.method_report import method_tables
from lowshot_bench.zoo_report import groups_of, metric_tables, trust, warnings_table
from lowshot_bench.zoo_summary import (
    Mean,
    Runs,
    error_ratio,
    far_off,
    lowest_coverage,
    mean_by_dataset,
    result,
    runs_of,
)

EXPERIMENT = experiments.parse("zoo", "methods = ['curve', 'acis']\nfamilies = [{ family = 'pools' }]")


def row(task: str, value: float | None, low: float | None, high: float | None, truth: float, **more: Any) -> rows.Row:
    """A row of curve at 30 labels of a tabular pool."""
    plain = rows.Row("tabular", 0, "curve", "own", 0, 30, math.nan, None, low, high, truth, 0.0, task, False)
    return plain._replace(**({} if value is None else {"estimate": value}), **more)


# Data set a has a pool with two runs and a pool with one, data set b one pool with one run.
CURVE = [
    row("a/lr/half", 0.5, 0.4, 0.6, 0.6),  # error 0.1, holds at the edge
    row("a/lr/half", 0.3, 0.2, 0.4, 0.6, repetition=1, warned=True),  # error 0.3, misses by 0.2
    row("a/rf/screen", 0.9, 0.8, 1.0, 0.97),  # error 0.07, holds
    row("b/lr/half", 0.5, 0.3, 0.7, 0.5),  # error 0, holds
]
ACIS = [
    row("a/lr/half", 0.8, 0.5, 0.9, 0.6, method="acis"),  # error 0.2
    row("a/rf/screen", 0.57, 0.2, 0.9, 0.97, method="acis"),  # error 0.4
    row("b/lr/half", None, None, None, 0.5, method="acis"),  # undefined: 0; no interval: 0 to 1
]
SQUARE_A = ((0.1**2 + 0.3**2) / 2 + 0.07**2) / 2


def curve(found: list[rows.Row] = CURVE) -> Runs:
    return runs_of(rows.table_of(found), "own")


def test_runs_are_averaged_over_pools_then_over_data_sets() -> None:
    found = result(curve())
    assert found.root.value == pytest.approx(math.sqrt(SQUARE_A / 2))
    assert found.coverage.value == pytest.approx(((0.5 + 1) / 2 + 1) / 2)
    assert found.width == pytest.approx((0.2 + 0.4) / 2)
    assert found.score == pytest.approx((((0.2 + 0.2 + 40 * 0.2) / 2 + 0.2) / 2 + 0.4) / 2)


def test_standard_errors_are_over_pools_or_over_the_runs_of_the_only_pool() -> None:
    runs = curve()
    pools = [(0.1**2 + 0.3**2) / 2, 0.07**2]
    assert mean_by_dataset(runs, runs.square)["a"] == pytest.approx((SQUARE_A, abs(pools[0] - pools[1]) / 2))
    assert math.isnan(mean_by_dataset(runs, runs.square)["b"].error), "one run has no standard error"
    only = curve(CURVE[:2])
    assert mean_by_dataset(only, only.held) == {"a": Mean(0.5, 0.5)}
    error = (0.3**2 - 0.1**2) / 2
    assert result(only).root == pytest.approx((math.sqrt(0.05), error / (2 * math.sqrt(0.05))))


@pytest.mark.parametrize(("low", "share"), [(0.4, 1.0), (0.7, 0.0)])
def test_the_standard_error_of_a_coverage_of_all_or_none_is_not_0(low: float, share: float) -> None:
    """Three runs of two pools, and two runs of the only pool of another data set: (k + 1) / (n + 2) is 4/5 and 3/4."""
    tasks = ["a/lr/half", "a/lr/half", "a/rf/half", "b/lr/half", "b/lr/half"]
    runs = curve([row(task, 0.8, low, 0.9, 0.6, repetition=number) for number, task in enumerate(tasks)])
    errors = math.sqrt(0.8 * 0.2 / 3), math.sqrt(0.75 * 0.25 / 2)
    assert result(runs).coverage == pytest.approx((share, math.hypot(*errors) / 2))
    assert lowest_coverage(runs) == ("a", pytest.approx((share, errors[0])))
    shown = metric_tables(EXPERIMENT, "own", runs, "curve")
    assert f"{100 * share:.1f} % ± 30.6 %" in shown[4]
    assert "(k + 1) / (n + 2)" in shown[1]


def test_ratio_of_errors_is_a_geometric_mean_over_data_sets_with_a_floor() -> None:
    mine, other = curve(), curve(ACIS)
    ratios = SQUARE_A / ((0.2**2 + 0.4**2) / 2), 1e-4 / 0.5**2
    found = error_ratio(mine, other)
    assert found is not None
    assert found.mean == pytest.approx(math.sqrt(ratios[0] * ratios[1]))
    assert (found.above, found.datasets) == (0, 2)
    assert error_ratio(other, mine) == pytest.approx((1 / found.mean, 2, 2))
    assert error_ratio(mine.where(mine.dataset == "a"), other.where(other.dataset == "b")) is None


def test_what_is_missing_counts_as_0_and_as_the_interval_from_0_to_1() -> None:
    runs = curve(ACIS)
    assert (runs.value[2], runs.low[2], runs.high[2]) == (0, 0, 1)
    never = curve([each._replace(low=None, high=None) for each in CURVE])
    assert np.isnan(never.held).all()
    assert math.isnan(result(never).score)
    assert result(never).root.value == result(curve()).root.value


def test_lowest_coverage_names_the_data_set() -> None:
    dataset, coverage = lowest_coverage(curve())
    assert (dataset, coverage.value) == ("a", 0.75)


def test_prevalence_is_relative_to_the_truth() -> None:
    found = [row("a/lr/half", 0.003, 0.001, 0.005, 0.002, target="prevalence"), CURVE[0]]
    runs = runs_of(rows.table_of(found), "prevalence", relative=True)
    assert len(runs) == 1
    numbers = result(runs)
    assert numbers.root.value == pytest.approx(0.5)
    assert (numbers.coverage.value, numbers.width) == (1, pytest.approx(2))


MADE = [row("a/lr/half/near", 0.98, 0.96, 1.0, 0.97, family="made near", method=name) for name in ("curve", "acis")]


def test_made_pools_are_never_among_the_real_ones() -> None:
    runs = curve([*CURVE, *MADE])
    groups = {title: set(runs.task[chosen]) for title, chosen in groups_of(runs, "recall")}
    assert groups == {
        "tabular": {"a/lr/half", "a/rf/screen", "b/lr/half"},
        "only points `screen`": {"a/rf/screen"},
        "only true recall above 0.95": {"a/rf/screen"},
        "made near: mistakes deleted until F1 is 0.97": {"a/lr/half/near"},
        "made nearer: mistakes deleted until F1 is 0.99": set(),
        "made perfect: mistakes deleted until F1 is 1": set(),
    }
    two = curve([*CURVE, row("c/lr/half", 0.5, 0.4, 0.6, 0.5, family="text")])
    assert {title for title, _ in groups_of(two, "prevalence")} >= {"tabular", "text", "all kinds"}
    assert not any("true" in title for title, _ in groups_of(two, "prevalence"))


def test_warnings_when_the_interval_is_far_off_and_when_it_holds() -> None:
    near = row("b/lr/half", 0.3, 0.2, 0.4, 0.45)  # misses by 0.05, a quarter of its width: neither far off nor held
    runs = curve([*CURVE, near, row("b/lr/half", 0.3, 0.2, 0.4, 0.6), MADE[0]])
    assert far_off(runs).tolist() == [False, True, False, False, False, True, False]
    assert warnings_table(runs).splitlines()[2:] == [
        "| real pools: the interval misses by more than half of its width | 1 of 2 (50 %) |",
        "| real pools: the interval holds | 0 of 3 (0 %) |",
        "| made pools: the interval misses by more than half of its width | - |",
        "| made pools: the interval holds | 0 of 1 (0 %) |",
    ]
    unknown = curve([each._replace(warned=None) for each in CURVE])
    assert warnings_table(unknown).splitlines()[-1] == "| real pools: the interval holds | - |"


def test_the_tables_show_these_numbers() -> None:
    shown = metric_tables(EXPERIMENT, "own", curve([*CURVE, *ACIS, *MADE]), "curve")
    assert shown[0] == "### F1"
    assert shown[2].splitlines()[2:6] == [
        "| tabular (2, 3) | acis | 0.418; 75.0 %; 0.78; 1.47 |",
        "|  | curve | 0.117; 87.5 %; 0.30; 1.30 |",
        "|  | ratio of squared errors, data sets above 1 | 0.01, 0 of 2 |",
        "|  | lowest coverage of curve | a 75.0 % ± 25.0 % |",
    ]
    assert "| made near: mistakes deleted until F1 is 0.97 (1, 1) | acis | 0.010; 100.0 %; 0.04; 0.04 |" in shown[2]
    assert shown[4].splitlines()[2:] == [
        "| tabular | a (2) | 0.166 ± 0.068; 75.0 % ± 25.0 %; 0.20; 2.20; 0.27 |",
        "| tabular | b (1) | 0.000; 100.0 %; 0.40; 0.40; 0.00 |",
    ]


def test_a_method_that_is_the_baseline_or_has_none_is_shown_alone() -> None:
    alone = metric_tables(EXPERIMENT, "own", curve(), "curve")
    assert alone[2].splitlines()[2].startswith("| tabular (2, 3) | curve | 0.117")
    assert "ratio" not in alone[2]
    baseline = metric_tables(EXPERIMENT, "own", curve([*CURVE, *ACIS]), "acis")
    assert baseline[2].splitlines()[2].startswith("| tabular (2, 3) | acis | 0.418")
    assert "ratio" not in baseline[2]


def test_a_method_is_compared_with_the_better_acis_which_is_named() -> None:
    """Errors of 0.01 at most are better than those of ACIS as printed; 1 is worse than all of them."""
    for error, name in ((0.01, "acis stratum"), (1, "acis")):
        stratum = [each._replace(method="acis stratum", estimate=each.truth - error) for each in ACIS]
        shown = metric_tables(EXPERIMENT, "own", curve([*CURVE, *ACIS, *stratum]), "curve")
        assert shown[2].splitlines()[2].startswith(f"| tabular (2, 3) | {name} | ")
        assert shown[3].endswith(f"the ratio of the mean squared error to that of {name}.")


def test_the_short_table_has_a_row_for_each_metric_and_kind(tmp_path: Path) -> None:
    """Error, coverage and mean width, as `result` computes them; a dash where there are no runs."""
    rows.write(tmp_path / "zoo.parquet", [*CURVE, *ACIS])
    shown = trust([(EXPERIMENT, tmp_path / "zoo.parquet")], "curve")[0].splitlines()
    assert shown[2] == f"| F1 | tabular (2) | {math.sqrt(SQUARE_A / 2):.3f}; 88 %; 0.30 | - | - | - |"
    assert [line.split(" | ")[1] for line in shown[3:]] == ["only true F1 above 0.95 (1)"]


@pytest.mark.parametrize("option", ["trust", "zoo"])
@pytest.mark.parametrize("method", ["nope", "gmm"])
def test_a_method_without_rows_is_refused(tmp_path: Path, option: str, method: str) -> None:
    """Whether the experiment was to run it, as gmm here, or not. The message names those that have rows."""
    experiment = experiments.parse("zoo", "methods = ['curve', 'acis', 'gmm']\nfamilies = [{ family = 'pools' }]")
    rows.write(tmp_path / "zoo.parquet", [*CURVE, *ACIS])
    found = [(experiment, tmp_path / "zoo.parquet")]
    with pytest.raises(
        InputError, match=f"--{option} must name a method .* of '{method}', and it has rows of curve, acis;"
    ):
        method_tables(option, found, method)
