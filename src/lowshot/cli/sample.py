"""`lowshot sample`: write a small real pool with scores, pictures or texts, and known labels."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from lowshot.cli.console import AsJson, print_json, say, working
from lowshot.demo import samples
from lowshot.demo.samples.sample import ANSWER, LABELS, SCORES, Sample
from lowshot.errors import InputError
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot sample birds
  lowshot sample messages texts --force
  lowshot sample birds --json
"""
PICTURES = "pictures"


def sample(
    name: Annotated[
        str, typer.Argument(metavar="SAMPLE", help="birds, with pictures, or messages, with texts.", show_default=False)
    ],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Where to write it; the name of the sample if not given."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files in a folder that is not empty.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a small real pool to try lowshot on: scores, pictures or texts, and the true labels.

    Nothing is downloaded. The last line that is printed is the command that begins an evaluation.
    """
    found = samples.load(name)
    where = folder or Path(found.name)
    refuse_full(where, force)
    with working("Writing the sample ..."):
        write(found, where)
    if as_json:
        print_json(sample_to_dict(found, where))
    else:
        say(in_words(found, where))


def refuse_full(folder: Path, force: bool) -> None:
    """Refuse a path that is no folder, and a folder that contains something, unless `force`."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"FOLDER must be a folder: {folder} is a file; name another one")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise InputError(f"FOLDER must be new or empty: {folder} is not; name another one, or give --force")


def write(found: Sample, folder: Path) -> None:
    """Write the files of a sample; other files in the folder stay."""
    try:
        for path, content in contents(found, folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(f"FOLDER must be a folder that can be written: {folder} is not ({error.strerror})") from None


def contents(found: Sample, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Each file of a sample and what is in it."""
    for name, text in found.texts(folder).items():
        yield folder / name, text.encode()
    if found.pictures:
        for name, content in found.pictures():
            yield folder / PICTURES / name, content


def in_words(found: Sample, folder: Path) -> str:
    """What was written, and the command that comes next."""
    columns = ", ".join([*found.columns, "score"])
    at = f"{counted(found.predicted, 'item')} at {found.threshold} or higher"
    files = {
        SCORES: f"{columns}: how likely {found.rare}, by a classifier ({at})",
        LABELS: f"{found.id}, label: the truth, 1 for {found.rare}",
        **({f"{PICTURES}/": f"{found.items:,} PNG files"} if found.pictures else {}),
        ANSWER: "a program that answers from labels.csv, instead of a person",
    }
    paths = {str(folder / name) + "/" * name.endswith("/"): text for name, text in files.items()}
    wide = max(map(len, paths))
    share = found.positives / found.items
    return "\n".join(
        [
            f"{found.items:,} {found.what}.",
            f"Rare: {found.rare} ({counted(found.positives, 'item')}, {100 * share:.1f} %).",
            f"Source: {found.source}.",
            *(f"  {path:{wide}}  {text}" for path, text in paths.items()),
            f"Next: {found.start(folder)}",
        ]
    )


def sample_to_dict(found: Sample, folder: Path) -> dict[str, Any]:
    """As plain data."""
    return {
        "sample": found.name,
        "folder": str(folder),
        "pool": str(folder / SCORES),
        "columns": [*found.columns, "score"],
        "labels": str(folder / LABELS),
        "pictures": str(folder / PICTURES) if found.pictures else None,
        "answer": str(folder / ANSWER),
        "items": found.items,
        "positives": found.positives,
        "predicted_positives": found.predicted,
        "threshold": found.threshold,
        "f1": found.truth,
        "question": found.question,
        "source": found.source,
        "next": found.start(folder),
    }
