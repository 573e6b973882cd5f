"""`lowshot ask` and `lowshot tell`: items out, labels in."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lowshot.commands import output
from lowshot.commands.formats import choice, label_studio
from lowshot.commands.formats.item import Item
from lowshot.commands.opening import Opened, named, open_evaluation
from lowshot.commands.options import AsJson, Format, ForSpreadsheet, Moved, Name, Output, StorePath, Who, refuse_no_csv
from lowshot.commands.telling import record
from lowshot.errors import InputError

ASK_EXAMPLES = """[bold]Examples[/bold]
  lowshot ask birds.db -o items.csv
  lowshot ask birds.db --count 50 --format label-studio -o tasks.json
  lowshot ask birds.db --format label-studio --config > config.xml
  lowshot ask birds.db --for ann --hours 72 -o ann.csv
  lowshot ask birds.db -o items.csv --for-spreadsheet
  lowshot ask birds.db --again
  lowshot ask birds.db --count 1 --json
"""
TELL_EXAMPLES = """[bold]Examples[/bold]
  lowshot tell birds.db items.csv
  lowshot tell birds.db export.json --format label-studio
  lowshot tell birds.db items.csv --correct
  lowshot tell birds.db items.csv --skip-conflicts
"""


def ask(
    store: StorePath,
    count: Annotated[int, typer.Option(min=1, help="How many items, at most; a round may have fewer.")] = 20,
    form: Annotated[
        Format | None, typer.Option("--format", help="By how FILE ends, if not given; else csv.", show_default=False)
    ] = None,
    path: Output = None,
    again: Annotated[bool, typer.Option("--again", help="What NAME has, and what nobody has, once more.")] = False,
    who: Who = None,
    hours: Annotated[
        float, typer.Option(min=0.1, max=24 * 365, help="How long nobody else is handed the items, on the page either.")
    ] = 24,
    for_spreadsheet: ForSpreadsheet = False,
    config: Annotated[bool, typer.Option("--config", help="Only Label Studio's labelling config.")] = False,
    name: Name = None,
    moved: Moved = None,
    as_json: AsJson = False,
) -> None:
    """Hand out items to label, without score or prediction. Exit code 1: there is nothing to hand out."""
    chosen = form or choice.by_ending(path)
    if config and chosen is not Format.LABEL_STUDIO:
        raise InputError(f"--config must come with --format label-studio: got {chosen.value}")
    if config and as_json:
        raise InputError("--config writes XML: leave out --json")
    refuse_no_csv(chosen, for_spreadsheet)
    output.check(path, new=True)
    opened = open_evaluation(store, name, moved)
    question, fields, show = opened.header.question, opened.about.shown, opened.about.show
    if config:
        output.write(label_studio.config(question, fields, show), path)
        return
    desk, mine = opened.desk(hours * 3600), named(who)
    items = opened.shown(desk.again(mine, count) if again else desk.more(mine, count))
    reason = "" if items else _nothing_again(len(opened.evaluation.pending)) if again else desk.reason
    if items and (path or not as_json):
        output.write(choice.written(chosen, items, fields, question, show, for_spreadsheet), path)
    if as_json:
        output.print_json(_plain(opened, items, reason, path))
    elif items:
        _report(len(items), len(desk.held_by(mine)) - len(items), path, again)
    else:
        output.note(f"nothing to hand out: {reason}")
    raise typer.Exit(0 if items else 1)


def _nothing_again(pending: int) -> str:
    """Why --again has nothing to hand out."""
    if not pending:
        return "no item is pending"
    return (
        f"{output.counted(pending, 'pending item')} with others, as `lowshot status` shows; --for says whose you want"
    )


def _plain(opened: Opened, items: list[Item], reason: str, path: Path | None) -> dict[str, Any]:
    """With --json: what was handed out, and where else it is."""
    return {
        "name": opened.header.name,
        "question": opened.header.question,
        "items": [{"id": item.id, **item.fields} for item in items],
        "pending": len(opened.evaluation.pending),
        "reason": reason,
        "output": str(path) if path and items else None,
    }


def _report(items: int, others: int, path: Path | None, again: bool) -> None:
    """On stderr; what was handed out to them before and is not answered must not be forgotten."""
    where = f" in {path}" if path else ""
    output.note(f"{output.counted(items, 'item')}{where}")
    if others:
        hint = "use a higher --count" if again else "--again hands them out once more"
        output.note(f"{output.counted(others, 'other')} pending: {hint}")


def tell(
    store: StorePath,
    file: Annotated[str, typer.Argument(metavar="FILE", help="With labels; - is stdin.")],
    form: Annotated[
        Format | None, typer.Option("--format", help="Guessed from the file, if not given.", show_default=False)
    ] = None,
    correct: Annotated[bool, typer.Option("--correct", help="Answers may differ from those that are there.")] = False,
    skip: Annotated[
        bool, typer.Option("--skip-conflicts", help="Leave out answers that differ from those that are there.")
    ] = False,
    name: Name = None,
    moved: Moved = None,
    as_json: AsJson = False,
) -> None:
    """Read labels: all of them or, if one cannot be used, none.

    1, yes, y, true; 0, no, n, false; ? or "cannot tell"; empty: not answered.
    """
    if correct and skip:
        raise InputError("--correct takes answers that differ and --skip-conflicts leaves them out: give one of them")
    rows = list(choice.read(form, text_of(file)))
    found = record(open_evaluation(store, name, moved).evaluation, rows, correct, skip)
    if as_json:
        output.print_json({**vars(found), "conflicts": [one.plain() for one in found.conflicts]})
    else:
        typer.echo(found)
        output.note("\n".join(f"left out: {one}" for one in found.conflicts))


def text_of(file: str) -> str:
    """The file's text; a spreadsheet may have put a mark at its beginning."""
    if file != "-" and not Path(file).is_file():
        raise InputError(f"FILE must be there: {file} is not; check its path")
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"FILE must be UTF-8: {file} is not ({error.reason} at byte {error.start})") from None
    except OSError as error:
        raise InputError(f"FILE must be a file that can be read: {file} is not ({error.strerror})") from None
