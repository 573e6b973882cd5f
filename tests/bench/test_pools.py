"""A folder of pools: what is read, which half is run, how near-perfect pools are made, and how bad input is refused."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lowshot import Evaluation, InputError
from lowshot.result import Estimate
from lowshot.tasks import finish
from lowshot_bench import experiment as experiments
from lowshot_bench import rows, task_rows
from lowshot_bench.cli import some_pools
from lowshot_bench.families import PoolsFamily, make_family
from lowshot_bench.families.near_perfect import GOOD, LEVELS, kept_items
from lowshot_bench.families.task import Task
from lowshot_bench.run import Amount, left_out, not_run, reserve, run

from ..helpers import good, invoke, refused
from .pool_folder import ITEMS, POSITIVES, columns, entry, pool_folder, save, write_index

CHOOSING, REPORTING = {"cover", "wine", "onto"}, {"skin"}  # alternating within a kind, in alphabetical order


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return pool_folder(tmp_path / "pools")


def names(family: PoolsFamily) -> dict[str, int]:
    return {family.task_name(category): category for category in family.categories()}


def load(family: PoolsFamily, name: str) -> Task:
    return family.load(names(family)[name])


# ---- reading --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dataset", "seed"), [("cover", 0), ("wine", 2)])
def test_a_pool_has_the_scores_labels_and_threshold_of_the_folder(folder: Path, dataset: str, seed: int) -> None:
    task, stored = load(PoolsFamily(folder, "both"), f"{dataset}/weak/screen"), columns(seed)
    np.testing.assert_array_equal(task.labels, stored["label"] == 1)
    np.testing.assert_array_equal(task.pool.scores, stored["weak"])
    np.testing.assert_array_equal(task.pool.predictions, stored["weak"].astype(float) >= 0.1)
    assert (task.family, task.name, task.kept) == ("tabular", f"{dataset}/weak/screen", None)


def test_the_threshold_is_not_rounded_to_the_precision_of_the_scores(folder: Path) -> None:
    """0.1 as float32 is a little above 0.1, and as the threshold it would be a little above itself."""
    save(folder, "skin", {"label": np.array([1, 0, 0]), "good": np.array([0.1, 0.3, 0.05], dtype=np.float32)})
    write_index(folder, [entry("skin", "good", threshold=0.1), entry("skin", "good", "less", 0.30000001)])
    family = PoolsFamily(folder, "both")
    assert load(family, "skin/good/half").pool.predictions.tolist() == [True, True, False]
    assert load(family, "skin/good/less").pool.predictions.tolist() == [False, True, False]


def test_halves_share_no_data_set_and_together_are_everything(folder: Path) -> None:
    found = {half: set(names(PoolsFamily(folder, half))) for half in ("choosing", "reporting", "both")}
    assert {name.split("/")[0] for name in found["choosing"]} == CHOOSING
    assert {name.split("/")[0] for name in found["reporting"]} == REPORTING
    assert found["choosing"] | found["reporting"] == found["both"]
    assert PoolsFamily(folder).half == "reporting"


def test_a_pool_keeps_its_number_whatever_is_chosen(folder: Path) -> None:
    every = names(PoolsFamily(folder, "both"))
    for family in (PoolsFamily(folder, "choosing"), PoolsFamily(folder, "both", ["text"], ["screen", "near"])):
        assert names(family).items() <= every.items()
    chosen = set(names(PoolsFamily(folder, "both", ["text"], ["screen", "near"])))
    assert chosen == {"onto/weak/screen", "onto/good/half/near"}


@pytest.mark.parametrize(
    ("given", "low", "high", "scale"),
    [(None, 0, 1, "probability"), (None, -3, 4, "logit"), ("log", -9, 0, "log"), ("logit", 0, 1, "logit")],
)
def test_the_scale_is_given_or_follows_from_the_range(
    folder: Path, given: str | None, low: float, high: float, scale: str
) -> None:
    save(folder, "cover", {"label": np.arange(5) % 2, "good": np.linspace(low, high, 5)})
    write_index(folder, [entry("cover", "good", threshold=low, **({"scale": given} if given else {}))])
    assert PoolsFamily(folder, "both").load(0).pool.scale == scale


def test_pools_that_cannot_be_evaluated_are_named_with_the_reason(folder: Path) -> None:
    save(folder, "onto", {"label": np.zeros(9), "good": np.linspace(0, 1, 9)})
    write_index(folder, [entry("onto", "good"), entry("cover", "weak"), entry("cover", "weak", "never", 2)])
    family = PoolsFamily(folder, "both")
    assert list(names(family)) == ["cover/weak/half"]
    assert {family.task_name(n): words.split(":")[0] for n, words in family.excluded().items()} == {
        "onto/good/half": "no positives",
        "cover/weak/never": "no predictions",
    }
    chosen = experiments.FamilyChoice("pools", {"half": "both"})
    notes = left_out(experiments.Experiment("zoo", "", "", (chosen,)), folder)
    assert notes[0].startswith("pools: 1 pools left out (onto/good/half): no positives")


def test_a_family_travels_as_its_arguments(folder: Path) -> None:
    family = PoolsFamily(folder, "both")
    family.excluded()
    packed = pickle.dumps(family)
    assert len(packed) < 1000
    again = pickle.loads(packed)
    name = "skin/good/half/near"
    assert load(again, name).pool.fingerprint == load(family, name).pool.fingerprint


# ---- near-perfect pools ---------------------------------------------------------------------------------------------


def test_near_perfect_pools_reach_their_f1_and_only_mistakes_are_deleted(folder: Path) -> None:
    family, stored = PoolsFamily(folder, "both"), columns(1)
    real = load(family, "skin/good/half")
    assert GOOD[0] <= real.truth() < GOOD[1]
    before = len(real.pool)
    for level, f1 in LEVELS.items():
        task = load(family, f"skin/good/half/{level}")
        assert task.family == f"made {level}"
        assert task.kept is not None
        deleted = np.setdiff1d(np.arange(ITEMS), task.kept)
        assert (real.labels[deleted] != real.pool.predictions[deleted]).all()
        np.testing.assert_array_equal(task.labels, real.labels[task.kept])
        np.testing.assert_array_equal(task.pool.scores, stored["good"][task.kept])
        assert task.truth() >= f1
        hits = int((real.labels & real.pool.predictions).sum())
        one_more = 2 * hits / (2 * hits + (task.labels != task.pool.predictions).sum() + 1)
        assert one_more < f1, "not more mistakes are deleted than needed"
        assert len(task.pool) < before, "each level has fewer mistakes than the one before"
        before = len(task.pool)
    assert task.truth() == 1


def test_the_same_mistakes_are_deleted_in_every_run(folder: Path) -> None:
    task = load(PoolsFamily(folder, "both"), "skin/good/half")
    kept = kept_items(task.labels, task.pool.predictions, "near", "skin/good/half")
    np.testing.assert_array_equal(load(PoolsFamily(folder), "skin/good/half/near").kept, kept)
    other = kept_items(task.labels, task.pool.predictions, "near", "another pool")
    assert len(other) == len(kept)
    assert (other != kept).any()
    nearer = kept_items(task.labels, task.pool.predictions, "nearer", "skin/good/half")
    assert np.isin(nearer, kept).all()


def test_only_good_pools_are_made_near_perfect(folder: Path) -> None:
    made = {name.rsplit("/", 1)[0] for name in names(PoolsFamily(folder, "both")) if name.count("/") == 3}
    assert made == {"cover/good/half", "skin/good/half", "wine/good/half", "onto/good/half"}


# ---- bad input ------------------------------------------------------------------------------------------------------


def with_values(name: str, position: int, value: float) -> dict[str, np.ndarray]:
    values = {key: column.astype(float) for key, column in columns(0).items()}
    values[name][position] = value
    return values


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"dataset": "cover"}, r"index.json must be a list with one object per pool: got a dict; docs/bench.md"),
        ([], "must be a list with one object per pool: got an empty list"),
        (["cover"], r"index.json, entry 0 must be an object: got 'cover'"),
        ([{"dataset": "cover", "kind": "tabular"}], "entry 0 must have .*: model, point, threshold missing"),
        ([entry("cover", "good", threshold="0.5")], "entry 0: threshold must be a finite number: got '0.5'"),
        ([entry("cover", "good", threshold=None)], "threshold must be a finite number: got None"),
        ([entry("cover", "good", threshold=float("nan"))], "threshold must be a finite number: got nan"),
        ([entry("cover", "good", threshold=10**400)], "threshold must be a finite number: got one that is too large"),
        ([entry("cover", "good"), entry("cover", 7)], "entry 1: model must be a text that is not empty: got 7"),
        ([entry("cover", "a/b")], "model must be a name without / and .* got 'a/b'; rename it"),
        ([{**entry("cover", "good"), "dataset": "../cover"}], "dataset must be a name without / and"),
        ([entry("cover", "label")], "model must not be 'label', the name of the column of labels"),
        ([entry("cover", "good", "near")], "point must not be near, nearer, perfect, .*: got 'near'; rename it"),
        ([entry("cover", "good", scale="odds")], "entry 0: scale must be one of probability, log, logit: got 'odds'"),
        ([entry("cover", "good")] * 2, "must list each pool once: cover/good/half is there 2 times; give each"),
        (
            [entry("cover", "good"), {**entry("cover", "weak"), "kind": "text"}],
            "one kind per data set: cover is tabular and text; choose one",
        ),
        ([entry("cover", "best")], r"cover.npz must have a column 'best': it has label, good, weak"),
        ([entry("onto", "best")], r"onto.parquet must have a column 'best': it has label, good, weak"),
        (
            [{**entry("cover", "good"), "dataset": "none"}],
            r"must have one of none.npz and none.parquet: .* has neither",
        ),
    ],
)
def test_a_bad_index_says_what_is_wrong(folder: Path, entries: Any, message: str) -> None:
    write_index(folder, entries)
    with pytest.raises(InputError, match=message):
        PoolsFamily(folder, "both").categories()


@pytest.mark.parametrize("dataset", ["cover", "onto"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (with_values("good", 7, np.nan), r", column 'good': scores must be finite: 1 of 1500 .*position 7: nan"),
        (with_values("label", 3, 2), r": label must be 0 or 1: 1 of 1500 are not \(first at position 3: 2.0\); leave"),
        (with_values("label", 3, np.nan), r": label must be 0 or 1: 1 of 1500 are not \(first at position 3: nan\)"),
        ({"good": np.linspace(0, 1, 9)}, "must have a column 'label': it has good"),
        ({"label": np.arange(2), "good": np.array(["high", "low"])}, "column 'good': scores must be numbers"),
    ],
)
def test_a_bad_file_says_what_is_wrong(folder: Path, dataset: str, values: dict[str, np.ndarray], message: str) -> None:
    save(folder, dataset, values)
    write_index(folder, [entry(dataset, "good")])
    with pytest.raises(InputError, match=rf"{dataset}\.(npz|parquet).*{message}"):
        PoolsFamily(folder, "both").categories()


def test_files_that_cannot_be_read_say_so(folder: Path) -> None:
    family = PoolsFamily(folder, "both")
    (folder / "cover.parquet").touch()
    with pytest.raises(InputError, match=r"one of cover.npz and cover.parquet: .* has both; delete one"):
        family.categories()
    (folder / "cover.npz").unlink()
    with pytest.raises(InputError, match=r"cover.parquet must be a Parquet file of numbers: .*cannot be read"):
        PoolsFamily(folder, "both").categories()
    (folder / "cover.parquet").unlink()
    (folder / "cover.npz").write_bytes(b"PK no zip file")
    with pytest.raises(InputError, match=r"cover.npz must be an .npz file of numbers: 'label' cannot be read"):
        PoolsFamily(folder, "both").categories()
    with (folder / "cover.npz").open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(InputError, match=r"'label' cannot be read \(it has one array without a name; write it with"):
        PoolsFamily(folder, "both").categories()
    np.savez(folder / "cover.npz", label=np.arange(3) % 2, good=np.ones(4))
    with pytest.raises(InputError, match=r"one score per label: 'good' has 4 values for 3 labels"):
        PoolsFamily(folder, "both").categories()
    np.savez(folder / "cover.npz", label=np.array([0, 1]), good=np.array([{}, {}], dtype=object))
    with pytest.raises(InputError, match=r"cover.npz must be an .npz file of numbers: 'good' cannot be read"):
        PoolsFamily(folder, "both").categories()
    (folder / "index.json").write_text("[{")
    with pytest.raises(InputError, match=r"index.json must be JSON: "):
        PoolsFamily(folder, "both").categories()
    (folder / "index.json").unlink()
    with pytest.raises(InputError, match=r"data must be a folder with index.json: there is no file .*; docs/bench.md"):
        PoolsFamily(folder, "both").categories()


def test_scores_of_a_nullable_column_that_are_missing_are_refused(folder: Path) -> None:
    table = pa.table({"label": [0, 1, 1], "good": [0.5, None, 0.7]})
    pq.write_table(table, folder / "onto.parquet")
    write_index(folder, [entry("onto", "good")])
    with pytest.raises(InputError, match=r"column 'good': scores must be finite: 1 of 3 are not"):
        PoolsFamily(folder, "both").categories()


def test_a_choice_without_pools_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="half must be one of choosing, reporting, both: got 'odd'"):
        PoolsFamily(folder, "odd")
    with pytest.raises(InputError, match=r"kinds \(--kind\) must be among tabular, text: got 'video'"):
        PoolsFamily(folder, "both", kinds=["video"]).categories()
    with pytest.raises(
        InputError, match=r"points \(--point\) must be among half, near, nearer, perfect, screen: got 'x'"
    ):
        PoolsFamily(folder, "both", points=["x"]).categories()
    with pytest.raises(InputError, match=r"'reporting' has none here, because onto are in the other half; use .*both"):
        PoolsFamily(folder, kinds=["text"]).categories()
    with pytest.raises(InputError, match="category must be the number of a pool that was chosen: got 99"):
        PoolsFamily(folder, "both").load(99)
    with pytest.raises(InputError, match=r"data must be the folder with index.json and one file .*: got None"):
        make_family("pools", {})


# ---- running --------------------------------------------------------------------------------------------------------


def small(**changes: Any) -> experiments.Experiment:
    text = """
        budgets = [10, 30, 2000]
        methods = ["acis", "topk"]
        also = ["prevalence"]
        repetitions = 2
        families = [{ family = "pools", half = "both", kinds = ["text"] }]
    """
    return replace(experiments.parse("zoo", text), **changes)


def test_rows_equal_a_plain_loop(folder: Path, tmp_path: Path) -> None:
    found = rows.read([run(small(), tmp_path / "out", folder, workers=1)]).to_pylist()
    assert {row["labels"] for row in found} == {10, 30}, "a pool of 1,500 items cannot give 2,000 labels"
    task = load(PoolsFamily(folder, "both"), "onto/weak/screen")
    evaluation = Evaluation(task.pool, "f1", "acis", task_rows.seed_of(small(), task, 1))
    finish(finish(evaluation, task.labels, 10), task.labels, 30)
    for target, metric, truth in (("own", "f1", task.truth()), ("prevalence", "prevalence", POSITIVES / ITEMS)):
        estimate = evaluation.estimate(metric)
        keys = {"task": task.name, "method": "acis", "target": target, "repetition": 1, "labels": 30, "family": "text"}
        chosen = [row for row in found if all(row[k] == v for k, v in keys.items())]
        assert [(row["estimate"], row["truth"]) for row in chosen] == [(estimate.value, truth)]
        assert chosen[0]["low"] == estimate.interval.low  # type: ignore[union-attr]
        assert chosen[0]["warned"] is bool(estimate.warning)


def test_a_warning_is_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Evaluation.estimate

    def warns(self: Evaluation, metric: Any = None, **more: Any) -> Estimate:
        return replace(plain(self, metric, **more), warning="careful" if metric == "prevalence" else "")

    monkeypatch.setattr(Evaluation, "estimate", warns)
    family = PoolsFamily(folder)
    found = task_rows.rows_of(small(budgets=(10,)), family, names(family)["skin/weak/half"])
    assert {(row.target, row.warned) for row in found} == {("own", False), ("prevalence", True)}


def test_rows_of_other_data_are_not_taken_for_those_of_this_folder(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    reserve(out, small(), Amount(), [PoolsFamily(folder).fingerprint])
    reserve(out, small(), Amount(), [PoolsFamily(folder).fingerprint])  # the same again: goes on
    index = folder / "index.json"
    index.write_text(index.read_text() + "\n")
    with pytest.raises(InputError, match="has another data; choose another folder, or delete it"):
        reserve(out, small(), Amount(), [PoolsFamily(folder).fingerprint])


def test_every_data_set_has_enough_runs_with_full(folder: Path) -> None:
    """Skin has three real pools and one at each level."""
    family = PoolsFamily(folder)
    whole = Amount(full=True).of(small(runs=200))
    assert task_rows.repetitions(whole, load(family, "skin/weak/half")) == 67
    assert task_rows.repetitions(whole, load(family, "skin/good/half/near")) == 200
    assert task_rows.repetitions(Amount(full=True).of(small(runs=3)), load(family, "skin/weak/half")) == 2
    assert task_rows.repetitions(Amount().of(small(runs=200)), load(family, "skin/weak/half")) == 2
    assert task_rows.repetitions(Amount(True, 0.1).of(small(runs=200)), load(family, "skin/weak/half")) == 7


@pytest.mark.parametrize("later", [["probability"], ["task", "warned", "probability"]])
def test_rows_of_before_can_still_be_read(tmp_path: Path, later: list[str]) -> None:
    table = rows.table_of([rows.Row("f", 1, "acis", "own", 0, 10, 0.5, 0.01, 0.3, 0.7, 0.6, 0.1)])
    rows.save(tmp_path / "old.parquet", table.drop_columns(later))
    found = rows.read([tmp_path / "old.parquet"])
    assert found.schema.names == rows.SCHEMA.names
    assert [found[name].to_pylist() for name in later] == [[None]] * len(later)
    rows.save(tmp_path / "less.parquet", table.drop_columns(["truth"]))
    with pytest.raises(InputError, match="must have the columns family, "):
        rows.read([tmp_path / "less.parquet"])


def test_packed_rows_of_pools_keep_a_small_prevalence_and_the_warning(tmp_path: Path) -> None:
    key = ("f", 1, "curve", "prevalence", 0, 10)
    named = rows.Row(*key, 0.00123456, 1e-8, 0.000512345, 0.00212345, 0.99876, 0.1, "cover/lr/half", True)
    rows.pack(tmp_path / "zoo.parquet", rows.table_of([named, named._replace(task=None, warned=None)]))
    first, second = rows.read([tmp_path / "zoo.parquet"]).to_pylist()
    numbers = [[row[name] for name in ("estimate", "low", "high", "truth")] for row in (first, second)]
    assert numbers[0] == pytest.approx([0.001235, 0.0005123, 0.002123, 0.9988], rel=1e-6)
    assert numbers[1] == pytest.approx([0.001, 0.001, 0.002, 0.999], rel=1e-6)
    assert (first["warned"], second["warned"], first["task"]) == (True, None, "cover/lr/half")


def test_data_sets_of_the_other_half_are_told(folder: Path) -> None:
    """By default half of the data sets is run; with both, nothing is left out."""
    told = f"{folder}: 1 of 4 data sets are run, those of the half 'reporting'; --half both runs all of them"
    assert not_run(experiments.find("zoo"), folder) == [told]
    both = some_pools(experiments.find("zoo"), "both", None, None)
    assert not_run(both, folder) == []


def test_command_line(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    more = ("--data", str(folder), "--out", str(out), "--workers", "1", "--fraction", "0.4")
    refused("--data must be given for zoo: the folder with index.json", "bench", "run", "zoo", "--out", str(out))
    other = ("--half", "both", "--kind", "text")
    refused("--half and --kind must be given for .*: figure4 is not", "bench", "run", "figure4", *more, *other)
    refused("half must be one of choosing, reporting, both: got 'all'", "bench", "run", "zoo", *more, "--half", "all")
    some = ("--kind", "tabular", "--point", "half")
    told = good("bench", "run", "zoo", "zoo_recall", *more, "--half", "choosing", *some).output
    others = f"{folder}: 2 of 3 data sets are run, those of the half 'choosing'; --half both runs all of them\n"
    assert told.count(others) == 1, "once for all experiments"
    found = rows.read([out / "zoo.parquet"])
    tasks = set(pc.unique(found["task"]).to_pylist())
    assert tasks < {f"{dataset}/{model}/half" for dataset in ("cover", "wine") for model in ("good", "weak")}
    told = good("bench", "report", str(out), "--zoo", "curve").output
    assert [line for line in told.splitlines() if line.startswith("### ")] == [
        "### F1",
        "### prevalence, from labels that were chosen for F1",
        "### recall",
    ]
    assert told.count("| tabular (") == 3
    assert "another experiment" in invoke("bench", "run", "zoo", *more, "--half", "both").stderr
    good("bench", "pack", str(out), "--to", str(tmp_path / "packed"))
    assert "### recall" in good("bench", "report", str(tmp_path / "packed"), "--zoo", "gmm").output
    refused("--zoo must name a method that was run", "bench", "report", str(out), "--zoo", "rand")
    assert json.loads((out / "zoo" / "experiment.json").read_text())["amount"]["fraction"] == 0.4
