"""`lowshot check`: check a whole pool before labels are spent on it."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lowshot.cli.classes import CLASSES, ClassOptions
from lowshot.cli.columns import FileColumns
from lowshot.cli.console import AllowExternal, AsJson, Score, print_json, say, working
from lowshot.cli.pool_file import is_one_file, pool_of, refuse_external
from lowshot.cli.rules import refuse_no_file
from lowshot.cli.table_file import is_parquet, load, refuse_unknown
from lowshot.errors import InputError
from lowshot.pools.checked import SHOWN, Checked
from lowshot.pools.engine import Facts
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot check --pool scores.parquet --id path --score p --threshold 0.5
  lowshot check --pool postgresql://me@host/db --table scores --id path --score p --prediction is_crow
  lowshot check --pool scores.parquet --id path --classes 'p_*'
"""
BAD = 1  # exit code


def check(
    pool: Annotated[
        str, typer.Option(help="The items: a file as for `lowshot start`, a glob, a folder or a database.")
    ],
    id_: Annotated[str, typer.Option("--id", metavar="COLUMN", help="Column of ids, which must not repeat.")],
    score: Score = None,
    classes: Annotated[
        str | None, typer.Option(metavar="CLASSES", help="Many categories instead of --score, as for `lowshot start`.")
    ] = None,
    class_names: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Names of the categories, as for `lowshot start`.")
    ] = None,
    class_column: Annotated[
        str | None, typer.Option("--class", metavar="COLUMN", help="With --classes rows: column of the class.")
    ] = None,
    kind: Annotated[str, typer.Option(help="With --classes: single or multilabel.")] = "single",
    threshold: Annotated[
        float | None, typer.Option(help="Items with at least this score are predicted positive.")
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of 0/1 predictions, with or without --threshold.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="Table of the database that --pool names.")] = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Check every row: scores, predictions, and that no id is missing or repeated. Exit code 1 if one is,
    2 if a score or a prediction cannot be used."""
    refuse_external(pool, allow_external)
    options = ClassOptions(classes, class_names, class_column, kind)
    if options.wanted(pool):
        refuse_no_file(pool, None, table)
        check_classes(options, pool, FileColumns(score, id_, prediction), threshold, as_json)
        return
    if score is None:
        raise InputError(f"give either --score or {CLASSES}: got neither; --score names the column of scores")
    columns = FileColumns(score, id_, prediction)
    with working("Checking every row ..."):
        here = table is None and is_one_file(pool) and not is_parquet(pool)
        where = (pool, table, columns, threshold, allow_external)
        found = checked_file(pool, columns, threshold) if here else checked_where_it_is(*where)
    if as_json:
        print_json(to_dict(found))
    else:
        limits = f"scores {found.facts.low:g} to {found.facts.high:g}"
        say(f"{found.facts.total:,} items, {found.predicted:,} predicted positive, {limits}")
        if found.missing:
            say(f"{counted(found.missing, 'row')} without an id: give every item one")
        if found.repeated:
            shown = ", ".join(map(repr, found.examples))
            say(f"{counted(found.repeated, 'id')} more than once, for example {shown}: ids must not repeat")
        if found.good:
            say("No id is missing or repeated.")
    raise typer.Exit(0 if found.good else BAD)


def to_dict(found: Checked) -> dict[str, Any]:
    """As plain data."""
    facts = {"items": found.facts.total, "predicted": found.predicted, "low": found.facts.low, "high": found.facts.high}
    return {**facts, "repeated": found.repeated, "missing": found.missing, "examples": found.examples}


def checked_where_it_is(
    pool: str, table: str | None, columns: FileColumns, threshold: float | None, allow_external: bool
) -> Checked:
    """By queries, so that the rows need not fit into memory. Extra `[pools]`."""
    from lowshot import pools

    given = {"id": columns.id, "score": columns.score, "threshold": threshold, "prediction": columns.prediction}
    return pools.check(pool, table=table, allow_external=allow_external, **given)


def checked_file(pool: str, columns: FileColumns, threshold: float | None) -> Checked:
    """In memory, without the extra, which no other command needs for such a file."""
    refuse_unknown(pool, [("--id", str(columns.id))])
    scores = pool_of(pool, replace(columns, id=None), threshold)
    texts = load(pool, [str(columns.id)])[str(columns.id)]
    counts = texts.drop_null().value_counts()
    twice = sorted(counts.filter(counts.field("counts").to_numpy() > 1).field("values").to_pylist())
    facts = Facts(len(scores), *scores.view().limits, numbered=False)
    return Checked(facts, scores.predicted_positives, len(twice), texts.null_count, twice[:SHOWN])


def check_classes(
    options: ClassOptions, pool: str, columns: FileColumns, threshold: float | None, as_json: bool
) -> None:
    """Read a pool with many classes. It is refused, with exit code 2, if an id repeats or a score cannot be used."""
    from lowshot.cli.class_file import class_pool_of
    from lowshot.cli.models import never_predicted, some

    found, matrix = options.resolved(pool, columns, (), threshold)
    with working("Reading every row ..."):
        items = class_pool_of(pool, columns, found, threshold, matrix)
    never = never_predicted(items)
    if as_json:
        print_json({"items": len(items), "classes": len(items.categories), "never_predicted": never})
        return
    say(f"{counted(len(items), 'item')}, {len(items.categories):,} categories: {some(items.categories)}")
    if never:
        say(f"Never predicted: {some(never)}")
    say("No id is missing or repeated.")
