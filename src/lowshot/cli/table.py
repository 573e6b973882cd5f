"""`lowshot table`: all models of an evaluation side by side."""

from typing import Annotated

import typer

from lowshot.cli import console
from lowshot.cli.console import AsJson, Confidence, Moved, Name, StorePath
from lowshot.cli.estimate import hint
from lowshot.cli.opening import open_evaluation

EXAMPLES = """[bold]Examples[/bold]
  lowshot table birds.db
  lowshot table birds.db --metric recall --confidence 0.9
  lowshot table birds.db --json
"""


def table(
    store: StorePath,
    metric: Annotated[str | None, typer.Option(help="Another metric: f1, precision, recall, f2, ...")] = None,
    confidence: Confidence = 0.95,
    name: Name = None,
    moved: Moved = None,
    as_json: AsJson = False,
) -> None:
    """The estimates of all models, each with the probability of being the best."""
    opened = open_evaluation(store, name, moved, read_only=True)
    found = opened.evaluation.table(metric=metric, confidence=confidence)
    if as_json:
        console.print_json({"name": opened.header.name, **found.to_dict()})
        return
    typer.echo(f"{found}\nfrom {console.counted(found.labels, 'label')}")
    console.note(hint(opened.evaluation))
