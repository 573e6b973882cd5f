"""CSV: one row per item, with an empty label to fill in."""

import csv
import io
from collections.abc import Container, Iterator, Sequence

from lowshot.cli.table_file import delimiter
from lowshot.csv_text import rows_to_csv, unguarded
from lowshot.errors import InputError
from lowshot.labelling.rows import Item, Row


def write(items: Sequence[Item], fields: Sequence[str], for_spreadsheet: bool = False) -> str:
    """Id, fields, label.

    >>> print(write([Item("a.jpg", {"title": "Crow, black"})], ["title"]), end="")
    id,title,label
    a.jpg,"Crow, black",
    """
    rows = [[item.id, *map(item.fields.get, fields), ""] for item in items]
    return rows_to_csv(["id", *fields, "label"], rows, for_spreadsheet)


def read(text: str, id_column: str | None = None) -> Iterator[Row]:
    """Rows of a file with columns id and label; other columns are ignored, and labels may be empty.

    id_column  another name for the column of ids, as in the file of the pool, if there is no column id

    >>> [row.item for row in read("path,label\\na.jpg,1\\n", "path")]
    ['a.jpg']
    """
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter(text.split("\n", 1)[0]), restval="")
    try:
        there = rows.fieldnames = plain_names(list(rows.fieldnames or []))
        item = ids_among(there, id_column)
        if item is None or "label" not in there:
            raise InputError(
                f"the file must have columns {names_of_ids(id_column)} and label: it has {', '.join(there) or 'none'}"
            )
        for row in rows:
            yield Row(row[item], unguarded(row["label"]), f"line {rows.line_num}")
            if not row[item]:
                raise InputError(f"every row must have an id: line {rows.line_num} has none; correct the file")
    except csv.Error as error:
        raise InputError(f"the file must be CSV: line {rows.line_num}: {error}; only id and label are needed") from None


def plain_names(names: list[str]) -> list[str]:
    """Column names, with id and label in lower case: people and spreadsheets change them.

    >>> plain_names(["ID", " Label", "Title"]), plain_names(["id", "ID"])
    (['id', 'label', 'Title'], ['id', 'ID'])
    """
    plain = [name.strip().lower() for name in names]
    return [
        short if short in ("id", "label") and short not in names and plain.count(short) == 1 else name
        for name, short in zip(names, plain, strict=True)
    ]


def ids_among(there: Container[str], id_column: str | None) -> str | None:
    """The name of the column of ids: id, as `lowshot ask` writes it, or the one of the pool's file."""
    return next((name for name in ("id", id_column) if name is not None and name in there), None)


def names_of_ids(id_column: str | None) -> str:
    """What the column of ids may be called, for messages."""
    return "id" if id_column in (None, "id") else f"id or {id_column}"
