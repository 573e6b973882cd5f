"""The tables about thresholds with a guarantee: every number equals one that is computed by hand here."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.choosing import report
from lowshot_bench.choosing.methods import down
from lowshot_bench.several.sample import AGAIN, Sample, number
from lowshot_bench.zoo_summary import runs_of

STRONG, WEAK, RARE = "cover/lr/half", "cover/nb/half", "supg_onto/proxy/half"
ITEMS = 10_000
ORACLE = {STRONG: 500, WEAK: 5_000, RARE: 100}


def row(task: str, method: str, target: str, labels: int, value: float, truth: float = 0.9, **more: Any) -> rows.Row:
    plain = rows.Row("tabular", 0, method, target, 0, labels, value, None, None, None, truth, 0.0, task, False)
    return plain._replace(**more)


def choice(task: str, method: str, labels: int, reached: float, kept: int, **more: Any) -> list[rows.Row]:
    """The rows of one choice for recall. 1,000 positives."""
    sizes = {"low": 1_000.0, "high": float(ITEMS), **more}
    return [
        row(task, method, "recall set", labels, reached, **more),
        row(task, method, "recall bare", labels, reached - 0.01, **more),
        row(task, method, "recall kept", labels, kept, ORACLE[task], **sizes),
    ]


def lines(found: list[rows.Row]) -> dict[str, list[str]]:
    """The cells of each line of the bar, by the first one, without standard errors."""
    shown = [line.cells() for line in report.bar(experiments.find("choose"), rows.table_of(found))]
    return {cells[0]: [cell.split(" ±")[0] for cell in cells[1:]] for cells in shown}


def recalls() -> list[rows.Row]:
    """cover/lr meets in 1 of 2 runs, supg_onto in both; cover/nb misses in both, one of them certified."""
    return [
        *choice(STRONG, "posterior", 200, 0.95, 1_000),
        *choice(STRONG, "posterior", 200, 0.85, 2_000, repetition=1),
        *choice(RARE, "posterior", 200, 0.9, 150),
        *choice(RARE, "posterior", 200, 1.0, 250, repetition=1),
        *choice(WEAK, "posterior", 200, 0.8, 6_000),
        *choice(WEAK, "posterior", 200, 0.8, 6_000, repetition=1, warned=True),
        *[each for task in ORACLE for each in choice(task, "supg", 200, 1.0, 400)],
        *[each for task in ORACLE for each in choice(task, "bargain", 200, 0.8, 50)],
    ]


def test_recall_is_split_by_the_strength_of_the_ranking() -> None:
    found = lines(recalls())
    met = "posterior: recall met at 200, N / k90 of 10 or more"
    assert found[met][:2] == ["at least 90 %", "75.0 %"]
    assert found[f"{met}, worst data set"][1].startswith("cover 50.0 %")
    assert found["posterior: recall met or not certified at 200, weaker rankings"][1] == "50.0 %"
    assert found["posterior: certified, weaker rankings"][1] == "50.0 %"
    assert found["posterior: met among the certified, N / k90 of 10 or more"][1] == "75.0 %"


def test_sizes_are_medians_over_the_oracles() -> None:
    found = lines(recalls())
    size = "posterior: kept / k90, median at 200, N / k90 of 10 or more"
    assert found[f"{size}: supg_onto"][:2] == ["at most 3", "supg_onto 2.000"]
    assert found[f"{size}: elsewhere, worst data set"][:2] == ["at most 4", "cover 3.000"]
    beside = "posterior: kept / kept of {0} at 200, where {0} met its target in 90% of runs, worst data set"
    assert found[beside.format("supg")][1] == "cover 3.750"  # 1,500 items against 400
    assert found[beside.format("bargain")][1] == "-", "it missed its target"


def test_the_least_that_labels_allow() -> None:
    """1,000 positives: 100 may be missed. One of the items that are left must be found among the labels."""
    kept = runs_of(rows.table_of(choice(STRONG, "design", 200, 0.9, 3_000)), "recall kept")
    share = 1 - 0.1 ** (1 / 101)
    assert report.least_kept(kept) == pytest.approx([ITEMS - 200 / share])
    plenty = runs_of(rows.table_of(choice(STRONG, "design", 9_000, 0.9, 3_000)), "recall kept")
    assert report.least_kept(plenty) == pytest.approx([ORACLE[STRONG]]), "never fewer than the oracle keeps"
    found = lines(choice(STRONG, "design", 200, 0.9, 3_000))
    shown = found["design: kept / least that labels allow, median at 200, worst data set"]
    assert shown[1] == f"cover {3_000 / (ITEMS - 200 / share):.3f}"
    assert found["design: recall met at 200"][1] == "100.0 %"


def test_precision_is_compared_where_the_oracle_keeps_enough() -> None:
    def precise(task: str, kept: float, oracle: float, reached: float) -> list[rows.Row]:
        return [
            row(task, "posterior", "precision set", 400, reached),
            row(task, "posterior", "precision kept", 400, kept, oracle, low=1_000.0, high=float(ITEMS)),
        ]

    found = lines([*precise(STRONG, 40, 80, 0.95), *precise(WEAK, 1, 49, 1.0), *precise(RARE, 20, 80, 0.5)])
    assert found["posterior: precision met at 400"][1] == "50.0 %"
    kept = "posterior: kept / kept of the oracle, median at 400, oracle keeps 50 or more"
    assert found[kept][:2] == ["at least 0.333", "0.375"]
    assert found[f"{kept}, worst data set"][1] == "supg_onto 0.250"


def test_bands_by_what_the_labels_were_drawn_for() -> None:
    held = [row(STRONG, "posterior", "recall band", labels, float(labels < 200), 0.95) for labels in (150, 310)]
    widths = [row(STRONG, "posterior", "recall band width", labels, 0.3, math.nan) for labels in (150, 310)]
    plain = [row(STRONG, "plain", f"f1 {what}", 150, 1.0, 0.95) for what in ("band", "band width")]
    found = lines([*held, *widths, *plain])
    words = "simultaneous band at 150, 310, labels for"
    assert found[f"{words} recall: holds the truth"][:2] == ["at least 93 %", "50.0 %"]
    assert found[f"{words} recall: mean width"][1] == "0.300"
    assert found[f"{words} f1: holds the truth"][1] == "100.0 %"
    assert f"{words} precision: holds the truth" not in found


def test_stopping_at_the_first_certified_look() -> None:
    """Two of three runs have such a look, at 60 and 100 labels; one of them missed its target."""
    every = [each for k in range(3) for each in choice(STRONG, "posterior", 200, 0.95, 600, repetition=k)]
    looks = [
        row(STRONG, "posterior", "recall first", 60, 0.92),
        row(STRONG, "posterior", "recall first kept", 60, 1_000, 500),
        row(STRONG, "posterior", "recall first", 100, 0.89, repetition=1),
        row(STRONG, "posterior", "recall first kept", 100, 2_000, 500, repetition=1),
    ]
    found = lines(every + looks)
    words = "posterior: recall, first certified look"
    assert found[f"{words}: target met"][:2] == ["at least 88 %", "50.0 %"]
    assert found[f"{words}: labels"][1] == "80.000"
    assert found[f"{words}: kept / kept of the oracle, median"][1] == "3.000"
    assert found[f"{words}: runs that have one"][1] == "66.7 %"


def test_a_target_that_was_missed_by_a_little_stays_missed_when_rows_are_packed(tmp_path: Path) -> None:
    reached = (0.89996, 0.9)
    found = [row(STRONG, "posterior", "recall set", 200, down(x), repetition=k) for k, x in enumerate(reached)]
    rows.pack(tmp_path / "choose.parquet", rows.table_of(found))
    runs = runs_of(rows.read([tmp_path / "choose.parquet"]), "recall set")
    assert report.met(runs).tolist() == [False, True]


def test_the_section_has_all_methods_and_every_data_set() -> None:
    shown = report.section(experiments.find("choose"), rows.table_of(recalls()), "command")
    strong = shown.split("Recall, N / k90 of 10 or more:")[1].split("Recall, weaker rankings:")[0]
    assert "| supg | 100 %; 100 %; 100 %; 2.4 |" in re.sub(r" ± \d+ %", "", strong)
    assert "| cover (1, 2) | 50 %; 100 %; 3 | 100 %; 100 %; 0.8 | 0 %; 100 %; 0.1 |" in strong
    assert "| cover (1, 2) | 0 %; 50 %; 1.2 |" in shown.split("Recall, weaker rankings:")[1]
    assert shown.rstrip().endswith("No rows."), "nothing about precision"


@pytest.mark.parametrize("runs", [9, 40])
def test_the_median_of_a_group(runs: int) -> None:
    """Its bootstrap error is compared with that of NumPy medians; each has AGAIN draws."""
    values = np.random.default_rng(3).exponential(size=runs)
    found = runs_of(
        rows.table_of(row(STRONG, "posterior", "recall kept", 200, x, 1.0, repetition=k) for k, x in enumerate(values)),
        "recall kept",
    )
    medians = Sample(found).median(found, found.value)[:, 0]
    assert medians[0] == pytest.approx(np.median(values))
    random = np.random.default_rng(4)
    expected = np.std([np.median(random.choice(values, runs - 1)) for _ in range(4_000)])
    assert number(medians).error == pytest.approx(expected, rel=4 / math.sqrt(2 * AGAIN))
