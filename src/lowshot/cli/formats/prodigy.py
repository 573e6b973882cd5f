"""Prodigy: JSON lines of tasks that are accepted or rejected, and the same with their answers."""

from collections.abc import Iterator, Sequence
from typing import Any

from lowshot.cli.formats.item import Filled, Item, filled
from lowshot.cli.formats.lines import objects, rows_to_lines
from lowshot.errors import InputError

ANSWERS = {"accept": 1, "reject": 0, "ignore": None, None: ""}


def write(items: Sequence[Item], question: str, show: str) -> str:
    """Tasks: the first field as the image, or all fields as the text; the id if there are no fields.

    >>> print(write([Item(7, {"title": "Crow"})], "Is this a crow?", "text"), end="")
    {"text": "Crow", "label": "Is this a crow?", "meta": {"id": "7"}}
    """
    return rows_to_lines(_task(item, question, show) for item in items)


def _task(item: Item, question: str, show: str) -> dict[str, Any]:
    values = list(item.fields.values()) or [str(item.id)]
    content = {"image": values[0]} if show == "image" else {"text": "\n".join(values)}
    others = dict(list(item.fields.items())[1:]) if show == "image" else {}
    return {**content, "label": question, "meta": {**others, "id": str(item.id)}}


def read(text: str) -> Iterator[Filled]:
    """Rows of a file of labels: accept is yes, reject is no, ignore is "cannot tell"."""
    for line, row in objects(text):
        meta, answer = row.get("meta"), row.get("answer")
        if not isinstance(meta, dict) or "id" not in meta:
            raise InputError(f"every row must have meta with an id: line {line} has none; correct the file")
        if not isinstance(answer, str | None) or answer not in ANSWERS:
            known = ", ".join(word for word in ANSWERS if word)
            raise InputError(f"answers must be one of {known}: got {answer!r} for item {meta['id']!r}")
        yield filled(meta["id"], ANSWERS[answer])
