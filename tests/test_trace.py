"""What every sampler draws and estimates on the demo's pools, against a committed reference: nothing may change unseen.

The reference is `tests/trace.json`, written by `tools/trace.py --labels 40 --short`. Its draws are those of commit
8bef2cc; its estimates of `curve` are those since equal draws are summarised in the same order on every processor.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def rounded(found: Any) -> Any:
    """Numbers to 1e-9, whatever holds them; items and fingerprints as they are."""
    if isinstance(found, dict):
        return {key: rounded(value) for key, value in found.items()}
    if isinstance(found, list):
        return [pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value for value in found]
    return found


def test_the_same_items_are_asked_and_the_same_numbers_estimated() -> None:
    script = HERE.parent / "tools" / "trace.py"
    command = [sys.executable, str(script), "--labels", "40", "--short"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=1800).stdout)
    expected = json.loads((HERE / "trace.json").read_text())
    assert list(found) == list(expected)
    for name, one in expected.items():
        assert found[name] == rounded(one), name
