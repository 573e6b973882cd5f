"""An item as annotators see it, and a row with a label."""

from typing import Any, NamedTuple

from lowshot.answer import Answers, Empty, Label
from lowshot.checks import Id
from lowshot.class_answer import OTHER, SEPARATOR
from lowshot.errors import InputError


class Item(NamedTuple):
    """What annotators see: the id, and columns of the pool's file by name."""

    id: Id
    fields: dict[str, str]


class Filled(NamedTuple):
    """A row of a file of labels: the id as text, and the label."""

    item: str
    label: Label | Empty


class Row(NamedTuple):
    """A row of a file of labels as it was written: the id, whatever is there as the label, and where it is."""

    item: Any
    value: Any
    where: str = ""


def filled(row: Row, answers: Answers) -> Filled:
    """The label that somebody wrote, with several categories as a list or with | between them.

    >>> from lowshot.answer import YES_NO
    >>> [filled(Row(7, value), YES_NO).label for value in (" Yes ", None, "")]
    [1, None, <Empty.EMPTY: ''>]
    """
    try:
        return Filled(str(row.item), answers.read(row.item, _text(row, answers)))
    except InputError as error:
        raise InputError(f"{error}{f' ({row.where} of the file)' if row.where else ''}") from None


def _text(row: Row, answers: Answers) -> Any:
    """What is read as the label: of a list its only element, or all of them where several categories can apply."""
    if not isinstance(row.value, list):
        return row.value
    if answers.several:
        return SEPARATOR.join(map(str, row.value)) or OTHER.value
    if len(row.value) != 1:
        raise InputError(f"labels must be one choice per item: got {row.value} for item {row.item!r}; choose one")
    return row.value[0]
