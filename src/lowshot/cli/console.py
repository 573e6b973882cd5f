"""Options that several commands share, and output: results to stdout or a file, notes and progress to stderr."""

import json
import os
import re
import stat
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TextIO
from unicodedata import category

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from lowshot.errors import InputError

RUNNER = ("GITHUB_ACTIONS", "GITHUB_OUTPUT")  # environment variables of a step of GitHub Actions
COMMAND = re.compile(r"((?:^|[\r\n])\s*):(?=:)|#(?=#\[)")  # where GitHub's runner looks for commands in what is printed
JOINER = "\u2060"  # the word joiner, a character without width
PATIENCE = 0.5  # seconds of work without a word, where no spinner can turn


def print_json(found: dict[str, Any]) -> None:
    text = json.dumps(found, indent=2, allow_nan=False, ensure_ascii=False)
    typer.echo(text.replace("##[", "#\\u0023["))  # within texts only: the same JSON, and no command (see `harmless`)


def say(text: object) -> None:
    """Print a result on stdout. Commands use this and `note` for all that they print, so that all of it is harmless."""
    typer.echo(harmless(str(text), sys.stdout))


def note(text: str) -> None:
    """Print a note for people on stderr, unless it is empty."""
    if text:
        typer.echo(harmless(text, sys.stderr), err=True)


def harmless(text: str, stream: TextIO) -> str:
    """On a terminal: the text without control characters, with which the names and texts of a store could put anything
    on the screen and into the clipboard. In a step of GitHub Actions: without commands to its runner, which reads all
    that is printed. Names of models and categories come from files, and "::add-mask::f1" at the beginning of a line
    would be obeyed.
    """
    text = printable(text) if stream.isatty() else text
    if not any(os.environ.get(name) for name in RUNNER):
        return text
    return COMMAND.sub(lambda found: f"{found[0]}{JOINER}", text)


def printable(text: str) -> str:
    """Without control characters, which would change the state of the terminal.

    >>> printable("Crow\\x1b[31m\\r\\n")
    'Crow�[31m\\n'
    """
    plain = text.replace("\r\n", "\n")
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(letter) else letter for letter in plain)


def _steers(letter: str) -> bool:
    return category(letter) == "Cc" and letter not in "\n\t"


def is_terminal() -> bool:
    """Whether results are read by a person, and not by another program or from a file."""
    return sys.stdout.isatty()


@contextmanager
def noting_warnings() -> Iterator[None]:
    """Print warnings as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for one in caught:
        note(f"careful: {one.message}")


def check(path: Path | None, new: bool = False) -> None:
    """Refuse a path that cannot be written, before anything is changed. `new`: refuse a file that exists, too."""
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f"--output must be a file in a folder that exists: got {path}")
    if new and path.exists():
        raise InputError(f"--output must not exist, because it may contain labels: {path} exists; name another file")


def write(text: str, path: Path | None) -> None:
    if path is None:
        typer.echo(text if _is_file() else harmless(text, sys.stdout), nl=False)
        return
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        raise not_written(path, error) from None


def _is_file() -> bool:
    """Whether stdout goes to a file: nobody obeys what is in it, and ids such as ::1 must stay as they are."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except OSError:  # of a stream without a descriptor, too
        return False


def not_written(path: Path, error: OSError) -> InputError:
    return InputError(f"--output must be a file that can be written: {path} is not ({error.strerror})")


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr if that is a terminal; otherwise one line, if it takes longer than PATIENCE."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(escape(what)):
            yield
        return
    late = threading.Timer(PATIENCE, note, [what])
    late.daemon = True
    late.start()
    try:
        yield
    finally:
        late.cancel()
        late.join()  # a line that is being written comes before all that follows


def estimating() -> AbstractContextManager[None]:
    """While an estimate is computed: mostly below a second, some seconds for several models of a large pool."""
    return working("Estimating ...")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, if that is a terminal, otherwise as `working`; call it with steps done and the total
    number of steps."""
    console = Console(stderr=True)
    if not console.is_terminal:
        with working(what):
            yield lambda done, steps: None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, steps: bar.update(task, completed=done, total=steps)


StorePath = Annotated[
    str, typer.Argument(metavar="STORE", help="A file such as birds.db, or postgresql://user@host/database.")
]
Name = Annotated[str | None, typer.Option(help="Name of the evaluation; may be omitted if the store has only one.")]
Moved = Annotated[
    list[str] | None,
    typer.Option(
        "--pool",
        metavar="PATH",
        help="Path of the pool's file, if it was moved; MODEL=PATH for the file of a model that was added later.",
    ),
]
AllowExternal = Annotated[
    bool,
    typer.Option(
        "--allow-external",
        help="Let views in a .duckdb pool read other files, which may be any of yours: only for a file of your own.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="File to write; the terminal if not given.")
]
Who = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="NAME",
        help="Name of the person who labels; items are reserved for this name. 'command line' if not given.",
    ),
]
ForSpreadsheet = Annotated[
    bool,
    typer.Option(
        "--for-spreadsheet", help="CSV: write an apostrophe before texts that a spreadsheet would treat as formulas."
    ),
]
Score = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of scores; higher means more likely positive.")
]
SameIds = Annotated[
    str | None, typer.Option("--id", metavar="COLUMN", help="Column of ids; as at the start if not given.")
]
Threshold = Annotated[float | None, typer.Option(help="Items with at least this score are predicted positive.")]
Prediction = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of 0/1 predictions, instead of --threshold.")
]
Margin = Annotated[float, typer.Option(help="A difference up to this does not matter.")]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME", help="Which model, if the evaluation judges several and its goal is not one."
    ),
]
Confidence = Annotated[float, typer.Option(help="Confidence of the interval.")]


class Plain(StrEnum):
    """Formats of a table."""

    CSV = "csv"
    JSONL = "jsonl"


class Format(StrEnum):
    """Formats of files that `ask` writes and `tell` reads."""

    CSV = "csv"
    JSONL = "jsonl"
    LABEL_STUDIO = "label-studio"
    PRODIGY = "prodigy"


def refuse_no_csv(form: StrEnum, for_spreadsheet: bool) -> None:
    """Only cells of a CSV file can be treated as formulas."""
    if for_spreadsheet and form != Format.CSV:
        raise InputError(f"--for-spreadsheet must come with --format csv: got {form.value}; leave it out")
