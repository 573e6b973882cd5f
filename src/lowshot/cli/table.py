"""`lowshot table`: all models of an evaluation side by side, all categories, or all slices of its pool."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lowshot.class_evaluation import CATEGORY
from lowshot.cli import console
from lowshot.cli.console import AllowExternal, AsJson, Confidence, ForSpreadsheet, ModelName, Moved, Name, StorePath
from lowshot.cli.estimate import hint
from lowshot.cli.export import refuse_overwriting
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.csv_text import rows_to_csv
from lowshot.errors import InputError
from lowshot.result import Table
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot table birds.db
  lowshot table birds.db --metric recall --confidence 0.9
  lowshot table birds.db --by camera --below 0.5
  lowshot table birds.db --by camera -o cameras.png
  lowshot table birds.db --by camera --csv
  lowshot table birds.db --by category --worst 20 --below 0.5
  lowshot table birds.db --json
"""
ENDINGS = (".csv", ".html", ".png")


def table(
    store: StorePath,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="What the rows are: model, category, or a column that --slice named at the start.",
            show_default="model; category if there are many categories",
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Another metric: f1, precision, recall, f2, ...")] = None,
    below: Annotated[
        float | None,
        typer.Option(metavar="LINE", help="Add the probability that the metric of a row is below this line."),
    ] = None,
    worst: Annotated[
        int | None, typer.Option(min=1, help="Only so many rows: those with the lowest estimates, the lowest first.")
    ] = None,
    model: ModelName = None,
    confidence: Confidence = 0.95,
    path: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File to write: .csv, the table; .png or .html, a picture of it, sorted, with intervals.",
        ),
    ] = None,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
    for_spreadsheet: ForSpreadsheet = False,
) -> None:
    """The estimates of all models, each with the probability of being the best; or of all categories, or slices."""
    console.check(path)
    if as_json and as_csv:
        raise InputError("give either --json or --csv: got both")
    if path is not None and path.suffix.lower() not in ENDINGS:
        raise InputError(f"--output must end in {', '.join(ENDINGS)}: got {path}; name another file")
    if for_spreadsheet and not as_csv and (path is None or path.suffix.lower() != ".csv"):
        raise InputError(
            "--for-spreadsheet must come with --csv or -o FILE.csv: got neither; give one, or leave it out"
        )
    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    refuse_overwriting(path, store, opened.about.pool, *(one.pool for one in opened.about.added))
    rows = by or (CATEGORY if opened.evaluation.pool.categories else "model")
    with console.estimating():
        found = opened.evaluation.table(rows, model=model, metric=metric, below=below, confidence=confidence)
    found = found if worst is None else worst_of(found, worst)
    if path is not None:
        write(opened, found, path, for_spreadsheet)
    if as_json:
        console.print_json({"name": opened.header.name, **found.to_dict()})
        return
    if as_csv:
        console.write(to_csv(found, for_spreadsheet), None)
        return
    console.say(f"{found}\nfrom {counted(found.labels, 'label')}")
    console.note("" if path is None else f"{counted(len(found.rows), 'row')} in {path}")
    console.note(hint(opened.evaluation))


def worst_of(found: Table, count: int) -> Table:
    """The rows with the lowest estimates, the lowest first; rows without an estimate are left out.

    >>> rows = tuple({"category": name, "value": value} for name, value in (("a", 0.5), ("b", None), ("c", 0.2)))
    >>> worst_of(Table("f1", 0.95, 70, rows, by="category"), 2).names
    ['c', 'a']
    """
    rows = sorted((row for row in found.rows if row["value"] is not None), key=lambda row: float(row["value"]))
    return replace(found, rows=tuple(rows[:count]))


def to_csv(found: Table, for_spreadsheet: bool = False) -> str:
    """The rows as CSV; empty where something is undefined.

    >>> print(to_csv(Table("f1", 0.95, 9, ({"camera": "north", "value": None, "low": 0.1},), by="camera")), end="")
    camera,value,low
    north,,0.1
    """
    rows = [[*row.values()] for row in found.rows]
    return rows_to_csv(list(found.rows[0]) if found.rows else [found.by], rows, for_spreadsheet)


def write(opened: Opened, found: Table, path: Path, for_spreadsheet: bool) -> None:
    """Write the table, in the format that the name of the file says."""
    ending = path.suffix.lower()
    if ending == ".csv":
        console.write(to_csv(found, for_spreadsheet), path)
        return
    from lowshot.charts import dots

    heading = f"{opened.header.name}: {found.metric} by {found.by}, from {found.labels:,} labels"
    if ending == ".html":
        console.write(dots.page(found, heading), path)
        return
    try:
        dots.save(found, path, heading)
    except OSError as error:
        raise console.not_written(path, error) from None
