"""An item as annotators see it, and a row with a label."""

from typing import Any, NamedTuple

from lowshot.answer import YES_NO, Empty, Label
from lowshot.checks import Id


class Item(NamedTuple):
    """What annotators see: the id, and columns of the pool's file by name."""

    id: Id
    fields: dict[str, str]


class Filled(NamedTuple):
    """A row of a file of labels: the id as text, and the label."""

    item: str
    label: Label | Empty


def filled(item: Any, value: Any) -> Filled:
    """A row from an id and whatever somebody wrote as the label.

    >>> filled("bird.jpg", " Yes ").label, filled(7, None).label, filled(7, "").label
    (1, None, <Empty.EMPTY: ''>)
    """
    return Filled(str(item), YES_NO.read(item, value))
