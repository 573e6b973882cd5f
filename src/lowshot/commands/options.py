"""Arguments that several commands share, and their formats."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lowshot.errors import InputError

StorePath = Annotated[
    str, typer.Argument(metavar="STORE", help="A file such as birds.db, or postgresql://user@host/database.")
]
Name = Annotated[str | None, typer.Option(help="Which evaluation; the only one of the store if not given.")]
Moved = Annotated[str | None, typer.Option("--pool", help="Where the pool's file is now, if it was moved.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of words.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to; the terminal if not.")]
Who = Annotated[
    str | None,
    typer.Option("--for", metavar="NAME", help="Who labels; 'command line' if not given. Nobody else gets the items."),
]
ForSpreadsheet = Annotated[
    bool,
    typer.Option("--for-spreadsheet", help="CSV: an apostrophe before texts that a spreadsheet takes for formulas."),
]
Confidence = Annotated[float, typer.Option(help="Of the interval.")]


class Plain(StrEnum):
    """Formats of a table."""

    CSV = "csv"
    JSONL = "jsonl"


class Format(StrEnum):
    """Formats in which items go out and labels come in."""

    CSV = "csv"
    JSONL = "jsonl"
    LABEL_STUDIO = "label-studio"
    PRODIGY = "prodigy"


def refuse_no_csv(form: StrEnum, for_spreadsheet: bool) -> None:
    """Only cells of a CSV file can be taken for formulas."""
    if for_spreadsheet and form != Format.CSV:
        raise InputError(f"--for-spreadsheet must come with --format csv: got {form.value}; leave it out")
