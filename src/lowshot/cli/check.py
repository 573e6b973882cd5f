"""`lowshot check`: look at a whole pool before labels are spent on it."""

from typing import Annotated

import typer

from lowshot.cli.console import AsJson, counted, print_json, working

EXAMPLES = """[bold]Examples[/bold]
  lowshot check --pool scores.parquet --id path --score p --threshold 0.5
  lowshot check --pool postgresql://me@host/db --table scores --id path --score p --prediction is_crow
"""
BAD = 1


def check(
    pool: Annotated[str, typer.Option(help="A .parquet or .csv file, a glob, a folder, a database.")],
    score: Annotated[str, typer.Option(metavar="COLUMN", help="Higher means more likely positive.")],
    id_: Annotated[str, typer.Option("--id", metavar="COLUMN", help="Ids, each of which must be there once.")],
    threshold: Annotated[float | None, typer.Option(help="Predicted positive from this score on.")] = None,
    prediction: Annotated[str | None, typer.Option(metavar="COLUMN", help="0/1, with or without --threshold.")] = None,
    table: Annotated[str | None, typer.Option(help="Of a database that --pool names.")] = None,
    as_json: AsJson = False,
) -> None:
    """Look at every row: scores, predictions, and whether each id is there once. Exit code 1: something is wrong."""
    from lowshot import pools

    with working("Looking at every row ..."):
        found = pools.check(pool, table=table, id=id_, score=score, threshold=threshold, prediction=prediction)
    facts = found.facts
    if as_json:
        wrong = {"repeated": found.repeated, "missing": found.missing, "examples": found.examples}
        print_json({"items": facts.total, "predicted": found.predicted, "low": facts.low, "high": facts.high, **wrong})
    else:
        limits = f"scores {facts.low:g} to {facts.high:g}"
        typer.echo(f"{facts.total:,} items, {found.predicted:,} predicted positive, {limits}")
        if found.missing:
            typer.echo(f"{counted(found.missing, 'row')} without an id: give every item one")
        if found.repeated:
            shown = ", ".join(map(repr, found.examples))
            typer.echo(f"{counted(found.repeated, 'id')} more than once, for example {shown}: each must be there once")
        if found.good:
            typer.echo("Every id is there once.")
    raise typer.Exit(0 if found.good else BAD)
