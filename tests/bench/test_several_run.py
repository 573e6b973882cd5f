"""Experiments about several models from the command line, on small data: rows and their tables."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pyarrow.compute as pc
import pytest

from lowshot import Evaluation, Pool
from lowshot.tasks import finish
from lowshot_bench import experiment as experiments
from lowshot_bench import rows
from lowshot_bench.families import DisagreeFamily, PoolModels
from lowshot_bench.run import run
from lowshot_bench.several.helpers import USEFUL, USELESS
from lowshot_bench.several.pairs import LOOKS
from lowshot_bench.task_rows import rows_of, seed_of

from ..helpers import good
from .image_folder import image_folder
from .pool_folder import columns, entry, pool_folder, save, write_index

pytestmark = pytest.mark.slow

BUDGETS = (30, 70)
KINDS = [kind for kind in experiments.SEVERAL if kind != "disagree"]  # those on folders


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pool_folder(tmp_path_factory.mktemp("pools"))


def experiment(kind: str, more: str = "", sets: str = "pairs") -> experiments.Experiment:
    methods = list(experiments.SEVERAL[kind])
    family = f"{{ family = 'pool_models', sets = '{sets}', half = 'both', kinds = ['text']{more} }}"
    text = f"kind = '{kind}'\nbudgets = {list(BUDGETS)}\nmethods = {methods}\nfamilies = [{family}]"
    return experiments.parse(kind, text)


Found = dict[tuple[str, str, int], rows.Row]


@pytest.fixture(scope="module")
def of_pair(pools: Path) -> Callable[[str], Found]:
    """The rows of the pair of models of data set onto, by method, target and labels."""
    family = PoolModels(pools, "pairs", "both", kinds=["text"])
    (category,) = family.categories()

    def found(kind: str) -> Found:
        return {(row.method, row.target, row.labels): row for row in rows_of(experiment(kind), family, category)}

    return found


def truths() -> tuple[float, float]:
    stored = columns(3)
    y = stored["label"] == 1
    first, second = (2 * float(((p := stored[m] >= 0.5) & y).sum() / (p.sum() + y.sum())) for m in ("good", "weak"))
    return first, second


def test_rows_of_pairs(of_pair: Callable[[str], Found], pools: Path) -> None:
    found, (first, second) = of_pair("pairs"), truths()
    looks = sorted({*BUDGETS, *LOOKS})
    assert [labels for method, _, labels in found if method == "pair"] == looks
    assert {target for method, target, _ in found if method == "pair"} == {"difference"}
    for method in ("each", "first", "own"):
        assert [labels for name, target, labels in found if (name, target) == (method, "candidate")] == list(BUDGETS)
    for (_, target, _), row in found.items():
        expected = {"difference": second - first, "baseline": first, "candidate": second}[target]
        assert row.truth == pytest.approx(expected)
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.estimate <= row.high
        assert (row.probability is None) == (target != "difference")
        assert (row.family, row.task) == ("text", "onto/good weak/half")


def test_rows_of_pairs_equal_a_plain_loop(of_pair: Callable[[str], Found], pools: Path) -> None:
    found, stored = of_pair("pairs"), columns(3)
    y, scores = stored["label"] == 1, {name: stored[name] for name in ("good", "weak")}
    flags = {name: values >= 0.5 for name, values in scores.items()}
    task = PoolModels(pools, "pairs", "both", kinds=["text"])
    seed = seed_of(experiment("pairs"), task.load(task.categories()[0]), 0)
    joint = finish(Evaluation(Pool(scores, flags), seed=seed, goal=("good", "weak")), y, 70)
    comparison = joint.compare("good", "weak")
    assert found["pair", "difference", 70].estimate == comparison.value
    assert found["pair", "difference", 70].probability == comparison.probability
    each = finish(Evaluation(Pool(scores, flags), seed=seed, goal="each"), y, 30)
    assert found["each", "candidate", 30].estimate == each.estimate(model="weak").value
    own = finish(Evaluation(Pool(scores["weak"], flags["weak"]), seed=seed), y, 35)
    assert found["own", "candidate", 70].estimate == own.estimate().value
    first = finish(Evaluation(Pool(scores["good"], flags["good"]), seed=seed), y, 70)
    assert found["first", "baseline", 70].estimate == first.estimate().value
    assert found["first", "candidate", 70].estimate == first.estimate(predictions=flags["weak"]).value


def test_rows_of_helpers(pools: Path) -> None:
    for role, methods in (("", USEFUL), ("useless", USELESS)):
        family = PoolModels(pools, "ordered", "both", kinds=["text"], seconds=["weak"], role=role)
        (category,) = family.categories()
        found = rows_of(experiment("helpers"), family, category)
        assert {row.method for row in found} == set(methods)
        assert [row.truth for row in found] == pytest.approx([truths()[0]] * len(found))
        assert all(row.family == f"{role} text".strip() for row in found)


def test_rows_of_transfer(of_pair: Callable[[str], Found]) -> None:
    found, (first, second) = of_pair("transfer"), truths()
    assert {key[:2] for key in found} == {
        ("first", "baseline"),
        ("own", "candidate"),
        ("predictions", "candidate"),
        ("with_model", "baseline"),
        ("with_model", "candidate"),
    }
    for (_, target, _), row in found.items():
        assert row.truth == pytest.approx(first if target == "baseline" else second)


def test_rows_of_best(tmp_path: Path) -> None:
    """Two of the three thresholds of a good model are bad ones, and a weak model is never the best."""
    save(tmp_path, "onto", columns(3))
    points = [("good", "half", 0.5), ("good", "strict", 0.999), ("good", "lax", 0.01), ("weak", "half", 0.5)]
    write_index(tmp_path, [entry("onto", *each) for each in [*points, ("weak", "lax", 0.2)]])
    family = PoolModels(tmp_path, "candidates", "both")
    (category,) = family.categories()
    found = {(row.method, row.target, row.labels): row for row in rows_of(experiment("best"), family, category)}
    assert {key[:2] for key in found} == {
        ("best", "choice"),
        ("best", "by F1"),
        ("each", "choice"),
        ("each", "by F1"),
        ("uniform", "choice"),
        ("coda", "choice"),
        ("coda", "by accuracy"),
    }
    assert [row.truth for row in found.values()] == pytest.approx([truths()[0]] * len(found))
    assert found["best", "choice", 70].estimate == pytest.approx(truths()[0])
    assert found["best", "choice", 70].probability is not None


def of_run(name: str) -> Found:
    found = rows_of(experiments.find("disagree"), DisagreeFamily(name), 2)
    return {(row.method, row.target, row.labels): row for row in found}


def test_rows_of_models_that_disagree() -> None:
    found, task = of_run("independent 0.5"), DisagreeFamily("independent 0.5").load(2)
    wanted, budgets = experiments.find("disagree"), experiments.find("disagree").budgets
    keys = product(("pair", "each", "alone"), ("baseline", "candidate", "difference"), budgets)
    assert set(found) == set(keys)
    seed, (first, second) = seed_of(wanted, task, 0), task.models.values()
    truths = {"baseline": task.truth(), "candidate": task.truth(predictions=second.predictions)}
    truths["difference"] = truths["candidate"] - truths["baseline"]
    assert [row.truth for row in found.values()] == pytest.approx([truths[target] for _, target, _ in found])
    for target, model in (("baseline", first), ("candidate", second)):
        alone = finish(Evaluation(Pool(model.scores, model.predictions), seed=seed), task.labels, 30)
        assert found["alone", target, 30].estimate == alone.estimate().value, "all labels are for this model"
    scores = {name: model.scores for name, model in task.models.items()}
    pool = Pool(scores, {name: model.predictions for name, model in task.models.items()})
    for method, goal in (("pair", tuple(task.models)), ("each", "each")):
        joint = finish(Evaluation(pool, seed=seed, goal=goal), task.labels, 20)
        assert found[method, "candidate", 20].estimate == joint.estimate(model="second").value
        assert found[method, "difference", 20].probability == joint.compare("first", "second").probability


def test_models_of_the_same_f1_are_looked_at_after_each_round() -> None:
    found = of_run("flags")
    assert {method for method, _, _ in found} == {"pair"}
    assert {labels for _, _, labels in found} == {*experiments.find("disagree").budgets, *LOOKS}
    assert {row.truth for (_, target, _), row in found.items() if target == "difference"} == {0.0}


def test_models_that_disagree_from_the_command_line(tmp_path: Path) -> None:
    good("bench", "run", "disagree", "--out", str(tmp_path), "--fraction", "0.001", "--workers", "1")
    shown = good("bench", "report", str(tmp_path), "--models").output
    assert "| independent 0.5, each: F1 of each covered at 70 | at least 92 % |" in shown
    assert "| flags and grades: false verdict, mean | at most 5 % |" in shown


def test_repetitions_differ_and_baselines_are_run_once(pools: Path, tmp_path: Path) -> None:
    short = experiments.parse(
        "pairs",
        "kind = 'pairs'\nbudgets = [30]\nmethods = ['pair', 'first']\nrepetitions = 3\n"
        "families = [{ family = 'pool_models', half = 'both', kinds = ['text'] }]",
    )
    table = rows.read([run(short, tmp_path, (pools,), workers=1)])
    at = table.filter(pc.and_(pc.equal(table["labels"], 30), pc.equal(table["target"], "difference")))
    by_method = {name: at.filter(pc.equal(at["method"], name)) for name in ("pair", "first")}
    assert by_method["pair"]["repetition"].to_pylist() == [0, 1, 2]
    assert len(set(by_method["pair"]["estimate"].to_pylist())) == 3
    assert by_method["first"]["repetition"].to_pylist() == [0]


def test_from_the_command_line(pools: Path, tmp_path: Path) -> None:
    scores = tmp_path / "scores"
    scores.mkdir()
    image_folder(scores, ("simclr", "byol", "swav", "simclr_250"), items=3_000, classes=6, apart=3)
    out = tmp_path / "results"
    both = ("--data", str(scores), "--data", str(pools), "--half", "choosing", "--fraction", "0.05", "--workers", "1")
    told = good("bench", "run", *KINDS, "--out", str(out), *both).output
    assert "not run" not in told
    table = rows.read([out / "pairs.parquet"])
    of_images = table.filter(pc.equal(pc.cast(table["family"], "string"), "images"))
    assert {category % 2 for category in of_images["category"].to_pylist()} == {0}
    shown = good("bench", "report", str(out), "--models").output
    for kind in KINDS:
        assert f"## {experiments.find(kind).title}" in shown
    only = good("bench", "run", "best", "--out", str(tmp_path / "some"), *both[2:]).output
    assert "best: not run on what needs the folder with labels.npz" in only
