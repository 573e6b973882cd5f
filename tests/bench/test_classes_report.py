"""The tables about all classes of a model at once: every number equals one that is computed by hand here."""

import math
from typing import Any

import numpy as np
import pytest

from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.classes import report
from lowshot_bench.classes.report import Results

NAN = math.nan
EXPERIMENT = experiments.find("classes")


def row(run: int, method: str, target: str, labels: int, value: float, truth: float = NAN, **more: Any) -> rows.Row:
    plain = rows.Row("images", run, method, target, 0, labels, value, None, None, None, truth, 0.0)
    return plain._replace(**{"task": f"swav/run {run}/thinned", **more})


def macro(run: int, method: str, labels: int, value: float, half: float, **more: Any) -> rows.Row:
    """Macro F1 with an interval of this half width; the truth is 0.2."""
    return row(run, method, "macro", labels, value, 0.2, low=value - half, high=value + half, **more)


def classes(run: int, method: str, labels: int, **numbers: float) -> list[rows.Row]:
    return [row(run, method, name.replace("_", " "), labels, value) for name, value in numbers.items()]


def found() -> list[rows.Row]:
    """Two runs: macro F1 is off by 0.01 and by 0.03 at 1,000 labels, and only the first interval holds."""
    written = [
        macro(0, "classes", 1000, 0.21, 0.02),
        macro(1, "classes", 1000, 0.23, 0.02),
        macro(0, "classes", 400, 0.19, 0.02),
        macro(1, "classes", 400, 0.21, 0.02),
        macro(0, "random", 1000, 0.14, 0.01),
        macro(1, "random", 1000, 0.12, 0.01),
        row(0, "single", "class mean", 5, 0.3, 0.2),
        row(1, "single", "class mean", 5, 0.4, 0.2),
    ]
    for run, square in enumerate((0.001, 0.003)):
        about = {"class_held": 0.9 + 0.05 * run, "fewest_held": 0.8, "class_width": 0.2, "worst_named": 0.6 + 0.2 * run}
        times = {"slowest_round": 0.5 + run, "all_rounds": 20.0, "look": 0.25}
        written += classes(run, "classes", 1000, class_square=square, **about, **times)
        written += classes(run, "single", 5, class_square=0.01, class_held=1.0, class_width=0.5)
        written.append(row(run, "pair", "pair classes", 100, 0.5 + 0.1 * run, 0.5, low=0.4, high=0.7))
        written.append(row(run, "pair", "pair pool", 100, 0.6, 0.5, low=0.55, high=0.7))
    return written


def lines(written: list[rows.Row], model: str = "swav") -> dict[str, list[str]]:
    """The cells of each line by what it is about, without the model."""
    shown = [line.cells() for line in report.bar(EXPERIMENT, Results(rows.table_of(written), model))]
    assert {cells[0] for cells in shown} == {model}
    return {cells[1]: cells[2:] for cells in shown}


def value(cells: list[str]) -> str:
    return cells[2].split(" ±")[0]


def test_macro_f1() -> None:
    shown = lines(found())
    error = shown["macro F1, 1,000 labels: root mean squared error"]
    assert value(error) == f"{math.sqrt((0.01**2 + 0.03**2) / 2):.4f}"
    random = math.sqrt((0.06**2 + 0.08**2) / 2)
    assert error[:2] == [f"random {random:.4f}; single, bias +0.1500", "at most 0.012"]
    held = shown["macro F1, 1,000 labels: coverage"]
    assert (held[:2], value(held)) == (["random 0.0 %", "at least 93 %"], "50.0 %")
    assert value(shown["macro F1, 1,000 labels: mean width"]) == "0.0400"
    assert value(shown["macro F1, 1,000 labels: bias"]) == "0.0200"
    fewer = shown["macro F1, 400 labels: root mean squared error"]
    assert fewer[:2] == ["random -", "at most 0.018"]
    assert (value(fewer), fewer[-1]) == ("0.0100", "met")


