"""`lowshot report`: an HTML file with the estimate and all that is needed to check it."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lowshot.cli import console
from lowshot.cli.console import AllowExternal, AsJson, Confidence, Margin, Moved, Name, StorePath
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.errors import InputError

if TYPE_CHECKING:
    from lowshot.labelling.items import Shown

EXAMPLES = """[bold]Examples[/bold]
  lowshot report birds.db
  lowshot report birds.db --open
  lowshot report birds.db -o birds.html --pictures
  lowshot report birds.db --no-content
"""


def report(
    store: StorePath,
    path: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")] = Path(
        "report.html"
    ),
    pictures: Annotated[bool, typer.Option("--pictures", help="Also write the figures as PNG files.")] = False,
    content: Annotated[
        bool,
        typer.Option(
            "--content/--no-content",
            help="Show some labelled items with their texts and pictures, which are then inside of the file;"
            " --no-content: only their ids.",
        ),
    ] = True,
    in_browser: Annotated[bool, typer.Option("--open", help="Open the report in the web browser.")] = False,
    confidence: Confidence = 0.95,
    margin: Margin = 0.0,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Write an HTML file: estimate, mistakes and doubtful labels with their content, how to check it by hand.

    Prints the headline and the paths of the files. The file contains texts and pictures of labelled items, up to 5 MB;
    --no-content leaves them out.
    """
    from lowshot import report as reports
    from lowshot.cli.showing import about_in_report

    opened, headlines = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external), list[str]()
    with console.progress("Estimating from earlier labels ...") as advance:
        written = reports.write(
            opened.evaluation,
            path,
            pictures=pictures,
            confidence=confidence,
            margin=margin,
            shown=shown_if_possible(opened) if content else None,
            about=about_in_report(opened),
            advance=advance,
            headline=headlines.append,
        )
    (headline,) = headlines
    if as_json:
        console.print_json({"name": opened.header.name, "headline": headline, "files": list(map(str, written))})
    else:
        for line in (headline, *written):
            console.say(line)
    if in_browser:
        webbrowser.open(written[0].absolute().as_uri())


def shown_if_possible(opened: Opened) -> "Shown | None":
    """How items are displayed; None, with a note, if their content cannot be read: the folder may be gone."""
    from lowshot.cli.showing import shown_in_report

    try:
        return shown_in_report(opened)
    except InputError as error:
        console.note(f"the report names items by their ids: {error}")
        return None
