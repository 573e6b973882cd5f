"""The pool: columns of every kind, held as a read-only copy; its fingerprint, threshold, scale, other predictions."""

import gc
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lowshot import Evaluation, InputError, Pool

unshrunk = (Phase.explicit, Phase.generate)  # cases are small as they are, and shrinking takes half a minute
repeatable = settings(derandomize=True, deadline=None, max_examples=60, phases=unshrunk)

SCORES = [0.75, 0.5, 0.25, 0.5, 0.125]  # exact in float16
PREDICTIONS = [1, 1, 0, 0, 0]
NAMES = ["e", "d", "c", "b", "a"]
NUMBERS = [50, 40, 30, 20, 10]

Column = Callable[[Sequence[Any]], Any]


def chunked(values: Sequence[Any]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values[:2]), pa.array(values[2:])])


CONTAINERS: dict[str, Column] = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy strided": lambda values: np.repeat(np.array(values), 2)[::2],
    "pandas": pd.Series,
    "pandas with an index of its own": lambda values: pd.Series(values, index=range(9, 4, -1)),
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas on Arrow": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.Series,
    "Arrow": pa.array,
    "Arrow in chunks": chunked,
}
every_container = pytest.mark.parametrize("column", CONTAINERS.values(), ids=CONTAINERS)


def plain(pool: Pool) -> tuple[list[Any], ...]:
    return pool.scores.tolist(), pool.predictions.tolist(), pool.names(range(len(pool)))


@every_container
def test_scores(column: Column) -> None:
    pool = Pool(column(SCORES), PREDICTIONS)
    assert plain(pool) == (SCORES, [True, True, False, False, False], [0, 1, 2, 3, 4])
    assert pool.fingerprint == Pool(SCORES, PREDICTIONS).fingerprint


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_floats_of_every_size(dtype: type) -> None:
    pool = Pool(np.array(SCORES, dtype=dtype), PREDICTIONS)
    assert pool.scores.tolist() == SCORES
    assert pool.fingerprint == Pool(SCORES, PREDICTIONS).fingerprint
    assert pool.view().cells().level.tolist() == [0.75, 0.5, 0.5, 0.25, 0.125]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_integer_scores(dtype: type) -> None:
    pool = Pool(np.array([7, 3, 0, 3, 1], dtype=dtype), threshold=3)
    assert pool.predictions.tolist() == [True, True, False, True, False]
    assert pool.fingerprint == Pool([7.0, 3.0, 0.0, 3.0, 1.0], [1, 1, 0, 1, 0]).fingerprint


def test_big_endian_scores() -> None:
    pool = Pool(np.array(SCORES, dtype=">f8"), np.array(PREDICTIONS, dtype=">i2"), ids=np.array(NUMBERS, dtype=">i4"))
    assert plain(pool) == (SCORES, [True, True, False, False, False], NUMBERS)
    assert pool.fingerprint == Pool(SCORES, PREDICTIONS, ids=NUMBERS).fingerprint


@every_container
@pytest.mark.parametrize("kind", [bool, int, float])
def test_predictions(column: Column, kind: type) -> None:
    pool = Pool(SCORES, column([kind(value) for value in PREDICTIONS]))
    assert pool.predictions.tolist() == [True, True, False, False, False]
    assert pool.predicted_positives == 2
    assert pool.fingerprint == Pool(SCORES, PREDICTIONS).fingerprint


@every_container
@pytest.mark.parametrize("ids", [NAMES, NUMBERS])
def test_ids(column: Column, ids: list[Any]) -> None:
    pool = Pool(SCORES, PREDICTIONS, ids=column(ids))
    names = pool.names(range(5))
    assert names == ids
    assert {type(name) for name in names} == {type(ids[0])}
    assert pool.positions(ids) == [0, 1, 2, 3, 4]
    assert pool.fingerprint == Pool(SCORES, PREDICTIONS, ids=ids).fingerprint


