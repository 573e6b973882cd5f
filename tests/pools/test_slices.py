"""Slices of a pool: which part each item is in, and what users may give."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lowshot
from lowshot import InputError, Pool
from lowshot.pools.slices import MOST_VALUES, Slices

SCORES = [0.9, 0.8, 0.3, 0.1]
CAMERAS = ["south", "north", "north", "south"]


def inside(slices: Slices, where: object) -> list[bool]:
    split = slices.where(where)
    found: list[bool] = (split.part[split.code] == 0).tolist()
    return found


@pytest.mark.parametrize(
    "given",
    [
        CAMERAS,
        tuple(CAMERAS),
        np.array(CAMERAS),
        pd.Series(CAMERAS),
        pd.Series(CAMERAS, dtype="category"),
        pl.Series(CAMERAS),
        pl.Series(CAMERAS, dtype=pl.Categorical),
    ],
    ids=lambda given: type(given).__name__,
)
def test_columns_of_every_library(given: object) -> None:
    slices = Pool(SCORES, threshold=0.5, slices={"camera": given}).slices
    assert slices.names == ("camera",)
    assert slices.by("camera").names == ("north", "south")
    assert slices.by("camera").code.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_data_frame_has_a_column_per_slice(frame: type) -> None:
    slices = Pool(SCORES, threshold=0.5, slices=frame({"camera": CAMERAS, "month": [1, 2, 1, 2]})).slices
    assert slices.names == ("camera", "month")
    assert slices.by("month").names == (1, 2)


def test_numbers_come_before_texts_and_missing_values_are_one_value_at_the_end() -> None:
    given = ["b", 10, None, float("nan"), "a", 9, np.nan, pd.NA, pd.NaT]
    split = Slices.of({"mixed": given}, 9).by("mixed")
    assert split.names == (9, 10, "a", "b", None)
    assert split.code.tolist() == [3, 1, 4, 4, 2, 0, 4, 4, 4]


def test_whole_numbers_may_be_floats_as_pandas_makes_them() -> None:
    slices = Slices.of({"month": pd.Series([1, 2, None])}, 3)
    assert slices.by("month").names == (1, 2, None)
    assert inside(slices, {"month": None}) == [False, False, True]


def test_columns_mean_and_lists_mean_or() -> None:
    slices = Slices.of({"camera": CAMERAS, "month": [1, 2, 3, 3]}, 4)
    assert inside(slices, {"camera": "north"}) == [False, True, True, False]
    assert inside(slices, {"camera": "north", "month": 3}) == [False, False, True, False]
    assert inside(slices, {"camera": ["north", "south"], "month": (1, 3)}) == [True, False, True, True]
    assert inside(slices, {"month": np.int64(2)}) == [False, True, False, False]


@pytest.mark.parametrize(
    ("slices", "told"),
    [
        ({"camera": CAMERAS[:3]}, r"slices\['camera'\] must be one for each item: got 3 for 4 items"),
        (CAMERAS, "slices must be a mapping from column to one value per item: got list"),
        ({"camera": "north"}, r"slices\['camera'\] must be a list: got 'north'"),
        ({"camera": [0.1, 0.2, 0.3, 0.4]}, "must be texts or whole numbers: got 0.1, a float"),
        ({"camera": [[1], [2], [3], [4]]}, "must be texts or whole numbers"),
        ({"camera": [1, 2, 3, float("inf")]}, "must be texts or whole numbers: got inf"),
        ({"camera": ["a", "b", "c", "d\0"]}, "without NUL"),
        ({"": CAMERAS}, "names of slices must be texts that are not empty"),
        ({7: CAMERAS}, "names of slices must be texts that are not empty: got 7"),
        ({"model": CAMERAS}, "names of slices must not be 'model'"),
        ({"labels": CAMERAS}, "names of slices must not be 'labels', which tables use for something else"),
    ],
)
def test_bad_slices_are_refused(slices: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Pool(SCORES, threshold=0.5, slices=slices)


def test_too_many_values_are_refused() -> None:
    many = MOST_VALUES + 1
    with pytest.raises(InputError, match=r"at most 10,000 different values: got 10,001; put them into groups"):
        Pool(np.linspace(0, 1, many), threshold=0.5, slices={"path": np.arange(many)})
    Pool(np.linspace(0, 1, many), threshold=0.5, slices={"path": np.arange(many) // 2})


def test_a_series_in_another_order_is_refused() -> None:
    frame = pd.DataFrame({"p": SCORES, "camera": CAMERAS})
    with pytest.raises(InputError, match="slices must have the same index as scores"):
        Pool(frame["p"], threshold=0.5, slices={"camera": frame["camera"][::-1]})


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({"camera": "nort"}, r"where\['camera'\] must be a value that occurs: got 'nort'; the nearest is 'north'"),
        ({"camera": 7}, r"got 7; there are 'north', 'south'"),
        ({"camera": []}, r"where\['camera'\] must be a value or a list of values: got an empty list"),
        ({"camra": "north"}, "where must name a column of slices: got 'camra'; the nearest is 'camera'"),
        ({}, r"where must be a mapping from column to a value or a list of values: got \{\}"),
        ("north", "where must be a mapping from column to a value"),
        ({"camera": "north", "month": 1}, "no item has"),
        ({"month": None}, r"where\['month'\] must be a value that occurs: got None"),
    ],
)
def test_bad_questions_name_what_is_near(where: object, told: str) -> None:
    slices = Slices.of({"camera": CAMERAS, "month": [1, 2, 3, 3]}, 4)
    with pytest.raises(InputError, match=told):
        slices.where(where)


def test_slices_are_not_part_of_the_fingerprint() -> None:
    """They group results, and do not decide what is drawn: they may be added later."""
    without, with_ = Pool(SCORES, threshold=0.5), Pool(SCORES, threshold=0.5, slices={"camera": CAMERAS})
    assert without.fingerprint == with_.fingerprint
    assert without.fingerprint == "b88cbff178fa62d0967f6d07e5369ce5"


def test_other_predictions_and_other_models_keep_the_slices() -> None:
    pool = Pool(SCORES, threshold=0.5, slices={"camera": CAMERAS})
    assert pool.with_predictions([1, 0, 0, 0]).slices is pool.slices
    assert pool.with_model("v2", SCORES, threshold=0.2).slices is pool.slices


def test_slices_are_refused_where_items_are_grouped() -> None:
    with pytest.raises(InputError, match="levels cannot be given with slices"):
        Pool(SCORES, threshold=0.5, levels=10, slices={"camera": CAMERAS})
    frame = pd.DataFrame({"id": range(4), "p": SCORES, "camera": CAMERAS})
    with pytest.raises(InputError, match="slices need a pool in memory"):
        lowshot.open_pool(frame, id="id", score="p", threshold=0.5, slices=["camera"])
    opened = lowshot.open_pool(frame, id="id", score="p", threshold=0.5)
    assert not opened.slices
    with pytest.raises(InputError, match="this pool has no slices; give them to a pool in memory"):
        lowshot.Evaluation(opened).table(by="camera")
