"""`lowshot check`: check a whole pool before labels are spent on it."""

from typing import Annotated

import typer

from lowshot.cli.console import AsJson, counted, print_json, working

EXAMPLES = """[bold]Examples[/bold]
  lowshot check --pool scores.parquet --id path --score p --threshold 0.5
  lowshot check --pool postgresql://me@host/db --table scores --id path --score p --prediction is_crow
"""
BAD = 1  # exit code


def check(
    pool: Annotated[str, typer.Option(help="The items: a .parquet or .csv file, a glob, a folder or a database.")],
    score: Annotated[str, typer.Option(metavar="COLUMN", help="Column of scores; higher means more likely positive.")],
    id_: Annotated[str, typer.Option("--id", metavar="COLUMN", help="Column of ids, which must not repeat.")],
    threshold: Annotated[
        float | None, typer.Option(help="Items with at least this score are predicted positive.")
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of 0/1 predictions, with or without --threshold.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="Table of the database that --pool names.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check every row: scores, predictions, and that no id is missing or repeated. Exit code 1 if one is,
    2 if a score or a prediction cannot be used."""
    from lowshot import pools

    with working("Checking every row ..."):
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
            typer.echo(f"{counted(found.repeated, 'id')} more than once, for example {shown}: ids must not repeat")
        if found.good:
            typer.echo("No id is missing or repeated.")
    raise typer.Exit(0 if found.good else BAD)