@pytest.mark.parametrize(
    "ids",
    [
        [np.str_(name) for name in NAMES],
        [*NAMES[:4], np.str_("a")],
        pd.Series(NAMES, dtype="category"),
        pa.array(NAMES).dictionary_encode(),
        pa.array(NAMES, type=pa.large_string()),
        pl.Series(NAMES, dtype=pl.Categorical),
        pd.Index(NAMES),
        iter(NAMES),
    ],
    ids=["numpy strings", "mixed strings", "category", "dictionary", "large", "categorical", "index", "iterator"],
)
def test_ids_of_further_kinds_of_string(ids: Any) -> None:
    assert Pool(SCORES, PREDICTIONS, ids=ids).names(range(5)) == NAMES


@pytest.mark.parametrize(
    "ids",
    [
        [np.int32(number) for number in NUMBERS],
        [50, np.int64(40), np.uint8(30), 20, 10],
        np.array(NUMBERS, dtype=np.uint64),
        range(50, 0, -10),
        pl.Series(NUMBERS, dtype=pl.UInt8),
    ],
    ids=["numpy integers", "mixed integers", "unsigned", "range", "polars unsigned"],
)
def test_ids_of_further_kinds_of_integer(ids: Any) -> None:
    assert Pool(SCORES, PREDICTIONS, ids=ids).names(range(5)) == NUMBERS


@pytest.mark.parametrize("kind", [list, lambda values: np.array(values, dtype=np.uint64)])
def test_ids_are_any_integers(kind: Column) -> None:
    """64-bit hashes are common ids, and half of them are beyond int64."""
    ids = [2**64 - 1, 2**63, 5, 6, 7]
    pool = Pool(SCORES, PREDICTIONS, ids=kind(ids))
    assert pool.names(range(5)) == ids
    assert pool.fingerprint != Pool(SCORES, PREDICTIONS, ids=[2**64 - 2, 2**63, 5, 6, 7]).fingerprint


@every_container
def test_weights(column: Column) -> None:
    pool = Pool(SCORES, PREDICTIONS, weights=column([1.0, 2.0, 3.0, 1.0, 1.0]))
    assert pool.view().p(np.arange(5)).tolist() == [0.125, 0.25, 0.375, 0.125, 0.125]
    assert pool.view().cells().mass.tolist() == [0.125, 0.25, 0.125, 0.375, 0.125]


def test_without_weights_all_count_the_same() -> None:
    assert Pool(SCORES, PREDICTIONS).view().p(np.arange(5)).tolist() == [0.2] * 5


@pytest.mark.parametrize(
    "table", [list, np.array, pd.DataFrame, pl.DataFrame, lambda rows: np.array(rows, dtype=np.float32)]
)
def test_features(table: Column) -> None:
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 0.0]]
    given_rows = table(rows) if table is not pl.DataFrame else pl.DataFrame(rows, orient="row")
    features = Pool(SCORES, PREDICTIONS, features=given_rows).features
    assert features is not None
    assert features.tolist() == rows


def test_all_columns_of_one_table() -> None:
    table = {"name": NAMES, "score": SCORES, "prediction": [bool(value) for value in PREDICTIONS]}
    expected = Pool(SCORES, PREDICTIONS, ids=NAMES)
    for frame in (pd.DataFrame(table), pl.DataFrame(table), pa.table(table)):
        pool = Pool(frame["score"], frame["prediction"], ids=frame["name"])
        assert plain(pool) == plain(expected)
        assert pool.fingerprint == expected.fingerprint


def test_size_and_text() -> None:
    pool = Pool(np.linspace(0, 1, 2001), threshold=0.5)
    assert len(pool) == 2001
    assert repr(pool) == "Pool(2,001 items, 1,001 predicted positive)"


# --- read-only and a copy ---------------------------------------------------------------------------------------------


def full_pool() -> tuple[Pool, dict[str, Any]]:
    columns: dict[str, Any] = {
        "scores": np.array(SCORES),
        "predictions": np.array(PREDICTIONS, dtype=bool),
        "ids": np.array(NUMBERS),
        "features": np.ones((5, 2)),
        "weights": np.ones(5),
    }
    return Pool(**columns), columns


@pytest.mark.parametrize("name", ["scores", "predictions", "ids", "features", "mass"])
def test_columns_are_read_only(name: str) -> None:
    pool, _ = full_pool()
    column = getattr(pool, name)
    with pytest.raises(ValueError, match="read-only"):
        column[0] = column[1]


