"""What happened so far, as data: rounds with their draws, and answers. Samplers read it; the evaluation writes it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from lowshot.core.types import Flags, Floats, Integers
from lowshot.design import Design, Draws, nothing

CHUNK = 64
LARGEST_CHUNK = 1 << 20
Assumption = Literal["expected", "agree", "disagree", "zero", "one"]


class Answer(NamedTuple):
    """One answer: the position of the item and its label; None is "cannot tell"."""

    item: int
    label: int | None


@dataclass(frozen=True, eq=False)
class Round:
    """The draws made under one design. Extending it gives a new one; its past draws never change."""

    number: int
    design: Design
    labelled: Integers  # what had a label when the round opened: drawn again, it costs nothing
    draws: Draws
    asked: int = 0  # how many of its new items were handed out

    @cached_property
    def new(self) -> Integers:
        """The indexes of the draws that bring an item for the first time, without a label."""
        _, first = np.unique(self.draws.items, return_index=True)
        if len(self.labelled):
            first = first[~np.isin(self.draws.items[first], self.labelled)]
        return np.sort(first)

    @cached_property
    def limit(self) -> int:
        """How many new items the design can bring at all."""
        return self.design.unlabelled(self.labelled)

    def extended(self, wanted: int, seed: int) -> "Round":
        """With draws up to and including the first draw of new item number `wanted` + 1.

        That last draw is not handed out: it marks where the draws of the first `wanted` items end, with
        all their repeats. Stopping at item number `wanted` itself would be biased.
        """
        current, chunk = self, max(CHUNK, min(2 * min(wanted, self.limit), LARGEST_CHUNK))
        start = int(current.draws.counter[-1]) + 1 if len(current.draws.counter) else 0
        last = CHUNK * (self.limit + CHUNK)  # items that did not come up by then hardly ever do
        while len(current.new) <= wanted and len(current.new) < self.limit:
            if start >= last:
                return current._with(self._rest(current, start))._cut(wanted)
            count = min(chunk, last - start)
            current = current._with(self.design.draw(seed, self.number, start, count))
            start, chunk = start + count, min(2 * chunk, LARGEST_CHUNK)
        return current._cut(wanted)

    def _rest(self, current: "Round", start: int) -> Draws:
        """The items that were not drawn, with probability 0: handed out as they are, and no draws for an estimate."""
        rest = self.design.items[~np.isin(self.design.items, current.draws.items)]
        zero = np.zeros(len(rest))
        return Draws(np.arange(start, start + len(rest)), rest, zero, self.design.calibrated(rest))

    def _with(self, further: Draws) -> "Round":
        draws = self.draws.then(further)
        if not self.design.replace:  # repeats dropped from i.i.d. draws: successive draws without replacement
            draws = draws.take(np.sort(np.unique(draws.items, return_index=True)[1]))
        return self._changed(draws=draws)

    def _cut(self, wanted: int) -> "Round":
        if len(self.new) == 0:
            return self
        new = self.new[: wanted + 1]
        return self._changed(draws=self.draws.take(slice(int(new[-1]) + 1)), new=new)

    def handed_out(self, further: int) -> "Round":
        """With so many more of its new items handed out."""
        return self._changed(asked=self.asked + further, new=self.new)

    def _changed(self, new: Integers | None = None, **changes: Any) -> "Round":
        """A copy that does not count again what is known of it: after every answer that would be slow."""
        copy = replace(self, **changes)
        vars(copy).update({"limit": self.limit} if new is None else {"limit": self.limit, "new": new})
        return copy

    def new_items(self, start: int, stop: int) -> list[int]:
        """New items number start, ..., stop-1, as far as they are drawn."""
        items: list[int] = self.draws.items[self.new[start:stop]].tolist()
        return items


def open_round(number: int, design: Design, labelled: Integers) -> Round:
    """A round without any draw."""
    return Round(number, design, labelled, Draws(nothing(), nothing(), np.empty(0), np.empty(0)))


@dataclass(frozen=True)
class History:
    """Rounds and labels. `assume` says what stands in for an item that nobody could tell.

    >>> history = History(labels={3: 1, 5: 0})
    >>> history.labelled.tolist(), history.values(np.array([5, 3]), np.zeros(2)).tolist()
    ([3, 5], [0.0, 1.0])
    """

    rounds: list[Round] = field(default_factory=list)
    labels: dict[int, int | None] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)  # every answer in the order it came, corrections too
    known: frozenset[int] = frozenset()  # labels that were there before the first round
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
        """Items that nobody could tell."""
        return sum(label is None for label in self.labels.values())

    def told(self) -> tuple[Integers, Floats]:
        """Items with a label of 0 or 1, and the labels: what a calibration can learn from."""
        pairs = sorted((item, label) for item, label in self.labels.items() if label is not None)
        items, labels = [pair[0] for pair in pairs], [float(pair[1]) for pair in pairs]
        return np.array(items, dtype=np.int64), np.array(labels)

    def answered(self, items: Integers) -> Flags:
        return np.fromiter((item in self.labels for item in items.tolist()), dtype=np.bool_, count=len(items))

    def prefix(self, round_: Round) -> int:
        """How many draws come before the first one whose item is not answered, or was not asked in this round.

        The latter may have been labelled in another round meanwhile; counting it would end the round at a
        new item, which is biased.
        """
        end = int(round_.new[round_.asked]) if len(round_.new) > round_.asked else len(round_.draws.items)
        end = min(end, int(np.count_nonzero(round_.draws.probability)))
        answered = self.answered(round_.draws.items[:end])
        return end if answered.all() else int(np.argmin(answered))

    def complete(self, round_: Round) -> bool:
        """Whether the labels that the round was opened for are all there."""
        size = round_.design.size
        if size is None or len(round_.new) < min(size, round_.limit):
            return False
        return bool(self.answered(round_.draws.items[round_.new[:size]]).all())

    def values(self, items: Integers, predictions: Floats) -> Floats:
        """The labels of answered items; for one that nobody could tell, what is assumed of it."""
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
        """c(s) of the item when it was first drawn."""
        for round_ in self.rounds:
            found = np.flatnonzero(round_.draws.items == item)
            if len(found):
                return float(round_.draws.calibration[found[0]])
        raise KeyError(item)

    def assuming(self, assume: Assumption) -> "History":
        return replace(self, assume=assume)

    def labelling(self, item: int, label: int | None) -> "History":
        """As if the item had this label; draws that were made stay."""
        return replace(self, labels={**self.labels, item: label})

    def copied(self) -> "History":
        """As it is now; what comes later does not change it."""
        rounds, labels, answers, asked = [*self.rounds], {**self.labels}, [*self.answers], {**self.asked}
        return replace(self, rounds=rounds, labels=labels, answers=answers, asked=asked)

    def until(self, answers: int) -> "History":
        """As it was after so many answers: their labels, and the rounds that were open then.

        >>> history = History(labels={3: 1, 5: 1}, answers=[Answer(3, 1), Answer(5, 0), Answer(5, 1)])
        >>> history.until(1).labels, history.until(2).labels
        ({3: 1}, {3: 1, 5: 0})

        Two things are as they are now: draws, since only those before the first unanswered one count anyway; and
        known labels that were corrected later. A draw that another round had labelled before it was handed out
        here may so count a little early.
        """
        told = self.answers[:answers]
        labels = {item: label for item, label in self.labels.items() if item in self.known}
        labels.update((answer.item, answer.label) for answer in told)
        rounds = [round_ for round_ in self.rounds if len(round_.labelled) <= len(labels)]
        return replace(self, rounds=rounds, labels=labels, answers=told, asked=dict(self.asked))

    def answered_in_order(self, rounds: Iterable[Round]) -> Integers:
        """Known items and those of the rounds' labelled prefixes: how fast an answer came must not select it."""
        prefixes = [round_.draws.items[: self.prefix(round_)] for round_ in rounds]
        return np.unique(np.concatenate([np.array(sorted(self.known), dtype=np.int64), *prefixes]))

    def used(self, rounds: Iterable[Round]) -> int:
        """Distinct labels that an estimate from these rounds rests on."""
        return len(self._counting(rounds))

    @property
    def waiting(self) -> int:
        """Labels that do not count yet: their items were drawn after one that has no label."""
        return len(self._waiting)

    @property
    def _waiting(self) -> set[int]:
        return self.labels.keys() - self.known - set(self._counting(self.rounds).tolist())

    @property
    def waiting_for(self) -> int:
        """Items without an answer that those labels wait for: each was drawn before one of them, in the same round."""
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
