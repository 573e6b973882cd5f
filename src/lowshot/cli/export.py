"""`lowshot export`: the labels as a table."""

from pathlib import Path
from typing import Annotated

import typer

from lowshot.checks import Id
from lowshot.cli import console
from lowshot.cli.console import (
    AllowExternal,
    AsJson,
    ForSpreadsheet,
    Moved,
    Name,
    Output,
    Plain,
    StorePath,
    refuse_no_csv,
)
from lowshot.cli.formats.lines import rows_to_lines
from lowshot.cli.opening import open_evaluation
from lowshot.errors import InputError
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot export birds.db -o labels.csv
  lowshot export birds.db --format jsonl
"""


def export(
    store: StorePath,
    form: Annotated[Plain, typer.Option("--format", help="Format of the table.")] = Plain.CSV,
    path: Output = None,
    for_spreadsheet: ForSpreadsheet = False,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Write one row per labelled item: label, prediction, score, when it was drawn, who answered, what they saw.

    The column `probability` is that of the first draw. It is empty where the sampler does not draw items with known
    probabilities, as `curve`, and for labels that were known before.
    """
    refuse_no_csv(form, for_spreadsheet)
    console.check(path)
    opened = open_evaluation(store, name, moved, read_only=True, allow_external=allow_external)
    refuse_overwriting(path, store, opened.about.pool, *(one.pool for one in opened.about.added))
    from lowshot.labelling.export import exported

    def texts(items: list[Id]) -> list[dict[str, str]]:
        return [one.fields for one in opened.shown(items)]

    found = exported(opened.desk(), opened.about.shown, texts)
    if path or not as_json:
        console.write(rows_to_lines(found.rows) if form is Plain.JSONL else found.csv(for_spreadsheet), path)
    if as_json:
        console.print_json({"name": opened.header.name, "rows": found.rows, "output": str(path) if path else None})
    else:
        console.note(counted(len(found.rows), "label") + (f" in {path}" if path else ""))


def refuse_overwriting(path: Path | None, *own: str) -> None:
    """The store and the pool are not to be replaced by a table of labels."""
    if path is not None and path.resolve() in [Path(file).resolve() for file in own]:
        raise InputError(f"--output must not be the store or the pool: got {path}; name another file")