@pytest.mark.parametrize("name", ["scores", "predictions", "ids", "features", "mass", "scale"])
def test_the_pool_is_read_only(name: str) -> None:
    pool, _ = full_pool()
    before = pool.fingerprint
    with pytest.raises(AttributeError):
        setattr(pool, name, None)
    assert pool.fingerprint == before


@pytest.mark.parametrize("name", ["scores", "predictions", "ids", "features", "weights"])
def test_the_caller_keeps_its_own_arrays(name: str) -> None:
    pool, columns = full_pool()
    attribute = "mass" if name == "weights" else name
    before = getattr(pool, attribute).tolist()
    columns[name][:] = columns[name][::-1].copy()
    columns[name][0] = 0
    assert getattr(pool, attribute).tolist() == before
    assert pool.fingerprint == full_pool()[0].fingerprint
    assert columns[name].flags.writeable


def test_read_only_arrays_of_the_caller_are_taken() -> None:
    _, columns = full_pool()
    for column in columns.values():
        column.flags.writeable = False
    assert Pool(**columns).fingerprint == full_pool()[0].fingerprint


# --- fingerprint ------------------------------------------------------------------------------------------------------


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[dict[str, np.ndarray], np.ndarray]:
    size = draw(st.integers(1, 12))

    def column(values: st.SearchStrategy[Any]) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)))

    names = draw(st.sampled_from([st.text("abcé", max_size=3), st.integers(-(2**40), 2**40)]))
    ids = draw(st.lists(names, min_size=size, max_size=size, unique=True))
    columns = {
        "scores": column(st.floats(-1e6, 1e6)),
        "predictions": column(st.booleans()),
        "ids": np.array(ids, dtype=object if isinstance(ids[0], str) else np.int64),
        "weights": column(st.floats(0.01, 100)),
    }
    return columns, np.array(draw(st.permutations(range(size))))


@pytest.mark.parametrize("weighted", [False, True])
@repeatable
@given(case=shuffled())
def test_fingerprint_does_not_depend_on_the_order_of_rows(
    weighted: bool, case: tuple[dict[str, np.ndarray], np.ndarray]
) -> None:
    columns, order = case
    if not weighted:
        del columns["weights"]
    other = Pool(**{name: column[order] for name, column in columns.items()})
    assert other.fingerprint == Pool(**columns).fingerprint


