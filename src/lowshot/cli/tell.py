"""`lowshot tell`: read the labels of a file, all or none; with --skip-conflicts all but the conflicts."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from lowshot.answer import EMPTY, Empty, Label
from lowshot.checks import Id
from lowshot.class_answer import ClassAnswers
from lowshot.cli import console
from lowshot.cli.console import AllowExternal, AsJson, Format, Moved, Name, StorePath
from lowshot.cli.formats import choice
from lowshot.cli.opening import open_evaluation
from lowshot.csv_text import unguarded
from lowshot.errors import InputError
from lowshot.evaluation import Evaluation
from lowshot.labelling.rows import Filled
from lowshot.pools.base import BasePool
from lowshot.words import counted

EXAMPLES = """[bold]Examples[/bold]
  lowshot tell birds.db items.csv
  lowshot tell birds.db export.json --format label-studio
  lowshot tell birds.db items.csv --correct
  lowshot tell birds.db items.csv --skip-conflicts
  lowshot tell birds.db herons.csv --category heron
"""


def tell(
    store: StorePath,
    file: Annotated[str, typer.Argument(metavar="FILE", help="File with labels; - reads stdin.")],
    form: Annotated[
        Format | None, typer.Option("--format", help="Format; detected from the file if not given.", show_default=False)
    ] = None,
    correct: Annotated[bool, typer.Option("--correct", help="Accept answers that differ from stored labels.")] = False,
    skip: Annotated[
        bool, typer.Option("--skip-conflicts", help="Skip answers that differ from stored labels.")
    ] = False,
    category: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="If there are many categories: the labels are yes or no, to whether an item is of this one.",
        ),
    ] = None,
    name: Name = None,
    moved: Moved = None,
    allow_external: AllowExternal = False,
    as_json: AsJson = False,
) -> None:
    """Read labels from a file: all of them or, if one is invalid, none.

    The file has a column of ids, called id or as in the file of the pool, and one called label.

    A label is 1, yes, y, true; 0, no, n, false; ? or "cannot tell". An empty label means "not answered". If there are
    many categories, a label is the name of one, "none of these" or "cannot tell"; of several, with | between them.
    """
    if correct and skip:
        raise InputError(
            "--correct accepts answers that differ and --skip-conflicts skips them: got both; give one of them"
        )
    text = text_of(file)
    opened = open_evaluation(store, name, moved, allow_external=allow_external)
    evaluation, id_column = opened.evaluation, opened.about.columns.id
    with console.noting_warnings():
        rows = list(rows_about(evaluation, form, text, category, id_column))
    with console.working("Storing the labels ..."):
        found = record(evaluation, rows, correct, skip)
    if as_json:
        console.print_json({**vars(found), "conflicts": [one.plain() for one in found.conflicts]})
    else:
        console.say(found)
        console.note("\n".join(f"skipped: {one}" for one in found.conflicts))


def rows_about(
    evaluation: Evaluation, form: Format | None, text: str, category: str | None, id_column: str | None
) -> Iterator[Filled]:
    """The rows of a file of labels, as the pool's items take them; yes and no as answers about a category."""
    answers = evaluation.pool.answers
    if category is None:
        yield from choice.read(form, text, answers, id_column)
        return
    if not isinstance(answers, ClassAnswers):
        raise InputError(f"--category must be left out for an evaluation of one category: got {category!r}")
    name = answers.named(category, "--category")
    for item, label in choice.read(form, text, id_column=id_column):
        yield Filled(item, label if isinstance(label, Empty) else answers.about(name, item, label))


def text_of(file: str) -> str:
    """The text of the file, without the byte order mark that spreadsheets write."""
    if file != "-" and not Path(file).is_file():
        raise InputError(f"FILE must exist: {file} does not; check the path")
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
    before: str  # the answers in words
    now: str

    def __str__(self) -> str:
        return f"{self.item!r} was answered {self.before!r} before and now {self.now!r}"

    def plain(self) -> dict[str, Any]:
        return {"id": self.item, "before": self.before, "now": self.now}


@dataclass(frozen=True)
class TellSummary:
    """How many labels of a file were new, unchanged, corrected, missing or conflicts.

    >>> print(TellSummary(new=12, unchanged=3, corrected=0, unanswered=5))
    12 new labels, 3 unchanged, 0 corrected, 5 without an answer
    >>> print(TellSummary(new=12, unchanged=3, corrected=0, unanswered=5, conflicts=(Conflict("a", "yes", "no"),)))
    12 new labels, 3 unchanged, 0 corrected, 5 without an answer, 1 conflict skipped
    """

    new: int
    unchanged: int
    corrected: int
    unanswered: int
    conflicts: tuple[Conflict, ...] = ()  # conflicts that were skipped

    def __str__(self) -> str:
        return (
            f"{counted(self.new, 'new label')}, {self.unchanged:,} unchanged,"
            f" {self.corrected:,} corrected, {self.unanswered:,} without an answer"
            + (f", {counted(len(self.conflicts), 'conflict')} skipped" if self.conflicts else "")
        )


