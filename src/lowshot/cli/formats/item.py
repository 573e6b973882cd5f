"""An item as it is shown, and a row that was filled in."""

from enum import Enum
from typing import Any, NamedTuple

from lowshot.checks import Id
from lowshot.errors import InputError

CHOICES = ("yes", "no", "cannot tell")
WORDS = {
    **dict.fromkeys(("1", "yes", "y", "true", "1.0"), 1),
    **dict.fromkeys(("0", "no", "n", "false", "0.0"), 0),
    **dict.fromkeys(("cannot tell", "?", "null")),
}


class Empty(Enum):
    """Not answered, which is something else than "cannot tell"."""

    EMPTY = ""


EMPTY = Empty.EMPTY
Label = int | None


class Item(NamedTuple):
    """What annotators see: the id, and columns of the pool's file by name."""

    id: Id
    fields: dict[str, str]


class Filled(NamedTuple):
    """A row of a file that came back: the id as text, and the label."""

    item: str
    label: Label | Empty


def filled(item: Any, value: Any) -> Filled:
    """A row with whatever somebody wrote as the label.

    >>> filled("bird.jpg", " Yes ").label, filled(7, None).label, filled(7, "").label
    (1, None, <Empty.EMPTY: ''>)
    """
    word = "null" if value is None else str(value).strip().lower()
    if not word:
        return Filled(str(item), EMPTY)
    if word not in WORDS:
        raise InputError(
            f"labels must be 1, 0, yes, no, y, n, true, false, ? or 'cannot tell', or empty: got {value!r}"
            f" for item {item!r}; correct the file"
        )
    return Filled(str(item), WORDS[word])


def word_of(label: Label) -> str:
    """The label in a word.

    >>> word_of(1), word_of(None)
    ('yes', 'cannot tell')
    """
    return {1: "yes", 0: "no"}.get(-1 if label is None else label, "cannot tell")