CHANGES: dict[str, tuple[str, Any]] = {
    "score": ("scores", 0.7500000000000001),
    "prediction": ("predictions", 0),
    "id": ("ids", 51),
    "weight": ("weights", 2.0000000001),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("position", [0, 4])
def test_fingerprint_sees_every_change(change: str, position: int) -> None:
    columns: dict[str, list[Any]] = {
        "scores": [0.75, *SCORES[1:4], 0.75],
        "predictions": [1, 1, 0, 0, 1],
        "ids": list(NUMBERS),
        "weights": [2.0] * 5,
    }
    before = Pool(**columns).fingerprint
    name, value = CHANGES[change]
    columns[name][position] = value
    assert Pool(**columns).fingerprint != before


@pytest.mark.parametrize(
    "other",
    [
        {"scores": SCORES[::-1]},
        {"predictions": PREDICTIONS[::-1]},
        {"ids": NUMBERS[::-1]},
        {"ids": [str(number) for number in NUMBERS]},
        {"ids": None},
        {"weights": [1, 2, 3, 4, 5]},
        {"scores": [*SCORES, 0.0], "predictions": [*PREDICTIONS, 0], "ids": [*NUMBERS, 60]},
    ],
    ids=["scores", "predictions", "ids", "strings", "positions", "weights", "size"],
)
def test_other_pools_have_other_fingerprints(other: dict[str, Any]) -> None:
    columns: dict[str, Any] = {"scores": SCORES, "predictions": PREDICTIONS, "ids": NUMBERS}
    assert Pool(**{**columns, **other}).fingerprint != Pool(**columns).fingerprint


@pytest.mark.parametrize("names", [(["a\0b", "c"], ["a", "b\0c"]), (["ab", "c"], ["a", "bc"]), (["", "a"], ["a", ""])])
def test_fingerprint_tells_where_an_id_ends(names: tuple[list[str], list[str]]) -> None:
    first, second = (Pool([0.5, 0.5], [1, 0], ids=ids).fingerprint for ids in names)
    assert first != second


def test_file_names_that_are_not_text_have_a_fingerprint() -> None:
    """Python reads such names from a directory with lone surrogates in them."""
    names = [b"caf\xe9.jpg".decode("utf-8", "surrogateescape"), "b.jpg"]
    pool = Pool([0.9, 0.1], threshold=0.5, ids=names)
    assert pool.fingerprint != Pool([0.9, 0.1], threshold=0.5, ids=["caf.jpg", "b.jpg"]).fingerprint


def test_positions_are_the_ids_0_1_2() -> None:
    implicit, explicit = Pool(SCORES, PREDICTIONS), Pool(SCORES, PREDICTIONS, ids=range(5))
    assert implicit.fingerprint == explicit.fingerprint
    reverse = Pool(SCORES[::-1], PREDICTIONS[::-1], ids=range(4, -1, -1))
    assert implicit.fingerprint == reverse.fingerprint


def test_fingerprint_does_not_depend_on_how_predictions_came() -> None:
    assert Pool(SCORES, threshold=0.4).fingerprint == Pool(SCORES, [1, 1, 0, 1, 0]).fingerprint
    other = Pool(SCORES, PREDICTIONS).with_predictions([1, 1, 0, 1, 0])
    assert other.fingerprint == Pool(SCORES, [1, 1, 0, 1, 0]).fingerprint


def test_ranking_first_does_not_change_the_fingerprint() -> None:
    pool = Pool(SCORES, PREDICTIONS, ids=NAMES)
    pool.view().cells(1)
    pool.view().cells()
    assert pool.fingerprint == Pool(SCORES, PREDICTIONS, ids=NAMES).fingerprint


# --- threshold and scale ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.5, [1, 1, 0, 1, 0]),
        (0.5000001, [1, 0, 0, 0, 0]),
        (-3, [1] * 5),
        (1, [0] * 5),
        (np.float32(0.25), [1, 1, 1, 1, 0]),
    ],
)
def test_items_at_or_above_the_threshold_are_predicted_positive(threshold: Any, expected: list[int]) -> None:
    assert Pool(SCORES, threshold=threshold).predictions.tolist() == [bool(value) for value in expected]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("threshold", [0.1, 0.2, 0.3, 0.7, 0.9])
def test_threshold_as_a_python_or_numpy_number(dtype: type, threshold: float) -> None:
    scores = np.array([0.1, 0.2, 0.3, 0.7, 0.9], dtype=dtype)
    python, numpy = Pool(scores, threshold=threshold), Pool(scores, threshold=np.float64(threshold))
    assert python.predictions.tolist() == numpy.predictions.tolist()


