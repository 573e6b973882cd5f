"""How many items were asked, answered and counted: one set of numbers for the whole report."""

from dataclasses import dataclass

from lowshot.history import History
from lowshot.known import known_in


def counted(number: int, thing: str, things: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "label"), counted(1200, "label"), counted(2, "person", "people")
    ('1 label', '1,200 labels', '2 people')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


@dataclass(frozen=True)
class LabelCounts:
    """The labels of an evaluation. Where a report says "labels" without another word, it means `counted`.

    >>> counts = LabelCounts(asked=70, answered=65, cannot_tell=2, waiting=3, counted=60, known=0, known_drawn="")
    >>> counts.explained
    "70 items asked, 65 answered; of these 60 labels counted, 2 'cannot tell', 3 waiting"
    """

    asked: int  # items that were handed out
    answered: int  # those of them with an answer, including "cannot tell"
    cannot_tell: int
    waiting: int  # answers that do not count yet, because an item drawn before theirs has no answer
    counted: int  # labels that the estimate uses, besides those known beforehand
    known: int  # labels that were known beforehand
    known_drawn: str  # how many were known beforehand and how they were drawn, in words

    @classmethod
    def of(cls, history: History) -> "LabelCounts":
        answered = len(history.labels) - len(history.known)
        return cls(
            asked=len(history.asked.keys() | (history.labels.keys() - history.known)),
            answered=answered,
            cannot_tell=sum(label is None for item, label in history.labels.items() if item not in history.known),
            waiting=history.waiting,
            counted=history.counted,
            known=len(history.known),
            known_drawn=known_in(history),
        )

    @property
    def pending(self) -> int:
        """Items that were handed out and have no answer yet."""
        return self.asked - self.answered

    @property
    def open(self) -> bool:
        """Whether somebody has to answer before all labels count."""
        return bool(self.pending or self.waiting)

    @property
    def differ(self) -> bool:
        """Whether the number of labels that count is not simply the number of items asked."""
        return bool(self.known) or self.asked != self.counted

    @property
    def explained(self) -> str:
        """All the numbers, in words."""
        asked = f"{counted(self.asked, 'item')} asked, {self.answered:,} answered"
        parts = [f"{counted(self.counted, 'label')} counted"]
        parts += [f"{self.cannot_tell:,} 'cannot tell'"] if self.cannot_tell else []
        parts += [f"{self.waiting:,} waiting"] if self.waiting else []
        known = f"; {self.known_drawn.replace('before', 'beforehand', 1)}" if self.known else ""
        return f"{asked}; of these {', '.join(parts)}{known}"
