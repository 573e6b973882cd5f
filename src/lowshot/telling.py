"""Answers that arrive: each is compared with the history, and written if it is new. Labels are those of stores."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from lowshot.answer import Label
from lowshot.checks import Id
from lowshot.errors import InputError
from lowshot.history import Answer
from lowshot.journal import Journal
from lowshot.pools.base import BasePool

UNANSWERED = object()


def pairs(items: Iterable[Id] | Mapping[Id, Any], labels: Iterable[Any] | None) -> tuple[Iterable[Id], Iterable[Any]]:
    """Items and labels in the same order, as given, or from {id: label}.

    >>> pairs({"a": 1, "b": 0}, None)
    (['a', 'b'], [1, 0])
    """
    if isinstance(items, Mapping):
        if labels is not None:
            raise InputError(f"labels must be left out where items are {{id: label}}: got {labels!r}")
        return [*items], [*items.values()]
    if labels is None:
        raise InputError("labels must be one for each item: got none; give tell(items, labels) or tell({id: label})")
    return items, labels


def tell(journal: Journal, pool: BasePool, items: list[Id], answers: list[Label]) -> None:
    """Write labels of items that were asked. One that says more than the label before replaces it."""
    kind = pool.answers
    with journal.transaction():
        history = journal.history
        told: dict[int, int | None] = {}
        for item, position, answer in zip(items, pool.positions(items), answers, strict=True):
            if position not in history.asked and position not in history.known:
                raise InputError(f"items must have been asked: {item!r} never was; labels that exist go into known=")
            old = told.get(position, history.labels.get(position, UNANSWERED))
            known = old is not UNANSWERED
            if known and old != answer and not kind.refines(cast("Label", old), answer):
                pair = f"{kind.value(cast('Label', old))!r} before and now {kind.value(answer)!r}"
                raise InputError(f"{item!r} was answered {pair}; use correct() to change it")
            told[position] = answer
        new = [pair for pair in told.items() if history.labels.get(pair[0], UNANSWERED) != pair[1]]
        journal.answered([Answer(*pair) for pair in new])


def correct(journal: Journal, pool: BasePool, item: Id, answer: Label) -> None:
    """Replace the label of an item that has one."""
    position = pool.position(item)
    with journal.transaction():
        history = journal.history
        if position not in history.labels:
            raise InputError(f"item must have been answered before it is corrected: {item!r} was not; use tell()")
        if answer is None and position in history.known:
            raise InputError(f"known labels must be {pool.answers.needed}: got None for {item!r}")
        if answer != history.labels[position]:
            journal.answered([Answer(position, answer)])


def settle(journal: Journal, pool: BasePool, item: Id, answer: Label) -> None:
    """Write the label that the answers of several people settled: the first one of the item, or a correction."""
    with journal.transaction():
        if pool.position(item) in journal.history.labels:
            correct(journal, pool, item, answer)
        else:
            tell(journal, pool, [item], [answer])
