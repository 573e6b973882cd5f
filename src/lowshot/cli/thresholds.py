"""`lowshot thresholds`: precision and recall along the whole ranking."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lowshot.cli import console
from lowshot.cli.console import AllowExternal, AsJson, ModelName, Moved, Name, StorePath
from lowshot.cli.estimate import hint, refuse_no_model
from lowshot.cli.export import refuse_overwriting
from lowshot.cli.models import choice_by
from lowshot.cli.opening import Opened, open_evaluation
from lowshot.csv_text import rows_to_csv
from lowshot.errors import InputError
from lowshot.threshold_result import ThresholdChoice, Thresholds
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot thresholds birds.db
  lowshot thresholds birds.db --band simultaneous --confidence 0.9
  lowshot thresholds birds.db -o curve.html
  lowshot thresholds birds.db --model v2 -o curve.csv
"""
ENDINGS = (".html", ".png", ".csv")


class Band(StrEnum):
    """What a band holds."""

    POINTWISE = "pointwise"
    SIMULTANEOUS = "simultaneous"


def thresholds(
    store: StorePath,
    band: Annotated[
        Band,
        typer.Option(help="pointwise: each interval holds on its own; simultaneous: all of them hold at once."),
    ] = Band.POINTWISE,
    confidence: Annotated[float, typer.Option(help="Confidence of the bands.")] = 0.95,
    model: ModelName = None,
    path: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File to write: .html, a page with a slider; .png, a picture; .csv, all thresholds as a table.",
        ),
    ] = None,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Precision, recall and F1 at every threshold, each with its band; also as a picture."""
    console.check(path)
    if path is not None and path.suffix.lower() not in ENDINGS:
        raise InputError(f"--output must end in {', '.join(ENDINGS)}: got {path}; name another file")
    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    refuse_overwriting(path, store, opened.about.pool, *(one.pool for one in opened.about.added))
    refuse_no_model(opened.evaluation, model)
    with console.estimating():
        found = opened.evaluation.thresholds(model=model, band=band.value, confidence=confidence)
    if path is not None:
        write(opened, found, path)
    if as_json:
        console.print_json({"name": opened.header.name, **found.to_dict(), "output": path and str(path)})
        return
    console.say(found)
    if path is not None:
        console.note(f"{counted(len(found), 'threshold')} in {path}")
    console.note(hint(opened.evaluation))


def write(opened: Opened, found: Thresholds, path: Path) -> None:
    """Write the curve, in the format that the name of the file says."""
    if not len(found):
        raise InputError(f"--output needs labels: {found.reason}; label some items first")
    heading = f"{opened.header.name}: precision and recall at every threshold, from {found.labels:,} labels"
    ending = path.suffix.lower()
    if ending == ".csv":
        rows = found.rows
        console.write(rows_to_csv(list(rows[0]), [list(row.values()) for row in rows]), path)
        return
    choice = choice_by(opened.evaluation)
    mine = choice if choice is not None and choice.model == found.model else None
    if ending == ".html":
        from lowshot.charts.threshold_page import page

        console.write(page(found, heading, mine), path)
    else:
        _picture(found, path, heading, mine)


def _picture(found: Thresholds, path: Path, heading: str, choice: ThresholdChoice | None) -> None:
    from lowshot.charts import threshold_curve

    try:
        threshold_curve.save(found, path, heading, choice)
    except OSError as error:
        raise console.not_written(path, error) from None
