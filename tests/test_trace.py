"""What every sampler draws and estimates on the demo's pools, against a committed reference: nothing may change unseen.

The reference is `tests/trace.json`, written with the code of commit 8bef2cc by `tools/trace.py --labels 40 --short`.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


# Of the width of an interval: three standard errors of the 97.5 % quantile of 400 draws of a normal, each 0.034 of it.
DRAWN = 0.10


def rounded(found: Any, drawn: bool = False) -> Any:
    """Numbers to 1e-9, whatever holds them; items and fingerprints as they are.

    drawn  an estimate [value, variance, low, high, labels] is a summary of 400 random curves: the last bit of a
           processor's exp() may put one of them elsewhere, and the value and the ends move by the gap to the next
    """
    if isinstance(found, dict):
        return {key: rounded(value, drawn) for key, value in found.items()}
    if isinstance(found, list):
        width = found[3] - found[2] if drawn and len(found) == 5 and isinstance(found[3], float) else 0.0
        near = {place: max(1e-9, DRAWN * width) for place in (0, 2, 3)}  # the variance is that of the beliefs
        return [
            pytest.approx(value, rel=1e-9, abs=near.get(place, 1e-9)) if isinstance(value, float) else value
            for place, value in enumerate(found)
        ]
    return found


def test_the_same_items_are_asked_and_the_same_numbers_estimated() -> None:
    script = HERE.parent / "tools" / "trace.py"
    command = [sys.executable, str(script), "--labels", "40", "--short"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=600).stdout)
    expected = json.loads((HERE / "trace.json").read_text())
    assert list(found) == list(expected)
    for name, one in expected.items():
        assert found[name] == rounded(one, drawn=": curve" in name), name
