"""Pools from data frames: the same as from columns, and as `open_pool` makes them of the same rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lowshot import ClassPool, InputError, Pool, open_pool

LIBRARIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda columns: pd.DataFrame(columns, index=range(500, 500 - len(columns["path"]), -1)),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
COUNT = 60
SCORE = np.random.default_rng(0).random(COUNT)
ROWS: dict[str, Any] = {
    "path": [f"{number:02}.jpg" for number in range(COUNT)],
    "p": SCORE,
    "q": 1 - SCORE,
    "flag": (SCORE >= 0.7).astype(int),
    "clip": [None if number % 7 == 0 else float(number) for number in range(COUNT)],
    "camera": ["north" if number % 2 else None for number in range(COUNT)],
    "mass": 1 + SCORE,
}
CLIP = np.array([np.nan if value is None else value for value in ROWS["clip"]])
SAME = [
    ({"score": "p", "threshold": 0.7}, (SCORE,), {"threshold": 0.7}),
    ({"score": "p", "prediction": "flag"}, (SCORE, SCORE >= 0.7), {}),
    ({"score": "p", "prediction": "flag", "threshold": 0.7}, (SCORE,), {"threshold": 0.7}),
    ({"score": "p", "threshold": 0.7, "helpers": ["clip"]}, (SCORE,), {"threshold": 0.7, "helpers": {"clip": CLIP}}),
    ({"score": "p", "threshold": {"a": 0.7, "b": 0.4}}, (SCORE,), {"threshold": {"a": 0.7, "b": 0.4}}),
    (
        {"score": {"v1": "p", "v2": "q"}, "threshold": {"v2": 0.4}, "prediction": {"v1": "flag"}},
        ({"v1": SCORE, "v2": 1 - SCORE}, {"v1": SCORE >= 0.7}),
        {"threshold": {"v2": 0.4}},
    ),
    (
        {"score": {"v1": "p", "clip": "clip"}, "threshold": {"v1": 0.7}, "scale": "probability"},
        ({"v1": SCORE, "clip": CLIP},),
        {"threshold": {"v1": 0.7}, "scale": "probability"},
    ),
]


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=[*LIBRARIES])
@pytest.mark.parametrize(("keywords", "columns", "more"), SAME)
def test_a_frame_gives_the_pool_of_its_columns(
    make: Callable[[dict[str, Any]], Any], keywords: dict[str, Any], columns: tuple[Any, ...], more: dict[str, Any]
) -> None:
    frame = make(ROWS)
    pool = Pool.from_frame(frame, id="path", **keywords)
    assert pool.fingerprint == Pool(*columns, ids=ROWS["path"], **more).fingerprint
    assert repr(pool) == repr(Pool(*columns, ids=ROWS["path"], **more))
    grouped = Pool.from_frame(frame, id="path", levels=5, head=10, show=["camera"], **keywords).bind(3)
    opened = open_pool(frame, id="path", levels=5, head=10, show=["camera"], **keywords).bind(3)
    assert grouped.fingerprint == opened.fingerprint
    assert grouped.shown(["01.jpg", "02.jpg"]) == opened.shown(["01.jpg", "02.jpg"])


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=[*LIBRARIES])
def test_weights_slices_and_what_is_shown(make: Callable[[dict[str, Any]], Any]) -> None:
    keywords = {
        "score": "p",
        "threshold": 0.7,
        "weight": "mass",
        "slices": ["camera"],
        "show": ["path", "clip", "camera"],
    }
    pool = Pool.from_frame(make(ROWS), **keywords)
    assert pool.fingerprint == Pool(SCORE, threshold=0.7, weights=1 + SCORE).fingerprint
    assert pool.ids is None
    assert pool.slices.by("camera").names == ("north", None)
    assert pool.shown([1, 0]) == [
        {"path": "01.jpg", "clip": "1.0", "camera": "north"},
        {"path": "00.jpg", "clip": "", "camera": ""},
    ]
    assert pool.with_model("v2", 1 - SCORE, threshold=0.5).shown([0]) == pool.shown([0])
    assert Pool(SCORE, threshold=0.7).shown([0]) is None


def test_the_index_is_the_id_if_its_name_is_given() -> None:
    frame = pd.DataFrame(ROWS).set_index("path")
    pool = Pool.from_frame(frame, id="path", score="p", threshold=0.7)
    assert pool.fingerprint == Pool(SCORE, threshold=0.7, ids=ROWS["path"]).fingerprint
    assert Pool.from_frame(frame, score="p", threshold=0.7).ids is None


def test_nullable_columns_of_pandas() -> None:
    frame = pd.DataFrame(ROWS).astype({"p": "Float64", "clip": "Float64", "flag": "boolean"}).reset_index(names="n")
    frame = frame.astype({"n": "Int64"})
    pool = Pool.from_frame(frame, id="n", score="p", prediction="flag", helpers=["clip"])
    assert pool.fingerprint == Pool(SCORE, SCORE >= 0.7, ids=range(COUNT), helpers={"clip": CLIP}).fingerprint
    frame.loc[3, "p"] = pd.NA
    with pytest.raises(InputError, match=r"score \(column 'p'\) must be finite: 1 of 60 are not \(first at position 3"):
        Pool.from_frame(frame, score="p", prediction="flag")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"score": "P", "threshold": 0.7}, r"score must be a column of the frame: got 'P'; it has 'path', 'p', 'q'"),
        ({"score": "p", "threshold": 0.7, "id": "paht"}, r"id must be .*: got 'paht'; the nearest is 'path'; it has"),
        ({"score": {"v1": "x"}, "threshold": 0.7}, r"score\['v1'\] must be a column of the frame: got 'x'"),
        ({"score": "p", "threshold": 0.7, "helpers": ["clop"]}, r"helpers\['clop'\] must be .* nearest is 'clip'"),
        ({"score": "p", "threshold": 0.7, "slices": ["cam"]}, r"slices must be a column .*: got 'cam'; the nearest"),
        ({"score": "p", "threshold": 0.7, "slices": "camera"}, r"slices must be a list: got 'camera'; write \['camera"),
        ({"score": "p", "threshold": 0.7, "show": ["x"]}, r"show must be a column of the frame: got 'x'"),
        ({"score": "p", "threshold": 0.7, "weight": "x"}, r"weight must be a column of the frame: got 'x'"),
        ({"score": "p", "threshold": 0.7, "weight": "flag"}, r"weight \(column 'flag'\) must be positive"),
        ({"score": "p", "threshold": 0.7, "id": "flag"}, r"id \(column 'flag'\) must be distinct: 58 of 60"),
        ({"score": "camera", "threshold": 0.7}, r"score \(column 'camera'\) must be numbers"),
        ({"score": "p", "prediction": "q"}, r"prediction \(column 'q'\) must be 0 or 1: 60 of 60 are not"),
        (
            {"score": "p", "prediction": "flag", "threshold": 0.1},
            r"prediction must be what threshold makes of the score",
        ),
        ({"score": "p"}, r"give either prediction or threshold: got neither"),
    ],
)
def test_errors_name_the_keyword_and_the_columns(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pool.from_frame(pd.DataFrame(ROWS), **keywords)


def test_what_is_no_frame() -> None:
    with pytest.raises(InputError, match=r"frame must be a data frame of pandas or polars, .*: got dict"):
        Pool.from_frame(ROWS, score="p", threshold=0.5)
    with pytest.raises(InputError, match=r"got LazyFrame; call \.collect\(\) first"):
        Pool.from_frame(pl.DataFrame(ROWS).lazy(), score="p", threshold=0.5)
    twice = pd.DataFrame(np.ones((3, 2)), columns=["p", "p"])
    with pytest.raises(InputError, match="score must be one column of the frame: 'p' occurs twice"):
        Pool.from_frame(twice, score="p", threshold=0.5)


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=[*LIBRARIES])
def test_many_classes(make: Callable[[dict[str, Any]], Any]) -> None:
    frame = make({**ROWS, "said": np.where(SCORE > 0.9, "heron", "crow")})
    scores = np.column_stack([SCORE, 1 - SCORE])
    plain = ClassPool(scores, classes=["p", "q"], ids=ROWS["path"], weights=1 + SCORE)
    pool = ClassPool.from_frame(frame, id="path", classes=["p", "q"], weight="mass", slices=["camera"], show=["camera"])
    assert pool.fingerprint == plain.fingerprint
    assert pool.slices.names == ("camera",)
    assert pool.shown(["01.jpg"]) == [{"camera": "north"}]
    named = ClassPool.from_frame(frame, classes={"heron": "p", "crow": "q"}, prediction="said")
    said = np.where(SCORE > 0.9, "heron", "crow").tolist()
    assert named.fingerprint == ClassPool(scores, classes=["heron", "crow"], predictions=said).fingerprint
    flags = {"heron": "flag", "crow": "flag"}
    several = ClassPool.from_frame(frame, classes={"heron": "p", "crow": "q"}, prediction=flags, kind="multilabel")
    both = np.column_stack([SCORE >= 0.7] * 2)
    assert (
        several.fingerprint
        == ClassPool(scores, classes=["heron", "crow"], predictions=both, kind="multilabel").fingerprint
    )
    with pytest.raises(InputError, match="classes must be a column of the frame: got 'herron'"):
        ClassPool.from_frame(frame, classes=["herron", "q"])
    with pytest.raises(InputError, match="prediction must have a column per class: that of 'crow' is missing"):
        ClassPool.from_frame(
            frame, classes={"heron": "p", "crow": "q"}, prediction={"heron": "flag"}, kind="multilabel"
        )
