"""Methods of the comparison that need packages of others, with these packages: `make peers`."""

import sys
from pathlib import Path

import pytest

from lowshot_bench import experiment as experiments
from lowshot_bench.families import PoolRankings
from lowshot_bench.peers.methods import answers
from lowshot_bench.peers.packages import PACKAGES, missing

from .. import needed
from .pool_folder import pool_folder

ELSEWHERE = ["activeeval", *(["glide"] if sys.version_info < (3, 12) else [])]  # not on PyPI; needs Python 3.12
TEXT = 'title = "Mine"\npaper = "none"\nkind = "peers"\nbudgets = [30, 100]\n[[families]]\nfamily = "pool_rankings"\n'


@pytest.mark.parametrize("method", [name for name in PACKAGES if name not in ELSEWHERE])
def test_a_package(tmp_path: Path, method: str) -> None:
    """The pool is easy for all of them, so answers are near the truth."""
    if package := missing(method):
        needed.missing(f"{package.name} is not installed: make peers installs it in an environment of its own")
    family = PoolRankings(pool_folder(tmp_path), half="both")
    task = family.load(family.categories()[0])
    found = list(answers(experiments.parse("mine", TEXT), task, method, 5))
    assert found
    for one in found:
        if not one.target.startswith("bargain"):  # a set of items
            assert abs(one.value - one.truth) < 0.5
            assert one.truth == task.truth(one.target)
