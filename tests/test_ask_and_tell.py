"""Ask, tell and correct: what is refused changes nothing, and what was told stays."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowshot import ClassPool, Evaluation, InputError, Pool

from .small_evaluations import (
    SIZE,
    TOP,
    TRUTH,
    every_sampler,
    exact,
    pool_of,
    refused,
    state,
    under_way,
)


@pytest.mark.parametrize("n", [0, -1, 2.0, "3", None, True])
def test_ask_needs_a_whole_number(n: Any) -> None:
    evaluation = under_way()
    with refused(evaluation, f"n must be a whole number at least 1: got {n!r}"):
        evaluation.ask(n)


@every_sampler
def test_ask_for_more_than_there_is(sampler: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    handed_out: list[Any] = []
    while items := evaluation.ask(10**14):
        handed_out += items
    assert sorted(handed_out) == list(range(SIZE))
    assert "12 are pending" in evaluation.reason


def test_tell_an_item_never_asked() -> None:
    evaluation = under_way()
    answered, pending = list(evaluation.history["labels"]), evaluation.pending
    never = next(item for item in range(SIZE) if item not in answered + pending)
    with refused(evaluation, f"items must have been asked: {never} never was"):
        evaluation.tell([pending[0], never], [1, 1])


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("many_classes", [False, True])
def test_tell_a_mapping(many_classes: bool, stored: bool, tmp_path: Path) -> None:
    """{id: label} means the same as two lists, as known={id: label} does."""
    told = []
    for as_mapping in (True, False):
        pool = ClassPool(np.eye(3)[[0, 1, 2, 1]], classes=["heron", "crow", "wren"]) if many_classes else pool_of()
        evaluation = Evaluation(pool, store=tmp_path / f"{as_mapping}.db" if stored else None)
        items = evaluation.ask(3)
        labels = dict(zip(items, ["crow", None, "wren"] if many_classes else [1, None, 0], strict=True))
        if as_mapping:
            evaluation.tell(labels)
        else:
            evaluation.tell([*labels], [*labels.values()])
        told.append(evaluation.history["answers"])
    assert told[0] == told[1]
    assert len(told[0]) == 3


def test_tell_a_mapping_for_one_category() -> None:
    evaluation = Evaluation(ClassPool(np.eye(3), classes=["heron", "crow", "wren"]))
    items = evaluation.ask(2)
    evaluation.tell(dict.fromkeys(items, 0), category="crow")
    assert evaluation.labels == 2
    with pytest.raises(InputError, match="item"):
        evaluation.tell({99: 1}, category="crow")


def test_a_mapping_has_the_labels_and_a_list_has_not() -> None:
    evaluation = under_way()
    item = evaluation.pending[0]
    with refused(evaluation, "labels must be left out where items are {id: label}: got \\[1\\]"):
        evaluation.tell({item: 1}, [1])
    with refused(evaluation, "labels must be one for each item: got none; give .* or tell\\({id: label}\\)"):
        evaluation.tell([item])
    with refused(evaluation, "labels must be 0, 1 or None.*got 2"):
        evaluation.tell({item: 2})


@pytest.mark.parametrize("item", [99, -1, SIZE, "0", 0.5, None, (0,), [0]])
@pytest.mark.parametrize("ids", [None, list(range(SIZE)), [f"item {i}" for i in range(SIZE)]])
def test_tell_or_correct_what_is_no_item(item: Any, ids: Any) -> None:
    evaluation = Evaluation(pool_of(ids=ids))
    asked = evaluation.ask(SIZE)
    evaluation.tell(asked[:1], [1])
    with refused(evaluation, "items? must be.*not in it"):
        evaluation.tell([asked[1], item], [1, 1])
    with refused(evaluation, "items? must be.*not in it"):
        evaluation.correct(item, 1)


@pytest.mark.parametrize("item", [1.0, True, np.float64(1), np.bool_(True)])
def test_what_looks_like_an_integer_id_is_treated_alike(item: Any) -> None:
    """With positions as ids and with the same integers given: taken in both, or in neither."""
    taken = []
    for ids in (None, list(range(SIZE))):
        evaluation = Evaluation(pool_of(ids=ids))
        evaluation.ask(SIZE)
        try:
            evaluation.tell([item], [1])
        except InputError:
            taken.append(False)
        else:
            taken.append(True)
    assert taken[0] == taken[1]


@pytest.mark.parametrize("old", [0, 1, None])
@pytest.mark.parametrize("new", [0, 1, None])
def test_tell_twice(old: int | None, new: int | None) -> None:
    evaluation = under_way()
    item = evaluation.pending[0]
    evaluation.tell([item], [old])
    if old == new:
        before = state(evaluation)
        evaluation.tell([item], [new])
        assert state(evaluation) == before
        return
    with refused(evaluation, rf"{item} was answered {old} before and now {new}; use correct\(\)"):
        evaluation.tell([item], [new])
    evaluation.correct(item, new)
    assert evaluation.history["labels"][item] == new
    assert [answer["label"] for answer in evaluation.history["answers"] if answer["item"] == item] == [old, new]


def test_tell_twice_in_one_call() -> None:
    evaluation = under_way()
    item = evaluation.pending[0]
    with refused(evaluation, f"{item} was answered 1 before and now 0"):
        evaluation.tell([item, item], [1, 0])
    evaluation.tell([item, item], [1, 1])
    assert [answer["item"] for answer in evaluation.history["answers"]].count(item) == 1


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1], "labels must be one for each item: got 1 labels for 2 items"),
        ([1, 0, 1], "labels must be one for each item: got 3 labels for 2 items"),
        ([], "labels must be one for each item: got 0 labels for 2 items"),
        (1, "labels must be"),
        (None, "labels must be"),
        ([1, 2], "labels must be 0, 1 or None.*got 2 for item"),
        ([1, -1], "labels must be 0, 1 or None.*got -1 for item"),
        ([1, 0.5], "labels must be 0, 1 or None.*got 0.5 for item"),
        ([1, math.nan], "labels must be 0, 1 or None.*got nan for item"),
        ([1, "1"], "labels must be 0, 1 or None.*got '1' for item"),
        ([1, [0]], r"labels must be 0, 1 or None.*got \[0\] for item"),
    ],
)
def test_tell_labels_that_are_none(labels: Any, message: str) -> None:
    evaluation = under_way()
    with refused(evaluation, message):
        evaluation.tell(evaluation.pending, labels)


@pytest.mark.parametrize("scalar", [int, np.int64, np.uint8])
def test_tell_one_item_without_a_list(scalar: Callable[[Any], Any]) -> None:
    evaluation = under_way()
    with refused(evaluation, "items must be a list: got"):
        evaluation.tell(scalar(evaluation.pending[0]), 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("label", [2, "1", 0.5, math.nan])
def test_correct_needs_a_label(label: Any) -> None:
    evaluation = under_way()
    with refused(evaluation, "labels must be 0, 1 or None"):
        evaluation.correct(next(iter(evaluation.history["labels"])), label)


def test_correct_what_was_never_answered() -> None:
    evaluation = under_way()
    with refused(evaluation, "must have been answered.*was not; use tell"):
        evaluation.correct(evaluation.pending[0], 1)


def test_known_labels_stay_labels() -> None:
    evaluation = under_way(known={11: 0})
    with refused(evaluation, "known labels must be 0 or 1: got None for 11"):
        evaluation.correct(11, None)
    with refused(evaluation, "11 was answered 0 before and now 1"):
        evaluation.tell([11], [1])
    evaluation.correct(11, 1)
    assert evaluation.history["labels"][11] == 1


def test_history_is_a_copy() -> None:
    evaluation = under_way()
    before = state(evaluation)
    history = evaluation.history
    history["labels"].clear()
    history["answers"].clear()
    history["rounds"][0]["items"].clear()
    history["header"]["settings"]["first"] = 99
    evaluation.pending.clear()
    assert state(evaluation) == before


@every_sampler
def test_asking_on_while_answers_are_pending(sampler: str) -> None:
    evaluation = Evaluation(pool_of(), sampler=sampler)
    items: list[Any] = []
    while further := evaluation.ask(3):
        items += further
    assert sorted(items) == list(range(SIZE))
    assert evaluation.pending == items
    assert f"{SIZE} are pending" in evaluation.reason
    evaluation.tell(items[::-1], [TRUTH[item] for item in items[::-1]])
    assert evaluation.estimate().value == pytest.approx(exact(TRUTH, TOP))
    assert evaluation.ask(3) == []
    assert evaluation.pending == []


def test_answers_may_be_words() -> None:
    """As on the command line."""
    evaluation = Evaluation(Pool([0.9, 0.8, 0.7, 0.2], threshold=0.5))
    items = evaluation.ask(4)
    evaluation.tell(items, ["yes", "No", "cannot tell", True])
    assert list(evaluation.history["labels"].values()) == [1, 0, None, 1]
