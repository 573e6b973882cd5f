"""A pool that comes back from a file is the same as before: positions, draws, estimates and fingerprint."""

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowshot import ClassPool, Evaluation, Pool
from lowshot.checks import Id
from lowshot.core.types import Flags, Floats
from lowshot.pools import BasePool, GroupedPool
from lowshot.pools.arrangement import Names
from lowshot.pools.engine import ArrayEngine
from lowshot.pools.grouped_scores import GroupedScores
from lowshot.pools.keeping import OnceScores, parts_of, pool_from
from lowshot.pools.saved import HEADER, MAGIC, Parts, load, save
from lowshot.pools.scores_engine import ArrayScores
from lowshot.testing.pool_contract import SEED, PoolColumns
from lowshot.testing.scores_contract import ScoresColumns

from . import test_pool_contract as one_score
from . import test_scores_contract as scores


def never() -> Any:
    raise AssertionError("the rows must not be asked")


def again(pool: BasePool, path: Path, engine: Callable[[], Any] = never) -> BasePool:
    """The pool, written to a file and read back."""
    parts = parts_of(pool)
    assert parts is not None
    save(path, parts)
    found = load(path)
    assert found is not None
    return pool_from(found, engine)


class Keeping:
    """Every pool of a contract comes back from a file first."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder, self.number = tmp_path, itertools.count()

    def kept(self, pool: BasePool) -> BasePool:
        engine = pool.engine if isinstance(pool, (GroupedPool, GroupedScores)) else None
        return again(pool, self.folder / f"{next(self.number)}.pool", lambda: engine)


class KeepingOne(Keeping):
    def pool(self, rows: PoolColumns, seed: int = SEED) -> BasePool:
        return self.kept(super().pool(rows, seed))  # type: ignore[misc]  # of the contract beside this class


class KeepingScores(Keeping):
    def pool(self, rows: ScoresColumns, seed: int = SEED) -> BasePool:
        return self.kept(super().pool(rows, seed))  # type: ignore[misc]


class TestKeptPool(KeepingOne, one_score.TestPool):
    pass


class TestKeptPoolOfSinglePrecision(KeepingOne, one_score.TestPoolOfSinglePrecision):
    pass


class TestKeptGroupedPool(KeepingOne, one_score.TestGroupedPool):
    pass


class TestKeptGroupedPoolWithOneLevel(KeepingOne, one_score.TestGroupedPoolWithOneLevel):
    @pytest.fixture(autouse=True)
    def _small_reserve(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lowshot.pools.layout.RESERVE", 2)
        monkeypatch.setattr("lowshot.pools.places.MORE", 2)


class TestKeptTable(KeepingOne, one_score.TestDuckDB):
    """With a column that people are shown."""


class TestKeptScores(KeepingScores, scores.TestPool):
    pass


class TestKeptGroupedScores(KeepingScores, scores.TestGroupedScores):
    def make(self, ids: list[Id], scores: Any, predictions: dict[str, Flags], helpers: Any) -> BasePool:
        pool = super().make(ids, scores, predictions, helpers)
        assert isinstance(pool, GroupedScores)
        engine = pool.engine
        pool.engine = OnceScores(lambda: engine)
        return pool


def made(kind: str, levels: list[int], texts: bool) -> BasePool:
    """A pool of one kind; `levels` are scores in tenths, and items above a half are predicted positive."""
    ids: Any = [f"é {n}" if texts else 7 * n - 20 for n in range(len(levels))]
    score: Floats = np.array(levels) / 10
    other: Floats = np.array(levels[::-1]) / 10
    array = np.array(ids, dtype=object if texts else np.int64)
    match kind:
        case "weights and slices":
            parts = {"camera": [["north", None, 3][n % 3] for n in levels]}
            return Pool(score, threshold=0.5, ids=ids, weights=score + 1, slices=parts, scale="probability")
        case "models":
            pool = Pool({"a": score, "b": other}, threshold={"a": 0.5, "b": 0.3}, helpers={"c": score + other}, ids=ids)
            return pool.with_model("d", predictions=(other > 0.2).astype(int))
        case "no ids":
            return Pool(score.astype(np.float32), threshold=0.5)
        case "grouped":
            return GroupedPool(ArrayEngine(array, score, score > 0.5), head=4, levels=3)
        case "grouped scores":
            engine = ArrayScores(array, {"a": score, "b": other}, 2 * (score > 0.5) + (other > 0.3))
            names = Names({"a": "a", "b": "b"}, ())
            return GroupedScores(OnceScores(lambda: engine), names, head=4, levels=3)
        case "classes":
            shares = np.stack([score, other, np.full(len(score), 0.3)], axis=1) + 0.01
            return ClassPool(shares, classes=["heron", "crow", "wren"], ids=ids, slices={"camera": levels})
        case _:
            matrix = np.stack([score, other], axis=1)
            return ClassPool(matrix, predictions=matrix > 0.4, kind="multilabel", ids=ids, weights=score + 1)


KINDS = ("weights and slices", "models", "no ids", "grouped", "grouped scores", "classes", "multilabel")


def _estimated(evaluation: Evaluation) -> Any:
    pool = evaluation.pool
    if pool.categories:
        return evaluation.table()
    return evaluation.estimate(model=pool.models[0] if len(pool.models) > 1 else None)


def followed(pool: BasePool) -> list[Any]:
    """All that an evaluation of the pool draws and estimates; an item with an even number is positive."""
    evaluation = Evaluation(pool, seed=3)
    found: list[Any] = [evaluation.pool.fingerprint, len(pool), pool.predicted_positives, repr(pool)]
    for _ in range(3):
        items = evaluation.ask(3)
        truth = [pool.position(item) % 2 for item in items]
        if pool.categories:
            truth = [[pool.categories[t]] if pool.answers.several else pool.categories[t] for t in truth]
        evaluation.tell(items, truth)
        found += [items, evaluation.pool.names(evaluation.pool.positions(items)), repr(_estimated(evaluation))]
    return found


@pytest.mark.slow
@settings(derandomize=True, max_examples=25, deadline=None)
@given(kind=st.sampled_from(KINDS), levels=st.lists(st.integers(0, 10), min_size=12, max_size=40), texts=st.booleans())
def test_the_same_draws_and_estimates(
    kind: str, levels: list[int], texts: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    levels = [*levels, 0, 10]  # someone is predicted positive, and someone is not
    path = tmp_path_factory.mktemp("kept") / "pool"
    original = made(kind, levels, texts).bind(3)
    engine = getattr(original, "engine", None)
    expected = followed(original)
    assert followed(again(original, path, lambda: engine)) == expected


def test_what_was_fetched_is_not_asked_for_again(tmp_path: Path) -> None:
    for kind in ("grouped", "grouped scores"):
        original = made(kind, [*range(11)] * 5, True).bind(3)
        expected = followed(original)
        assert followed(again(made(kind, [*range(11)] * 5, True).bind(3), tmp_path / kind, never)) == expected


def test_slices_and_features(tmp_path: Path) -> None:
    kept = again(made("weights and slices", [*range(11)], True), tmp_path / "pool")
    assert kept.slices.by("camera").names == (3, "north", None)
    with_features = Pool([0.9, 0.1], threshold=0.5, features=[[1.0], [2.0]])
    assert parts_of(with_features) is None, "features are never read from a file"
    assert parts_of(Pool([0.9, 0.1], threshold=0.5, levels=2)) is None


@pytest.mark.parametrize("ids", [[2**70, 1], ["\ud800", "b"]])
def test_ids_that_cannot_be_kept(ids: list[Any], tmp_path: Path) -> None:
    parts = parts_of(Pool([0.9, 0.1], threshold=0.5, ids=ids))
    assert parts is not None
    with pytest.raises(ValueError, match=r"int|surrogates"):
        save(tmp_path / "pool", parts)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def saved_bytes(path: Path) -> bytes:
    save(path, Parts({"a": 1}, {"numbers": np.arange(50), "texts": ["x", None, "z"]}))
    return path.read_bytes()


def test_a_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "pool"
    saved_bytes(path)
    found = load(path)
    assert found is not None
    assert found.facts == {"a": 1}
    assert found.array("numbers").tolist() == list(range(50))
    assert list(found.texts("texts")) == ["x", None, "z"]


def test_texts_outside_of_the_file_are_not_read(tmp_path: Path) -> None:
    """A checksum is right for whatever somebody made, and what lies behind the file in memory is nobody's business."""
    path = tmp_path / "pool"
    save(path, Parts({}, {"title": ["crow", "heron"]}))
    whole = path.read_bytes()
    inside, outside = (np.array([0, 4, end], dtype=np.int64).tobytes() for end in (9, 9_000))
    assert whole.count(inside) == 1
    rest = whole[HEADER:].replace(inside, outside)
    path.write_bytes(MAGIC + hashlib.sha256(rest).digest() + rest)
    assert load(path) is None


def test_a_damaged_file_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "pool"
    whole = saved_bytes(path)
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert load(path) is None, f"bit 0 of byte {place} was changed"
        path.write_bytes(whole[:place])
        assert load(path) is None, f"cut after {place} bytes"
    path.write_bytes(whole + b"x")
    assert load(path) is None
    path.unlink()
    assert load(path) is None
    path.mkdir()
    assert load(path) is None