@pytest.mark.parametrize("threshold", [1e300, -1e300])
def test_threshold_beyond_float32(threshold: float) -> None:
    pool = Pool(np.array(SCORES, dtype=np.float32), threshold=threshold)
    assert pool.predictions.all() == (threshold < 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_threshold_just_above_zero_leaves_out_zero(dtype: type) -> None:
    scores = np.array([0.0, 1e-30, 0.2], dtype=dtype)
    assert Pool(scores, threshold=1e-300).predictions.tolist() == [False, True, True]
    assert Pool(scores, threshold=-1e-300).predictions.tolist() == [True, True, True]


@pytest.mark.parametrize(
    ("scale", "scores", "probabilities"),
    [
        ("probability", [1.0, 0.75, 0.25, 0.0], [1.0, 0.75, 0.25, 0.0]),
        ("log", [0.0, np.log(0.75), np.log(0.25), -800.0], [1.0, 0.75, 0.25, 0.0]),
        ("logit", [800.0, np.log(3), -np.log(3), -800.0], [1.0, 0.75, 0.25, 0.0]),
    ],
)
def test_scales(scale: Any, scores: list[float], probabilities: list[float]) -> None:
    pool = Pool(scores, [1, 1, 0, 0], scale=scale)
    assert pool.view().probabilities(pool.scores) == pytest.approx(probabilities)
    logits = pool.view().logits(pool.scores)
    assert np.isfinite(logits).all()
    assert (np.diff(logits) < 0).all()
    assert logits[1:3] == pytest.approx([np.log(3), -np.log(3)])


def test_probabilities_without_a_scale() -> None:
    pool = Pool(SCORES, PREDICTIONS)
    with pytest.raises(InputError, match="scale must be given"):
        pool.view().probabilities(pool.scores)


# --- other predictions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [None, NUMBERS, NAMES])
def test_with_predictions_in_pool_order_or_by_id(ids: Any) -> None:
    pool = Pool(SCORES, PREDICTIONS, ids=ids, weights=[1, 2, 3, 4, 5], features=np.eye(5), scale="probability")
    pool.view().cells()
    other = [0, 1, 1, 0, 1]
    by_id = dict(zip(pool.names(range(5)), other, strict=True))
    for predictions in (other, np.array(other), pd.Series(other), by_id, dict(reversed(by_id.items()))):
        changed = pool.with_predictions(predictions)
        fresh = Pool(SCORES, other, ids=ids, weights=[1, 2, 3, 4, 5], features=np.eye(5), scale="probability")
        assert changed.predictions.tolist() == [bool(value) for value in other]
        assert changed.predicted_positives == 3
        assert changed.fingerprint == fresh.fingerprint
        assert changed.scale == "probability"
        assert changed.features is not None
        assert changed.view().cells().items.tolist() == fresh.view().cells().items.tolist()
        assert changed.view().cells().count.tolist() == fresh.view().cells().count.tolist()
        assert repr(changed) == repr(fresh)
    assert pool.predictions.tolist() == [True, True, False, False, False]
    assert pool.predicted_positives == 2


def test_with_predictions_by_numpy_id() -> None:
    pool = Pool(SCORES, PREDICTIONS, ids=np.array(NUMBERS))
    changed = pool.with_predictions({np.int64(number): number > 20 for number in NUMBERS})
    assert changed.predictions.tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([1, 0], "predictions must be one for each item: got 2 for 5"),
        ([1, 0, 2, 0, 0], r"predictions must be 0 or 1: 1 of 5 are not \(first at position 2: 2\)"),
        ({50: 1}, "predictions must hold every item of the pool: 4 of 5 are missing"),
        (dict.fromkeys([*NUMBERS, 60], 1), "1 are not in the pool"),
        (dict.fromkeys([*NUMBERS[:4], 60], 1), "1 of 5 are missing and 1 are not in the pool"),
        (dict.fromkeys(NUMBERS, "x"), "predictions must be"),
    ],
)
def test_with_predictions_that_do_not_fit(predictions: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool(SCORES, PREDICTIONS, ids=NUMBERS).with_predictions(predictions)


# --- ids in the loop --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "convert"),
    [
        (None, np.int64),
        (None, np.uint8),
        (NUMBERS, np.int32),
        (NUMBERS, np.uint64),
        (NUMBERS, int),
        (NAMES, np.str_),
        (NAMES, str),
    ],
)
def test_numpy_ids_are_ids(ids: Any, convert: Callable[[Any], Any]) -> None:
    evaluation = Evaluation(Pool(SCORES, PREDICTIONS, ids=ids), known={convert(ids[0] if ids else 0): 1})
    items = evaluation.ask(5)
    assert {type(item) for item in items} == {str if ids is NAMES else int}
    evaluation.tell([convert(item) for item in items], np.array([1] * len(items)))
    evaluation.correct(convert(items[0]), np.int8(0))
    assert evaluation.history["labels"][items[0]] == 0
    assert evaluation.pending == []


@pytest.mark.parametrize("container", ["numpy", "pandas", "polars", "Arrow"])
@pytest.mark.parametrize("ids", [None, NAMES])
def test_items_and_labels_as_columns(container: str, ids: Any) -> None:
    evaluation = Evaluation(Pool(SCORES, PREDICTIONS, ids=ids))
    items = evaluation.ask(5)
    evaluation.tell(CONTAINERS[container](items), CONTAINERS[container]([True] * len(items)))
    assert evaluation.history["labels"] == dict.fromkeys(items, 1)


