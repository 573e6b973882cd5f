"""The net under every number: what is asked and answered on fixed pools is what `tests/net.json` says, to 1e-9.

`tools/net.py` has the cases, and writes the file. A change that is meant to move numbers records it again, and says
why. The second test shows that the net has no holes: it changes the code in one place, and the net must see it.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import net

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src" / "lowshot"
RECORDED: dict[str, Any] = json.loads((HERE / "net.json").read_text())


def changed(name: str, found: Any) -> list[str]:
    """Where a case differs from what is recorded."""
    return net.differences(found, RECORDED[name], within=1e-9, path=name)


def test_every_case_is_recorded() -> None:
    assert list(RECORDED) == list(net.CASES)


@pytest.mark.parametrize("name", net.CASES)
def test_the_same_items_are_asked_and_the_same_numbers_answered(name: str) -> None:
    assert not changed(name, net.run(name))


class Change(NamedTuple):
    """A line of the code that is changed, and a case that must show it."""

    file: str
    old: str
    new: str
    case: str


CHANGES = {
    "the beliefs about where predicted positives end": Change(
        "core/curve/beliefs.py", "CROSSING = Bell(-2.0,", "CROSSING = Bell(2.0,", "one model"
    ),
    "the beliefs about all positives": Change(
        "core/curve/beliefs.py", "POSITIVES = Ratio(0.55,", "POSITIVES = Ratio(0.6,", "one model for recall"
    ),
    "how far intervals are stretched": Change(
        "core/curve/beliefs.py", "STRETCH = 1.05", "STRETCH = 1.0", "one model for precision"
    ),
    "the value of a metric": Change(
        "sampler/curve_goal.py", "parts = (tp, self.predicted - tp, fn)", "parts = (tp, self.predicted, fn)", "weights"
    ),
    "where labels of a pair go": Change(
        "sampler/curve_goal.py", "effect[[1]] - effect[[0]]", "effect[[1]]", "several goal a pair"
    ),
    "the contenders for the best model": Change(
        "sampler/curve_goal.py", "np.maximum(2 * variance", "np.maximum(9 * variance", "several goal best"
    ),
    "the shift of a slice": Change("core/curve/shifts.py", "ALIKE = 0.9", "ALIKE = 0.8", "slices"),
    "the consensus of two scores": Change(
        "pools/consensus.py", "one: PARTS - part, two: part", "one: part, two: PARTS", "slices of two models"
    ),
    "how scores add up": Change("pools/consensus.py", "POWER = 0.85", "POWER = 0.8", "several goal best"),
    "scores that rank nothing": Change("pools/consensus.py", "FLAG = 2", "FLAG = 1", "flags beside a score"),
    "the shifts of patterns": Change(
        "core/curve/patterns.py", "Belief(-0.6, 0.35)", "Belief(-0.5, 0.35)", "several goal each"
    ),
    "what a pair spends on each model": Change(
        "sampler/curve_goal.py", "BESIDE = 0.2", "BESIDE = 0.1", "several goal a pair"
    ),
    "which helpers help": Change("pools/consensus.py", "LEAST_LIFT = 0.1", "LEAST_LIFT = 0.95", "several goal each"),
    "how much wider if labels are surprising": Change(
        "sampler/curve.py", "IF_SURPRISING = 1.5", "IF_SURPRISING = 1.6", "a surprising pool"
    ),
    "how much wider without a score": Change(
        "sampler/curve.py", "IF_UNSCORED = 1.15", "IF_UNSCORED = 1.2", "a model known by predictions"
    ),
    "labels from the whole pool": Change(
        "sampler/curve.py", "insurance: float = 0.05", "insurance: float = 0.1", "one model"
    ),
    "anytime intervals": Change(
        "core/curve/summary.py", "math.sqrt(2 * limit)", "math.sqrt(limit)", "settings of curve"
    ),
    "what a plan looks at": Change("sampler/curve_forecast.py", "FUTURES = 20", "FUTURES = 21", "one model"),
    "caution at thresholds": Change("sampler/curve.py", "TRUST = 0.85", "TRUST = 0.9", "goal threshold"),
    "simultaneous bands": Change("core/curve/envelope.py", "ALL_AT_ONCE = 1.4", "ALL_AT_ONCE = 1.5", "thresholds"),
    "the hypergeometric bound": Change(
        "core/certificate.py", "_log_ways(items - marked,", "_log_ways(items,", "goal threshold by design"
    ),
    "the shares of looks": Change(
        "core/certificate.py", "SHARES = (0.6, 0.2,", "SHARES = (0.5, 0.3,", "goal threshold by design"
    ),
    "a range of a prior": Change("core/curve/ranges.py", "TRUST = 0.95", "TRUST = 0.9", "priors"),
    "an earlier evaluation": Change("core/curve/like.py", "SCALE = 0.3", "SCALE = 0.4", "priors"),
    "known labels that were drawn": Change("known.py", "DOUBTED = 1e-3", "DOUBTED = 0.9", "known labels"),
    "the fit of classes": Change(
        "core/classes/fit.py", "PRIOR_SCALE = (0.4, 0.5)", "PRIOR_SCALE = (0.5, 0.5)", "class pool"
    ),
    "the variance of an average": Change(
        "core/classes/estimates.py", "ALLOWANCE = 1.15", "ALLOWANCE = 1.1", "class pool goal each"
    ),
    "the draws of classes": Change("core/classes/influence.py", "UNIFORM = 0.1", "UNIFORM = 0.2", "class pool"),
    "classes of which several apply": Change(
        "core/classes/several.py", "COUNTS_AS = 5", "COUNTS_AS = 9", "class pool multilabel"
    ),
    "what is a group in a file": Change("pools/grid.py", "FINE = 2**16", "FINE = 2**6", "rows in a file"),
    "the calibration of ACIS": Change("core/interval.py", "NEGLIGIBLE = 1e-16", "NEGLIGIBLE = 1e-2", "sampler acis"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_a_change_of_the_code_shows(change: Change, tmp_path: Path) -> None:
    """In a copy of the package, whose files are links to those of this one, compiled ones too."""
    package = tmp_path / "lowshot"
    shutil.copytree(SOURCE, package, copy_function=os.symlink)
    module = package / change.file
    text = module.read_text()
    assert text.count(change.old) == 1, "the line has changed: name another one"
    module.unlink()
    module.write_text(text.replace(change.old, change.new))
    command = [sys.executable, str(HERE.parent / "tools" / "net.py"), change.case]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    assert changed(change.case, json.loads(done.stdout)[change.case])
