"""Text to a file or to the terminal; nothing but it goes to stdout."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from lowshot.errors import InputError


def print_json(found: dict[str, Any]) -> None:
    typer.echo(json.dumps(found, indent=2, allow_nan=False, ensure_ascii=False))


def note(text: str) -> None:
    """For people, not for the program that reads stdout; nothing if there is nothing to say."""
    if text:
        typer.echo(text, err=True)


def counted(number: int, thing: str) -> str:
    """A number and what it counts.

    >>> counted(1, "label"), counted(1200, "label")
    ('1 label', '1,200 labels')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"


def check(path: Path | None, new: bool = False) -> None:
    """Before anything is changed: whether a file can be written there."""
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f"--output must be a file in a folder that exists: got {path}")
    if new and path.exists():
        raise InputError(f"--output must be a new file, labels could be in this one: {path} is there; name another")


def write(text: str, path: Path | None) -> None:
    if path is None:
        typer.echo(text, nl=False)
        return
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        raise InputError(f"--output must be a file that can be written: {path} is not ({error.strerror})") from None


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr, where that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where that is a terminal; call it with steps done and steps in all."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, steps: bar.update(task, completed=done, total=steps)


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
