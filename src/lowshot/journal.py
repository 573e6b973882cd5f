"""What an evaluation writes: rounds, draws and labels. Here in memory; `store.sql_journal` writes to a database."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lowshot.checks import Id
from lowshot.core.types import Floats
from lowshot.design import PastDesign
from lowshot.history import Answer, History, Round
from lowshot.markup import html_table, note
from lowshot.pools.base import BasePool
from lowshot.result import data_frame, short

SHOWN = 10  # items that a notebook shows of a sample


class Journal:
    """The journal in memory: nothing is written to disk. It defines the behaviour of all journals.

    Every change of an evaluation happens in a transaction. What it wrote is durable when the transaction ends; a
    transaction that fails leaves no trace. If several processes share a journal, a transaction first reads what the
    others wrote.

    >>> Journal(History(labels={3: 1})).history.labels
    {3: 1}
    """

    def __init__(self, history: History) -> None:
        self.history = history

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes or, if one fails, none. Nobody else can write until it ends."""
        rounds = [*self.history.rounds]
        try:
            yield
        except BaseException:
            self.history.rounds[:] = rounds
            raise

    @property
    def can_extend(self) -> bool:
        """Whether the last round can be continued; not so if its design can no longer be made as it was."""
        return True

    def refresh(self) -> None:
        """Read what other processes wrote since the last time."""

    def held(self) -> set[str]:
        """Ids, as texts, of items that people on the page hold or have answered; nobody does in memory."""
        return set()

    def opened(self, round_: Round) -> None:
        """Write a new round, which has no draws yet."""
        self._write_round(round_)
        self.history.add_round(round_)

    def handed_out(self, round_: Round, items: list[int]) -> None:
        """Write the draws of the last round so far; `items` are those that were handed out just now."""
        self._write_draws(round_, items)
        self.history.hand_out(round_, items)

    def answered(self, answers: list[Answer]) -> None:
        """Write labels, new or corrected, in this order."""
        if answers:
            self._write_labels(answers)
            self.history.add_answers(answers)

    def _write_round(self, round_: Round) -> None:
        """Does nothing in memory, like the next two methods; a journal on disk overrides them."""

    def _write_draws(self, round_: Round, items: list[int]) -> None: ...

    def _write_labels(self, answers: list[Answer]) -> None: ...


def inherit(journal: Journal, history: History) -> None:
    """Write the rounds, draws and answers of an earlier evaluation, of the same items, into an empty journal."""
    with journal.transaction():
        for round_ in history.rounds:
            _answer_until(journal, history, len(round_.labelled))
            size, negatives = round_.asked, round_.design.negatives
            past = replace(round_, design=PastDesign(size=size, negatives=negatives, known=round_.design.known))
            journal.opened(replace(past, draws=past.draws.take(slice(0, 0)), asked=0, _new=None, _limit=None))
            asked = [item for item in round_.new_items(0, size) if item not in journal.history.asked]
            journal.handed_out(replace(past, _new=None, _limit=None), asked)
        _answer_until(journal, history, None)


def _answer_until(journal: Journal, history: History, labelled: int | None) -> None:
    """Write further answers until so many items have one; None: all of them."""
    new, count, labels = [], len(journal.history.answers), set(journal.history.labels)
    for answer in history.answers[count:]:
        if labelled is not None and len(labels) >= labelled:
            break
        new.append(answer)
        labels.add(answer.item)
    journal.answered(new)


class Weighted(NamedTuple):
    """The labelled items of one round as an ordinary weighted sample."""

    items: list[Id]
    labels: Floats
    predictions: Floats
    weights: Floats

    def to_dict(self) -> dict[str, Any]:
        """As plain data: one list per column."""
        columns = {"labels": self.labels, "predictions": self.predictions, "weights": self.weights}
        return {"items": list(self.items), **{name: column.tolist() for name, column in columns.items()}}

    def to_frame(self) -> Any:
        """As a pandas DataFrame with a row per item and label. Extra `[notebook]`."""
        names = ("item", "label", "prediction", "weight")
        return data_frame(dict(zip(names, self, strict=True)), "use .to_dict()")

    def _repr_html_(self) -> str:
        """The first rows, and how many there are."""
        columns = (self.items, self.labels.tolist(), self.predictions.tolist(), map(short, self.weights.tolist()))
        rows = [
            [str(item), f"{label:g}", f"{prediction:g}", weight]
            for item, label, prediction, weight in zip(*(list(column)[:SHOWN] for column in columns), strict=True)
        ]
        left = len(self.items) - len(rows)
        more = note(f"{left:,} more row{'s' * (left != 1)}: see to_frame()" if left else "")
        return html_table(["item", "label", "prediction", "weight"], rows) + more


def weighted(pool: BasePool, history: History, round_: Round, literal: bool = False) -> Weighted:
    """Weights (times drawn) p/(m q) for draws, p for reused items.

    An item answered "cannot tell" occurs twice, once with each label; c(s) says how its weight is divided.
    """
    m, view = history.prefix(round_), pool.view()
    drawn, known = round_.draws.items[:m], round_.design.known
    ratio = view.p(drawn) / round_.draws.probability[:m]
    positions, place = np.unique(np.concatenate([drawn, known]), return_inverse=True)
    printed = len(known) / m if literal else 1.0  # weight of a reused item as printed in the paper, in units of p
    shares = np.concatenate([ratio / m, view.p(known) * printed])
    weights = np.bincount(place, shares, len(positions)).astype(np.float64)
    predictions = view.predicted(positions)
    labels = history.values(positions, predictions)
    both = np.concatenate([positions, positions])
    shares = np.concatenate([weights * labels, weights * (1 - labels)])
    kept = np.flatnonzero(shares > 0)
    kept = kept[np.argsort(both[kept], kind="stable")]
    label = np.repeat([1.0, 0.0], len(positions))[kept]
    return Weighted(pool.names(both[kept]), label, view.predicted(both[kept]), shares[kept])


def plain(pool: BasePool, history: History) -> dict[str, Any]:
    """Rounds with their draws, all answers in the order they came, and the current labels; items by id."""
    value = pool.answers.value
    return {
        "rounds": [_plain_round(pool, round_) for round_ in history.rounds],
        "answers": [{"item": pool.names([a.item])[0], "label": value(a.label)} for a in history.answers],
        "labels": dict(zip(pool.names(list(history.labels)), map(value, history.labels.values()), strict=True)),
    }


def _plain_round(pool: BasePool, round_: Round) -> dict[str, Any]:
    return {
        "number": round_.number,
        "size": round_.design.size,
        "asked": round_.asked,
        "known": sorted(pool.names(round_.design.known)),
        "items": pool.names(round_.draws.items),
        "probabilities": round_.draws.probability.tolist(),
        "calibration": round_.draws.calibration.tolist(),
    }
