"""How many items of an evaluation are asked, answered, counted and waiting: one definition for pages, commands and
reports.

Every number is a number of different items:

    asked        items that were handed out: answered + pending
    answered     items that were asked and have a label or "cannot tell": counted + cannot_tell + waiting. This is
                 `Evaluation.labels`; pages and commands call it "labels".
    counted      labels that the estimate uses
    cannot_tell  answers "cannot tell" that do not wait: the interval allows for either label
    waiting      answers that the estimate does not use yet, because an item that was drawn earlier has none
    waiting_for  the items without an answer that they wait for
    pending      items that were asked and have no label: answers are missing, or people disagree
    known        labels that were known before the evaluation began, which are not among the others
"""

from dataclasses import asdict, dataclass

from lowshot.history import History
from lowshot.known import described
from lowshot.words import NO_LABELS


@dataclass(frozen=True)
class Counts:
    """The numbers of one evaluation; the docstring of the module defines them.

    >>> counts = Counts(counted=38, waiting=2, waiting_for=1, pending=3)
    >>> counts.answered, counts.asked
    (40, 43)
    >>> print(counts)
    40 labels: 38 count, 2 wait for an earlier item; 3 items asked have no label
    >>> print(Counts(counted=38, cannot_tell=1)), print(Counts())
    39 labels: 38 count, 1 is “cannot tell”
    no labels yet
    (None, None)
    """

    counted: int = 0
    cannot_tell: int = 0
    waiting: int = 0
    waiting_for: int = 0
    pending: int = 0
    known: int = 0
    uniform: int = 0  # those of the known labels that were drawn uniformly from the pool
    doubted: int = 0  # those that are said to be, but do not look like it

    @classmethod
    def of(cls, history: History) -> "Counts":
        """
        >>> import lowshot
        >>> evaluation = lowshot.Evaluation(lowshot.Pool([0.9, 0.8, 0.2, 0.1], threshold=0.5), known={3: 0})
        >>> first, second = evaluation.ask(2)
        >>> evaluation.tell([second], [1])
        >>> print(Counts.of(evaluation.snapshot()))
        1 label: it waits for an earlier item; 1 item asked has no label; 1 known before
        """
        waiting, skipped = history.waiting, history.skipped_in_use
        return cls(
            counted=len(history.labels) - len(history.known) - waiting - skipped,
            cannot_tell=skipped,
            waiting=waiting,
            waiting_for=history.waiting_for,
            pending=sum(item not in history.labels for item in history.asked),
            known=len(history.known),
            uniform=len(history.uniform),
            doubted=len(history.doubted),
        )

    @property
    def answered(self) -> int:
        return self.counted + self.cannot_tell + self.waiting

    @property
    def asked(self) -> int:
        return self.answered + self.pending

    def __str__(self) -> str:
        """All of it as one line; zeros are left out."""
        return "; ".join(filter(None, [self.labels_in_words, self.pending_in_words, self.known_in_words]))

    @property
    def labels_in_words(self) -> str:
        """The items that are answered, and which of them count.

        >>> Counts(waiting=4, waiting_for=3).labels_in_words, Counts(counted=1).labels_in_words
        ('4 labels: all wait for 3 earlier items', '1 label')
        """
        if not self.answered:
            return NO_LABELS
        total = f"{self.answered:,} label{'s' * (self.answered != 1)}"
        parts = [
            _part(self.answered, self.counted, "counts", "count"),
            _part(self.answered, self.cannot_tell, "is “cannot tell”", "are “cannot tell”"),
            _part(self.answered, self.waiting, f"waits for {self._awaited}", f"wait for {self._awaited}"),
        ]
        return total if self.counted == self.answered else f"{total}: {', '.join(filter(None, parts))}"

    @property
    def nothing_counts(self) -> str:
        """Why there is no estimate although there are labels; empty if it has another reason.

        >>> Counts(waiting=4, waiting_for=3).nothing_counts
        'all 4 labels wait for 3 earlier items'
        """
        if not self.waiting or self.counted or self.known:
            return ""
        labels = "the only label waits" if self.waiting == 1 else f"all {self.waiting:,} labels wait"
        return f"{labels} for {self._awaited}"

    @property
    def _awaited(self) -> str:
        return "an earlier item" if self.waiting_for == 1 else f"{self.waiting_for:,} earlier items"

    @property
    def pending_in_words(self) -> str:
        if not self.pending:
            return ""
        return f"{self.pending:,} {'item asked has' if self.pending == 1 else 'items asked have'} no label"

    @property
    def known_in_words(self) -> str:
        return described(self.known, self.uniform, self.doubted)

    def to_dict(self) -> dict[str, int | str]:
        """As plain data.

        >>> found = Counts(counted=38, waiting=2, waiting_for=1, pending=3).to_dict()
        >>> found["answered"], found["asked"]
        (40, 43)
        """
        return {**asdict(self), "answered": self.answered, "asked": self.asked, "text": str(self)}


def _part(of: int, number: int, one: str, several: str) -> str:
    """So many of these do something, in words; empty for 0.

    >>> _part(5, 1, "counts", "count"), _part(5, 5, "counts", "count"), _part(1, 1, "counts", "count")
    ('1 counts', 'all count', 'it counts')
    """
    if not number:
        return ""
    if number == of:
        return f"it {one}" if of == 1 else f"all {several}"
    return f"{number:,} {one if number == 1 else several}"
