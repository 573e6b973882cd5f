"""CSV: one row per item, with an empty label to fill in."""

import csv
import io
from collections.abc import Iterator, Sequence

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


def read(text: str) -> Iterator[Row]:
    """Rows of a file with columns id and label; other columns are ignored, and labels may be empty."""
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter(text.split("\n", 1)[0]), restval="")
    try:
        there = rows.fieldnames = plain_names(list(rows.fieldnames or []))
        if "id" not in there or "label" not in there:
            raise InputError(f"the file must have columns id and label: it has {', '.join(there) or 'none'}")
        for row in rows:
            yield Row(row["id"], unguarded(row["label"]), f"line {rows.line_num}")
            if not row["id"]:
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
