"""Pools of items that have one of many classes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lowshot
from lowshot.core.classes.scores import ClassScores, MultiScores
from lowshot.core.types import Floats
from lowshot.errors import InputError

from ..programs import run

# A pool of each kind. Scores with three digits after the point are the same numbers on every machine.
POOLS = """
import numpy as np, lowshot
scores = np.random.default_rng(0).integers(-9000, 9000, (500, 40)) / 1000
rows = {"id": np.repeat(np.arange(500), 40), "class": np.tile(np.arange(40), 500), "score": scores.ravel()}
print(
    lowshot.ClassPool(scores).fingerprint,
    lowshot.ClassPool(np.abs(scores) / 9).fingerprint,
    lowshot.ClassPool(scores, kind="multilabel", predictions=scores > 5).fingerprint,
    lowshot.ClassPool(rows, ids="id").fingerprint,
)
"""
VECTORS = "X86_V3 X86_V4 AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_ICL"  # by all names that NumPy has had
SHARES = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.5, 0.3], [0.0, 0.0, 1.0]])
BIRDS = ["heron", "crow", "wren"]


def probabilities(pool: lowshot.ClassPool) -> Any:
    table = pool.table
    assert isinstance(table, ClassScores)
    found = np.zeros((len(pool), table.categories))
    np.put_along_axis(found, table.candidate.astype(np.int64), np.exp(table.score), axis=1)
    return found


def test_probabilities_and_their_logarithms_and_logits_are_the_same() -> None:
    logs = np.log(SHARES[:3])
    first, second, third = (lowshot.ClassPool(s, classes=BIRDS) for s in (SHARES[:3], logs, logs + 7.5))
    assert np.allclose(probabilities(first), SHARES[:3], atol=1e-6)
    assert np.allclose(probabilities(first), probabilities(second), atol=1e-6)
    assert np.allclose(probabilities(second), probabilities(third), atol=1e-6)


def test_a_probability_of_zero_is_not_impossible() -> None:
    assert np.isfinite(lowshot.ClassPool(SHARES, classes=BIRDS).table.score).all()


def test_the_best_class_is_predicted() -> None:
    pool = lowshot.ClassPool(SHARES, classes=BIRDS)
    assert pool.predicted_counts.tolist() == [1, 1, 2]
    assert pool.table.predicted.tolist() == [0, 2, 1, 2]


def test_other_predictions() -> None:
    pool = lowshot.ClassPool(SHARES, classes=BIRDS, predictions=["wren", "wren", "heron", "heron"])
    assert pool.table.predicted.tolist() == [2, 2, 0, 0]
    assert np.exp(pool.table.predicted_score[:3]) == pytest.approx([0.1, 0.6, 0.2])


def test_columns_of_any_library() -> None:
    plain = lowshot.ClassPool(SHARES, classes=BIRDS, ids=["a", "b", "c", "d"])
    frame = pd.DataFrame(SHARES, columns=BIRDS).assign(path=["a", "b", "c", "d"])
    same = [
        lowshot.ClassPool(frame, ids="path"),
        lowshot.ClassPool(frame, classes=BIRDS, ids="path"),
        lowshot.ClassPool(pl.from_pandas(frame), ids="path"),
        lowshot.ClassPool(dict(zip(BIRDS, SHARES.T, strict=True)), ids=["a", "b", "c", "d"]),
        lowshot.ClassPool(SHARES.tolist(), classes=BIRDS, ids=["a", "b", "c", "d"]),
    ]
    assert {pool.fingerprint for pool in same} == {plain.fingerprint}


def test_a_parquet_file(tmp_path: Path) -> None:
    frame = pd.DataFrame(SHARES, columns=BIRDS).assign(path=["a", "b", "c", "d"])
    frame.to_parquet(tmp_path / "wide.parquet")
    wide = lowshot.ClassPool(tmp_path / "wide.parquet", ids="path", classes=BIRDS)
    rows = frame.melt(id_vars="path", var_name="class", value_name="score").rename(columns={"path": "id"})
    rows.sample(frac=1, random_state=0).to_parquet(tmp_path / "long.parquet")
    long = lowshot.ClassPool(str(tmp_path / "long.parquet"), ids="id", classes=BIRDS)
    assert wide.ids is not None
    order = [long.positions([name])[0] for name in wide.ids.tolist()]
    assert np.allclose(probabilities(wide), probabilities(long)[order], atol=1e-6)


def test_rows_of_the_best_classes_only() -> None:
    rows = {"id": ["a", "a", "b"], "class": ["crow", "heron", "wren"], "score": [0.5, 0.3, 0.6]}
    pool = lowshot.ClassPool(rows, ids="id", classes=BIRDS)
    assert pool.table.predicted.tolist() == [1, 2]
    assert pool.table.rest == pytest.approx([0.2, 0.4])


def test_a_memory_map(tmp_path: Path) -> None:
    np.save(tmp_path / "scores.npy", SHARES.astype(np.float16))
    mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
    assert np.allclose(probabilities(lowshot.ClassPool(mapped, classes=BIRDS)), SHARES, atol=1e-3)


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(50, 40))
    whole = lowshot.ClassPool(scores)
    monkeypatch.setattr("lowshot.pools.class_columns.CHUNK", 97)
    assert lowshot.ClassPool(scores).fingerprint == whole.fingerprint


def test_the_best_32_are_kept_and_the_rest_is_one_number() -> None:
    scores = np.random.default_rng(0).normal(size=(200, 100))
    table = lowshot.ClassPool(scores).table
    assert isinstance(table, ClassScores)
    share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert table.candidate.shape == (200, 32)
    assert (table.candidate[:, 0] == scores.argmax(axis=1)).all()
    assert np.sort(share, axis=1)[:, ::-1][:, :32] == pytest.approx(np.exp(table.score), rel=1e-4)
    assert table.rest == pytest.approx(1 - np.exp(table.score).sum(axis=1), abs=1e-5)
    assert table.tail.sum() == pytest.approx(table.rest.mean(), rel=1e-4)


@pytest.mark.parametrize("kind", ["single", "multilabel"])
def test_the_fingerprint_does_not_depend_on_how_scores_lie_in_memory(kind: str) -> None:
    scores = np.random.default_rng(0).normal(0, 5, (500, 34)).astype(np.float32)
    names = [f"bird {number}" for number in range(34)]
    flags = scores > 5 if kind == "multilabel" else None
    one, two = (
        lowshot.ClassPool(each, classes=names, kind=kind, predictions=flags)
        for each in (scores, np.asfortranarray(scores))
    )
    assert one.fingerprint == two.fingerprint


@pytest.mark.slow
def test_the_fingerprint_does_not_depend_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logarithms do, by their last bit: a store would be refused on another machine."""
    here = run(POOLS).stdout
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", VECTORS)
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")  # about names that this NumPy does not have
    assert run(POOLS).stdout == here


