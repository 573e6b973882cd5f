"""Prodigy: JSON lines of tasks that are accepted or rejected, and the same with their answers. Where there are many
categories, tasks have options to choose from, for its interface `choice`."""

from collections.abc import Iterator, Sequence
from typing import Any

from lowshot.answer import YES_NO, Answers
from lowshot.class_answer import CANNOT_TELL
from lowshot.cli.formats.lines import objects, rows_to_lines
from lowshot.errors import InputError
from lowshot.labelling.rows import Item, Row

ACCEPT, REJECT = "accept", "reject"
ANSWERS = {"accept": 1, "reject": 0, "ignore": None, None: ""}


def write(items: Sequence[Item], question: str, show: str, answers: Answers = YES_NO) -> str:
    """Tasks: the first field as the image, or all fields as the text; the id if there are no fields.

    >>> print(write([Item(7, {"title": "Crow"})], "Is this a crow?", "text"), end="")
    {"text": "Crow", "label": "Is this a crow?", "meta": {"id": "7"}}
    """
    options = [{"id": word, "text": word} for word in answers.words if word != CANNOT_TELL]
    more = {} if answers is YES_NO else {"options": options}
    return rows_to_lines({**_task(item, question, show), **more} for item in items)


def _task(item: Item, question: str, show: str) -> dict[str, Any]:
    values = list(item.fields.values()) or [str(item.id)]
    content = {"image": values[0]} if show == "image" else {"text": "\n".join(values)}
    others = dict(list(item.fields.items())[1:]) if show == "image" else {}
    return {**content, "label": question, "meta": {**others, "id": str(item.id)}}


def read(text: str) -> Iterator[Row]:
    """Rows of a file of labels: accept is yes, reject is no, ignore is "cannot tell". Of a task with options, what was
    accepted is the options that were chosen."""
    for line, row in objects(text):
        meta, answer = row.get("meta"), row.get("answer")
        if not isinstance(meta, dict) or "id" not in meta:
            raise InputError(f"every row must have meta with an id: line {line} has none; correct the file")
        if not isinstance(answer, str | None) or answer not in ANSWERS:
            known = ", ".join(word for word in ANSWERS if word)
            raise InputError(f"answers must be one of {known}: got {answer!r} for item {meta['id']!r}")
        value = _chosen(row, line) if isinstance(row.get("options"), list) else ANSWERS[answer]
        yield Row(meta["id"], value, f"line {line}")


def _chosen(row: dict[str, Any], line: int) -> Any:
    """The options that were chosen; a task with options that is rejected says nothing."""
    answer, chosen = row.get("answer"), row.get("accept", [])
    if answer == REJECT:
        raise InputError(
            f"answers must be accept or ignore where there are options: line {line} is rejected; choose 'none of these'"
            " and accept, or ignore the task if nobody can tell"
        )
    if answer != ACCEPT:
        return ANSWERS[answer]
    if not isinstance(chosen, list) or not chosen:
        raise InputError(f"a task that is accepted must have options that were chosen: line {line} has none")
    return chosen
