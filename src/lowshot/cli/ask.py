"""`lowshot ask`: hand out items, for people or for a labelling tool."""

from pathlib import Path
from typing import Annotated, Any

import typer

from lowshot.answer import Answers
from lowshot.class_answer import CANNOT_TELL, OTHER, SEPARATOR, ClassAnswers
from lowshot.cli import console
from lowshot.cli.console import (
    AllowExternal,
    AsJson,
    Format,
    ForSpreadsheet,
    Moved,
    Name,
    Output,
    StorePath,
    Who,
    refuse_no_csv,
)
from lowshot.cli.formats import choice
from lowshot.cli.models import some
from lowshot.cli.opening import Opened, named, open_evaluation
from lowshot.errors import InputError, StoreError
from lowshot.integrations.label_studio import tasks
from lowshot.labelling.rows import Item
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot ask birds.db -o items.csv
  lowshot ask birds.db --count 50 --format label-studio -o tasks.json
  lowshot ask birds.db --format label-studio --config > config.xml
  lowshot ask birds.db --for ann --hours 72 -o ann.csv
  lowshot ask birds.db -o items.csv --for-spreadsheet
  lowshot ask birds.db --again
  lowshot ask birds.db --count 1 --json
"""


def ask(
    store: StorePath,
    count: Annotated[int, typer.Option(min=1, help="Maximum number of items; a round may have fewer left.")] = 20,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="Format of the output; by default from the ending of FILE, otherwise csv.",
            show_default=False,
        ),
    ] = None,
    path: Output = None,
    again: Annotated[
        bool, typer.Option("--again", help="Hand out again what NAME has and what is reserved for nobody.")
    ] = False,
    who: Who = None,
    hours: Annotated[
        float, typer.Option(min=0.1, max=24 * 365, help="Hours for which the items are reserved for NAME.")
    ] = 24,
    for_spreadsheet: ForSpreadsheet = False,
    config: Annotated[bool, typer.Option("--config", help="Print Label Studio's labelling config only.")] = False,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Hand out items to label, without score or prediction. Exit code 1 if there is nothing to hand out."""
    chosen = form or choice.by_ending(path)
    if config and chosen is not Format.LABEL_STUDIO:
        raise InputError(f"--config must come with --format label-studio: got {chosen.value}")
    if config and as_json:
        raise InputError("--config writes XML: leave out --json")
    refuse_no_csv(chosen, for_spreadsheet)
    console.check(path, new=True)
    opened = open_evaluation(store, name, moved, allow_external=allow_external)
    question, fields, show = opened.header.question, opened.about.shown, opened.about.show
    answers = opened.evaluation.pool.answers
    if config:
        console.write(tasks.config(question, fields, show, answers), path)
        return
    desk, mine = opened.desk(hours * 3600), named(who)
    with console.working("Choosing items ..."):
        items = opened.shown(desk.take_again(mine, count) if again else desk.take_more(mine, count))
    reason = "" if items else _nothing_again(len(opened.evaluation.pending)) if again else desk.reason
    if items and (path or not as_json):
        _deliver(choice.written(chosen, items, fields, question, show, for_spreadsheet, answers), path)
    if as_json:
        console.print_json(_plain(opened, items, reason, path))
    elif items:
        _report(len(items), len(desk.held_by(mine)) - len(items), path, again)
        console.note("" if again else _fewer(len(items), count))
        console.note(_reserved(mine, hours) if path is None and console.is_terminal() else "")
        if chosen in (Format.CSV, Format.JSONL):
            console.note(_to_fill_in(answers))
    else:
        console.note(f"nothing to hand out: {reason}")
    raise typer.Exit(0 if items else 1)


def _fewer(items: int, count: int) -> str:
    """Why there are fewer items than asked for.

    >>> _fewer(10, 50)
    '10 instead of 50: items are chosen in rounds, and this round has no more. ...'
    """
    if items >= count:
        return ""
    return (
        f"{items:,} instead of {count:,}: items are chosen in rounds, and this round has no more. The labels of these"
        " improve the choice of the next; if you cannot wait, `lowshot ask` again"
    )


def _reserved(who: str, hours: float) -> str:
    """What was printed on a terminal cannot be filled in, and is handed out to nobody else.

    >>> _reserved("ann", 24)
    "these items are reserved for 'ann' for 24 hours now: add --again and -o items.csv to get them in a file"
    """
    return (
        f"these items are reserved for {who!r} for {hours:g} hours now: add --again and -o items.csv to get them in a"
        " file"
    )


def _to_fill_in(answers: Answers) -> str:
    """What labels are, if they are names of classes; empty for yes and no.

    >>> _to_fill_in(ClassAnswers(("heron", "crow")))
    "fill in as label: heron, crow, or 'none of these' or 'cannot tell'"
    """
    if not isinstance(answers, ClassAnswers):
        return ""
    several = f", several with {SEPARATOR.strip()} between them" if answers.several else ""
    return f"fill in as label: {some(answers.names)}{several}, or {OTHER.value!r} or {CANNOT_TELL!r}"


def _deliver(text: str, path: Path | None) -> None:
    """The items are reserved already: if they cannot be written, the message says how to get them."""
    try:
        console.write(text, path)
    except (InputError, OSError) as error:
        raise StoreError(f"{error}; the items are reserved: `lowshot ask --again` hands them out again") from None


def _nothing_again(pending: int) -> str:
    """Why --again has nothing to hand out."""
    if not pending:
        return "no item is pending"
    return (
        f"{counted(pending, 'pending item')} reserved for others, as `lowshot status` shows; name one of them"
        " with --for"
    )


def _plain(opened: Opened, items: list[Item], reason: str, path: Path | None) -> dict[str, Any]:
    """For --json: the items, and the file they were written to."""
    return {
        "name": opened.header.name,
        "question": opened.header.question,
        "items": [{"id": item.id, **item.fields} for item in items],
        "pending": len(opened.evaluation.pending),
        "reason": reason,
        "output": str(path) if path and items else None,
    }


def _report(items: int, others: int, path: Path | None, again: bool) -> None:
    """On stderr: how many items were handed out, and how many are still pending from before."""
    where = f" in {path}" if path else ""
    console.note(f"{counted(items, 'item')}{where}")
    if others:
        hint = "use a higher --count" if again else "--again hands them out again"
        console.note(f"{counted(others, 'other item')} pending: {hint}")