def test_every_score_counts_for_the_fingerprint() -> None:
    changed = SHARES.copy()
    changed[1, 0] += 1e-6
    swapped = SHARES[:, [1, 0, 2]]
    found = {lowshot.ClassPool(one, classes=BIRDS, predictions=["crow"] * 4).fingerprint
             for one in (SHARES, changed, swapped)}  # fmt: skip
    assert len(found) == 3
    rows = {"id": ["a", "a", "b"], "class": ["crow", "heron", "wren"], "score": [0.5, 0.3, 0.6]}
    mixed = {name: [column[place] for place in (2, 0, 1)] for name, column in rows.items()}
    other = {**rows, "score": [0.5, 0.3, 0.7]}
    plain, same, another = (lowshot.ClassPool(one, ids="id", classes=BIRDS).fingerprint for one in (rows, mixed, other))
    assert plain == same != another
    without = {name: column[:1] + column[2:] for name, column in rows.items()}
    zero = lowshot.ClassPool({**rows, "score": [0.5, 0.0, 0.6]}, ids="id", classes=BIRDS)
    assert zero.fingerprint != lowshot.ClassPool(without, ids="id", classes=BIRDS).fingerprint


def test_the_fingerprint_does_not_depend_on_the_order_of_rows() -> None:
    names, order = np.array(["a", "b", "c", "d"]), [2, 0, 3, 1]
    one = lowshot.ClassPool(SHARES, classes=BIRDS, ids=names)
    two = lowshot.ClassPool(SHARES[order], classes=BIRDS, ids=names[order])
    assert one.fingerprint == two.fingerprint
    assert one.fingerprint != lowshot.ClassPool(SHARES, classes=BIRDS[::-1], ids=names).fingerprint
    flags = SHARES > 0.4
    several = [lowshot.ClassPool(s, classes=BIRDS, ids=n, kind="multilabel", predictions=f)
               for s, n, f in ((SHARES, names, flags), (SHARES[order], names[order], flags[order]))]  # fmt: skip
    assert several[0].fingerprint == several[1].fingerprint != one.fingerprint


