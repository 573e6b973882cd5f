"""What happened so far, as data: rounds with their draws, and answers. Samplers read it; the evaluation writes it.

Draws    drawn items with their probabilities (`design.py`)
Round    the draws that were made under one design
History  all rounds, and the label of each answered item
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import Design, Draws, nothing

CHUNK = 64  # draws that are made at once when a round is extended, at least; doubled as long as they do not suffice
LARGEST_CHUNK = 1 << 20
Assumption = Literal["expected", "agree", "disagree", "zero", "one"]


class Answer(NamedTuple):
    """One answer: the position of the item and its label; None is "cannot tell"."""

    item: int
    label: int | None


@dataclass(frozen=True, eq=False)
class Round:
    """The draws made under one design. A round is extended by making a new one; draws that were made never change."""

    number: int
    design: Design
    labelled: Integers  # items that had an answer when the round opened: drawn again, they are not asked about
    draws: Draws
    asked: int = 0  # how many of its new items were handed out
    # What is known from the round that this one was made from; counting it after every answer would be slow.
    _new: Integers | None = field(default=None, repr=False)
    _limit: int | None = field(default=None, repr=False)

    @cached_property
    def new(self) -> Integers:
        """The indexes of the draws of new items: drawn for the first time in this round, and not labelled before it."""
        if self._new is not None:
            return self._new
        _, first = np.unique(self.draws.items, return_index=True)
        if len(self.labelled):
            first = first[~np.isin(self.draws.items[first], self.labelled)]
        return np.sort(first)

    @cached_property
    def limit(self) -> int:
        """How many new items the design can draw at all."""
        return self.design.unlabelled(self.labelled) if self._limit is None else self._limit

    def extended(self, wanted: int, seed: int) -> "Round":
        """The round with draws up to and including the first draw of new item number `wanted` + 1.

        That last draw is not handed out: it marks where the draws of the first `wanted` items end, with
        all their repeats. Stopping at item number `wanted` itself would be biased.

        Items may be too unlikely to be drawn in any reasonable time. After CHUNK * (limit + CHUNK) draws those that
        were not drawn are appended with probability 0: they are handed out, and the estimate does not count them as
        draws.
        """
        current, chunk = self, max(CHUNK, min(2 * min(wanted, self.limit), LARGEST_CHUNK))
        start = int(current.draws.counter[-1]) + 1 if len(current.draws.counter) else 0
        last = CHUNK * (self.limit + CHUNK)
        while len(current.new) <= wanted and len(current.new) < self.limit:
            if start >= last:
                return current._with(current._never_drawn(start))._cut(wanted)
            count = min(chunk, last - start)
            current = current._with(self.design.draw(seed, self.number, start, count))
            start, chunk = start + count, min(2 * chunk, LARGEST_CHUNK)
        return current._cut(wanted)

    def _never_drawn(self, start: int) -> Draws:
        """The items that were not drawn, with probability 0; `start` is the counter of the first."""
        rest = self.design.items[~np.isin(self.design.items, self.draws.items)]
        zero = np.zeros(len(rest))
        return Draws(np.arange(start, start + len(rest)), rest, zero, self.design.calibrated(rest))

    def _with(self, further: Draws) -> "Round":
        """The round with these draws after its own."""
        draws = self.draws.then(further)
        if not self.design.replace:  # repeats dropped from i.i.d. draws: successive draws without replacement
            draws = draws.take(np.sort(np.unique(draws.items, return_index=True)[1]))
        return replace(self, draws=draws, _new=None, _limit=self.limit)

    def _cut(self, wanted: int) -> "Round":
        """The round without the draws after the first draw of new item number `wanted` + 1."""
        if len(self.new) == 0:
            return self
        new = self.new[: wanted + 1]
        return replace(self, draws=self.draws.take(slice(int(new[-1]) + 1)), _new=new, _limit=self.limit)

    def handed_out(self, further: int) -> "Round":
        """The round with so many more of its new items handed out."""
        return replace(self, asked=self.asked + further, _new=self.new, _limit=self.limit)

    def new_items(self, start: int, stop: int) -> list[int]:
        """New items number start, ..., stop-1, or fewer if fewer are drawn."""
        items: list[int] = self.draws.items[self.new[start:stop]].tolist()
        return items


def open_round(number: int, design: Design, labelled: Integers) -> Round:
    """A round without any draw."""
    return Round(number, design, labelled, Draws(nothing(), nothing(), np.empty(0), np.empty(0)))


@dataclass(frozen=True)
class History:
    """Rounds and labels. `assume` says which value stands in for the answer "cannot tell".

    >>> history = History(labels={3: 1, 5: 0})
    >>> history.labelled.tolist(), history.values(np.array([5, 3]), np.zeros(2)).tolist()
    ([3, 5], [0.0, 1.0])
    """

    rounds: list[Round] = field(default_factory=list)
    labels: dict[int, int | None] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)  # every answer in the order it came, corrections too
    known: frozenset[int] = frozenset()  # items that were labelled before the first round
    uniform: frozenset[int] = frozenset()  # those of them that were drawn uniformly from the pool
    doubted: frozenset[int] = frozenset()  # those that are said to be drawn uniformly, but do not look like it
    asked: dict[int, None] = field(default_factory=dict)  # items in the order they were handed out
    assume: Assumption = "expected"

    def add_round(self, round_: Round) -> None:
        """A round is opened. This and the next two methods are the only ones that change a history."""
        self.rounds.append(round_)

    def hand_out(self, round_: Round, items: Iterable[int]) -> None:
        """The last round is this one now, with further draws; these items are with somebody."""
        self.rounds[-1] = round_
        self.asked.update(dict.fromkeys(items))

    def add_answers(self, answers: Iterable[Answer]) -> None:
        """Labels, new or corrected, in the order they came."""
        for answer in answers:
            self.labels[answer.item] = answer.label
            self.answers.append(answer)

    @property
    def labelled(self) -> Integers:
        """Every answered item, by position."""
        return np.array(sorted(self.labels), dtype=np.int64)

    @property
    def seen(self) -> Integers:
        """Every item that was drawn or has a label, by position."""
        return np.unique(np.concatenate([self.labelled, *(round_.draws.items for round_ in self.rounds)]))

    @property
    def skipped(self) -> int:
        """How many items were answered with "cannot tell"."""
        return sum(label is None for label in self.labels.values())

    @property
    def skipped_in_use(self) -> int:
        """Those of them that were asked here and do not wait for another item: draws that can be used."""
        elsewhere = self.known | self._waiting
        return sum(label is None and item not in elsewhere for item, label in self.labels.items())

    def told(self) -> tuple[Integers, Floats]:
        """Items with a label of 0 or 1, and these labels: a calibration learns from them."""
        pairs = sorted((item, label) for item, label in self.labels.items() if label is not None)
        items, labels = [pair[0] for pair in pairs], [float(pair[1]) for pair in pairs]
        return np.array(items, dtype=np.int64), np.array(labels)

    def answered(self, items: Integers) -> Flags:
        return np.fromiter((item in self.labels for item in items.tolist()), dtype=np.bool_, count=len(items))

    def prefix(self, round_: Round) -> int:
        """How many draws can be used: those before the first whose item is not answered, or not asked in this round.

        An item that was not asked in this round may have been labelled in another one meanwhile. If it counted, the
        round would end at a new item, which is biased.
        """
        end = int(round_.new[round_.asked]) if len(round_.new) > round_.asked else len(round_.draws.items)
        end = min(end, int(np.count_nonzero(round_.draws.probability)))
        answered = self.answered(round_.draws.items[:end])
        return end if answered.all() else int(np.argmin(answered))

    def complete(self, round_: Round) -> bool:
        """Whether all labels that the round was opened for have been given, or no more of them are needed."""
        size = round_.design.size
        if round_.design.over(round_.draws.items[: self.prefix(round_)], self.labels):
            return True
        if size is None or len(round_.new) < min(size, round_.limit):
            return False
        return bool(self.answered(round_.draws.items[round_.new[:size]]).all())

    def values(self, items: Integers, predictions: Floats) -> Floats:
        """The labels of answered items; for "cannot tell", the value that is assumed."""
        labels = [self.labels[item] for item in items.tolist()]
        values = np.array([np.nan if label is None else label for label in labels], dtype=np.float64)
        missing = np.isnan(values)
        if missing.any():
            values[missing] = self._assumed(items[missing], predictions[missing])
        return values

    def _assumed(self, items: Integers, predictions: Floats) -> Floats:
        if self.assume == "agree":
            return predictions
        if self.assume == "disagree":
            return 1 - predictions
        if self.assume == "expected":
            return np.array([self._expected(item) for item in items.tolist()])
        return np.full(len(items), 1.0 if self.assume == "one" else 0.0)

    def _expected(self, item: int) -> float:
        """c(s) of the item when it was first drawn; 1/2 for a known one whose label says nothing about it."""
        for round_ in self.rounds:
            found = np.flatnonzero(round_.draws.items == item)
            if len(found):
                return float(round_.draws.calibration[found[0]])
        return 0.5

    def assuming(self, assume: Assumption) -> "History":
        return replace(self, assume=assume)

    def read_as(self, meaning: Callable[[int | None], int | None]) -> "History":
        """The history with other labels: what each says about one category, for example."""
        labels = {item: meaning(label) for item, label in self.labels.items()}
        return replace(self, labels=labels, answers=[Answer(one.item, meaning(one.label)) for one in self.answers])

    def labelling(self, item: int, label: int | None) -> "History":
        """The history with another label for this item; draws that were made stay."""
        return replace(self, labels={**self.labels, item: label})

    def copied(self) -> "History":
        """A copy: answers and rounds that come later do not change it."""
        rounds, labels, answers, asked = [*self.rounds], {**self.labels}, [*self.answers], {**self.asked}
        return replace(self, rounds=rounds, labels=labels, answers=answers, asked=asked)

    def until(self, answers: int) -> "History":
        """The history as it was after so many answers: their labels, and the rounds that were open then.

        >>> history = History(labels={3: 1, 5: 1}, answers=[Answer(3, 1), Answer(5, 0), Answer(5, 1)])
        >>> history.until(1).labels, history.until(2).labels
        ({3: 1}, {3: 1, 5: 0})

        Two things are not taken back. Draws stay, since only those before the first unanswered one count anyway; if
        an item was labelled in another round before it was handed out in this one, its draw may count a little too
        early. Known labels are those of today, even if they were corrected later.
        """
        told = self.answers[:answers]
        labels = {item: label for item, label in self.labels.items() if item in self.known}
        labels.update((answer.item, answer.label) for answer in told)
        rounds = [round_ for round_ in self.rounds if len(round_.labelled) <= len(labels)]
        return replace(self, rounds=rounds, labels=labels, answers=told, asked=dict(self.asked))

    def answered_in_order(self, rounds: Iterable[Round]) -> Integers:
        """Known items, and those of the draws that can be used (`prefix`).

        Answers to later draws have to wait: otherwise items that are quick to answer would be selected.
        """
        prefixes = [round_.draws.items[: self.prefix(round_)] for round_ in rounds]
        return np.unique(np.concatenate([np.array(sorted(self.known), dtype=np.int64), *prefixes]))

    def used(self, rounds: Iterable[Round]) -> int:
        """How many labels an estimate from these rounds uses."""
        return len(self._counting(rounds))

    @property
    def waiting(self) -> int:
        """How many labels cannot be used yet: their items were drawn after one that has no answer."""
        return len(self._waiting)

    @property
    def counted(self) -> int:
        """How many labels count: those that were bought, are no "cannot tell", and do not wait."""
        not_counted = self.known | self._waiting
        return sum(label is not None for item, label in self.labels.items() if item not in not_counted)

    @property
    def _waiting(self) -> set[int]:
        return self.labels.keys() - self.known - set(self._counting(self.rounds).tolist())

    @property
    def waiting_for(self) -> int:
        """How many items without a label those labels wait for: each was drawn before one of them, in its round."""
        waiting = np.fromiter(self._waiting, dtype=np.int64)
        found = [nothing()]
        for round_ in self.rounds if len(waiting) else ():
            items = round_.draws.items[self.prefix(round_) :]
            late = np.flatnonzero(np.isin(items, waiting))
            before = items[: late[-1]] if len(late) else nothing()
            found.append(before[~self.answered(before)])
        return len(np.unique(np.concatenate(found)))

    def _counting(self, rounds: Iterable[Round]) -> Integers:
        parts = [nothing()]
        for round_ in rounds:
            parts += [round_.design.known, round_.draws.items[: self.prefix(round_)]]
        return np.unique(np.concatenate(parts))
