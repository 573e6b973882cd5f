"""The comparison with other packages: its methods, its tables, and what is said about packages that are missing.

The packages of others are not installed here: methods that need them are tested by what they do without them.
`make peers` tests them with the packages, in an environment of their own.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from lowshot.errors import MissingExtra
from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.cli import no_packages, with_packages
from lowshot_bench.families import PoolRankings, ShippedFamily
from lowshot_bench.families.task import Task
from lowshot_bench.peers.methods import METHODS, answers, f1_with_wilson
from lowshot_bench.peers.packages import PACKAGES, load
from lowshot_bench.peers.report import gates, section
from lowshot_bench.peers.sharing import PRECISION, PREVALENCE, counted, draws
from lowshot_bench.rows import Row, table_of
from lowshot_bench.zoo_summary import runs_of

from ..helpers import good, refused
from .pool_folder import pool_folder

TEXT = (
    'title = "Mine"\npaper = "none"\nkind = "peers"\nbudgets = [30, 100]\nmethods = ["curve", "random"]\n'
    '[[families]]\nfamily = "pool_rankings"\nmost = 1\n'
)


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pool_folder(tmp_path_factory.mktemp("pools"))


@pytest.fixture(scope="module")
def task(pools: Path) -> Task:
    family = PoolRankings(pools, half="both")
    return family.load(family.categories()[0])


@pytest.fixture(scope="module")
def experiment() -> experiments.Experiment:
    return experiments.parse("mine", TEXT)


def test_the_experiment_has_every_method() -> None:
    found = experiments.find("peers")
    assert found.of_peers
    assert found.by_group
    assert found.apart
    assert [method.name for method in found.methods] == list(METHODS) == list(experiments.PEERS["peers"])
    assert set(PACKAGES) < set(METHODS)


def test_the_shipped_categories_need_no_folder() -> None:
    family = ShippedFamily()
    task = family.load(family.categories()[0])
    assert len(family.categories()) == task.alike == 6
    assert task.family.endswith("images")  # which the tables show apart
    assert task.name == "shipped/83/most likely"


def test_uniform_draws_grow_and_are_the_same_for_every_method(experiment: experiments.Experiment, task: Task) -> None:
    first, second = draws(experiment, task, 5, PREVALENCE)
    assert (first.labels, second.labels) == (30, 100)
    assert second.items[:30].tolist() == first.items.tolist()
    assert sorted([*second.items, *second.rest]) == list(range(len(task.labels)))
    again = next(draws(experiment, task, 5, PREVALENCE))
    assert again.items.tolist() == first.items.tolist()
    predicted = next(draws(experiment, task, 5, PRECISION))
    assert task.pool.predictions[predicted.items].all()
    assert len(predicted.items) + len(predicted.rest) == task.pool.predicted_positives


def test_random_labels_give_the_shares_of_the_sample(experiment: experiments.Experiment, task: Task) -> None:
    found = {(a.target, a.labels): a for a in answers(experiment, task, "random", 5)}
    drawn = next(draws(experiment, task, 5, PREVALENCE))
    hits, wrong, missed = counted(task, drawn.items)
    assert found["f1", 30].value == pytest.approx(2 * hits / (2 * hits + wrong + missed))
    share = found["prevalence", 30]
    assert share.value == task.labels[drawn.items].mean()
    expected = binomtest(int(task.labels[drawn.items].sum()), 30).proportion_ci(0.95, method="wilson")
    assert (share.low, share.high) == pytest.approx((expected.low, expected.high))
    assert share.truth == task.labels.mean()


def test_the_interval_of_random_labels_has_95_percent() -> None:
    """1,000 samples of 100 items that are predicted or positive, seed 0; four standard errors of a share of 0.95."""
    random, share = np.random.default_rng(0), 0.6
    truth, held = 2 * share / (1 + share), 0
    for hits in random.binomial(100, share, size=1000):
        _, interval = f1_with_wilson(int(hits), 100 - int(hits), 0)
        assert interval is not None
        held += interval[0] <= truth <= interval[1]
    assert abs(held / 1000 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 1000)


def test_a_sample_without_predicted_or_positive_items_is_no_answer() -> None:
    value, interval = f1_with_wilson(0, 0, 0)
    assert np.isnan(value)
    assert interval is None


def test_lowshot_answers_all_three_questions(experiment: experiments.Experiment, task: Task) -> None:
    found = list(answers(experiment, task, "curve", 5))
    assert [(a.target, a.labels) for a in found] == [
        *[("f1", 30), ("prevalence", 30), ("f1", 100), ("prevalence", 100), ("precision", 30), ("precision", 100)]
    ]
    assert all(a.truth == task.truth(a.target) and not a.warned for a in found)


def test_a_gate_is_decided_at_the_first_look_that_leaves_out_the_bar() -> None:
    looks = [(30, 0.1, 0.9), (100, 0.62, 0.9), (300, 0.72, 0.95)]
    mine = Row("tabular", 0, "curve", "f1", 0, 30, 0.5, None, 0.0, 1.0, 0.5, 0.0, "a/x/y", False)
    table = table_of(mine._replace(labels=labels, low=low, high=high) for labels, low, high in looks)
    found = gates(runs_of(table, "f1"))
    assert found.labels.tolist() == [100, 100]  # bars at 0.4 and 0.6
    assert found.wrong.tolist() == [False, True]  # 0.5 is not at least 0.6


def test_a_bar_that_no_model_can_miss_is_not_asked_for() -> None:
    mine = Row("tabular", 0, "curve", "f1", 0, 30, 0.05, None, 0.0, 0.1, 0.05, 0.0, "a/x/y", False)
    assert gates(runs_of(table_of([mine]), "f1")).labels.tolist() == [30]  # only 0.15


def test_from_the_command_line(pools: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TEXT)
    out = str(tmp_path / "out")
    good("bench", "run", str(tmp_path / "mine.toml"), "--out", out, "--data", str(pools), "--workers", "1")
    text = good("bench", "report", out, "--peers").stdout
    assert "### F1: real pools of several kinds" in text
    assert "### Is F1 at least so high: real pools of several kinds" in text
    assert good("bench", "report", out).stdout.endswith(text)
    found = rows.read([tmp_path / "out" / "mine.parquet"])
    assert set(found["method"].to_pylist()) == {"curve", "random"}


def test_runs_without_an_answer_are_counted(experiment: experiments.Experiment) -> None:
    mine = Row("tabular", 0, "random", "f1", 0, 30, float("nan"), None, None, None, 0.5, 0.0, "a/x/y", True)
    some = mine._replace(repetition=1, estimate=0.5, low=0.4, high=0.6, warned=False)
    text = section(experiment, table_of([mine, some]), "a command")
    assert "| `random` | 0.354" in text  # the root of half of 0.5 squared
    assert "; 0.60; none 50 % |" in text  # an interval from 0 to 1, and one of 0.2


def test_a_package_that_is_missing_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowshot_bench.peers.packages._there", lambda name: name != "ppi_py")
    whole = experiments.find("peers")
    assert [each.name for each in with_packages(whole).methods] == [name for name in METHODS if name != "ppi"]
    assert no_packages(whole) == ["peers: ppi is left out, because ppi_py is not installed: pip install ppi-python"]
    assert no_packages(experiments.find("slices")) == []


def test_a_method_without_its_package_says_what_to_install() -> None:
    with pytest.raises(MissingExtra, match=r"needs no_such\.estimators: pip install no-such"):
        load("no_such.estimators", "no-such")


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('kind = "peers"\nmethods = ["sawade"]\n[[families]]\nfamily = "shipped"')
    needed = "methods of the kind peers must be among curve, acis, acis stratum, random"
    refused(needed, "bench", "run", str(tmp_path / "bad.toml"), "--out", str(tmp_path))
