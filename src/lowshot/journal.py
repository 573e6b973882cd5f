"""What an evaluation writes: rounds, draws and labels. Here in memory; `store.sql_journal` writes to a database."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from lowshot.design import PastDesign
from lowshot.history import Answer, History, Round


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
