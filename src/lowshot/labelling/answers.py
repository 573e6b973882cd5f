"""What annotators said of an item, and what follows from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class GivenAnswer(NamedTuple):
    """One answer. None: cannot tell. A final one decides, whatever the others say."""

    annotator: str
    label: int | None
    final: bool = False
    at: str = ""  # when, in UTC


class ItemState(Enum):
    """Of an item."""

    OPEN = "needs more answers"
    DISPUTED = "annotators disagree"
    SETTLED = "has a label"


@dataclass(frozen=True)
class Resolution:
    """Where an item stands; `label` counts if it is settled."""

    state: ItemState
    label: int | None = None


def resolve(said: Iterable[GivenAnswer], wanted: int) -> Resolution:
    """The last answer of each annotator counts; as many as are wanted must agree, or a final one decides.

    >>> resolve([GivenAnswer("ann", 1)], wanted=2).state.value
    'needs more answers'
    >>> resolve([GivenAnswer("ann", 1), GivenAnswer("bob", 0)], wanted=2).state.value
    'annotators disagree'
    >>> resolve([GivenAnswer("ann", 1), GivenAnswer("bob", 0), GivenAnswer("ann", 0)], wanted=2)
    Resolution(state=<ItemState.SETTLED: 'has a label'>, label=0)
    >>> resolve([GivenAnswer("ann", 1), GivenAnswer("bob", 0), GivenAnswer("eve", 1, final=True)], wanted=2).label
    1
    """
    last, decided = {}, None
    for answer in said:
        if answer.final:
            decided = answer
        else:
            last[answer.annotator] = answer.label
    if decided is not None:
        return Resolution(ItemState.SETTLED, decided.label)
    if len(last) < wanted:
        return Resolution(ItemState.OPEN)
    labels = set(last.values())
    return Resolution(ItemState.SETTLED, labels.pop()) if len(labels) == 1 else Resolution(ItemState.DISPUTED)
