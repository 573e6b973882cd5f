"""How many items of an evaluation are asked, labelled, waiting or pending: one definition for pages, commands and
reports.

Every number is a number of different items:

    known        labels that were known before the evaluation began; nobody was asked for them
    labels       items that were asked and have a label, also if it is "cannot tell"
    cannot_tell  those of the labels that are "cannot tell"
    waiting      those of the labels that the estimate does not use yet: an item that was drawn earlier has no label
    waiting_for  the items without a label that they wait for
    counted      the other labels, which the estimate uses: counted + waiting = labels
    pending      items that were asked and have no label: nobody answered yet, more answers are needed, or people disagree
    asked        items that were asked: labels + pending = asked
"""

from dataclasses import asdict, dataclass

from lowshot.history import History
from lowshot.known import described


@dataclass(frozen=True)
class Counts:
    """The numbers of one evaluation; the docstring of the module defines them.

    >>> counts = Counts(labels=40, waiting=2, waiting_for=1, pending=3, cannot_tell=1)
    >>> counts.counted, counts.asked
    (38, 43)
    >>> print(counts)
    40 labels: 38 count, 2 wait for an earlier item; 1 is “cannot tell”; 3 items asked have no label
    >>> print(Counts(labels=1)), print(Counts())
    1 label
    no label yet
    (None, None)
    """

    labels: int = 0
    waiting: int = 0
    waiting_for: int = 0
    pending: int = 0
    cannot_tell: int = 0
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
        labels = len(history.labels) - len(history.known)
        skipped = sum(label is None for item, label in history.labels.items() if item not in history.known)
        return cls(
            labels=labels,
            waiting=history.waiting,
            waiting_for=history.waiting_for,
            pending=sum(item not in history.labels for item in history.asked),
            cannot_tell=skipped,
            known=len(history.known),
            uniform=len(history.uniform),
            doubted=len(history.doubted),
        )

    @property
    def counted(self) -> int:
        return self.labels - self.waiting

    @property
    def asked(self) -> int:
        return self.labels + self.pending

    def __str__(self) -> str:
        """All of it as one line; zeros are left out."""
        return "; ".join(filter(None, [self.bought, self.not_told, self.open, self.given]))

    @property
    def bought(self) -> str:
        """The labels, and how many of them wait.

        >>> Counts(labels=4, waiting=4, waiting_for=3).bought
        '4 labels: all wait for 3 earlier items'
        """
        if not self.labels:
            return "no label yet"
        total = f"{self.labels:,} label{'s' * (self.labels != 1)}"
        if not self.waiting:
            return total
        awaited = "an earlier item" if self.waiting_for == 1 else f"{self.waiting_for:,} earlier items"
        if self.labels == 1:
            return f"{total}: it waits for {awaited}"
        if not self.counted:
            return f"{total}: all wait for {awaited}"
        count = f"{self.counted:,} count{'s' * (self.counted == 1)}"
        return f"{total}: {count}, {self.waiting:,} wait{'s' * (self.waiting == 1)} for {awaited}"

    @property
    def not_told(self) -> str:
        if not self.cannot_tell:
            return ""
        return f"{self.cannot_tell:,} {'is' if self.cannot_tell == 1 else 'are'} “cannot tell”"

    @property
    def open(self) -> str:
        if not self.pending:
            return ""
        return f"{self.pending:,} {'item asked has' if self.pending == 1 else 'items asked have'} no label"

    @property
    def given(self) -> str:
        return described(self.known, self.uniform, self.doubted)

    def to_dict(self) -> dict[str, int | str]:
        """As plain data.

        >>> found = Counts(labels=40, waiting=2, waiting_for=1, pending=3).to_dict()
        >>> found["counted"], found["asked"]
        (38, 43)
        """
        return {**asdict(self), "counted": self.counted, "asked": self.asked, "text": str(self)}
