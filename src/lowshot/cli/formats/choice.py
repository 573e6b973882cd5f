"""A format by name, or detected from a file."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from lowshot.answer import YES_NO, Answers
from lowshot.cli.console import Format
from lowshot.cli.formats import lines, prodigy, table
from lowshot.errors import InputError
from lowshot.integrations.label_studio import tasks
from lowshot.labelling.rows import Filled, Item, filled

READERS = {
    Format.LABEL_STUDIO: tasks.read,
    Format.PRODIGY: prodigy.read,
}
TABLES = {Format.CSV: table.read, Format.JSONL: lines.read}  # whose columns people may have named
ENDINGS = {".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".json": Format.LABEL_STUDIO}


def written(
    form: Format,
    items: Sequence[Item],
    fields: Sequence[str],
    question: str,
    show: str,
    for_spreadsheet: bool = False,
    answers: Answers = YES_NO,
) -> str:
    """The text of a file of items to label."""
    if form is Format.LABEL_STUDIO:
        return tasks.write(items)
    if form is Format.PRODIGY:
        return prodigy.write(items, question, show, answers)
    return table.write(items, fields, for_spreadsheet) if form is Format.CSV else lines.write(items, fields)


def read(form: Format | None, text: str, answers: Answers = YES_NO, id_column: str | None = None) -> Iterator[Filled]:
    """The rows of a file of labels.

    id_column  what the column of ids may be called instead of id
    """
    try:
        found = form or guessed(text)
        for row in TABLES[found](text, id_column) if found in TABLES else READERS[found](text):
            yield filled(row, answers)
    except RecursionError:
        raise InputError("FILE must be a table or a list of labels: got JSON that is nested too deeply") from None


def by_ending(path: Path | None) -> Format:
    """The format for the ending of a file name.

    >>> by_ending(Path("items.jsonl")).value, by_ending(None).value
    ('jsonl', 'csv')
    """
    if path is None:
        return Format.CSV
    if path.suffix.lower() in (".xlsx", ".xls", ".ods", ".parquet"):
        raise InputError(f"--output must be a text file, such as .csv or .jsonl: got {path}; name another one")
    return ENDINGS.get(path.suffix.lower(), Format.CSV)


def guessed(text: str) -> Format:
    """The format of a text, from its beginning: only rows of Prodigy have \"meta\".

    >>> guessed('[{"data": {}}]').value, guessed('{"meta": {}}').value, guessed('{"id": 1}').value, guessed("id").value
    ('label-studio', 'prodigy', 'jsonl', 'csv')
    """
    start = text.lstrip()
    if start.startswith("["):
        return Format.LABEL_STUDIO
    if not start.startswith("{"):
        return Format.CSV
    try:
        first = json.loads(start.split("\n", 1)[0])
    except ValueError:
        return Format.JSONL
    return Format.PRODIGY if isinstance(first.get("meta"), dict) else Format.JSONL
