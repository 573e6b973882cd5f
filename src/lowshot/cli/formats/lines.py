"""JSON lines: one object per item, with an empty label to fill in."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lowshot.cli.formats.table import ids_among, names_of_ids
from lowshot.errors import InputError
from lowshot.labelling.rows import Item, Row


def write(items: Sequence[Item], fields: Sequence[str]) -> str:
    """Id, fields, label.

    >>> print(write([Item(7, {"title": "Crow"})], ["title"]), end="")
    {"id": 7, "title": "Crow", "label": ""}
    """
    return rows_to_lines({"id": item.id, **item.fields, "label": ""} for item in items)


def rows_to_lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows)


def read(text: str, id_column: str | None = None) -> Iterator[Row]:
    """Rows of a file of labels. A missing label means "not answered", null means "cannot tell".

    id_column  another name for the ids, as in the file of the pool, of rows that have no "id"
    """
    for line, row in objects(text):
        name = ids_among(row, id_column)
        if name is None or row[name] is None:
            wanted = names_of_ids(id_column)
            raise InputError(f"every row must have an id: line {line} has none called {wanted}; correct the file")
        yield Row(row[name], row.get("label", ""), f"line {line}")


def objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and objects. Only line feeds end a line: texts may contain other line ends of Unicode."""
    for line, part in enumerate(text.split("\n"), 1):
        if not part.strip():
            continue
        try:
            row = json.loads(part)
        except ValueError as error:
            raise InputError(f"the file must be JSON lines: line {line} is not JSON ({error})") from None
        if not isinstance(row, dict):
            raise InputError(f"the file must be JSON lines: line {line} is not an object")
        yield line, row