@pytest.mark.parametrize("ids", [[10, 9, 2, 1, 0], ["10", "9", "2", "b", "B"], ["é", "z", "a", "aa", ""]])
def test_ties_are_ordered_by_id(ids: list[Any]) -> None:
    """Predicted positives first, then by id, whatever the order of the rows."""
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        rows = [ids[i] for i in order]
        predicted = set(ids[:2])
        pool = Pool([0.5] * 5, [name in predicted for name in rows], ids=rows)
        assert Evaluation(pool, sampler="topk").ask(5) == sorted(ids[:2]) + sorted(ids[2:])


def test_ids_survive_the_loop() -> None:
    pool = Pool(SCORES, PREDICTIONS, ids=NAMES)
    evaluation = Evaluation(pool, sampler="topk")
    assert evaluation.ask(5) == ["e", "d", "b", "c", "a"]
    assert evaluation.pending == ["e", "d", "b", "c", "a"]
    evaluation.tell(["c", "e"], [0, 1])
    assert evaluation.history["labels"] == {"c": 0, "e": 1}
    assert evaluation.history["header"]["pool"] == pool.fingerprint


def test_a_pool_is_freed_at_once() -> None:
    """Nothing that it holds refers back to it: its arrays do not wait for the garbage collector."""
    pool = Pool(SCORES, PREDICTIONS)
    Evaluation(pool).ask(1)
    gone = weakref.ref(pool.view())
    gc.disable()
    try:
        del pool
        assert gone() is None
    finally:
        gc.enable()


SHUFFLED = pd.Index(["e", "a", "d", "b", "c"])


def shuffled(values: Any) -> Any:
    return pd.Series(values, index=SHUFFLED)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"predictions": shuffled(PREDICTIONS).sort_index()}, "predictions must have the same index as scores"),
        (
            {"predictions": {"v1": shuffled(PREDICTIONS), "v2": shuffled(PREDICTIONS).sort_index()}},
            r"predictions\['v2'\] must have the same index as scores\['v1'\]: they differ; align them first",
        ),
        (
            {"helpers": {"a": shuffled(SCORES), "b": shuffled(SCORES).sort_index()}},
            r"helpers\['b'\] must have the same index",
        ),
        (
            {"slices": {"a": shuffled(NAMES), "b": shuffled(NAMES).sort_index()}},
            r"slices\['b'\] must have the same index",
        ),
        ({"ids": shuffled(NAMES).sort_index()}, "ids must have the same index"),
        ({"weights": shuffled(SCORES).sort_index()}, "weights must have the same index"),
    ],
)
def test_every_column_must_have_the_index_of_the_scores(options: dict[str, Any], told: str) -> None:
    several = isinstance(options.get("predictions"), dict)
    scores = {"v1": shuffled(SCORES), "v2": shuffled(SCORES)} if several else shuffled(SCORES)
    with pytest.raises(InputError, match=told):
        Pool(scores, **({"predictions": PREDICTIONS} | options))


def test_further_models_must_have_the_order_of_the_pool() -> None:
    pool = Pool(SCORES, PREDICTIONS, ids=list(SHUFFLED))
    scores, predictions = shuffled(SCORES), shuffled(PREDICTIONS)
    assert pool.with_model("v2", scores, predictions=predictions).models == ("model", "v2")
    for options, told in [
        ({"predictions": predictions.sort_index()}, r"predictions\['v2'\] must be in the order of the pool"),
        ({"scores": scores.sort_index(), "threshold": 0.5}, r"scores\['v2'\] must be in the order of the pool"),
        (
            {"scores": SCORES, "predictions": predictions.sort_index()},
            r"predictions\['v2'\] must be in the order of the pool",
        ),
        (
            {"scores": scores, "predictions": predictions.sort_index()},
            r"predictions\['v2'\] must have the same index as scores\['v2'\]",
        ),
    ]:
        with pytest.raises(InputError, match=told):
            pool.with_model("v2", **options)  # type: ignore[arg-type]
    assert pool.models == ("model",)
