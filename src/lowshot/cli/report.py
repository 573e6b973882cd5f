"""`lowshot report`: the page to show, and to check the number by."""

from pathlib import Path
from typing import Annotated

import typer

from lowshot.cli import console
from lowshot.cli.console import AsJson, Confidence, Moved, Name, StorePath
from lowshot.cli.opening import open_evaluation

EXAMPLES = """[bold]Examples[/bold]
  lowshot report birds.db
  lowshot report birds.db -o birds.html --pictures
"""


def report(
    store: StorePath,
    path: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")] = Path(
        "report.html"
    ),
    pictures: Annotated[bool, typer.Option("--pictures", help="Its figures as PNG files beside it, too.")] = False,
    confidence: Confidence = 0.95,
    name: Name = None,
    moved: Moved = None,
    as_json: AsJson = False,
) -> None:
    """One HTML file: estimate and interval, where the labels fell, which ones matter most, how to check it by hand."""
    from lowshot import report as reports

    opened = open_evaluation(store, name, moved, read_only=True)
    with console.progress("Estimating from earlier labels ...") as advance:
        written = reports.write(opened.evaluation, path, pictures=pictures, confidence=confidence, advance=advance)
    if as_json:
        console.print_json({"name": opened.header.name, "files": list(map(str, written))})
        return
    for file in written:
        typer.echo(str(file))
