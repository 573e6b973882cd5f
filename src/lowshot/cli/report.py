"""`lowshot report`: an HTML file with the estimate and all that is needed to check it."""

from pathlib import Path
from typing import Annotated

import typer

from lowshot.cli import console
from lowshot.cli.console import AsJson, Confidence, Margin, Moved, Name, StorePath
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
    pictures: Annotated[bool, typer.Option("--pictures", help="Also write the figures as PNG files.")] = False,
    confidence: Confidence = 0.95,
    margin: Margin = 0.0,
    name: Name = None,
    moved: Moved = None,
    as_json: AsJson = False,
) -> None:
    """Write an HTML file: estimate, interval, where the labels are, which matter most, how to check it by hand."""
    from lowshot import report as reports

    opened = open_evaluation(store, name, moved, read_only=True)
    with console.progress("Estimating from earlier labels ...") as advance:
        written = reports.write(
            opened.evaluation, path, pictures=pictures, confidence=confidence, margin=margin, advance=advance
        )
    if as_json:
        console.print_json({"name": opened.header.name, "files": list(map(str, written))})
        return
    for file in written:
        typer.echo(str(file))