def test_single_classes() -> None:
    shown, what = lines(found()), "F1 of each class, 1,000 labels"
    ratio = shown[f"{what}: squared error over that of single"]
    assert (ratio[:2], value(ratio), ratio[-1]) == (["1 (root 0.100)", "at most 0.2"], "0.2000", "met")
    held = shown[f"{what}: coverage, mean"]
    assert (held[:2], value(held)) == (["single 100.0 %", "at least 93 %"], "92.5 %")
    fewest = shown[f"{what}: coverage, tenth with fewest positives"]
    assert fewest[1:] == ["at least 88 %", "80.0 % ± 0.0 %", "missed"]
    width = shown[f"{what}: width over that of single"]
    assert (width[0], value(width), width[-1]) == ("1 (width 0.500)", "0.4000", "met")
    named = shown[f"{what}: share of the worst tenth named"]
    assert (named[1], value(named)) == ("at least 75 %", "70.0 %")


def test_seconds() -> None:
    shown = lines(found())
    slowest = shown["seconds of the slowest round, 1,000 labels"]
    assert (slowest[1], value(slowest), slowest[-1]) == ("at most 1", "1.0000", "met")
    assert shown["seconds of all rounds, 1,000 labels"][1:] == ["at most 60", "20.0000 ± 0.0000", "met"]


def test_two_classes() -> None:
    """Squared errors of 0 and 0.01 against 0.01 and 0.01 of Pool."""
    shown, what = lines(found()), "two classes, F1 of the rare one, 100 labels"
    square = shown[f"{what}: squared error minus that of Pool"]
    assert square[:2] == ["Pool 0.0100", "at most 2 standard errors above 0"]
    assert (value(square), square[-1]) == ("-0.0050", "met")
    assert value(shown[f"{what}: estimate minus that of Pool"]) == "-0.0500"
    held = shown[f"{what}: coverage"]
    assert (held[0], value(held)) == ("Pool 0.0 %", "100.0 %")


@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "met"), (0.2, "missed")])
def test_two_classes_are_worse_beyond_two_standard_errors(shift: float, verdict: str) -> None:
    random = np.random.default_rng(5)
    written = []
    for run in range(50):
        written.append(row(run, "pair", "pair classes", 100, 0.5 + 0.1 * random.normal() + shift, 0.5))
        written.append(row(run, "pair", "pair pool", 100, 0.5 + 0.1 * random.normal(), 0.5))
    shown = lines(written)
    assert {key.split(":")[0] for key in shown} == {"two classes, F1 of the rare one, 100 labels"}
    assert next(iter(shown.values()))[-1] == verdict


def test_standard_errors_are_those_of_runs() -> None:
    """The error of the mean of 40 runs; a bootstrap of 500 draws is exact to 1 / sqrt(1,000)."""
    values = np.random.default_rng(6).normal(size=40)
    written = [row(run, "classes", "class square", 1000, each) for run, each in enumerate(values)]
    error = Results(rows.table_of(written), "swav").mean("class square", "classes", 1000).error
    assert error == pytest.approx(values.std(ddof=1) / math.sqrt(40), rel=4 / math.sqrt(1_000))


def test_every_model_has_its_lines_and_goals() -> None:
    written = [each for one in found() for each in (one, one._replace(task=str(one.task).replace("swav", "simclr")))]
    shown = report.section(EXPERIMENT, rows.table_of(written), "command")
    assert "Runs: swav 2, simclr 2." in shown
    assert "| swav | macro F1, 1,000 labels: root mean squared error | random" in shown
    other = next(line for line in shown.splitlines() if line.startswith("| simclr | macro F1, 1,000 labels: root"))
    assert other.split(" | ")[3] == "-", "no goal for a model of the other half"
    assert "| swav, classes | 0.0100; +0.0000; 100.0 %; 0.0400 | 0.0224; +0.0200; 50.0 %; 0.0400 |" in shown
    assert "| swav, random | - | 0.0707; -0.0700; 0.0 %; 0.0200 |" in shown
    assert "| swav, single | 0.1000; 100.0 %; -; 0.5000; - | - |" in shown
    assert "| swav, classes | - | 0.0447; 92.5 %; 80.0 %; 0.2000; 70.0 % |" in shown
