"""What people answer about an item of one of many categories."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowshot
from lowshot.answer import EMPTY, YES_NO
from lowshot.class_answer import ClassAnswers, answers_of, class_answers
from lowshot.errors import InputError

BIRDS = ("heron", "crow", "wren")
ONE, SEVERAL = ClassAnswers(BIRDS), ClassAnswers(BIRDS, "multilabel")
repeatable = settings(derandomize=True, deadline=None)


@pytest.mark.parametrize(
    ("value", "label"), [("heron", 0), ("wren", 2), (lowshot.OTHER, -1), ("none of these", -1), (None, None), (1, 1)]
)
def test_one_category(value: Any, label: int | None) -> None:
    assert ONE.check("a", value) == label


def test_a_number_is_a_name_where_names_are_numbers() -> None:
    years = ClassAnswers((2023, 2024))
    assert years.check("a", 2024) == 1
    with pytest.raises(InputError, match=r"labels must be categories of the pool: got 1 for item 'a'"):
        years.check("a", 1)


@pytest.mark.parametrize("value", ["herron", 3, -1, True, 0.5, ["heron"], b"heron", float("nan")])
def test_what_is_no_category(value: Any) -> None:
    with pytest.raises(InputError, match="labels must be categories of the pool"):
        ONE.check("a", value)


def test_the_nearest_names_are_said() -> None:
    with pytest.raises(InputError, match=r"got 'herron' for item 'a'; the nearest is 'heron'"):
        ONE.check("a", "herron")
    with pytest.raises(
        InputError, match=r"category must be a category of the pool: got 'wrenn'; the nearest is 'wren'"
    ):
        ONE.place("wrenn")


@pytest.mark.parametrize(
    ("value", "label"), [({"heron", "wren"}, 5), ([], 0), (lowshot.OTHER, 0), (["crow", "crow"], 2), (None, None)]
)
def test_any_number_of_categories(value: Any, label: int | None) -> None:
    assert SEVERAL.check("a", value) == label


@pytest.mark.parametrize("value", ["heron", 1])
def test_a_set_is_needed_where_several_apply(value: Any) -> None:
    with pytest.raises(InputError, match="labels must be sets of categories"):
        SEVERAL.check("a", value)


@pytest.mark.parametrize("answers", [ONE, SEVERAL])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("answer", [0, 1, None])
def test_yes_or_no_about_one_category(answers: ClassAnswers, place: int, answer: int | None) -> None:
    label = answers.about(BIRDS[place], "a", answer)
    assert answers.truth(label, place) == answer
    others = {answers.truth(label, other) for other in range(3) if other != place}
    assert others == ({0} if answer == 1 and not answers.several else {None})


@repeatable
@given(st.one_of(st.none(), st.integers(-4, 2)))
def test_words_of_one_category_can_be_read_again(label: int | None) -> None:
    assert ONE.read("a", ONE.word(label)) == label
    assert ONE.label(ONE.word(label)) == label
    assert ONE.possible(label)


@repeatable
@given(st.one_of(st.none(), st.integers(-6, 7)))
def test_words_of_several_categories_can_be_read_again(label: int | None) -> None:
    assert SEVERAL.read("a", SEVERAL.word(label)) == label
    assert SEVERAL.possible(label)


@repeatable
@given(st.one_of(st.none(), st.integers(0, 7)))
def test_what_was_told_can_be_told_again(label: int | None) -> None:
    assert SEVERAL.check("a", SEVERAL.value(label)) == label
    if label is None or label < 3:
        assert ONE.check("a", ONE.value(label)) == label


@pytest.mark.parametrize("label", [3, -5, "heron", 1.5])
def test_labels_of_a_damaged_store(label: Any) -> None:
    assert not ONE.possible(label)


def test_an_empty_cell_is_no_answer() -> None:
    assert ONE.read("a", " ") is EMPTY
    with pytest.raises(InputError, match="answer must be a category"):
        ONE.label("")


@pytest.mark.parametrize(
    ("old", "new", "refines"),
    [(-2, 1, True), (-2, -1, True), (-2, 0, False), (-2, -3, False), (0, 1, False), (None, 1, False)],
)
def test_a_name_says_more_than_no(old: int | None, new: int, refines: bool) -> None:
    assert ONE.refines(old, new) == refines


def test_a_category_may_look_like_other_words() -> None:
    odd = ClassAnswers(("not crow", "crow", "yes"))
    assert [odd.read("a", word) for word in ("not crow", "crow", "yes")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("names", "kind", "message"),
    [
        (["a", "b", "a"], "single", r"classes must be distinct: got 'a' twice"),
        (["a", "b"], "single", r"classes must be one name per column of scores: got 2 names for 3 columns"),
        (["a", 1, "c"], "single", r"all strings or all whole numbers: got int, str"),
        ([0.5, 1.5, 2.5], "single", r"all strings or all whole numbers: got float"),
        (["a", " ", "c"], "single", r"classes must be a text that is not empty"),
        (["a", "b ", "c"], "single", r"names without spaces around them: got 'b '"),
        (["a", "none of these", "c"], "single", r"must not be called 'none of these'"),
        (["a", "b|c", "d"], "multilabel", r"names without '\|'"),
        ("abc", "single", r"classes must be a list"),
        (["a", "b", "c"], "several", r"kind must be one of single, multilabel: got 'several'"),
    ],
)
def test_names_of_classes(names: Any, kind: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        class_answers(names, 3, kind)


def test_a_store_keeps_as_many_categories_as_a_label_has_bits() -> None:
    ClassAnswers(range(5000)).refuse_unstorable()
    ClassAnswers(range(62), "multilabel").refuse_unstorable()
    with pytest.raises(InputError, match="classes must be at most 62 for kind 'multilabel' in a store: got 63"):
        ClassAnswers(range(63), "multilabel").refuse_unstorable()


def test_answers_of_a_stored_evaluation() -> None:
    assert answers_of({}) is YES_NO
    found = answers_of({"answers": SEVERAL.described(), "pool": "birds.parquet"})
    assert found.described() == {"categories": list(BIRDS), "kind": "multilabel"}


def test_none_of_these_as_the_page_writes_it() -> None:
    for kind, label in (("single", -1), ("multilabel", 0)):
        assert ClassAnswers(("heron", "crow"), kind).read("a", "None of these") == label


def test_the_way_out_is_named_as_files_write_it() -> None:
    answers = ClassAnswers(("heron", "crow"))
    with pytest.raises(InputError, match=r"'none of these', in Python lowshot\.OTHER, is for items of no category"):
        answers.read("a", "other")
    with pytest.raises(InputError, match=r"got 'other'; the nearest is 'heron'$"):
        answers.place("other")