def test_several_classes_per_item() -> None:
    pool = lowshot.ClassPool(SHARES, classes=BIRDS, kind="multilabel", predictions=SHARES > 0.25)
    assert isinstance(pool.table, MultiScores)
    assert pool.predicted_counts.tolist() == [1, 2, 3]
    assert repr(pool) == "ClassPool(4 items, 3 classes, any number per item)"


def test_one_category_as_a_pool_of_its_own() -> None:
    pool = lowshot.ClassPool(SHARES, classes=BIRDS)
    view = pool.of_category("wren")
    assert view.predicted_positives == 2
    assert np.exp(view.level(np.arange(3))) == pytest.approx(SHARES[:3, 2], abs=1e-6)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([0.1, 0.9], {}, r"scores must be numbers, a row per item with a column per class: .* shape \(2,\)"),
        ([[0.1, 0.9], [0.5]], {}, r"scores must be rows of equal length"),
        ([["a", "b"]], {}, r"scores must be numbers"),
        (np.empty((0, 3)), {}, r"scores must be numbers"),
        ([[0.1, np.nan, 0.2]], {}, r"scores must be numbers: got nan in row 0, column 1"),
        ([[1.0, 2.0], [np.inf, 1.0]], {}, r"got inf in row 1, column 0"),
        (np.ma.masked_less(SHARES, 0.15), {}, r"scores must have no masked values: 4 are masked"),
        ([[-np.inf, -np.inf]], {}, r"above -inf for one class of each item: row 0"),
        ([[0.3], [0.4]], {}, r"classes must be at least two: got one; use lowshot.Pool"),
        (SHARES, {"classes": ["a", "a", "b"]}, r"classes must be distinct: got 'a' twice"),
        (SHARES, {"predictions": [0, 1]}, r"predictions must be one for each item: got 2 for 4 items"),
        (SHARES, {"classes": BIRDS, "predictions": ["owl"] * 4}, r"predictions must be a category of the pool"),
        (SHARES, {"ids": ["a", "b", "c", "a"]}, r"ids must be distinct"),
        (SHARES, {"weights": [1, 1, -1, 1]}, r"weights must be positive"),
        (SHARES, {"kind": "multilabel"}, r"predictions must be given with kind 'multilabel'"),
        (SHARES, {"kind": "multilabel", "predictions": [[1, 0]]}, r"predictions must have the shape of scores"),
        (SHARES, {"kind": "multilabel", "predictions": SHARES}, r"predictions must be 0 or 1"),
        ({"v1": SHARES, "v2": SHARES}, {}, r"scores must be those of one model"),
        (pd.DataFrame(SHARES, columns=BIRDS), {"ids": "path"}, r"ids must be a column of scores: got 'path'"),
        (pd.DataFrame(SHARES, columns=BIRDS), {"classes": ["owl", "crow"]}, r"classes must be columns of scores"),
        ("nothing.parquet", {}, r"scores must be a file that exists"),
    ],
)  # fmt: skip
def test_bad_input(scores: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lowshot.ClassPool(scores, **options)


def test_an_item_and_a_class_twice() -> None:
    rows = {"id": ["a", "a"], "class": ["crow", "crow"], "score": [0.5, 0.3]}
    with pytest.raises(InputError, match="item 'a' has class 'crow' twice"):
        lowshot.ClassPool(rows, ids="id", classes=BIRDS)


def test_a_pool_is_read_only() -> None:
    with pytest.raises(AttributeError, match="a pool is read-only"):
        lowshot.ClassPool(SHARES).ids = None  # type: ignore[misc]


@pytest.mark.parametrize("what", ["with_model", "with_predictions"])
def test_one_model(what: str) -> None:
    with pytest.raises(InputError, match="not supported with many classes"):
        getattr(lowshot.ClassPool(SHARES), what)("v2")


@pytest.mark.parametrize(
    ("names", "kind", "message"),
    [
        (["a", "not a", "b"], "single", "classes must not be called 'not a' if there is 'a' too"),
        (["a", "not a", "b"], "multilabel", "classes must not be called 'not a' if there is 'a' too"),
        (["at least a", "a", "b"], "multilabel", "classes must not be called 'at least a' if there is 'a' too"),
    ],
)
def test_names_that_are_answers_about_another_class(names: list[str], kind: Any, message: str) -> None:
    scores = np.eye(3)
    with pytest.raises(InputError, match=message):
        lowshot.ClassPool(scores, classes=names, kind=kind, predictions=None if kind == "single" else scores > 0)


HARD = np.array(
    [
        [0.0, 1e-300, 2e-300],  # all 0 in single precision
        [0.5, 0.5 - 1e-12, 0.5 + 1e-12],  # all 0.5
        [0.3, 0.3, 0.1],  # the first of equal ones
        [0.0, 0.0, 0.0],
    ]
)
HUGE = np.array(
    [
        [1.0, 1e300, -1e300],
        [1.7e308, -1.7e308, 1.6e308],
        [2.0**60, 2.0**60 + 256, 2.0**60],
        [-np.inf, -1e300, -1.1e300],
        [5.0, 5.0, 4.0],
    ]
)


def as_file(scores: Any, folder: Path) -> Path:
    pq.write_table(pa.table({name: scores[:, place] for place, name in enumerate(BIRDS)}), folder / "scores.parquet")
    return folder / "scores.parquet"


def as_map(scores: Any, folder: Path) -> Any:
    np.save(folder / "scores.npy", scores)
    return np.load(folder / "scores.npy", mmap_mode="r")


def as_rows(scores: Any, folder: Path) -> dict[str, list[Any]]:
    """The classes in another order, and without those that are impossible."""
    there = [(item, place) for item in range(len(scores)) for place in (2, 0, 1) if scores[item, place] > -np.inf]
    return {
        "id": [f"item {item}" for item, _ in there],
        "class": [BIRDS[place] for _, place in there],
        "score": [scores[item, place] for item, place in there],
    }


WAYS: dict[str, Callable[[Any, Path], Any]] = {
    "array": lambda scores, _: scores,
    "lists": lambda scores, _: scores.tolist(),
    "columns in memory": lambda scores, _: np.asfortranarray(scores),
    "another byte order": lambda scores, _: scores.astype(">f8"),
    "memory map": as_map,
    "pandas": lambda scores, _: pd.DataFrame(scores, columns=BIRDS),
    "polars": lambda scores, _: pl.DataFrame(dict(zip(BIRDS, scores.T, strict=True))),
    "columns": lambda scores, _: dict(zip(BIRDS, scores.T, strict=True)),
    "Parquet": as_file,
    "rows": as_rows,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scores", [HARD, HUGE], ids=["probabilities", "scores"])
def test_the_best_class_by_the_scores_as_they_were_given(
    scores: Floats, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lowshot.pools.class_columns.CHUNK", 7)  # two items
    given = WAYS[way](scores, tmp_path)
    pool = lowshot.ClassPool(given, classes=BIRDS, ids="id" if way == "rows" else None)
    assert pool.predicted_names(np.arange(len(scores))) == [[BIRDS[place]] for place in scores.argmax(axis=1)]
    evaluation = lowshot.Evaluation(pool, metric="f1_macro", seed=0)
    items = evaluation.ask(3)
    evaluation.tell(items, ["crow"] * len(items))
    assert evaluation.estimate().defined


def test_whole_numbers_beyond_double_precision() -> None:
    scores = np.array([[2**60, 2**60 + 1, 2**60 + 2], [-(2**63), 2**63 - 2, 2**63 - 1]])
    assert lowshot.ClassPool(scores).predicted_counts.tolist() == [0, 0, 2]
    rows = {"id": ["a"] * 3 + ["b"] * 3, "class": BIRDS * 2, "score": scores.ravel()}
    assert lowshot.ClassPool(rows, ids="id", classes=BIRDS).predicted_counts.tolist() == [0, 0, 2]


def test_several_classes_per_item_with_scores_beyond_single_precision() -> None:
    pool = lowshot.ClassPool(HUGE, classes=BIRDS, kind="multilabel", predictions=HUGE > 1e100)
    assert pool.predicted_counts.tolist() == [1, 1, 1]
    evaluation = lowshot.Evaluation(pool, seed=0)
    items = evaluation.ask(3)
    evaluation.tell(items, [["crow"]] * len(items))
    assert evaluation.estimate().defined


def test_columns_of_different_lengths() -> None:
    with pytest.raises(InputError, match="scores must have columns of one length: 'a' has 3 values, and 'b' has 2"):
        lowshot.ClassPool({"a": np.ones(3), "b": np.ones(2)})


INDEX = pd.Index(["d", "a", "c", "b"])
FRAME = pd.DataFrame(SHARES, columns=BIRDS, index=INDEX)
PREDICTED = pd.Series(["heron", "wren", "crow", "wren"], index=INDEX)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"predictions": PREDICTED.sort_index()}, "predictions must have the same index as scores: they differ; align"),
        ({"predictions": (FRAME > 0.5).sort_index(), "kind": "multilabel"}, "predictions must have the same index"),
        ({"ids": pd.Series(INDEX, index=INDEX).sort_index()}, "ids must have the same index as scores"),
        ({"weights": pd.Series(range(1, 5), index=INDEX).sort_index()}, "weights must have the same index as scores"),
        (
            {"slices": {"a": PREDICTED, "b": PREDICTED.sort_index()}},
            r"slices\['b'\] must have the same index as scores",
        ),
    ],
)
def test_columns_in_another_order_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        lowshot.ClassPool(FRAME, **options)
    plain = lowshot.ClassPool(FRAME, predictions=PREDICTED, ids=pd.Series(INDEX, index=INDEX))
    assert plain.predicted_names(np.arange(4)) == [["heron"], ["wren"], ["crow"], ["wren"]]


def test_classes_in_another_order_are_refused() -> None:
    scores = {"heron": FRAME["heron"], "crow": FRAME["crow"].sort_index()}
    with pytest.raises(InputError, match=r"scores\['crow'\] must have the same index as scores\['heron'\]"):
        lowshot.ClassPool(scores)


def test_the_index_of_rows_per_class_is_not_that_of_items() -> None:
    rows = FRAME.reset_index(names="path").melt("path", var_name="class", value_name="score")
    pool = lowshot.ClassPool(rows, ids="path", predictions=PREDICTED.sort_index())
    assert pool.predicted_names(np.arange(4)) == [["wren"], ["wren"], ["crow"], ["heron"]]
    with pytest.raises(InputError, match="slices must be in the order of the items, 'a', 'b', 'c'"):
        lowshot.ClassPool(rows, ids="path", predictions=PREDICTED)
