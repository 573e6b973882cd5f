"""Where an evaluation writes what happens, so that it survives."""

from collections.abc import Iterator
from contextlib import contextmanager

from lowshot.history import Answer, History, Round


class Journal:
    """In memory: nothing is written, and everything is gone with the process. This defines the behaviour of all others.

    An evaluation takes a turn for whatever changes it; what it wrote is durable when the turn is over. A turn that
    fails leaves no trace. Where several processes share a journal, a turn begins with what others did.

    >>> Journal(History(labels={3: 1})).history.labels
    {3: 1}
    """

    def __init__(self, history: History) -> None:
        self.history = history

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Alone until it ends."""
        before = self.history.copied()
        try:
            yield
        except BaseException:
            self.history = before
            raise

    def refresh(self) -> None:
        """Read what others wrote since."""

    def opened(self, round_: Round) -> None:
        """A round without draws, at the place that its number says."""

    def handed_out(self, round_: Round, items: list[int]) -> None:
        """A round with its draws so far; these items are with somebody now."""

    def answered(self, answers: list[Answer]) -> None:
        """Labels, new or corrected, in this order."""
