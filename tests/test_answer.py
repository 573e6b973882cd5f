"""Labels, the words for them, and what files hold: one codec."""

import pytest

import lowshot
from lowshot import InputError
from lowshot.answer import EMPTY, YES_NO


def test_words_and_labels_are_one_to_one() -> None:
    assert [YES_NO.label(word) for word in YES_NO.words] == [1, 0, None] == list(YES_NO.keys.values())
    assert [YES_NO.word(YES_NO.label(word)) for word in YES_NO.words] == list(YES_NO.words)
    assert [YES_NO.read("a", word) for word in YES_NO.words] == [1, 0, None]


@pytest.mark.parametrize(
    ("written", "label"),
    [(1, 1), (True, 1), (1.0, 1), (" Y ", 1), ("TRUE", 1), (0, 0), (False, 0), ("n", 0), (None, None), ("?", None)],
)
def test_what_files_hold(written: object, label: int | None) -> None:
    assert YES_NO.read("a", written) == label
    assert YES_NO.read("a", "  ") is EMPTY


def test_what_is_no_answer() -> None:
    with pytest.raises(InputError, match=r"labels must be 0, 1 or None \(cannot tell\), .*: got 'maybe' for item 'a'"):
        YES_NO.check("a", "maybe")
    with pytest.raises(InputError, match=r"labels must be 1, 0, yes, .*: got 2 for item 'a'; correct the file"):
        YES_NO.read("a", 2)
    with pytest.raises(InputError, match=r"answer must be one of yes, no, cannot tell: got 'Yes'"):
        YES_NO.label("Yes")
    with pytest.raises(InputError, match="got 1 labels for 2 items"):
        YES_NO.check_all(["a", "b"], [1])


def test_a_pool_has_its_answers() -> None:
    assert lowshot.Pool([0.9, 0.1], threshold=0.5).answers is YES_NO
