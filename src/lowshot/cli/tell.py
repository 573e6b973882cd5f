"""`lowshot tell`: labels in, all of a file or none, unless conflicts are to be left out."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from lowshot.answer import EMPTY, YES_NO, Empty, Label
from lowshot.checks import Id
from lowshot.cli import console
from lowshot.cli.console import AsJson, Format, Moved, Name, StorePath, counted
from lowshot.cli.formats import choice
from lowshot.cli.formats.item import Filled
from lowshot.cli.formats.table import unguarded
from lowshot.cli.opening import open_evaluation
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.pools.base import BasePool

EXAMPLES = """[bold]Examples[/bold]
  lowshot tell birds.db items.csv
  lowshot tell birds.db export.json --format label-studio
  lowshot tell birds.db items.csv --correct
  lowshot tell birds.db items.csv --skip-conflicts
"""


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
        console.print_json({**vars(found), "conflicts": [one.plain() for one in found.conflicts]})
    else:
        typer.echo(found)
        console.note("\n".join(f"left out: {one}" for one in found.conflicts))


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


class Conflict(NamedTuple):
    """An answer that differs from the label of its item, or from an earlier answer of the same file."""

    item: Id
    before: Label
    now: Label

    def __str__(self) -> str:
        return f"{self.item!r} was answered {YES_NO.word(self.before)!r} before and now {YES_NO.word(self.now)!r}"

    def plain(self) -> dict[str, Any]:
        return {"id": self.item, "before": YES_NO.word(self.before), "now": YES_NO.word(self.now)}


@dataclass(frozen=True)
class TellSummary:
    """How many labels of a file were what.

    >>> print(TellSummary(new=12, unchanged=3, corrected=0, unanswered=5))
    12 new labels, 3 unchanged, 0 corrected, 5 without an answer
    >>> print(TellSummary(new=12, unchanged=3, corrected=0, unanswered=5, conflicts=(Conflict("a", 1, 0),)))
    12 new labels, 3 unchanged, 0 corrected, 5 without an answer, 1 conflict left out
    """

    new: int
    unchanged: int
    corrected: int
    unanswered: int
    conflicts: tuple[Conflict, ...] = ()  # that were left out

    def __str__(self) -> str:
        return (
            f"{counted(self.new, 'new label')}, {self.unchanged:,} unchanged,"
            f" {self.corrected:,} corrected, {self.unanswered:,} without an answer"
            + (f", {counted(len(self.conflicts), 'conflict')} left out" if self.conflicts else "")
        )


def record(evaluation: Evaluation, rows: Sequence[Filled], correct: bool, skip: bool = False) -> TellSummary:
    """In one turn. An answer that differs from one that is there, or that stands earlier in the file, is a conflict:
    `correct` takes it, `skip` leaves its item out, and otherwise nothing is taken."""
    with evaluation.transaction():
        before: dict[Id, Label] = evaluation.history["labels"]
        labels, conflicts = _labels(evaluation, rows, before)
        if not correct:
            _refuse(() if skip else conflicts)
            labels = {item: label for item, label in labels.items() if item not in {one.item for one in conflicts}}
        new = {item: label for item, label in labels.items() if item not in before}
        changed = {item: label for item, label in labels.items() if item in before and before[item] != label}
        evaluation.tell(list(new), list(new.values()))
        for item, label in changed.items():
            evaluation.correct(item, label)
    unanswered = sum(row.label is EMPTY for row in rows)
    unchanged = len(labels) - len(new) - len(changed)
    return TellSummary(len(new), unchanged, len(changed), unanswered, tuple(conflicts) if skip else ())


def _labels(
    evaluation: Evaluation, rows: Sequence[Filled], before: dict[Id, Label]
) -> tuple[dict[Id, Label], list[Conflict]]:
    """By id, and every conflict; rows without an answer are left out, of several for one item the last counts."""
    pending, labels, conflicts = set(evaluation.pending), dict[Id, Label](), list[Conflict]()
    for text, label in rows:
        item = _item(text, evaluation.pool)
        evaluation.pool.position(item)
        if isinstance(label, Empty):
            continue
        if item not in pending and item not in before:
            raise InputError(f"items must have been asked: {item!r} never was; `lowshot ask` hands items out")
        old = labels.get(item, before.get(item, label))
        if old != label:
            conflicts.append(Conflict(item, old, label))
        labels[item] = label
    return labels, conflicts


def _refuse(conflicts: Sequence[Conflict]) -> None:
    """All of them in one message: who has to look into them does so once."""
    if conflicts:
        raise InputError(
            f"labels must be those that are there, or new: got {counted(len(conflicts), 'conflict')},"
            f" {'; '.join(map(str, conflicts))}: nothing was changed; use --correct if the new answers are right,"
            " or --skip-conflicts to take only the others"
        )


def _item(text: str, pool: BasePool) -> Id:
    """The id that a file has as this text; a file for a spreadsheet may have an apostrophe before it."""
    item, bare = pool.id_of(text), pool.id_of(unguarded(text))
    if bare == item or bare not in pool:
        return item
    if item in pool:
        raise InputError(f"ids must say which item is meant: {text!r} may be {item!r} or {bare!r}; use --format jsonl")
    return bare
