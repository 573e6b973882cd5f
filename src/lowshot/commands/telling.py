"""Rows that were filled in, into the evaluation: all of them or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from lowshot.checks import Id
from lowshot.commands.formats.item import EMPTY, Empty, Filled, Label, word_of
from lowshot.commands.formats.table import unguarded
from lowshot.commands.output import counted
from lowshot.durable import Evaluation
from lowshot.errors import InputError
from lowshot.pool import Pool


@dataclass(frozen=True)
class Told:
    """How many labels of a file were what.

    >>> print(Told(new=12, unchanged=3, corrected=0, unanswered=5))
    12 new labels, 3 unchanged, 0 corrected, 5 without an answer
    """

    new: int
    unchanged: int
    corrected: int
    unanswered: int

    def __str__(self) -> str:
        return (
            f"{counted(self.new, 'new label')}, {self.unchanged:,} unchanged,"
            f" {self.corrected:,} corrected, {self.unanswered:,} without an answer"
        )


def record(evaluation: Evaluation, rows: Sequence[Filled], correct: bool) -> Told:
    """In one turn. `correct` lets an answer differ from one that is there, or stands earlier in the file."""
    with evaluation.turn():
        before: dict[Id, Label] = evaluation.history["labels"]
        labels = _labels(evaluation, rows, before, correct)
        new = {item: label for item, label in labels.items() if item not in before}
        changed = {item: label for item, label in labels.items() if item in before and before[item] != label}
        evaluation.tell(list(new), list(new.values()))
        for item, label in changed.items():
            evaluation.correct(item, label)
    unanswered = sum(row.label is EMPTY for row in rows)
    return Told(len(new), len(labels) - len(new) - len(changed), len(changed), unanswered)


def _labels(evaluation: Evaluation, rows: Sequence[Filled], before: dict[Id, Label], correct: bool) -> dict[Id, Label]:
    """By id; rows without an answer are left out, of several for one item the last counts."""
    pending, labels = set(evaluation.pending), dict[Id, Label]()
    for text, label in rows:
        item = _item(text, evaluation.pool)
        evaluation.pool.position(item)
        if isinstance(label, Empty):
            continue
        if item not in pending and item not in before:
            raise InputError(f"items must have been asked: {item!r} never was; `lowshot ask` hands items out")
        old = labels.get(item, before.get(item, label))
        if not correct and old != label:
            raise InputError(
                f"{item!r} was answered {word_of(old)!r} before and now {word_of(label)!r}: nothing was changed;"
                " use --correct if the new answer is right"
            )
        labels[item] = label
    return labels


def _item(text: str, pool: Pool) -> Id:
    """The id that a file has as this text; a file for a spreadsheet may have an apostrophe before it."""
    from lowshot.store.journal import item_of

    item, bare = item_of(text, pool), item_of(unguarded(text), pool)
    if bare == item or bare not in pool:
        return item
    if item in pool:
        raise InputError(f"ids must say which item is meant: {text!r} may be {item!r} or {bare!r}; use --format jsonl")
    return bare