def record(evaluation: Evaluation, rows: Sequence[Filled], correct: bool, skip: bool = False) -> TellSummary:
    """Store labels in one transaction. An answer that differs from the stored label or from an earlier answer of the
    file is a conflict: `correct` accepts it, `skip` skips its item, and otherwise nothing is stored."""
    with evaluation.transaction():
        answers, told = evaluation.pool.answers, evaluation.history["labels"]
        before = {item: answers.check(item, value) for item, value in told.items()}
        labels, conflicts = _labels(evaluation, rows, before)
        if not correct:
            _refuse(() if skip else conflicts)
            labels = {item: label for item, label in labels.items() if item not in {one.item for one in conflicts}}
        new = {item: label for item, label in labels.items() if item not in before}
        changed = {item: label for item, label in labels.items() if item in before and before[item] != label}
        evaluation.tell(list(new), list(map(answers.value, new.values())))
        for item, label in changed.items():
            evaluation.correct(item, answers.value(label))
    unanswered = sum(row.label is EMPTY for row in rows)
    unchanged = len(labels) - len(new) - len(changed)
    return TellSummary(len(new), unchanged, len(changed), unanswered, tuple(conflicts) if skip else ())


def _labels(
    evaluation: Evaluation, rows: Sequence[Filled], before: dict[Id, Label]
) -> tuple[dict[Id, Label], list[Conflict]]:
    """Labels by id, and all conflicts. Rows without an answer are skipped; the last row per item counts."""
    pending, labels, conflicts = set(evaluation.pending), dict[Id, Label](), list[Conflict]()
    answers = evaluation.pool.answers
    for text, label in rows:
        item = item_of(text, evaluation.pool)
        evaluation.pool.position(item)
        if isinstance(label, Empty):
            continue
        if item not in pending and item not in before:
            raise InputError(f"items must have been asked: {item!r} never was; `lowshot ask` hands items out")
        old = labels.get(item, before.get(item, label))
        if answers.refines(label, old):  # "not a crow" of an item that is known to be a heron
            label = old
        elif old != label and not answers.refines(old, label):
            conflicts.append(Conflict(item, answers.word(old), answers.word(label)))
        labels[item] = label
    return labels, conflicts


def _refuse(conflicts: Sequence[Conflict]) -> None:
    """One message for all conflicts, so that they can be resolved together."""
    if conflicts:
        raise InputError(
            f"labels must agree with the stored ones: got {counted(len(conflicts), 'conflict')},"
            f" {'; '.join(map(str, conflicts))}: nothing was changed; use --correct if the new answers are right,"
            " or --skip-conflicts to store only the others"
        )


def item_of(text: str, pool: BasePool) -> Id:
    """The id that this text stands for; --for-spreadsheet may have written an apostrophe before it."""
    item, bare = pool.id_of(text), pool.id_of(unguarded(text))
    if bare == item or bare not in pool:
        return item if item in pool else with_zeros(text, pool)
    if item in pool:
        raise InputError(f"ids must be unambiguous: {text!r} may be {item!r} or {bare!r}; use --format jsonl")
    return bare


NUMBER = re.compile(r"([0-9]{1,18})(?:\.0)?")  # pandas writes 7.0 if other rows of a column are empty
LONGEST = 20  # digits of an id whose zeros may be lost


def with_zeros(text: str, pool: BasePool) -> Id:
    """The id that had zeros in front of it: pandas and spreadsheets read 007 as a number and write 7.

    >>> from lowshot import Pool
    >>> with_zeros("7", Pool([0.9, 0.1], threshold=0.5, ids=["007", "008"]))
    '007'
    """
    number = NUMBER.fullmatch(text)
    if number is None:
        return text
    longer = [number[1].zfill(digits) for digits in range(len(number[1]), LONGEST + 1)]
    found = [one for one, place in zip(longer, pool.find(longer), strict=True) if place is not None]
    if len(found) > 1:
        raise InputError(
            f"ids must keep their leading zeros: {text!r} may be {' or '.join(map(repr, found))}; read and write the"
            " file with ids as texts, in pandas with dtype={'id': str}"
        )
    return found[0] if found else pool.id_of(text)
